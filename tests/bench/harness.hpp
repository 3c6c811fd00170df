// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bench harness: runs ours and its baseline in turn, takes medians, and prints their ratio; larger is better.
//
// A figure is a pair of functions that do the same work `n` times and give the nanoseconds that it took.
// Rounds are interleaved, so that a machine that changes its speed changes both. Absolute times are printed
// for orientation only.
#pragma once
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace berth::bench {

struct Figure {
  std::string name;  // class/situation/parameters
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
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

/// Nanoseconds of processor time of all threads that `work` takes.
template <class Work>
double processor_ns(Work&& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

/// Keeps the calling thread on one processor.
inline void pin(unsigned processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/// Nanoseconds until `n` pinned threads have run `work(index)`, begun together.
template <class Work>
double time_threads_ns(unsigned n, Work&& work) {
  std::atomic<unsigned> ready{0};
  std::atomic<bool> go{false};  // release by the timer, acquire by the threads
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      pin(i);
      ready.fetch_add(1);
      while (!go.load(std::memory_order_acquire)) {}
      work(i);
    });
  }
  while (ready.load() != n) std::this_thread::yield();
  return time_ns([&] {
    go.store(true, std::memory_order_release);
    for (std::thread& thread : threads) thread.join();
  });
}

/// Whether two empty loops run side by side as fast as one alone: two virtual processors may be one core, or
/// busy. Best of several.
inline bool has_two_cores() {
  const auto loops = [](unsigned n) {
    double best = 1e18;
    for (int i = 0; i < 7; ++i) {
      best = std::min(best, time_threads_ns(n, [](unsigned) {
                        std::atomic<int> count{0};
                        for (int k = 0; k < 20'000'000; ++k) count.store(k, std::memory_order_relaxed);
                      }));
    }
    return best;
  };
  return std::thread::hardware_concurrency() >= 2 && loops(2) < 1.15 * loops(1);
}

/// A figure that needs two cores is void where there are none: no goal, and said so.
inline Figure void_without_two_cores(Figure figure) {
  if (has_two_cores()) return figure;
  figure.goal.reset();
  figure.baseline_name += " (void: two empty loops slow each other)";
  return figure;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// What --filter asks for: only figures whose name contains it. Benches of long figures look before they
/// measure.
inline std::string& filter() {
  static std::string text;
  return text;
}
inline bool is_wanted(std::string_view name) { return name.find(filter()) != std::string_view::npos; }

/// Cost of one operation, ours against the baseline: ratio = baseline / ours.
inline Figure compare(std::string name, std::string baseline_name, std::optional<double> goal,
                      uint64_t operations, const std::function<double()>& ours,
                      const std::function<double()>& baseline, int rounds = 15) {
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

/// A quantity with an upper bound in its unit: ratio = bound / ours.
inline Figure bounded(std::string name, double ours, double bound, std::string unit) {
  return {std::move(name), ours, bound, "the bound", bound / std::max(ours, 1e-9), 1, std::move(unit)};
}

/// A count that must be 0: ratio = 1 / (1 + count).
inline Figure none(std::string name, double count, std::string unit) {
  return {std::move(name), count, 0, "none", 1 / (1 + count), 1, std::move(unit)};
}

std::vector<Figure> reservation_figures();
std::vector<Figure> gc_figures();
std::vector<Figure> jit_figures();
std::vector<Figure> cache_figures();
std::vector<Figure> isolation_figures();
std::vector<Figure> poll_figures();
std::vector<Figure> run_figures();

}  // namespace berth::bench
