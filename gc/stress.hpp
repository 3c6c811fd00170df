// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stress modes of BERTH_GC_STRESS, a comma-separated list of `mode[:n]`. Debug and test builds only;
// elsewhere every question is a constant no.
//
//   mode        | n                | what
//   allocation  | every n-th (1)   | collect at managed allocations
//   transition  | every n-th (1)   | collect at leaves of safe regions
//   poll        | every n-th (1)   | collect at polls
//   handover    | every n-th (1)   | collect between the service of a waiter and its wake-up
//   recruit     | -                | each collection wakes every parked waiter for marking
//   lose-notify | every n-th (1)   | drop notifications
//   delay       | microseconds (50)| wait up to n at each latch point: between any two steps of the protocols
//   move        | -                | each collection copies all objects not pinned, and poisons the old ones
//   verify      | -                | check roots, references and the write barrier at each collection
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "support/rank.hpp"

namespace berth::gc::stress {

enum class Mode : uint8_t {
  Allocation,
  Transition,
  Poll,
  Handover,
  Recruit,
  LoseNotify,
  Delay,
  Move,
  Verify
};
inline constexpr size_t kModes = 9;

struct Setting {
  // Read on every use, written by parsing and by tests before they start threads; `uses` only counts:
  // relaxed.
  std::atomic<uint32_t> value{0}, uses{0};  // value 0: off
};

/// The process's settings, from the environment at first use. Threads: any. Blocks: never. GC: any, kept.
std::array<Setting, kModes>& settings();
/// Turns modes on. False: a word is none; the others count. For tests, and for the environment. Threads: any,
/// no other running.
bool parse(std::string_view text);
void set(Mode mode, uint32_t value);

inline bool is_on(Mode mode) noexcept {
  if constexpr (!kDebugChecks) return false;
  return settings()[static_cast<size_t>(mode)].value.load(std::memory_order_relaxed) != 0;
}
/// True for every n-th use of the mode.
inline bool is_due(Mode mode) noexcept {
  if constexpr (!kDebugChecks) return false;
  Setting& setting = settings()[static_cast<size_t>(mode)];
  const uint32_t period = setting.value.load(std::memory_order_relaxed);
  return period != 0 && setting.uses.fetch_add(1, std::memory_order_relaxed) % period == period - 1;
}

}  // namespace berth::gc::stress
