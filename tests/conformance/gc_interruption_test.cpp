// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "threads and garbage collection": interruption of Boost.Thread on attached threads (G19).
#include <atomic>
#include <boost/thread/thread.hpp>
#include <cstring>

#include "berth/thread.h"
#include "engine/handles.hpp"
#include "gc/safe_mutex.hpp"
#include "gc/safe_upgrade_mutex.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/test_engine.hpp"

namespace berth {
namespace {

using namespace test;

/// Interrupts a thread of Boost's while it blocks in `body`: the wait goes on until `end`, nothing is thrown,
/// and the request stays.
void interrupt_during(TestEngine& engine, const char* name, const std::function<void(gc::Thread&)>& body,
                      const std::function<void()>& end) {
  SCOPED_TRACE(name);
  Gate attached, blocks;
  std::atomic<std::thread::id> native{};
  std::atomic<bool> returned{false}, requested{false};
  const latch::Hook hook("gc-block", [&](const void* what) {
    if (std::strcmp(static_cast<const char*>(what), name) == 0 && std::this_thread::get_id() == native.load())
      blocks.open();
  });
  boost::thread thread([&] {
    gc::Thread* self = engine->attach().assume_value();
    attached.open();
    native = std::this_thread::get_id();
    body(*self);
    requested = boost::this_thread::interruption_requested();
    returned = true;
    engine->detach(*self);
  });
  {
    const gc::SafeRegion region(engine.thread());
    attached.wait();
    blocks.wait();
    thread.interrupt();
  }
  engine->collector().collect(engine.thread());  // the interrupted wait is Safe
  EXPECT_FALSE(returned.load());
  end();
  const gc::SafeRegion region(engine.thread());
  const boost::this_thread::disable_interruption uninterrupted;
  thread.join();
  EXPECT_TRUE(returned.load());
  EXPECT_TRUE(requested.load());
}

TEST(GcInterruption, G19_an_interrupted_wait_goes_on_and_breaks_no_lock) {
  TestEngine engine;
  gc::Thread& self = engine.thread();
  for (int round = 0; round < 2; ++round) {  // the second finds every lock as it was
    gc::SafeMutex mutex{Rank{50, "test"}};
    gc::SafeCondition condition;
    bool ready = false;
    {
      std::optional<gc::SafeMutex::Guard> held(std::in_place, self, mutex);
      interrupt_during(
          engine, "a wait for a SafeMutex",
          [&](gc::Thread& thread) { const gc::SafeMutex::Guard guard(thread, mutex); },
          [&] { held.reset(); });
    }
    interrupt_during(
        engine, "a wait for a SafeCondition",
        [&](gc::Thread& thread) {
          gc::SafeMutex::Guard guard(thread, mutex);
          EXPECT_TRUE(condition.wait_until(guard, sync::TimePoint::max(), [&] { return ready; }));
        },
        [&] {
          gc::SafeMutex::Guard guard(self, mutex);
          ready = true;
          condition.notify_all(guard);
        });
    gc::SafeUpgradeMutex upgrade{Rank{51, "test"}};
    {
      std::optional<gc::SafeUpgradeMutex::ExclusiveGuard> held(std::in_place, self, upgrade);
      interrupt_during(
          engine, "a wait for a SafeUpgradeMutex",
          [&](gc::Thread& thread) { const gc::SafeUpgradeMutex::SharedGuard guard(thread, upgrade); },
          [&] { held.reset(); });
    }
    {
      std::optional<gc::SafeUpgradeMutex::SharedGuard> reader(std::in_place, self, upgrade);
      interrupt_during(
          engine, "a wait for readers",
          [&](gc::Thread& thread) {
            gc::SafeUpgradeMutex::UpgradeGuard guard(thread, upgrade);
            guard.upgrade();
          },
          [&] { reader.reset(); });
    }
    static int method;
    const Lease lease = engine.take({&method, nullptr});
    interrupt_during(
        engine, "a park",
        [&](gc::Thread& thread) {
          berth_reservation_t reservation{};
          EXPECT_EQ(berth_reserve(engine::to_handle(&thread), {&method, nullptr}, nullptr, &reservation),
                    nullptr);
          EXPECT_EQ(berth_release(engine::to_handle(&thread), reservation.lease, nullptr), nullptr);
        },
        [&] { engine.release(lease); });
  }
  engine.expect_at_rest();
}

// Held by a stop, at a poll; the collector notices nothing.
TEST(GcInterruption, G19_a_thread_that_a_stop_holds_is_not_interrupted) {
  TestEngine engine;
  std::atomic<bool> done{false}, through{false};
  Gate held;
  const latch::Hook on_hold("gc-hold", [&](const void*) { held.open(); });
  boost::thread thread([&] {
    gc::Thread* self = engine->attach().assume_value();
    while (!done.load()) berth_thread_safepoint(engine::to_handle(self));
    through = true;
    engine->detach(*self);
  });
  bool stopped = false;
  while (!stopped) {
    engine->collector().for_each_thread_stopped(engine.thread(), [&](gc::Thread& each) {
      if (&each == &engine.thread() || !held.is_open()) return;
      thread.interrupt();
      stopped = true;
    });
  }
  engine->collector().collect(engine.thread());
  done = true;
  const gc::SafeRegion region(engine.thread());
  const boost::this_thread::disable_interruption uninterrupted;
  thread.join();
  EXPECT_TRUE(through.load());
}

}  // namespace
}  // namespace berth
