// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// J60: each allocation of the engine's own code fails once, from submission to publication: every job is
// answered, and the next compile goes on. LLVM's own allocations are left alone: it does not unwind.
#include <gtest/gtest.h>

#include <new>

#include "jit/compile_pool.hpp"
#include "support/sync.hpp"
#include "tests/support/failing_new.hpp"
#include "tests/unit/jit/host_fixture.hpp"

namespace berth::jit {
namespace {

using test::FailingNew;

struct CountingSink : engine::CompileSink {
  bool claim(CodeInstance&) noexcept override { return true; }
  void published(std::span<engine::NewCode> unit) noexcept override {
    for (engine::NewCode& made : unit)
      made.unused = made.instance->code.exchange(made.code, std::memory_order_acq_rel);
    answers += static_cast<int>(unit.size());
  }
  void failed(CodeInstance&, Error error, bool may_pass) noexcept override {
    ++answers;
    failure = error.code();
    passes = may_pass;
  }
  void dropped(CodeInstance&) noexcept override { ++answers; }
  void release(engine::CodeInstanceRef) noexcept override {}
  int answers = 0;
  berth_code_t failure = BERTH_OK;
  bool passes = false;
};

int64_t add_seven(int64_t x) { return x + 7; }

TEST(JitMemory, J60_each_failing_allocation_is_an_answer) {
  Fixture f;
  int failures = 0;
  const auto run = [&](int64_t n) {
    CountingSink sink;
    auto owned = std::make_unique<HostBackend>(nullptr);
    HostBackend& backend = *owned;
    CompilePool pool(sink, std::move(owned), 0);
    EXPECT_FALSE(pool.define_symbol("add_seven", reinterpret_cast<void*>(&add_seven)).has_error());
    const auto make = [&](engine::CodeInstance* callee) {
      auto job = f.job(
          "@t = thread_local global i64 3\ndeclare i64 @add_seven(i64)\ndeclare i64 @callee(i64)\ndeclare "
          "ptr @llvm.threadlocal.address.p0(ptr)\n"
          "define i64 @f(i64 %x) {\n  %y = call i64 @add_seven(i64 %x)\n  %p = call ptr "
          "@llvm.threadlocal.address.p0(ptr @t)\n  %t = load i64, ptr %p\n  %z = add i64 %y, %t\n" +
          std::string(callee ? "  %w = call i64 @callee(i64 %z)\n  ret i64 %w\n}\n" : "  ret i64 %z\n}\n"));
      if (callee) job.source->edges.push_back({callee, "callee"});
      return job;
    };
    engine::CompileJob first = make(nullptr);
    engine::CodeInstance& callee = *first.instance;
    EXPECT_FALSE(pool.submit(std::move(first)).has_error());
    EXPECT_TRUE(pool.help(callee, Deadline::never()));
    sink.answers = 0;
    const size_t contexts = backend.num_contexts();

    engine::CompileJob job = make(&callee);
    engine::CodeInstance& instance = *job.instance;
    bool accepted = false, failed = false;
    {
      const FailingNew failing(n, FailingNew::Mode::Once, FailingNew::Whose::Own);
      try {
        accepted = !pool.submit(std::move(job)).has_error();
        if (accepted) pool.help(instance, Deadline::never());
      } catch (const std::bad_alloc&) {}
      failed = failing.has_failed();
    }
    failures += failed;
    if (accepted && sink.answers == 0)
      pool.help(instance, Deadline::never());  // it was help itself that had none
    EXPECT_EQ(sink.answers, accepted ? 1 : 0);
    const engine::Code* const code = engine::instance_code(instance);
    if (accepted && !code) {
      EXPECT_EQ(sink.failure, BERTH_OUT_OF_MEMORY);
      EXPECT_TRUE(sink.passes);
    }
    if (code) { EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(code->entry)(1), 21); }
    // What could not be unwound is kept, not destroyed: at most that one context.
    EXPECT_LE(backend.num_contexts(), contexts + 1);

    engine::CompileJob again = make(&callee);
    engine::CodeInstance& other = *again.instance;
    EXPECT_FALSE(pool.submit(std::move(again)).has_error());
    pool.help(other, Deadline::never());
    const engine::Code* const next = engine::instance_code(other);
    EXPECT_TRUE(next);
    if (next) { EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(next->entry)(1), 21); }
    return failed;
  };
  for (int64_t n = 1; run(n); ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    ASSERT_LT(n, 5000);
    if (HasFailure()) FAIL() << "at allocation " << n;
  }
  EXPECT_GT(failures, 20);
}

/// Answers come from the pool's threads.
struct AwaitedSink final : CountingSink {
  void published(std::span<engine::NewCode> unit) noexcept override {
    CountingSink::published(unit);
    count(static_cast<int>(unit.size()));
  }
  void failed(CodeInstance& instance, Error error, bool may_pass) noexcept override {
    EXPECT_EQ(error.code(), BERTH_OUT_OF_MEMORY) << error.message();
    static_cast<void>(instance);
    EXPECT_TRUE(may_pass);
    count(1);
  }
  void dropped(CodeInstance&) noexcept override { count(1); }
  void count(int n) noexcept {
    answered.fetch_add(n, std::memory_order_acq_rel);
    answered.notify_all();
  }
  void wait_for(int n) {
    for (int now; (now = answered.load(std::memory_order_acquire)) < n;) answered.wait(now);
  }
  std::atomic<int> answered{0};
};

TEST(JitMemory, J60_each_failing_allocation_of_a_compile_thread_is_an_answer) {
  const Watchdog watchdog(120s);
  Fixture f;
  int failures = 0;
  const auto run = [&](int64_t n) {
    AwaitedSink sink;
    CompilePool pool(sink, std::make_unique<HostBackend>(nullptr), 1);
    std::vector<engine::CodeInstance*> accepted;
    bool failed = false;
    const auto submit = [&](engine::CompileJob job) {
      engine::CodeInstance& instance = *job.instance;
      try {
        if (!pool.submit(std::move(job)).has_error()) accepted.push_back(&instance);
      } catch (const std::bad_alloc&) {}
    };
    accepted.reserve(8);
    std::vector<engine::CompileJob> jobs;
    for (int i = 0; i < 4; ++i) jobs.push_back(f.job("define i64 @f(i64 %x) {\n  ret i64 %x\n}\n"));
    {
      const FailingNew failing(n, FailingNew::Mode::Once, FailingNew::Whose::OwnOfAllThreads);
      for (engine::CompileJob& job : jobs) submit(std::move(job));
      for (engine::CodeInstance* const instance : accepted) pool.help(*instance, Deadline::never());
      sink.wait_for(static_cast<int>(accepted.size()));
      failed = failing.has_failed();
    }
    failures += failed;
    EXPECT_EQ(sink.answered.load(), static_cast<int>(accepted.size()));
    submit(f.job("define i64 @f(i64 %x) {\n  ret i64 7\n}\n"));
    engine::CodeInstance& last = *accepted.back();
    pool.help(last, Deadline::never());
    sink.wait_for(static_cast<int>(accepted.size()));
    const engine::Code* const code = engine::instance_code(last);
    EXPECT_TRUE(code && reinterpret_cast<int64_t (*)(int64_t)>(code->entry)(1) == 7);
    return failed;
  };
  for (int64_t n = 1; run(n); ++n) {
    ASSERT_LT(n, 5000);
    if (HasFailure()) FAIL() << "at allocation " << n;
  }
  EXPECT_GT(failures, 50);
}

// No thread was to be had when the job came, nor when somebody waits for it.
TEST(JitMemory, J60_a_waiter_of_a_pool_without_threads_is_answered) {
  Fixture f;
  int reached = 0;
  for (int64_t n = 1;; ++n) {
    ASSERT_LT(n, 1000);
    AwaitedSink sink;
    CompilePool pool(sink, std::make_unique<HostBackend>(nullptr), 1);
    engine::CompileJob job = f.job("define i64 @f(i64 %x) {\n  ret i64 %x\n}\n");
    engine::CodeInstance& instance = *job.instance;
    bool accepted = false;
    try {
      const FailingNew failing(n, FailingNew::Mode::FromThenOn, FailingNew::Whose::Own);
      accepted = !pool.submit(std::move(job)).has_error();
    } catch (const std::bad_alloc&) {}
    if (accepted && pool.stats().threads != 0) break;
    if (!accepted) continue;
    ++reached;
    {
      const FailingNew failing(1, FailingNew::Mode::FromThenOn, FailingNew::Whose::Own);
      pool.help(instance, Deadline::never());
    }
    ASSERT_EQ(sink.answered.load(), 1) << "at allocation " << n;
  }
  EXPECT_GT(reached, 0);
}

}  // namespace
}  // namespace berth::jit
