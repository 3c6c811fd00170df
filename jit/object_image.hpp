// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ObjectImage: an object as JITLink lays it out, with what its addresses must be put into: linking it again
// is a copy and a loop.
//
// Made once, when an object is kept; JITLink takes most of the time of loading one. Offsets are into the
// parts of one allocation, so an image fits any slab. Calls and loads that leave the unit always go over its
// own stubs and table, however near their target is.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jit/slab_memory.hpp"

namespace berth::jit {

class ByteReader;
class ByteWriter;

struct ObjectImage {
  static constexpr uint32_t kExternal = SlabMemory::kKinds;  // as a part: of `externals`
  struct Place {
    uint32_t part = 0, offset = 0;
  };
  enum class FixupKind : uint8_t {
    Absolute64,
    Relative64,
    Relative32,
    Backward64,
    Backward32
  };  // backward: the place less the target
  struct Fixup {
    FixupKind kind;
    Place at, target;
    int64_t addend;
  };
  struct Part {
    uint64_t bytes = 0, alignment = 1;
    std::string content;  // zeros beyond it
  };
  std::array<Part, SlabMemory::kKinds> parts;
  std::vector<std::string> externals;
  std::vector<Fixup> fixups;
  std::vector<Place> symbols;  // as many as were wanted, in their order
  std::optional<Place> unwind;

  /// None: the object has something that an image has no word for. Threads: any. Blocks: never. GC: any,
  /// kept.
  static std::optional<ObjectImage> of(std::string_view object, const std::vector<std::string>& wanted);
  /// How many bytes a fixup writes.
  static size_t width(FixupKind kind) noexcept {
    return kind == FixupKind::Relative32 || kind == FixupKind::Backward32 ? 4 : 8;
  }
};

/// As write_unit, read_unit; what is read stays within its parts.
void write_image(ByteWriter& to, const ObjectImage& image);
bool read_image(ByteReader& from, ObjectImage& image);

}  // namespace berth::jit
