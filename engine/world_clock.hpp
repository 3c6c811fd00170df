// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WorldClock: the engine's age counter. Definitions, invalidation, promotion and publication with edges
// happen under its lock, so that what was validated for a world is opened only if the world has not moved.
//
// Rank: 300. Cost: now() one load.
#pragma once
#include "support/sync.hpp"

namespace berth::engine {

inline constexpr Rank kRankWorld{300, "world"};

class WorldClock {
 public:
  /// Threads: any. Blocks: never. GC: any, kept.
  uint64_t now() const noexcept { return world_.load(std::memory_order_acquire); }
  sync::Mutex& mutex() { return mutex_; }
  /// Returns the new world. Threads: any, holding the lock.
  uint64_t advance() noexcept { return world_.fetch_add(1, std::memory_order_acq_rel) + 1; }

 private:
  sync::Mutex mutex_{kRankWorld};
  // fetch_add acq_rel under the lock; read acquire: who sees a world sees the ranges lowered before it.
  sync::Atomic<uint64_t> world_{1};
};

}  // namespace berth::engine
