// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "JIT", sections 1.1 and 4, through the public API: names and symbols of sources, and errors
// as results.
#include <berth/berth.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/jit_client.hpp"
#include "tests/support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using namespace berth::test;

constexpr berth_tier_t kTiers[] = {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED, BERTH_TIER_ADAPTIVE};

/// An engine and an attached thread; each source gets a key of its own.
struct Client {
  explicit Client(int threads = 1, const std::function<void(berth_config_t*)>& configure = {})
      : engine(threads, configure), thread(engine) {}
  Instance add(const std::string& ir, berth_tier_t tier = BERTH_TIER_FAST) {
    return install(engine, thread, key(keys++), source(ir, tier));
  }
  /// The entry; the instance is kept.
  template <class Function>
  Function* compile(const std::string& ir, berth_tier_t tier = BERTH_TIER_FAST) {
    kept.push_back(add(ir, tier));
    return wait_entry<Function>(thread, kept.back());
  }
  Failure failure(berth_instance_t* instance) {
    void* entry = nullptr;
    return take(berth_instance_wait_entry(thread, instance, -1, &entry));
  }
  void define(const char* name, void* address) {
    ASSERT_OK(berth_engine_define_symbol(engine, name, address));
  }

  Watchdog watchdog{100s};
  Engine engine;
  Attached thread;
  size_t keys = 1;
  std::vector<Instance> kept;
};

class JitSource : public testing::TestWithParam<berth_tier_t> {};
INSTANTIATE_TEST_SUITE_P(Tier, JitSource, testing::ValuesIn(kTiers), [](const auto& info) {
  return info.param == BERTH_TIER_FAST        ? "fast"
         : info.param == BERTH_TIER_OPTIMIZED ? "optimized"
                                              : "adaptive";
});

// --- names

// Code generation calls the library's sine; the source has a function of its own by that name.
TEST_P(JitSource, J5_own_functions_may_bear_names_of_the_library) {
  Client client;
  auto* const function = client.compile<double(double)>(
      "declare double @llvm.sin.f64(double)\ndefine double @sin(double %x) noinline {\n  ret double 1.0\n}\n"
      "define double @f(double %x) {\n  %a = call double @llvm.sin.f64(double %x)\n  %b = call double "
      "@sin(double %x)\n  %c = fadd double %a, %b\n  ret double %c\n}\n",
      GetParam());
  ASSERT_TRUE(function);
  EXPECT_EQ(function(0.5), std::sin(0.5) + 1);
}

TEST_P(JitSource, J5_an_entry_may_bear_a_name_of_the_library) {
  Client client;
  const std::string ir =
      "declare double @llvm.cos.f64(double)\ndefine double @cos(double %x) {\n  %a = call double "
      "@llvm.cos.f64(double %x)\n  %b = fadd double %a, 2.0\n  ret double %b\n}\n";
  berth_source_t* made = nullptr;
  ASSERT_OK(berth_source_from_ir(ir.data(), ir.size(), "cos", &made));
  berth_source_set_tier(made, GetParam());
  const Instance instance = install(client.engine, client.thread, key(1), made);
  auto* const function = wait_entry<double(double)>(client.thread, instance);
  ASSERT_TRUE(function);
  EXPECT_EQ(function(0.25), std::cos(0.25) + 2);
}

std::atomic<int> prints{0};
int print(const char* text, ...) {
  prints += std::string(text) == "line\n";
  return 0;
}
int twice(int x) { return 2 * x; }

// What the embedder defines is what is called, whatever the C library has by that name: neither replaced
// (printf by puts) nor computed.
TEST_P(JitSource, J8_a_defined_symbol_is_not_taken_for_the_librarys) {
  Client client;
  client.define("printf", reinterpret_cast<void*>(&print));
  client.define("abs", reinterpret_cast<void*>(&twice));
  auto* const function = client.compile<int(int)>(
      "@text = private constant [6 x i8] c\"line\\0A\\00\"\ndeclare i32 @printf(ptr, ...)\ndeclare i32 "
      "@abs(i32)\n"
      "define i32 @f(i32 %x) {\n  %p = call i32 (ptr, ...) @printf(ptr @text)\n  %y = call i32 @abs(i32 "
      "%x)\n  ret i32 %y\n}\n",
      GetParam());
  ASSERT_TRUE(function);
  prints = 0;
  EXPECT_EQ(function(-21), -42);
  EXPECT_EQ(prints.load(), 1);
}

int data = 5;

TEST_P(JitSource, J8_defined_data_and_later_definitions) {
  Client client;
  client.define("number", &data);
  const std::string ir =
      "@number = external global i32\ndeclare i32 @later(i32)\ndefine i32 @f() {\n  %x = load i32, ptr "
      "@number\n  %y = call i32 @later(i32 %x)\n  store i32 %y, ptr @number\n  ret i32 %y\n}\n";
  const Instance early = client.add(ir, GetParam());
  EXPECT_EQ(client.failure(early).code, BERTH_LINK_FAILED);
  client.define("later", reinterpret_cast<void*>(&twice));
  EXPECT_EQ(client.failure(early).code, BERTH_LINK_FAILED);  // kept with the key
  auto* const function = client.compile<int()>(ir, GetParam());
  ASSERT_TRUE(function);
  data = 5;
  EXPECT_EQ(function(), 10);
  EXPECT_EQ(function(), 20);
  EXPECT_EQ(data, 20);
}

// A tier never changes a result: what the code has written to its own data outlives any promotion.
TEST_P(JitSource, J32_state_of_a_source_outlives_hot_calls) {
  Client client;
  auto* const next = client.compile<int64_t()>(
      "@count = internal global i64 0\n@t = internal thread_local global i64 0\ndeclare ptr "
      "@llvm.threadlocal.address.p0(ptr)\n"
      "define i64 @f() {\n  %a = load i64, ptr @count\n  %b = add i64 %a, 1\n  store i64 %b, ptr @count\n"
      "  %p = call ptr @llvm.threadlocal.address.p0(ptr @t)\n  %c = load i64, ptr %p\n  %d = add i64 %c, 1\n "
      " store i64 %d, ptr %p\n"
      "  %e = mul i64 %d, 1000000\n  %r = add i64 %b, %e\n  ret i64 %r\n}\n",
      GetParam());
  ASSERT_TRUE(next);
  for (int64_t i = 1; i <= 20'000; ++i) ASSERT_EQ(next(), i * 1'000'001);
}

TEST_P(JitSource, J6_an_undefined_symbol_is_told_within_a_second) {
  Client client;
  auto best = std::chrono::nanoseconds::max();
  for (int round = 0; round < 3; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const Instance instance = client.add(
        "declare void @nowhere()\n@data = external global i32\ndefine i32 @f() {\n  call void @nowhere()\n  "
        "%x = load i32, ptr @data\n  ret i32 %x\n}\n",
        GetParam());
    const Failure failure = client.failure(instance);
    best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - start);
    EXPECT_EQ(failure.code, BERTH_LINK_FAILED);
    EXPECT_NE(failure.message.find("undefined symbols 'data', 'nowhere'"), std::string::npos)
        << failure.message;
  }
  EXPECT_LT(best, 1s);
}

// --- what an object defines

TEST_P(JitSource, J7_an_object_may_define_more_than_its_source_promises) {
  Client client;
  auto* const function = client.compile<int()>(
      "module asm \".globl extra\"\nmodule asm \"extra: movl $7, %eax; ret\"\nmodule asm \".weak "
      "other\"\nmodule asm \"other: ret\"\n"
      "declare i32 @extra()\ndefine void @more() {\n  ret void\n}\ndefine i32 @f() {\n  %x = call i32 "
      "@extra()\n  ret i32 %x\n}\n",
      GetParam());
  ASSERT_TRUE(function);
  EXPECT_EQ(function(), 7);
}

/// What each of several threads hears that wait for the entry.
std::vector<Failure> heard_by_waiters(Client& client, const Instance& instance) {
  std::vector<Failure> failures(8);
  std::vector<std::thread> threads;
  for (Failure& failure : failures) {
    threads.emplace_back([&client, &instance, &failure] {
      Attached thread(client.engine);
      void* entry = nullptr;
      failure = take(berth_instance_wait_entry(thread, instance, -1, &entry));
    });
  }
  const berth_gc_state_t state = berth_thread_safe_enter(client.thread);
  for (auto& thread : threads) thread.join();
  berth_thread_safe_leave(client.thread, state);
  return failures;
}

TEST_P(JitSource, J7_each_waiter_hears_of_a_symbol_defined_twice) {
  Client client;
  const Instance instance = client.add(
      "module asm \".globl f\"\nmodule asm \"f: ret\"\ndefine void @f() {\n  ret void\n}\n", GetParam());
  for (const Failure& failure : heard_by_waiters(client, instance)) {
    EXPECT_EQ(failure.code, BERTH_COMPILE_FAILED);
    EXPECT_NE(failure.message.find("'f' is already defined"), std::string::npos) << failure.message;
  }
}

TEST_P(JitSource, J7_each_waiter_hears_of_an_entry_that_is_not_defined) {
  Client client;
  const char* const sources[] = {
      "define i32 @g() {\n  ret i32 1\n}\n",
      "declare i32 @f()\ndefine i32 @g() {\n  %x = call i32 @f()\n  ret i32 %x\n}\n",
      "define available_externally i32 @f() {\n  ret i32 1\n}\n",
      "@f = global i32 1\n",
  };
  for (const char* const ir : sources) {
    const Instance instance = client.add(ir, GetParam());
    for (const Failure& failure : heard_by_waiters(client, instance)) {
      EXPECT_EQ(failure.code, BERTH_COMPILE_FAILED) << ir << failure.message;
      EXPECT_NE(failure.message.find("failed in check: the entry"), std::string::npos)
          << ir << failure.message;
      EXPECT_NE(failure.message.find("'f' is"), std::string::npos) << ir << failure.message;
    }
  }
}

// --- refusals of section 1.1

TEST_P(JitSource, J9_what_needs_the_hosts_loader_is_refused) {
  Client client;
  const std::pair<const char*, const char*> refused[] = {
      {"@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, "
       "ptr null }]\ndefine void @f() {\n  ret void\n}\n",
       "llvm.global_ctors"},
      {"@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, "
       "ptr null }]\ndefine void @f() {\n  ret void\n}\n",
       "llvm.global_dtors"},
      {"@i = ifunc void (), ptr @r\ndefine ptr @r() {\n  ret ptr null\n}\ndefine void @f() {\n  call void "
       "@i()\n  ret void\n}\n",
       "'i' is an ifunc"},
      {"@t = external thread_local global i32\ndefine i32 @f() {\n  %x = load i32, ptr @t\n  ret i32 %x\n}\n",
       "'t' is a thread-local"}};
  for (const auto& [ir, text] : refused) {
    const Instance instance = client.add(ir, GetParam());
    const Failure failure = client.failure(instance);
    EXPECT_EQ(failure.code, BERTH_UNSUPPORTED) << text;
    EXPECT_NE(failure.message.find(text), std::string::npos) << failure.message;
  }
  EXPECT_TRUE(
      client.compile<void()>("@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] "
                             "zeroinitializer\ndefine void @f() {\n  ret void\n}\n",
                             GetParam()));
}

TEST_P(JitSource, J9_own_thread_locals_are_right_in_four_threads) {
  Client client;
  auto* const next = client.compile<int64_t()>(
      "@a = internal thread_local global i64 100\n@b = thread_local global [3 x i64] [i64 1, i64 2, i64 3], "
      "align 64\n@z = thread_local global i64 zeroinitializer\n"
      "declare ptr @llvm.threadlocal.address.p0(ptr)\ndefine i64 @f() {\n  %a = call ptr "
      "@llvm.threadlocal.address.p0(ptr @a)\n  %b = call ptr @llvm.threadlocal.address.p0(ptr @b)\n"
      "  %z = call ptr @llvm.threadlocal.address.p0(ptr @z)\n  %p = getelementptr [3 x i64], ptr %b, i64 0, "
      "i64 2\n  %x = load i64, ptr %a\n  %y = load i64, ptr %p\n"
      "  %w = load i64, ptr %z\n  %x1 = add i64 %x, 1\n  store i64 %x1, ptr %a\n  %y1 = add i64 %y, 2\n  "
      "store i64 %y1, ptr %p\n  %w1 = add i64 %w, 3\n  store i64 %w1, ptr %z\n"
      "  %i = ptrtoint ptr %b to i64\n  %m = and i64 %i, 63\n  %s = add i64 %x1, %y1\n  %t = add i64 %s, "
      "%w1\n  %r = add i64 %t, %m\n  ret i64 %r\n}\n",
      GetParam());
  ASSERT_TRUE(next);
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      bool good = true;
      for (int64_t i = 1; i <= 2000; ++i) good &= next() == 103 + 6 * i;
      right += good;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right.load(), 4);
}

// --- errors

TEST_P(JitSource, J52_errors_of_the_assembler_are_text) {
  Client client;
  const std::pair<const char*, const char*> bad[] = {
      {"define void @f() {\n  call void asm \"bogus\", \"\"()\n  ret void\n}\n",
       "failed in generate: <inline asm>:1:2: invalid instruction mnemonic 'bogus'"},
      {"define void @f() {\n  call void asm \"movl $$5, %zork\", \"\"()\n  ret void\n}\n",
       "invalid register name"},
      {"define void @f() {\n  call void asm \"nop\", \"{zork}\"(i32 1)\n  ret void\n}\n",
       "constraint '{zork}'"},
      {"define void @f(ptr %p) {\n  call void asm \"movq ${0:q}, %rax\", \"{xmm77}\"(i64 1)\n  ret void\n}\n",
       "constraint"},
      {"define i128 @f() {\n  %x = call i128 asm \"nop\", \"={eax}\"()\n  ret i128 %x\n}\n",
       "failed in generate"},
      {"define void @f() {\n  call void asm \".zork\\0A.fill 3,\", \"\"()\n  ret void\n}\n",
       "unknown directive"},
      {"module asm \"zork zork\"\ndefine void @f() {\n  ret void\n}\n", "zork"},
      {"module asm \".section .zork,\\22q\\22\"\ndefine void @f() {\n  ret void\n}\n", "unknown flag"}};
  for (const auto& [ir, text] : bad) {
    const Instance instance = client.add(ir, GetParam());
    const Failure failure = client.failure(instance);
    EXPECT_EQ(failure.code, BERTH_COMPILE_FAILED) << ir;
    EXPECT_NE(failure.message.find(text), std::string::npos) << failure.message;
  }
  EXPECT_EQ(client.compile<Number>(number_source(1), GetParam())(1), 2);
}

void raise(int n) { throw std::runtime_error(std::to_string(n)); }

TEST_P(JitSource, J67_an_exception_passes_from_host_through_code_to_host) {
  Client client;
  client.define("raise", reinterpret_cast<void*>(&raise));
  // Two frames of code, one with memory of variable size, between the throw and the handler.
  auto* const function = client.compile<void(int)>(
      "declare void @raise(i32)\ndefine void @inner(i32 %n) noinline {\n  %m = alloca i8, i32 %n\n  store i8 "
      "1, ptr %m\n  call void @raise(i32 %n)\n  call void asm sideeffect \"\", \"r\"(ptr %m)\n  ret void\n}\n"
      "define void @f(i32 %n) {\n  call void @inner(i32 %n)\n  call void asm sideeffect \"\", \"\"()\n  ret "
      "void\n}\n",
      GetParam());
  ASSERT_TRUE(function);
  for (int i = 1; i <= 3000; ++i) {  // over a promotion, and from other threads' stacks
    try {
      function(i);
      FAIL() << "returned";
    } catch (const std::runtime_error& error) { ASSERT_EQ(error.what(), std::to_string(i)); }
  }
  std::thread other([&] { EXPECT_THROW(function(7), std::runtime_error); });
  other.join();
}

// --- calls of what failed

struct Told {
  std::atomic<int> times{0};
  berth_instance_t* callee = nullptr;
  berth_code_t code = BERTH_OK;
  std::string message;
  void* instead = nullptr;
};
int64_t other_callee(int64_t a, int64_t b) { return 100 * a + b; }
void* tell(void* context, berth_instance_t* callee, const berth_error_t* error) {
  auto& told = *static_cast<Told*>(context);
  ++told.times;
  told.callee = callee;
  told.code = berth_error_code(error);
  told.message = berth_error_message(error);
  return told.instead;
}

constexpr const char* kCaller =
    "declare i64 @g(i64, i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 @g(i64 %x, i64 7)\n  ret i64 %y\n}\n";
constexpr const char* kBadCallee =
    "define i64 @f(i64 %a, i64 %b) {\n  call void asm \"bogus\", \"\"()\n  ret i64 0\n}\n";

TEST_P(JitSource, J58_a_call_of_what_failed_goes_where_the_embedder_says) {
  Told told;
  Client client(1, [&](berth_config_t* config) { berth_config_set_call_error(config, &tell, &told); });
  const Instance callee = client.add(kBadCallee, GetParam());
  berth_source_t* const made = source(kCaller, GetParam());
  berth_source_add_edge(made, callee, "g");
  const Instance caller = install(client.engine, client.thread, key(client.keys++), made, "caller");
  auto* const function = wait_entry<Number>(client.thread, caller);
  ASSERT_TRUE(function);
  EXPECT_ANY_THROW(function(1));  // it says nothing: thrown
  EXPECT_EQ(told.times.load(), 1);
  EXPECT_EQ(told.callee, static_cast<berth_instance_t*>(callee));
  EXPECT_EQ(told.code, BERTH_COMPILE_FAILED);
  EXPECT_NE(told.message.find("invalid instruction mnemonic 'bogus'"), std::string::npos) << told.message;
  told.instead = reinterpret_cast<void*>(&other_callee);
  EXPECT_EQ(function(4), 407);
  std::thread unattached([&] { EXPECT_EQ(function(5), 507); });
  unattached.join();
  EXPECT_EQ(told.times.load(), 3);  // each time: it was not bound
}

TEST_P(JitSource, J58_a_call_of_what_failed_throws) {
  Client client;
  const Instance callee = client.add(kBadCallee, GetParam());
  berth_source_t* const made = source(kCaller, GetParam());
  berth_source_add_edge(made, callee, "g");
  auto* const function =
      wait_entry<Number>(client.thread, install(client.engine, client.thread, key(client.keys++), made));
  for (int i = 0; i < 3; ++i) {
    try {
      function(1);
      FAIL() << "returned";
    } catch (const std::exception& error) { FAIL() << "another exception: " << error.what(); } catch (...) {
    }
  }
}

// --- the engine's target

TEST(JitTarget, J80_an_engine_is_not_made_for_a_target_that_does_not_run_here) {
  const auto made = [](const char* triple, const char* cpu, const char* features) {
    berth_config_t* const config = berth_config_new();
    berth_config_set_target(config, triple, cpu, features);
    berth_engine_t* engine = nullptr;
    const Failure failure = take(berth_engine_new(config, &engine));
    EXPECT_EQ(engine != nullptr, failure.code == BERTH_OK);
    berth_engine_delete(engine);
    berth_config_delete(config);
    return failure;
  };
  EXPECT_EQ(made("riscv64-unknown-linux-gnu", nullptr, nullptr).code, BERTH_UNSUPPORTED);
  EXPECT_EQ(made(nullptr, "zork", nullptr).code, BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(made(nullptr, nullptr, "+zork").code, BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(made(nullptr, nullptr, nullptr).code, BERTH_OK);
}

TEST_P(JitSource, J80_code_for_a_lesser_target_runs) {
#if defined(__x86_64__)
  Client client(1,
                [](berth_config_t* config) { berth_config_set_target(config, nullptr, "x86-64", "-sse3"); });
  auto* const function = client.compile<double(double, double)>(
      "declare double @llvm.fma.f64(double, double, double)\ndeclare double @llvm.floor.f64(double)\ndefine "
      "double @f(double %x, double %y) {\n"
      "  %a = call double @llvm.fma.f64(double %x, double %y, double 0.75)\n  %b = call double "
      "@llvm.floor.f64(double %a)\n  ret double %b\n}\n",
      GetParam());
  ASSERT_TRUE(function);
  EXPECT_EQ(function(1.5, 2), 3);
#endif
}

// --- the end of the process

// A function whose optimised compile takes seconds.
std::string slow_source(int loops) {
  std::string ir = "define void @f(ptr %p, i64 %n) {\nb0:\n  br label %l0\n";
  for (int i = 0; i < loops; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    ir += "l" + n + ":\n  %i" + n + " = phi i64 [ 0, %b" + n + " ], [ %k" + n + ", %l" + n + " ]\n  %q" + n +
          " = getelementptr float, ptr %p, i64 %i" + n + "\n  %v" + n + " = load float, ptr %q" + n +
          "\n  %w" + n + " = fmul float %v" + n + ", %v" + n + "\n  store float %w" + n + ", ptr %q" + n +
          "\n  %k" + n + " = add i64 %i" + n + ", 1\n  %m" + n + " = icmp slt i64 %k" + n +
          ", %n\n  br i1 %m" + n + ", label %l" + n + ", label %b" + next + "\nb" + next + ":\n  br label %" +
          (i + 1 < loops ? "l" + next : "end") + "\n";
  }
  return ir + "end:\n  ret void\n}\n";
}

// Keys of three owners with the same methods, made, called, promoted and invalidated at random by four
// threads: an entry adds its owner's number, so another's would be seen.
TEST(JitOwners, J88_every_entry_carries_its_owners_tag) {
  Watchdog watchdog{100s};
  constexpr size_t kMethods = 16, kOwners = 3;
  constexpr int kRounds = 150;
  static const char owners[kOwners] = {};
  Engine engine(2);
  std::atomic<int> wrong{0};
  const auto work = [&](unsigned seed) {
    Attached thread(engine);
    std::minstd_rand random(seed);
    for (int round = 0; round < kRounds; ++round) {
      const size_t method = random() % kMethods, owner = random() % kOwners;
      const berth_key_t at = {key(method).method, &owners[owner]};
      berth_reservation_t reservation{};
      if (take(berth_reserve(thread, at, nullptr, &reservation)).code != BERTH_OK) continue;
      if (reservation.outcome != BERTH_PUBLISHED) {
        const berth_tier_t tier = random() % 4 == 0 ? BERTH_TIER_OPTIMIZED : BERTH_TIER_ADAPTIVE;
        EXPECT_EQ(
            take(berth_release(thread, reservation.lease, source(number_source(1000 * owner + method), tier)))
                .code,
            BERTH_OK);
        continue;
      }
      void* entry = nullptr;  // or it was invalidated meanwhile
      if (take(berth_instance_wait_entry(thread, reservation.published, -1, &entry)).code == BERTH_OK &&
          entry) {
        for (int i = 0; i < 300; ++i)
          wrong += reinterpret_cast<Number*>(entry)(i) != static_cast<int64_t>(1000 * owner + method) + i;
      }
      if (random() % 8 == 0) take(berth_instance_invalidate(engine, reservation.published, 0));
      berth_instance_release(reservation.published);
      berth_thread_safepoint(thread);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i <= 4; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_GT(engine.counts().compiled_fast + engine.counts().compiled_optimized, kMethods * kOwners);
}

// The child's workers are in the middle of a compile when it exits, with its engine alive.
TEST(JitProcess, J25_exit_with_busy_workers_keeps_its_status) {
  Watchdog watchdog{100s};
  auto best = std::chrono::nanoseconds::max();
  for (int round = 0; round < 3; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      Engine engine(2);
      Attached thread(engine);
      const std::string slow = slow_source(1500);
      std::vector<Instance> all;
      for (size_t i = 0; i < 6; ++i)
        all.push_back(install(engine, thread, key(i), source(slow, BERTH_TIER_OPTIMIZED)));
      for (size_t i = 6; i < 300; ++i)
        all.push_back(install(engine, thread, key(i), source(number_source(i))));
      wait_entry<Number>(thread, all.back());  // others go first, and long ones are in all workers
      const bool idle = engine.counts().compiled_optimized == 6;
      [[maybe_unused]] const auto told = write(ends[1], "x", 1);
      std::exit(idle ? 8 : 7);
    }
    close(ends[1]);
    char byte = 0;
    ASSERT_EQ(read(ends[0], &byte, 1), 1);
    const auto start = std::chrono::steady_clock::now();
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - start);
    close(ends[0]);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
  EXPECT_LT(best, 2s);
}

// At any point of a compile: the child is told, runs what was published, and exits; the parent goes on.
TEST(JitProcess, J24_a_forked_child_runs_published_code_and_exits) {
  Client client(2);
  auto* const published = client.compile<Number>(number_source(41));
  const std::string slow = slow_source(300);
  const Instance running = client.add(slow, BERTH_TIER_OPTIMIZED),
                 lazy = install(client.engine, client.thread, key(client.keys++),
                                source(number_source(5), BERTH_TIER_FAST, true));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(90);
    char byte = 0;
    bool good = published(1) == 42;
    void* entry = nullptr;
    good &= take(berth_instance_wait_entry(client.thread, lazy, -1, &entry)).code == BERTH_FORKED;
    berth_reservation_t reservation{};
    good &= take(berth_reserve(client.thread, key(1000), nullptr, &reservation)).code == BERTH_FORKED;
    good &= berth_lookup_entry(client.engine, key(1), 0) == reinterpret_cast<void*>(published);
    good &= read(ends[0], &byte, 1) == 1;  // the parent has compiled more meanwhile
    good &= published(2) == 43;
    berth_engine_delete(client.engine);
    std::exit(good ? 0 : 1);
  }
  for (size_t i = 0; i < 100; ++i)
    EXPECT_EQ(client.compile<Number>(number_source(i))(1), static_cast<int64_t>(i) + 1);
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(client.failure(running).code, BERTH_OK);
  EXPECT_EQ(wait_entry<Number>(client.thread, lazy)(1), 6);
  for (const int end : ends) close(end);
}

}  // namespace
