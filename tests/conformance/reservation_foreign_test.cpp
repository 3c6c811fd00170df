// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Foreign collectors: with a call-shaped one every engine lock is taken inside its hook (G48); one that is a
// global lock (G49).
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <string>

#include "berth/gc.h"
#include "engine/handles.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/stub_compiler.hpp"
#include "tests/support/test_engine.hpp"

namespace berth {
namespace {

using namespace test;
using namespace std::chrono_literals;

const char keys[512] = {};
Key key(int n) { return {&keys[n], nullptr}; }
ReserveOptions within(int64_t ns) {
  ReserveOptions options;
  options.deadline = Deadline::in(ns);
  return options;
}
template <class T>
berth_code_t code_of(const Result<T>& result) {
  return result.has_error() ? result.assume_error().code() : BERTH_OK;
}
SourcePtr opaque(int n) {
  auto source = std::make_unique<engine::Source>();
  source->body = std::make_unique<engine::OpaqueBody>(entry_of(n), nullptr);
  return source;
}

/// A call-shaped collector that checks who is inside its hook.
class CallShaped {
 public:
  static inline thread_local int depth = 0;
  struct Inside {
    Inside() { ++depth; }
    ~Inside() { --depth; }
  };

  EngineOptions options() {
    EngineOptions options;
    gc::Hooks& hooks = options.collector.hooks;
    hooks.foreign = true;
    hooks.context = this;
    hooks.table.struct_size = sizeof hooks.table;
    hooks.table.call_safe = [](void* self, void (*function)(void*), void* argument) {
      static_cast<CallShaped*>(self)->calls.fetch_add(1, std::memory_order_relaxed);
      const Inside inside;
      function(argument);
    };
    hooks.table.is_live = [](void* self, const void* object) {
      return static_cast<int>(object != static_cast<CallShaped*>(self)->dead);
    };
    return options;
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    offences_.clear();
  }
  /// The names of locks of the ranks of collector and engine that a thread took outside.
  std::set<std::string> offences() {
    const std::lock_guard lock(mutex_);
    return offences_;
  }

  std::atomic<int> calls{0};
  const void* dead = nullptr;

 private:
  std::mutex mutex_;
  std::set<std::string> offences_;
  latch::Hook hook_{"lock", [this](const void* subject) {
                      const Rank& rank = *static_cast<const Rank*>(subject);
                      if (depth > 0 || rank.value < 200 || rank.value > 399) return;
                      const std::lock_guard lock(mutex_);
                      offences_.insert(rank.name);
                    }};
};

// What the test's own helpers look up under engine locks.
void until_waiting(TestEngine::Worker& worker) {
  const CallShaped::Inside inside;
  worker.until_waiting();
}

TEST(CallShaped, G48_every_engine_lock_is_taken_inside_the_hook) {
  StubCompiler stub;
  CallShaped collector;
  EngineOptions options = collector.options();
  options.has_compiler_hooks = true;
  options.compiler_hooks = stub.hooks();
  options.compiler_context = &stub;
  options.traits = {sizeof options.traits, nullptr, [](void*, const void*) -> uint64_t { return 7; },
                    [](void*, const void* a, const void* b) { return static_cast<int>(a == b); }, nullptr};
  TestEngine engine(options);
  collector.forget();  // a new engine's own lists: nobody else was there yet

  // Results, failures, worlds, groups.
  const int owner = 0;
  engine.release(engine.take({&keys[0], &owner}), native(entry_of(0)));
  EXPECT_EQ(engine.reserve({&keys[0], &owner}).assume_value().outcome, Outcome::Published);
  ASSERT_TRUE(engine
                  ->release_error(engine.thread(), engine.take(key(1)),
                                  make_error(BERTH_COMPILE_FAILED, "", "x", ""), -1)
                  .has_value());
  EXPECT_EQ(code_of(engine.reserve(key(1))), BERTH_COMPILE_FAILED);
  const Lease group[] = {engine.take(key(2)), engine.take(key(3))};
  SourcePtr sources[] = {native(entry_of(2)), with_edge(native(entry_of(3)), group[0].instance)};
  ASSERT_TRUE(engine->publish(engine.thread(), group, sources).has_value());
  engine.release(group[0]);
  engine.release(group[1]);
  const uint64_t world = engine->world();
  engine.release(engine.take(key(4)), with_worlds(native(entry_of(4)), world, world));
  engine::CodeInstance* const finite = engine->lookup(key(4), 0).get();
  ASSERT_TRUE(engine->promote(std::span(&finite, 1), world).assume_value());
  engine->advance_world();
  ASSERT_TRUE(engine->invalidate(*engine->lookup(key(2), 0), world).has_value());

  // Waits: handed over, served, timed out, cancelled, in a ring, shared with another thread's release.
  Lease held = engine.take(key(10));
  auto first = engine.spawn([&](gc::Thread& thread) {
    auto got = engine->reserve(thread, key(10), {});
    engine.release(thread, got.assume_value().lease, native(entry_of(10)));
  });
  until_waiting(*first);
  auto second = engine.spawn([&](gc::Thread& thread) {
    EXPECT_EQ(engine->reserve(thread, key(10), {}).assume_value().outcome, Outcome::Published);
  });
  until_waiting(*second);
  EXPECT_NE(engine->explain().find("waiting_ns"), std::string::npos);
  engine.release(held);
  first->join();
  second->join();
  held = engine.take(key(11));
  engine::Cancel cancel(&engine->collector().hooks());
  Gate taken;
  auto third = engine.spawn([&](gc::Thread& thread) {
    EXPECT_EQ(code_of(engine->reserve(thread, key(11), within(1'000'000))), BERTH_TIMED_OUT);
    const Lease other = engine.take(thread, key(12));
    taken.open();
    ReserveOptions cancelled;
    cancelled.cancel = &cancel;
    EXPECT_EQ(code_of(engine->reserve(thread, key(11), cancelled)), BERTH_CANCELLED);
    engine.release(thread, other);
  });
  taken.wait();
  until_waiting(*third);
  auto ring = engine.reserve(key(12));
  EXPECT_EQ(ring.assume_value().outcome, Outcome::Cycle);
  engine.release(ring.assume_value().lease);
  cancel.fire();
  third->join();
  engine.release(held);

  // Agents and threads that go with their leases; leases ended elsewhere; more tokens than an agent keeps.
  engine::Agent* agent = engine->new_agent("mortal").assume_value();
  engine::Agent* const own = engine->set_agent(engine.thread(), agent).assume_value();
  engine.take(key(20));
  ASSERT_TRUE(engine->set_agent(engine.thread(), own).has_value());
  ASSERT_TRUE(engine->delete_agent(agent).has_value());
  std::vector<Lease> many;
  engine.spawn([&](gc::Thread& thread) { engine.take(thread, key(21)); })->join();
  for (int i = 0; i < 200; ++i) many.push_back(engine.take(key(100 + i)));
  engine
      .spawn([&](gc::Thread& thread) {
        for (const Lease& lease : many) engine.release(thread, lease);
      })
      ->join();

  // Compiles.
  engine.release(engine.take(key(30)), opaque(30));
  ReserveOptions entry;
  entry.need = Need::Entry;
  EXPECT_EQ(engine.reserve(key(30), entry).assume_value().outcome, Outcome::Published);
  engine::CodeInstanceRef compiled = engine->lookup(key(30), 0);
  EXPECT_EQ(engine->wait_entry(engine.thread(), *compiled, Deadline::never()).assume_value(), entry_of(30));
  ASSERT_TRUE(engine->invalidate(*compiled, 0).has_value());
  engine::Engine::release_reference(compiled.detach());

  // A sweep with a dead guard, whose holder another one waits behind, then with a dead key.
  const int guard = 0;
  ReserveOptions guarded;
  guarded.guard = &guard;
  const Lease lost = engine.take(key(40), guarded);
  auto heir = engine.spawn(
      [&](gc::Thread& thread) { engine.release(thread, engine.take(thread, key(40)), result_only()); });
  until_waiting(*heir);
  for (const void* dead : {static_cast<const void*>(&guard), static_cast<const void*>(&keys[40])}) {
    collector.dead = dead;
    berth_engine_sweep(engine::to_handle(&*engine));
    heir->join();
  }
  EXPECT_EQ(code_of(engine->release(engine.thread(), lost, nullptr)), BERTH_STALE_LEASE);
  EXPECT_FALSE(engine->lookup(key(40), 0));
  engine.release(engine.take(key(41)));  // what the sweeps left to be done is done by a release

  EXPECT_FALSE(engine->metrics().empty());
  EXPECT_GT(engine.counts().reserved, 0u);
  {
    const CallShaped::Inside inside;
    engine.expect_at_rest();
  }
  ASSERT_TRUE(engine->shutdown().has_value());
  EXPECT_EQ(collector.offences(), std::set<std::string>{});
  EXPECT_GT(collector.calls, 0);
}

TEST(CallShaped, G48_what_a_part_throws_passes_the_hook) {
  CallShaped collector;
  TestEngine engine(collector.options());
  const Lease held = engine.take(key(50));
  {
    const latch::Hook hook("queue", [&](const void*) { throw std::bad_alloc(); });
    engine
        .spawn([&](gc::Thread& thread) {
          EXPECT_THROW(static_cast<void>(engine->reserve(thread, key(50), {}).has_value()), std::bad_alloc);
          EXPECT_EQ(CallShaped::depth, 0);
        })
        ->join();
  }
  engine.release(held);
  const CallShaped::Inside inside;
  engine.expect_at_rest();
}

}  // namespace
}  // namespace berth
