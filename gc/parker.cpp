// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/parker.hpp"

#include <algorithm>
#include <utility>

#include "gc/stress.hpp"
#include "gc/thread.hpp"

namespace berth::gc {

void Parker::reset() noexcept {
  const sync::Lock lock(mutex_);
  flags_ = 0;
}

uint32_t Parker::park(sync::TimePoint deadline) {
  check_all_safe("a park");
  const sync::TimePoint end = std::min(deadline, sync::Clock::now() + kParkSlice);
  sync::Lock lock(mutex_);
  while (flags_ == 0) {
    if (!condition_.wait_until(lock, end)) break;
  }
  return std::exchange(flags_, 0);
}

void Parker::notify(Flag flag) noexcept {
  const sync::Lock lock(mutex_);
  flags_ |= flag;
  if (!stress::is_due(stress::Mode::LoseNotify)) condition_.notify_one();
}

}  // namespace berth::gc
