// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "JIT" 4.3 and 4.4 through the public API: compiles in worker processes, and who hears of
// failures.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <berth/berth.hpp>

#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using berth::test::Watchdog;
using Number = int64_t(int64_t);

berth::EngineOwner make_engine(unsigned threads, berth_containment_t containment,
                               const char* worker = nullptr) {
  berth::ConfigOwner config(berth_config_new());
  berth_config_set_compile_threads(config.get(), threads);
  berth_config_set_containment(config.get(), containment);
  berth_config_set_compile_worker(config.get(), worker);
  return berth::EngineOwner(config.get());
}

const char kKeys[128] = {};

berth::InstanceRef install(berth::ThreadOwner& thread, int n, berth::SourceOwner source,
                           const char* label = "label") {
  berth_reserve_options_t options{};
  options.struct_size = sizeof options;
  options.timeout_ns = -1;
  options.label = label;
  auto reservation = thread.reserve({&kKeys[n], nullptr}, &options);
  EXPECT_TRUE(reservation.lease);
  berth::InstanceRef instance = reservation.lease.instance();
  reservation.lease.release(std::move(source));
  return instance;
}

std::string add_source(int n) {
  return "define i64 @f(i64 %x) {\n  %y = add i64 %x, " + std::to_string(n) + "\n  ret i64 %y\n}\n";
}

berth::SourceOwner isolated(const std::string& ir, bool lazy = false) {
  berth::SourceOwner source = berth::SourceOwner::from_ir(ir, "f");
  berth_source_set_isolated(source.get(), 1);
  berth_source_set_lazy(source.get(), lazy);
  berth_source_set_tier(source.get(), BERTH_TIER_FAST);
  return source;
}

struct Failure {
  berth_code_t code = BERTH_OK;
  std::string message;
};
Failure wait_failure(berth_thread_t* thread, berth_instance_t* instance) {
  void* entry = nullptr;
  berth_error_t* const error = berth_instance_wait_entry(thread, instance, -1, &entry);
  Failure failure{berth_error_code(error), error ? berth_error_message(error) : ""};
  berth_error_delete(error);
  return failure;
}

uint64_t metric(berth_engine_t* engine, const std::string& name) {
  char* const text = berth_engine_metrics(engine);
  const std::string all(text ? text : "");
  berth_string_delete(text);
  const size_t at = all.find("\n" + name + " ");
  return at == std::string::npos ? UINT64_MAX : std::stoull(all.substr(at + name.size() + 2));
}
uint64_t num_failures(berth_engine_t* engine) {
  berth_engine_counts_t counts{};
  counts.struct_size = sizeof counts;
  berth_engine_counts(engine, &counts);
  return counts.compile_failures;
}

class JitIsolated : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(CompileThreads, JitIsolated, testing::Values(0, 2));

TEST_P(JitIsolated, isolated_sources_and_others_side_by_side) {
  Watchdog watchdog{60s};
  berth::EngineOwner engine = make_engine(GetParam(), BERTH_CONTAINMENT_HANDLER);
  berth::ThreadOwner thread(engine);
  std::vector<berth::InstanceRef> instances;
  for (int i = 0; i < 40; ++i) {
    instances.push_back(install(
        thread, i, i % 3 == 0 ? isolated(add_source(i)) : berth::SourceOwner::from_ir(add_source(i), "f")));
  }
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(reinterpret_cast<Number*>(thread.wait_entry(instances[static_cast<size_t>(i)]))(1), i + 1);
  }
  EXPECT_GE(metric(engine.get(), "berth_compile_workers_started_total"), 1u);
  EXPECT_EQ(metric(engine.get(), "berth_compile_workers_ended_total"), 0u);
}

TEST_P(JitIsolated, all_compiles_in_workers_also_of_programs) {
  Watchdog watchdog{60s};
  for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED}) {
    berth::EngineOwner engine = make_engine(GetParam(), BERTH_CONTAINMENT_PROCESS);
    berth::ThreadOwner thread(engine);
    const std::string text = R"(berth-ir 1
method fib(%n: i64) {
^0:
  %small = lt.i64 %n 2
  cond %small ^1 ^2
^1:
  return %n
^2:
  %a = sub.i64 %n 1
  %b = sub.i64 %n 2
  %x = call fib(%a)
  %y = call fib(%b)
  %z = add.i64 %x %y
  return %z
}
)";
    berth_program_t* program = nullptr;
    berth::check(berth_program_parse(engine.get(), text.data(), text.size(), "fib.bir", &program));
    berth_program_set_tier(program, tier);
    const berth_value_t argument{BERTH_VALUE_I64, {.i = 15}};
    berth_value_t result{};
    berth::check(berth_program_call(thread.get(), program, "fib", &argument, 1, &result));
    EXPECT_EQ(result.i, 610);
    berth_program_delete(program);
    EXPECT_GE(metric(engine.get(), "berth_compile_workers_started_total"), 1u);
    EXPECT_EQ(metric(engine.get(), "berth_compile_workers_ended_total"), 0u);
  }
}

TEST_P(JitIsolated, J56_a_crash_fails_one_key_and_no_other) {
  Watchdog watchdog{60s};
  berth::EngineOwner engine = make_engine(GetParam(), BERTH_CONTAINMENT_PROCESS, BERTH_FAULTY_WORKER);
  berth::ThreadOwner thread(engine);
  std::vector<berth::InstanceRef> instances;
  for (int i = 0; i < 12; ++i) {
    instances.push_back(install(thread, i, berth::SourceOwner::from_ir(add_source(i), "f"),
                                i % 4 == 1 ? "crash@generate" : "label"));
  }
  for (int i = 0; i < 12; ++i) {
    berth_instance_t* const instance = instances[static_cast<size_t>(i)].get();
    if (i % 4 == 1) {
      const Failure failure = wait_failure(thread.get(), instance);
      EXPECT_EQ(failure.code, BERTH_COMPILE_FAILED);
      EXPECT_NE(failure.message.find(
                    "failed in generate: the compile worker was ended by signal 11 (Segmentation fault)"),
                std::string::npos)
          << failure.message;
    } else {
      EXPECT_EQ(reinterpret_cast<Number*>(thread.wait_entry(instances[static_cast<size_t>(i)]))(1), i + 1);
    }
  }
}

// What depends on more than the source is told to who waits, and tried again by later requests, three times;
// then it is kept.
TEST_P(JitIsolated, J58_lost_workers_are_tried_again_three_times) {
  Watchdog watchdog{60s};
  berth::EngineOwner engine = make_engine(GetParam(), BERTH_CONTAINMENT_HANDLER, BERTH_FAULTY_WORKER);
  berth::ThreadOwner thread(engine);
  const berth::InstanceRef instance = install(thread, 1, isolated(add_source(1), true), "crash@check");
  for (uint64_t i = 1; i <= 4; ++i) {
    EXPECT_EQ(wait_failure(thread.get(), instance.get()).code, BERTH_COMPILE_FAILED);
    EXPECT_EQ(num_failures(engine.get()), i);
  }
  const Failure kept = wait_failure(thread.get(), instance.get());
  EXPECT_EQ(kept.code, BERTH_COMPILE_FAILED);
  EXPECT_NE(kept.message.find("failed in check: the compile worker was ended by signal 11"),
            std::string::npos)
      << kept.message;
  EXPECT_EQ(num_failures(engine.get()), 4u);
  EXPECT_EQ(metric(engine.get(), "berth_compile_workers_ended_total"), 4u);
}

TEST_P(JitIsolated, J58_what_depends_on_the_source_only_is_kept_at_once) {
  Watchdog watchdog{60s};
  berth::EngineOwner engine = make_engine(GetParam(), BERTH_CONTAINMENT_HANDLER, BERTH_FAULTY_WORKER);
  berth::ThreadOwner thread(engine);
  const berth::InstanceRef instance = install(thread, 1, isolated(add_source(1), true), "fatal@generate");
  for (int i = 0; i < 3; ++i) {
    const Failure failure = wait_failure(thread.get(), instance.get());
    EXPECT_NE(failure.message.find("failed in generate: cannot select this"), std::string::npos)
        << failure.message;
  }
  EXPECT_EQ(num_failures(engine.get()), 1u);
}

/// A named pipe that holds workers of the fault "held" until it is opened.
class PipeGate {
 public:
  PipeGate() {
    EXPECT_TRUE(mkdtemp(folder_));
    path_ = std::string(folder_) + "/gate";
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
    setenv("BERTH_TEST_GATE", path_.c_str(), 1);
  }
  ~PipeGate() {
    unlink(path_.c_str());
    rmdir(folder_);
  }
  void open() {  // waits for the worker
    const int end = ::open(path_.c_str(), O_WRONLY);
    EXPECT_GE(end, 0);
    close(end);
  }

 private:
  char folder_[32] = "/tmp/berth-gate-XXXXXX";
  std::string path_;
};

size_t num_waiters(berth_engine_t* engine) {
  char* const text = berth_engine_explain(engine);
  const std::string all(text ? text : "");
  berth_string_delete(text);
  size_t n = 0;
  for (size_t at = 0; (at = all.find("\"waiting_ns\"", at)) != std::string::npos; ++at) ++n;
  return n;
}

TEST(Jit, J58_32_waiters_of_a_lost_worker_each_hear_the_whole_text) {
  constexpr size_t kWaiters = 32;
  Watchdog watchdog{60s};
  PipeGate gate;
  berth::EngineOwner engine = make_engine(2, BERTH_CONTAINMENT_HANDLER, BERTH_FAULTY_WORKER);
  berth::ThreadOwner main_thread(engine);
  const berth::InstanceRef instance = install(main_thread, 1, isolated(add_source(1), true), "held@generate");
  std::vector<berth_error_t*> errors(kWaiters);
  std::vector<std::thread> threads;
  const berth_gc_state_t state = berth_thread_safe_enter(main_thread.get());
  for (size_t i = 0; i < kWaiters; ++i) {
    threads.emplace_back([&, i] {
      berth::ThreadOwner thread(engine);
      void* entry = nullptr;
      errors[i] = berth_instance_wait_entry(thread.get(), instance.get(), -1, &entry);
    });
  }
  while (num_waiters(engine.get()) < kWaiters) std::this_thread::yield();
  gate.open();
  for (std::thread& thread : threads) thread.join();
  berth_thread_safe_leave(main_thread.get(), state);
  std::set<berth_error_t*> objects;
  for (berth_error_t* const error : errors) {
    ASSERT_TRUE(error);
    EXPECT_EQ(berth_error_code(error), BERTH_COMPILE_FAILED);
    EXPECT_STREQ(berth_error_message(error), berth_error_message(errors[0]));
    EXPECT_TRUE(std::string(berth_error_message(error)).find("ended by signal 11") != std::string::npos)
        << berth_error_message(error);
    objects.insert(error);
  }
  EXPECT_EQ(objects.size(), kWaiters);
  for (berth_error_t* const error : objects) berth_error_delete(error);
  EXPECT_EQ(num_failures(engine.get()), 1u);
}

TEST(Jit, J20_cancel_of_one_waiter_leaves_the_others_theirs) {
  constexpr size_t kWaiters = 8;
  Watchdog watchdog{60s};
  PipeGate gate;
  berth::EngineOwner engine = make_engine(2, BERTH_CONTAINMENT_HANDLER, BERTH_FAULTY_WORKER);
  berth::ThreadOwner main_thread(engine);
  const berth::InstanceRef instance = install(main_thread, 1, isolated(add_source(1), true), "late@generate");
  berth_cancel_t* cancel = nullptr;
  berth::check(berth_cancel_new(engine.get(), &cancel));
  std::vector<berth_code_t> codes(kWaiters);
  std::vector<int64_t> results(kWaiters);
  std::vector<std::thread> threads;
  const auto wait_by = [&](size_t i, berth_cancel_t* token) {
    threads.emplace_back([&, i, token] {
      berth::ThreadOwner thread(engine);
      berth_reserve_options_t options{};
      options.struct_size = sizeof options;
      options.timeout_ns = -1;
      options.need = BERTH_NEED_ENTRY;
      options.cancel = token;
      berth_reservation_t reservation{};
      berth_error_t* const error = berth_reserve(thread.get(), {&kKeys[1], nullptr}, &options, &reservation);
      codes[i] = berth_error_code(error);
      berth_error_delete(error);
      if (codes[i] != BERTH_OK) return;
      const berth::InstanceRef published(reservation.published);
      results[i] = reinterpret_cast<Number*>(published.entry())(1);
    });
  };
  {
    const berth::SafeScope safe(main_thread.get());
    for (size_t i = 0; i < kWaiters; ++i) wait_by(i, i == 3 ? cancel : nullptr);
    while (num_waiters(engine.get()) < kWaiters) std::this_thread::yield();
    berth_cancel_fire(cancel);
    threads[3].join();  // while the compile is held
    EXPECT_EQ(codes[3], BERTH_CANCELLED);
    gate.open();
    for (std::thread& thread : threads) {
      if (thread.joinable()) thread.join();
    }
  }
  for (size_t i = 0; i < kWaiters; ++i) {
    if (i == 3) continue;
    EXPECT_EQ(codes[i], BERTH_OK);
    EXPECT_EQ(results[i], 2);
  }
  berth_cancel_delete(cancel);
  EXPECT_EQ(metric(engine.get(), "berth_compile_workers_ended_total"), 0u);
}

TEST(Jit, a_worker_that_is_not_there_is_unsupported) {
  Watchdog watchdog{60s};
  berth::EngineOwner engine = make_engine(1, BERTH_CONTAINMENT_PROCESS, "/nowhere/worker");
  berth::ThreadOwner thread(engine);
  const berth::InstanceRef instance = install(thread, 1, berth::SourceOwner::from_ir(add_source(1), "f"));
  const Failure failure = wait_failure(thread.get(), instance.get());
  EXPECT_EQ(failure.code, BERTH_UNSUPPORTED);
  EXPECT_NE(failure.message.find("berth_config_set_compile_worker"), std::string::npos) << failure.message;
}

}  // namespace
