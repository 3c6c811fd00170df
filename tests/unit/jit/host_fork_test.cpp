// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// J24: a fork while a compile is held at each of its steps.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "jit/compile_pool.hpp"
#include "tests/support/gate.hpp"
#include "tests/unit/jit/host_fixture.hpp"

namespace berth::jit {
namespace {

using test::Gate;

class JitFork : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Step, JitFork, testing::Values("read", "check", "generate", "link"),
                         [](const auto& info) { return std::string(info.param); });

// The child is told so, runs published code before and after the parent compiles more, and exits.
TEST_P(JitFork, J24_a_child_of_a_process_that_compiles_runs_published_code_and_exits) {
  Fixture f;
  Sink sink;
  Gate held, released;
  HostBackend::Options options;
  options.hook = [&](const char* step, const engine::CompileJob& job) {
    if (job.label != "held" || std::string_view(step) != GetParam()) return;
    held.open();
    released.wait();
  };
  CompilePool pool(sink, std::make_unique<HostBackend>(nullptr, std::move(options)), 2);
  const auto submit = [&](int number, const char* label) {
    engine::CompileJob job = f.job(number_source(number));
    job.label = label;
    CodeInstance* const instance = job.instance.get();
    EXPECT_FALSE(pool.submit(std::move(job)).has_error());
    return instance;
  };
  const auto code_of = [](CodeInstance* instance) {
    const engine::Code* code = nullptr;
    while (!(code = engine::instance_code(*instance))) std::this_thread::yield();
    return reinterpret_cast<int64_t (*)(int64_t)>(code->entry);
  };
  auto* const published = code_of(submit(41, "published"));
  CodeInstance* const running = submit(5, "held");
  held.wait();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    char byte = 0;
    bool good = published(1) == 42;
    auto refused = pool.submit(f.job(number_source(1)));
    good &= refused.has_error() && refused.assume_error().code() == BERTH_FORKED;
    good &= !pool.help(*running, Deadline::never());
    good &= read(ends[0], &byte, 1) == 1;
    good &= published(2) == 43;
    std::exit(good ? 0 : 1);
  }
  std::vector<CodeInstance*> more;
  for (int i = 0; i < 50; ++i) more.push_back(submit(i, "more"));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(code_of(more[static_cast<size_t>(i)])(1), i + 1);
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  released.open();
  EXPECT_EQ(code_of(running)(1), 6);
  for (const int end : ends) close(end);
}

}  // namespace
}  // namespace berth::jit
