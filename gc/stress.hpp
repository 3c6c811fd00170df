// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stress modes of BERTH_GC_STRESS, a comma-separated list: allocation[:n], transition, poll, lose-notify. Debug and test
// builds only; elsewhere every question is a constant no.
#pragma once
#include <cstdint>
#include <string_view>

#include "support/rank.hpp"
#include "support/sync.hpp"

namespace berth::gc::stress {

struct Modes {
  // Read on every use, written by parsing and by tests before they start threads: relaxed.
  sync::Atomic<uint32_t> allocation_period{0};
  sync::Atomic<bool> transition{false}, poll{false}, lose_notify{false};
  sync::Atomic<uint32_t> allocations{0};
};

/// The process's modes, from the environment at first use.
Modes& modes();
/// Sets them from text; unknown words are ignored.
void parse(Modes& modes, std::string_view text);

/// True for every n-th allocation under `allocation:n`.
inline bool collects_at_allocation() noexcept {
  if constexpr (!kDebugChecks) return false;
  const uint32_t period = modes().allocation_period.load(std::memory_order_relaxed);
  return period != 0 && modes().allocations.fetch_add(1, std::memory_order_relaxed) % period == 0;
}
inline bool collects_at_transition() noexcept {
  if constexpr (!kDebugChecks) return false;
  return modes().transition.load(std::memory_order_relaxed);
}
inline bool collects_at_poll() noexcept {
  if constexpr (!kDebugChecks) return false;
  return modes().poll.load(std::memory_order_relaxed);
}
inline bool loses_notification() noexcept {
  if constexpr (!kDebugChecks) return false;
  return modes().lose_notify.load(std::memory_order_relaxed);
}

}  // namespace berth::gc::stress
