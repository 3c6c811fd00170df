// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ObjectUnit: one relocatable object and what must be known to link it. What a compile makes, an object cache keeps and a compile worker
// sends; it holds no address of this process but the record of lowered code.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "berth/config.h"
#include "jit/tier_counter.hpp"

namespace berth::jit {

/// One edge of a member: a `ptr` global of the object, bound after linking.
struct EdgeSlot {
  std::string symbol;
  size_t edge;                      // index among the source's edges
  std::vector<int32_t> references;  // CallSlot::references
};

/// One source of the unit. All symbols are the object's, not the source's.
struct ObjectMember {
  std::string entry;              // Code::entry
  std::string specialised_entry;  // Code::specialised_entry, or empty
  uint32_t convention = 0;        // Code::convention
  std::vector<EdgeSlot> slots;
  TierCounter counter;           // no symbols: not counted
  std::shared_ptr<void> record;  // what lowered code refers to by address: kept with the code

  /// All symbols that must be found in the linked object.
  std::vector<std::string> symbols() const;
};

struct ObjectUnit {
  berth_tier_t tier = BERTH_TIER_FAST;
  std::vector<ObjectMember> members;
  std::string object;
};

}  // namespace berth::jit
