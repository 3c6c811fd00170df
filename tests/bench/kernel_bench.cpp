// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench run: kernels of the reference language at OPTIMIZED against the same kernels in C, compiled by clang
// -O2 -march=native -ffp-contract=off (it would fuse a multiplication and an addition, we must not).
//
// Both sides do the same number of rounds over their own arrays and must give the same number. Time is the
// calling thread's processor time, the least of several calls in turn: other processes only add. The limit is
// 1, more only where a check tells LLVM something. Bounds are checked on our side, and it polls.
#include <fmt/format.h>

#include <stdexcept>

#include "tests/bench/kernels/kernels.h"
#include "tests/bench/run_bench.hpp"

namespace berth::bench {

#if defined(BERTH_BENCH_TWINS)
namespace {

struct Kernel {
  const char* name;
  int64_t rounds;  // a few milliseconds
  double (*baseline)(int64_t);
};
constexpr Kernel kKernels[] = {
    {"saxpy", 4000, bench_saxpy},     {"dot", 1500, bench_dot},       {"sum", 3000, bench_sum},
    {"stencil", 2000, bench_stencil}, {"matmul", 20, bench_matmul},   {"mandelbrot", 20, bench_mandelbrot},
    {"nbody", 20000, bench_nbody},    {"sieve", 20, bench_sieve},     {"histogram", 200, bench_histogram},
    {"fannkuch", 20, bench_fannkuch}, {"collatz", 10, bench_collatz}, {"crc", 80, bench_crc}};

Figure against_c(const Kernel& kernel) {
  constexpr int kCalls = 9;
  constexpr clockid_t kClock = CLOCK_THREAD_CPUTIME_ID;
  LangProgram program(fmt::format("{}/kernels/{}.bth", BERTH_BENCH_FOLDER, kernel.name),
                      BERTH_TIER_OPTIMIZED);
  const double ours = program.run(kernel.rounds), theirs = kernel.baseline(kernel.rounds);
  if (ours != theirs)
    throw std::runtime_error(fmt::format("kernel {}: {} but in C {}", kernel.name, ours, theirs));
  Figure figure{fmt::format("run/kernel/{}", kernel.name), 1e18, 1e18, "clang -O2", 0, std::nullopt, "ns"};
  for (int i = 0; i < kCalls; ++i) {
    const double start = processor_ns(kClock);
    program.run(kernel.rounds);
    const double between = processor_ns(kClock);
    kernel.baseline(kernel.rounds);
    figure.ours = std::min(figure.ours, (between - start) / static_cast<double>(kernel.rounds));
    figure.baseline =
        std::min(figure.baseline, (processor_ns(kClock) - between) / static_cast<double>(kernel.rounds));
  }
  figure.ratio = figure.baseline / figure.ours;
  return figure;
}

}  // namespace

std::vector<Figure> kernel_figures() {
  std::vector<Figure> figures;
  const std::string summary = "run/kernel/optimized";
  for (const Kernel& kernel : kKernels)
    if (is_needed(fmt::format("run/kernel/{}", kernel.name), summary)) figures.push_back(against_c(kernel));
  add_summary(figures, summary, "clang -O2", 0.95, 0.9);
  return figures;
}
#else
std::vector<Figure> kernel_figures() {
  return {not_measured("run/kernel/optimized:geomean", kNoClang, 0.95),
          not_measured("run/kernel/optimized:worst", kNoClang, 0.9)};
}
#endif

}  // namespace berth::bench
