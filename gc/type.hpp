// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Object and Type: what the heap holds and how the collector reads it.
//
// An object begins with one header word; fields begin at byte 8. With elements, byte 8 holds their count and
// they begin at byte 16 (or at `bytes`, if that is more). References are Object*, null allowed. Object layout
// is read by generated code.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/sync.hpp"

namespace berth::gc {

class Heap;
struct Object;

/// Called per reference slot during a collection.
class SlotVisitor {
 public:
  virtual void visit(Object** slot) = 0;

 protected:
  ~SlotVisitor() = default;
};

/// Immutable once registered with a heap; owned by it.
struct Type {
  std::string name;
  uint32_t bytes = 8;                       // fixed part, header included
  std::vector<uint32_t> reference_offsets;  // in the fixed part
  uint32_t element_bytes = 0;               // 0: no elements
  bool elements_are_references = false;
  void (*trace)(Object*, SlotVisitor&) = nullptr;  // in addition to the maps
  void (*finalize)(Object*) = nullptr;  // native clean-up at sweep: no managed object may be touched
  const void* tag = nullptr;            // the language's own description (inference::Leaf)
  // Set by add_type.
  bool has_references = false;
  uint8_t bump_class =
      0;  // whose range an object is bumped from; kNoBumpClass: Heap::allocate alone makes one
  uint16_t bump_bytes = 0;  // by how much
};

/// Header word: the Type pointer in bits 3..47 (8-aligned), mark and flag bits elsewhere; set once at
/// allocation but for the mark bit, which markers set by relaxed read-modify-write.
struct Object {
  sync::Atomic<uint64_t> header;

  static constexpr uint64_t kMark = 1, kPermanent = 2, kLarge = 4;
  static constexpr uint64_t kTypeMask = 0x0000'ffff'ffff'fff8;

  const Type* type() const noexcept {
    return reinterpret_cast<const Type*>(header.load(std::memory_order_relaxed) & kTypeMask);
  }
  uint64_t& word(size_t byte_offset) noexcept {
    return *reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(this) + byte_offset);
  }
  char* at(size_t byte_offset) noexcept { return reinterpret_cast<char*>(this) + byte_offset; }
  const char* at(size_t byte_offset) const noexcept {
    return reinterpret_cast<const char*>(this) + byte_offset;
  }
  /// Only of types with elements.
  uint64_t length() const noexcept { return *reinterpret_cast<const uint64_t*>(at(kLengthOffset)); }
  char* elements() noexcept { return at(kElementsOffset); }
  const char* elements() const noexcept { return at(kElementsOffset); }

  static constexpr size_t kFieldsOffset = 8, kLengthOffset = 8, kElementsOffset = 16;
};

}  // namespace berth::gc
