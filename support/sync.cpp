// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/sync.hpp"

#if !defined(BERTH_CONTROLLED_SYNC)
#include <algorithm>
#include <boost/thread/thread.hpp>
#include <optional>

#include "support/mutant.hpp"

namespace berth::sync {
namespace {

constexpr int kLongestPause = 32;  // rounds

}  // namespace

// Most holders are gone sooner than a sleep begins: about a microsecond of looks, further and further apart,
// so that the lock's cache line is left to its holder.
void Mutex::lock_contended() {
  for (int pauses = 1; pauses <= kLongestPause; pauses *= 2) {
    for (int i = 0; i < pauses; ++i) pause();
    if (mutex_.try_lock()) return;
  }
  mutex_.lock();
}

void Condition::wait(Lock& lock) {
  // Interruption would throw through frames that hold leases and, on attached threads, through C.
  const boost::this_thread::disable_interruption uninterrupted;
  boost::unique_lock<boost::mutex> inner(lock.mutex_.mutex_, boost::adopt_lock);
  condition_.wait(inner);
  inner.release();
}

bool Condition::wait_until(Lock& lock, TimePoint deadline) {
  if (deadline == TimePoint::max()) {
    wait(lock);
    return true;
  }
  const TimePoint now = Clock::now();
  if (now >= deadline) return false;
  // Longer waits than a day are cut: the platform's time type overflows, and callers re-check anyway.
  const auto left = std::min<std::chrono::nanoseconds>(deadline - now, std::chrono::hours(24));
  std::optional<boost::this_thread::disable_interruption> uninterrupted;
  if (!mutant::is_on("G19_interruption_enabled")) uninterrupted.emplace();
  boost::unique_lock<boost::mutex> inner(lock.mutex_.mutex_, boost::adopt_lock);
  const auto status = condition_.wait_for(
      inner, boost::chrono::nanoseconds(left.count()));  // Boost 1.74 on Linux: monotonic clock
  inner.release();
  return status == boost::cv_status::no_timeout;
}

}  // namespace berth::sync
#endif
