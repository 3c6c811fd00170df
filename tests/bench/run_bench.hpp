// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of bench run share: a program of the reference language at one tier, and times of
// processors, which other processes do not add to.
#pragma once
#include <time.h>

#include <string>
#include <vector>

#include "berth/berth.hpp"
#include "tests/bench/harness.hpp"

namespace berth::bench {

/// Nanoseconds of the calling thread (CLOCK_THREAD_CPUTIME_ID) or of all threads of the process.
inline double processor_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// A .bth file in an engine of its own. Threads: the one that made it.
class LangProgram {
 public:
  LangProgram(const std::string& path, berth_tier_t tier);
  ~LangProgram() { berth_program_delete(program_); }
  LangProgram(const LangProgram&) = delete;
  LangProgram& operator=(const LangProgram&) = delete;

  /// Calls `run(rounds)`, which gives f64.
  double run(int64_t rounds);
  /// Calls `main()`; what it printed.
  const std::string& main();
  uint64_t num_collections();

 private:
  EngineOwner engine_;
  ThreadOwner thread_{engine_};
  berth_program_t* program_ = nullptr;
  std::string printed_;
};

std::string text_of_file(const std::string& path);
/// Whether --filter asks for this figure, or for the summary that needs it.
bool is_needed(const std::string& name, const std::string& summary);
/// Two more figures: the geometric mean and the worst of the ratios, as `name:geomean` and `name:worst`.
void add_summary(std::vector<Figure>& figures, const std::string& name, const std::string& baseline_name,
                 double geomean_goal, double worst_goal);
/// Of what could not be measured: missed, and says what is missing in place of the baseline.
Figure not_measured(std::string name, const std::string& missing, double goal);
inline constexpr const char* kNoClang =
    "clang-22 was not there when the bench was built, install package clang-22";

std::vector<Figure> kernel_figures();   // kernel_bench.cpp
std::vector<Figure> program_figures();  // program_bench.cpp
std::vector<Figure> start_figures();    // start_bench.cpp

}  // namespace berth::bench
