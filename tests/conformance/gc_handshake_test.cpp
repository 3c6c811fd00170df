// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "threads and garbage collection": handshakes with one thread (G25) and late threads (G24).
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/support/gc_world.hpp"

namespace berth {
namespace {

using namespace test;

/// Asks `id` from a thread of its own; what handshake returned.
bool ask(gc::Collector& collector, uint64_t id, const std::function<void(gc::Thread&)>& function) {
  bool done = false;
  std::thread asker([&] {
    AttachedThread self(collector);
    done = collector.handshake(*self, id, function);
  });
  asker.join();
  return done;
}

TEST(GcHandshake, G25_a_running_thread_does_it_itself_at_a_poll) {
  const Watchdog watchdog{60s};
  GcWorld world;
  std::atomic<bool> done{false};
  std::atomic<uint64_t> id{0};
  std::thread target([&] {
    AttachedThread self(world.collector);
    id = self->id;
    id.notify_all();
    while (!done.load()) self->safepoint();
  });
  id.wait(0);
  const std::thread::id native = target.get_id();
  int runs = 0;
  EXPECT_TRUE(ask(world.collector, id, [&](gc::Thread& thread) {
    ++runs;
    EXPECT_EQ(thread.id, id.load());
    EXPECT_EQ(std::this_thread::get_id(), native);
  }));
  EXPECT_EQ(runs, 1);
  done = true;
  target.join();
  EXPECT_TRUE(world.collector.is_idle());
}

TEST(GcHandshake, G25_for_a_safe_thread_the_asker_does_it_and_keeps_it_from_leaving) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Gate may_leave, waits;
  std::atomic<uint64_t> id{0};
  std::atomic<std::thread::id> leaver{};
  std::atomic<bool> left{false};
  // It stands at a lock that the asker holds: in its leave, or in its detach, should that be too late.
  const latch::Hook hook("lock", [&](const void* subject) {
    const auto rank = static_cast<const Rank*>(subject)->value;
    if (std::this_thread::get_id() == leaver.load() &&
        (rank == gc::kRankRegistry.value || rank == gc::kRankHandshake.value))
      waits.open();
  });
  std::thread target([&] {
    AttachedThread self(world.collector);
    {
      const gc::SafeRegion region(*self);
      id = self->id;
      id.notify_all();
      may_leave.wait();
    }
    left = true;
  });
  id.wait(0);
  const std::thread::id native = target.get_id();
  EXPECT_TRUE(ask(world.collector, id, [&](gc::Thread&) {
    EXPECT_NE(std::this_thread::get_id(), native);
    leaver = native;
    may_leave.open();
    waits.wait();
    EXPECT_FALSE(left.load());
  }));
  target.join();
  EXPECT_TRUE(left.load());
}

// The asker's first look finds it unsafe, and it never polls again.
TEST(GcHandshake, G25_ends_when_the_thread_goes_safe_without_a_poll) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Gate posted, done;
  std::atomic<uint64_t> id{0};
  std::thread target([&] {
    AttachedThread self(world.collector);
    id = self->id;
    id.notify_all();
    posted.wait();
    const gc::SafeRegion region(*self);
    done.wait();
  });
  id.wait(0);
  std::atomic<int> slices{0};
  const latch::Hook hook("gc-handshake-wait", [&](const void*) {
    if (++slices == 2) posted.open();
  });
  bool ran = false;
  EXPECT_TRUE(ask(world.collector, id, [&](gc::Thread&) { ran = true; }));
  EXPECT_TRUE(ran);
  done.open();
  target.join();
}

TEST(GcHandshake, G25_ends_when_the_thread_exits_or_never_was) {
  const Watchdog watchdog{60s};
  for (const bool by_exit : {false, true}) {
    GcWorld world;
    Gate asked;
    std::atomic<uint64_t> id{0};
    gc::Agent agent{"exits"};
    gc::Thread record;
    std::thread target([&] {
      ASSERT_FALSE(world.collector.attach(record, agent).has_error());
      id = record.id;
      id.notify_all();
      asked.wait();
      if (!by_exit) world.collector.detach(record);
    });
    id.wait(0);
    // The asker has found it Unsafe once and looks again only when it is gone: a detach is Safe before it is
    // over, and is served then.
    const latch::Hook hook("gc-handshake-wait", [&](const void*) {
      asked.open();
      if (target.joinable()) target.join();
    });
    bool ran = false;
    EXPECT_FALSE(ask(world.collector, id, [&](gc::Thread&) { ran = true; }));
    EXPECT_FALSE(target.joinable());
    EXPECT_FALSE(ask(world.collector, id, [&](gc::Thread&) { ran = true; }));
    EXPECT_FALSE(ran);
  }
}

TEST(GcHandshake, G25_beside_a_detach_it_runs_or_tells_that_it_did_not) {
  const Watchdog watchdog{60s};
  GcWorld world;
  for (int round = 0; round < 300; ++round) {
    std::atomic<uint64_t> id{0};
    Gate posted;
    std::thread target([&] {
      AttachedThread self(world.collector);
      id = self->id;
      id.notify_all();
      posted.wait();
    });
    id.wait(0);
    const latch::Hook hook("gc-handshake", [&](const void*) { posted.open(); });
    bool ran = false;
    EXPECT_EQ(ask(world.collector, id, [&](gc::Thread&) { ran = true; }), ran);
    target.join();
  }
  EXPECT_TRUE(world.collector.is_idle());
}

TEST(GcHandshake, G25_ends_when_the_thread_waits_in_a_stop) {
  const Watchdog watchdog{60s};
  GcWorld world;
  std::atomic<bool> done{false};
  std::atomic<uint64_t> id{0};
  std::thread target([&] {
    AttachedThread self(world.collector);
    id = self->id;
    id.notify_all();
    while (!done.load()) self->safepoint();
  });
  id.wait(0);
  Gate safe, stopped;
  std::atomic<bool> resumed{false};
  std::thread asker([&] {
    AttachedThread self(world.collector);
    const gc::SafeRegion region(*self);
    safe.open();
    stopped.wait();
    // Not during the stop, which may be moving what the function looks at.
    EXPECT_TRUE(world.collector.handshake(*self, id, [&](gc::Thread&) { EXPECT_TRUE(resumed.load()); }));
  });
  safe.wait();
  Pause pause("gc-stopped");
  std::thread collecting([&] {
    AttachedThread self(world.collector);
    world.collector.collect(*self);
  });
  pause.until_reached();
  Gate waits;
  const latch::Hook on_lock("lock", [&, native = asker.get_id()](const void* rank) {
    if (static_cast<const Rank*>(rank)->value == gc::kRankRegistry.value &&
        std::this_thread::get_id() == native)
      waits.open();
  });
  stopped.open();
  waits.wait();  // the asker, for the end of the stop
  resumed = true;
  pause.release();
  asker.join();
  done = true;
  target.join();
  collecting.join();
}

TEST(GcHandshake, G25_of_itself_and_of_a_foreign_collectors_thread) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  bool ran = false;
  EXPECT_TRUE(
      world.collector.handshake(*self, self->id, [&](gc::Thread& thread) { ran = &thread == &*self; }));
  EXPECT_TRUE(ran);
  gc::CollectorOptions options;
  options.hooks.foreign = true;
  GcWorld other(options);
  AttachedThread foreign(other.collector);
  EXPECT_FALSE(other.collector.handshake(*foreign, foreign->id, [](gc::Thread&) { ADD_FAILURE(); }));
}

// Everybody asks everybody while the world is stopped again and again; a canary shows that nobody runs beside
// the function.
TEST(GcHandshake, G25_threads_ask_each_other_under_collections) {
  const Watchdog watchdog{60s};
  GcWorld world;
  constexpr int kThreads = 3, kRounds = 300;
  std::array<std::atomic<uint64_t>, kThreads> ids{};
  std::array<uint64_t, kThreads * 16>
      canaries{};  // plain: each is its thread's, and whoever has its handshake reads it
  std::atomic<int> finished{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      AttachedThread self(world.collector);
      const auto mine = static_cast<size_t>(i);
      ids[mine] = self->id;
      for (int round = 0; round < kRounds; ++round) {
        const auto other = static_cast<size_t>((i + 1 + round % (kThreads - 1)) % kThreads);
        ++canaries[mine * 16];
        if (const uint64_t id = ids[other].load()) {
          world.collector.handshake(*self, id, [&](gc::Thread&) {
            const uint64_t before = canaries[other * 16];
            std::this_thread::yield();
            EXPECT_EQ(canaries[other * 16], before);
          });
        }
        if (round % 32 == i) world.collector.collect(*self);
        self->safepoint();
      }
      ++finished;
      while (finished.load() < kThreads) self->safepoint();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(world.collector.is_idle());
}

TEST(GcLate, G24_a_late_thread_is_named_every_second_with_its_last_transition) {
  const Watchdog watchdog{60s};
  const std::string path = testing::TempDir() + "late_trace." + std::to_string(::getpid()) + ".json";
  Trace trace;
  ASSERT_FALSE(trace.start(path.c_str()).has_error());
  gc::CollectorOptions options;
  options.trace = &trace;
  GcWorld world(options);
  std::atomic<uint64_t> id{0};
  Gate may_poll;
  std::thread late([&] {
    AttachedThread self(world.collector);
    { const gc::SafeRegion region(*self); }
    id = self->id;
    id.notify_all();
    may_poll.wait();  // unsafe
    self->safepoint();
  });
  id.wait(0);
  std::thread collecting([&] {
    AttachedThread self(world.collector);
    world.collector.collect(*self);
  });
  const std::string sample =
      "berth_gc_late_thread_ms{thread=\"" + std::to_string(id.load()) + "\",last_transition=\"safe_leave\"} ";
  std::string metrics;
  const auto ask_metrics = [&] {
    metrics.clear();
    world.collector.metrics(metrics);  // does not wait for the stop
  };
  for (uint64_t named = 0; named < 2; std::this_thread::yield()) {
    ask_metrics();
    const size_t at = metrics.find(sample);
    if (at == std::string::npos) continue;
    named = std::stoull(metrics.substr(at + sample.size())) / 1000;  // once after 1 s, again after 2 s
    EXPECT_NE(metrics.find("berth_gc_late_threads 1\n"), std::string::npos);
  }
  const std::string counter = "\nberth_gc_late_threads_total ";
  const auto num_counted = [&] {
    ask_metrics();
    return std::stoull(metrics.substr(metrics.find(counter) + counter.size()));
  };
  while (num_counted() < 2) std::this_thread::yield();
  may_poll.open();
  collecting.join();
  late.join();
  const uint64_t counted = num_counted();
  EXPECT_NE(metrics.find("berth_gc_late_threads 0\n"), std::string::npos) << metrics;
  EXPECT_EQ(metrics.find("berth_gc_late_thread_ms"), std::string::npos) << metrics;
  ASSERT_FALSE(trace.stop().has_error());
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string event =
      "\"thread\":" + std::to_string(id.load()) + ",\"last_transition\":\"safe_leave\",\"late_ms\":";
  // As often as it was counted: twice, and once more for each second that this thread was late itself.
  uint64_t traced = 0;
  for (size_t at = 0; (at = text.str().find(event, at)) != std::string::npos; at += event.size()) ++traced;
  EXPECT_EQ(traced, counted) << text.str();
  std::remove(path.c_str());
}

TEST(GcLate, G24_time_to_safepoint_counts_from_the_request) {
  const Watchdog watchdog{60s};
  GcWorld world;
  AttachedThread self(world.collector);
  constexpr auto kHeld = 20ms;
  // The collector's turn comes late: after the request, before the raise.
  const latch::Hook hook("gc-own", [&](const void*) {
    const auto end = std::chrono::steady_clock::now() + kHeld;
    while (std::chrono::steady_clock::now() < end) {}
  });
  world.collector.collect(*self);
  EXPECT_GE(world.collector.recent_stops().back().asked_to_raised, 20'000'000u);
  std::string metrics;
  world.collector.metrics(metrics);
  const std::string sum = "berth_gc_time_to_safepoint_seconds_sum ";
  const size_t at = metrics.find(sum);
  ASSERT_NE(at, std::string::npos) << metrics;
  EXPECT_GE(std::stod(metrics.substr(at + sum.size())), 0.02);
}

}  // namespace
}  // namespace berth
