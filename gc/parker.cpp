// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/parker.hpp"

#include <algorithm>
#include <utility>

#include "gc/stress.hpp"
#include "gc/thread.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::gc {
namespace {

constexpr std::chrono::milliseconds kNotifyMargin{5};

}  // namespace

void Parker::reset() noexcept {
  const sync::Lock lock(mutex_);
  flags_.store(0, std::memory_order_relaxed);
}

bool Parker::spin() const noexcept {
  for (int i = 0; i < sync::kSpins; ++i) {
    if (flags_.load(std::memory_order_relaxed) != 0) return true;
    sync::pause();
  }
  return flags_.load(std::memory_order_relaxed) != 0;
}

uint32_t Parker::park(sync::TimePoint deadline) {
  check_all_safe("a park");
  const sync::TimePoint end = mutant::is_on("R18_unbounded_park")
                                  ? sync::TimePoint::max()
                                  : std::min(deadline, sync::Clock::now() + kParkSlice);
  sync::Lock lock(mutex_);
  uint32_t flags = 0;
  while ((flags = flags_.load(std::memory_order_relaxed)) == 0) {
    if (condition_.wait_until(lock, end)) continue;
    // A notification that was complete well before the end should have ended the sleep. One at the end may
    // just have missed it.
    flags = flags_.load(std::memory_order_relaxed);
    if (flags != 0 && notified_ < end - kNotifyMargin) flags |= kRecovered;
    break;
  }
  flags_.store(0, std::memory_order_relaxed);
  return flags;
}

void Parker::notify(Flag flag) noexcept {
  const sync::Lock lock(mutex_);
  if (unpark_) return unpark_(context_);
  flags_.store(flags_.load(std::memory_order_relaxed) | flag, std::memory_order_relaxed);
  if (!stress::is_due(stress::Mode::LoseNotify)) condition_.notify_one();
  notified_ = sync::Clock::now();  // after it: a notifier that was held up before it lost nothing
}

void Parker::List::add(Parker& parker) noexcept {
  if (parker.is_due_.exchange(true, std::memory_order_acq_rel)) return;
  if (!mutant::is_on("R19_no_retain")) intrusive_ptr_add_ref(&parker);
  parker.due_next_ = nullptr;
  (last_ ? last_->due_next_ : first_) = &parker;
  last_ = &parker;
}

void Parker::List::notify(Flag flag) noexcept {
  last_ = nullptr;
  while (first_) {
    latch::reach("notify", first_);
    const ParkerRef parker(std::exchange(first_, first_->due_next_), false);
    // Exchanged before the notification: who adds it from here on has it in a list of its own.
    parker->is_due_.exchange(false, std::memory_order_acq_rel);
    parker->notify(flag);
  }
}

void Parker::set_unpark(void (*unpark)(void*), void* context) noexcept {
  const sync::Lock lock(mutex_);
  unpark_ = unpark;
  context_ = context;
}

}  // namespace berth::gc
