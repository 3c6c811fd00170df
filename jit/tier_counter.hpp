// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tier counter: code of the FAST tier counts down its calls and back edges, asks once for a better tier, and hands its callers on to it.
//
// The counter is one 32-bit word of the module, decremented relaxed (lost counts are allowed): a call takes kCallCost, a back edge 1.
// Each counted entry has a word for its better code: null until that is published, then every call goes on there. So callers that
// bound the old entry need not be found.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace berth::jit {

inline constexpr int32_t kCallCost = 10;
inline constexpr int32_t kTierCount = 10'000;  // 1,000 calls or 10,000 back edges
// After asking: so far away that it is not reached again while the better code is made.
inline constexpr int32_t kCountWhilePromoted = INT32_MAX;

struct TierCounter {
  static constexpr const char* kPromote = "berth_jit_promote";  // void(ptr unit), called when the count is used up
  std::string unit_symbol;                  // `ptr` global: the argument of kPromote, filled in after linking
  std::string count_symbol;                 // the counter
  std::vector<std::string> better_symbols;  // `ptr` globals, one per entry
};

/// Counts calls of `entries` (defined functions) and back edges of all functions. Threads: any. Blocks: never. Errors: none.
TierCounter add_tier_counter(llvm::Module& module, const std::vector<std::string>& entries);

}  // namespace berth::jit
