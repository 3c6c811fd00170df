// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between service and wake, and between two kinds of waiting: what changes meanwhile. All found by the fuzzer
// (tests/fuzz).
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/gate.hpp"
#include "tests/support/stub_compiler.hpp"
#include "tests/support/test_engine.hpp"

namespace berth {
namespace {

using namespace test;

const char keys[128] = {};
Key key(int n) { return {&keys[n], nullptr}; }
template <class T>
berth_code_t code_of(const Result<T>& result) {
  return result.has_error() ? result.assume_error().code() : BERTH_OK;
}

// A waiter that has been served, and has not woken yet, is no more than a holder: its lease may end, and what
// it stood for be used again.
TEST(HandOver, R36_a_lease_swept_before_its_waiter_wakes_is_stale) {
  TestEngine engine;
  const int guard = 0;
  const Lease held = engine.take(key(60));
  Pause pause("wake");
  auto waiter = engine.spawn([&](gc::Thread& thread) {
    ReserveOptions options;
    options.guard = &guard;
    const Lease lease = engine.take(thread, key(60), options);
    EXPECT_EQ(code_of(engine->release(thread, lease, nullptr)), BERTH_STALE_LEASE);
  });
  waiter->until_waiting();
  engine.release(held);
  pause.until_reached();
  engine->sweep([&](const void* object) { return object != &guard; });
  engine.impl().after_resume();
  std::vector<Lease> others;  // one of them gets the token that stood for the waiter's lease
  for (int i = 0; i < 8; ++i) others.push_back(engine.take(key(61 + i)));
  pause.release();
  waiter->join();
  for (const Lease& lease : others) engine.release(lease);
  engine.expect_at_rest();
}

TEST(HandOver, R66_a_recycled_slot_serves_no_former_waiter) {
  TestEngine engine;
  const Lease held = engine.take(key(70));
  Pause pause("wake");
  auto waiter = engine.spawn([&](gc::Thread& thread) {
    auto got = engine->reserve(thread, key(70), {});
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got.assume_value().outcome, Outcome::Reserved) << "another key's result";
    if (got.assume_value().outcome != Outcome::Published) {
      EXPECT_EQ(code_of(engine->release(thread, got.assume_value().lease, nullptr)), BERTH_STALE_LEASE);
    }
  });
  waiter->until_waiting();
  engine.release(held);
  pause.until_reached();
  engine->sweep([&](const void* object) { return object != key(70).method; });
  engine.impl().after_resume();
  for (int i = 0; i < 8; ++i)
    engine.release(engine.take(key(71 + i)), native(entry_of(71 + i)));  // one of them gets the slot
  pause.release();
  waiter->join();
  engine.expect_at_rest();
}

TEST(HandOver, R63_who_waits_for_an_entry_and_gets_the_key_leaves_the_entrys_queue) {
  StubCompiler stub;
  EngineOptions options;
  options.has_compiler_hooks = true;
  options.compiler_hooks = stub.hooks();
  options.compiler_context = &stub;
  TestEngine engine(options);
  stub.close_gate();
  auto source = std::make_unique<engine::Source>();
  source->body = std::make_unique<engine::OpaqueBody>(entry_of(80), nullptr);
  engine.release(engine.take(key(80)), std::move(source));
  const engine::CodeInstanceRef instance = engine->lookup(key(80), 0);
  const uint64_t world = engine->world();
  auto waiter = engine.spawn([&](gc::Thread& thread) {
    ReserveOptions entry;
    entry.need = Need::Entry;
    entry.world = world + 1;
    engine.release(thread,
                   engine.take(thread, key(80), entry));  // once the result holds no more for that world
  });
  waiter->until_waiting();
  ASSERT_TRUE(engine->invalidate(*instance, world).has_value());
  waiter->join();
  stub.open_gate();  // the compile's end serves whoever is in the queue: nobody
  EXPECT_EQ(engine->wait_entry(engine.thread(), *instance, Deadline::never()).assume_value(), entry_of(80));
  engine.expect_at_rest();
}

TEST(HandOver, R55_a_published_lease_that_was_a_duplicate_has_no_failure_to_keep) {
  TestEngine engine;
  const Lease first = engine.take(key(81));
  auto again = engine.reserve(key(81));
  ASSERT_EQ(again.assume_value().outcome, Outcome::Reentrant);
  engine.release(again.assume_value().lease, native(entry_of(81)));
  SourcePtr sources[] = {native(entry_of(82))};
  ASSERT_TRUE(engine->publish(engine.thread(), std::span(&first, 1), sources).has_value());  // a duplicate
  ASSERT_TRUE(engine->release_error(engine.thread(), first, make_error(BERTH_COMPILE_FAILED, "", "x", ""), -1)
                  .has_value());
  ASSERT_TRUE(engine->invalidate(*engine->lookup(key(81), 0), 0).has_value());
  engine.release(engine.take(key(81)));
  engine.expect_at_rest();
}

}  // namespace
}  // namespace berth
