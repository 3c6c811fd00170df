// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine's clocks, both of the steady time line. A test may move them.
#pragma once
#include <atomic>
#include <cstdint>

#include "support/sync.hpp"

namespace berth::engine {

namespace detail {
inline std::atomic<int64_t> clock_offset_ns{0};  // tests only: relaxed
}  // namespace detail

inline int64_t clock_ns() noexcept {
  return sync::Clock::now().time_since_epoch().count() +
         detail::clock_offset_ns.load(std::memory_order_relaxed);
}
/// Cheap, in steps of a few milliseconds: for "held since".
inline int64_t coarse_clock_ns() noexcept {
  return sync::coarse_now_ns() + detail::clock_offset_ns.load(std::memory_order_relaxed);
}

}  // namespace berth::engine
