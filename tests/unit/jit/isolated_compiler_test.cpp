// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Isolated compiles through HostBackend: what happens to a worker process fails one job and nothing else.
#include "jit/isolated_compiler.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <thread>

#include "engine/code_instance.hpp"
#include "jit/compile_error.hpp"
#include "jit/compile_pool.hpp"
#include "jit/host_backend.hpp"
#include "jit/llvm_body.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::jit {
namespace {

using namespace std::chrono_literals;
using engine::CodeInstance;
using test::Watchdog;
using Number = int64_t(int64_t);

constexpr const char* kSteps[] = {"read", "check", "generate"};
constexpr berth_tier_t kTiers[] = {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED};

class Instances final : public engine::Recycler {
 public:
  CodeInstance& make() {
    CodeInstance& instance = all_.emplace_back();
    instance.references.store(1, std::memory_order_relaxed);
    instance.recycler = this;
    return instance;
  }
  void unreferenced(CodeInstance&) noexcept override {
    std::abort();
  }  // the test's own reference is never given back

 private:
  std::deque<CodeInstance> all_;
};

HostBackend::Options options_with(std::string worker, std::chrono::nanoseconds limit = 30s) {
  HostBackend::Options options;
  options.isolation.worker.executable = std::move(worker);
  options.isolation.worker.memory_bytes = size_t{2} << 30;
  options.isolation.fast_limit = options.isolation.optimized_limit = limit;
  return options;
}

struct Fixture {
  explicit Fixture(HostBackend::Options options = options_with("")) : backend(nullptr, std::move(options)) {}

  engine::CompileJob job(std::string bytes, std::string label = "label", berth_tier_t tier = BERTH_TIER_FAST,
                         engine::BodyKind kind = engine::BodyKind::LlvmIr) {
    engine::CompileJob job;
    job.instance = &instances.make();
    job.source = std::make_shared<engine::Source>();
    job.source->body = std::make_unique<LlvmBody>(kind, std::move(bytes));
    job.source->entry_symbol = "f";
    job.source->isolated = true;
    job.tier = tier;
    job.label = std::move(label);
    return job;
  }
  Result<engine::Code*> compile(const engine::CompileJob& job) {
    const CompileRequest request{job, cancelled};
    BERTH_TRY(CodeGenerator::Answers answers, backend.generate({&request, 1}));
    return std::move(answers.front());
  }
  void expect_works(int n, berth_tier_t tier = BERTH_TIER_FAST) {
    auto code = compile(
        job("define i64 @f(i64 %x) {\n  %y = add i64 %x, " + std::to_string(n) + "\n  ret i64 %y\n}\n",
            "good", tier));
    ASSERT_FALSE(code.has_error()) << code.assume_error().message();
    EXPECT_EQ(reinterpret_cast<Number*>(code.assume_value()->entry)(2), n + 2);
  }
  Error error_of(std::string bytes, std::string label) {
    auto code = compile(job(std::move(bytes), std::move(label)));
    return code.has_error() ? std::move(code).assume_error()
                            : make_error(BERTH_OK, "it was compiled", "", "");
  }

  Watchdog watchdog{240s};
  Instances instances;
  HostBackend backend;
  sync::Atomic<bool> cancelled{false};
};

constexpr const char* kSource = "define i64 @f(i64 %x) {\n  ret i64 %x\n}\n";

/// Children of this process that have ended and were not waited for.
bool has_zombies() {
  siginfo_t child{};
  return waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0 && child.si_pid != 0;
}

TEST(Jit, isolated_sources_compile_in_one_worker_after_another) {
  Fixture f;
  for (int i = 0; i < 20; ++i) f.expect_works(i, kTiers[i % 2]);
  EXPECT_EQ(f.backend.workers().started, 1u);
  EXPECT_EQ(f.backend.workers().ended, 0u);
  EXPECT_EQ(f.backend.workers().idle, 1u);
  EXPECT_EQ(f.backend.num_machines(), 0u);  // nothing was compiled here
}

TEST(Jit, isolated_errors_are_those_of_this_process) {
  Fixture f;
  for (const char* const ir :
       {"define i64 @f(", "define void @f() {\n  call void asm \"bogus\", \"\"()\n  ret void\n}\n",
        "define void @f() gc \"x\" {\n  ret void\n}\n", "define void @g() {\n  ret void\n}\n"}) {
    engine::CompileJob isolated = f.job(ir), here = f.job(ir);
    here.source->isolated = false;
    auto first = f.compile(isolated), second = f.compile(here);
    ASSERT_TRUE(first.has_error());
    ASSERT_TRUE(second.has_error());
    EXPECT_EQ(first.assume_error().message(), second.assume_error().message());
    EXPECT_EQ(first.assume_error().code(), second.assume_error().code());
    EXPECT_FALSE(may_pass(first.assume_error()));
  }
  EXPECT_EQ(f.backend.workers().started, 1u);
}

TEST(Jit, isolated_edges_and_counters_are_bound_here) {
  HostBackend::Options options = options_with("");
  std::vector<CodeInstance*> asked;
  options.promote = [&](CodeInstance& instance) { asked.push_back(&instance); };
  Fixture f(std::move(options));
  engine::Code native;
  native.entry = reinterpret_cast<void*>(+[](int64_t x) -> int64_t { return x * 10; });
  CodeInstance& callee = f.instances.make();
  callee.code.store(&native, std::memory_order_release);
  engine::CompileJob job =
      f.job("declare i64 @g(i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 @g(i64 %x)\n  ret i64 %y\n}\n");
  job.source->edges.push_back({&f.instances.make(), ""});
  job.source->edges.push_back({&callee, "g"});
  job.source->tier = BERTH_TIER_ADAPTIVE;
  auto code = f.compile(job);
  ASSERT_FALSE(code.has_error()) << code.assume_error().message();
  auto* const entry = reinterpret_cast<Number*>(code.assume_value()->entry);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(entry(i), i * 10);
  EXPECT_EQ(asked, std::vector<CodeInstance*>{job.instance.get()});
}

TEST(Jit, isolated_compiles_of_many_threads_have_a_worker_each) {
  constexpr int kThreads = 4, kEach = 25;
  Fixture f;
  std::vector<engine::CompileJob> jobs;
  for (int i = 0; i < kThreads * kEach; ++i)
    jobs.push_back(
        f.job("define i64 @f(i64 %x) {\n  %y = add i64 %x, " + std::to_string(i) + "\n  ret i64 %y\n}\n"));
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t * kEach; i < (t + 1) * kEach; ++i) {
        auto code = f.compile(jobs[static_cast<size_t>(i)]);
        if (code.has_value()) right += reinterpret_cast<Number*>(code.assume_value()->entry)(1) == i + 1;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right.load(), kThreads * kEach);
  EXPECT_LE(f.backend.workers().started, uint64_t{kThreads * kEach});
  EXPECT_EQ(f.backend.workers().ended, 0u);
}

// --- faults

struct Expected {
  const char* fault;
  berth_code_t code;
  const char* text;
  bool may_pass;
};
constexpr Expected kExpected[] = {
    {"killed", BERTH_COMPILE_FAILED, "the compile worker was ended by signal 9 (Killed)", true},
    {"crash", BERTH_COMPILE_FAILED, "the compile worker was ended by signal 11 (Segmentation fault)", true},
    {"abort", BERTH_COMPILE_FAILED, "the compile worker was ended by signal 6 (Aborted): something is wrong",
     true},
    {"exit", BERTH_COMPILE_FAILED, "the compile worker ended with exit status 3", true},
    {"endless", BERTH_RESOURCE_EXHAUSTED, "it took longer than the ", true},
    {"stopped", BERTH_RESOURCE_EXHAUSTED, "it took longer than the ", true},
#if !defined(__SANITIZE_ADDRESS__) && !defined(BERTH_SANITIZED)  // whose workers have no memory limit
    {"memory", BERTH_OUT_OF_MEMORY, "memory allocation failed", true},
#endif
    {"malloc", BERTH_OUT_OF_MEMORY, "Allocation failed", true},
    {"fatal", BERTH_COMPILE_FAILED, "cannot select this", false},
    {"noise", BERTH_COMPILE_FAILED, "the compile worker is damaged: it sent what is no message", true},
    {"silence", BERTH_COMPILE_FAILED, "the compile worker was ended by signal 9 (Killed)", true},
    {"badstep", BERTH_COMPILE_FAILED, "the compile worker is damaged: it sent what is no answer", true},
    {"badunit", BERTH_COMPILE_FAILED, "the compile worker is damaged: it sent what is no answer", true},
    {"badedge", BERTH_COMPILE_FAILED, "the compile worker is damaged: it sent what is no answer", true},
    {"badfailure", BERTH_COMPILE_FAILED, "the compile worker is damaged: it sent what is no answer", true},
};

class JitFault : public testing::TestWithParam<Expected> {};
INSTANTIATE_TEST_SUITE_P(Fault, JitFault, testing::ValuesIn(kExpected),
                         [](const auto& info) { return std::string(info.param.fault); });

TEST_P(JitFault, J56_fails_its_job_at_each_step_and_the_next_works) {
  const Expected& expected = GetParam();
  const bool needs_limit = expected.code == BERTH_RESOURCE_EXHAUSTED;
  Fixture f(options_with(BERTH_FAULTY_WORKER, 30s));
  Fixture limited(options_with(BERTH_FAULTY_WORKER, 500ms));
  Fixture& used = needs_limit ? limited : f;
  for (const char* const step : kSteps) {
    const Error error = used.error_of(kSource, std::string(expected.fault) + "@" + step);
    EXPECT_EQ(error.code(), expected.code) << error.message();
    EXPECT_NE(error.message().find(expected.text), std::string::npos) << error.message();
    const bool is_at_start = std::string(expected.fault) == "badstep";
    EXPECT_NE(error.message().find(std::string("failed in ") + (is_at_start ? "start" : step) + ": "),
              std::string::npos)
        << error.message();
    EXPECT_EQ(may_pass(error), expected.may_pass) << error.message();
    if (!needs_limit) f.expect_works(5);  // in half a second it might not, on a busy machine
  }
  EXPECT_EQ(used.backend.workers().ended, 3u);
  f.expect_works(6);
  EXPECT_FALSE(has_zombies());
}

TEST(Jit, J56_a_worker_killed_between_compiles_fails_none) {
  Fixture f;
  f.expect_works(1);
  // The only child.
  siginfo_t child{};
  const std::string path = "/proc/self/task/" + std::to_string(getpid()) + "/children";
  FILE* const list = fopen(path.c_str(), "r");
  ASSERT_TRUE(list);
  int pid = 0;
  ASSERT_EQ(fscanf(list, "%d", &pid), 1);
  fclose(list);
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid), &child, WEXITED | WNOWAIT), 0);
  f.expect_works(2);
  EXPECT_EQ(f.backend.workers().started, 2u);
}

TEST(Jit, J57_an_endless_isolated_job_ends_at_its_limit) {
  constexpr auto kLimit = 300ms;
  Fixture f(options_with(BERTH_FAULTY_WORKER, kLimit));
  auto best = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(f.error_of(kSource, "endless@generate").code(), BERTH_RESOURCE_EXHAUSTED);
    best = std::min(best, std::chrono::steady_clock::now() - start);
  }
  EXPECT_GE(best, kLimit);
  EXPECT_LT(best, kLimit + 1s);
  EXPECT_EQ(f.backend.workers().idle, 0u);
  EXPECT_FALSE(has_zombies());
}

TEST(Jit, isolated_compiles_without_a_worker_are_unsupported) {
  Fixture f(options_with("/nowhere/berth-compile-worker"));
  const Error error = f.error_of(kSource, "label");
  EXPECT_EQ(error.code(), BERTH_UNSUPPORTED);
  EXPECT_NE(error.message().find("'/nowhere/berth-compile-worker' cannot be started"), std::string::npos)
      << error.message();
  Fixture other(options_with("/bin/true"));
  EXPECT_EQ(other.error_of(kSource, "label").code(), BERTH_UNSUPPORTED);
  EXPECT_FALSE(has_zombies());
}

// --- J55

std::string bitcode_of(const char* ir) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(ir, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(*module, stream);
  return bytes;
}

constexpr const char* kRichSource = R"(
%pair = type { i64, [4 x double], ptr }
@table = private constant [8 x i64] [i64 1, i64 2, i64 3, i64 5, i64 7, i64 11, i64 13, i64 17]
@state = internal global %pair zeroinitializer
define internal i64 @step(i64 %x, ptr %at) {
  %v = load i64, ptr %at
  %s = call i64 @llvm.ctpop.i64(i64 %x)
  %w = add nsw i64 %v, %s
  ret i64 %w
}
declare i64 @llvm.ctpop.i64(i64)
define i64 @f(i64 %x) {
entry:
  %wide = insertelement <4 x i32> zeroinitializer, i32 7, i32 2
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ %x, %entry ], [ %more, %loop ]
  %at = getelementptr [8 x i64], ptr @table, i64 0, i64 %i
  %more = call i64 @step(i64 %sum, ptr %at)
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, 8
  br i1 %end, label %out, label %loop, !prof !0
out:
  %lane = extractelement <4 x i32> %wide, i32 2
  switch i32 %lane, label %other [ i32 7, label %seven  i32 9, label %other ]
seven:
  %old = atomicrmw add ptr @state, i64 1 seq_cst
  ret i64 %more
other:
  %f = sitofp i64 %more to double
  %g = fdiv double %f, 2.0
  %h = fptosi double %g to i64
  ret i64 %h
}
!0 = !{!"branch_weights", i32 1, i32 7}
)";

int64_t rich_result(int64_t x) {
  for (const int64_t prime : {1, 2, 3, 5, 7, 11, 13, 17})
    x = prime + __builtin_popcountll(static_cast<uint64_t>(x));
  return x;
}

TEST(Jit, J55_damaged_bitcode_is_an_error_or_right_code_and_hurts_nobody) {
  const int count = std::getenv("BERTH_NIGHTLY") ? 100'000 : 400;
  const unsigned seed =
      std::getenv("BERTH_SEED") ? static_cast<unsigned>(std::atoi(std::getenv("BERTH_SEED"))) : 55;
  std::printf("%d damaged bitcodes, seed %u (BERTH_SEED)\n", count, seed);
  HostBackend::Options options = options_with("", 10s);
  Watchdog watchdog{std::getenv("BERTH_NIGHTLY") ? std::chrono::milliseconds(2h)
                                                 : std::chrono::milliseconds(5min)};
  auto f = std::make_unique<Fixture>(options);
  // Two more workers, of other histories: what a damaged source left behind in one of them would show.
  ObjectCompiler unused({});
  IsolatedCompiler first(unused, {}, options.isolation), second(unused, {}, options.isolation);
  const std::string whole = bitcode_of(kRichSource);
  std::mt19937 random(seed);
  int errors = 0, codes = 0;
  for (int i = 0; i < count; ++i) {
    std::string bytes = whole;
    for (unsigned flips = 1 + random() % 3; flips != 0; --flips) {
      const size_t bit = random() % (bytes.size() * 8);
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    }
    const engine::CompileJob job = f->job(bytes, "damaged", kTiers[i % 8 == 0], engine::BodyKind::Bitcode);
    auto code = f->compile(job);
    if (code.has_error()) {
      ++errors;
      ASSERT_NE(code.assume_error().message().find("compiling \"damaged\" (entry \"f\", "), std::string::npos)
          << code.assume_error().message();
    } else {
      ++codes;
      auto one = first.compile({job, f->cancelled}), other = second.compile({job, f->cancelled});
      ASSERT_FALSE(one.has_error()) << i << ": " << one.assume_error().message();
      ASSERT_FALSE(other.has_error()) << i << ": " << other.assume_error().message();
      ASSERT_EQ(one.assume_value().object, other.assume_value().object) << i;
    }
    if (i % 50 == 49) {
      auto good = f->compile(f->job(whole, "whole", kTiers[i % 2], engine::BodyKind::Bitcode));
      ASSERT_FALSE(good.has_error()) << i << ": " << good.assume_error().message();
      ASSERT_EQ(reinterpret_cast<Number*>(good.assume_value()->entry)(i), rich_result(i));
    }
    if (i % 5000 == 4999) f = std::make_unique<Fixture>(options);  // its code is kept until it goes
  }
  std::printf("%d errors, %d compiled, %llu workers ended\n", errors, codes,
              static_cast<unsigned long long>(f->backend.workers().ended));
  EXPECT_GT(errors, count / 4);
  EXPECT_GT(codes, 0);
}

// --- J61

/// While it lives, descriptors 1 and 2 go to a file.
class Redirected {
 public:
  Redirected() {
    char path[] = "/tmp/berth-output-XXXXXX";
    file_ = mkstemp(path);
    unlink(path);
    fflush(stdout);
    fflush(stderr);
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      kept_[descriptor - 1] = dup(descriptor);
      dup2(file_, descriptor);
    }
  }
  ~Redirected() {
    back();
    close(file_);
  }
  /// What was written until now; then they are as before.
  std::string back() {
    if (kept_[0] >= 0) {
      fflush(stdout);
      fflush(stderr);
      for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
        dup2(kept_[descriptor - 1], descriptor);
        close(std::exchange(kept_[descriptor - 1], -1));
      }
    }
    std::string text(4096, '\0');
    const ssize_t size = pread(file_, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<size_t>(size) : 0);
    return text;
  }

 private:
  int file_ = -1;
  int kept_[2] = {-1, -1};
};

class SilentSink final : public engine::CompileSink {
 public:
  bool claim(CodeInstance&) noexcept override { return true; }
  void published(std::span<engine::NewCode>) noexcept override {}
  void failed(CodeInstance&, Error, bool) noexcept override { ++num_failed; }
  void dropped(CodeInstance&) noexcept override {}
  void release(engine::CodeInstanceRef) noexcept override {}
  std::atomic<int> num_failed{0};
};

TEST(Jit, J61_no_fault_of_a_worker_or_of_llvm_is_printed) {
  Fixture f(options_with(BERTH_FAULTY_WORKER, 5s));
  Redirected redirected;
  for (const char* const label : {"print@generate", "flood@generate", "abort@read", "crash@check",
                                  "killed@read", "fatal@generate", "malloc@check", "exit@read"}) {
    auto code = f.compile(f.job(kSource, label));
    const bool prints_only =
        std::string_view(label).starts_with("print") || std::string_view(label).starts_with("flood");
    EXPECT_EQ(code.has_error(), !prints_only) << label;
  }
  EXPECT_TRUE(
      f.compile(f.job("no bitcode", "label", BERTH_TIER_FAST, engine::BodyKind::Bitcode)).has_error());
  SilentSink sink;
  for (const unsigned threads :
       {0u, 1u}) {  // here: LLVM's fatal errors, on the asker's thread and on one of the pool
    HostBackend::Options options;
    options.pre_check = false;
    CompilePool pool(sink, std::make_unique<HostBackend>(nullptr, std::move(options)), threads);
    engine::CompileJob job = f.job("define void @f() gc \"x\" {\n  ret void\n}\n");
    job.source->isolated = false;
    EXPECT_FALSE(pool.submit(std::move(job)).has_error());
    pool.stop(engine::StopMode::Drain);
  }
  const std::string printed = redirected.back();
  EXPECT_EQ(printed, "");
  EXPECT_EQ(sink.num_failed.load(), 2);
}

// What a worker wrote in one compile is not told of another.
TEST(Jit, J56_output_of_a_worker_belongs_to_one_compile) {
  Fixture f(options_with(BERTH_FAULTY_WORKER));
  ASSERT_FALSE(f.compile(f.job(kSource, "print@generate")).has_error());
  const Error error = f.error_of(kSource, "abort@generate");
  EXPECT_NE(error.message().find("something is wrong"), std::string::npos) << error.message();
  EXPECT_EQ(error.message().find("words on"), std::string::npos) << error.message();
  EXPECT_EQ(f.backend.workers().started, 1u);
}

}  // namespace
}  // namespace berth::jit
