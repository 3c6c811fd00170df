// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// berth::sync over the controlled scheduler: what support/sync.hpp is when the floors are compiled for the
// schedule tests.
#pragma once
#include "berth/schedule/sync.hpp"
#include "support/basic_lock.hpp"
#include "support/rank.hpp"
#include "support/thread_annotations.hpp"

namespace berth::sync {

template <class T>
using Atomic = schedule::Atomic<T>;
using Clock = schedule::Clock;
using TimePoint = Clock::time_point;
using schedule::local;
using schedule::pause;
using schedule::Where;

inline constexpr int kSpins = 0;  // whoever waits is not scheduled: there is nothing to spin for

inline int64_t coarse_now_ns() noexcept { return Clock::now().time_since_epoch().count(); }

class BERTH_CAPABILITY("mutex") Mutex {
 public:
  explicit Mutex(Rank rank) noexcept : rank_(rank) {}
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock(Where where = Where::current()) BERTH_ACQUIRE() {
    if constexpr (kDebugChecks) rank::push(rank_);
    mutex_.lock(where);
  }
  bool try_lock(Where where = Where::current()) BERTH_TRY_ACQUIRE(true) {
    if (!mutex_.try_lock(where)) return false;
    if constexpr (kDebugChecks) rank::push(rank_);
    return true;
  }
  void unlock() BERTH_RELEASE() {
    if constexpr (kDebugChecks) rank::pop(rank_);
    mutex_.unlock();
  }

 private:
  friend class Condition;
  schedule::Mutex mutex_;
  Rank rank_;
};

using Lock = BasicLock<Mutex, Where>;

class Condition {
 public:
  void wait(Lock& lock, Where where = Where::current()) { condition_.wait(lock.mutex_.mutex_, where); }
  bool wait_until(Lock& lock, TimePoint deadline, Where where = Where::current()) {
    return condition_.wait_until(lock.mutex_.mutex_, deadline, where);
  }
  void notify_one(Where where = Where::current()) noexcept { condition_.notify_one(where); }
  void notify_all(Where where = Where::current()) noexcept { condition_.notify_all(where); }

 private:
  schedule::Condition condition_;
};

}  // namespace berth::sync
