// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parker: what one agent sleeps on. Private mutex, condition and flags, so that a wake-up reaches exactly one sleeper.
//
// The sleeper resets it, makes itself findable, and parks; a notifier holds a reference, sets a flag and notifies under the
// parker's own mutex, with no engine lock held. Every sleep is cut into slices of 100 ms, since glibc 2.36 can lose a wake-up
// (bug 25847): the caller re-checks what it waits for and counts what it recovers.
//
// Rank: 400. Cost: one uncontended lock per call; one system call per real sleep or wake.
#pragma once
#include <boost/intrusive_ptr.hpp>
#include <chrono>

#include "support/sync.hpp"

namespace berth::gc {

inline constexpr Rank kRankParker{400, "parker"};
inline constexpr std::chrono::milliseconds kParkSlice{100};

class Parker {
 public:
  enum Flag : uint32_t { kServed = 1, kCancelled = 2, kRecruit = 4 };

  /// Threads: the agent's. Blocks: short. GC: any, kept.
  void reset() noexcept;
  /// Sleeps until a flag is set, `deadline` or one slice; clears and returns the flags (0: time).
  /// Threads: the agent's. Blocks: may wait. GC: must be safe.
  uint32_t park(sync::TimePoint deadline);
  /// Sets the flag and wakes. Threads: any, holding a reference. Blocks: short. GC: any, kept.
  void notify(Flag flag) noexcept;

  /// For recruiting; guarded by the collector's parker list (rank 410).
  Parker* list_previous = nullptr;
  Parker* list_next = nullptr;

  friend void intrusive_ptr_add_ref(Parker* parker) noexcept {
    parker->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(Parker* parker) noexcept {
    if (parker->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete parker;
  }

 private:
  sync::Mutex mutex_{kRankParker};
  sync::Condition condition_;
  uint32_t flags_ BERTH_GUARDED_BY(mutex_) = 0;
  sync::Atomic<uint32_t> references_{0};  // relaxed up: the adder holds one; acq_rel down: the last sees all writes
};

using ParkerRef = boost::intrusive_ptr<Parker>;

}  // namespace berth::gc
