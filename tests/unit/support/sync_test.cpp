// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/sync.hpp"

#include <gtest/gtest.h>

#include <boost/thread/thread.hpp>
#include <thread>

#include "support/deadline.hpp"
#include "tests/support/watchdog.hpp"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(Condition, wait_until_ends_at_its_deadline) {
  const test::Watchdog watchdog{60s};
  sync::Mutex mutex{Rank{500, "test"}};
  sync::Condition condition;
  sync::Lock lock(mutex);
  const auto begin = sync::Clock::now();
  while (condition.wait_until(lock, begin + 20ms)) {}
  EXPECT_GE(sync::Clock::now() - begin, 20ms);
}

TEST(Condition, a_notified_waiter_wakes) {
  const test::Watchdog watchdog{60s};
  sync::Mutex mutex{Rank{500, "test"}};
  sync::Condition condition;
  bool ready = false, seen = false;
  std::thread waiter([&] {
    sync::Lock lock(mutex);
    while (!ready) condition.wait_until(lock, sync::Clock::now() + 100ms);
    seen = true;
  });
  {
    const sync::Lock lock(mutex);
    ready = true;
    condition.notify_one();
  }
  waiter.join();
  EXPECT_TRUE(seen);
}

// G19: interruption of Boost.Thread never throws through a wait.
TEST(Condition, G19_interruption_does_not_end_a_wait) {
  const test::Watchdog watchdog{60s};
  sync::Mutex mutex{Rank{500, "test"}};
  sync::Condition condition;
  bool waiting = false, ready = false, threw = false;
  boost::thread waiter([&] {
    try {
      sync::Lock lock(mutex);
      waiting = true;
      condition.notify_all();
      while (!ready) condition.wait_until(lock, sync::Clock::now() + 100ms);
    } catch (...) { threw = true; }
  });
  {
    sync::Lock lock(mutex);
    while (!waiting) condition.wait_until(lock, sync::Clock::now() + 100ms);
  }
  waiter.interrupt();
  {
    const sync::Lock lock(mutex);
    ready = true;
    condition.notify_all();
  }
  waiter.join();
  EXPECT_FALSE(threw);
}

TEST(Deadline, forever_never_passes_and_zero_has_passed) {
  EXPECT_FALSE(Deadline::in(-1).has_passed());
  EXPECT_TRUE(Deadline::in(0).has_passed());
  EXPECT_TRUE(Deadline::in(INT64_MAX).time() > sync::Clock::now());
}

}  // namespace
}  // namespace berth
