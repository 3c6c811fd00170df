// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench run: whole programs of examples/lang/programs.
//
//   program/optimized    main at OPTIMIZED against its twin in C++ (tests/bench/programs), compiled by clang
//   -O2 -march=native; both print
//                        what the program's .out has
//   program/interpreter  the programs that are loops: FAST against interpreted. 1 would be an interpreter as
//   fast as code program/dispatch     a call of a method of two, by what an array's elements are, against a
//   virtual call
//
// Time is the processor time of all threads of the process, so that of a collection counts wherever it runs.
// A sample is as many calls as the twin does in 40 ms, and the least of several in turn is taken: other
// processes only add.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/bench/programs/programs.hpp"
#include "tests/bench/run_bench.hpp"

namespace berth::bench {
namespace {

constexpr clockid_t kClock = CLOCK_PROCESS_CPUTIME_ID;

template <class Work>
double cost_ns(Work&& work) {
  const double start = processor_ns(kClock);
  work();
  return processor_ns(kClock) - start;
}

std::string path_of(const std::string& name, const char* extension) {
  return fmt::format("{}/{}{}", BERTH_BENCH_PROGRAMS, name, extension);
}

void require_same(const std::string& name, const std::string& side, const std::string& printed,
                  const std::string& expected) {
  if (printed != expected)
    throw std::runtime_error(
        fmt::format("program {}, {}: printed\n{}but expected\n{}", name, side, printed, expected));
}

// Those that finish soon enough in the interpreter.
constexpr const char* kLoops[] = {"collatz", "fannkuch7", "hashes", "k_nucleotide",  "mandelbrot",
                                  "matrix",  "nbody",     "primes", "spectral_norm", "wave"};

Figure interpreted(const std::string& name) {
  const std::string path = path_of(name, ".bth"), expected = text_of_file(path_of(name, ".out"));
  LangProgram interpreter(path, BERTH_TIER_INTERPRET), fast(path, BERTH_TIER_FAST);
  require_same(name, "interpreted", interpreter.main(), expected);
  require_same(name, "FAST", fast.main(), expected);
  Figure figure{"run/program/interpreter/" + name, 1e18, 1e18, "FAST", 0, std::nullopt, "us"};
  for (int i = 0; i < 3; ++i) {
    figure.ours = std::min(figure.ours, cost_ns([&] { interpreter.main(); }) / 1e3);
    figure.baseline = std::min(figure.baseline, cost_ns([&] { fast.main(); }) / 1e3);
  }
  figure.ratio = figure.baseline / figure.ours;
  return figure;
}

std::vector<Figure> interpreter_figures() {
  std::vector<Figure> figures;
  const std::string summary = "run/program/interpreter";
  for (const std::string name : kLoops)
    if (is_needed(summary + "/" + name, summary)) figures.push_back(interpreted(name));
  add_summary(figures, summary, "FAST", 0.05, 0.05);
  return figures;
}

#if defined(BERTH_BENCH_TWINS)
struct Twin {
  const char* name;
  std::string (*run)();
};
constexpr Twin kTwins[] = {{"binary_trees", twins::binary_trees},
                           {"collatz", twins::collatz},
                           {"even_odd", twins::even_odd},
                           {"fannkuch10", twins::fannkuch10},
                           {"hashes", twins::hashes},
                           {"hofstadter", twins::hofstadter},
                           {"k_nucleotide", twins::k_nucleotide},
                           {"mandelbrot", twins::mandelbrot},
                           {"matrix", twins::matrix},
                           {"nbody", twins::nbody},
                           {"primes", twins::primes},
                           {"queens12", twins::queens12},
                           {"recursion", twins::recursion},
                           {"richards10000", twins::richards10000},
                           {"spectral_norm", twins::spectral_norm},
                           {"wave", twins::wave}};

/// Both in turn, `calls` of each per sample.
template <class Ours, class Theirs>
Figure in_turn(std::string name, std::string baseline_name, int calls, double per_call, Ours&& ours,
               Theirs&& theirs) {
  Figure figure{
      std::move(name), 1e18, 1e18, std::move(baseline_name), 0, std::nullopt, per_call == 1 ? "us" : "ns"};
  const auto sample = [&](auto&& work) {
    return cost_ns([&] {
             for (int i = 0; i < calls; ++i) work();
           }) /
           calls / (per_call == 1 ? 1e3 : per_call);
  };
  for (int i = 0; i < 7; ++i) {
    figure.ours = std::min(figure.ours, sample(ours));
    figure.baseline = std::min(figure.baseline, sample(theirs));
  }
  figure.ratio = figure.baseline / figure.ours;
  return figure;
}

Figure against_cpp(const Twin& twin) {
  const std::string expected = text_of_file(path_of(twin.name, ".out"));
  LangProgram program(path_of(twin.name, ".bth"), BERTH_TIER_OPTIMIZED);
  for (int i = 0; i < 3; ++i) require_same(twin.name, "OPTIMIZED", program.main(), expected);
  require_same(twin.name, "C++", twin.run(), expected);
  const double once = cost_ns(twin.run);
  const int calls = std::clamp(static_cast<int>(40e6 / once), 1, 10000);
  return in_turn(
      fmt::format("run/program/optimized/{}", twin.name), "clang -O2", calls, 1, [&] { program.main(); },
      twin.run);
}

std::vector<Figure> twin_figures() {
  std::vector<Figure> figures;
  const std::string summary = "run/program/optimized";
  for (const Twin& twin : kTwins)
    if (is_needed(fmt::format("{}/{}", summary, twin.name), summary)) figures.push_back(against_cpp(twin));
  add_summary(figures, summary, "clang -O2", 0.8, 0.5);
  return figures;
}

Figure dispatch_figure() {
  constexpr int kRounds = 2000;
  LangProgram program(BERTH_BENCH_FOLDER "/programs/dispatch.bth", BERTH_TIER_OPTIMIZED);
  if (program.run(3) != twins::dispatch(3)) throw std::runtime_error("dispatch: another sum than in C++");
  Figure figure = in_turn(
      "run/program/dispatch", "C++ virtual call", 1, double{kRounds} * twins::kNumShapes,
      [&] { program.run(kRounds); }, [] { twins::dispatch(kRounds); });
  figure.goal = 0.4;
  return figure;
}
#else
std::vector<Figure> twin_figures() {
  return {not_measured("run/program/optimized:geomean", kNoClang, 0.8),
          not_measured("run/program/optimized:worst", kNoClang, 0.5)};
}
Figure dispatch_figure() { return not_measured("run/program/dispatch", kNoClang, 0.4); }
#endif

}  // namespace

std::vector<Figure> program_figures() {
  std::vector<Figure> figures = twin_figures();
  const std::vector<Figure> loops = interpreter_figures();
  figures.insert(figures.end(), loops.begin(), loops.end());
  if (is_wanted("run/program/dispatch")) figures.push_back(dispatch_figure());
  return figures;
}

}  // namespace berth::bench
