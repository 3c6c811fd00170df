// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heap: precise mark-sweep; size classes in thread-local blocks, large objects apart.
//
// Allocation may collect: every reference that must survive is in a Frame, a handle, a root or an object.
// Collection starts by growth (live bytes times a factor, at least 4 MiB), by request, or when memory fails;
// then a retry, then OUT_OF_MEMORY.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gc/collector.hpp"
#include "gc/verify.hpp"

namespace berth::gc {

class Root;
class WeakReference;

class Heap {
 public:
  explicit Heap(Collector& collector, size_t limit_bytes);
  ~Heap();

  /// The heap owns the type for its whole life. Threads: any. Blocks: short.
  const Type* add_type(Type type);
  /// Zeroed memory with header set (and element count). Null: out of memory after a collection and a retry.
  /// Threads: attached. Blocks: may wait, for a stop. GC: unsafe; polls.
  Object* allocate(Thread& thread, const Type* type, size_t elements = 0);
  /// What allocate does most often, inline: of a type of fixed size, from the thread's range. Null: allocate
  /// must do it. Threads: attached. Blocks: never. GC: unsafe (safe: null).
  static Object* try_bump(Thread& thread, const Type& type) noexcept {
    if constexpr (kDebugChecks) return nullptr;
    AllocationRange& range = thread.allocation.classes[type.bump_class];
    if (range.next == range.end || thread.state.load(std::memory_order_relaxed) != State::Unsafe) [[unlikely]]
      return nullptr;
    auto* object = reinterpret_cast<Object*>(range.next);
    range.next += type.bump_bytes;
    object->header.store(reinterpret_cast<uint64_t>(&type), std::memory_order_relaxed);
    return object;
  }
  /// Object outside the heap that lives until the heap ends and is never moved or freed: singletons,
  /// constants. Its references are roots.
  Object* allocate_permanent(const Type* type, size_t elements = 0);
  /// Write barrier: every store of a reference into an object goes through it. Threads: attached. GC: unsafe.
  static void write(Object* object, Object** slot, Object* value,
                    std::memory_order order = std::memory_order_relaxed) noexcept {
    (void)object;
    if constexpr (kDebugChecks) {
      if (Verifier::is_on()) [[unlikely]]
        return Verifier::store(slot, value);
    }
    std::atomic_ref<Object*>(*slot).store(value, order);
  }
  /// The same for a compare-and-exchange; `expected` is what was found. As above.
  static bool exchange(Object* object, Object** slot, Object*& expected, Object* value,
                       std::memory_order order) noexcept {
    (void)object;
    if constexpr (kDebugChecks) {
      if (Verifier::is_on()) [[unlikely]]
        return Verifier::exchange(slot, expected, value);
    }
    return std::atomic_ref<Object*>(*slot).compare_exchange_strong(expected, value, order);
  }

  Root* new_root(Object* object);
  void delete_root(Root* root);
  static Object*& root_slot(Root* root) noexcept;
  WeakReference* new_weak(Object* object);
  Object* weak_get(const WeakReference* weak) noexcept;
  void delete_weak(WeakReference* weak);
  /// Of whatever heap made it; null is nothing. Threads: any. Blocks: short.
  static void delete_any_root(Root* root);
  static void delete_any_weak(WeakReference* weak);
  /// Runs once at a safe point of some thread after the object became unreachable; it may resurrect it.
  void add_finalizer(Object* object, void (*finalizer)(void*, void*), void* context);

  size_t live_bytes() const noexcept;
  size_t num_objects() const;  // exact at rest
  uint64_t num_ready_finalizers() const noexcept;
  uint64_t num_failed_finalizers() const noexcept;
  /// Of an object of the heap; what the allocator took for it. Threads: any. Blocks: never.
  static size_t size_of(const Object* object) noexcept;
  /// Whether it is the start of an object that was not freed; permanent ones do not count. World stopped.
  bool contains(const void* pointer) const noexcept;
  /// World stopped, after marking: marked, permanent, or not an object of this heap at all.
  bool is_live(const void* pointer) const noexcept;

  struct Impl;
  Impl& impl() noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// A global root in RAII form.
class GlobalRoot {
 public:
  GlobalRoot(Heap& heap, Object* object) : heap_(&heap), root_(heap.new_root(object)) {}
  GlobalRoot(GlobalRoot&& other) noexcept : heap_(other.heap_), root_(std::exchange(other.root_, nullptr)) {}
  GlobalRoot& operator=(GlobalRoot&& other) noexcept {
    std::swap(heap_, other.heap_);
    std::swap(root_, other.root_);
    return *this;
  }
  ~GlobalRoot() {
    if (root_) heap_->delete_root(root_);
  }
  Object* get() const noexcept { return Heap::root_slot(root_); }
  void set(Object* object) noexcept { Heap::root_slot(root_) = object; }

 private:
  Heap* heap_;
  Root* root_;
};

}  // namespace berth::gc
