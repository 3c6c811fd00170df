// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deadline: a point of the steady clock until which a call may wait.
#pragma once
#include <cstdint>

#include "support/sync.hpp"

namespace berth {

class Deadline {
 public:
  static Deadline never() noexcept { return Deadline(sync::TimePoint::max()); }
  /// -1: for ever; 0: do not wait.
  static Deadline in(int64_t timeout_ns) noexcept {
    if (timeout_ns < 0) return never();
    const auto now = sync::Clock::now();
    const auto wait = std::chrono::nanoseconds(timeout_ns);
    return Deadline(wait > sync::TimePoint::max() - now ? sync::TimePoint::max() : now + wait);
  }
  sync::TimePoint time() const noexcept { return time_; }
  bool is_never() const noexcept { return time_ == sync::TimePoint::max(); }
  bool has_passed() const noexcept { return !is_never() && sync::Clock::now() >= time_; }

 private:
  explicit Deadline(sync::TimePoint time) noexcept : time_(time) {}
  sync::TimePoint time_;
};

}  // namespace berth
