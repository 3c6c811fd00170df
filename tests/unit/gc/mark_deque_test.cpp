// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/mark_deque.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "tests/support/watchdog.hpp"

namespace berth::gc {
namespace {

using namespace std::chrono_literals;

TEST(MarkDeque, the_owner_takes_the_newest_and_a_thief_the_oldest) {
  MarkDeque deque;
  EXPECT_TRUE(deque.is_empty());
  EXPECT_EQ(deque.take(), 0u);
  EXPECT_EQ(deque.steal(), 0u);
  for (const uint64_t entry : {1, 2, 3}) EXPECT_TRUE(deque.push(entry));
  EXPECT_EQ(deque.steal(), 1u);
  EXPECT_EQ(deque.take(), 3u);
  EXPECT_EQ(deque.take(), 2u);
  EXPECT_EQ(deque.take(), 0u);
  EXPECT_TRUE(deque.is_empty());
}

TEST(MarkDeque, a_full_one_refuses_and_it_wraps_around) {
  MarkDeque deque;
  for (uint64_t round = 0; round < 5; ++round) {
    for (uint64_t i = 1; i <= MarkDeque::kEntries; ++i) ASSERT_TRUE(deque.push(i));
    EXPECT_FALSE(deque.push(1));
    for (uint64_t i = 1; i <= 100; ++i) ASSERT_EQ(deque.steal(), i);
    for (uint64_t i = MarkDeque::kEntries; i > 100; --i) ASSERT_EQ(deque.take(), i);
    EXPECT_TRUE(deque.is_empty());
  }
}

TEST(MarkDeque, reset_empties_it) {
  MarkDeque deque;
  deque.push(1);
  deque.reset();
  EXPECT_EQ(deque.steal(), 0u);
}

// An owner that pushes and takes, two thieves: each entry comes out once.
TEST(MarkDeque, each_entry_comes_out_once) {
  const test::Watchdog watchdog{30s};
  constexpr uint64_t kEntries = 200000;
  MarkDeque deque;
  const auto taken = std::make_unique<sync::Atomic<uint32_t>[]>(kEntries + 1);
  const auto count = [&](uint64_t entry) {
    if (entry != 0) taken[entry].fetch_add(1, std::memory_order_relaxed);
  };
  sync::Atomic<bool> done{false};
  std::vector<std::thread> thieves;
  for (int i = 0; i < 2; ++i) {
    thieves.emplace_back([&] {
      while (!done.load()) count(deque.steal());
    });
  }
  for (uint64_t entry = 1; entry <= kEntries;) {
    while (entry <= kEntries && deque.push(entry)) ++entry;
    for (int i = 0; i < 3; ++i) count(deque.take());  // often the last one, with thieves at it
    while (entry % 3 == 0 && !deque.is_empty()) count(deque.take());
  }
  while (!deque.is_empty()) count(deque.take());
  done = true;
  for (std::thread& thief : thieves) thief.join();
  for (uint64_t entry = 1; entry <= kEntries; ++entry) ASSERT_EQ(taken[entry].load(), 1u) << entry;
}

}  // namespace
}  // namespace berth::gc
