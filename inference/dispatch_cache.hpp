// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DispatchCache: (function, argument types, world) -> Specialisation, for dynamic calls. A hit takes no lock.
//
// Direct-mapped; a collision replaces. Entries are immutable and live until the cache ends, since a reader
// holds no reference; a new world makes new ones, so their number grows with definitions times call sites,
// not with calls.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "inference/ir.hpp"
#include "support/sync.hpp"

namespace berth::inference {

class DispatchCache {
 public:
  /// `types`: for each argument its leaf, or its Type where the leaf does not decide (tuples).
  /// Threads: any. Blocks: never. GC: any, kept. Null: not there.
  const Specialisation* find(const Function* function, std::span<const void* const> types,
                             uint64_t world) const noexcept {
    const Entry* entry = slots_[index(function, types, world)].load(std::memory_order_acquire);
    return entry && entry->matches(function, types, world) ? entry->specialisation : nullptr;
  }
  /// As above; Blocks: short.
  void insert(const Function* function, std::span<const void* const> types, uint64_t world,
              const Specialisation* specialisation);

 private:
  struct Entry {
    const Function* function;
    uint64_t world;
    std::vector<const void*> types;
    const Specialisation* specialisation;
    bool matches(const Function* f, std::span<const void* const> t, uint64_t w) const noexcept {
      return function == f && world == w && types.size() == t.size() &&
             std::equal(t.begin(), t.end(), types.begin());
    }
  };
  static constexpr size_t kSlots = 4096;
  static size_t index(const Function* function, std::span<const void* const> types, uint64_t world) noexcept {
    uint64_t hash = reinterpret_cast<uintptr_t>(function) ^ world * 0x9e37'79b9'7f4a'7c15;
    for (const void* type : types) hash = (hash ^ reinterpret_cast<uintptr_t>(type)) * 0xff51'afd7'ed55'8ccd;
    return (hash ^ hash >> 29) >> 7 & (kSlots - 1);
  }

  // Release when an entry is put, acquire when read: its fields were written before.
  std::array<std::atomic<const Entry*>, kSlots> slots_{};
  sync::Mutex mutex_{Rank{165, "dispatch cache"}};
  std::vector<std::unique_ptr<const Entry>> entries_ BERTH_GUARDED_BY(mutex_);
};

inline void DispatchCache::insert(const Function* function, std::span<const void* const> types,
                                  uint64_t world, const Specialisation* specialisation) {
  auto entry =
      std::make_unique<const Entry>(Entry{function, world, {types.begin(), types.end()}, specialisation});
  slots_[index(function, types, world)].store(entry.get(), std::memory_order_release);
  sync::Lock lock(mutex_);
  entries_.push_back(std::move(entry));
}

}  // namespace berth::inference
