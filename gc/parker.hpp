// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parker: what one agent sleeps on. Private mutex, condition and flags, so that a wake-up reaches exactly one
// sleeper.
//
// The sleeper resets it, makes itself findable, and parks; a notifier holds a reference, sets a flag and
// notifies under the parker's own mutex, with no engine lock held. Every sleep is cut into slices of 100 ms,
// since glibc 2.36 can lose a wake-up (bug 25847): the caller re-checks what it waits for and counts what it
// recovers.
//
// An agent with park hooks sleeps as its scheduler likes: its parker only passes the notification on, under
// the parker's mutex too, so that no `unpark` is under way once the hooks are taken away.
//
// Rank: 400. Cost: one uncontended lock per call; one system call per real sleep or wake.
#pragma once
#include <boost/intrusive_ptr.hpp>
#include <chrono>
#include <utility>

#include "support/sync.hpp"

namespace berth::gc {

inline constexpr Rank kRankParker{400, "parker"};
inline constexpr std::chrono::milliseconds kParkSlice{100};

class Parker {
 public:
  class List;
  enum Flag : uint32_t {
    kServed = 1,
    kCancelled = 2,
    kRecruit = 4,
    kRecovered = 8,  // of park only: a notification was lost, the end of the slice found what it stood for
  };

  /// Threads: the agent's. Blocks: short. GC: any, kept.
  void reset() noexcept;
  /// Waits sync::kSpins rounds for a flag; true: one is set, and `park` returns at once. Worth it where who
  /// will notify runs now. Threads: the agent's. Blocks: never. GC: must be safe.
  bool spin() const noexcept;
  /// Sleeps until a flag is set, `deadline` or one slice; clears and returns the flags (0: time).
  /// Threads: the agent's. Blocks: may wait. GC: must be safe.
  uint32_t park(sync::TimePoint deadline);
  /// Sets the flag and wakes, or calls the hook. Threads: any, holding a reference. Blocks: short. GC: any,
  /// kept.
  void notify(Flag flag) noexcept;
  /// From now on notifications call `unpark` (null: they set flags again). Afterwards no call of the old one
  /// is under way. Threads: any, agent not waiting. Blocks: short. GC: any, kept.
  void set_unpark(void (*unpark)(void*), void* context) noexcept;

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
  sync::Atomic<uint32_t> flags_{
      0};  // changes under the mutex: relaxed. Read without it by `spin` only, before a `park` that takes it
  sync::TimePoint notified_ BERTH_GUARDED_BY(mutex_){};  // the last notification was complete then
  void (*unpark_)(void*) BERTH_GUARDED_BY(mutex_) = nullptr;
  void* context_ BERTH_GUARDED_BY(mutex_) = nullptr;
  // In some List. Set by exchange before the link, cleared before the notification, both acq_rel: who finds
  // it set knows that a notification comes after what it did.
  sync::Atomic<bool> is_due_{false};
  Parker* due_next_ = nullptr;
  sync::Atomic<uint32_t> references_{
      0};  // relaxed up: the adder holds one; acq_rel down: the last sees all writes
};

using ParkerRef = boost::intrusive_ptr<Parker>;

/// Parkers to notify once no lock is held, in the order in which they were added; retained. Adding needs no
/// memory, so that nobody who was found to be served goes without a notification. Threads: one at a time.
/// Blocks: never; notify: short.
class Parker::List {
 public:
  List() noexcept = default;
  List(List&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}
  List& operator=(List&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    return *this;
  }
  ~List() { notify(); }
  bool empty() const noexcept { return !first_; }
  /// Nothing if another list has it: its notification is still to come.
  void add(Parker& parker) noexcept;
  void notify(Flag flag = kServed) noexcept;

 private:
  Parker* first_ = nullptr;
  Parker* last_ = nullptr;
};

}  // namespace berth::gc
