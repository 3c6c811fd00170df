// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names under which gc/ and engine/ use atomics, locks, conditions, clocks, thread-locals and busy waits.
//
// The schedule layer of the tests compiles those floors a second time with BERTH_CONTROLLED_SYNC, where the
// same names are a controlled scheduler's. So those floors use std:: and boost:: primitives directly only for
// counters and settings, at which the order of steps does not matter.
#pragma once
#if defined(BERTH_CONTROLLED_SYNC)
#include "tests/schedule/controlled_sync.hpp"
#else
#include <atomic>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>
#include <chrono>
#include <ctime>

#include "support/basic_lock.hpp"
#include "support/rank.hpp"
#include "support/thread_annotations.hpp"

namespace berth::sync {

template <class T>
using Atomic = std::atomic<T>;

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

/// The same time line in steps of a few milliseconds, and cheaper.
inline int64_t coarse_now_ns() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// One T per thread, made at its first use there, gone when the thread ends.
template <class T>
T& local() {
  thread_local T value;
  return value;
}

/// Rounds of a busy wait before a sleep: five to ten microseconds, what a sleep and its end cost, so that the
/// two together cost at most twice the better choice (Karlin et al., "Competitive snoopy caching",
/// Algorithmica 1988). Shorter than a wake-up it never pays: who is to notify sleeps too then.
inline constexpr int kSpins = 500;

/// One round of a busy wait.
inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

struct Where {
  static constexpr Where current() noexcept { return {}; }
};

class BERTH_CAPABILITY("mutex") Mutex {
 public:
  explicit Mutex(Rank rank) noexcept : rank_(rank) {}
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock(Where = {}) BERTH_ACQUIRE() {
    if constexpr (kDebugChecks) rank::push(rank_);
    if (!mutex_.try_lock()) lock_contended();
  }
  bool try_lock() BERTH_TRY_ACQUIRE(true) {
    if (!mutex_.try_lock()) return false;
    if constexpr (kDebugChecks) rank::push(rank_);
    return true;
  }
  void unlock() BERTH_RELEASE() {
    // First: after the unlock another thread may free this mutex.
    if constexpr (kDebugChecks) rank::pop(rank_);
    mutex_.unlock();
  }

 private:
  friend class Condition;
  void lock_contended();
  boost::mutex mutex_;
  Rank rank_;
};

using Lock = BasicLock<Mutex, Where>;

/// Waits may return early: callers re-check. The mutex is the lock's. Interruption of Boost.Thread is off
/// while waiting.
class Condition {
 public:
  void wait(Lock& lock);
  /// False when `deadline` has passed (or a day) and no notification had come.
  bool wait_until(Lock& lock, TimePoint deadline);
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

 private:
  boost::condition_variable condition_;
};

}  // namespace berth::sync
#endif
