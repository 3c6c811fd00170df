// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "threads and garbage collection": every blocking wait is Safe (G16, G15), and waiters that a
// foreign collector recruits.
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>

#include "engine/handles.hpp"
#include "gc/safe_mutex.hpp"
#include "gc/safe_upgrade_mutex.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/stub_compiler.hpp"
#include "tests/support/test_engine.hpp"

namespace berth {
namespace {

using namespace test;
using namespace std::chrono_literals;

/// A thread that blocks in `body` while this one collects; `end` lets it go. `name`: of the wait, as
/// check_all_safe is told.
class Waits {
 public:
  explicit Waits(EngineOptions options = {}) : engine(options) {}

  void collect_during(const char* name, const std::function<void(gc::Thread&)>& body,
                      const std::function<void()>& end) {
    SCOPED_TRACE(name);
    Gate blocks;
    std::atomic<std::thread::id> native{};
    const latch::Hook hook("gc-block", [&](const void* what) {
      if (std::strcmp(static_cast<const char*>(what), name) == 0 &&
          std::this_thread::get_id() == native.load())
        blocks.open();
    });
    auto worker = engine.spawn([&](gc::Thread& thread) {
      native = std::this_thread::get_id();
      body(thread);
    });
    collect_when(blocks);
    end();
    worker->join();
    EXPECT_TRUE(reached.insert(name).second);
  }
  /// The collection ends though the wait does not.
  void collect_when(Gate& blocks) {
    {
      const gc::SafeRegion region(engine.thread());
      blocks.wait();
    }
    engine->collector().collect(engine.thread());
  }

  TestEngine engine;
  std::set<std::string> reached;
};

TEST(GcWaits, G16_a_collection_ends_during_each_wait_of_the_library) {
  Waits waits;
  TestEngine& engine = waits.engine;
  gc::Thread& self = engine.thread();
  {
    gc::SafeMutex mutex{Rank{50, "test"}};
    std::optional<gc::SafeMutex::Guard> held(std::in_place, self, mutex);
    waits.collect_during(
        "a wait for a SafeMutex",
        [&](gc::Thread& thread) { const gc::SafeMutex::Guard guard(thread, mutex); }, [&] { held.reset(); });
  }
  {
    gc::SafeMutex mutex{Rank{50, "test"}};
    gc::SafeCondition condition;
    bool ready = false;
    waits.collect_during(
        "a wait for a SafeCondition",
        [&](gc::Thread& thread) {
          gc::SafeMutex::Guard guard(thread, mutex);
          EXPECT_TRUE(condition.wait_until(guard, sync::TimePoint::max(), [&] { return ready; }));
        },
        [&] {
          gc::SafeMutex::Guard guard(self, mutex);
          ready = true;
          condition.notify_all(guard);
        });
  }
  {
    gc::SafeUpgradeMutex mutex{Rank{50, "test"}};
    std::optional<gc::SafeUpgradeMutex::ExclusiveGuard> held(std::in_place, self, mutex);
    waits.collect_during(
        "a wait for a SafeUpgradeMutex",
        [&](gc::Thread& thread) { const gc::SafeUpgradeMutex::SharedGuard guard(thread, mutex); },
        [&] { held.reset(); });
  }
  {
    gc::SafeUpgradeMutex mutex{Rank{50, "test"}};
    std::optional<gc::SafeUpgradeMutex::SharedGuard> reader(std::in_place, self, mutex);
    waits.collect_during(
        "a wait for readers",
        [&](gc::Thread& thread) {
          gc::SafeUpgradeMutex::UpgradeGuard guard(thread, mutex);
          guard.upgrade();
        },
        [&] { reader.reset(); });
  }
  {
    static int method;
    const Lease lease = engine.take({&method, nullptr});
    waits.collect_during(
        "a park",
        [&](gc::Thread& thread) { engine.release(thread, engine.take(thread, {&method, nullptr})); },
        [&] { engine.release(lease); });
  }
  // Of this thread: it is in a collection, and answers at its end.
  waits.collect_during(
      "a handshake",
      [&](gc::Thread& thread) {
        EXPECT_TRUE(engine->collector().handshake(thread, self.id, [](gc::Thread&) {}));
      },
      [] {});
  // Those of a thread that meets a stop, collects, comes and goes: here one after the other by hand.
  std::set<std::string> others;
  std::mutex others_mutex;
  {
    const latch::Hook hook("gc-block", [&](const void* what) {
      const std::lock_guard lock(others_mutex);
      others.insert(static_cast<const char*>(what));
    });
    std::atomic<bool> done{false};
    auto polls = engine.spawn([&](gc::Thread& thread) {
      while (!done.load()) thread.safepoint();
    });
    static_cast<void>(polls->agent());
    std::atomic<bool> was_held{false};  // the stop may be over when the thread that it held comes to the hook
    const latch::Hook on_hold("gc-hold", [&](const void*) { was_held = true; });
    while (!was_held.load()) engine->collector().for_each_thread_stopped(self, [](gc::Thread&) {});
    done = true;
    polls->join();
  }
  waits.reached.insert(others.begin(), others.end());
  EXPECT_EQ(waits.reached,
            (std::set<std::string>{"a wait for a SafeMutex", "a wait for a SafeCondition",
                                   "a wait for a SafeUpgradeMutex", "a wait for readers", "a park",
                                   "a handshake", "a stop", "a collection", "an attach", "a detach"}));
}

TEST(GcWaits, G15_G16_a_collection_ends_during_a_compile_that_the_waiter_runs_itself) {
  Gate compiling, may_end;
  StubCompiler stub(false, [&](berth_job_t* job) {
    compiling.open();
    may_end.wait();
    StubCompiler::publish(job);
  });
  EngineOptions options;
  options.has_compiler_hooks = true;
  options.compiler_hooks = stub.hooks();
  options.compiler_context = &stub;
  Waits waits(options);
  TestEngine& engine = waits.engine;
  static int method;
  auto source = std::make_unique<engine::Source>();
  source->body = std::make_unique<engine::OpaqueBody>(entry_of(1), nullptr);
  engine.release(engine.take({&method, nullptr}), std::move(source));
  const engine::CodeInstanceRef instance = engine->lookup({&method, nullptr}, 0);
  ASSERT_TRUE(instance);
  auto worker = engine.spawn([&](gc::Thread& thread) {
    auto entry = engine->wait_entry(thread, *instance, Deadline::never());
    ASSERT_TRUE(entry.has_value());
    EXPECT_EQ(entry.assume_value(), entry_of(1));
  });
  waits.collect_when(compiling);
  EXPECT_FALSE(worker->is_done());
  may_end.open();
  worker->join();
}

TEST(GcWaits, G16_a_collection_ends_during_a_shutdown_that_waits_for_the_compiler) {
  Gate compiling, stopping, may_end;
  StubCompiler stub(true, [&](berth_job_t* job) {
    compiling.open();
    may_end.wait();
    StubCompiler::publish(job);
  });
  EngineOptions options;
  options.has_compiler_hooks = true;
  options.compiler_hooks = stub.hooks();
  options.compiler_context = &stub;
  Waits waits(options);
  TestEngine& engine = waits.engine;
  static int method;
  auto source = std::make_unique<engine::Source>();
  source->body = std::make_unique<engine::OpaqueBody>(entry_of(1), nullptr);
  engine.release(engine.take({&method, nullptr}), std::move(source));
  compiling.wait();
  auto worker = engine.spawn([&](gc::Thread&) {
    stopping.open();
    EXPECT_FALSE(engine->shutdown().has_error());
  });
  waits.collect_when(stopping);
  EXPECT_FALSE(worker->is_done());
  may_end.open();
  worker->join();
}

/// What a foreign collector's hooks are told, per native thread.
struct Foreign {
  std::mutex mutex;
  std::condition_variable changed;
  int waiters_at_safepoint = 0;
  std::thread::id main = std::this_thread::get_id();
  static inline thread_local int depth = 0;

  EngineOptions options() {
    EngineOptions options;
    berth_gc_hooks_t& hooks = options.collector.hooks.table;
    hooks.struct_size = sizeof hooks;
    hooks.safe_enter = [](void*) { return depth++; };
    hooks.safe_leave = [](void*, int previous) { EXPECT_EQ(--depth, previous); };
    hooks.safepoint = [](void* context) {
      auto& self = *static_cast<Foreign*>(context);
      EXPECT_EQ(depth, 0);  // safe was left
      const std::lock_guard lock(self.mutex);
      if (std::this_thread::get_id() != self.main) ++self.waiters_at_safepoint;
      self.changed.notify_all();
    };
    options.collector.hooks.context = this;
    options.collector.hooks.foreign = true;
    return options;
  }
};

TEST(GcWaits, G47_a_foreign_collector_recruits_n_waiters_which_wait_on_in_their_places) {
  Foreign foreign;
  TestEngine engine(foreign.options());
  static int method;
  const Key key{&method, nullptr};
  const Lease lease = engine.take(key);
  std::vector<int> order;
  std::vector<std::unique_ptr<TestEngine::Worker>> waiters;
  Tally parked;
  const latch::Hook on_park("gc-parked", [&](const void*) { parked.add(); });
  for (int i = 0; i < 3; ++i) {
    waiters.push_back(engine.spawn([&, i](gc::Thread& thread) {
      const Lease mine = engine.take(thread, key);
      order.push_back(i);  // guarded by the key
      engine.release(thread, mine);
    }));
    waiters.back()->until_waiting();
  }
  parked.until(3);
  {
    const std::lock_guard lock(foreign.mutex);
    foreign.waiters_at_safepoint = 0;
  }
  berth_engine_recruit(engine::to_handle(&*engine), 2);
  {
    std::unique_lock lock(foreign.mutex);
    foreign.changed.wait(lock, [&] { return foreign.waiters_at_safepoint >= 2; });
    EXPECT_EQ(foreign.waiters_at_safepoint, 2);
  }
  for (const auto& waiter : waiters) {
    const sync::Lock lock(engine.impl().graph.mutex());
    EXPECT_TRUE(waiter->agent().waiting);
  }
  engine.release(lease);
  waiters.clear();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  engine.expect_at_rest();
}

}  // namespace
}  // namespace berth
