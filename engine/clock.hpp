// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine's clocks, both of the steady time line. A test may move them.
#pragma once
#include <cstdint>
#include <ctime>

#include "support/sync.hpp"

namespace berth::engine {

namespace detail {
inline sync::Atomic<int64_t> clock_offset_ns{0};  // tests only: relaxed
inline int64_t read_clock(clockid_t id) noexcept {
  timespec time{};
  clock_gettime(id, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec + clock_offset_ns.load(std::memory_order_relaxed);
}
}  // namespace detail

inline int64_t clock_ns() noexcept { return detail::read_clock(CLOCK_MONOTONIC); }
/// Cheap, in steps of a few milliseconds: for "held since".
inline int64_t coarse_clock_ns() noexcept { return detail::read_clock(CLOCK_MONOTONIC_COARSE); }

}  // namespace berth::engine
