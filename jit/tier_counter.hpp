// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tier counter: code of the FAST tier counts down its calls and back edges, asks once for a better tier, and
// hands its callers on to it.
//
// The counter is one 32-bit word of the module, decremented relaxed (lost counts are allowed): a call takes
// kCallCost, a back edge 1. Each counted entry has a word for its better code: null until that is published,
// then every call goes on there. So callers that bound the old entry need not be found.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace berth::jit {

inline constexpr int32_t kCallCost = 10;
inline constexpr int32_t kTierCount = 10'000;  // 1,000 calls or 10,000 back edges
// After asking, the count is so many times the first one: so often do loops look whether the better code is
// there.
inline constexpr int32_t kLooksPerCount = 10;
// What code made from now on starts with; lowered by tests. Relaxed: read by compiles.
inline std::atomic<int32_t> first_tier_count{kTierCount};

struct TierCounter {
  static constexpr const char* kPromote =
      "berth_jit_promote";   // void(ptr unit), called when the count is used up
  std::string unit_symbol;   // `ptr` global: the argument of kPromote, filled in after linking
  std::string count_symbol;  // the counter
  // ptr(i32 point, i32 rounds) in a module that counts its loops itself: takes so many rounds off; gives the
  // better code's function of the point, null as long as there is none, or for kNoPoint. Replaced by
  // add_tier_counter.
  static constexpr const char* kOsrPoint = "__berth_osr_point";
  static constexpr uint32_t kNoPoint = UINT32_MAX;
  std::vector<std::string> better_symbols;  // `ptr` globals, one per entry, then one per point
};

/// Counts calls of `entries` (defined functions) and back edges of all functions, or the rounds that they say
/// themselves. Threads: any. Blocks: never. Errors: none.
TierCounter add_tier_counter(llvm::Module& module, const std::vector<std::string>& entries,
                             size_t num_points);

}  // namespace berth::jit
