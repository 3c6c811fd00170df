// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pool: type-stable memory. An object given back keeps its type until the engine ends, so that a reader
// without a reference (a stale lease, an unlocked look-up) never touches freed memory; generations and
// versions tell it that the object changed.
//
// Rank: 350, a leaf. Cost: one lock per call; hot users keep a few objects of their own.
#pragma once
#include <memory>
#include <vector>

#include "support/sync.hpp"

namespace berth::engine {

inline constexpr Rank kRankPool{350, "pool refill"};

/// T has `T* next_free()` and `set_next_free(T*)`, owned by whoever owns the object.
template <class T>
class Pool {
 public:
  /// Threads: any. Blocks: short. GC: any, kept. Errors: std::bad_alloc, nothing changed.
  T* take() {
    const sync::Lock lock(mutex_);
    if (!free_) refill();
    T* object = free_;
    free_ = object->next_free();
    object->set_next_free(nullptr);
    return object;
  }
  /// As above; no error.
  void put(T* object) noexcept {
    const sync::Lock lock(mutex_);
    object->set_next_free(free_);
    free_ = object;
  }
  /// All objects ever made, used or not. Threads: one at a time, nobody else uses the pool.
  template <class Function>
  void for_each(Function&& function) BERTH_NO_ANALYSIS {
    for (auto& chunk : chunks_) {
      for (size_t i = 0; i < kChunk; ++i) function(chunk[i]);
    }
  }
  size_t num_made() const {
    const sync::Lock lock(mutex_);
    return chunks_.size() * kChunk;
  }

 private:
  static constexpr size_t kChunk = 64;
  void refill() BERTH_REQUIRES(mutex_) {
    chunks_.reserve(chunks_.size() + 1);
    chunks_.emplace_back(new T[kChunk]);
    for (size_t i = 0; i < kChunk; ++i) {
      chunks_.back()[i].set_next_free(free_);
      free_ = &chunks_.back()[i];
    }
  }

  mutable sync::Mutex mutex_{kRankPool};
  T* free_ BERTH_GUARDED_BY(mutex_) = nullptr;
  std::vector<std::unique_ptr<T[]>> chunks_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::engine
