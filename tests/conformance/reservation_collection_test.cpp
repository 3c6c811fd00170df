// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract rows R45 to R47 through real collections: Berth's own, and a foreign collector's sweep through the
// C API's hooks.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "engine/handles.hpp"
#include "gc/heap.hpp"
#include "support/latch.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/test_engine.hpp"

namespace berth::test {
namespace {

const int kMethods[64] = {};
Key key(int n) { return {&kMethods[n], nullptr}; }
ReserveOptions guarded(const void* guard) {
  ReserveOptions options;
  options.guard = guard;
  return options;
}
berth_code_t code_of(const auto& result) {
  return result.has_error() ? result.assume_error().code() : BERTH_OK;
}

/// An engine with either collector, whose objects live or die as the test says.
class World {
 public:
  explicit World(bool foreign) : foreign_(foreign), engine(options()) {
    if (foreign_) return;
    gc::Type type;
    type.name = "key";
    type.bytes = 16;
    type_ = engine->collector().heap().add_type(type);
    roots_.emplace(engine.thread());
  }
  /// An object that a collection finds dead, unless it is the one that `keep` was called with last.
  const void* make() {
    if (!foreign_) return engine->collector().heap().allocate(engine.thread(), type_);
    const void* object = &objects_[num_made_++];
    return object;
  }
  void keep(const void* object) {
    if (foreign_) {
      live_.insert(object);
    } else {
      (*roots_)[0] = static_cast<gc::Object*>(const_cast<void*>(object));
    }
  }
  void collect() {
    if (!foreign_) return engine->collector().collect(engine.thread());
    berth_engine_sweep(engine::to_handle(&*engine));
    engine.impl().after_resume();
  }

 private:
  EngineOptions options() {
    EngineOptions options;
    if (!foreign_) return options;
    options.collector.hooks.foreign = true;
    options.collector.hooks.context = this;
    options.collector.hooks.table.struct_size = sizeof options.collector.hooks.table;
    options.collector.hooks.table.is_live = [](void* self, const void* object) {
      const World& world = *static_cast<World*>(self);
      const bool is_ours = object >= world.objects_ && object < world.objects_ + sizeof world.objects_;
      return static_cast<int>(!is_ours || world.live_.contains(object));
    };
    options.collector.hooks.table.request_collection = [](void* self) {
      ++static_cast<World*>(self)->requests;
    };
    return options;
  }

  const bool foreign_;
  const gc::Type* type_ = nullptr;
  char objects_[256] = {};
  size_t num_made_ = 0;
  std::set<const void*> live_;

 public:
  std::atomic<int> requests{0};
  TestEngine engine;

 private:
  std::optional<gc::Rooted<1>> roots_;  // first to go
};

class Collection : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Collectors, Collection, ::testing::Bool(),
                         [](const auto& parameter) { return parameter.param ? "foreign" : "own"; });

TEST_P(Collection, R45_a_dead_guard_frees_its_key_in_that_collection) {
  World world(GetParam());
  TestEngine& engine = world.engine;
  const void* alive = world.make();
  world.keep(alive);
  const Lease kept = engine.take(key(0), guarded(alive));
  const Lease lost = engine.take(key(1), guarded(world.make()));
  std::atomic<int> outcome{-1};
  auto worker = engine.spawn([&](gc::Thread& thread) {
    auto got = engine->reserve(thread, key(1), {});
    outcome = static_cast<int>(got.assume_value().outcome);
    engine.release(thread, got.assume_value().lease);
  });
  worker->until_waiting();
  world.collect();
  EXPECT_EQ(code_of(engine->release(engine.thread(), lost, nullptr)), BERTH_STALE_LEASE);
  {
    const gc::SafeRegion safe(engine.thread());
    worker->join();
  }
  EXPECT_EQ(outcome, static_cast<int>(Outcome::Reserved));
  EXPECT_EQ(engine->holds(engine.thread(), key(0)), 1);
  engine.release(kept);
  EXPECT_EQ(engine.counts().abandoned, 1u);
  engine.expect_at_rest();
}

TEST_P(Collection, R45_unregistered_leases_die_with_their_guards_too) {
  World world(GetParam());
  TestEngine& engine = world.engine;
  const void* alive = world.make();
  world.keep(alive);
  const Lease outer = engine.take(key(2));
  const Lease kept = engine.take(key(2), guarded(alive)), lost = engine.take(key(2), guarded(world.make()));
  EXPECT_EQ(engine->holds(engine.thread(), key(2)), 3);
  world.collect();
  EXPECT_EQ(engine->holds(engine.thread(), key(2)), 2);
  EXPECT_EQ(code_of(engine->release(engine.thread(), lost, nullptr)), BERTH_STALE_LEASE);
  engine.release(kept);
  engine.release(outer);
  EXPECT_EQ(agent_of(engine.thread()).finalizer_inhibitions(), 0);
  EXPECT_EQ(engine.counts().abandoned, 1u);
  engine.expect_at_rest();
}

TEST_P(Collection, R46_a_long_wait_behind_a_weak_token_asks_for_a_collection) {
  World world(GetParam());
  TestEngine& engine = world.engine;
  engine.take(key(3), guarded(world.make()));
  std::atomic<bool> reserved{false};
  auto worker = engine.spawn([&](gc::Thread& thread) {
    auto got = engine->reserve(thread, key(3), {});
    reserved = got.assume_value().outcome == Outcome::Reserved;
    engine.release(thread, got.assume_value().lease);
  });
  worker->until_waiting();
  // Nobody allocates and nobody asks; only time passes.
  engine::detail::clock_offset_ns += 2'000'000'000;
  {
    const gc::SafeRegion safe(engine.thread());
    if (GetParam()) {
      while (world.requests == 0) std::this_thread::yield();
      world.collect();
    }
    worker->join();
  }
  engine::detail::clock_offset_ns -= 2'000'000'000;
  EXPECT_TRUE(reserved);
  EXPECT_EQ(engine.counts().abandoned, 1u);
  engine.expect_at_rest();
}

TEST_P(Collection, R46_a_strong_token_asks_for_nothing) {
  World world(GetParam());
  TestEngine& engine = world.engine;
  const Lease held = engine.take(key(4));
  Tally parks;
  const latch::Hook hook("park", [&](const void*) { parks.add(); });
  auto worker =
      engine.spawn([&](gc::Thread& thread) { engine.release(thread, engine.take(thread, key(4))); });
  worker->until_waiting();
  engine::detail::clock_offset_ns += 2'000'000'000;
  const uint64_t before = engine->collector().num_collections();
  {
    const gc::SafeRegion safe(engine.thread());
    parks.until(4);
  }
  engine::detail::clock_offset_ns -= 2'000'000'000;
  EXPECT_EQ(world.requests, 0);
  EXPECT_EQ(engine->collector().num_collections(), before);
  engine.release(held);
  worker->join();
}

TEST_P(Collection, R47_dead_keys_leave_nothing_behind) {
  static std::atomic<int> drops{0};
  drops = 0;
  World world(GetParam());
  TestEngine& engine = world.engine;
  engine.release(engine.take(key(5)), native(entry_of(5)));  // a key that lives
  const size_t slots = engine.impl().table.num_slots();
  const void* owner = world.make();
  for (int i = 0; i < 30; ++i) {
    engine.release(engine.take({world.make(), nullptr}), result_only(entry_of(1), [](void*) { ++drops; }));
    engine.release(engine.take({&kMethods[i], owner}), result_only(entry_of(1), [](void*) { ++drops; }));
  }
  const Lease failing = engine.take({world.make(), nullptr});
  ASSERT_TRUE(
      engine->release_error(engine.thread(), failing, make_error(BERTH_COMPILE_FAILED, "", "x", ""), -1)
          .has_value());
  const Key held{world.make(), nullptr};
  const Lease outer = engine.take(held), inner = engine.take(held);
  EXPECT_EQ(engine.impl().table.num_slots(), slots + 62);
  world.collect();
  EXPECT_EQ(engine.impl().table.num_slots(), slots);
  EXPECT_EQ(drops, 60);
  for (const Lease& lease : {outer, inner})
    EXPECT_EQ(code_of(engine->release(engine.thread(), lease, nullptr)), BERTH_STALE_LEASE);
  EXPECT_EQ(engine->lookup_entry(key(5), 0), entry_of(5));
  EXPECT_EQ(engine.counts().abandoned, 2u);
  engine.expect_at_rest();
}

}  // namespace
}  // namespace berth::test
