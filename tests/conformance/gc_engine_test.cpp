// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "threads and garbage collection": the engine in a collection of Berth's own collector, and
// what never polls.
#include <atomic>
#include <cstring>
#include <set>

#include "berth/gc.h"
#include "berth/thread.h"
#include "engine/handles.hpp"
#include "gc/handle.hpp"
#include "gc/heap.hpp"
#include "gc/stress.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/test_engine.hpp"

namespace berth {
namespace {

using namespace test;
using namespace std::chrono_literals;
using gc::Object;

/// Managed objects as methods, owners, guards and payloads.
struct Managed {
  explicit Managed(TestEngine& engine) : engine(engine), heap(engine->collector().heap()) {
    gc::Type node_type;
    node_type.name = "node";  // 8: a reference
    node_type.bytes = 16;
    node_type.reference_offsets = {8};
    node = heap.add_type(node_type);
    gc::Type large_type;
    large_type.name = "large";
    large_type.bytes = 16;
    large_type.element_bytes = 1;
    large = heap.add_type(large_type);
  }
  Object* make() { return heap.allocate(engine.thread(), node); }
  Object* make_large() { return heap.allocate(engine.thread(), large, 100'000); }
  static Object*& field(Object* object) { return *reinterpret_cast<Object**>(object->at(8)); }
  static void set(Object* object, Object* value) { gc::Heap::write(object, &field(object), value); }
  /// Polls too, so that ready finalizers run.
  void collect() { engine->collector().collect(engine.thread()); }
  bool is_live(gc::WeakReference* weak) { return heap.weak_get(weak) != nullptr; }
  size_t num_keys() { return engine.impl().table.num_slots(); }

  TestEngine& engine;
  gc::Heap& heap;
  const gc::Type *node = nullptr, *large = nullptr;
};

TEST(GcEngine, G36_a_payload_lives_as_long_as_its_method_and_owner) {
  TestEngine engine;
  Managed managed(engine);
  gc::Rooted<3> kept(engine.thread());
  kept[0] = managed.make();  // method
  kept[1] = managed.make();  // owner
  const Key key{kept[0], kept[1]};
  const Lease lease = engine.take(key);
  kept[2] = managed.make();  // payload
  gc::WeakReference* payload = managed.heap.new_weak(kept[2]);
  engine.release(lease, result_only(kept[2]));
  kept[2] = nullptr;
  managed.collect();
  EXPECT_TRUE(managed.is_live(payload));  // by nothing but its key
  EXPECT_EQ(managed.num_keys(), 1u);
  kept[1] = nullptr;  // the owner dies; the method alone does not keep it
  managed.collect();
  EXPECT_FALSE(managed.is_live(payload));
  EXPECT_EQ(managed.num_keys(), 0u);
}

TEST(GcEngine, G36_a_payload_that_names_its_method_does_not_keep_it) {
  TestEngine engine;
  Managed managed(engine);
  gc::WeakReference *method = nullptr, *payload = nullptr;
  {
    gc::Rooted<2> kept(engine.thread());
    kept[0] = managed.make();
    method = managed.heap.new_weak(kept[0]);
    const Lease lease = engine.take({kept[0], nullptr});
    kept[1] = managed.make();
    Managed::set(kept[1], kept[0]);
    payload = managed.heap.new_weak(kept[1]);
    engine.release(lease, result_only(kept[1]));
    kept[1] = nullptr;
    managed.collect();
    EXPECT_TRUE(managed.is_live(payload));
  }
  managed.collect();
  EXPECT_FALSE(managed.is_live(method));
  EXPECT_FALSE(managed.is_live(payload));
  EXPECT_EQ(managed.num_keys(), 0u);
}

// One object in each role. F has a finalizer and refers to C, a method, and to E, a guard.
TEST(GcEngine, G37_weak_order_with_one_object_in_each_role) {
  TestEngine engine;
  Managed managed(engine);
  gc::Heap& heap = managed.heap;
  struct Role {
    gc::WeakReference* weak = nullptr;
  } a, b, c, d, e, f, payload_a, payload_b, payload_c;
  gc::Rooted<1> method_a(engine.thread());
  Lease lease_d, lease_e;
  int key_d = 0, key_e = 0;  // not in the heap: always live
  struct Seen {
    gc::Heap* heap;
    std::array<gc::WeakReference*, 2> weak;
    bool cleared = false;
    int runs = 0;
  } seen;
  {
    gc::Rooted<6> kept(engine.thread());
    const auto make = [&](uint32_t i, Role& role) {
      kept[i] = managed.make();
      role.weak = heap.new_weak(kept[i]);
    };
    const auto publish = [&](Object* method, Role& payload) {
      gc::Rooted<1> key(engine.thread());
      key[0] = method;
      const Lease lease = engine.take({key[0], nullptr});
      gc::Rooted<1> made(engine.thread());
      made[0] = managed.make();
      payload.weak = heap.new_weak(made[0]);
      engine.release(lease, result_only(made[0]));
    };
    make(0, a);
    method_a[0] = kept[0];
    make(1, b);
    make(2, c);
    make(3, d);
    make(4, e);
    publish(kept[0], payload_a);
    publish(kept[1], payload_b);
    publish(kept[2], payload_c);
    ReserveOptions options;
    options.guard = kept[3];
    lease_d = engine.take({&key_d, nullptr}, options);
    options.guard = kept[4];
    lease_e = engine.take({&key_e, nullptr}, options);
    // F -> X -> C and X -> E: an array of two, in one-field nodes.
    make(5, f);
    gc::Rooted<1> x(engine.thread());
    x[0] = managed.make();
    Managed::set(x[0], kept[4]);
    Managed::set(kept[4], kept[2]);
    Managed::set(kept[5], x[0]);
    seen = {&heap, {f.weak, c.weak}};
    heap.add_finalizer(
        kept[5],
        [](void*, void* raw) {
          auto& at = *static_cast<Seen*>(raw);
          at.cleared = at.heap->weak_get(at.weak[0]) == nullptr && at.heap->weak_get(at.weak[1]) == nullptr;
          ++at.runs;
        },
        &seen);
  }
  const size_t keys = managed.num_keys();
  EXPECT_EQ(keys, 5u);
  managed.collect();
  EXPECT_EQ(seen.runs, 0);  // leases are out: none runs yet
  EXPECT_TRUE(managed.is_live(a.weak));
  EXPECT_TRUE(managed.is_live(payload_a.weak));  // (1)
  EXPECT_FALSE(managed.is_live(b.weak));
  EXPECT_FALSE(managed.is_live(payload_b.weak));
  EXPECT_FALSE(managed.is_live(c.weak));  // (2) cleared, though (3) keeps the object
  EXPECT_FALSE(managed.is_live(f.weak));
  EXPECT_EQ(managed.num_keys(), 4u);  // (5) b is gone; c is not: the finalizer may want it,
  EXPECT_EQ(engine->holds(engine.thread(), {&key_d, nullptr}), 0);  // d's lease was freed
  EXPECT_EQ(engine->holds(engine.thread(), {&key_e, nullptr}), 1);  // e is live through F
  EXPECT_FALSE(managed.is_live(payload_c.weak));                    // was cleared before (4) kept it
  engine.release(lease_e);
  engine.thread().safepoint();
  EXPECT_EQ(seen.runs, 1);
  EXPECT_TRUE(seen.cleared);
  managed.collect();
  EXPECT_EQ(managed.num_keys(), 3u);  // a and the free keys of d and e; c's is gone
}

TEST(GcEngine, G37_a_method_that_only_a_finalizer_keeps_has_its_payload) {
  TestEngine engine;
  Managed managed(engine);
  struct Seen {
    Engine* engine;
    uint64_t number = 0;
  } seen{&*engine};
  {
    gc::Rooted<3> kept(engine.thread());
    kept[0] = managed.make();
    const Lease lease = engine.take({kept[0], nullptr});
    kept[1] = managed.make_large();
    std::memset(kept[1]->elements(), 7, 8);
    engine.release(lease, result_only(kept[1]));
    kept[2] = managed.make();
    Managed::set(kept[2], kept[0]);
    managed.heap.add_finalizer(
        kept[2],
        [](void* object, void* raw) {
          auto& at = *static_cast<Seen*>(raw);
          const auto found = at.engine->lookup({Managed::field(static_cast<Object*>(object)), nullptr}, 0);
          if (found)
            at.number =
                static_cast<uint64_t>(static_cast<Object*>(engine::instance_payload(*found))->elements()[0]);
        },
        &seen);
  }
  managed.collect();
  EXPECT_EQ(seen.number, 7u);  // ephemerons again, after the finalizers' objects
  managed.collect();
  EXPECT_EQ(managed.num_keys(), 0u);
}

TEST(GcEngine, G39_the_engine_forgets_before_the_heap_reclaims) {
  TestEngine engine;
  Managed managed(engine);
  const size_t keys = managed.num_keys(), objects = managed.heap.num_objects();
  const auto before = engine.counts();
  for (int i = 0; i < 40; ++i) {
    gc::Rooted<3> kept(engine.thread());
    kept[0] = i % 2 ? managed.make_large() : managed.make();
    kept[1] = i % 4 < 2 ? managed.make_large() : managed.make();
    const Lease lease = engine.take({kept[0], kept[1]});
    if (i % 5 == 0) {
      auto failure = make_error(BERTH_COMPILE_FAILED, "", "no such rule", "");
      ASSERT_TRUE(engine->release_error(engine.thread(), lease, std::move(failure), -1).has_value());
    } else if (i % 5 == 1) {
      engine.release(lease, native(entry_of(i)));
    } else if (i % 5 == 2) {
      kept[2] = managed.make();
      engine.release(lease, result_only(kept[2]));
    } else if (i % 5 == 3) {
      engine.release(lease);
    }  // else: still reserved when its method dies
  }
  EXPECT_EQ(managed.num_keys(), keys + 40);
  size_t keys_at_heap_sweep = SIZE_MAX;
  {
    const latch::Hook hook("gc-heap-sweep", [&](const void*) { keys_at_heap_sweep = managed.num_keys(); });
    managed.collect();
  }
  EXPECT_EQ(keys_at_heap_sweep, keys);
  EXPECT_EQ(managed.num_keys(), keys);
  managed.collect();
  EXPECT_EQ(managed.heap.num_objects(), objects);
  const auto after = engine.counts();
  EXPECT_EQ(after.abandoned, before.abandoned + 8);
  engine.expect_at_rest();
}

TEST(GcEngine, G38_the_sweep_holds_the_shard_of_each_slot) {
  TestEngine engine;
  Managed managed(engine);
  int method = 0;
  const Key key{&method, nullptr};
  engine.release(engine.take(key), result_only());
  sync::Mutex& shard = engine.impl().table.shard(engine::ReservationTable::hash(key)).mutex;
  bool was_free = true;
  const latch::Hook hook("sweep-slot", [&](const void*) {
    std::thread other([&] {
      was_free = false;
      if (!shard.try_lock()) return;
      shard.unlock();
      was_free = true;
    });
    other.join();
  });
  managed.collect();
  EXPECT_FALSE(was_free);
}

// Leases end in Safe threads while collections sweep their shards and free leases with dead guards; waiters
// are parked on all keys.
TEST(GcEngine, G38_sweeps_beside_waiters_and_leases_that_end_in_safe_threads) {
  TestEngine engine({}, 60s);
  Managed managed(engine);
  constexpr int kKeys = 4, kWorkers = 4, kRounds = 60;
  static int methods[kKeys];
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  std::atomic<int> done{0};
  std::atomic<uint64_t> stale{0};
  for (int w = 0; w < kWorkers; ++w) {
    workers.push_back(engine.spawn([&, w](gc::Thread& thread) {
      for (int round = 0; round < kRounds; ++round) {
        const Key key{&methods[(w + round) % kKeys], nullptr};
        const bool guarded = round % 3 == 0;
        ReserveOptions options;
        if (guarded)
          options.guard = managed.heap.allocate(thread, managed.node);  // dead at the next collection
        auto got = engine->reserve(thread, key, options);
        ASSERT_TRUE(got.has_value());
        const Lease lease = got.assume_value().lease;
        thread.safepoint();
        const gc::SafeRegion region(thread);
        const auto released = engine->release(thread, lease, nullptr);
        if (released.has_error()) {
          EXPECT_TRUE(guarded);
          EXPECT_EQ(released.assume_error().code(), BERTH_STALE_LEASE);
          ++stale;
        }
      }
      ++done;
    }));
  }
  while (done.load() < kWorkers) managed.collect();
  {
    const gc::SafeRegion region(engine.thread());
    workers.clear();
  }
  managed.collect();
  EXPECT_EQ(engine.counts().abandoned, stale.load());
  engine.expect_at_rest();
}

// A stop is pending for this thread, and a lock that the stop's other threads want is held: a poll would be a
// deadlock.
TEST(GcEngine, G26_functions_that_never_poll_never_do) {
  TestEngine engine;
  Managed managed(engine);
  gc::Thread& self = engine.thread();
  auto* const thread = engine::to_handle(&self);
  auto* const handle = engine::to_handle(&*engine);
  int method = 0, reserved = 0, given = 0, published = 0, failed = 0;
  engine.release(engine.take({&method, nullptr}), native(entry_of(1)));
  const berth_key_t key{&method, nullptr};
  berth_instance_t* const instance = berth_lookup(handle, key, 0);
  berth_cancel_t* cancel = nullptr;
  ASSERT_EQ(berth_cancel_new(handle, &cancel), nullptr);
  berth_agent_t *agent = nullptr, *previous = nullptr;
  ASSERT_EQ(berth_agent_new(handle, "fibre", &agent), nullptr);
  berth_gc_root_t* root = nullptr;
  berth_gc_weak_t* weak = nullptr;
  Object* object = managed.make();
  ASSERT_EQ(berth_gc_root_new(thread, object, &root), nullptr);
  ASSERT_EQ(berth_gc_weak_new(thread, object, &weak), nullptr);
  const Lease to_give = engine.take({&given, nullptr}), to_publish = engine.take({&published, nullptr}),
              to_fail = engine.take({&failed, nullptr}), to_hold = engine.take({&reserved, nullptr});
  Gate raised;
  std::atomic<bool> held{false};
  const latch::Hook on_raise("gc-raised", [&](const void*) { raised.open(); });
  const latch::Hook on_hold("gc-hold", [&](const void* who) {
    if (who == &self) held = true;
  });
  std::thread collecting([&] {
    gc::Thread* other = engine->attach().assume_value();
    engine->collector().collect(*other);
    engine->detach(*other);
  });
  raised.wait();
  while ((self.poll.load() & gc::kPollStop) == 0) std::this_thread::yield();

  EXPECT_EQ(berth_lookup_entry(handle, key, 0), entry_of(1));
  berth_instance_t* found = berth_lookup(handle, key, 0);
  EXPECT_EQ(found, instance);
  berth_instance_retain(found);
  berth_instance_release(found);
  berth_instance_release(found);
  EXPECT_EQ(berth_instance_entry(instance), entry_of(1));
  EXPECT_EQ(berth_holds(thread, {&reserved, nullptr}), 1);
  EXPECT_EQ(berth_engine_world(handle), 1u);
  EXPECT_EQ(berth_engine_advance_world(handle), 2u);
  EXPECT_FALSE(engine->release(self, to_give, nullptr).has_error());
  EXPECT_FALSE(engine->release(self, to_publish, native(entry_of(2))).has_error());
  EXPECT_FALSE(
      engine->release_error(self, to_fail, make_error(BERTH_COMPILE_FAILED, "", "x", ""), 0).has_error());
  EXPECT_FALSE(engine->release(self, to_hold, result_only()).has_error());
  EXPECT_EQ(berth_instance_invalidate(handle, instance, 1), nullptr);
  berth_cancel_fire(cancel);
  berth_engine_counts_t counts{};
  counts.struct_size = sizeof counts;
  berth_engine_counts(handle, &counts);
  EXPECT_GT(counts.reserved, 0u);
  EXPECT_EQ(berth_thread_set_agent(thread, agent, &previous), nullptr);
  EXPECT_EQ(berth_thread_set_agent(thread, nullptr, nullptr), nullptr);
  berth_agent_delete(agent);
  EXPECT_EQ(berth_gc_root_get(root), object);
  berth_gc_root_set(root, nullptr);
  EXPECT_EQ(berth_gc_weak_get(thread, weak), object);
  berth_gc_write(thread, object, reinterpret_cast<void**>(&Managed::field(object)), nullptr);
  const size_t mark = berth_gc_scope_open(thread);
  void** scoped = nullptr;
  EXPECT_EQ(berth_gc_scope_handle(thread, object, &scoped), nullptr);
  berth_gc_scope_close(thread, mark);
  berth_gc_inhibit_finalizers(thread, 1);
  berth_gc_inhibit_finalizers(thread, -1);
  berth_gc_add_finalizer(thread, object, [](void*, void*) {}, nullptr);
  berth_gc_root_delete(root);
  berth_gc_weak_delete(weak);
  berth_cancel_delete(cancel);
  berth_instance_release(instance);

  EXPECT_FALSE(held.load());
  EXPECT_EQ(engine->collector().num_collections(), 0u);
  while (engine->collector().num_collections() == 0) berth_thread_safepoint(thread);
  EXPECT_TRUE(held.load());
  const gc::SafeRegion region(self);
  collecting.join();
}

TEST(GcEngine, G51_handover_collects_between_service_and_wake_up) {
  TestEngine engine;
  int method = 0;
  const Key key{&method, nullptr};
  const Lease lease = engine.take(key);
  std::atomic<bool> woken{false};
  auto waiter = engine.spawn([&](gc::Thread& thread) {
    const Lease mine = engine.take(thread, key);
    woken = true;
    engine.release(thread, mine);
  });
  waiter->until_waiting();
  const uint64_t before = engine->collector().num_collections();
  // Of this thread's steps: the waiter may find by itself, at the end of a slice, that it has been served.
  std::string steps;
  const std::thread::id releasing = std::this_thread::get_id();
  const latch::Hook on_stop("gc-stopped", [&](const void* thread) {
    if (thread == &engine.thread()) steps += 'c';
  });
  const latch::Hook on_notify("notify", [&](const void*) {
    if (std::this_thread::get_id() == releasing) steps += 'n';
  });
  gc::stress::set(gc::stress::Mode::Handover, 1);
  engine.release(lease);
  gc::stress::set(gc::stress::Mode::Handover, 0);
  EXPECT_GE(engine->collector().num_collections(), before + 1);
  EXPECT_LT(steps.find('c'), steps.find('n')) << steps;
  const gc::SafeRegion region(engine.thread());
  waiter.reset();
  EXPECT_TRUE(woken.load());
}

}  // namespace
}  // namespace berth
