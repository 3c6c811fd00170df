// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime::Impl: tables of the Runtime, shared by its sources (runtime, errors, strings, arrays, tasks,
// execute).
#pragma once
#include <atomic>
#include <unordered_map>

#include "inference/dispatch_cache.hpp"
#include "inference/execution.hpp"
#include "inference/program.hpp"
#include "inference/runtime.hpp"
#include "inference/task_group.hpp"

namespace berth::inference {

struct LiteralHash {
  size_t operator()(const Literal& literal) const noexcept {
    uint64_t hash = static_cast<uint64_t>(literal.kind) * 0x9e37'79b9'7f4a'7c15 ^ literal.bits;
    hash = hash * 0xff51'afd7'ed55'8ccd ^ reinterpret_cast<uintptr_t>(literal.string);
    hash = hash * 0xff51'afd7'ed55'8ccd ^ reinterpret_cast<uintptr_t>(literal.type);
    return hash * 0xff51'afd7'ed55'8ccd ^ reinterpret_cast<uintptr_t>(literal.function);
  }
};

inline constexpr Rank kRankRuntimeTables{160, "runtime tables"};
inline constexpr size_t kNumLeafKinds = static_cast<size_t>(LeafKind::Tuple) + 1;

struct Runtime::Impl {
  explicit Impl(Runtime& runtime) : execution(runtime) {}

  const Leaf* leaves[kNumLeafKinds] = {};     // of simple kinds; set once when made
  const gc::Type* boxes[kNumLeafKinds] = {};  // of bool and numbers
  gc::Object* booleans[2] = {};
  gc::Object* out_of_memory = nullptr;  // the error that needs no memory

  sync::Mutex mutex{kRankRuntimeTables};
  std::unordered_map<Literal, gc::Object*, LiteralHash> literals BERTH_GUARDED_BY(mutex);

  DispatchCache dispatch;
  Execution execution;
  TaskGroup tasks;

  struct Print {
    void (*function)(void*, berth_thread_t*, const char*, size_t) = nullptr;
    void* context = nullptr;
  };
  sync::Mutex print_mutex{Rank{166, "print function"}};
  Print print BERTH_GUARDED_BY(print_mutex);
};

inline RuntimeThread& runtime_thread(gc::Thread& thread) noexcept {
  return *static_cast<RuntimeThread*>(thread.language);
}

/// Whether compiled code and objects hold a value of this declared type as plain bits; then of which kind.
inline bool is_unboxed(const Type* type, LeafKind& kind) noexcept {
  // As representation() says, inline: it is asked for at each access.
  const Leaf* leaf = type->only_leaf;
  if (!leaf || leaf->kind < LeafKind::Bool || leaf->kind > LeafKind::F64) return false;
  kind = leaf->kind;
  return true;
}

inline const Function* function_of(const gc::Object* object) noexcept {
  return *reinterpret_cast<const Function* const*>(object->at(8));
}
inline const Type* type_held_by(const gc::Object* object) noexcept {
  return *reinterpret_cast<const Type* const*>(object->at(8));
}

inline Value object_value(LeafKind kind, gc::Object* object) noexcept {
  Value value;
  value.kind = kind;
  value.object = object;
  return value;
}

}  // namespace berth::inference
