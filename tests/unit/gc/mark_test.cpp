// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/mark.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/gate.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::gc {
namespace {

using namespace std::chrono_literals;

// Walks the state table.
TEST(MarkPhase, states) {
  const test::Watchdog watchdog{10s};
  MarkPhase phase(3, 0);
  EXPECT_FALSE(phase.help());  // closed, join
  phase.open({});
  std::atomic<int> joined{0};
  test::Gate both;
  const latch::Hook hook("gc-joined", [&](const void*) {
    if (++joined == 2) both.open();
  });
  std::thread one([&] { EXPECT_TRUE(phase.help()); });
  std::thread two([&] { EXPECT_TRUE(phase.help()); });
  both.wait();
  EXPECT_FALSE(phase.help());  // open, two joined: enough with the collector
  EXPECT_FALSE(phase.is_idle());
  phase.close();  // returns when both have left
  one.join();
  two.join();
  EXPECT_TRUE(phase.is_idle());
  EXPECT_FALSE(phase.help());
  phase.open({});
  phase.close();
}

TEST(MarkPhase, one_marker_takes_no_help) {
  MarkPhase phase(1, 0);
  phase.open({});
  EXPECT_FALSE(phase.help());
  phase.close();
}

}  // namespace
}  // namespace berth::gc
