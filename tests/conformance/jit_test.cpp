// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "JIT" through the public API: from release to entry, with the real engine and LLVM.
#include <berth/berth.h>
#include <berth/llvm.h>
#include <gtest/gtest.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/jit_client.hpp"
#include "tests/support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using namespace berth::test;

class JitThreads : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(CompileThreads, JitThreads, testing::Values(0, 1, 2));

TEST_P(JitThreads, release_to_entry) {
  Watchdog watchdog{60s};
  Engine engine(GetParam());
  Attached thread(engine);
  for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED, BERTH_TIER_ADAPTIVE}) {
    const Instance instance = install(engine, thread, key(tier), source(number_source(5), tier));
    auto* const function = wait_entry<Number>(thread, instance);
    ASSERT_TRUE(function);
    EXPECT_EQ(function(37), 42);
    EXPECT_EQ(berth_instance_entry(instance), reinterpret_cast<void*>(function));
    EXPECT_EQ(berth_lookup_entry(engine, key(tier), 0), reinterpret_cast<void*>(function));
  }
  EXPECT_EQ(engine.counts().compiled_fast, 2u);
  EXPECT_EQ(engine.counts().compiled_optimized, 1u);
}

TEST_P(JitThreads, J4_one_key_many_threads_one_compile_each) {
  constexpr size_t kRounds = 100;
  constexpr int kThreads = 8;
  Watchdog watchdog{120s};
  Engine engine(GetParam());
  std::atomic<int> wrong{0};
  std::barrier together(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      Attached thread(engine);
      for (size_t round = 0; round < kRounds; ++round) {
        const berth_gc_state_t state = berth_thread_safe_enter(thread);
        together.arrive_and_wait();
        berth_thread_safe_leave(thread, state);
        berth_reserve_options_t options{};
        options.struct_size = sizeof options;
        options.need = BERTH_NEED_ENTRY;
        options.timeout_ns = -1;
        berth_reservation_t reservation{};
        if (take(berth_reserve(thread, key(round), &options, &reservation)).code != BERTH_OK) ++wrong;
        Instance instance(reservation.published);
        if (reservation.outcome == BERTH_RESERVED) {
          berth_instance_retain(reservation.lease.instance);
          instance = Instance(reservation.lease.instance);
          if (take(berth_release(thread, reservation.lease, source(number_source(round)))).code != BERTH_OK)
            ++wrong;
        }
        auto* const function = wait_entry<Number>(thread, instance);
        if (!function || function(1) != static_cast<int64_t>(round) + 1) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(engine.counts().compiled_fast, kRounds);
}

TEST_P(JitThreads, J6_undefined_symbol_reaches_the_waiter) {
  Watchdog watchdog{60s};
  Engine engine(GetParam());
  Attached thread(engine);
  const Instance instance =
      install(engine, thread, key(1),
              source("declare void @nowhere()\ndefine void @f() {\n  call void @nowhere()\n  ret void\n}\n"));
  void* entry = nullptr;
  const Failure failure = take(berth_instance_wait_entry(thread, instance, -1, &entry));
  EXPECT_EQ(failure.code, BERTH_LINK_FAILED);
  EXPECT_NE(failure.message.find("nowhere"), std::string::npos) << failure.message;
  EXPECT_EQ(entry, nullptr);
}

int64_t host_function(int64_t x) { return x * 3; }
int64_t other_function(int64_t x) { return x; }

TEST(Jit, J8_defined_symbols) {
  Watchdog watchdog{60s};
  Engine engine(1);
  Attached thread(engine);
  ASSERT_OK(berth_engine_define_symbol(engine, "host", reinterpret_cast<void*>(&host_function)));
  ASSERT_OK(berth_engine_define_symbol(engine, "host", reinterpret_cast<void*>(&host_function)));
  EXPECT_EQ(take(berth_engine_define_symbol(engine, "host", reinterpret_cast<void*>(&other_function))).code,
            BERTH_INVALID_ARGUMENT);
  const Instance instance = install(engine, thread, key(1),
                                    source("declare i64 @host(i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 "
                                           "@host(i64 %x)\n  ret i64 %y\n}\n"));
  EXPECT_EQ(wait_entry<Number>(thread, instance)(14), 42);
}

TEST(Jit, J10_a_module_whose_context_another_thread_holds) {
  Watchdog watchdog{60s};
  Engine engine(1);
  Attached thread(engine);
  LLVMContextRef const context = LLVMContextCreate();
  const std::string ir = number_source(7);
  LLVMMemoryBufferRef const buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(ir.data(), ir.size(), "module");
  LLVMModuleRef parsed = nullptr;
  char* message = nullptr;
  ASSERT_FALSE(LLVMParseIRInContext(context, buffer, &parsed, &message)) << message;
  LLVMOrcThreadSafeContextRef const safe_context = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
  LLVMOrcThreadSafeModuleRef const module = LLVMOrcCreateNewThreadSafeModule(parsed, safe_context);
  berth_source_t* made = nullptr;
  ASSERT_OK(berth_source_from_llvm_module(module, "f", &made));
  std::promise<void> held, released;
  std::thread holder([&] {
    std::pair<std::promise<void>*, std::promise<void>*> gates{&held, &released};
    LLVMOrcThreadSafeModuleWithModuleDo(
        module,
        [](void* argument, LLVMModuleRef) -> LLVMErrorRef {
          auto& both = *static_cast<std::pair<std::promise<void>*, std::promise<void>*>*>(argument);
          both.first->set_value();
          both.second->get_future().wait();
          return LLVMErrorSuccess;
        },
        &gates);
  });
  held.get_future().wait();
  const Instance instance = install(engine, thread, key(1), made);
  EXPECT_EQ(wait_entry<Number>(thread, instance)(35), 42);
  released.set_value();
  holder.join();
  LLVMOrcDisposeThreadSafeModule(module);
  LLVMOrcDisposeThreadSafeContext(safe_context);
}

TEST_P(JitThreads, J21_delete_with_queued_jobs) {
  Watchdog watchdog{120s};
  for (int round = 0; round < 20; ++round) {
    Engine engine(GetParam());
    Attached thread(engine);
    for (size_t i = 0; i < 50; ++i) install(engine, thread, key(i), source(number_source(i)));
  }
}

// One round: 8 threads wait for what is queued, 1,000 jobs in all, when the engine is shut down and deleted.
void delete_with_waiters() {
  Engine engine(1);
  constexpr int kWaiters = 8;
  std::atomic<int> answered{0};
  std::barrier ready(kWaiters + 1);
  std::vector<std::thread> threads;
  for (int t = 0; t < kWaiters; ++t) {
    threads.emplace_back([&, t] {
      Attached thread(engine);
      std::vector<Instance> all;
      for (size_t i = 0; i < 125; ++i)
        all.push_back(
            install(engine, thread, key(static_cast<size_t>(t) * 200 + i), source(number_source(i))));
      ready.arrive_and_wait();
      for (const Instance& instance : all) {
        void* entry = nullptr;
        const Failure failure = take(berth_instance_wait_entry(thread, instance, -1, &entry));
        if (failure.code != BERTH_OK && failure.code != BERTH_SHUT_DOWN) ADD_FAILURE() << failure.message;
        if (failure.code == BERTH_OK && reinterpret_cast<Number*>(entry)(1) < 1) ADD_FAILURE();
      }
      ++answered;
    });
  }
  ready.arrive_and_wait();
  ASSERT_OK(berth_engine_shutdown(engine));
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(answered.load(), kWaiters);
}

TEST(Jit, J21_waiters_are_answered_by_the_shutdown) {
  const int rounds = std::getenv("BERTH_NIGHTLY") ? 1'000 : 3;
  std::printf("count: %d of 1000\n", rounds);
  Watchdog watchdog{800s};
  for (int round = 0; round < rounds; ++round) delete_with_waiters();
}

TEST_P(JitThreads, J22_methods_are_invalidated_while_they_compile) {
  constexpr size_t kMethods = 300;
  Watchdog watchdog{120s};
  Engine engine(GetParam());
  Attached thread(engine);
  const uint64_t before = berth_engine_world(engine);
  std::vector<Instance> all;
  for (size_t i = 0; i < kMethods; ++i)
    all.push_back(install(engine, thread, key(i), source(number_source(i))));
  std::thread invalidator([&] {
    for (const Instance& instance : all)
      EXPECT_EQ(take(berth_instance_invalidate(engine, instance, before)).code, BERTH_OK);
  });
  for (size_t i = 0; i < kMethods; i += 3) {
    void* entry = nullptr;  // callable or an error: both in time
    const Failure failure = take(berth_instance_wait_entry(thread, all[i], -1, &entry));
    EXPECT_EQ(failure.code == BERTH_OK, entry != nullptr);
    if (!entry) continue;
    EXPECT_EQ(reinterpret_cast<Number*>(entry)(1), static_cast<int64_t>(i) + 1);
  }
  const berth_gc_state_t state = berth_thread_safe_enter(thread);
  invalidator.join();
  berth_thread_safe_leave(thread, state);
  const uint64_t world = berth_engine_advance_world(engine);
  for (size_t i = 0; i < kMethods; ++i) EXPECT_EQ(berth_lookup_entry(engine, key(i), world), nullptr);
}

TEST(Jit, J53_a_source_over_the_budget_is_refused) {
  Watchdog watchdog{60s};
  Engine engine(
      1, [](berth_config_t* config) { berth_config_set_compile_budget(config, BERTH_TIER_FAST, 0, 1, 0); });
  Attached thread(engine);
  const Instance large = install(engine, thread, key(1), source(number_source(1)));
  void* entry = nullptr;
  const Failure failure = take(berth_instance_wait_entry(thread, large, -1, &entry));
  EXPECT_EQ(failure.code, BERTH_UNSUPPORTED);
  EXPECT_NE(failure.message.find("over the budget of 1"), std::string::npos) << failure.message;
  const Instance optimized = install(engine, thread, key(2), source(number_source(1), BERTH_TIER_OPTIMIZED));
  EXPECT_EQ(wait_entry<Number>(thread, optimized)(1), 2);
}

TEST_P(JitThreads, J17_every_priority_is_compiled) {
  Watchdog watchdog{60s};
  Engine engine(GetParam());
  Attached thread(engine);
  for (const berth_priority_t priority :
       {BERTH_PRIORITY_NORMAL, BERTH_PRIORITY_ASKED, BERTH_PRIORITY_SPECULATIVE}) {
    berth_source_t* const made = source(number_source(priority));
    berth_source_set_priority(made, priority);
    const Instance instance = install(engine, thread, key(static_cast<size_t>(priority)), made);
    EXPECT_EQ(wait_entry<Number>(thread, instance)(1), priority + 1);
  }
}

TEST(Jit, J23_eight_engines_in_parallel) {
  Watchdog watchdog{120s};
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        Engine engine(2);
        Attached thread(engine);
        std::vector<Instance> all;
        for (size_t i = 0; i < 10; ++i)
          all.push_back(install(engine, thread, key(i), source(number_source(i))));
        for (size_t i = 0; i < 10; ++i)
          right += wait_entry<Number>(thread, all[i])(1) == static_cast<int64_t>(i) + 1;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right.load(), 8 * 5 * 10);
}

size_t count_threads() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) return std::stoul(line.substr(8));
  }
  return 0;
}

TEST(Jit, J26_zero_compile_threads_start_none) {
  Watchdog watchdog{60s};
  const size_t before = count_threads();
  Engine engine(0);
  Attached thread(engine);
  const Instance instance = install(engine, thread, key(1), source(number_source(1)));
  EXPECT_EQ(wait_entry<Number>(thread, instance)(1), 2);
  EXPECT_EQ(count_threads(), before);
}

class JitLazy : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(CompileThreads, JitLazy, testing::Values(0, 1));

TEST_P(JitLazy, J35_lazy_sources_compile_on_each_demand) {
  Watchdog watchdog{60s};
  Engine engine(GetParam());
  Attached thread(engine);
  const auto lazy = [&](size_t n) {
    return install(engine, thread, key(n), source(number_source(n), BERTH_TIER_FAST, true));
  };
  const Instance waited = lazy(1), reserved = lazy(2), called = lazy(3);
  EXPECT_EQ(berth_lookup_entry(engine, key(1), 0), nullptr);
  EXPECT_EQ(engine.counts().compiled_fast, 0u);

  EXPECT_EQ(wait_entry<Number>(thread, waited)(1), 2);
  EXPECT_EQ(engine.counts().compiled_fast, 1u);

  berth_reserve_options_t options{};
  options.struct_size = sizeof options;
  options.need = BERTH_NEED_ENTRY;
  options.timeout_ns = -1;
  berth_reservation_t reservation{};
  ASSERT_OK(berth_reserve(thread, key(2), &options, &reservation));
  ASSERT_EQ(reservation.outcome, BERTH_PUBLISHED);
  const Instance published(reservation.published);
  EXPECT_EQ(reinterpret_cast<Number*>(berth_instance_entry(published))(1), 3);
  EXPECT_EQ(engine.counts().compiled_fast, 2u);

  berth_source_t* const caller_source =
      source("declare i64 @g(i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 @g(i64 %x)\n  ret i64 %y\n}\n");
  berth_source_add_edge(caller_source, called, "g");
  const Instance caller = install(engine, thread, key(4), caller_source);
  auto* const function = wait_entry<Number>(thread, caller);
  EXPECT_EQ(berth_lookup_entry(engine, key(3), 0), nullptr);  // compiling a caller compiles no callee
  EXPECT_EQ(engine.counts().compiled_fast, 3u);
  EXPECT_EQ(function(1), 4);
  EXPECT_EQ(engine.counts().compiled_fast, 4u);
  EXPECT_NE(berth_lookup_entry(engine, key(3), 0), nullptr);
}

TEST_P(JitThreads, J36_many_first_calls_one_compile) {
  constexpr int kThreads = 16;
  Watchdog watchdog{60s};
  Engine engine(GetParam());
  Attached main_thread(engine);
  const Instance callee =
      install(engine, main_thread, key(1), source(number_source(10), BERTH_TIER_FAST, true));
  berth_source_t* const caller_source =
      source("declare i64 @g(i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 @g(i64 %x)\n  ret i64 %y\n}\n");
  berth_source_add_edge(caller_source, callee, "g");
  const Instance caller = install(engine, main_thread, key(2), caller_source);
  auto* const function = wait_entry<Number>(main_thread, caller);
  std::barrier together(kThreads);
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  const berth_gc_state_t state = berth_thread_safe_enter(main_thread);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      if (t % 2 == 0) {  // attached or not: a call over an edge drives the compile
        together.arrive_and_wait();
        right += function(1) == 11;
        return;
      }
      Attached thread(engine);
      const berth_gc_state_t mine = berth_thread_safe_enter(thread);
      together.arrive_and_wait();
      berth_thread_safe_leave(thread, mine);
      right += function(1) == 11;
    });
  }
  for (auto& thread : threads) thread.join();
  berth_thread_safe_leave(main_thread, state);
  EXPECT_EQ(right.load(), kThreads);
  EXPECT_EQ(engine.counts().compiled_fast, 2u);
}

TEST_P(JitThreads, mutually_recursive_edges) {
  Watchdog watchdog{60s};
  Engine engine(GetParam());
  Attached thread(engine);
  // even(n) = n == 0 or odd(n - 1); odd(n) = n != 0 and even(n - 1). Each has an edge to the other's token.
  const auto body = [](const char* at_zero) {
    return std::string(
               "declare i64 @g(i64)\ndefine i64 @f(i64 %x) {\n  %z = icmp eq i64 %x, 0\n  br i1 %z, label "
               "%end, label %more\nend:\n  ret i64 ") +
           at_zero + "\nmore:\n  %n = sub i64 %x, 1\n  %r = call i64 @g(i64 %n)\n  ret i64 %r\n}\n";
  };
  berth_reservation_t even{}, odd{};
  ASSERT_OK(berth_reserve(thread, key(1), nullptr, &even));
  ASSERT_OK(berth_reserve(thread, key(2), nullptr, &odd));
  berth_source_t *even_source = source(body("1")), *odd_source = source(body("0"));
  berth_source_add_edge(even_source, odd.lease.instance, "g");
  berth_source_add_edge(odd_source, even.lease.instance, "g");
  berth_instance_retain(even.lease.instance);
  const Instance even_instance(even.lease.instance);
  ASSERT_OK(berth_release(thread, even.lease, even_source));
  ASSERT_OK(berth_release(thread, odd.lease, odd_source));
  auto* const function = wait_entry<Number>(thread, even_instance);
  EXPECT_EQ(function(1000), 1);
  EXPECT_EQ(function(1001), 0);
}

TEST_P(JitThreads, J58_each_waiter_has_its_own_error_with_the_whole_text) {
  constexpr int kThreads = 16;
  Watchdog watchdog{60s};
  Engine engine(GetParam());
  Attached main_thread(engine);
  const Instance instance = install(
      engine, main_thread, key(1),
      source("define void @f() {\n  call void asm \"bogus\", \"\"()\n  ret void\n}\n", BERTH_TIER_FAST, true),
      "area(Circle)");
  std::barrier together(kThreads);
  std::vector<std::string> texts(kThreads);
  std::vector<std::thread> threads;
  const berth_gc_state_t state = berth_thread_safe_enter(main_thread);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Attached thread(engine);
      const berth_gc_state_t mine = berth_thread_safe_enter(thread);
      together.arrive_and_wait();
      berth_thread_safe_leave(thread, mine);
      void* entry = nullptr;
      const Failure failure = take(berth_instance_wait_entry(thread, instance, -1, &entry));
      EXPECT_EQ(failure.code, BERTH_COMPILE_FAILED);
      texts[static_cast<size_t>(t)] = failure.message;
    });
  }
  for (auto& thread : threads) thread.join();
  berth_thread_safe_leave(main_thread, state);
  for (const std::string& text : texts) {
    EXPECT_NE(text.find("compiling \"area(Circle)\" (entry \"f\", FAST) failed in generate: <inline "
                        "asm>:1:2: invalid instruction mnemonic 'bogus'"),
              std::string::npos)
        << text;
  }
  void* entry = nullptr;  // it depends on the source only: kept
  EXPECT_EQ(take(berth_instance_wait_entry(main_thread, instance, -1, &entry)).message, texts[0]);
  EXPECT_EQ(engine.counts().compile_failures, 1u);
}

TEST(Jit, J31_hot_adaptive_code_is_promoted_once) {
  constexpr int kThreads = 8;
  Watchdog watchdog{60s};
  Engine engine(2);
  Attached main_thread(engine);
  const Instance instance =
      install(engine, main_thread, key(1), source(number_source(10), BERTH_TIER_ADAPTIVE));
  auto* const first = wait_entry<Number>(main_thread, instance);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  const berth_gc_state_t state = berth_thread_safe_enter(main_thread);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int64_t i = 0; i < 1'000'000 && (i < 2000 || engine.counts().compiled_optimized == 0); ++i)
        wrong += first(i) != i + 10;
    });
  }
  for (auto& thread : threads) thread.join();
  berth_thread_safe_leave(main_thread, state);
  EXPECT_EQ(wrong.load(), 0);
  while (berth_lookup_entry(engine, key(1), 0) == reinterpret_cast<void*>(first)) std::this_thread::yield();
  EXPECT_EQ(first(1), 11);
  EXPECT_EQ(engine.counts().compiled_fast, 1u);
  EXPECT_EQ(engine.counts().compiled_optimized, 1u);
}

TEST(Jit, bad_arguments_of_sources) {
  berth_source_t* made = nullptr;
  EXPECT_EQ(take(berth_source_from_ir("", 0, "", &made)).code, BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take(berth_source_from_ir(nullptr, 5, "f", &made)).code, BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take(berth_source_from_bitcode("x", 1, nullptr, &made)).code, BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take(berth_source_from_llvm_module(nullptr, "f", &made)).code, BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(made, nullptr);
}

TEST(Jit, J55_damaged_bitcode_is_an_error) {
  Watchdog watchdog{60s};
  Engine engine(1);
  Attached thread(engine);
  const char bytes[] = "BC\xc0\xde\x35\x14\x00\x00 this is not a module";
  berth_source_t* made = nullptr;
  ASSERT_OK(berth_source_from_bitcode(bytes, sizeof bytes, "f", &made));
  const Instance instance = install(engine, thread, key(1), made);
  void* entry = nullptr;
  EXPECT_EQ(take(berth_instance_wait_entry(thread, instance, -1, &entry)).code, BERTH_COMPILE_FAILED);
}

}  // namespace
