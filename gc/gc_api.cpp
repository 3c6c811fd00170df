// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/gc_api.hpp"

#include <fmt/format.h>

#include "berth/gc.h"
#include "gc/handle.hpp"
#include "gc/heap.hpp"
#include "support/api.hpp"
#include "support/mutant.hpp"

namespace berth::gc {
namespace {

Thread& to_thread(berth_thread_t* thread) noexcept { return *reinterpret_cast<Thread*>(thread); }
Object* to_object(void* object) noexcept { return static_cast<Object*>(object); }
Root* to_root(const berth_gc_root_t* root) noexcept {
  return const_cast<Root*>(reinterpret_cast<const Root*>(root));
}

/// Every managed pointer belongs to a thread that is unsafe: debug builds trap, release counts.
bool is_unsafe(Thread& thread) {
  if (thread.state.load(std::memory_order_relaxed) == State::Unsafe) return true;
  if constexpr (kDebugChecks) die("a managed object is touched by a thread that is not unsafe");
  if (thread.collector) thread.collector->count_misuse();
  return false;
}

Error not_unsafe(const char* asked) {
  return make_error(BERTH_INVALID_ARGUMENT, asked, "the thread is in a safe region", "leave it first");
}

Error foreign(const char* asked) {
  return make_error(BERTH_UNSUPPORTED, asked, "the engine has a foreign collector",
                    "use that collector's heap");
}

Result<Type> to_type(const berth_gc_type_options_t& options) {
  constexpr const char* kAsked = "make a type";
  const auto invalid = [](std::string_view found, std::string_view advice) {
    return make_error(BERTH_INVALID_ARGUMENT, kAsked, found, advice);
  };
  if (options.struct_size < sizeof(berth_gc_type_options_t))
    return invalid("struct_size is too small", "set it to sizeof");
  if (options.bytes < 8 || options.bytes % 8 != 0 || options.bytes > UINT32_MAX) {
    return invalid(fmt::format("bytes is {}", options.bytes),
                   "count the 8 bytes of the header, a multiple of 8");
  }
  if (options.elements_are_references && options.element_bytes != 8) {
    return invalid(fmt::format("elements are references of {} bytes", options.element_bytes),
                   "give element_bytes 8");
  }
  if (options.element_bytes > UINT32_MAX)
    return invalid("element_bytes is too large", "give less than 4 GiB");
  Type type;
  type.name = options.name ? options.name : "";
  type.bytes = static_cast<uint32_t>(options.bytes);
  type.element_bytes = static_cast<uint32_t>(options.element_bytes);
  type.elements_are_references = options.elements_are_references != 0;
  for (size_t i = 0; i < options.reference_count; ++i) {
    const uint32_t offset = options.reference_offsets[i];
    const uint32_t first = options.element_bytes ? 16 : 8;
    if (offset % 8 != 0 || offset < first || offset + 8 > options.bytes) {
      return invalid(fmt::format("reference offset {}", offset), "give multiples of 8 inside the fixed part");
    }
    type.reference_offsets.push_back(offset);
  }
  return type;
}

// Apart from the fast path, which then needs no frame.
[[gnu::noinline]] berth_error_t* allocate_slowly(berth_thread_t* thread, const berth_gc_type_t* type,
                                                 size_t elements, void** object) {
  return at_boundary("berth_gc_allocate", [&]() -> Result<void> {
    constexpr const char* kAsked = "allocate an object";
    if (!thread || !type || !object) {
      return make_error(BERTH_INVALID_ARGUMENT, kAsked, "a null argument", "give thread, type and object");
    }
    Thread& self = to_thread(thread);
    if (self.foreign) return foreign(kAsked);
    if (!is_unsafe(self)) return not_unsafe(kAsked);
    Object* made = self.collector->heap().allocate(self, reinterpret_cast<const Type*>(type), elements);
    if (!made) {
      return make_error(BERTH_OUT_OF_MEMORY, kAsked, "no memory after a collection",
                        "drop references or raise the limit");
    }
    *object = made;
    return success();
  });
}

}  // namespace
}  // namespace berth::gc

using namespace berth;      // NOLINT: the C functions of this floor
using namespace berth::gc;  // NOLINT

extern "C" {

void berth_gc_collect(berth_thread_t* thread) {
  if (!thread) return;
  Thread& self = to_thread(thread);
  if (!self.foreign && !is_unsafe(self)) return;
  static_cast<void>(self.collector->try_collect(self));
}

void berth_gc_add_finalizer(berth_thread_t* thread, void* object, void (*finalizer)(void*, void*),
                            void* context) {
  if (!thread || !object || !finalizer) return;
  Thread& self = to_thread(thread);
  if (self.foreign || !is_unsafe(self)) return;
  self.collector->heap().add_finalizer(to_object(object), finalizer, context);
}

berth_error_t* berth_gc_type_new(berth_engine_t* engine, const berth_gc_type_options_t* options,
                                 berth_gc_type_t** out) {
  return at_boundary("berth_gc_type_new", [&]() -> Result<void> {
    if (!engine || !options || !out) {
      return make_error(BERTH_INVALID_ARGUMENT, "make a type", "a null argument",
                        "give engine, options and out");
    }
    BERTH_TRY(auto type, to_type(*options));
    const Type* added = collector_of(engine).heap().add_type(std::move(type));
    *out = reinterpret_cast<berth_gc_type_t*>(const_cast<Type*>(added));
    return success();
  });
}

berth_error_t* berth_gc_allocate(berth_thread_t* thread, const berth_gc_type_t* type, size_t elements,
                                 void** object) {
  if (thread && type && object) [[likely]] {
    if (Object* made = Heap::try_bump(to_thread(thread), *reinterpret_cast<const Type*>(type))) [[likely]] {
      *object = made;
      return nullptr;
    }
  }
  return allocate_slowly(thread, type, elements, object);
}

void berth_gc_write(berth_thread_t* thread, void* object, void** slot, void* value) {
  if (thread && !is_unsafe(to_thread(thread))) return;
  if (mutant::is_on("G40_store_bare")) {
    *slot = value;
    return;
  }
  Heap::write(to_object(object), reinterpret_cast<Object**>(slot), to_object(value));
}

berth_error_t* berth_gc_root_new(berth_thread_t* thread, void* object, berth_gc_root_t** out) {
  return at_boundary("berth_gc_root_new", [&]() -> Result<void> {
    if (!thread || !out)
      return make_error(BERTH_INVALID_ARGUMENT, "make a root", "a null argument", "give thread and out");
    Thread& self = to_thread(thread);
    if (self.foreign) return foreign("make a root");
    if (!is_unsafe(self)) return not_unsafe("make a root");
    *out = reinterpret_cast<berth_gc_root_t*>(self.collector->heap().new_root(to_object(object)));
    return success();
  });
}

void* berth_gc_root_get(const berth_gc_root_t* root) {
  return root ? Heap::root_slot(to_root(root)) : nullptr;
}
void berth_gc_root_set(berth_gc_root_t* root, void* object) {
  if (root) Heap::root_slot(to_root(root)) = to_object(object);
}
void berth_gc_root_delete(berth_gc_root_t* root) { Heap::delete_any_root(to_root(root)); }

size_t berth_gc_scope_open(berth_thread_t* thread) {
  return thread ? HandleBlock::mark(*to_thread(thread).agent) : 0;
}

berth_error_t* berth_gc_scope_handle(berth_thread_t* thread, void* object, void*** handle) {
  return at_boundary("berth_gc_scope_handle", [&]() -> Result<void> {
    if (!thread || !handle) {
      return make_error(BERTH_INVALID_ARGUMENT, "make a handle", "a null argument", "give thread and handle");
    }
    Thread& self = to_thread(thread);
    if (!self.foreign && !is_unsafe(self)) return not_unsafe("make a handle");
    Object** slot = HandleBlock::add(*self.agent, to_object(object));
    if (!slot)
      return make_error(BERTH_OUT_OF_MEMORY, "make a handle", "memory allocation failed",
                        "free memory and try again");
    *handle = reinterpret_cast<void**>(slot);
    return success();
  });
}

void berth_gc_scope_close(berth_thread_t* thread, size_t mark) {
  if (!thread) return;
  Thread& self = to_thread(thread);
  if (HandleBlock::close(*self.agent, mark)) return;
  if constexpr (kDebugChecks) die("a handle scope is closed out of order");
  self.collector->count_misuse();
}

berth_error_t* berth_gc_weak_new(berth_thread_t* thread, void* object, berth_gc_weak_t** out) {
  return at_boundary("berth_gc_weak_new", [&]() -> Result<void> {
    if (!thread || !out) {
      return make_error(BERTH_INVALID_ARGUMENT, "make a weak reference", "a null argument",
                        "give thread and out");
    }
    Thread& self = to_thread(thread);
    if (self.foreign) return foreign("make a weak reference");
    if (!is_unsafe(self)) return not_unsafe("make a weak reference");
    *out = reinterpret_cast<berth_gc_weak_t*>(self.collector->heap().new_weak(to_object(object)));
    return success();
  });
}

void* berth_gc_weak_get(berth_thread_t* thread, const berth_gc_weak_t* weak) {
  if (!thread || !weak || !is_unsafe(to_thread(thread))) return nullptr;
  return to_thread(thread).collector->heap().weak_get(reinterpret_cast<const WeakReference*>(weak));
}

void berth_gc_weak_delete(berth_gc_weak_t* weak) {
  Heap::delete_any_weak(reinterpret_cast<WeakReference*>(weak));
}

void berth_gc_inhibit_finalizers(berth_thread_t* thread, int delta) {
  if (thread) to_thread(thread).agent->inhibit_finalizers(to_thread(thread), delta);
}

}  // extern "C"
