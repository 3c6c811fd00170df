// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HostBackend without an engine: LLVM IR in, callable code or an error out; and its memory, unwind lists and
// call slots.
#include "jit/host_backend.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <deque>
#include <fstream>
#include <latch>
#include <stdexcept>
#include <thread>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "engine/code_instance.hpp"
#include "jit/compile_pool.hpp"
#include "jit/llvm_body.hpp"
#include "jit/runtime_library.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/watchdog.hpp"
#include "tests/unit/jit/host_fixture.hpp"

namespace berth::jit {
namespace {

using namespace std::chrono_literals;
using engine::CodeInstance;
using test::Gate;
using test::Watchdog;

size_t count_mappings(const char* containing = "") {
  std::ifstream maps("/proc/self/maps");
  size_t n = 0;
  for (std::string line; std::getline(maps, line);) n += line.find(containing) != std::string::npos;
  return n;
}

int64_t first_symbol(int64_t x) { return x + 1; }
int64_t second_symbol(int64_t x) { return x + 2; }

class JitTier : public testing::TestWithParam<berth_tier_t> {};
INSTANTIATE_TEST_SUITE_P(Tier, JitTier, testing::ValuesIn(kTiers));

TEST_P(JitTier, compiles_and_runs) {
  Fixture f;
  auto* const function = f.callable<int64_t(int64_t)>(number_source(5), GetParam());
  ASSERT_TRUE(function);
  EXPECT_EQ(function(37), 42);
  auto* const sine = f.callable<double(double)>(
      "declare double @sin(double)\ndefine double @f(double %x) {\n  %y = call double @sin(double %x)\n  ret "
      "double %y\n}\n",
      GetParam());
  ASSERT_TRUE(sine);
  EXPECT_EQ(sine(1.25), std::sin(1.25));
}

TEST_P(JitTier, J5_each_source_uses_its_own_names) {
  Fixture f;
  const auto source = [](int n) {
    const std::string number = std::to_string(n);
    return "@d = global i32 " + number + "\n@w = weak global i32 " + number +
           "\n@t = thread_local global i32 " + number +
           "\n$g = comdat any\ndefine linkonce_odr i32 @g() noinline comdat {\n  ret i32 " + number +
           "\n}\ndefine i32 @f() {\n  %d = load i32, ptr @d\n  %w = load i32, ptr @w\n  %a = call ptr "
           "@llvm.threadlocal.address.p0(ptr @t)\n"
           "  %t = load i32, ptr %a\n  %g = call i32 @g()\n  %x = add i32 %d, %w\n  %y = add i32 %t, %g\n  "
           "%z = add i32 %x, %y\n  ret i32 %z\n}\n"
           "declare ptr @llvm.threadlocal.address.p0(ptr)\n";
  };
  auto* const one = f.callable<int()>(source(1), GetParam());
  auto* const ten = f.callable<int()>(source(10), GetParam());
  ASSERT_TRUE(one && ten);
  EXPECT_EQ(one(), 4);
  EXPECT_EQ(ten(), 40);
  EXPECT_EQ(one(), 4);
}

// All of one batch, in one unit.
TEST(Jit, J5_members_of_a_batch_use_their_own_names) {
  Fixture f;
  std::vector<engine::CompileJob> jobs;
  for (int n = 0; n < 8; ++n) {
    const std::string number = std::to_string(n);
    jobs.push_back(f.job(
        "@d = global i32 " + number + "\n@w = weak global i32 " + number + "\n@f.1 = internal global i32 " +
        number + "\n$g = comdat any\n@t = thread_local global i32 " + number +
        "\ndeclare ptr @llvm.threadlocal.address.p0(ptr)\n"
        "define linkonce_odr i32 @g() noinline comdat {\n  ret i32 " +
        number +
        "\n}\n"
        "define i32 @f() {\n  %d = load i32, ptr @d\n  %w = load i32, ptr @w\n  %s = load i32, ptr @f.1\n"
        "  %a = call ptr @llvm.threadlocal.address.p0(ptr @t)\n  %t = load i32, ptr %a\n  %g = call i32 "
        "@g()\n"
        "  %x = add i32 %d, %w\n  %y = add i32 %t, %g\n  %z = add i32 %x, %y\n  %v = add i32 %z, %s\n  ret "
        "i32 %v\n}\n"));
  }
  auto answers = f.compile_batch(jobs);
  ASSERT_FALSE(answers.has_error()) << answers.assume_error().message();
  ASSERT_EQ(answers.assume_value().size(), jobs.size());
  for (int n = 0; n < 8; ++n) {
    EXPECT_EQ(
        reinterpret_cast<int (*)()>(answers.assume_value()[static_cast<size_t>(n)].assume_value()->entry)(),
        5 * n);
  }
}

TEST(Jit, J5_what_would_notice_its_mates_gets_a_unit_of_its_own) {
  const std::string ordinary =
      "declare i64 @host(i64)\ndefine i64 @f() {\n  %x = call i64 @host(i64 1)\n  ret i64 %x\n}\n";
  const std::pair<const char*, std::string> others[] = {
      {"assembly", "module asm \"nop\"\ndefine i64 @f() {\n  ret i64 2\n}\n"},
      {"alias",
       "define i64 @g() {\n  ret i64 2\n}\n@a = alias i64 (), ptr @g\ndefine i64 @f() {\n  %x = call i64 "
       "@a()\n  ret i64 %x\n}\n"},
      {"flags",
       "define i64 @f() {\n  ret i64 2\n}\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"wchar_size\", i32 "
       "2}\n"},
      {"declaration",
       "declare zeroext i8 @host(i8 zeroext)\ndefine i64 @f() {\n  %x = call zeroext i8 @host(i8 zeroext "
       "1)\n  %y = zext i8 %x to i64\n  ret i64 %y\n}\n"},
      {"weak",
       "@nowhere = extern_weak global i8\ndefine i64 @f() {\n  %x = icmp eq ptr @nowhere, null\n  %y = "
       "select i1 %x, i64 2, i64 3\n  ret i64 %y\n}\n"},
  };
  for (const auto& [name, other] : others) {
    Fixture f;
    ASSERT_FALSE(f.backend.define_symbol("host", reinterpret_cast<void*>(&first_symbol)).has_error());
    std::vector<engine::CompileJob> jobs = {f.job(ordinary), f.job(other), f.job(ordinary)};
    auto answers = f.compile_batch(jobs);
    ASSERT_FALSE(answers.has_error()) << name << answers.assume_error().message();
    ASSERT_EQ(answers.assume_value().size(), 1u) << name;
    jobs.erase(jobs.begin());
    answers = f.compile_batch(jobs);
    ASSERT_FALSE(answers.has_error()) << name << answers.assume_error().message();
    ASSERT_EQ(answers.assume_value().size(), 1u) << name;
    EXPECT_EQ(reinterpret_cast<int64_t (*)()>(answers.assume_value().front().assume_value()->entry)(), 2)
        << name;
  }
}

// One has a sine of its own, its mates are given the library's by the code generator.
TEST(Jit, J5_library_names_of_one_member_are_not_its_mates) {
  Fixture f;
  const std::string library =
      "declare double @llvm.sin.f64(double)\ndefine double @f(double %x) {\n  %y = call double "
      "@llvm.sin.f64(double %x)\n  ret double %y\n}\n";
  const std::string own =
      "define double @sin(double %x) {\n  ret double 2.0\n}\ndefine double @f(double %x) {\n  %y = call "
      "double @sin(double %x)\n  ret double %y\n}\n";
  std::vector<engine::CompileJob> jobs = {f.job(library), f.job(own), f.job(library)};
  auto answers = f.compile_batch(jobs);
  ASSERT_FALSE(answers.has_error()) << answers.assume_error().message();
  ASSERT_EQ(answers.assume_value().size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(reinterpret_cast<double (*)(double)>(answers.assume_value()[i].assume_value()->entry)(0.5),
              i == 1 ? 2.0 : std::sin(0.5));
  }
}

TEST(Jit, J28_a_batch_is_cut_at_4000_instructions) {
  Fixture f;
  std::string body = "define i64 @f(i64 %x0) {\n";
  for (int i = 0; i < 999; ++i)
    body += "  %x" + std::to_string(i + 1) + " = add i64 %x" + std::to_string(i) + ", 1\n";
  body += "  ret i64 %x999\n}\n";
  std::vector<engine::CompileJob> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(f.job(body));
  const auto answers = f.compile_batch(jobs);
  ASSERT_FALSE(answers.has_error());
  EXPECT_EQ(answers.assume_value().size(), 4u);
}

TEST(Jit, J53_sizes_over_the_budget_are_refused) {
  Fixture f;
  engine::CompileJob job = f.job(number_source(1));
  job.budget.instructions = 1;
  EXPECT_NE(f.compile(job).assume_error().message().find("it has 2 instructions, over the budget of 1"),
            std::string::npos);
  job.budget.instructions = 2;
  EXPECT_FALSE(f.compile(job).has_error());
  job.budget.object_bytes = 100;
  const auto too_large = f.compile(job);
  ASSERT_TRUE(too_large.has_error());
  EXPECT_EQ(too_large.assume_error().code(), BERTH_UNSUPPORTED);
  EXPECT_NE(too_large.assume_error().message().find("bytes, over the budget of 100"), std::string::npos)
      << too_large.assume_error().message();
}

// Half of the time is over before it begins: the code is right, and not that of the whole pipeline.
TEST(Jit, J57_after_half_the_time_optional_passes_are_skipped) {
  Fixture f;
  ObjectCompiler compiler({});
  const engine::CompileJob job = f.job(
      "define i64 @f(i64 %n) {\nentry:\n  br label %loop\nloop:\n  %i = phi i64 [ 0, %entry ], [ %j, %loop "
      "]\n  %s = phi i64 [ 0, %entry ], [ %t, %loop ]\n"
      "  %t = add i64 %s, %i\n  %j = add i64 %i, 1\n  %c = icmp slt i64 %j, %n\n  br i1 %c, label %loop, "
      "label %end\nend:\n  ret i64 %t\n}\n",
      BERTH_TIER_OPTIMIZED);
  CompileRequest request{job, f.cancelled};
  const auto object = [&] { return compiler.compile({&request, 1}).assume_value().unit.object; };
  const std::string whole = object();
  request.half = sync::Clock::now();
  EXPECT_NE(object(), whole);
  auto answers = f.backend.generate({&request, 1});
  ASSERT_FALSE(answers.has_error());
  EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(answers.assume_value().front().assume_value()->entry)(100),
            4950);
  request.until = sync::Clock::now();
  const auto late = f.backend.generate({&request, 1});
  ASSERT_FALSE(late.has_error());
  EXPECT_EQ(late.assume_value().front().assume_error().code(), BERTH_RESOURCE_EXHAUSTED);
}

TEST(Jit, J30_machines_that_are_not_used_are_freed) {
  Fixture f;
  EXPECT_TRUE(f.callable<int64_t(int64_t)>(number_source(1)));
  f.backend.trim(1h);
  EXPECT_TRUE(f.callable<int64_t(int64_t)>(number_source(2)));
  EXPECT_EQ(f.backend.num_machines(), 1u);
  f.backend.trim(0ns);
  EXPECT_TRUE(f.callable<int64_t(int64_t)>(number_source(3)));
  EXPECT_EQ(f.backend.num_machines(), 2u);
}

// Jobs that hold all threads of the pool leave oneTBB's alone, and a limit of oneTBB's leaves the pool alone.
TEST(Jit, J11_held_threads_are_none_of_oneTBB) {
  constexpr unsigned kThreads = 4;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
  std::latch held(kThreads);
  Gate gate, ran;
  HostBackend::Options options;
  options.hook = [&](const char* step, const engine::CompileJob&) {
    if (std::string_view(step) != "read") return;
    held.count_down();
    gate.wait();
  };
  Fixture f;
  class Ignore final : public engine::CompileSink {
    bool claim(CodeInstance&) noexcept override { return true; }
    void published(std::span<engine::NewCode>) noexcept override {}
    void failed(CodeInstance&, Error, bool) noexcept override {}
    void dropped(CodeInstance&) noexcept override {}
    void release(engine::CodeInstanceRef) noexcept override {}
  } sink;
  CompilePool pool(sink, std::make_unique<HostBackend>(nullptr, std::move(options)), kThreads);
  for (unsigned i = 0; i < kThreads; ++i) {
    engine::CompileJob job = f.job(number_source(1), BERTH_TIER_OPTIMIZED);
    job.priority = engine::Priority::Optimized;
    ASSERT_FALSE(pool.submit(std::move(job)).has_error());
  }
  held.wait();
  tbb::task_arena arena(1, 0);
  arena.enqueue([&] { ran.open(); });
  ran.wait();
  gate.open();
  pool.stop(engine::StopMode::Drain);
}

TEST(Jit, J27_a_batch_gives_the_same_bytes_on_any_thread) {
  Fixture f;
  ObjectCompiler compiler({});
  std::vector<engine::CompileJob> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(f.job(number_source(i)));
  const auto object = [&] {
    std::vector<CompileRequest> requests;
    for (const engine::CompileJob& job : jobs) requests.push_back({job, f.cancelled});
    auto batch = compiler.compile(requests);
    EXPECT_FALSE(batch.has_error());
    EXPECT_EQ(batch.assume_value().unit.members.size(), 20u);
    return batch.assume_value().unit.object;
  };
  const std::string first = object();
  std::vector<std::thread> threads;
  std::atomic<int> equal{0};
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { equal += object() == first; });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(equal.load(), 4);
}

TEST_P(JitTier, J6_an_undefined_symbol_is_named) {
  Fixture f;
  const size_t live = f.backend.memory_accounts().live_bytes;
  const auto code = f.compile(
      "declare void @nowhere()\ndefine void @f() {\n  call void @nowhere()\n  ret void\n}\n", GetParam());
  ASSERT_TRUE(code.has_error());
  EXPECT_EQ(code.assume_error().code(), BERTH_LINK_FAILED);
  EXPECT_NE(code.assume_error().message().find("'nowhere'"), std::string::npos)
      << code.assume_error().message();
  EXPECT_EQ(f.backend.memory_accounts().live_bytes, live);  // J65: nothing is left of a failed link
  EXPECT_TRUE(f.callable<int64_t(int64_t)>(number_source(1), GetParam()));
}

TEST(Jit, J6_the_host_process_is_no_library) {
  Fixture f;
  EXPECT_EQ(runtime_library_symbol("getpid"), nullptr);
  const auto code =
      f.compile("declare i32 @getpid()\ndefine i32 @f() {\n  %x = call i32 @getpid()\n  ret i32 %x\n}\n");
  ASSERT_TRUE(code.has_error());
  EXPECT_EQ(code.assume_error().code(), BERTH_LINK_FAILED);
}

TEST(Jit, J8_defined_symbols_are_used_and_never_changed) {
  Fixture f;
  EXPECT_FALSE(f.backend.define_symbol("host", reinterpret_cast<void*>(&first_symbol)).has_error());
  EXPECT_FALSE(f.backend.define_symbol("host", reinterpret_cast<void*>(&first_symbol)).has_error());
  const auto changed = f.backend.define_symbol("host", reinterpret_cast<void*>(&second_symbol));
  ASSERT_TRUE(changed.has_error());
  EXPECT_EQ(changed.assume_error().code(), BERTH_INVALID_ARGUMENT);
  auto* const function = f.callable<int64_t(int64_t)>(
      "declare i64 @host(i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 @host(i64 %x)\n  ret i64 %y\n}\n");
  ASSERT_TRUE(function);
  EXPECT_EQ(function(1), 2);
}

TEST_P(JitTier, J9_own_thread_locals_are_per_thread) {
  Fixture f;
  auto* const count = f.callable<int()>(
      "@t = internal thread_local global i32 7\ndeclare ptr @llvm.threadlocal.address.p0(ptr)\n"
      "define i32 @f() {\n  %a = call ptr @llvm.threadlocal.address.p0(ptr @t)\n  %o = load i32, ptr %a\n  "
      "%n = add i32 %o, 1\n  store i32 %n, ptr %a\n  ret i32 %n\n}\n",
      GetParam());
  ASSERT_TRUE(count);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      int last = 7;
      for (int k = 0; k < 1000; ++k) last = count();
      right += last == 1007;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right.load(), 4);
}

struct Bad {
  const char* name;
  const char* ir;
  berth_code_t code;
  const char* text;
};
void PrintTo(const Bad& bad, std::ostream* stream) { *stream << bad.name; }

const Bad kBad[] = {
    {"syntax", "define void @f( {", BERTH_COMPILE_FAILED, "failed in read: 1:18: expected type"},
    {"syntax_line", "define void @f() {\n  ret void\n}\nzork\n", BERTH_COMPILE_FAILED,
     "failed in read: 4:1: "},
    {"type", "define void @f() {\n  ret i32 0\n}\n", BERTH_COMPILE_FAILED,
     "failed in read: 2:7: value doesn't match"},
    {"empty", "", BERTH_COMPILE_FAILED, "entry symbol 'f'"},
    {"no_entry", "define void @g() {\n  ret void\n}\n", BERTH_COMPILE_FAILED, "entry symbol 'f'"},
    {"entry_is_data", "@f = global i32 1\n", BERTH_COMPILE_FAILED, "entry symbol 'f'"},
    {"entry_is_declared", "declare void @f()\n", BERTH_COMPILE_FAILED, "entry symbol 'f'"},
    {"dominance",
     "define i32 @f(i1 %c) {\n  br i1 %c, label %a, label %b\na:\n  %x = add i32 1, 2\n  br label %b\nb:\n  "
     "ret i32 %x\n}\n",
     BERTH_COMPILE_FAILED, "does not dominate"},
    {"asm_mnemonic", "define void @f() {\n  call void asm \"bogus\", \"\"()\n  ret void\n}\n",
     BERTH_COMPILE_FAILED, "failed in generate: <inline asm>:1:2: invalid instruction mnemonic 'bogus'"},
    {"asm_register", "define void @f() {\n  call void asm \"nop\", \"{zork}\"(i32 1)\n  ret void\n}\n",
     BERTH_COMPILE_FAILED, "constraint '{zork}'"},
    {"asm_constraint", "define i32 @f() {\n  %x = call i32 asm \"nop\", \"=&{zork}\"()\n  ret i32 %x\n}\n",
     BERTH_COMPILE_FAILED, "{zork}"},
    {"module_asm", "module asm \"zork zork\"\ndefine void @f() {\n  ret void\n}\n", BERTH_COMPILE_FAILED,
     "zork"},
    {"gc", "define void @f() gc \"x\" {\n  ret void\n}\n", BERTH_UNSUPPORTED, "function 'f': gc \"x\""},
    {"no_64bit", "define void @f() \"target-features\"=\"-64bit\" {\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "'-64bit'"},
    {"no_sse", "define double @f(double %x) \"target-features\"=\"-sse2\" {\n  ret double %x\n}\n",
     BERTH_UNSUPPORTED, "'-sse2'"},
    {"feature", "define void @f() \"target-features\"=\"+zork\" {\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "'+zork' is unknown"},
    {"cpu", "define void @f() \"target-cpu\"=\"zork\" {\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "target-cpu 'zork'"},
    {"triple", "target triple = \"riscv64-unknown-linux-gnu\"\ndefine void @f() {\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "riscv64"},
    {"layout", "target datalayout = \"E-p:32:32\"\ndefine void @f() {\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "data layout"},
    {"scalable", "define void @f(ptr %p) {\n  %x = load <vscale x 4 x i32>, ptr %p\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "scalable"},
    {"wide",
     "define void @f(ptr %p) {\n  %x = load i4096, ptr %p\n  %y = mul i4096 %x, %x\n  store i4096 %y, ptr "
     "%p\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "wider than 1,024"},
    {"wide_vector", "define void @f(ptr %p) {\n  %x = load <100000 x i32>, ptr %p\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "wider than 16,384"},
    {"aggregate", "define void @f(ptr %p) {\n  %x = load [100000 x i32], ptr %p\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "1,024 parts"},
    {"convention", "define amdgpu_kernel void @g() {\n  ret void\n}\ndefine void @f() {\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "function 'g': calling convention"},
    {"call_convention", "declare void @g()\ndefine void @f() {\n  call ptx_kernel void @g()\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "function 'f', instruction"},
    {"entry_convention", "define fastcc void @f() {\n  ret void\n}\n", BERTH_UNSUPPORTED, "C convention"},
    {"intrinsic",
     "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndefine i32 @f() {\n  %x = call i32 "
     "@llvm.nvvm.read.ptx.sreg.tid.x()\n  ret i32 %x\n}\n",
     BERTH_UNSUPPORTED, "llvm.nvvm.read.ptx.sreg.tid.x"},
    {"no_intrinsic",
     "declare void @llvm.zork()\ndefine void @f() {\n  call void @llvm.zork()\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "llvm.zork"},
    {"scope",
     "define i32 @f(ptr %p) {\n  %x = load atomic i32, ptr %p syncscope(\"agent\") acquire, align 4\n  ret "
     "i32 %x\n}\n",
     BERTH_UNSUPPORTED, "scope"},
    {"wide_atomic",
     "define i128 @f(ptr %p) {\n  %x = load atomic i128, ptr %p acquire, align 16\n  ret i128 %x\n}\n",
     BERTH_UNSUPPORTED, "8 bytes"},
    {"space", "define i32 @f(ptr addrspace(3) %p) {\n  %x = load i32, ptr addrspace(3) %p\n  ret i32 %x\n}\n",
     BERTH_UNSUPPORTED, "address space"},
    {"ctors",
     "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, ptr "
     "null }]\ndefine void @f() {\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "llvm.global_ctors"},
    {"ifunc",
     "@i = ifunc void (), ptr @r\ndefine ptr @r() {\n  ret ptr null\n}\ndefine void @f() {\n  call void "
     "@i()\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "ifunc"},
    {"host_tls",
     "@t = external thread_local global i32\ndefine i32 @f() {\n  %x = load i32, ptr @t\n  ret i32 %x\n}\n",
     BERTH_UNSUPPORTED, "'t' is a thread-local"},
    {"personality", "declare i32 @zork(...)\ndefine void @f() personality ptr @zork {\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "personality"},
    {"minimum_f80",
     "declare x86_fp80 @llvm.minimum.f80(x86_fp80, x86_fp80)\ndefine void @f(ptr %p) {\n  %x = load "
     "x86_fp80, ptr %p\n  %y = call x86_fp80 @llvm.minimum.f80(x86_fp80 %x, x86_fp80 %x)\n"
     "  store x86_fp80 %y, ptr %p\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "function 'f', instruction '%y = call x86_fp80 @llvm.minimum.f80"},
    {"maximum_f128",
     "declare fp128 @llvm.vector.reduce.fmaximum.v2f128(<2 x fp128>)\ndefine void @f(ptr %p) {\n  %x = load "
     "<2 x fp128>, ptr %p\n"
     "  %y = call fp128 @llvm.vector.reduce.fmaximum.v2f128(<2 x fp128> %x)\n  store fp128 %y, ptr %p\n  ret "
     "void\n}\n",
     BERTH_UNSUPPORTED, "more than 64 bits"},
    {"saturating",
     "declare i256 @llvm.fptosi.sat.i256.f64(double)\ndefine void @f(ptr %p) {\n  %x = load double, ptr %p\n "
     " %y = call i256 @llvm.fptosi.sat.i256.f64(double %x)\n"
     "  store i256 %y, ptr %p\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "wider than 128 bits"},
    {"prefetch",
     "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\ndefine void @f(ptr %p) {\n  call void "
     "@llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 0)\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "prefetches data"},
    {"unaligned_atomic",
     "define i64 @f(ptr %p) {\n  %x = load atomic i64, ptr %p acquire, align 4\n  ret i64 %x\n}\n",
     BERTH_UNSUPPORTED, "alignment is less"},
    {"inalloca",
     "declare void @g(ptr inalloca(i32))\ndefine void @f() {\n  %a = alloca inalloca i32\n  call void @g(ptr "
     "inalloca(i32) %a)\n  ret void\n}\n",
     BERTH_UNSUPPORTED, "inalloca"},
    {"callbr",
     "define void @f() {\n  callbr void asm \"\", \"!i\"() to label %a [label %b]\na:\n  ret void\nb:\n  ret "
     "void\n}\n",
     BERTH_UNSUPPORTED, "callbr"},
    {"funclet",
     "declare i32 @__gxx_personality_v0(...)\ndeclare void @g()\ndefine void @f() personality ptr "
     "@__gxx_personality_v0 {\n  invoke void @g() to label %a unwind label %b\na:\n  ret void\n"
     "b:\n  %c = cleanuppad within none []\n  cleanupret from %c unwind to caller\n}\n",
     BERTH_UNSUPPORTED, "funclet"},
    {"amx", "define void @f(ptr %p) {\n  %x = load x86_amx, ptr %p\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "a type of a target's own"},
    {"ppc", "define void @f(ptr %p) {\n  %x = load ppc_fp128, ptr %p\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "a type of another target"},
    {"entry_elsewhere", "define available_externally void @f() {\n  ret void\n}\n", BERTH_COMPILE_FAILED,
     "available_externally"},
    {"global_space", "@x = addrspace(3) global i32 1\ndefine void @f() {\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "global 'x' is in address space 3"},
    {"global_type", "@x = global i5000 1\ndefine void @f() {\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "global 'x': an integer wider"},
    {"code_section", "define void @f() section \".init\" {\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "'f' is in section '.init'"},
    {"alloca", "define void @f() {\n  %x = alloca <vscale x 4 x i32>\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "scalable"},
    {"no_sign", "define void @f() \"target-features\"=\"sse2\" {\n  ret void\n}\n", BERTH_UNSUPPORTED,
     "'sse2' has no + or -"},
    {"deep_type",
     [] {
       static const std::string text = "@x = external global " + std::string(300, '{') + "i32" +
                                       std::string(300, '}') + "\ndefine void @f() {\n  ret void\n}\n";
       return text.c_str();
     }(),
     BERTH_COMPILE_FAILED, "nested deeper than 256"},
    {"section", "@x = global i32 1, section \".init_array\"\ndefine void @f() {\n  ret void\n}\n",
     BERTH_UNSUPPORTED, ".init_array"},
};

class JitBad : public testing::TestWithParam<std::tuple<Bad, berth_tier_t>> {};
INSTANTIATE_TEST_SUITE_P(Table, JitBad, testing::Combine(testing::ValuesIn(kBad), testing::ValuesIn(kTiers)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) == BERTH_TIER_FAST ? "_fast" : "_optimized");
                         });

// J52: errors of LLVM's are text. J53: what LLVM would abort on is refused, with place and reason.
TEST_P(JitBad, J53_is_refused_with_its_reason) {
  Fixture f;
  const auto& [bad, tier] = GetParam();
  const auto code = f.compile(bad.ir, tier);
  ASSERT_TRUE(code.has_error());
  const std::string& message = code.assume_error().message();
  EXPECT_EQ(code.assume_error().code(), bad.code) << message;
  EXPECT_NE(message.find(bad.text), std::string::npos) << message;
  EXPECT_NE(message.find("compiling \"label\" (entry \"f\", "), std::string::npos) << message;
  EXPECT_NE(message.find("Remedy: "), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(f.backend.num_contexts(), 0u);
}

TEST(Jit, J52_a_large_garbage_text_is_an_error) {
  Fixture f;
  std::string garbage(10'000'000, '{');
  EXPECT_EQ(f.compile(garbage).assume_error().code(), BERTH_COMPILE_FAILED);
  for (size_t i = 0; i < garbage.size(); ++i) garbage[i] = static_cast<char>(i * 2654435761u >> 13);
  EXPECT_EQ(f.compile(garbage).assume_error().code(), BERTH_COMPILE_FAILED);
}

TEST(Jit, J61_nothing_is_printed) {
  char path[] = "/tmp/berth-output-XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  unlink(path);
  fflush(stdout);
  fflush(stderr);
  const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  int failed = 0;
  {
    Fixture f;
    for (const Bad& bad : kBad) {
      for (const berth_tier_t tier : kTiers) failed += f.compile(bad.ir, tier).has_error();
    }
  }
  fflush(stdout);
  fflush(stderr);
  const off_t written = lseek(file, 0, SEEK_END);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const int descriptor : {file, out, err}) close(descriptor);
  EXPECT_EQ(failed, static_cast<int>(2 * std::size(kBad)));
  EXPECT_EQ(written, 0);
}

TEST(Jit, J62_many_methods_few_mappings) {
  const int kMethods = std::getenv("BERTH_NIGHTLY") ? 100'000 : 5000;
  Fixture f;
  const size_t before = count_mappings();
  std::vector<int64_t (*)(int64_t)> all;
  for (int i = 0; i < kMethods; ++i) all.push_back(f.callable<int64_t(int64_t)>(number_source(i)));
  const size_t mappings = count_mappings() - before;
  for (int i = 0; i < kMethods; ++i) ASSERT_EQ(all[static_cast<size_t>(i)](1), i + 1);
  EXPECT_LE(mappings, 64u);
  EXPECT_LE(f.backend.memory_accounts().live_bytes, static_cast<size_t>(kMethods) * 2048);
  EXPECT_LE(f.backend.num_unwind_lists(), 2 * f.backend.memory_accounts().slabs);
}

TEST(Jit, J30_machines_are_reused_and_contexts_freed) {
  Fixture f;
  for (int i = 0; i < 20; ++i) {
    for (const berth_tier_t tier : kTiers) EXPECT_TRUE(f.callable<int64_t(int64_t)>(number_source(i), tier));
  }
  EXPECT_EQ(f.backend.num_machines(), 2u);
  EXPECT_EQ(f.backend.num_contexts(), 0u);
}

int no_memfd(const char*, unsigned) {
  errno = EPERM;
  return -1;
}
void* no_executable_mmap(void* address, size_t length, int protection, int flags, int fd, long offset) {
  if (protection & PROT_EXEC) {
    errno = EACCES;
    return MAP_FAILED;
  }
  return mmap(address, length, protection, flags, fd, offset);
}
int no_executable_mprotect(void* address, size_t length, int protection) {
  if (protection & PROT_EXEC) {
    errno = EACCES;
    return -1;
  }
  return mprotect(address, length, protection);
}

TEST(Jit, J63_never_writable_and_executable) {
  for (const bool deny_memfd : {false, true}) {
    HostBackend::Options options;
    if (deny_memfd) options.system.memfd_create = &no_memfd;
    Fixture f(std::move(options));
    std::vector<int64_t (*)(int64_t)> all;
    for (int i = 0; i < 50; ++i) all.push_back(f.callable<int64_t(int64_t)>(number_source(i)));
    for (int i = 0; i < 50; ++i) ASSERT_EQ(all[static_cast<size_t>(i)](1), i + 1);
    EXPECT_EQ(count_mappings(" rwx"), 0u);
    EXPECT_EQ(count_mappings(" -wx"), 0u);
  }
}

TEST(Jit, J63_without_executable_mappings_of_files_mprotect_serves) {
  HostBackend::Options options;
  options.system.mmap = &no_executable_mmap;
  Fixture f(std::move(options));
  auto* const function = f.callable<int64_t(int64_t)>(number_source(1));
  ASSERT_TRUE(function);
  EXPECT_EQ(function(1), 2);
}

TEST(Jit, J63_without_executable_memory_it_is_unsupported) {
  HostBackend::Options options;
  options.system.memfd_create = &no_memfd;
  options.system.mprotect = &no_executable_mprotect;
  Fixture f(std::move(options));
  const auto code = f.compile(number_source(1));
  ASSERT_TRUE(code.has_error());
  EXPECT_EQ(code.assume_error().code(), BERTH_UNSUPPORTED) << code.assume_error().message();
}

TEST(Jit, J66_slabs_go_with_the_backend) {
  const size_t before = count_mappings("berth-code");
  {
    Fixture f;
    EXPECT_TRUE(f.callable<int64_t(int64_t)>(number_source(1)));
    EXPECT_GT(count_mappings("berth-code"), before);
  }
  EXPECT_EQ(count_mappings("berth-code"), before);
}

void throw_number(int n) { throw std::runtime_error(std::to_string(n)); }

TEST_P(JitTier, J67_exceptions_pass_through_code) {
  Fixture f;
  ASSERT_FALSE(f.backend.define_symbol("throw_number", reinterpret_cast<void*>(&throw_number)).has_error());
  std::vector<void (*)(int)> all;
  // Over two seals of the unwind list, so that old, sealed and new code is thrown through.
  for (int i = 0; i < 1100; ++i) {
    all.push_back(f.callable<void(int)>(
        "declare void @throw_number(i32)\ndefine void @f(i32 %x) {\n  call void @throw_number(i32 %x)\n  "
        "call void asm sideeffect \"\", \"\"()\n  ret void\n}\n",
        i % 100 == 0 ? GetParam() : BERTH_TIER_FAST));
    if (i % 100 != 0 && i < 1090) continue;
    for (const size_t at : {size_t{0}, all.size() / 2, all.size() - 1}) {
      try {
        all[at](i);
        FAIL() << "returned";
      } catch (const std::runtime_error& error) { ASSERT_EQ(error.what(), std::to_string(i)); }
    }
  }
  EXPECT_LE(f.backend.num_unwind_lists(), 2u);
}

// --- edges

constexpr const char* kCaller =
    "@table = internal constant ptr @g\ndeclare i64 @g(i64)\n"
    "define i64 @f(i64 %x) {\n  %y = call i64 @g(i64 %x)\n  %p = load ptr, ptr @table\n  %z = call i64 "
    "%p(i64 %y)\n  ret i64 %z\n}\n";

TEST_P(JitTier, J39_a_late_callee_is_bound_by_its_publication) {
  Fixture f;
  CodeInstance& callee = f.instances.make();
  auto job = f.job(kCaller, GetParam());
  job.source->edges.push_back({&callee, "g"});
  auto* const caller = f.callable<int64_t(int64_t)>(job);
  ASSERT_TRUE(caller);
  EXPECT_THROW(caller(1), Error);  // no code and no engine that could drive it
  auto code = f.compile(number_source(100), GetParam());
  callee.code.store(code.assume_value(), std::memory_order_release);
  EXPECT_EQ(caller(1), 201);  // the stub finds it
  const size_t slow = f.backend.num_slow_calls();
  EXPECT_EQ(caller(1), 201);
  EXPECT_EQ(f.backend.num_slow_calls(), slow);
  auto better = f.compile(number_source(1000), GetParam());
  callee.code.store(better.assume_value(), std::memory_order_release);
  f.backend.bind(callee);
  EXPECT_EQ(caller(1), 2001);
  EXPECT_EQ(f.backend.num_slow_calls(), slow);
}

TEST(Jit, J39_an_early_callee_is_bound_at_once) {
  Fixture f;
  CodeInstance& callee = f.instances.make();
  callee.code.store(f.compile(number_source(1)).assume_value(), std::memory_order_release);
  auto job = f.job(kCaller);
  job.source->edges.push_back({&callee, "g"});
  auto* const caller = f.callable<int64_t(int64_t)>(job);
  EXPECT_EQ(caller(1), 3);
  EXPECT_EQ(f.backend.num_slow_calls(), 0u);
}

TEST(Jit, J39_calls_after_close_are_refused) {
  Fixture f;
  CodeInstance& callee = f.instances.make();
  auto job = f.job(kCaller);
  job.source->edges.push_back({&callee, "g"});
  auto* const caller = f.callable<int64_t(int64_t)>(job);
  f.backend.close();
  try {
    caller(1);
    FAIL() << "returned";
  } catch (const Error& error) { EXPECT_EQ(error.code(), BERTH_SHUT_DOWN); }
}

TEST(Jit, an_edge_that_the_source_defines_is_refused) {
  Fixture f;
  auto job =
      f.job("define void @g() {\n  ret void\n}\ndefine void @f() {\n  call void @g()\n  ret void\n}\n");
  job.source->edges.push_back({&f.instances.make(), "g"});
  const auto code = f.compile(job);
  ASSERT_TRUE(code.has_error());
  EXPECT_EQ(code.assume_error().code(), BERTH_INVALID_ARGUMENT);
}

#if defined(__x86_64__)
struct Wide {
  int64_t integers[6];
  __m256d vectors[8];
};
Wide received;

__attribute__((target("avx"))) void wide_target(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e,
                                                int64_t f, __m256d v0, __m256d v1, __m256d v2, __m256d v3,
                                                __m256d v4, __m256d v5, __m256d v6, __m256d v7) {
  received = {{a, b, c, d, e, f}, {v0, v1, v2, v3, v4, v5, v6, v7}};
}

__attribute__((target("avx"))) void clobber_everything() {
  __asm__ volatile(
      "vpcmpeqd %%xmm0, %%xmm0, %%xmm0\n\tvmovdqa %%xmm0, %%xmm1\n\tvmovdqa %%xmm0, %%xmm2\n\tvmovdqa "
      "%%xmm0, %%xmm3\n\t"
      "vmovdqa %%xmm0, %%xmm4\n\tvmovdqa %%xmm0, %%xmm5\n\tvmovdqa %%xmm0, %%xmm6\n\tvmovdqa %%xmm0, "
      "%%xmm7\n\t"
      "xorl %%eax, %%eax\n\txorl %%ecx, %%ecx\n\txorl %%edx, %%edx\n\txorl %%esi, %%esi\n\txorl %%edi, "
      "%%edi\n\t"
      "xorl %%r8d, %%r8d\n\txorl %%r9d, %%r9d\n\txorl %%r10d, %%r10d\n\txorl %%r11d, %%r11d" ::
          : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "rax", "rcx", "rdx", "rsi", "rdi",
            "r8", "r9", "r10", "r11");
  errno = EDOM;
}

__attribute__((target("avx"))) void call_wide(void* function) {
  double lanes[8][4];
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 4; ++k) lanes[i][k] = (i + 1) * 10 + k;
  }
  reinterpret_cast<decltype(&wide_target)>(function)(
      1, 2, 3, 4, 5, 6, _mm256_loadu_pd(lanes[0]), _mm256_loadu_pd(lanes[1]), _mm256_loadu_pd(lanes[2]),
      _mm256_loadu_pd(lanes[3]), _mm256_loadu_pd(lanes[4]), _mm256_loadu_pd(lanes[5]),
      _mm256_loadu_pd(lanes[6]), _mm256_loadu_pd(lanes[7]));
}

TEST(Jit, J37_the_stub_keeps_arguments_errno_and_rounding) {
  if (!__builtin_cpu_supports("avx")) GTEST_SKIP() << "needs AVX";
  Instances instances;
  CodeInstance& callee = instances.make();
  SlotTable table([](engine::CodeInstanceRef&, StubArguments) -> Result<void*> {
    clobber_everything();
    _mm_setcsr(_mm_getcsr() | 0x6000);  // rounding towards zero
    return reinterpret_cast<void*>(&wide_target);
  });
  SlabMemory memory;
  SlabMemory::Sizes sizes;
  sizes[SlabMemory::kText] = {kTrampolineBytes, kTrampolineBytes};
  auto allocation = memory.allocate(sizes).assume_value();
  sync::Atomic<void*> word{nullptr};
  CallSlot slot{};
  slot.word = &word;
  slot.trampoline = allocation.parts[SlabMemory::kText].address;
  write_trampoline(allocation.parts[SlabMemory::kText].writable, &slot);
  table.add(slot, &callee);
  const unsigned control = _mm_getcsr();
  errno = ERANGE;
  call_wide(word.load());
  EXPECT_EQ(errno, ERANGE);
  EXPECT_EQ(_mm_getcsr() & 0xffc0u, control & 0xffc0u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(received.integers[i], i + 1);
  for (int i = 0; i < 8; ++i) {
    double lanes[4];
    std::memcpy(lanes, &received.vectors[i], sizeof lanes);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(lanes[k], (i + 1) * 10 + k);
  }
  EXPECT_EQ(table.num_slow_calls(), 1u);
  EXPECT_EQ(table.remove(slot).get(), &callee);
}
#endif

// --- tiers

struct Adaptive {
  explicit Adaptive(const std::string& ir) : fixture(options()) {
    auto job = fixture.job(ir);
    job.source->tier = BERTH_TIER_ADAPTIVE;
    instance = job.instance.get();
    function = fixture.callable<int64_t(int64_t)>(job);
    instance->code.store(code_at(reinterpret_cast<void*>(function), BERTH_TIER_FAST),
                         std::memory_order_release);
  }
  HostBackend::Options options() {
    HostBackend::Options options;
    options.promote = [this](CodeInstance& which) { promotions += &which == instance; };
    return options;
  }
  engine::Code* code_at(void* entry, berth_tier_t tier) {
    codes.push_back({});
    codes.back().entry = entry;
    codes.back().tier = tier;
    return &codes.back();
  }
  std::deque<engine::Code> codes;
  std::atomic<int> promotions{0};
  Fixture fixture;
  CodeInstance* instance = nullptr;
  int64_t (*function)(int64_t) = nullptr;
};

int64_t better_code(int64_t x) { return -x; }

TEST(Jit, J31_threads_that_use_up_the_count_ask_once_and_go_on_in_the_better_code) {
  Adaptive adaptive(number_source(1));
  ASSERT_TRUE(adaptive.function);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(adaptive.function(i), i + 1);
  EXPECT_EQ(adaptive.promotions.load(), 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) adaptive.function(i);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(adaptive.promotions.load(), 1);
  EXPECT_EQ(adaptive.function(1), 2);
  adaptive.instance->code.store(adaptive.code_at(reinterpret_cast<void*>(&better_code), BERTH_TIER_OPTIMIZED),
                                std::memory_order_release);
  adaptive.fixture.backend.bind(*adaptive.instance);
  EXPECT_EQ(adaptive.function(1), -1);
}

TEST(Jit, J34_back_edges_count) {
  Adaptive adaptive(
      "define i64 @f(i64 %n) {\nentry:\n  br label %loop\nloop:\n  %i = phi i64 [ 0, %entry ], [ %k, %loop "
      "]\n  %k = add i64 %i, 1\n"
      "  %more = icmp slt i64 %k, %n\n  br i1 %more, label %loop, label %end\nend:\n  ret i64 %k\n}\n");
  ASSERT_TRUE(adaptive.function);
  EXPECT_EQ(adaptive.function(9'000), 9'000);
  EXPECT_EQ(adaptive.promotions.load(), 0);
  EXPECT_EQ(adaptive.function(2'000), 2'000);
  EXPECT_EQ(adaptive.promotions.load(), 1);
}

// --- with the pool

TEST(Jit, J59_bad_sources_leave_the_others_alone) {
  constexpr int kSources = 1000;
  Fixture f;
  Sink sink;
  CompilePool pool(sink, std::make_unique<HostBackend>(nullptr), 2);
  std::vector<CodeInstance*> all;
  for (int i = 0; i < kSources; ++i) {
    engine::CompileJob job =
        f.job(i % 10 == 3 ? kBad[static_cast<size_t>(i) % std::size(kBad)].ir : number_source(i));
    all.push_back(job.instance.get());
    ASSERT_FALSE(pool.submit(std::move(job)).has_error());
  }
  pool.stop(engine::StopMode::Drain);
  const auto errors = sink.errors();
  EXPECT_EQ(errors.size(), static_cast<size_t>(kSources / 10));
  for (int i = 0; i < kSources; ++i) {
    CodeInstance& instance = *all[static_cast<size_t>(i)];
    ASSERT_EQ(errors.contains(&instance), i % 10 == 3);
    if (i % 10 == 3) continue;
    ASSERT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(engine::instance_code(instance)->entry)(1), i + 1);
  }
}

// Each kind of fault, at each step, in one batch of 64.
TEST(Jit, J29_only_the_guilty_of_a_batch_fail) {
  Fixture f;
  Sink sink;
  Gate held, gate;
  HostBackend::Options options;
  options.hook = [&](const char* step, const engine::CompileJob& job) {
    if (job.label != "held" || std::string_view(step) != "read") return;
    held.open();
    gate.wait();
  };
  CompilePool pool(sink, std::make_unique<HostBackend>(nullptr, std::move(options)), 1);
  engine::CompileJob first = f.job(number_source(0));
  first.label = "held";
  ASSERT_FALSE(pool.submit(std::move(first)).has_error());
  held.wait();
  const std::pair<const char*, const char*> faults[] = {
      {"define void @f( {", "failed in read: 1:18: expected type"},
      {"define void @f() gc \"x\" {\n  ret void\n}\n", "failed in check: function 'f': gc"},
      {"define void @f() {\n  call void asm \"bogus\", \"\"()\n  ret void\n}\n",
       "failed in generate: <inline asm>:1:2: invalid instruction mnemonic 'bogus'"},
      {"declare void @nowhere()\ndefine void @f() {\n  call void @nowhere()\n  ret void\n}\n",
       "failed in link: undefined symbol 'nowhere'"},
  };
  std::vector<CodeInstance*> all;
  for (size_t i = 0; i < 64; ++i) {
    engine::CompileJob job = f.job(i % 16 == 5 ? faults[i / 16].first : number_source(static_cast<int>(i)));
    all.push_back(job.instance.get());
    ASSERT_FALSE(pool.submit(std::move(job)).has_error());
  }
  gate.open();
  pool.stop(engine::StopMode::Drain);
  EXPECT_EQ(pool.stats().batches, 1u);
  const auto errors = sink.errors();
  EXPECT_EQ(errors.size(), 4u);
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % 16 == 5) {
      ASSERT_TRUE(errors.contains(all[i]));
      EXPECT_NE(errors.at(all[i]).find(faults[i / 16].second), std::string::npos) << errors.at(all[i]);
      continue;
    }
    ASSERT_TRUE(engine::instance_code(*all[i]));
    EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(engine::instance_code(*all[i])->entry)(1),
              static_cast<int64_t>(i) + 1);
  }
}

// Let through by a test, LLVM itself ends the compile, on a thread of the pool and on the asker's.
TEST(Jit, J54_what_llvm_aborts_on_fails_one_job) {
  for (const unsigned threads : {1u, 0u}) {
    Fixture f;
    Sink sink;
    HostBackend::Options options;
    options.pre_check = false;
    CompilePool pool(sink, std::make_unique<HostBackend>(nullptr, std::move(options)), threads);
    engine::CompileJob bad = f.job("define void @f() gc \"x\" {\n  ret void\n}\n"),
                       good = f.job(number_source(1));
    const engine::CodeInstanceRef bad_instance = bad.instance, good_instance = good.instance;
    ASSERT_FALSE(pool.submit(std::move(bad)).has_error());
    ASSERT_FALSE(pool.submit(std::move(good)).has_error());
    pool.stop(engine::StopMode::Drain);
    const auto errors = sink.errors();
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors.at(bad_instance.get()).find("failed in generate: unsupported GC: x"), std::string::npos)
        << errors.at(bad_instance.get());
    ASSERT_TRUE(engine::instance_code(*good_instance));
    EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(engine::instance_code(*good_instance)->entry)(1), 2);
  }
}

}  // namespace
}  // namespace berth::jit
