// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "threads and garbage collection": collections that fail (G22). A program of its own, since it
// replaces operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <stdexcept>

#include "gc/heap_impl.hpp"
#include "tests/support/gc_world.hpp"

namespace {

// Allocations of this thread until one fails; negative: none does.
thread_local int64_t allocations_left = -1;

void* allocate_or_fail(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_fail(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace berth {
namespace {

using namespace test;
using gc::Object;

/// What a collection works on: a graph, dead objects of each kind, another thread, and a client.
class Scene {
 public:
  struct Client final : gc::CollectionClient {
    const char* throws_in = nullptr;
    int sweeps = 0;
    void step(const char* name) const {
      if (throws_in && std::string_view(throws_in) == name) throw std::runtime_error(name);
    }
    bool visit_ephemerons(const std::function<bool(const void*)>&, gc::SlotVisitor&) override {
      step("ephemerons");
      return false;
    }
    void visit_roots(gc::SlotVisitor&) override { step("roots"); }
    void sweep(const std::function<bool(const void*)>&) override {
      step("sweep");
      ++sweeps;
    }
    void after_resume() override { step("resume"); }
  };
  static constexpr uint64_t kLive = 3000;

  Scene() : world_(options()), self_(world_.collector), kept_(*self_) {
    world_.collector.add_client(&client);
    gc::Type traced;
    traced.name = "traced";
    traced.bytes = 16;
    traced.trace = [](Object*, gc::SlotVisitor&) {
      if (trace_throws) throw std::runtime_error("trace");
    };
    traced_ = world_.heap().add_type(traced);
    gc::Type native;
    native.name = "native";
    native.bytes = 16;
    native.finalize = [](Object*) { ++native_finalized; };
    native_ = world_.heap().add_type(native);
    native_finalized = 0;
    for (uint64_t i = 1; i < kLive; ++i) {
      Object* node = world_.heap().allocate(*self_, world_.node);
      set(node, left(node), kept_[0]);
      kept_[0] = node;
    }
    Object* traced_object = world_.heap().allocate(*self_, traced_);
    set(kept_[0], right(kept_[0]), traced_object);
    dead_ = world_.heap().new_weak(world_.heap().allocate(*self_, world_.leaf));
    world_.heap().allocate(*self_, native_);
    world_.heap().add_finalizer(
        world_.heap().allocate(*self_, world_.leaf), [](void*, void* runs) { ++*static_cast<int*>(runs); },
        &finalizer_runs_);
    other_ = std::thread([this] {
      AttachedThread thread(world_.collector);
      attached_.open();
      while (!done_.load()) thread->safepoint();
    });
    attached_.wait();
  }
  ~Scene() {
    done_ = true;
    {
      const gc::SafeRegion region(*self_);
      other_.join();
      world_.collector.remove_client(&client);
    }
  }

  gc::Collector& collector() { return world_.collector; }
  gc::Thread& self() { return *self_; }
  /// Words, counters and states are those of a collector that nobody has asked; nothing was freed.
  void expect_untouched(uint64_t collections) {
    until_idle();
    EXPECT_EQ(self_->state.load(), gc::State::Unsafe);
    EXPECT_EQ(collector().num_collections(), collections);
    for (Object* at = kept_[0]; at; at = left(at)) ASSERT_EQ(at->type(), world_.node);
  }
  /// The next collection does what the first one of a fresh engine does.
  void expect_whole() {
    collector().collect(*self_);
    self_->safepoint();
    collector().collect(*self_);  // frees what was finalized
    until_idle();
    EXPECT_EQ(world_.heap().num_objects(), kLive);
    EXPECT_EQ(world_.heap().weak_get(dead_), nullptr);
    EXPECT_EQ(finalizer_runs_, 1);
    EXPECT_EQ(native_finalized, 1);
    EXPECT_EQ(world_.heap().num_ready_finalizers(), 0u);
    uint64_t length = 0;
    for (Object* at = kept_[0]; at; at = left(at)) ++length;
    EXPECT_EQ(length, kLive - 1);
  }

  /// The other thread lowers the count of those that the stop held once it runs again. A word that is left
  /// makes the watchdog bite.
  void until_idle() const {
    while (!world_.collector.is_idle()) std::this_thread::yield();
  }

  Client client;
  static inline bool trace_throws = false;
  static inline int native_finalized = 0;

 private:
  static gc::CollectorOptions options() {
    gc::CollectorOptions options;
    options.mark_threads = 1;
    return options;
  }

  GcWorld world_;
  AttachedThread self_;
  gc::Rooted<1> kept_;
  const gc::Type *traced_ = nullptr, *native_ = nullptr;
  gc::WeakReference* dead_ = nullptr;
  int finalizer_runs_ = 0;
  std::atomic<bool> done_{false};
  Gate attached_;
  std::thread other_;
};

TEST(GcFailure, G22_every_allocation_of_a_collection_may_fail) {
  const Watchdog watchdog{60s};
  int64_t failed = 0;
  for (int64_t n = 0;; ++n) {
    SCOPED_TRACE(n);
    Scene scene;
    allocations_left = n;
    const bool collected = scene.collector().try_collect(scene.self());
    const bool had_all = allocations_left > 0;
    allocations_left = -1;
    if (!collected) ++failed;
    scene.expect_untouched(collected ? 1 : 0);
    scene.expect_whole();
    if (had_all) break;
    ASSERT_LT(n, 1000);
  }
  EXPECT_GT(failed, 0);
}

TEST(GcFailure, G22_a_throwing_trace_function) {
  const Watchdog watchdog{20s};
  Scene scene;
  Scene::trace_throws = true;
  EXPECT_THROW(scene.collector().collect(scene.self()), std::runtime_error);
  Scene::trace_throws = false;
  scene.expect_untouched(0);
  std::string metrics;
  scene.collector().metrics(metrics);
  EXPECT_NE(metrics.find("berth_gc_failed_collections_total 1\n"), std::string::npos) << metrics;
  scene.expect_whole();
}

TEST(GcFailure, G22_a_client_that_throws_in_each_of_its_functions) {
  const Watchdog watchdog{20s};
  for (const char* step : {"roots", "ephemerons", "sweep", "resume"}) {
    SCOPED_TRACE(step);
    Scene scene;
    scene.client.throws_in = step;
    EXPECT_THROW(scene.collector().collect(scene.self()), std::runtime_error);
    scene.client.throws_in = nullptr;
    scene.expect_untouched(std::string_view(step) == "resume" ? 1 : 0);
    scene.expect_whole();
  }
}

// Of a small object in an empty heap, a large one, and one with a native finalize: null, or whole; the next
// one is whole again.
TEST(GcFailure, G33_every_allocation_of_a_managed_one_may_fail) {
  const Watchdog watchdog{60s};
  int64_t failed[3] = {};
  for (int kind = 0; kind < 3; ++kind) {
    for (int64_t n = 0;; ++n) {
      SCOPED_TRACE(testing::Message() << "kind " << kind << ", allocation " << n);
      GcWorld world;
      gc::Type native;
      native.name = "native";
      native.bytes = 16;
      static int finalized;
      finalized = 0;
      native.finalize = [](Object*) { ++finalized; };
      const gc::Type* types[] = {world.leaf, world.bytes, world.heap().add_type(native)};
      AttachedThread self(world.collector);
      const size_t length = kind == 1 ? 100000 : 0;
      allocations_left = n;
      Object* object = world.heap().allocate(*self, types[kind], length);
      const bool had_all = allocations_left > 0;
      allocations_left = -1;
      if (!object) ++failed[kind];
      EXPECT_EQ(world.collector.is_idle(), true);
      world.collector.collect(*self);
      EXPECT_EQ(finalized, kind == 2 && object ? 1 : 0);
      world.collector.collect(*self);
      EXPECT_EQ(world.heap().num_objects(), 0u);
      EXPECT_EQ(world.heap().live_bytes(), 0u);
      EXPECT_NE(world.heap().allocate(*self, types[kind], length), nullptr);
      if (had_all) break;
      ASSERT_LT(n, 1000);
    }
    EXPECT_GT(failed[kind], 0);
  }
}

}  // namespace
}  // namespace berth
