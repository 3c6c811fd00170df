// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without debug checks: misuse is ignored and counted, and the same protocol runs at full speed.
#include <gtest/gtest.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>

#include "tests/support/gc_world.hpp"

namespace berth {
namespace {

using namespace test;
using gc::Object;

TEST(GcRelease, G3_misuse_is_ignored_and_counted) {
  GcWorld world;
  AttachedThread self(world.collector);
  self->safe_leave(gc::State::Unsafe);
  EXPECT_EQ(world.collector.num_misuses(), 1u);
  EXPECT_EQ(self->state.load(), gc::State::Unsafe);
  self->safe_enter();
  self->safe_leave(gc::State::Waiting);
  EXPECT_EQ(world.collector.num_misuses(), 2u);
  EXPECT_EQ(self->state.load(), gc::State::Safe);
  self->safe_leave(gc::State::Unsafe);
  self.agent().inhibit_finalizers(*self, -1);
  EXPECT_EQ(world.collector.num_misuses(), 3u);
  EXPECT_EQ(self.agent().finalizer_inhibitions(), 0);
  gc::Thread& record = *self;
  world.collector.detach(record);
  world.collector.detach(record);
  EXPECT_EQ(world.collector.num_misuses(), 4u);
  EXPECT_EQ(world.collector.num_threads(), 0u);
}

TEST(GcRelease, R41_two_threads_on_one_agent_are_refused) {
  GcWorld world;
  AttachedThread self(world.collector);
  gc::Agent fibre{"fibre"};
  ASSERT_FALSE(world.collector.set_agent(*self, &fibre).has_error());
  const gc::SafeRegion region(*self);
  std::thread([&] {
    AttachedThread other(world.collector);
    auto refused = world.collector.set_agent(*other, &fibre);
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.assume_error().code(), BERTH_INVALID_ARGUMENT);
    EXPECT_EQ(other->agent, &other.agent());
  }).join();
}

TEST(GcRelease, G5_G6_canaries_hold_at_full_speed) {
  const Watchdog watchdog{60s};
  GcWorld world;
  uint64_t canaries[2][16] = {};
  std::atomic<bool> done{false};
  std::vector<std::thread> mutators;
  std::barrier running(3);
  for (int i = 0; i < 2; ++i) {
    mutators.emplace_back([&, i] {
      AttachedThread thread(world.collector);
      running.arrive_and_wait();
      while (!done.load(std::memory_order_relaxed)) {
        { const gc::SafeRegion region(*thread); }
        ++canaries[i][0];
        if (i) thread->safepoint();
      }
    });
  }
  running.arrive_and_wait();
  AttachedThread self(world.collector);
  for (int n = 0; n < 2000; ++n) {
    bool first = true;
    world.collector.for_each_thread_stopped(*self, [&](gc::Thread&) {
      if (!std::exchange(first, false)) return;
      const uint64_t one = canaries[0][0], two = canaries[1][0];
      for (int again = 0; again < 20; ++again) {
        ASSERT_EQ((std::atomic_ref(canaries[0][0]).load()), one);
        ASSERT_EQ((std::atomic_ref(canaries[1][0]).load()), two);
      }
    });
  }
  done = true;
  const gc::SafeRegion region(*self);
  for (auto& mutator : mutators) mutator.join();
}

TEST(GcRelease, G32_a_list_of_millions_of_nodes) {
  const Watchdog watchdog{120s};
  GcWorld world;
  AttachedThread self(world.collector);
  gc::Rooted<1> kept(*self);
  const size_t nodes = std::getenv("BERTH_NIGHTLY") ? 10'000'000 : 2'000'000;
  std::printf("%zu nodes\n", nodes);
  for (size_t i = 0; i < nodes; ++i) {
    Object* node = world.heap().allocate(*self, world.node);
    set(node, left(node), kept[0]);
    kept[0] = node;
  }
  world.collector.collect(*self);
  EXPECT_EQ(world.heap().num_objects(), nodes);
}

// 70 million references: more pieces of 1,024 than an entry counts, so the pieces are larger. Never written
// pages take no memory.
TEST(GcRelease, G32_an_array_of_more_pieces_than_a_mark_stack_entry_counts) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  gc::Rooted<1> kept(*self);
  constexpr size_t kLength = 70'000'000;
  kept[0] = world.heap().allocate(*self, world.array, kLength);
  ASSERT_NE(kept[0], nullptr);
  for (const size_t i : {size_t{0}, size_t{1023}, size_t{1024}, kLength / 2, kLength - 1025, kLength - 1}) {
    set(kept[0], element(kept[0], i), world.heap().allocate(*self, world.leaf));
  }
  world.collector.collect(*self);
  EXPECT_EQ(world.heap().num_objects(), 7u);
}

}  // namespace
}  // namespace berth
