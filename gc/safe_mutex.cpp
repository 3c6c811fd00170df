// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/safe_mutex.hpp"

#include <algorithm>
#include <optional>

#include "gc/stress.hpp"
#include "support/mutant.hpp"

namespace berth::gc {
namespace {

sync::Atomic<uint64_t> recovered{0};  // a counter: relaxed

}  // namespace

SafeMutex::SafeMutex(Rank rank) : mutex_(rank) {
  if (rank.value >= 100) die("a SafeMutex has a rank below 100");
}

SafeMutex::Guard::Guard(Thread& thread, SafeMutex& mutex) BERTH_NO_ANALYSIS : thread_(thread), mutex_(mutex) {
  if (!mutex.mutex_.try_lock()) {
    // Left while holding it: legal, because the collector never takes it.
    std::optional<SafeRegion> region;
    if (!mutant::is_on("G16_mutex_unsafe")) region.emplace(thread);
    check_all_safe("a wait for a SafeMutex");
    mutex.mutex_.lock();
  }
  ++thread.safe_mutexes_held;
}

SafeMutex::Guard::~Guard() BERTH_NO_ANALYSIS {
  mutex_.mutex_.unlock();
  if (--thread_.safe_mutexes_held == 0) thread_.ask_for_finalizers();
}

bool SafeCondition::slice(sync::Lock& lock, sync::TimePoint deadline) {
  check_all_safe("a wait for a SafeCondition");
  const sync::TimePoint end =
      mutant::is_on("G18_no_slice") ? deadline : sync::Clock::now() + std::chrono::milliseconds(100);
  return !condition_.wait_until(lock, std::min(deadline, end));
}

bool SafeCondition::slice(SafeMutex::Guard& guard, sync::TimePoint deadline) BERTH_NO_ANALYSIS {
  const SafeRegion region(guard.thread_);
  sync::Lock lock(guard.mutex_.mutex_, sync::Lock::Adopted{});
  const bool timed_out = slice(lock, deadline);
  lock.release();
  return timed_out;
}

void SafeCondition::notify(bool all) noexcept {
  if (stress::is_due(stress::Mode::LoseNotify)) return;
  if (all) {
    condition_.notify_all();
  } else {
    condition_.notify_one();
  }
}

uint64_t SafeCondition::num_recovered() noexcept { return recovered.load(std::memory_order_relaxed); }
void SafeCondition::count_recovered() noexcept { recovered.fetch_add(1, std::memory_order_relaxed); }

}  // namespace berth::gc
