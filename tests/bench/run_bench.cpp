// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench run: kernels of the reference language at OPTIMIZED against the same kernels in C, compiled by clang -O2 -march=native
// -ffp-contract=off (it would fuse a multiplication and an addition, we must not).
//
// Both sides do the same number of rounds over their own arrays and must give the same number. Time is the calling thread's processor time,
// the least of several calls in turn: other processes only add. The limit is 1, more only where a check tells LLVM something.
// Bounds are checked on our side, and it polls.
#include <fmt/format.h>
#include <time.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "berth/berth.hpp"
#include "examples/lang/translator.hpp"
#include "tests/bench/harness.hpp"
#include "tests/bench/kernels/kernels.h"

namespace berth::bench {
namespace {

struct Kernel {
  const char* name;
  int64_t rounds;  // a few milliseconds
  double (*baseline)(int64_t);
};

#if defined(BERTH_BENCH_KERNELS)
constexpr Kernel kKernels[] = {{"saxpy", 4000, bench_saxpy},       {"dot", 1500, bench_dot},       {"sum", 3000, bench_sum},
                               {"stencil", 2000, bench_stencil},   {"matmul", 20, bench_matmul},   {"mandelbrot", 20, bench_mandelbrot},
                               {"nbody", 20000, bench_nbody},      {"sieve", 20, bench_sieve},     {"histogram", 200, bench_histogram},
                               {"fannkuch", 20, bench_fannkuch},   {"collatz", 10, bench_collatz}, {"crc", 80, bench_crc}};
#endif

double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error(path + ": cannot be read");
  return text;
}

/// A .bth file at one tier; `run(rounds)` is called.
class Program {
 public:
  Program(EngineOwner& engine, ThreadOwner& thread, const std::string& path, berth_tier_t tier) : thread_(thread) {
    lang::Translator translator(lang::Translator::Use::File);
    const std::string text = translator.file(path, text_of_file(path));
    const std::string& prelude = translator.prelude();
    check(berth_program_parse(engine.get(), prelude.data(), prelude.size(), "<prelude>", &program_));
    check(berth_program_define(thread.get(), program_, text.data(), text.size(), path.c_str()));
    berth_program_set_tier(program_, tier);
  }
  ~Program() { berth_program_delete(program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  double run(int64_t rounds) {
    const berth_value_t argument{BERTH_VALUE_I64, {rounds}};
    berth_value_t result{};
    check(berth_program_call(thread_.get(), program_, "run", &argument, 1, &result));
    return result.f;
  }

 private:
  ThreadOwner& thread_;
  berth_program_t* program_ = nullptr;
};

#if defined(BERTH_BENCH_KERNELS)
Figure against_c(const Kernel& kernel) {
  constexpr int kCalls = 9;
  EngineOwner engine;
  ThreadOwner thread(engine);
  Program program(engine, thread, fmt::format("{}/kernels/{}.bth", BERTH_BENCH_FOLDER, kernel.name), BERTH_TIER_OPTIMIZED);
  const double ours = program.run(kernel.rounds), theirs = kernel.baseline(kernel.rounds);
  if (ours != theirs) throw std::runtime_error(fmt::format("kernel {}: {} but in C {}", kernel.name, ours, theirs));
  Figure figure{fmt::format("run/kernel/{}", kernel.name), 1e18, 1e18, "clang -O2", 0, std::nullopt, "ns"};
  for (int i = 0; i < kCalls; ++i) {
    const double start = thread_ns();
    program.run(kernel.rounds);
    const double between = thread_ns();
    kernel.baseline(kernel.rounds);
    figure.ours = std::min(figure.ours, (between - start) / static_cast<double>(kernel.rounds));
    figure.baseline = std::min(figure.baseline, (thread_ns() - between) / static_cast<double>(kernel.rounds));
  }
  figure.ratio = figure.baseline / figure.ours;
  return figure;
}

std::vector<Figure> kernel_figures() {
  std::vector<Figure> figures;
  double logarithms = 0, worst = 1e18;
  for (const Kernel& kernel : kKernels) {
    figures.push_back(against_c(kernel));
    logarithms += std::log(figures.back().ratio);
    worst = std::min(worst, figures.back().ratio);
  }
  const double mean = std::exp(logarithms / static_cast<double>(figures.size()));
  figures.push_back({"run/kernel/optimized:geomean", 1 / mean, 1, "clang -O2", mean, 0.95, "times"});
  figures.push_back({"run/kernel/optimized:worst", 1 / worst, 1, "clang -O2", worst, 0.9, "times"});
  return figures;
}
#else
std::vector<Figure> kernel_figures() {
  const std::string missing = "clang-22, which was not there when the bench was built";
  return {{"run/kernel/optimized:geomean", 0, 0, missing, 0, 0.95, "times"}, {"run/kernel/optimized:worst", 0, 0, missing, 0, 0.9, "times"}};
}
#endif

}  // namespace

std::vector<Figure> run_figures() { return kernel_figures(); }

}  // namespace berth::bench
