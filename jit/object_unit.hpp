// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ObjectUnit: one relocatable object and what must be known to link it. What a compile makes, an object cache
// keeps and a compile worker sends; the object itself holds no address of this process.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "berth/config.h"
#include "jit/tier_counter.hpp"

namespace berth::jit {

class ByteReader;
class ByteWriter;

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
  std::string addresses_symbol;  // LoweredNames, or empty
  size_t num_addresses = 0;
  std::string osr_symbol;  // as above; counting code has words of its counter instead
  size_t num_osr = 0;
  std::vector<const void*>
      addresses;                 // of this process: never kept or sent, filled in by who lowered the source
  std::shared_ptr<void> record;  // owns some of them: kept with the code

  /// All symbols that must be found in the linked object.
  std::vector<std::string> symbols() const;
};

struct ObjectUnit {
  berth_tier_t tier = BERTH_TIER_FAST;
  std::vector<ObjectMember> members;
  std::string object;

  /// Those of all members, in their order.
  std::vector<std::string> symbols() const;
};

/// All but the records and addresses. Threads: any. Blocks: never.
void write_unit(ByteWriter& to, const ObjectUnit& unit);
void write_member(ByteWriter& to, const ObjectMember& member);
/// False: these are no bytes of a unit; what indices and symbols mean is the caller's to check. Owns: the
/// unit is empty before.
bool read_unit(ByteReader& from, ObjectUnit& unit);
/// As above; whether it could be read, the reader knows.
ObjectMember read_member(ByteReader& from);

}  // namespace berth::jit
