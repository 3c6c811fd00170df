// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hooks of a foreign collector: called in place of Berth's own protocol.
#include <gtest/gtest.h>

#include "tests/support/gc_world.hpp"

namespace berth {
namespace {

using namespace test;

struct Recorder {
  std::vector<std::string> calls;
  int inhibited = 0;
  int depth = 0;
  static Recorder& of(void* context) { return *static_cast<Recorder*>(context); }

  gc::CollectorOptions options(bool call_shaped) {
    gc::CollectorOptions options;
    berth_gc_hooks_t& hooks = options.hooks.table;
    hooks.struct_size = sizeof hooks;
    hooks.safe_enter = [](void* c) {
      of(c).calls.push_back("enter");
      return of(c).depth++;
    };
    hooks.safe_leave = [](void* c, int previous) {
      of(c).calls.push_back("leave");
      EXPECT_EQ(--of(c).depth, previous);
    };
    hooks.safepoint = [](void* c) { of(c).calls.push_back("safepoint"); };
    hooks.inhibit_finalizers = [](void* c, int delta) { of(c).inhibited += delta; };
    hooks.request_collection = [](void* c) { of(c).calls.push_back("collect"); };
    if (call_shaped) {
      hooks.call_safe = [](void* c, void (*function)(void*), void* argument) {
        of(c).calls.push_back("call");
        function(argument);
        of(c).calls.push_back("back");
      };
    }
    options.hooks.context = this;
    options.hooks.foreign = true;
    return options;
  }
};
using Calls = std::vector<std::string>;

TEST(Foreign, G47_enter_and_leave_are_paired_and_nested) {
  Recorder recorder;
  GcWorld world(recorder.options(false));
  AttachedThread self(world.collector);
  {
    const gc::SafeRegion outer(*self);
    const gc::SafeRegion inner(*self);
  }
  EXPECT_EQ(recorder.calls, (Calls{"enter", "enter", "leave", "leave"}));
  EXPECT_EQ(recorder.depth, 0);
}

TEST(Foreign, G47_call_safe_replaces_the_pair) {
  Recorder recorder;
  GcWorld world(recorder.options(true));
  AttachedThread self(world.collector);
  bool ran = false;
  gc::in_safe(*self, [&] { ran = true; });
  EXPECT_TRUE(ran);
  EXPECT_EQ(recorder.calls, (Calls{"call", "back"}));
}

TEST(Foreign, G47_each_poll_and_request_reaches_its_hook) {
  Recorder recorder;
  GcWorld world(recorder.options(false));
  AttachedThread self(world.collector);
  self->safepoint();
  self->safepoint();
  world.collector.collect(*self);
  EXPECT_EQ(world.collector.num_collections(), 0u);
  EXPECT_EQ(recorder.calls, (Calls{"safepoint", "safepoint", "collect"}));
}

TEST(Foreign, G47_inhibitions_sum_to_zero_over_threads_and_switches) {
  Recorder recorder;
  GcWorld world(recorder.options(false));
  AttachedThread self(world.collector);
  gc::Agent fibre{"fibre"};
  self.agent().take_lease(*self);
  EXPECT_EQ(recorder.inhibited, 1);
  ASSERT_FALSE(world.collector.set_agent(*self, &fibre).has_error());
  EXPECT_EQ(recorder.inhibited, 0);  // the difference of the counts
  fibre.take_lease(*self);
  fibre.take_lease(*self);
  EXPECT_EQ(recorder.inhibited, 2);
  std::thread([&] { fibre.give_lease(nullptr); }).join();
  EXPECT_EQ(recorder.inhibited, 2);  // posted
  self->safepoint();
  EXPECT_EQ(recorder.inhibited, 1);  // applied at the poll
  fibre.give_lease(&*self);
  EXPECT_EQ(recorder.inhibited, 0);
  ASSERT_FALSE(world.collector.set_agent(*self, nullptr).has_error());
  EXPECT_EQ(recorder.inhibited, 1);
  self.agent().give_lease(&*self);
  EXPECT_EQ(recorder.inhibited, 0);
}

TEST(Foreign, the_heap_is_off) {
  Recorder recorder;
  GcWorld world(recorder.options(false));
  AttachedThread self(world.collector);
  EXPECT_EQ(world.heap().allocate(*self, world.leaf), nullptr);
}

}  // namespace
}  // namespace berth
