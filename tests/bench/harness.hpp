// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bench harness: runs ours and its baseline in turn, takes medians, and prints their ratio; larger is better.
//
// A figure is a pair of functions that do the same work `n` times and give the nanoseconds that it took. Rounds are interleaved, so that a
// machine that changes its speed changes both. Absolute times are printed for orientation only.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth::bench {

struct Figure {
  std::string name;           // class/situation/parameters
  double ours = 0, baseline = 0;
  std::string baseline_name;
  double ratio = 0;
  std::optional<double> goal;  // none: informative
  std::string unit;
};

using Clock = std::chrono::steady_clock;

/// Nanoseconds that `work` takes.
template <class Work>
double time_ns(Work&& work) {
  const auto start = Clock::now();
  work();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Cost of one operation, ours against the baseline: ratio = baseline / ours.
inline Figure compare(std::string name, std::string baseline_name, std::optional<double> goal, uint64_t operations,
                      const std::function<double()>& ours, const std::function<double()>& baseline, int rounds = 15) {
  std::vector<double> a, b;
  ours();  // warm-up
  baseline();
  for (int i = 0; i < rounds; ++i) {
    a.push_back(ours() / static_cast<double>(operations));
    b.push_back(baseline() / static_cast<double>(operations));
  }
  Figure figure{std::move(name), median(a), median(b), std::move(baseline_name), 0, goal, "ns"};
  figure.ratio = figure.baseline / figure.ours;
  return figure;
}

std::vector<Figure> reservation_figures();
std::vector<Figure> gc_figures();
std::vector<Figure> jit_figures();

}  // namespace berth::bench
