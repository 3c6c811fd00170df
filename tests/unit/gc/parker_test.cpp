// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/parker.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/gate.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::gc {
namespace {

using namespace std::chrono_literals;

TEST(Parker, a_flag_set_before_is_returned_at_once_and_cleared) {
  const test::Watchdog watchdog{60s};
  const ParkerRef parker(new Parker);
  parker->notify(Parker::kServed);
  parker->notify(Parker::kCancelled);
  EXPECT_EQ(parker->park(sync::TimePoint::max()), uint32_t{Parker::kServed | Parker::kCancelled});
  EXPECT_EQ(parker->park(sync::Clock::now()), 0u);
}

TEST(Parker, spin_tells_a_flag_and_leaves_it_and_gives_up_without_one) {
  const ParkerRef parker(new Parker);
  EXPECT_FALSE(parker->spin());
  parker->notify(Parker::kServed);
  EXPECT_TRUE(parker->spin());
  EXPECT_EQ(parker->park(sync::TimePoint::max()), uint32_t{Parker::kServed});
  EXPECT_FALSE(parker->spin());
}

TEST(Parker, reset_drops_flags) {
  const ParkerRef parker(new Parker);
  parker->notify(Parker::kServed);
  parker->reset();
  EXPECT_EQ(parker->park(sync::Clock::now()), 0u);
}

TEST(Parker, a_park_ends_after_a_slice_at_the_latest) {
  const test::Watchdog watchdog{60s};
  const ParkerRef parker(new Parker);
  const auto begin = sync::Clock::now();
  EXPECT_EQ(parker->park(sync::TimePoint::max()), 0u);
  EXPECT_GE(sync::Clock::now() - begin, kParkSlice);
}

TEST(Parker, a_notifier_keeps_it_alive) {
  const test::Watchdog watchdog{60s};
  ParkerRef parker(new Parker);
  test::Gate dropped;
  std::thread notifier([retained = parker, &dropped] {
    dropped.wait();
    retained->notify(Parker::kServed);
  });
  parker.reset();
  dropped.open();
  notifier.join();
}

TEST(Parker, a_notify_wakes_the_sleeper) {
  const test::Watchdog watchdog{60s};
  const ParkerRef parker(new Parker);
  for (int i = 0; i < 1000; ++i) {
    uint32_t flags = 0;
    std::thread sleeper([&] {
      while (!(flags = parker->park(sync::TimePoint::max()))) {}
    });
    parker->notify(Parker::kServed);
    sleeper.join();
    ASSERT_EQ(flags, uint32_t{Parker::kServed});
  }
}

}  // namespace
}  // namespace berth::gc
