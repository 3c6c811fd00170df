// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule explorer itself: it finds what is there to be found, counts what can be counted, and replays
// what it found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <string>

#include "berth/schedule.hpp"

namespace berth::schedule {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const Search kAll[] = {Search::Priorities, Search::RandomWalk, Search::Exhaustive};

void lose_an_increment() {
  Atomic<int> count{0};
  {
    const auto increment = [&] { count = count + 1; };
    Thread first(increment), second(increment);
  }
  check(count == 2, "an increment is lost");
}

TEST(ScheduleExplorer, every_search_finds_a_lost_increment) {
  for (const Search search : kAll) {
    const Report report = explore({.search = search}, lose_an_increment);
    ASSERT_TRUE(report.failure) << static_cast<int>(search);
    EXPECT_THAT(report.failure->text, HasSubstr("an increment is lost"));
    EXPECT_THAT(report.failure->text, HasSubstr("BERTH_SCHEDULE_REPLAY=" + report.failure->replay));
  }
}

TEST(ScheduleExplorer, a_right_program_has_no_failure) {
  for (const Search search : kAll) {
    const Report report = explore({.search = search, .schedules = 2000}, [] {
      Atomic<int> count{0};
      {
        const auto increment = [&] { count.fetch_add(1); };
        Thread first(increment), second(increment);
      }
      check(count == 2, "an increment is lost");
    });
    EXPECT_FALSE(report.failure) << report.failure->text;
    EXPECT_EQ(report.exhausted, search == Search::Exhaustive);
  }
}

// Two threads of 4 accesses each: 70 orders in all. One with r runs of equal letters costs r - 2 preemptions:
// the last switch comes for nothing, as the other thread has ended. Orders with r runs: 2, 6, 18, 18, 18, 6,
// 2 for r = 2 to 8.
TEST(ScheduleExplorer, exhaustive_search_is_exact) {
  const size_t expected[] = {2, 8, 26, 44, 62, 68, 70, 70};
  for (unsigned preemptions = 0; preemptions < 8; ++preemptions) {
    std::set<std::string> orders;
    const Report report =
        explore({.search = Search::Exhaustive, .schedules = 0, .preemptions = preemptions}, [&] {
          Atomic<int> shared{0};
          std::string order;
          const auto access = [&](char name) {
            for (int i = 0; i < 4; ++i) {
              shared.fetch_add(1);
              order += name;
            }
          };
          {
            Thread first([&] { access('a'); }), second([&] { access('b'); });
          }
          orders.insert(order);
        });
    EXPECT_TRUE(report.exhausted);
    EXPECT_EQ(orders.size(), expected[preemptions]) << preemptions << " preemptions";
  }
}

// Points without an access between them, and threads that are about to block, are places of their own.
TEST(ScheduleExplorer, exhaustive_search_sees_free_choices) {
  std::set<std::string> orders;
  const Report report = explore({.search = Search::Exhaustive, .schedules = 0, .preemptions = 0}, [&] {
    Mutex mutex;
    std::string order;
    const auto enter = [&](char name) {
      hook("one");
      hook("two");
      const std::lock_guard lock(mutex);
      order += name;
    };
    {
      Thread first([&] { enter('a'); }), second([&] { enter('b'); }), third([&] { enter('c'); });
    }
    orders.insert(order);
  });
  EXPECT_TRUE(report.exhausted);
  EXPECT_EQ(orders.size(), 6u);
}

// A fault of depth 3: two ordering constraints beyond the start must meet.
TEST(ScheduleExplorer, priorities_find_a_deep_fault) {
  const Report report = explore({.schedules = 100'000}, [] {
    Atomic<int> step{0};
    const auto advance = [&](int from) {
      for (int i = 0; i < 20; ++i) (void)step.load();
      int expected = from;
      step.compare_exchange_strong(expected, from + 1);
    };
    {
      Thread first([&] { advance(0), advance(2); }), second([&] { advance(1), advance(3); });
    }
    check(step != 4, "found");
  });
  EXPECT_TRUE(report.failure);
}

TEST(ScheduleExplorer, deadlock_shows_where_each_thread_stands) {
  for (const Search search : kAll) {
    const Report report = explore({.search = search}, [] {
      Mutex a, b;
      Thread first(
          [&] {
            const std::lock_guard outer(a);
            const std::lock_guard inner(b);
          },
          "first");
      Thread second(
          [&] {
            const std::lock_guard outer(b);
            const std::lock_guard inner(a);
          },
          "second");
    });
    ASSERT_TRUE(report.failure);
    EXPECT_THAT(report.failure->text, HasSubstr("deadlock"));
    EXPECT_THAT(report.failure->text, HasSubstr("first: waits in lock"));
    EXPECT_THAT(report.failure->text, HasSubstr("second: waits in lock"));
  }
}

// The flag is set without the mutex: the notification may come between the look and the wait.
void lose_a_wakeup(TimePoint deadline) {
  Mutex mutex;
  Condition changed;
  Atomic<bool> ready{false};
  {
    Thread waiter([&] {
      std::unique_lock lock(mutex);
      while (!ready) changed.wait_until(lock, deadline);
    });
    Thread notifier([&] {
      ready = true;
      changed.notify_all();
    });
  }
  check(num_idle() == 0, "only time ended the wait");
}

TEST(ScheduleExplorer, a_lost_wakeup_is_a_deadlock_or_idle_time) {
  const Report unbounded = explore({.search = Search::Exhaustive}, [] { lose_a_wakeup(TimePoint::max()); });
  ASSERT_TRUE(unbounded.failure);
  EXPECT_THAT(unbounded.failure->text, HasSubstr("deadlock"));
  const Report sliced = explore({.search = Search::Exhaustive}, [] { lose_a_wakeup(Clock::now() + 100ms); });
  ASSERT_TRUE(sliced.failure);
  EXPECT_THAT(sliced.failure->text, HasSubstr("only time ended the wait"));
}

TEST(ScheduleExplorer, time_up_to_the_horizon_is_a_choice) {
  std::set<bool> seen;
  const auto body = [&](std::chrono::nanoseconds horizon) {
    seen.clear();
    return explore(
        {.search = Search::Exhaustive, .schedules = 0, .preemptions = 1, .limits = {.horizon = horizon}},
        [&] {
          Mutex mutex;
          Condition changed;
          bool ready = false;
          Thread waiter([&] {
            std::unique_lock lock(mutex);
            const TimePoint deadline = Clock::now() + 50ms;
            while (!ready && changed.wait_until(lock, deadline)) {}
            seen.insert(ready);
          });
          Thread notifier([&] {
            const std::lock_guard lock(mutex);
            ready = true;
            changed.notify_one();
          });
        });
  };
  EXPECT_TRUE(body(0ns).exhausted);
  EXPECT_EQ(seen, (std::set<bool>{true}));
  EXPECT_TRUE(body(60ms).exhausted);
  EXPECT_EQ(seen, (std::set<bool>{false, true}));
}

TEST(ScheduleExplorer, time_passes_when_nothing_else_can_happen) {
  const Report report = explore({.search = Search::Exhaustive}, [] {
    Mutex mutex;
    Condition never;
    const TimePoint begin = Clock::now();
    std::unique_lock lock(mutex);
    check(!never.wait_until(lock, begin + 5s), "notified by nobody");
    check(Clock::now() == begin + 5s, "time passed otherwise");
    check(num_idle() == 1, "not counted");
  });
  EXPECT_FALSE(report.failure) << report.failure->text;
}

TEST(ScheduleExplorer, a_busy_wait_ends) {
  for (const bool polite : {true, false}) {
    for (const Search search : kAll) {
      const Report report = explore({.search = search, .schedules = 50, .preemptions = 1}, [&] {
        Atomic<bool> ready{false};
        Thread waiter([&] {
          while (!ready) {
            if (polite) pause();
          }
        });
        Thread setter([&] { ready = true; });
      });
      EXPECT_FALSE(report.failure) << report.failure->text;
    }
  }
}

TEST(ScheduleExplorer, what_does_not_end_is_a_failure) {
  const Report steps = explore({.schedules = 1}, [] {
    Atomic<bool> never{false};
    while (!never) {}
  });
  ASSERT_TRUE(steps.failure);
  EXPECT_THAT(steps.failure->text, HasSubstr("does not end"));
  const Report sleeps = explore({.schedules = 1}, [] {
    Mutex mutex;
    Condition never;
    std::unique_lock lock(mutex);
    for (;;) never.wait_until(lock, Clock::now() + 100ms);
  });
  ASSERT_TRUE(sleeps.failure);
  EXPECT_THAT(sleeps.failure->text, HasSubstr("no progress"));
}

TEST(ScheduleExplorer, an_exception_out_of_a_thread_is_a_failure) {
  const Report report = explore({}, [] { Thread thrower([] { throw std::runtime_error("lost"); }); });
  ASSERT_TRUE(report.failure);
  EXPECT_THAT(report.failure->text, HasSubstr("lost"));
}

// Each fibre has exceptions of its own, also while it handles one.
TEST(ScheduleExplorer, exceptions_stay_with_their_thread) {
  const Report report = explore({.search = Search::RandomWalk, .schedules = 200}, [] {
    const auto handle = [](int mine) {
      try {
        throw mine;
      } catch (...) {
        hook("in handler");
        try {
          throw;
        } catch (int seen) {
          hook("in inner handler");
          check(seen == mine, "another thread's exception");
        }
      }
    };
    Thread first([&] { handle(1); }), second([&] { handle(2); });
  });
  EXPECT_FALSE(report.failure) << report.failure->text;
}

TEST(ScheduleExplorer, locals_are_the_threads_own_and_end_with_it) {
  struct Local {
    int value = 0;
    int* ended = nullptr;
    ~Local() {
      hook("end of a local");
      if (ended) ++*ended;
    }
  };
  const Report report = explore({.schedules = 100}, [] {
    int ended = 0;
    {
      const auto use = [&](int mine) {
        check(local<Local>().value == 0, "not fresh");
        local<Local>().value = mine;
        local<Local>().ended = &ended;
        hook("used");
        check(local<Local>().value == mine, "another thread's");
      };
      Thread first([&] { use(1); }), second([&] { use(2); });
    }
    check(ended == 2, "two locals end");
  });
  EXPECT_FALSE(report.failure) << report.failure->text;
}

TEST(ScheduleExplorer, quiet_parts_are_not_explored) {
  const Report report = explore({.search = Search::Exhaustive, .preemptions = 3}, [] {
    const Quiet quiet;
    Atomic<int> count{0};
    Thread first([&] { count = count + 1; }), second([&] { count = count + 1; });
  });
  EXPECT_TRUE(report.exhausted);
  EXPECT_EQ(report.schedules, 1u + 3u);  // one at each bound
  EXPECT_EQ(report.decisions, 0u);
}

TEST(ScheduleExplorer, equal_seeds_give_equal_searches) {
  const auto run = [](uint64_t seed) {
    std::string all;
    (void)explore({.schedules = 50, .seed = seed}, [&] {
      Atomic<int> shared{0};
      const auto access = [&](char name) {
        for (int i = 0; i < 6; ++i) {
          shared.fetch_add(1);
          all += name;
        }
      };
      Thread first([&] { access('a'); }), second([&] { access('b'); });
    });
    return all;
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

TEST(ScheduleExplorer, a_failure_replays) {
  const Report found = explore({}, lose_an_increment);
  ASSERT_TRUE(found.failure);
  setenv("BERTH_SCHEDULE_REPLAY", found.failure->replay.c_str(), 1);
  const Report again = explore({}, lose_an_increment);
  setenv("BERTH_SCHEDULE_REPLAY", "usual", 1);
  const Report usual = explore({}, lose_an_increment);
  setenv("BERTH_SCHEDULE_REPLAY", "12", 1);
  const Report broken = explore({}, lose_an_increment);
  unsetenv("BERTH_SCHEDULE_REPLAY");
  EXPECT_EQ(again.schedules, 1u);
  ASSERT_TRUE(again.failure);
  EXPECT_THAT(again.failure->text, HasSubstr("an increment is lost"));
  EXPECT_FALSE(usual.failure);
  ASSERT_TRUE(broken.failure);
  EXPECT_THAT(broken.failure->text, HasSubstr("is no schedule"));
}

TEST(ScheduleExplorer, schedules_read_as_written) {
  const Deviations deviations{{12, 2}, {40, kTime}};
  EXPECT_EQ(to_string(deviations), "12:2,40:t");
  const auto read = parse_deviations("12:2,40:t");
  ASSERT_TRUE(read);
  EXPECT_EQ(to_string(*read), "12:2,40:t");
  for (const char* text : {"12", "12:", ":2", "12:x", "a:1", "12:2,,", "12:2;40:t"})
    EXPECT_FALSE(parse_deviations(text)) << text;
}

TEST(ScheduleExplorerDeathTest, a_schedule_that_aborts_says_how_to_replay_it) {
  EXPECT_DEATH(explore({.name = "fatal"},
                       [] {
                         Thread first([] { hook("here"); });
                         std::abort();
                       }),
               "schedule fatal aborted: BERTH_SCHEDULE_REPLAY=");
}

TEST(ScheduleExplorer, misuse_of_a_mutex_is_a_failure) {
  const Report twice = explore({.schedules = 1}, [] {
    Mutex mutex;
    mutex.lock();
    mutex.lock();
  });
  ASSERT_TRUE(twice.failure);
  EXPECT_THAT(twice.failure->text, HasSubstr("locks a mutex that it holds"));
  const Report other = explore({.schedules = 1}, [] {
    Mutex mutex;
    mutex.unlock();
  });
  ASSERT_TRUE(other.failure);
  EXPECT_THAT(other.failure->text, HasSubstr("does not hold"));
}

}  // namespace
}  // namespace berth::schedule
