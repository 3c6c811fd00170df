// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/safe_mutex.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "tests/support/gc_world.hpp"

namespace berth {
namespace {

using namespace test;

// G17: the two kinds take different mutex types.
static_assert(!std::is_constructible_v<gc::SafeMutex::Guard, gc::Thread&, sync::Mutex&>);
static_assert(!std::is_constructible_v<gc::CollectorLock<sync::Mutex>, gc::Thread&, gc::SafeMutex&>);
static_assert(!std::is_move_constructible_v<gc::CollectorLock<sync::Mutex>>);

TEST(SafeMutex, excludes_and_is_held_across_a_collection) {
  const Watchdog watchdog{60s};
  GcWorld world;
  gc::SafeMutex mutex{Rank{10, "test"}};
  int inside = 0, total = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      AttachedThread self(world.collector);
      for (int n = 0; n < 100; ++n) {
        const gc::SafeMutex::Guard guard(*self, mutex);
        ASSERT_EQ(++inside, 1);
        if (n % 10 == 0) world.collector.collect(*self);
        ++total;
        --inside;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(total, 300);
}

TEST(SafeMutex, no_finalizer_runs_under_it) {
  GcWorld world;
  AttachedThread self(world.collector);
  gc::SafeMutex mutex{Rank{10, "test"}};
  int runs = 0;
  world.heap().add_finalizer(
      world.heap().allocate(*self, world.leaf), [](void*, void* n) { ++*static_cast<int*>(n); }, &runs);
  {
    const gc::SafeMutex::Guard guard(*self, mutex);
    world.collector.collect(*self);
    self->safepoint();
    EXPECT_EQ(runs, 0);
  }
  EXPECT_EQ(runs, 0);
  self->safepoint();
  EXPECT_EQ(runs, 1);
}

TEST(SafeMutexDeathTest, the_rank_is_below_100) {
  EXPECT_DEATH(gc::SafeMutex(Rank{100, "test"}), "a SafeMutex has a rank below 100");
}

TEST(CollectorLock, its_scope_is_a_safe_region) {
  GcWorld world;
  AttachedThread self(world.collector);
  sync::Mutex mutex{Rank{330, "test"}};
  {
    const gc::CollectorLock lock(*self, mutex);
    EXPECT_EQ(self->state.load(), gc::State::Safe);
  }
  EXPECT_EQ(self->state.load(), gc::State::Unsafe);
}

TEST(SafeCondition, waits_with_a_safe_mutex_let_a_collection_pass) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  gc::SafeMutex mutex{Rank{10, "test"}};
  gc::SafeCondition condition;
  bool waiting = false, ready = false, seen = false;
  std::thread other([&] {
    AttachedThread thread(world.collector);
    gc::SafeMutex::Guard guard(*thread, mutex);
    waiting = true;
    seen = condition.wait_until(guard, sync::TimePoint::max(), [&] { return ready; });
    EXPECT_EQ(thread->state.load(), gc::State::Unsafe);
  });
  for (bool is_waiting = false; !is_waiting;) {
    self->safepoint();
    const gc::SafeMutex::Guard guard(*self, mutex);
    is_waiting = waiting;
  }
  world.collector.collect(*self);
  {
    gc::SafeMutex::Guard guard(*self, mutex);
    ready = true;
    condition.notify_one(guard);
  }
  const gc::SafeRegion region(*self);
  other.join();
  EXPECT_TRUE(seen);
}

TEST(SafeCondition, a_wait_ends_at_its_deadline) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  sync::Mutex mutex{Rank{330, "test"}};
  gc::SafeCondition condition;
  gc::CollectorLock lock(*self, mutex);
  EXPECT_FALSE(condition.wait_until(lock, sync::Clock::now() + 5ms, [] { return false; }));
}

}  // namespace
}  // namespace berth
