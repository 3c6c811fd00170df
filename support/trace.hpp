// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trace: writes spans and instants as a Chrome trace (JSON, `traceEvents`), which chrome://tracing and
// Perfetto read.
//
//   state | start(path)      | event   | stop()
//   Off   | On               | ignored | Off
//   On    | INVALID_ARGUMENT | written | Off, file complete
//
// Rank: 500, a leaf. Cost when off: one relaxed load. When on: one lock per event; the file is written in
// blocks.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "support/result.hpp"
#include "support/sync.hpp"

namespace berth {

inline constexpr Rank kRankTrace{500, "trace"};

class Trace {
 public:
  class Span;

  Trace() = default;
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// Threads: any. Blocks: short. GC: any, kept. Errors: INVALID_ARGUMENT if on already or the file cannot be
  /// made.
  Result<void> start(const char* path);
  /// Completes the file; nothing if off. As above. Errors: INTERNAL if writing failed.
  Result<void> stop();
  /// Threads: any. Blocks: never. GC: any, kept.
  bool is_on() const noexcept { return on_.load(std::memory_order_relaxed); }
  /// A point in time. `arguments` is empty or the members of a JSON object: `"key":1,...`.
  /// Threads: any. Blocks: short. GC: any, kept. Errors: none (a failed write is reported by stop).
  void instant(std::string_view category, std::string_view name, std::string_view arguments = {});
  /// A span that began at `begin` and ends now. As above.
  void complete(std::string_view category, std::string_view name, sync::TimePoint begin,
                std::string_view arguments = {}) {
    complete(category, name, begin, sync::Clock::now(), arguments);
  }
  /// A span that ended at `end`. As above.
  void complete(std::string_view category, std::string_view name, sync::TimePoint begin, sync::TimePoint end,
                std::string_view arguments);
  /// A span from `begin` to now of something that is no call: it may overlap others of the thread. `id` tells
  /// those of one name apart. As above.
  void overlapping(std::string_view category, std::string_view name, uint64_t id, sync::TimePoint begin,
                   std::string_view arguments = {});

 private:
  void write(std::string_view event);
  void flush() BERTH_REQUIRES(mutex_);

  sync::Mutex mutex_{kRankTrace};
  // Written under the mutex; read relaxed as a hint only, and again under the mutex by whoever writes.
  std::atomic<bool> on_{false};
  std::FILE* file_ BERTH_GUARDED_BY(mutex_) = nullptr;
  std::string buffer_ BERTH_GUARDED_BY(mutex_);
  bool first_ BERTH_GUARDED_BY(mutex_) = true;
  bool failed_ BERTH_GUARDED_BY(mutex_) = false;
};

/// A span of the scope that it lives in. `category` and `name` live as long as it.
class Trace::Span {
 public:
  Span(Trace& trace, std::string_view category, std::string_view name) : category_(category), name_(name) {
    if (!trace.is_on()) return;
    trace_ = &trace;
    begin_ = sync::Clock::now();
  }
  ~Span() {
    if (trace_) trace_->complete(category_, name_, begin_, arguments_);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  bool is_on() const noexcept { return trace_ != nullptr; }
  /// Members of a JSON object, as above; only if is_on().
  void set_arguments(std::string json) { arguments_ = std::move(json); }

 private:
  Trace* trace_ = nullptr;
  std::string_view category_, name_;
  sync::TimePoint begin_{};
  std::string arguments_;
};

}  // namespace berth
