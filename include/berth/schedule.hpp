// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// explore(): runs a concurrent program under many schedules, and says how to run the one that failed again.
//
//   const auto report = berth::schedule::explore({.search = Search::Exhaustive, .preemptions = 2}, [] {
//     Atomic<int> count{0};
//     { Thread first([&] { count = count + 1; }), second([&] { count = count + 1; }); }
//     check(count == 2, "an increment is lost");
//   });
//   // what, where each thread stood, BERTH_SCHEDULE_REPLAY=...
//   if (report.failure) std::puts(report.failure->text.c_str());
//
// The body is called once per schedule and must do the same each time: no addresses, clocks or random numbers
// of the outside in its control flow. With BERTH_SCHEDULE_REPLAY set, only that schedule runs, each switch
// written to stderr; BERTH_SCHEDULE_SEED replaces the seed. Header only; link Boost.Context
// (-lboost_context).
//
// Threads: any, each with explorations of its own. Errors: none are thrown; a failed schedule is the
// report's.
#pragma once
#include <csignal>
#include <cstdlib>

#include "berth/schedule/scheduler.hpp"
#include "berth/schedule/strategy.hpp"
#include "berth/schedule/sync.hpp"

namespace berth::schedule {

enum class Search { Priorities, RandomWalk, Exhaustive };

struct Options {
  const char* name = "schedule";  // in failures
  Search search = Search::Priorities;
  uint64_t schedules = 10'000;  // at most; Exhaustive: no bound if 0
  uint64_t seed = 1;            // Priorities, RandomWalk
  unsigned changes = 3;         // Priorities: at most so many points of change
  unsigned preemptions = 2;     // Exhaustive
  Limits limits{};
};

struct Failure {
  std::string text;    // all of it: what, the position of each thread, how to replay it
  std::string replay;  // for BERTH_SCHEDULE_REPLAY
};

struct Report {
  uint64_t schedules = 0;
  uint64_t decisions = 0;  // of the longest
  bool exhausted = false;  // Exhaustive: nothing within the bound is left
  std::optional<Failure> failure;
};

namespace detail {

/// A schedule that ends the process says how to replay it first.
class AbortNote {
 public:
  explicit AbortNote(const Options& options) : options_(options), outer_(std::exchange(active_, this)) {
    if (!outer_) previous_ = std::signal(SIGABRT, write);
  }
  ~AbortNote() {
    active_ = outer_;
    if (!outer_) std::signal(SIGABRT, previous_);
  }
  AbortNote(const AbortNote&) = delete;
  AbortNote& operator=(const AbortNote&) = delete;

 private:
  static void write(int) noexcept {
    if (const Scheduler* const scheduler = Scheduler::current(); scheduler && active_) {
      std::fprintf(stderr, "schedule %s aborted: BERTH_SCHEDULE_REPLAY=%s\n", active_->options_.name,
                   to_string(scheduler->deviations()).c_str());
      std::fflush(stderr);
    }
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  }
  static inline thread_local AbortNote* active_ = nullptr;
  const Options& options_;
  AbortNote* const outer_;
  void (*previous_)(int) = SIG_DFL;
};

/// One schedule again, and fewer unusual choices as long as it still fails.
inline Failure shrink(const Options& options, const std::function<void()>& body, Deviations deviations,
                      std::string text) {
  constexpr size_t kMostRuns = 200;  // each failed run leaves its memory
  size_t runs = 0;
  for (size_t i = deviations.size(); i-- > 0 && runs < kMostRuns; ++runs) {
    Deviations fewer = deviations;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    Replay strategy(fewer);
    strategy.begin();
    Scheduler scheduler(strategy, options.limits);
    if (std::optional<std::string> failed = scheduler.run(body)) {
      deviations = std::move(fewer);
      text = std::move(*failed);
    }
  }
  Failure failure{{}, to_string(deviations)};
  failure.text = std::string(options.name) + ": " + text + "\n  BERTH_SCHEDULE_REPLAY=" + failure.replay;
  return failure;
}

}  // namespace detail

inline Report explore(Options options, const std::function<void()>& body) {
  if (const char* const seed = std::getenv("BERTH_SCHEDULE_SEED"))
    options.seed = std::strtoull(seed, nullptr, 0);
  std::optional<Deviations> replayed;
  if (const char* const text = std::getenv("BERTH_SCHEDULE_REPLAY")) {
    replayed = parse_deviations(text);
    if (!replayed)
      return {.failure = Failure{std::string("BERTH_SCHEDULE_REPLAY is no schedule: ") + text, text}};
    options.limits.trace = true;
  }
  std::unique_ptr<Strategy> strategy;
  if (replayed) {
    strategy = std::make_unique<Replay>(*replayed);
  } else if (options.search == Search::Priorities) {
    strategy = std::make_unique<Priorities>(options.seed, options.schedules, options.changes);
  } else if (options.search == Search::RandomWalk) {
    strategy = std::make_unique<RandomWalk>(options.seed, options.schedules);
  } else {
    strategy =
        std::make_unique<Exhaustive>(options.preemptions, options.schedules ? options.schedules : UINT64_MAX);
  }
  const detail::AbortNote note(options);
  Report report;
  while (strategy->begin()) {
    Scheduler scheduler(*strategy, options.limits);
    std::optional<std::string> failed = scheduler.run(body);
    ++report.schedules;
    report.decisions = std::max(report.decisions, scheduler.num_decisions());
    if (!failed) continue;
    const std::string found =
        " (schedule " + std::to_string(report.schedules) + ", seed " + std::to_string(options.seed) + ')';
    report.failure = replayed ? Failure{std::string(options.name) + ": " + *failed, to_string(*replayed)}
                              : detail::shrink(options, body, scheduler.deviations(), std::move(*failed));
    if (!replayed) report.failure->text += found;
    return report;
  }
  if (const auto* const exhaustive = dynamic_cast<const Exhaustive*>(strategy.get()))
    report.exhausted = exhaustive->is_complete();
  return report;
}

}  // namespace berth::schedule
