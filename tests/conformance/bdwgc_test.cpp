// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract G48: the engine on bdwgc, through the adapter of examples/bdwgc. This program also holds all tests
// of reservation_test.cpp: their engines get the adapter's hooks, their threads are bdwgc's, and one more
// thread collects in a loop, so that signals stop the others at any instruction.
#define GC_THREADS
#include <gc/gc.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "berth/berth.h"
#include "berth_bdwgc.h"
#include "tests/stress/call_graph.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/test_engine.hpp"

namespace berth {
namespace {

using namespace test;
using namespace std::chrono_literals;

void register_thread() {
  GC_stack_base base{};
  GC_get_stack_base(&base);
  GC_register_my_thread(&base);
}
void unregister_thread() { GC_unregister_my_thread(); }

class Bdwgc : public ::testing::Environment {
 public:
  void SetUp() override {
    GC_INIT();
    GC_allow_register_threads();
    collector_.hooks.table = *bdwgc_hooks();
    collector_.hooks.foreign = true;
    collector_.enter_thread = register_thread;
    collector_.leave_thread = unregister_thread;
    foreign_collector = &collector_;
    signals_ = std::jthread([](const std::stop_token& stop) {
      register_thread();
      stress::Random random(1);
      while (!stop.stop_requested()) {
        GC_gcollect();
        // No synchronisation: without a pause the others would hardly ever get the collector's lock, which is
        // not fair.
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(2000)));
      }
      unregister_thread();
    });
  }
  void TearDown() override {
    signals_.request_stop();
    bdwgc_blocking([](void* thread) { static_cast<std::jthread*>(thread)->join(); }, &signals_);
    foreign_collector = nullptr;
  }

 private:
  ForeignCollector collector_;
  std::jthread signals_;
};
[[maybe_unused]] ::testing::Environment* const environment = ::testing::AddGlobalTestEnvironment(new Bdwgc);

void succeed(berth_error_t* error) {
  EXPECT_EQ(error, nullptr) << berth_error_message(error);
  berth_error_delete(error);
}

/// An engine with the adapter's thread, this thread attached.
class Runtime {
 public:
  Runtime() {
    berth_config_t* config = berth_config_new();
    bdwgc_configure(config);
    succeed(berth_engine_new(config, &engine));
    berth_config_delete(config);
    succeed(bdwgc_start(engine));
    succeed(berth_thread_attach(engine, &thread));
  }
  ~Runtime() {
    bdwgc_stop();
    berth_thread_detach(thread);
    berth_engine_delete(engine);
  }
  berth_engine_t* engine = nullptr;
  berth_thread_t* thread = nullptr;
};

/// Runs `body` on a thread of bdwgc that ends, with its stack and registers, which could hold what is to die.
void on_a_stack_of_its_own(const std::function<void()>& body) {
  std::thread thread([&] {
    register_thread();
    body();
    unregister_thread();
  });
  bdwgc_blocking([](void* self) { static_cast<std::thread*>(self)->join(); }, &thread);
}
/// Polls until `condition` holds: the collecting thread goes on. What a sweep drops goes at a release. The
/// watchdog ends a wait that is in vain.
template <class Condition>
void poll_until(berth_thread_t* thread, Condition&& condition) {
  static const char scratch = 0;
  while (!condition()) {
    berth_reservation_t got{};
    succeed(berth_reserve(thread, {&scratch, nullptr}, nullptr, &got));
    succeed(berth_release(thread, got.lease, nullptr));
    berth_thread_safepoint(thread);
    std::this_thread::yield();
  }
}
void* new_object() {
  void* object = GC_MALLOC(64);
  bdwgc_track(object);
  return object;
}
std::atomic<int> drops{0};
std::atomic<void*> kept{nullptr};  // static data is a root of bdwgc

TEST(Bdwgc, G48_a_dead_method_takes_its_result_along_a_live_one_keeps_it) {
  const Watchdog watchdog(30s);
  Runtime runtime;
  drops = 0;
  on_a_stack_of_its_own([&] {
    berth_thread_t* thread = nullptr;
    succeed(berth_thread_attach(runtime.engine, &thread));
    for (int i = 0; i < 10; ++i) {
      void* method = new_object();
      if (i == 0) kept = method;
      berth_reservation_t got{};
      succeed(berth_reserve(thread, {method, nullptr}, nullptr, &got));
      berth_source_t* source = nullptr;
      succeed(berth_source_new(&source));
      berth_source_set_payload(source, &drops, [](void*) { ++drops; });
      succeed(berth_release(thread, got.lease, source));
    }
    berth_thread_detach(thread);
  });
  poll_until(runtime.thread, [] { return drops == 9; });
  on_a_stack_of_its_own([&] {
    berth_instance_t* instance = berth_lookup(runtime.engine, {kept.exchange(nullptr), nullptr}, 0);
    EXPECT_NE(instance, nullptr);
    berth_instance_release(instance);
  });
  poll_until(runtime.thread, [] { return drops == 10; });
}

TEST(Bdwgc, G48_a_waiter_behind_a_dead_guard_gets_the_key_behind_a_live_one_it_waits) {
  const Watchdog watchdog(30s);
  Runtime runtime;
  static const char methods[2] = {};
  berth_agent_t* holder = nullptr;
  succeed(berth_agent_new(runtime.engine, "holder", &holder));
  berth_lease_t leases[2] = {};
  on_a_stack_of_its_own([&] {
    berth_thread_t* thread = nullptr;
    succeed(berth_thread_attach(runtime.engine, &thread));
    succeed(berth_thread_set_agent(thread, holder, nullptr));
    for (int i = 0; i < 2; ++i) {
      berth_reserve_options_t options{};
      options.struct_size = sizeof options;
      options.guard = new_object();
      if (i == 1) kept = const_cast<void*>(options.guard);
      berth_reservation_t got{};
      succeed(berth_reserve(thread, {&methods[i], nullptr}, &options, &got));
      leases[i] = got.lease;
    }
    succeed(berth_thread_set_agent(thread, nullptr, nullptr));
    berth_thread_detach(thread);
  });
  berth_reservation_t got{};
  succeed(berth_reserve(runtime.thread, {&methods[0], nullptr}, nullptr, &got));
  EXPECT_EQ(got.outcome, BERTH_RESERVED);
  succeed(berth_release(runtime.thread, got.lease, nullptr));
  berth_error_t* stale = berth_release(runtime.thread, leases[0], nullptr);
  EXPECT_EQ(berth_error_code(stale), BERTH_STALE_LEASE);
  berth_error_delete(stale);
  berth_reserve_options_t trying{};
  trying.struct_size = sizeof trying;
  berth_error_t* held = berth_reserve(runtime.thread, {&methods[1], nullptr}, &trying, &got);
  EXPECT_EQ(berth_error_code(held), BERTH_TIMED_OUT);
  berth_error_delete(held);
  succeed(berth_release(runtime.thread, leases[1], nullptr));
  kept = nullptr;
  berth_agent_delete(holder);
}

TEST(Bdwgc, G48_finalizers_wait_while_the_threads_agent_holds_a_lease) {
  const Watchdog watchdog(30s);
  berth_config_t* config = berth_config_new();
  bdwgc_configure(config);
  berth_engine_t* engine = nullptr;
  berth_thread_t* thread = nullptr;
  succeed(berth_engine_new(config, &engine));
  berth_config_delete(config);
  succeed(berth_thread_attach(engine,
                              &thread));  // without the adapter's thread: this one alone may run finalizers
  GC_set_finalize_on_demand(1);
  static std::atomic<int> finalized{0};
  static const char method = 0;
  berth_reservation_t got{};
  succeed(berth_reserve(thread, {&method, nullptr}, nullptr, &got));
  on_a_stack_of_its_own([&] {
    for (int i = 0; i < 10; ++i) {
      GC_REGISTER_FINALIZER_NO_ORDER(
          GC_MALLOC(64), [](void*, void*) { ++finalized; }, nullptr, nullptr, nullptr);
    }
  });
  while (!GC_should_invoke_finalizers()) std::this_thread::yield();  // the collecting thread goes on
  berth_thread_safepoint(thread);
  EXPECT_EQ(finalized, 0);
  succeed(berth_release(thread, got.lease, nullptr));
  EXPECT_EQ(finalized, 0);
  poll_until(thread, [] { return finalized > 0; });
  berth_thread_detach(thread);
  berth_engine_delete(engine);
}

}  // namespace
}  // namespace berth
