// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SafeMutex: a mutex for code that holds it across GC transitions (ranks 0-99; the collector never takes it).
// CollectorLock: the lock of a mutex that the collector may take; its scope is a safe region.
// SafeCondition: a condition whose waits are safe and sliced.
//
//   SafeMutex | Guard(free) | Guard(held)                          | ~Guard
//   Free      | Held        | -                                    | -
//   Held      | -           | enters safe, waits, leaves holding it | Free
//
// The two kinds take different mutex types, so that mixing them does not compile.
#pragma once
#include <chrono>

#include "gc/thread.hpp"
#include "support/sync.hpp"

namespace berth::gc {

class BERTH_CAPABILITY("mutex") SafeMutex {
 public:
  class Guard;

  /// `rank` is below 100.
  explicit SafeMutex(Rank rank);
  SafeMutex(const SafeMutex&) = delete;
  SafeMutex& operator=(const SafeMutex&) = delete;

 private:
  friend class SafeCondition;
  sync::Mutex mutex_;
};

/// Scope of a SafeMutex. Threads: the attached one. Blocks: may wait, for the holder, and then for a stop.
/// GC: any, kept; safe while waiting.
class BERTH_SCOPED_CAPABILITY SafeMutex::Guard {
 public:
  Guard(Thread& thread, SafeMutex& mutex) BERTH_ACQUIRE(mutex);
  ~Guard() BERTH_RELEASE();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  Thread& thread() const noexcept { return thread_; }

 private:
  friend class SafeCondition;
  Thread& thread_;
  SafeMutex& mutex_;
};

/// Enters safe, then locks; unlocks, then leaves safe. Not movable. Threads: the attached one. Blocks: may
/// wait.
template <class M = sync::Mutex>
class BERTH_SCOPED_CAPABILITY CollectorLock {
 public:
  CollectorLock(Thread& thread, M& mutex) BERTH_ACQUIRE(mutex) : region_(thread), lock_(mutex) {}
  ~CollectorLock() BERTH_RELEASE() {}
  CollectorLock(const CollectorLock&) = delete;
  CollectorLock& operator=(const CollectorLock&) = delete;

 private:
  friend class SafeCondition;
  SafeRegion region_;  // first: left after the unlock
  sync::Lock lock_;
};

class SafeCondition {
 public:
  /// Waits until `predicate` (called with the mutex held) is true: true, or until `deadline`: what it is
  /// then. Threads: the guard's. Blocks: may wait. GC: safe while waiting; the guard's state afterwards.
  template <class M, class Predicate>
  bool wait_until(CollectorLock<M>& lock, sync::TimePoint deadline, Predicate predicate) {
    return wait(lock.lock_, deadline, predicate);
  }
  template <class Predicate>
  bool wait_until(SafeMutex::Guard& guard, sync::TimePoint deadline, Predicate predicate) {
    for (;;) {
      if (predicate()) return true;
      const bool timed_out = slice(guard, deadline);
      if (predicate()) {
        if (timed_out) count_recovered();
        return true;
      }
      if (sync::Clock::now() >= deadline) return false;
    }
  }
  /// The mutex is held, as the guard shows. Threads: any. Blocks: never. GC: any, kept.
  template <class M>
  void notify_one(CollectorLock<M>&) noexcept {
    notify(false);
  }
  template <class M>
  void notify_all(CollectorLock<M>&) noexcept {
    notify(true);
  }
  void notify_one(SafeMutex::Guard&) noexcept { notify(false); }
  void notify_all(SafeMutex::Guard&) noexcept { notify(true); }
  /// For threads that are not attached and hold the mutex itself.
  void notify_all(sync::Lock&) noexcept { notify(true); }

  /// Waits that found their predicate true only at the end of a slice: a notification was lost.
  static uint64_t num_recovered() noexcept;

 private:
  template <class Predicate>
  bool wait(sync::Lock& lock, sync::TimePoint deadline, Predicate& predicate) {
    for (;;) {
      if (predicate()) return true;
      const bool timed_out = slice(lock, deadline);
      if (predicate()) {
        if (timed_out) count_recovered();
        return true;
      }
      if (sync::Clock::now() >= deadline) return false;
    }
  }
  bool slice(sync::Lock& lock, sync::TimePoint deadline);
  bool slice(SafeMutex::Guard& guard, sync::TimePoint deadline);
  void notify(bool all) noexcept;
  static void count_recovered() noexcept;

  sync::Condition condition_;
};

}  // namespace berth::gc
