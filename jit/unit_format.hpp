// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unit format: an object unit as the bytes of a cache file, and back.
//
//   bytes | what                                                               | checked by
//   8     | magic                                                              | equal
//   4     | number of keys                                                     | file size
//   4     | CRC-32 of the whole header, this word 0                            |
//   4     | CRC-32 of the payload as stored                                    |
//   4     | 0                                                                  | the header's CRC
//   8, 8  | bytes of the payload as stored, as it is; equal: not compressed    | file size; bounds
//   32    | environment's digest: format, build, LLVM, CPU, features, options  | equal to the process's
//   32 n  | keys, in the order of the members                                  | header's CRC; ours is there
//   rest  | payload, zstd if large: write_unit, 0 or 1, write_image            | its CRC; lengths within it
//
// Numbers as this host has them: another host has another environment. Nothing is believed before it is
// checked.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jit/cache_key.hpp"
#include "jit/object_image.hpp"
#include "jit/object_unit.hpp"
#include "support/result.hpp"

namespace berth::jit {

inline constexpr uint32_t kUnitFormat = 2;  // changes with anything below

struct StoredUnit {
  std::vector<CacheKey> keys;  // one per member
  ObjectUnit unit;
  std::optional<ObjectImage>
      image;  // of unit.object, for all symbols of the unit; it is made when the unit is encoded
};

/// `unit` has a member for each key. Threads: any. Blocks: never. GC: any, kept. Errors: none.
std::string encode_unit(const StoredUnit& unit, const CacheKey& environment);
/// As above. Errors: CORRUPT, saying what is wrong.
Result<StoredUnit> decode_unit(std::string_view bytes, const CacheKey& environment);

}  // namespace berth::jit
