// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "threads and garbage collection": marking by several threads (G29 to G32).
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "gc/block.hpp"
#include "gc/mark.hpp"
#include "gc/stress.hpp"
#include "tests/support/gc_world.hpp"
#include "tests/support/parked_thread.hpp"

namespace berth {
namespace {

using namespace test;
using gc::Object;

gc::CollectorOptions markers(unsigned n, size_t stack_limit = 0) {
  gc::CollectorOptions options;
  options.mark_threads = n;
  options.mark_stack_limit = stack_limit;
  return options;
}

/// A collector of two markers, this thread attached, and one parked thread to recruit. Something wide is
/// live, so that it is asked.
class Pair {
 public:
  explicit Pair(size_t stack_limit = 0) : world(markers(2, stack_limit)), self(world.collector), kept(*self) {
    kept[0] = world.heap().allocate(*self, world.array, kWide);
    for (size_t i = 0; i < kWide; ++i)
      set(kept[0], element(kept[0], i), world.heap().allocate(*self, world.leaf));
    const gc::SafeRegion region(*self);
    parked = std::make_unique<ParkedThread>(world.collector);
  }
  ~Pair() {
    const gc::SafeRegion region(*self);
    parked.reset();
  }
  void collect() { world.collector.collect(*self); }
  uint64_t live_bytes() const { return world.collector.recent_stops().back().live_bytes; }
  static constexpr size_t kWide = 5000;
  static constexpr uint64_t kWideBytes = kWide * 16 + 8 * kWide + 16;

  GcWorld world;
  AttachedThread self;
  gc::Rooted<2> kept;
  std::unique_ptr<ParkedThread> parked;
};

TEST(GcMark, G29_a_recruit_that_does_not_come_is_not_waited_for) {
  const Watchdog watchdog{60s};
  Pair pair;
  Pause pause("gc-recruited");
  const latch::Hook on_ask(
      "gc-asked", [&](const void*) { pair.parked->recruit_until([&] { return pause.is_reached(); }); });
  pair.collect();
  EXPECT_EQ(pair.live_bytes(), Pair::kWideBytes);
  pause.release();
}

TEST(GcMark, G30_a_late_recruit_finds_the_phase_closed) {
  const Watchdog watchdog{60s};
  Pair pair;
  Pause pause("gc-recruited");
  Gate tried;
  std::atomic<int> joins{0};
  const latch::Hook on_try("gc-join", [&](const void*) { tried.open(); });
  const latch::Hook on_join("gc-joined", [&](const void*) { ++joins; });
  const latch::Hook on_ask(
      "gc-asked", [&](const void*) { pair.parked->recruit_until([&] { return pause.is_reached(); }); });
  pair.collect();
  const gc::SafeRegion region(*pair.self);
  pause.release();
  tried.wait();
  pair.parked.reset();  // it waited on in its place and ends when it is asked to
  EXPECT_EQ(joins.load(), 0);
  EXPECT_TRUE(pair.world.collector.is_idle());
}

TEST(GcMark, G30_recruited_twice_it_joins_once) {
  const Watchdog watchdog{60s};
  Pair pair;
  std::atomic<int> joins{0}, tries{0};
  Gate joined, again;
  const latch::Hook on_try("gc-join", [&](const void*) {
    if (++tries == 2) again.open();
  });
  const latch::Hook on_join("gc-joined", [&](const void*) {
    ++joins;
    joined.open();
  });
  const latch::Hook on_ask("gc-asked", [&](const void*) {
    pair.parked->recruit_until([&] { return joined.is_open(); });
    pair.parked->parker().notify(gc::Parker::kRecruit);
  });
  pair.collect();
  const gc::SafeRegion region(*pair.self);
  again.wait();  // back in its place it found the second request, and no phase
  pair.parked.reset();
  EXPECT_EQ(joins.load(), 1);
}

TEST(GcMark, G30_a_recruit_whose_notification_is_lost_comes_late) {
  const Watchdog watchdog{60s};
  Pair pair;
  Gate tried;
  std::atomic<int> joins{0};
  const latch::Hook on_try("gc-join", [&](const void*) { tried.open(); });
  const latch::Hook on_join("gc-joined", [&](const void*) { ++joins; });
  const latch::Hook on_ask("gc-asked", [&](const void*) {
    while (pair.world.collector.recruit(1) == 0) std::this_thread::yield();  // it was between two slices
  });
  gc::stress::set(gc::stress::Mode::LoseNotify, 1);
  pair.collect();
  gc::stress::set(gc::stress::Mode::LoseNotify, 0);
  const gc::SafeRegion region(*pair.self);
  tried.wait();  // at the end of its slice
  pair.parked.reset();
  EXPECT_LE(joins.load(), 1);  // 1 if its slice ended during the phase
}

TEST(GcMark, G31_two_markers_that_meet_at_an_object_count_it_once) {
  const Watchdog watchdog{60s};
  GcWorld world(markers(2));
  AttachedThread self(world.collector);
  Object* object = world.heap().allocate(*self, world.node);
  gc::MarkPhase phase(2, 0);
  phase.open({});
  Pause pause("gc-mark-object", [&](const void* subject) { return subject == object; });
  std::thread other([&] {
    gc::Marker marker(phase, 1);
    marker.mark(object);  // has seen that it is not marked
  });
  pause.until_reached();
  {
    gc::Marker marker(phase, 0);
    marker.mark(object);
    marker.run();
  }
  pause.release();
  other.join();
  phase.close();
  EXPECT_EQ(phase.live_bytes(), gc::Heap::size_of(object));
}

TEST(GcMark, G31_a_recruit_and_the_collector_mark_each_object_once) {
  const Watchdog watchdog{60s};
  Pair pair;
  constexpr size_t kNodes = 20000;
  pair.kept[1] = pair.world.heap().allocate(*pair.self, pair.world.array, kNodes);
  std::mt19937 random(11);
  for (size_t i = 0; i < kNodes; ++i) {
    Object* node = pair.world.heap().allocate(*pair.self, pair.world.node);
    set(pair.kept[1], element(pair.kept[1], i), node);
    if (i != 0) set(node, left(node), element(pair.kept[1], random() % i));
    if (i != 0) set(node, right(node), element(pair.kept[1], random() % i));
  }
  Gate joined;
  const latch::Hook on_join("gc-joined", [&](const void*) { joined.open(); });
  const latch::Hook on_ask(
      "gc-asked", [&](const void*) { pair.parked->recruit_until([&] { return joined.is_open(); }); });
  for (int round = 0; round < 5; ++round) {
    pair.collect();
    ASSERT_EQ(pair.live_bytes(), Pair::kWideBytes + kNodes * 32 + kNodes * 8 + 16);
    ASSERT_EQ(pair.world.heap().num_objects(), Pair::kWide + 1 + kNodes + 1);
  }
}

// The collector may not mark until the recruit has marked something, which it can only have stolen.
TEST(GcMark, G31_the_pieces_of_one_array_are_shared) {
  const Watchdog watchdog{60s};
  Pair pair;
  const std::thread::id collecting = std::this_thread::get_id();
  std::atomic<bool> asked{false}, first{true};
  Gate joined, helped;
  const latch::Hook on_join("gc-joined", [&](const void*) { joined.open(); });
  const latch::Hook on_ask("gc-asked", [&](const void*) {
    pair.parked->recruit_until([&] { return joined.is_open(); });
    asked = true;
  });
  const latch::Hook on_mark("gc-mark-object", [&](const void*) {
    if (!asked.load()) return;
    if (std::this_thread::get_id() != collecting) return helped.open();
    if (first.exchange(false)) helped.wait();
  });
  pair.collect();
  EXPECT_EQ(pair.live_bytes(), Pair::kWideBytes);
}

TEST(GcMark, G32_full_stacks_of_two_markers) {
  const Watchdog watchdog{60s};
  Pair pair(16);
  // Trees of depth 3 with 20 children each: every node overflows the stack.
  const auto fill = [&](Object* array, auto&& self, int depth) -> void {
    gc::Rooted<1> kept(*pair.self);
    kept[0] = array;
    for (size_t i = 0; i < 20; ++i) {
      set(kept[0], element(kept[0], i), pair.world.heap().allocate(*pair.self, pair.world.array, 20));
      if (depth > 0) self(element(kept[0], i), self, depth - 1);
    }
  };
  pair.kept[1] = pair.world.heap().allocate(*pair.self, pair.world.array, 20);
  fill(pair.kept[1], fill, 2);
  constexpr size_t kArrays = 1 + 20 + 400 + 8000;
  for (int round = 0; round < 3; ++round) {
    pair.collect();
    ASSERT_EQ(pair.world.heap().num_objects(), Pair::kWide + 1 + kArrays);
    ASSERT_EQ(pair.live_bytes(), Pair::kWideBytes + kArrays * 192);
  }
}

TEST(GcMark, G22_a_trace_function_that_throws_on_a_recruit_fails_the_collection) {
  const Watchdog watchdog{60s};
  static std::atomic<bool> throws{false};
  static std::thread::id collecting;
  collecting = std::this_thread::get_id();
  Pair pair;
  gc::Type type;
  type.name = "traced";
  type.bytes = 16;
  type.trace = [](Object*, gc::SlotVisitor&) {
    if (throws && std::this_thread::get_id() != collecting) throw std::runtime_error("as wished");
  };
  const gc::Type* traced = pair.world.heap().add_type(type);
  pair.kept[1] = pair.world.heap().allocate(*pair.self, pair.world.array, 5000);
  for (size_t i = 0; i < 5000; ++i)
    set(pair.kept[1], element(pair.kept[1], i), pair.world.heap().allocate(*pair.self, traced));
  Gate joined, stolen;
  std::atomic<bool> armed{true};
  const latch::Hook on_join("gc-joined", [&](const void*) { joined.open(); });
  const latch::Hook on_ask("gc-asked", [&](const void*) {
    pair.parked->recruit_until([&] { return joined.is_open(); });
    throws = armed.load();
  });
  // The collector marks no more of them until the recruit has one.
  std::atomic<int> seen{0};
  const latch::Hook on_mark("gc-mark-object", [&](const void* object) {
    if (!throws || static_cast<const Object*>(object)->type() != traced) return;
    if (std::this_thread::get_id() != collecting) return stolen.open();
    if (++seen == 1) stolen.wait();
  });
  EXPECT_THROW(pair.collect(), std::runtime_error);
  throws = armed = false;
  pair.self->safepoint();
  EXPECT_TRUE(pair.world.collector.is_idle());
  pair.collect();
  EXPECT_EQ(pair.world.heap().num_objects(), Pair::kWide + 1 + 5001);
}

}  // namespace
}  // namespace berth
