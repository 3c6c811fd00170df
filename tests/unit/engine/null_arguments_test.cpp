// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NULL where it is not allowed: fallible functions say so and touch nothing, others ignore it, getters give
// their neutral value.
#include <gtest/gtest.h>

#include <string>

#include "berth/berth.hpp"

namespace berth::test {
namespace {

void expect_refused(berth_error_t* error, const char* what) {
  EXPECT_EQ(berth_error_code(error), BERTH_INVALID_ARGUMENT) << what;
  EXPECT_NE(std::string(berth_error_message(error)).find(what), std::string::npos)
      << berth_error_message(error);
  berth_error_delete(error);
}

int dropped = 0;
berth_source_t* counted_source() {
  berth_source_t* source = nullptr;
  check(berth_source_new(&source));
  berth_source_set_payload(source, &dropped, [](void*) { ++dropped; });
  return source;
}

class NullArguments : public ::testing::Test {
 protected:
  EngineOwner engine_;
  ThreadOwner thread_{engine_};
  const berth_key_t key_{&dropped, nullptr};
};

TEST_F(NullArguments, engine_functions) {
  berth_config_delete(nullptr);
  berth_config_set_compile_threads(nullptr, 1);
  berth_config_set_mark_threads(nullptr, 1);
  berth_config_set_gc_hooks(nullptr, nullptr, nullptr);
  berth_config_set_key_traits(nullptr, nullptr);
  berth_config_set_cycle_policy(nullptr, BERTH_CYCLE_SHARE);
  berth_config_set_reentry_limit(nullptr, 1);
  berth_config_set_lease_timeout(nullptr, 1);
  berth_config_set_cache_directory(nullptr, "x");
  berth_config_set_target(nullptr, "x", nullptr, nullptr);
  berth_config_set_call_error(nullptr, nullptr, nullptr);
  berth_config_set_compiler_hooks(nullptr, nullptr, nullptr);
  expect_refused(berth_engine_new(nullptr, nullptr), "out is NULL");
  expect_refused(berth_engine_shutdown(nullptr), "the engine is NULL");
  expect_refused(berth_engine_trace_start(nullptr, "x"), "the engine is NULL");
  expect_refused(berth_engine_trace_start(engine_.get(), nullptr), "no path");
  expect_refused(berth_engine_trace_stop(nullptr), "the engine is NULL");
  expect_refused(berth_engine_set_observers(nullptr, BERTH_OBSERVE_TIMES), "the engine is NULL");
  EXPECT_EQ(berth_instance_times_json(nullptr), nullptr);
  berth_engine_delete(nullptr);
  berth_engine_sweep(nullptr);
  berth_engine_recruit(nullptr, 1);
  EXPECT_EQ(berth_engine_world(nullptr), 0u);
  EXPECT_EQ(berth_engine_advance_world(nullptr), 0u);
  EXPECT_EQ(berth_engine_explain(nullptr), nullptr);
  EXPECT_EQ(berth_engine_metrics(nullptr), nullptr);
  berth_engine_counts_t counts{};
  counts.struct_size = sizeof counts;
  berth_engine_counts(nullptr, &counts);
  berth_engine_counts(engine_.get(), nullptr);
  EXPECT_EQ(counts.reserved, 0u);
  berth_string_delete(nullptr);
  expect_refused(berth_engine_define_symbol(nullptr, "f", &dropped), "the engine is NULL");
  expect_refused(berth_engine_define_symbol(engine_.get(), nullptr, &dropped), "the name is empty");
  expect_refused(berth_engine_define_symbol(engine_.get(), "f", nullptr), "the address is NULL");
}

TEST_F(NullArguments, thread_functions) {
  berth_thread_t* thread = nullptr;
  berth_agent_t* agent = nullptr;
  expect_refused(berth_thread_attach(nullptr, &thread), "the engine is NULL");
  expect_refused(berth_thread_attach(engine_.get(), nullptr), "out is NULL");
  EXPECT_EQ(berth_thread_current(nullptr), nullptr);
  EXPECT_EQ(berth_thread_current(engine_.get()), thread_.get());
  berth_thread_detach(nullptr);
  berth_thread_safepoint(nullptr);
  EXPECT_EQ(berth_thread_safe_enter(nullptr), BERTH_GC_SAFE);
  berth_thread_safe_leave(nullptr, BERTH_GC_UNSAFE);
  expect_refused(berth_agent_new(nullptr, "x", &agent), "the engine is NULL");
  expect_refused(berth_agent_new(engine_.get(), "x", nullptr), "out is NULL");
  berth_agent_delete(nullptr);
  expect_refused(berth_thread_set_agent(nullptr, nullptr, &agent), "the thread is NULL");
  berth_agent_set_stack(nullptr, nullptr, nullptr);
  berth_agent_set_park_hooks(nullptr, nullptr, nullptr);
  EXPECT_EQ(thread, nullptr);
  EXPECT_EQ(agent, nullptr);
}

TEST_F(NullArguments, reservation_functions) {
  berth_reservation_t got{};
  expect_refused(berth_reserve(nullptr, key_, nullptr, &got), "the thread is NULL");
  expect_refused(berth_reserve(thread_.get(), key_, nullptr, nullptr), "out is NULL");
  expect_refused(berth_reserve(thread_.get(), {nullptr, nullptr}, nullptr, &got), "the key's method is NULL");
  check(berth_reserve(thread_.get(), key_, nullptr, &got));
  dropped = 0;
  expect_refused(berth_release(nullptr, got.lease, counted_source()), "the thread is NULL");
  expect_refused(berth_release(thread_.get(), {nullptr, 0}, counted_source()), "no instance");
  EXPECT_EQ(dropped, 2);  // consumed all the same
  expect_refused(berth_release_error(nullptr, got.lease, "x", 0), "the thread is NULL");
  expect_refused(berth_release_error(thread_.get(), {nullptr, 0}, "x", 0), "no instance");
  EXPECT_EQ(berth_holds(nullptr, key_), 0);
  EXPECT_EQ(berth_holds(thread_.get(), key_), 1);
  berth_cancel_t* cancel = nullptr;
  expect_refused(berth_cancel_new(nullptr, &cancel), "the engine is NULL");
  expect_refused(berth_cancel_new(engine_.get(), nullptr), "out is NULL");
  berth_cancel_fire(nullptr);
  berth_cancel_delete(nullptr);
  EXPECT_EQ(berth_lookup_entry(nullptr, key_, 0), nullptr);
  EXPECT_EQ(berth_lookup_entry(engine_.get(), {nullptr, nullptr}, 0), nullptr);
  EXPECT_EQ(berth_lookup(nullptr, key_, 0), nullptr);
  EXPECT_EQ(berth_lookup(engine_.get(), {nullptr, nullptr}, 0), nullptr);
  berth_instance_retain(nullptr);
  berth_instance_release(nullptr);
  EXPECT_EQ(berth_instance_entry(nullptr), nullptr);
  void* entry = nullptr;
  expect_refused(berth_instance_wait_entry(nullptr, got.lease.instance, 0, &entry), "the thread is NULL");
  expect_refused(berth_instance_wait_entry(thread_.get(), nullptr, 0, &entry), "the instance is NULL");
  expect_refused(berth_instance_invalidate(nullptr, got.lease.instance, 0), "the engine is NULL");
  expect_refused(berth_instance_invalidate(engine_.get(), nullptr, 0), "the instance is NULL");
  berth_source_t* sources[] = {counted_source()};
  expect_refused(berth_publish(nullptr, &got.lease, sources, 1), "the thread is NULL");
  sources[0] = counted_source();
  expect_refused(berth_publish(thread_.get(), nullptr, sources, 1), "the list of leases is NULL");
  expect_refused(berth_publish(thread_.get(), &got.lease, nullptr, 1), "the list of sources is NULL");
  sources[0] = nullptr;
  expect_refused(berth_publish(thread_.get(), &got.lease, sources, 1), "no source");
  EXPECT_EQ(dropped, 4);
  int promoted = 7;
  expect_refused(berth_instance_promote(nullptr, &got.lease.instance, 1, 1, &promoted), "the engine is NULL");
  expect_refused(berth_instance_promote(engine_.get(), nullptr, 1, 1, &promoted),
                 "the list of instances is NULL");
  EXPECT_EQ(promoted, 7);
  check(berth_release(thread_.get(), got.lease, nullptr));
}

TEST_F(NullArguments, source_functions) {
  berth_source_t* source = nullptr;
  expect_refused(berth_source_from_native(nullptr, &source), "the entry is NULL");
  expect_refused(berth_source_from_native(&dropped, nullptr), "out is NULL");
  expect_refused(berth_source_from_constant(nullptr, 1, &source), "the memory of the constant is NULL");
  expect_refused(berth_source_from_constant("x", 1, nullptr), "out is NULL");
  expect_refused(berth_source_new(nullptr), "out is NULL");
  dropped = 0;
  expect_refused(berth_source_from_opaque(&dropped, [](void*) { ++dropped; }, nullptr), "out is NULL");
  EXPECT_EQ(dropped, 0);  // consumed by success only
  EXPECT_EQ(source, nullptr);
  check(berth_source_from_constant(nullptr, 0, &source));  // an empty one is allowed
  berth_source_set_worlds(nullptr, 1, 2);
  berth_source_set_tier(nullptr, BERTH_TIER_FAST);
  berth_source_set_lazy(nullptr, 1);
  berth_source_set_priority(nullptr, BERTH_PRIORITY_ASKED);
  berth_source_add_edge(nullptr, nullptr, "x");
  berth_source_add_edge(source, nullptr, "x");
  berth_source_set_payload(nullptr, &dropped, nullptr);
  berth_source_delete(nullptr);
  EXPECT_EQ(berth_instance_payload(nullptr), nullptr);
  berth_reservation_t got{};
  check(berth_reserve(thread_.get(), key_, nullptr, &got));
  const InstanceRef instance = InstanceRef::retain(got.lease.instance);
  check(berth_release(thread_.get(), got.lease, source));
  const void* bytes = nullptr;
  size_t size = 7;
  expect_refused(berth_instance_constant(nullptr, &bytes, &size), "the instance is NULL");
  expect_refused(berth_instance_constant(instance.get(), nullptr, &size), "an out parameter is NULL");
  check(berth_instance_constant(instance.get(), &bytes, &size));
  EXPECT_EQ(size, 0u);
}

TEST_F(NullArguments, job_functions) {
  EXPECT_EQ(berth_job_source(nullptr), nullptr);
  EXPECT_EQ(berth_job_instance(nullptr), nullptr);
  berth_job_begin(nullptr, thread_.get());
  berth_job_publish(nullptr, &dropped, nullptr);
  berth_job_fail(nullptr, "x");
}

}  // namespace
}  // namespace berth::test
