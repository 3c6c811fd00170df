// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "threads and garbage collection": one test or more per row.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <random>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "gc/heap_impl.hpp"
#include "gc/safe_mutex.hpp"
#include "gc/safe_upgrade_mutex.hpp"
#include "gc/stress.hpp"
#include "tests/support/gc_world.hpp"
#include "tests/support/parked_thread.hpp"

namespace berth {
namespace {

using namespace test;
using gc::Object;

TEST(Gc, G1_attach_during_a_stop_ends_after_it) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  std::atomic<bool> attached{false};
  std::thread other;
  {
    Pause pause("gc-stopped");
    std::thread asker([&] {
      AttachedThread thread(world.collector);
      world.collector.collect(*thread);
    });
    {
      const gc::SafeRegion region(*self);
      pause.until_reached();
      other = std::thread([&] {
        AttachedThread thread(world.collector);
        attached = true;
      });
      EXPECT_FALSE(attached.load());
      pause.release();
      asker.join();
      other.join();
    }
  }
  EXPECT_TRUE(attached.load());
  EXPECT_EQ(world.collector.num_threads(), 1u);
}

TEST(Gc, G1_attach_and_detach_under_collections) {
  const Watchdog watchdog{60s};
  GcWorld world;
  std::atomic<bool> done{false};
  Gate started;
  std::thread collecting([&] {
    AttachedThread thread(world.collector);
    while (!done.load()) {
      world.collector.collect(*thread);
      started.open();
    }
  });
  started.wait();
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) {
        AttachedThread thread(world.collector);
        gc::Rooted<1> kept(*thread);
        kept[0] = world.heap().allocate(*thread, world.leaf);
        kept[0]->word(8) = static_cast<uint64_t>(n);
        thread->safepoint();
        ASSERT_EQ(kept[0]->word(8), static_cast<uint64_t>(n));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  done = true;
  collecting.join();
  EXPECT_EQ(world.collector.num_threads(), 0u);
  EXPECT_TRUE(world.collector.is_idle());
}

TEST(Gc, G2_exit_while_a_stop_waits) {
  const Watchdog watchdog{60s};
  GcWorld world;
  gc::Agent agent{"exits"};
  gc::Thread record;
  gc::WeakReference* weak = nullptr;
  Gate attached, may_exit;
  std::thread exits([&] {
    ASSERT_FALSE(world.collector.attach(record, agent).has_error());
    Object* object = world.heap().allocate(record, world.leaf);
    gc::HandleBlock::add(agent, object);
    weak = world.heap().new_weak(object);
    attached.open();
    may_exit.wait();  // unsafe, without a poll; then exits attached
  });
  attached.wait();
  AttachedThread self(world.collector);
  const latch::Hook hook("gc-raise", [&](const void*) { may_exit.open(); });
  world.collector.collect(*self);
  exits.join();
  world.collector.collect(*self);
  EXPECT_EQ(world.heap().weak_get(weak), nullptr);  // its handles are gone
  EXPECT_EQ(world.collector.num_threads(), 1u);
}

TEST(Gc, G3_attaching_twice_is_an_error) {
  GcWorld world;
  AttachedThread self(world.collector);
  gc::Agent agent{"second"};
  gc::Thread record;
  auto again = world.collector.attach(record, agent);
  ASSERT_TRUE(again.has_error());
  EXPECT_EQ(again.assume_error().code(), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(world.collector.num_threads(), 1u);
}

TEST(GcDeathTest, G3_misuse_dies) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        GcWorld world;
        AttachedThread self(world.collector);
        self->safe_leave(gc::State::Unsafe);
      },
      "a safe region is left that was not entered");
  EXPECT_DEATH(
      {
        GcWorld world;
        AttachedThread self(world.collector);
        std::thread other([&] { self->safe_enter(); });
        other.join();
      },
      "by another native thread");
  EXPECT_DEATH(
      {
        GcWorld world;
        AttachedThread self(world.collector);
        gc::Thread& record = *self;
        world.collector.detach(record);
        world.collector.detach(record);
      },
      "not attached");
}

TEST(GcDeathTest, G4_blocking_while_unsafe_elsewhere_dies) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        GcWorld one;
        GcWorld two;
        AttachedThread in_one(one.collector);
        const gc::SafeRegion region(*in_one);
        AttachedThread in_two(two.collector);
        in_one.agent().parker->park(sync::Clock::now());
      },
      "while it is unsafe in a collector");
  EXPECT_DEATH(
      {
        GcWorld one;
        GcWorld two;
        AttachedThread in_one(one.collector);
        AttachedThread in_two(two.collector);  // may wait for a stop of `two`
      },
      "while it is unsafe in a collector");
}

TEST(Gc, G4_a_thread_of_two_collectors_that_is_safe_in_one_works_in_the_other) {
  const Watchdog watchdog{60s};
  GcWorld one;
  GcWorld two;
  Gate in_both;
  std::atomic<bool> done{false};
  std::thread both([&] {
    AttachedThread in_one(one.collector);
    const gc::SafeRegion region(*in_one);
    AttachedThread in_two(two.collector);
    in_both.open();
    while (!done.load()) {
      EXPECT_NE(two.heap().allocate(*in_two, two.leaf), nullptr);
      in_two->safepoint();
    }
  });
  in_both.wait();
  for (GcWorld* world : {&one, &two}) {
    AttachedThread self(world->collector);
    world->collector.collect(*self);  // one need not wait for it, two is polled for
  }
  done = true;
  both.join();
  std::thread exits([&] {
    // By the destructors of the thread, in any order of their attachments.
    static gc::Agent agents[2] = {gc::Agent{"one"}, gc::Agent{"two"}};
    static gc::Thread records[2];
    ASSERT_FALSE(one.collector.attach(records[0], agents[0]).has_error());
    records[0].safe_enter();
    ASSERT_FALSE(two.collector.attach(records[1], agents[1]).has_error());
    records[1].safe_enter();
    records[0].safe_leave(gc::State::Unsafe);
  });
  exits.join();
  EXPECT_EQ(one.collector.num_threads(), 0u);
  EXPECT_EQ(two.collector.num_threads(), 0u);
}

/// Mutators write plain canaries; while they are stopped the canaries do not change.
void check_canaries(int num_mutators, int num_stops,
                    const std::function<void(gc::Thread&, uint64_t& canary)>& step) {
  const Watchdog watchdog{60s};
  GcWorld world;
  std::vector<uint64_t> canaries(static_cast<size_t>(num_mutators) * 16);
  std::atomic<bool> done{false};
  std::vector<std::thread> mutators;
  std::barrier running(num_mutators + 1);
  for (int i = 0; i < num_mutators; ++i) {
    mutators.emplace_back([&, i] {
      AttachedThread thread(world.collector);
      running.arrive_and_wait();
      while (!done.load(std::memory_order_relaxed)) step(*thread, canaries[static_cast<size_t>(i) * 16]);
    });
  }
  running.arrive_and_wait();
  AttachedThread self(world.collector);
  // Fewer where each stop has to wait for the mutators' turns on a busy machine.
  const auto end = std::chrono::steady_clock::now() + 20s;
  for (int n = 0; n < num_stops && std::chrono::steady_clock::now() < end; ++n) {
    world.collector.for_each_thread_stopped(*self, [&](gc::Thread& each) {
      if (&each != &*self) return;
      const auto first = canaries;
      for (int again = 0; again < 20; ++again) ASSERT_EQ(canaries, first);
    });
  }
  done = true;
  {
    const gc::SafeRegion region(*self);
    for (auto& mutator : mutators) mutator.join();
  }
  EXPECT_TRUE(world.collector.is_idle());
}

TEST(Gc, G5_no_managed_code_runs_while_stopped_at_polls) {
  check_canaries(2, 100, [](gc::Thread& thread, uint64_t& canary) {
    ++canary;
    thread.safepoint();
  });
}

TEST(Gc, G5_nor_after_leaving_a_safe_region) {
  check_canaries(2, 1000, [](gc::Thread& thread, uint64_t& canary) {
    { const gc::SafeRegion region(thread); }
    ++canary;
  });
}

TEST(Gc, G5_nor_after_an_own_ticket) {
  check_canaries(2, 100, [](gc::Thread& thread, uint64_t& canary) {
    thread.collector->collect(thread);
    ++canary;
  });
}

// Leaves race raises as often as they can; a leave that missed a stop would write a canary in it.
TEST(Gc, G6_leave_and_raise_never_miss_each_other) {
  check_canaries(1, 5000, [](gc::Thread& thread, uint64_t& canary) {
    for (int i = 0; i < 16; ++i) {
      const gc::State before = thread.safe_enter();
      thread.safe_leave(before);
      // Longer than the collector takes from its look at this thread to its look at the canary.
      for (int n = 0; n < 300; ++n) std::atomic_ref(canary).fetch_add(1, std::memory_order_relaxed);
    }
  });
}

TEST(Gc, G6_a_stop_raised_between_store_and_load_is_seen) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  std::atomic<bool> left{false};
  Pause leaving("gc-leave");
  std::thread other([&] {
    AttachedThread thread(world.collector);  // stays at gc-leave: Unsafe stored, stop not loaded
    left = true;
  });
  leaving.until_reached();
  const latch::Hook hook("gc-raised", [&](const void*) { leaving.release(); });
  world.collector.for_each_thread_stopped(*self, [&](gc::Thread&) { EXPECT_FALSE(left.load()); });
  const gc::SafeRegion region(*self);
  other.join();
  EXPECT_TRUE(left.load());
}

TEST(Gc, G7_enter_does_not_block_while_a_stop_waits_for_it) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Gate attached, stopping, collected;
  std::thread mutator([&] {
    AttachedThread thread(world.collector);
    attached.open();
    stopping.wait();  // unsafe: the stop waits for this thread
    const gc::State before = thread->safe_enter();
    collected.wait();  // safe: the stop has ended without another step of this thread
    thread->safe_leave(before);
  });
  attached.wait();
  AttachedThread self(world.collector);
  const latch::Hook hook("gc-raise", [&](const void*) { stopping.open(); });
  world.collector.collect(*self);
  collected.open();
  const gc::SafeRegion region(*self);
  mutator.join();
}

TEST(Gc, G8_only_the_outermost_leave_transitions) {
  GcWorld world;
  AttachedThread self(world.collector);
  const gc::State one = self->safe_enter();
  const gc::State two = self->safe_enter();
  const gc::State three = self->safe_enter();
  EXPECT_EQ(one, gc::State::Unsafe);
  EXPECT_EQ(two, gc::State::Safe);
  EXPECT_EQ(three, gc::State::Safe);
  self->safe_leave(three);
  EXPECT_EQ(self->state.load(), gc::State::Safe);
  self->safe_leave(two);
  EXPECT_EQ(self->state.load(), gc::State::Safe);
  self->safe_leave(one);
  EXPECT_EQ(self->state.load(), gc::State::Unsafe);
}

TEST(GcDeathTest, G9_managed_allocation_in_a_safe_region_traps) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        GcWorld world;
        AttachedThread self(world.collector);
        const gc::SafeRegion region(*self);
        world.heap().allocate(*self, world.leaf);
      },
      "managed allocation by a thread that is not unsafe");
}

TEST(Gc, G10_a_callback_leaves_and_enters_safe_again) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  const gc::SafeRegion region(*self);
  Pause pause("gc-stopped");
  std::thread asker([&] {
    AttachedThread thread(world.collector);
    world.collector.collect(*thread);
  });
  pause.until_reached();
  std::thread release;
  // The callback meets the pending collection in its leave; somebody ends that stop only then.
  const latch::Hook hold("gc-hold", [&](const void*) { pause.release(); });
  {
    const gc::UnsafeRegion callback(*self);
    EXPECT_NE(world.heap().allocate(*self, world.leaf), nullptr);
  }
  EXPECT_EQ(self->state.load(), gc::State::Safe);
  asker.join();
}

TEST(GcDeathTest, G11_no_transition_poll_or_allocation_under_an_engine_lock) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto with_lock = [](const std::function<void(GcWorld&, gc::Thread&)>& body) {
    GcWorld world;
    AttachedThread self(world.collector);
    sync::Mutex shard{Rank{310, "shard"}};
    const sync::Lock lock(shard);
    body(world, *self);
  };
  EXPECT_DEATH(with_lock([](GcWorld&, gc::Thread& t) { t.safe_enter(); }),
               "entering a safe region while lock 'shard'");
  EXPECT_DEATH(with_lock([](GcWorld&, gc::Thread& t) { t.poll_slow(); }), "a poll while lock 'shard'");
  EXPECT_DEATH(with_lock([](GcWorld& w, gc::Thread& t) { w.heap().allocate(t, w.leaf); }),
               "a managed allocation while lock 'shard'");
  EXPECT_DEATH(with_lock([](GcWorld& w, gc::Thread& t) { w.collector.collect(t); }),
               "a collection while lock 'shard'");
}

TEST(Gc, G13_a_poll_keeps_errno) {
  GcWorld world;
  AttachedThread self(world.collector);
  const latch::Hook hook("gc-finalizer", [](const void*) { errno = ENOENT; });
  world.heap().add_finalizer(
      world.heap().allocate(*self, world.leaf), [](void*, void*) { errno = EIO; }, nullptr);
  self.agent().inhibit_finalizers(*self, 1);
  world.collector.collect(*self);
  self.agent().inhibit_finalizers(*self, -1);
  errno = EDOM;
  self->safepoint();
  EXPECT_EQ(errno, EDOM);
  EXPECT_EQ(world.heap().num_ready_finalizers(), 0u);
}

struct LoseNotifications {
  LoseNotifications() { gc::stress::set(gc::stress::Mode::LoseNotify, 1); }
  ~LoseNotifications() { gc::stress::set(gc::stress::Mode::LoseNotify, 0); }
};

TEST(Gc, G18_a_lost_condition_wake_up_is_recovered_and_counted) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  sync::Mutex mutex{Rank{330, "test"}};
  gc::SafeCondition condition;
  bool ready = false, waiting = false;
  const uint64_t before = gc::SafeCondition::num_recovered();
  const LoseNotifications lose;
  std::thread other([&] {
    AttachedThread thread(world.collector);
    gc::CollectorLock lock(*thread, mutex);
    waiting = true;
    EXPECT_TRUE(condition.wait_until(lock, sync::TimePoint::max(), [&] { return ready; }));
  });
  for (bool seen = false; !seen;) {
    gc::CollectorLock lock(*self, mutex);
    seen = waiting;
    if (!seen) continue;
    ready = true;
    condition.notify_all(lock);  // dropped
  }
  const gc::SafeRegion region(*self);
  other.join();
  EXPECT_EQ(gc::SafeCondition::num_recovered(), before + 1);
}

TEST(Gc, G18_a_lost_parker_wake_up_is_recovered) {
  const Watchdog watchdog{60s};
  gc::ParkerRef parker(new gc::Parker);
  const LoseNotifications lose;
  Gate sleeping;
  uint32_t flags = 0;
  std::thread sleeper([&] {
    sleeping.open();
    while (!(flags = parker->park(sync::TimePoint::max()))) {}
  });
  sleeping.wait();
  parker->notify(gc::Parker::kServed);
  sleeper.join();
  EXPECT_EQ(flags & ~uint32_t{gc::Parker::kRecovered},
            uint32_t{gc::Parker::kServed});  // recovered, if it slept already
}

TEST(Gc, G20_upgrade_lock_excludes_as_told) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  gc::SafeUpgradeMutex mutex{Rank{50, "test"}};
  using U = gc::SafeUpgradeMutex;
  enum Mode { kShared, kUpgrade, kExclusive };
  const auto with = [&](gc::Thread& thread, Mode mode, const std::function<void()>& body) {
    if (mode == kShared) {
      const U::SharedGuard guard(thread, mutex);
      body();
    } else if (mode == kUpgrade) {
      const U::UpgradeGuard guard(thread, mutex);
      body();
    } else {
      const U::ExclusiveGuard guard(thread, mutex);
      body();
    }
  };
  for (const Mode held : {kShared, kUpgrade, kExclusive}) {
    for (const Mode asked : {kShared, kUpgrade, kExclusive}) {
      const bool together =
          (held == kShared && asked != kExclusive) || (held == kUpgrade && asked == kShared);
      std::atomic<bool> entered{false};
      std::thread other;
      with(*self, held, [&] {
        Gate attached;
        other = std::thread([&] {
          AttachedThread thread(world.collector);
          attached.open();
          with(*thread, asked, [&] { entered = true; });
        });
        attached.wait();
        if (together) {
          while (!entered.load()) self->safepoint();
        } else {
          // Held across a collection, which the waiter does not delay: its wait is safe.
          world.collector.collect(*self);
          EXPECT_FALSE(entered.load()) << held << " beside " << asked;
        }
      });
      const gc::SafeRegion region(*self);
      other.join();
      EXPECT_TRUE(entered.load());
    }
  }
}

TEST(Gc, G20_an_upgrade_waits_for_readers_and_a_stop_goes_on) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  gc::SafeUpgradeMutex mutex{Rank{50, "test"}};
  std::atomic<bool> upgraded{false};
  Gate owns;
  std::thread other;
  {
    const gc::SafeUpgradeMutex::SharedGuard reader(*self, mutex);
    other = std::thread([&] {
      AttachedThread thread(world.collector);
      gc::SafeUpgradeMutex::UpgradeGuard guard(*thread, mutex);
      owns.open();
      guard.upgrade();
      upgraded = true;
    });
    owns.wait();
    world.collector.collect(*self);
    EXPECT_FALSE(upgraded.load());
  }
  const gc::SafeRegion region(*self);
  other.join();
  EXPECT_TRUE(upgraded.load());
}

TEST(GcDeathTest, G20_a_reader_cannot_upgrade) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        GcWorld world;
        AttachedThread self(world.collector);
        gc::SafeUpgradeMutex mutex((Rank{50, "test"}));
        const gc::SafeUpgradeMutex::SharedGuard reader((*self), mutex);
        const gc::SafeUpgradeMutex::ExclusiveGuard writer((*self), mutex);
      },
      "a reader upgrades");
}

TEST(Gc, G21_simultaneous_requests_cost_at_most_two_collections) {
  const Watchdog watchdog{60s};
  constexpr int kThreads = 8;
  for (int round = 0; round < 20; ++round) {
    GcWorld world;
    std::barrier ready(kThreads);
    std::vector<std::thread> threads;
    std::atomic<int> not_served{0};
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        AttachedThread thread(world.collector);
        auto* weak = world.heap().new_weak(world.heap().allocate(*thread, world.leaf));
        {
          const gc::SafeRegion region(*thread);
          ready.arrive_and_wait();
        }
        world.collector.collect(*thread);
        // The collection began after the request, when the object was dead already.
        if (world.heap().weak_get(weak)) ++not_served;
        world.heap().delete_weak(weak);
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(not_served.load(), 0);
    EXPECT_GE(world.collector.num_collections(), 1u);
  }
}

// All requests are made while one collection runs: one more serves them all.
TEST(Gc, G21_requests_while_another_collects_are_served_by_two_collections) {
  const Watchdog watchdog{60s};
  constexpr int kThreads = 6;
  GcWorld world;
  Pause pause("gc-own");
  std::thread first([&] {
    AttachedThread thread(world.collector);
    world.collector.collect(*thread);
  });
  pause.until_reached();
  Tally asked;
  std::atomic<int> not_served{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      AttachedThread thread(world.collector);
      auto* weak = world.heap().new_weak(world.heap().allocate(*thread, world.leaf));
      std::thread watcher([&, state = &thread->state] {
        while (state->load() == gc::State::Unsafe) std::this_thread::yield();
        asked.add();
      });
      world.collector.collect(*thread);
      if (world.heap().weak_get(weak)) ++not_served;
      world.heap().delete_weak(weak);
      const gc::SafeRegion region(*thread);
      watcher.join();
    });
  }
  asked.until(kThreads);
  pause.release();
  first.join();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(not_served, 0);
  EXPECT_LE(world.collector.num_collections(), 2u);
  EXPECT_TRUE(world.collector.is_idle());
}

TEST(Gc, G22_every_word_is_idle_after_a_failure_at_each_step) {
  const Watchdog watchdog{60s};
  for (const char* step : {"gc-own", "gc-raise", "gc-stopped", "gc-mark", "gc-weak", "gc-sweep"}) {
    GcWorld world;
    AttachedThread self(world.collector);
    gc::Rooted<1> kept(*self);
    for (int i = 0; i < 1000; ++i) {
      Object* node = world.heap().allocate(*self, world.node);
      set(node, left(node), kept[0]);
      kept[0] = node;
    }
    auto* dead = world.heap().new_weak(world.heap().allocate(*self, world.leaf));
    {
      const latch::Hook hook(step, [](const void*) { throw std::runtime_error("injected"); });
      EXPECT_THROW(world.collector.collect(*self), std::runtime_error) << step;
    }
    EXPECT_TRUE(world.collector.is_idle()) << step;
    EXPECT_EQ(self->state.load(), gc::State::Unsafe) << step;
    EXPECT_EQ(world.collector.num_collections(), 0u) << step;
    world.collector.collect(*self);
    EXPECT_EQ(world.heap().num_objects(), 1000u) << step;
    EXPECT_EQ(world.heap().weak_get(dead), nullptr) << step;
  }
}

TEST(Gc, G23_every_thread_advances_between_two_stops) {
  const Watchdog watchdog{60s};
  for (const int askers : {1, 2}) {
    GcWorld world;
    std::atomic<bool> done{false};
    uint64_t progress = 0;  // plain: read only while its writer is stopped
    Gate attached;
    std::thread mutator([&] {
      AttachedThread thread(world.collector);
      attached.open();
      while (!done.load(std::memory_order_relaxed)) {
        ++progress;
        thread->safepoint();
      }
    });
    attached.wait();
    uint64_t last = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < askers; ++i) {
      threads.emplace_back([&] {
        AttachedThread thread(world.collector);
        for (int n = 0; n < 100; ++n) {
          bool first = true;
          world.collector.for_each_thread_stopped(*thread, [&](gc::Thread&) {
            if (!std::exchange(first, false)) return;
            EXPECT_GT(progress, last);  // `last` is guarded by the stop
            last = progress;
          });
        }
      });
    }
    for (auto& thread : threads) thread.join();
    done = true;
    mutator.join();
  }
}

TEST(Gc, G24_a_late_thread_is_counted_and_named) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Gate attached, may_poll;
  std::atomic<uint64_t> late_id{0};
  std::thread late([&] {
    AttachedThread thread(world.collector);
    late_id = thread->id;
    attached.open();
    may_poll.wait();  // unsafe
    thread->safepoint();
  });
  attached.wait();
  std::thread collecting([&] {
    AttachedThread self(world.collector);
    world.collector.collect(*self);
  });
  const std::string counter = "\nberth_gc_late_threads_total ";
  const auto num_late = [&] {
    std::string metrics;
    world.collector.metrics(metrics);  // does not wait for the stop
    return std::stoull(metrics.substr(metrics.find(counter) + counter.size()));
  };
  while (num_late() == 0) std::this_thread::yield();
  may_poll.open();
  collecting.join();
  late.join();
  const gc::StopRecord record = world.collector.recent_stops().back();
  const uint64_t late_ns = record.asked_to_raised + record.raised_to_stopped;
  EXPECT_EQ(record.last_thread, late_id.load());
  EXPECT_GE(late_ns, 1'000'000'000u);
  EXPECT_LE(num_late(), late_ns / 1'000'000'000);  // once per second
}

TEST(Gc, G27_parked_waiters_neither_delay_a_stop_nor_wake_for_it) {
  const Watchdog watchdog{60s};
  gc::CollectorOptions options;
  options.mark_threads = 1;
  GcWorld world(options);
  AttachedThread self(world.collector);
  std::atomic<int> recruited{0};
  const latch::Hook hook("gc-recruited", [&](const void*) { ++recruited; });
  std::vector<std::unique_ptr<ParkedThread>> parked;
  {
    const gc::SafeRegion region(*self);
    for (int i = 0; i < 64; ++i) parked.push_back(std::make_unique<ParkedThread>(world.collector));
  }
  world.collector.collect(*self);
  const gc::StopRecord record = world.collector.recent_stops().back();
  EXPECT_EQ(record.last_thread, 0u);  // nobody had to be waited for
  EXPECT_EQ(recruited.load(), 0);
  const gc::SafeRegion region(*self);
  parked.clear();
}

/// A graph that is wide enough for the collector to ask for help.
Object* wide_graph(GcWorld& world, gc::Thread& thread, size_t n) {
  gc::Rooted<2> kept(thread);
  kept[0] = world.heap().allocate(thread, world.array, n);
  for (size_t i = 0; i < n; ++i) {
    kept[1] = world.heap().allocate(thread, world.node);
    set(kept[0], element(kept[0], i), kept[1]);
    Object* leaf = world.heap().allocate(thread, world.leaf);
    set(kept[1], left(kept[1]), leaf);
  }
  return kept[0];
}

TEST(Gc, G28_a_recruit_helps_and_a_service_meanwhile_is_not_lost) {
  const Watchdog watchdog{60s};
  gc::CollectorOptions options;
  options.mark_threads = 2;
  GcWorld world(options);
  AttachedThread self(world.collector);
  gc::Rooted<1> kept(*self);
  constexpr size_t kNodes = 20000;
  kept[0] = wide_graph(world, *self, kNodes);
  std::unique_ptr<ParkedThread> parked;
  {
    const gc::SafeRegion region(*self);
    parked = std::make_unique<ParkedThread>(world.collector);
  }
  Gate joined;
  const latch::Hook on_join("gc-joined", [&](const void*) { joined.open(); });
  // The collector goes on once the recruit has joined; in between it is served.
  const latch::Hook on_ask("gc-asked", [&](const void*) {
    parked->recruit_until([&] { return joined.is_open(); });
    parked->parker().notify(gc::Parker::kServed);
  });
  world.collector.collect(*self);
  EXPECT_EQ(world.heap().num_objects(), 2 * kNodes + 1);
  std::string metrics;
  world.collector.metrics(metrics);
  EXPECT_NE(metrics.find("berth_gc_helped_total 1\n"), std::string::npos) << metrics;
  const gc::SafeRegion region(*self);
  // Served: one return of park beside those of its slices and of the recruit; it waits on and can be
  // cancelled.
  while (parked->wakes.load() < 2) std::this_thread::yield();
  parked.reset();
}

TEST(Gc, G29_G30_marking_does_not_wait_for_a_recruit_and_a_late_one_is_harmless) {
  const Watchdog watchdog{60s};
  gc::CollectorOptions options;
  options.mark_threads = 2;
  GcWorld world(options);
  AttachedThread self(world.collector);
  gc::Rooted<1> kept(*self);
  kept[0] = wide_graph(world, *self, 5000);
  std::unique_ptr<ParkedThread> parked;
  {
    const gc::SafeRegion region(*self);
    parked = std::make_unique<ParkedThread>(world.collector);
  }
  Pause pause("gc-recruited");
  std::atomic<int> joins{0};
  const latch::Hook on_join("gc-joined", [&](const void*) { ++joins; });
  // Until the recruit is held; then the collection ends without it.
  const latch::Hook on_ask("gc-asked",
                           [&](const void*) { parked->recruit_until([&] { return pause.is_reached(); }); });
  world.collector.collect(*self);
  EXPECT_EQ(world.collector.num_collections(), 1u);
  pause.release();
  const gc::SafeRegion region(*self);
  parked.reset();
  EXPECT_EQ(joins.load(), 0);  // the phase was closed
}

class GcGraph : public testing::TestWithParam<unsigned> {};

TEST_P(GcGraph, G31_exactly_the_reachable_survives) {
  const Watchdog watchdog{60s};
  gc::CollectorOptions options;
  options.mark_threads = GetParam();
  GcWorld world(options);
  AttachedThread self(world.collector);
  std::vector<std::unique_ptr<ParkedThread>> parked;
  {
    const gc::SafeRegion region(*self);
    for (unsigned i = 1; i < GetParam(); ++i)
      parked.push_back(std::make_unique<ParkedThread>(world.collector));
  }
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  // With a collection at each allocation, so many take a busy machine a minute.
  const size_t num_nodes = gc::stress::is_on(gc::stress::Mode::Allocation) ? 500 : 5000;
  for (int round = 0; round < 3; ++round) {
    gc::Rooted<2> kept(*self);
    kept[0] = world.heap().allocate(*self, world.array, num_nodes);  // all nodes, while the graph is built
    for (size_t i = 0; i < num_nodes; ++i) {
      Object* node = world.heap().allocate(*self, world.node);
      node->word(24) = i;
      set(kept[0], element(kept[0], i), node);
    }
    constexpr size_t kNone = SIZE_MAX;
    std::vector<std::array<size_t, 2>> model(num_nodes, {kNone, kNone});
    for (size_t i = 0; i < num_nodes; ++i) {
      Object* node = element(kept[0], i);
      for (int side = 0; side < 2; ++side) {
        if (random() % 5 < 2) continue;
        const size_t target = random() % num_nodes;
        model[i][static_cast<size_t>(side)] = target;
        set(node, side ? right(node) : left(node), element(kept[0], target));
      }
    }
    kept[1] = world.heap().allocate(*self, world.array, 20);
    std::unordered_set<size_t> reachable;
    std::vector<size_t> work;
    for (size_t i = 0; i < 20; ++i) {
      const size_t root = random() % num_nodes;
      set(kept[1], element(kept[1], i), element(kept[0], root));
      work.push_back(root);
    }
    while (!work.empty()) {
      const size_t at = work.back();
      work.pop_back();
      if (at == kNone || !reachable.insert(at).second) continue;
      work.insert(work.end(), model[at].begin(), model[at].end());
    }
    kept[0] = nullptr;
    world.collector.collect(*self);
    EXPECT_EQ(world.heap().num_objects(), reachable.size() + 1);
    // Fill what was freed: a survivor that was freed by mistake is overwritten.
    for (size_t i = 0; i < num_nodes; ++i) world.heap().allocate(*self, world.node)->word(24) = SIZE_MAX;
    std::unordered_set<size_t> found;
    std::vector<Object*> walk;
    for (size_t i = 0; i < 20; ++i) walk.push_back(element(kept[1], i));
    while (!walk.empty()) {
      Object* node = walk.back();
      walk.pop_back();
      if (!node || !found.insert(node->word(24)).second) continue;
      const auto& expected = model.at(node->word(24));
      ASSERT_EQ(left(node) ? left(node)->word(24) : kNone, expected[0]);
      ASSERT_EQ(right(node) ? right(node)->word(24) : kNone, expected[1]);
      walk.push_back(left(node));
      walk.push_back(right(node));
    }
    EXPECT_EQ(found, reachable);
  }
  const gc::SafeRegion region(*self);
  parked.clear();
}
INSTANTIATE_TEST_SUITE_P(markers, GcGraph, testing::Values(1u, 2u, 4u));

TEST(Gc, G32_long_list_wide_array_and_a_full_mark_stack) {
  const Watchdog watchdog{60s};
  gc::CollectorOptions options;
  options.mark_threads = 1;
  options.mark_stack_limit = 1024;
  GcWorld world(options);
  AttachedThread self(world.collector);
  gc::Rooted<3> kept(*self);
  constexpr size_t kList = 300000;
  for (size_t i = 0; i < kList; ++i) {
    Object* node = world.heap().allocate(*self, world.node);
    set(node, left(node), kept[0]);
    kept[0] = node;
  }
  constexpr size_t kWide = 50000;
  kept[1] = wide_graph(world, *self, kWide);
  // An array of arrays overflows the stack in one piece of it.
  constexpr size_t kOuter = 3000;
  kept[2] = world.heap().allocate(*self, world.array, kOuter);
  for (size_t i = 0; i < kOuter; ++i) {
    Object* inner = world.heap().allocate(*self, world.array, 4);
    set(kept[2], element(kept[2], i), inner);
    Object* node = world.heap().allocate(*self, world.node);
    set(element(kept[2], i), element(element(kept[2], i), 3), node);
  }
  world.collector.collect(*self);
  EXPECT_EQ(world.heap().num_objects(), kList + 2 * kWide + 1 + 2 * kOuter + 1);
  size_t length = 0;
  for (Object* at = kept[0]; at; at = left(at)) ++length;
  EXPECT_EQ(length, kList);
}

TEST(Gc, G33_out_of_memory_is_an_error_and_passes) {
  const Watchdog watchdog{60s};
  gc::CollectorOptions options;
  options.heap_limit_bytes = 2 * 1024 * 1024;
  GcWorld world(options);
  AttachedThread self(world.collector);
  gc::Rooted<1> kept(*self);
  size_t count = 0;
  while (Object* node = world.heap().allocate(*self, world.node)) {
    set(node, left(node), kept[0]);
    kept[0] = node;
    ASSERT_LT(++count, 100000u);
  }
  EXPECT_GE(count, 50000u);  // of 65,536 that fit
  EXPECT_EQ(world.heap().allocate(*self, world.bytes, 3 * 1024 * 1024), nullptr);
  EXPECT_EQ(world.heap().allocate(*self, world.bytes, SIZE_MAX), nullptr);
  EXPECT_EQ(world.heap().allocate(*self, world.array, SIZE_MAX / 8), nullptr);
  size_t length = 0;
  for (Object* at = kept[0]; at; at = left(at)) ++length;
  EXPECT_EQ(length, count);  // nothing was lost
  kept[0] = nullptr;
  EXPECT_NE(world.heap().allocate(*self, world.node), nullptr);
  EXPECT_NE(world.heap().allocate(*self, world.bytes, 1024 * 1024), nullptr);
}

TEST(Gc, G34_each_kind_of_root_alone_keeps_its_object_and_ends) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  gc::Heap& heap = world.heap();
  const auto make = [&] { return heap.allocate(*self, world.leaf); };
  const auto is_kept = [&](gc::WeakReference* weak) {
    world.collector.collect(*self);
    return heap.weak_get(weak) != nullptr;
  };
  {  // frame
    gc::WeakReference* weak = nullptr;
    {
      gc::Rooted<1> kept(*self);
      kept[0] = make();
      weak = heap.new_weak(kept[0]);
      EXPECT_TRUE(is_kept(weak));
    }
    EXPECT_FALSE(is_kept(weak));
  }
  {  // global root
    Object* object = make();
    gc::WeakReference* weak = heap.new_weak(object);
    {
      const gc::GlobalRoot root(heap, object);
      EXPECT_TRUE(is_kept(weak));
    }
    EXPECT_FALSE(is_kept(weak));
  }
  {  // handle
    Object* object = make();
    gc::WeakReference* weak = heap.new_weak(object);
    const size_t mark = gc::HandleBlock::mark(self.agent());
    gc::HandleBlock::add(self.agent(), object);
    EXPECT_TRUE(is_kept(weak));
    EXPECT_TRUE(gc::HandleBlock::close(self.agent(), mark));
    EXPECT_FALSE(is_kept(weak));
  }
  {  // pending error
    self->pending_error = make();
    gc::WeakReference* weak = heap.new_weak(self->pending_error);
    EXPECT_TRUE(is_kept(weak));
    self->pending_error = nullptr;
    EXPECT_FALSE(is_kept(weak));
  }
  {  // permanent object
    Object* cell = heap.allocate_permanent(world.node);
    Object* object = make();
    gc::WeakReference* weak = heap.new_weak(object);
    set(cell, left(cell), object);
    EXPECT_TRUE(is_kept(weak));
    set(cell, left(cell), nullptr);
    EXPECT_FALSE(is_kept(weak));
  }
  {  // suspended agent: frames and handles
    gc::Agent fibre{"fibre"};
    ASSERT_FALSE(world.collector.set_agent(*self, &fibre).has_error());
    gc::WeakReference *by_frame = nullptr, *by_handle = nullptr;
    {
      gc::Rooted<1> kept(*self);
      kept[0] = make();
      by_frame = heap.new_weak(kept[0]);
      Object* object = make();
      by_handle = heap.new_weak(object);
      gc::HandleBlock::add(fibre, object);
      ASSERT_FALSE(world.collector.set_agent(*self, nullptr).has_error());
      EXPECT_EQ(self->frames, nullptr);
      EXPECT_TRUE(is_kept(by_frame));
      EXPECT_TRUE(is_kept(by_handle));
      ASSERT_FALSE(world.collector.set_agent(*self, &fibre).has_error());
      EXPECT_TRUE(is_kept(by_frame));
    }
    EXPECT_FALSE(is_kept(by_frame));
    EXPECT_TRUE(is_kept(by_handle));
    ASSERT_FALSE(world.collector.set_agent(*self, nullptr).has_error());
    gc::HandleBlock::close(fibre, 0);
    EXPECT_FALSE(is_kept(by_handle));
  }
  {  // client: constants of code, sources
    struct Client final : gc::CollectionClient {
      Object* object = nullptr;
      bool visit_ephemerons(const std::function<bool(const void*)>&, gc::SlotVisitor&) override {
        return false;
      }
      void visit_roots(gc::SlotVisitor& visitor) override { visitor.visit(&object); }
      void sweep(const std::function<bool(const void*)>&) override {}
      void after_resume() override {}
    } client;
    world.collector.add_client(&client);
    client.object = make();
    gc::WeakReference* weak = heap.new_weak(client.object);
    EXPECT_TRUE(is_kept(weak));
    world.collector.remove_client(&client);
    EXPECT_FALSE(is_kept(weak));
  }
  {  // ready finalizer, until it has run
    self.agent().inhibit_finalizers(*self, 1);
    Object* object = make();
    object->word(8) = 42;
    uint64_t seen = 0;
    heap.add_finalizer(
        object,
        [](void* o, void* context) { *static_cast<uint64_t*>(context) = static_cast<Object*>(o)->word(8); },
        &seen);
    world.collector.collect(*self);
    world.collector.collect(*self);
    self.agent().inhibit_finalizers(*self, -1);
    self->safepoint();
    EXPECT_EQ(seen, 42u);
    const size_t before = heap.num_objects();
    world.collector.collect(*self);
    EXPECT_EQ(heap.num_objects(), before - 1);
  }
}

/// Records the order of a collection's weak phase.
struct OrderClient final : gc::CollectionClient {
  std::vector<std::string> order;
  Object *method = nullptr, *payload = nullptr, *resurrected = nullptr, *guard = nullptr;
  gc::WeakReference* weak = nullptr;
  bool visited = false, payload_live = false, resurrected_live = false, guard_live = true;
  bool weak_cleared = false;

  bool visit_ephemerons(const std::function<bool(const void*)>& is_marked,
                        gc::SlotVisitor& visitor) override {
    order.push_back("ephemerons");
    if (visited || !method || !is_marked(method)) return false;
    visited = true;
    visitor.visit(&payload);
    return true;
  }
  void visit_roots(gc::SlotVisitor&) override { order.push_back("roots"); }
  void sweep(const std::function<bool(const void*)>& is_live) override {
    order.push_back("sweep");
    weak_cleared = weak->object.load() == nullptr;
    payload_live = is_live(payload);
    resurrected_live = is_live(resurrected);
    guard_live = is_live(guard);
    int local = 0;
    EXPECT_TRUE(is_live(&local));  // not an object of the heap
  }
  void after_resume() override { order.push_back("resume"); }
};

TEST(Gc, G37_weak_order) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  gc::Heap& heap = world.heap();
  OrderClient client;
  world.collector.add_client(&client);
  gc::Rooted<1> kept(*self);
  {
    gc::Rooted<3> others(*self);
    kept[0] = heap.allocate(*self, world.leaf);
    others[0] = heap.allocate(*self, world.leaf);
    others[1] = heap.allocate(*self, world.leaf);
    others[2] = heap.allocate(*self, world.leaf);
    client.method = kept[0];  // reachable: its payload is kept by the ephemeron alone
    client.payload = others[0];
    client.guard = others[1];  // dead
    client.resurrected = others[2];
    client.weak = heap.new_weak(client.resurrected);
  }
  bool weak_cleared_before_finalizer = false;
  struct Context {
    gc::Heap& heap;
    OrderClient& client;
    bool& cleared;
  } context{heap, client, weak_cleared_before_finalizer};
  heap.add_finalizer(
      client.resurrected,
      [](void*, void* c) {
        auto& at = *static_cast<Context*>(c);
        at.cleared = at.heap.weak_get(at.client.weak) == nullptr;
        at.client.order.push_back("finalizer");
      },
      &context);
  world.collector.collect(*self);
  EXPECT_EQ(client.order, (std::vector<std::string>{"roots", "ephemerons", "ephemerons", "ephemerons",
                                                    "sweep", "resume", "finalizer"}));
  EXPECT_TRUE(client.payload_live);
  EXPECT_TRUE(client.weak_cleared);
  EXPECT_TRUE(client.resurrected_live);  // marked through for its finalizer
  EXPECT_FALSE(client.guard_live);
  EXPECT_TRUE(weak_cleared_before_finalizer);
  world.collector.remove_client(&client);
}

// G36's collector side: a payload that names its own method does not keep it alive.
TEST(Gc, G36_an_ephemeron_does_not_keep_its_key) {
  GcWorld world;
  AttachedThread self(world.collector);
  OrderClient client;
  world.collector.add_client(&client);
  {
    gc::Rooted<1> kept(*self);
    kept[0] = world.heap().allocate(*self, world.node);
    client.payload = world.heap().allocate(*self, world.node);
    client.method = kept[0];
    set(client.payload, left(client.payload), client.method);
  }
  client.resurrected = client.guard = client.method;
  client.weak = world.heap().new_weak(client.method);
  world.collector.collect(*self);
  EXPECT_FALSE(client.visited);
  EXPECT_FALSE(client.payload_live);
  EXPECT_FALSE(client.guard_live);
  world.collector.remove_client(&client);
}

TEST(Gc, G42_a_weak_read_gives_a_whole_object_or_null) {
  const Watchdog watchdog{60s};
  GcWorld world;
  std::atomic<bool> done{false};
  std::atomic<uint64_t> hits{0}, misses{0};
  std::atomic<gc::WeakReference*> shared{nullptr};
  std::thread reader([&] {
    AttachedThread thread(world.collector);
    while (!done.load()) {
      gc::Rooted<1> kept(*thread);
      if (gc::WeakReference* weak = shared.load()) kept[0] = world.heap().weak_get(weak);
      thread->safepoint();
      if (kept[0]) {
        ASSERT_EQ(kept[0]->word(8), 77u);
        ++hits;
      } else {
        ++misses;
      }
      { const gc::SafeRegion region(*thread); }
    }
  });
  AttachedThread self(world.collector);
  for (int i = 0; i < 300; ++i) {
    gc::Rooted<1> kept(*self);
    kept[0] = world.heap().allocate(*self, world.leaf);
    kept[0]->word(8) = 77;
    shared = world.heap().new_weak(kept[0]);
    world.collector.collect(*self);
    kept[0] = nullptr;
    world.collector.collect(*self);
  }
  done = true;
  const gc::SafeRegion region(*self);
  reader.join();
}

struct Count {
  int runs = 0;
  static void add(void*, void* context) { ++static_cast<Count*>(context)->runs; }
};

TEST(Gc, G43_no_finalizer_while_a_lease_is_out_none_in_release_some_at_the_next_safe_point) {
  GcWorld world;
  AttachedThread self(world.collector);
  Count count;
  self.agent().take_lease(*self);
  world.heap().add_finalizer(world.heap().allocate(*self, world.leaf), &Count::add, &count);
  world.collector.collect(*self);
  self->safepoint();
  { const gc::SafeRegion region(*self); }
  EXPECT_EQ(count.runs, 0);
  EXPECT_EQ(self->poll.load(), 0u);  // the poll word is not kept set meanwhile
  self.agent().give_lease(&*self);
  EXPECT_EQ(count.runs, 0);
  self->safepoint();
  EXPECT_EQ(count.runs, 1);
}

TEST(Gc, G44_the_count_follows_the_agent) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Count count;
  gc::Agent fibre{"fibre"};
  {
    AttachedThread self(world.collector);
    world.heap().add_finalizer(world.heap().allocate(*self, world.leaf), &Count::add, &count);
    ASSERT_FALSE(world.collector.set_agent(*self, &fibre).has_error());
    fibre.take_lease(*self);  // reserved on A
    ASSERT_FALSE(world.collector.set_agent(*self, nullptr).has_error());
  }
  std::thread second([&] {
    AttachedThread self(world.collector);
    ASSERT_FALSE(world.collector.set_agent(*self, &fibre).has_error());  // runs on B
    world.collector.collect(*self);
    self->safepoint();
    EXPECT_EQ(count.runs, 0);
    std::thread third([&] { fibre.give_lease(nullptr); });  // ended from C
    third.join();
    EXPECT_EQ(count.runs, 0);
    self->safepoint();
    EXPECT_EQ(count.runs, 1);
    ASSERT_FALSE(world.collector.set_agent(*self, nullptr).has_error());
  });
  second.join();
  EXPECT_EQ(fibre.finalizer_inhibitions(), 0);
}

TEST(GcDeathTest, G44_the_count_is_never_negative) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        GcWorld world;
        AttachedThread self(world.collector);
        self.agent().inhibit_finalizers(*self, -1);
      },
      "released more often than inhibited");
}

TEST(Gc, G44_switching_to_an_agent_without_leases_lets_finalizers_run) {
  GcWorld world;
  AttachedThread self(world.collector);
  Count count;
  gc::Agent fibre{"fibre"};
  ASSERT_FALSE(world.collector.set_agent(*self, &fibre).has_error());
  fibre.take_lease(*self);
  world.heap().add_finalizer(world.heap().allocate(*self, world.leaf), &Count::add, &count);
  world.collector.collect(*self);
  self->safepoint();
  EXPECT_EQ(count.runs, 0);
  ASSERT_FALSE(world.collector.set_agent(*self, nullptr).has_error());
  self->safepoint();
  EXPECT_EQ(count.runs, 1);
  fibre.give_lease(nullptr);
}

TEST(Gc, G45_finalizers_run_once_allocate_resurrect_fail_and_do_not_nest) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  struct Context {
    GcWorld& world;
    gc::Thread& thread;
    int runs = 0, depth = 0, max_depth = 0;
    gc::GlobalRoot resurrected;
  } context{world, *self, 0, 0, 0, gc::GlobalRoot(world.heap(), nullptr)};
  struct Body {
    static void run(void* object, void* raw) {
      auto& at = *static_cast<Context*>(raw);
      ++at.runs;
      at.max_depth = std::max(at.max_depth, ++at.depth);
      gc::Rooted<2> kept(at.thread);
      kept[0] = static_cast<Object*>(object);
      kept[1] = at.world.heap().allocate(at.thread, at.world.node);
      at.world.collector.collect(at.thread);  // finalizers that this makes ready wait
      at.thread.safepoint();
      EXPECT_EQ(kept[0]->word(8), 5u);  // still whole
      at.resurrected.set(kept[0]);
      --at.depth;
    }
    static void fail(void*, void* raw) {
      ++static_cast<Context*>(raw)->runs;
      throw std::runtime_error("failed");
    }
  };
  for (int i = 0; i < 3; ++i) {
    Object* object = world.heap().allocate(*self, world.leaf);
    object->word(8) = 5;
    world.heap().add_finalizer(object, &Body::run, &context);
  }
  world.heap().add_finalizer(world.heap().allocate(*self, world.leaf), &Body::fail, &context);
  world.collector.collect(*self);
  self->safepoint();
  EXPECT_EQ(context.runs, 4);
  EXPECT_EQ(context.max_depth, 1);
  EXPECT_EQ(world.heap().num_failed_finalizers(), 1u);
  world.collector.collect(*self);
  self->safepoint();
  EXPECT_EQ(context.runs, 4);  // each once
  EXPECT_EQ(context.resurrected.get()->word(8), 5u);
}

TEST(Gc, G46_any_thread_runs_finalizers_and_starvation_is_visible) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  Count count;
  self.agent().take_lease(*self);  // held for ever
  world.heap().add_finalizer(world.heap().allocate(*self, world.leaf), &Count::add, &count);
  world.collector.collect(*self);
  std::string metrics;
  world.collector.metrics(metrics);
  EXPECT_NE(metrics.find("berth_gc_ready_finalizers 1\n"), std::string::npos) << metrics;
  std::thread other([&] { AttachedThread thread(world.collector); });  // its leave is a safe point
  {
    const gc::SafeRegion region(*self);
    other.join();
  }
  EXPECT_EQ(count.runs, 1);
  self.agent().give_lease(&*self);
}

TEST(Gc, G51_a_graph_survives_every_stress_mode) {
  const Watchdog watchdog{60s};
  using gc::stress::Mode;
  for (const Mode mode : {Mode::Allocation, Mode::Transition, Mode::Poll}) {
    gc::stress::set(mode, 1);
    {
      GcWorld world;
      AttachedThread self(world.collector);
      gc::Rooted<2> kept(*self);
      for (uint64_t i = 0; i < 300; ++i) {
        kept[1] = world.heap().allocate(*self, world.leaf);
        kept[1]->word(8) = i;
        Object* node = world.heap().allocate(*self, world.node);
        set(node, left(node), kept[0]);
        set(node, right(node), kept[1]);
        kept[0] = node;
        self->safepoint();
        { const gc::SafeRegion region(*self); }
      }
      uint64_t expected = 300;
      for (Object* at = kept[0]; at; at = left(at)) ASSERT_EQ(right(at)->word(8), --expected);
      EXPECT_GE(world.collector.num_collections(), 300u);
    }
    gc::stress::set(mode, 0);
  }
}

}  // namespace
}  // namespace berth
