// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench run: new processes, from their start to their end, with files that the system has in memory.
//
//   program/start  `berth run hello.bth` against a process that loads LLVM and registers its target; 1 would
//   be nothing beyond that start          `berth run answer.ll` against `lli` of the same file, and against
//   `clang -O0` of it and running what that made
//
// Wall time, the least of several in turn.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "tests/bench/run_bench.hpp"

extern char** environ;

namespace berth::bench {
namespace {

using Command = std::vector<std::string>;

struct Ended {
  int status = 0;  // of exit; -1: a signal
  std::string output;
};

/// Nothing if there is no such program.
std::optional<Ended> run_command(const Command& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Ended ended;
  char part[4096];
  for (ssize_t n = 0; failed == 0 && (n = read(ends[0], part, sizeof part)) > 0;)
    ended.output.append(part, static_cast<size_t>(n));
  close(ends[0]);
  if (failed == ENOENT) return std::nullopt;
  if (failed != 0) throw std::runtime_error(fmt::format("{}: {}", command[0], std::strerror(failed)));
  int status = 0;
  waitpid(child, &status, 0);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

/// One after another; each must end as expected.
struct Step {
  Command command;
  int status = 0;
  std::string output;
};
using Steps = std::vector<Step>;

/// False if a program is not there.
bool run_steps(const Steps& steps) {
  for (const Step& step : steps) {
    const std::optional<Ended> ended = run_command(step.command);
    if (!ended) return false;
    if (ended->status != step.status || ended->output != step.output)
      throw std::runtime_error(fmt::format("{}: status {}, output \"{}\", expected status {}, \"{}\"",
                                           fmt::join(step.command, " "), ended->status, ended->output,
                                           step.status, step.output));
  }
  return true;
}

/// `package`: of what may be missing in the baseline.
Figure in_turn(const std::string& name, const std::string& baseline_name, const std::string& package,
               double goal, const Steps& ours, const Steps& theirs) {
  constexpr int kRounds = 15;
  if (!run_steps(ours)) throw std::runtime_error(ours[0].command[0] + ": not there");
  if (!run_steps(theirs))
    return not_measured(
        name, fmt::format("{} is not there, install package {}", theirs[0].command[0], package), goal);
  Figure figure{name, 1e18, 1e18, baseline_name, 0, goal, "us"};
  for (int i = 0; i < kRounds; ++i) {
    figure.ours = std::min(figure.ours, time_ns([&] { run_steps(ours); }) / 1e3);
    figure.baseline = std::min(figure.baseline, time_ns([&] { run_steps(theirs); }) / 1e3);
  }
  figure.ratio = figure.baseline / figure.ours;
  return figure;
}

}  // namespace

std::vector<Figure> start_figures() {
  const std::string folder = BERTH_BENCH_FOLDER "/start", berth = BERTH_BENCH_COMMAND,
                    answer = folder + "/answer.ll";
  const std::string made =
      (std::filesystem::temp_directory_path() / fmt::format("berth-bench-{}", getpid())).string();
  const Steps hello{{{berth, "run", folder + "/hello.bth"}, 0, "hello\n"}},
      bare{{{BERTH_BENCH_BARE}, 0, "hello\n"}};
  const Steps ours{{{berth, "run", answer}, 0, "42\n"}}, lli{{{"lli-22", answer}, 42, ""}};
  const Steps clang{{{"clang-22", "-O0", "-w", answer, "-o", made}, 0, ""}, {{made}, 42, ""}};
  std::vector<Figure> figures;
  const auto add = [&](const char* name, auto&&... rest) {
    if (is_wanted(name)) figures.push_back(in_turn(name, rest...));
  };
  add("run/program/start/hello", "bare LLVM process", "berth-bench", 0.5, hello, bare);
  add("run/start/answer/lli", "lli", "llvm-22", 1, ours, lli);
  add("run/start/answer/clang", "clang -O0, run", "clang-22", 1, ours, clang);
  std::filesystem::remove(made);
  return figures;
}

}  // namespace berth::bench
