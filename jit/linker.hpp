// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linker: an object becomes code in a slab, with JITLink. Every callback runs in place; nothing of a link
// outlives it but its memory.
#pragma once
#include <llvm/Support/MemoryBufferRef.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "jit/observers/loaded_unit.hpp"
#include "jit/slab_memory.hpp"
#include "support/result.hpp"

namespace berth::jit {

struct ObjectImage;

struct LinkedObject {
  std::map<std::string, void*, std::less<>> symbols;  // of those asked for
  SlabMemory::Allocation memory;
  const void* unwind_section = nullptr;  // or none
  std::shared_ptr<LoadedUnit> loaded;    // null: not described

  /// Of a symbol that was asked for.
  void* address(const std::string& symbol) const { return symbols.find(symbol)->second; }
};

class Linker {
 public:
  using Lookup = std::function<void*(const std::string& symbol)>;  // null: unknown
  explicit Linker(SlabMemory& memory) : memory_(memory) {}

  /// Threads: any. Blocks: short. GC: any, kept. Owns: object borrowed. Errors: LINK_FAILED naming what is
  /// undefined, INTERNAL if the object lacks a wanted symbol, those of the memory. The message is what was
  /// found, unadorned.
  Result<LinkedObject> link(llvm::MemoryBufferRef object, const std::vector<std::string>& wanted,
                            const Lookup& lookup, bool describe = false);
  /// The object as an image, made for the same symbols. As above.
  Result<LinkedObject> place(const ObjectImage& image, const std::vector<std::string>& wanted,
                             const Lookup& lookup);

 private:
  SlabMemory& memory_;
};

}  // namespace berth::jit
