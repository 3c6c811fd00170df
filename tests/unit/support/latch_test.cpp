// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/latch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/gate.hpp"
#include "tests/support/watchdog.hpp"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(Latch, a_hook_sees_its_own_name_and_subject_while_it_lives) {
  int subject = 0;
  int calls = 0;
  {
    const latch::Hook hook("here", [&](const void* at) { calls += at == &subject; });
    latch::reach("here", &subject);
    latch::reach("there", &subject);
    latch::reach("here", &calls);
  }
  latch::reach("here", &subject);
  EXPECT_EQ(calls, 1);
}

TEST(Latch, a_pause_holds_the_first_thread_only) {
  const test::Watchdog watchdog{60s};
  std::atomic<int> passed{0};
  test::Pause pause("door");
  std::thread held([&] {
    latch::reach("door");
    ++passed;
  });
  pause.until_reached();
  latch::reach("door");  // the second one passes
  EXPECT_EQ(passed.load(), 0);
  pause.release();
  held.join();
  EXPECT_EQ(passed.load(), 1);
}

}  // namespace
}  // namespace berth
