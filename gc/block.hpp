// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block: 32 KiB of cells of one size class. AllocationBuffers: what a thread allocates from, a range of each
// class.
//
//   state   | refill by a thread   | collection             | sweep
//   Free    | Owned                | Free                   | -
//   Owned   | -                    | Unswept (all threads')  | -
//   Unswept | swept, then Owned    | swept first            | Partial, Free or full (in no list)
//   Partial | Owned                | Unswept                | -
//
// A cell whose first word is 0 is free. Free cells form runs; the second word of a run's first cell holds the
// next run and its length, so that a thread allocates by bumping a pointer through a run.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gc/type.hpp"

namespace berth::gc {

inline constexpr size_t kBlockBytes = 32 * 1024;
inline constexpr size_t kChunkBytes = 1024 * 1024;
inline constexpr size_t kBlockHeaderBytes = 128;
inline constexpr std::array<uint32_t, 29> kCellBytes = {
    16,  32,  48,  64,  80,   96,   112,  128,  160,  192,  224,  256,  320,  384, 448,
    512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2720, 3264, 4080, 5440, 8160};
inline constexpr size_t kLargestCell = kCellBytes.back();
inline constexpr unsigned kNumClasses = kCellBytes.size();

/// Class of an object of `bytes`, at most kLargestCell.
inline unsigned size_class(size_t bytes) noexcept {
  static constexpr auto table = [] {
    std::array<uint8_t, kLargestCell / 16 + 1> classes{};
    unsigned current = 0;
    for (size_t i = 0; i < classes.size(); ++i) {
      while (kCellBytes[current] < i * 16) ++current;
      classes[i] = static_cast<uint8_t>(current);
    }
    return classes;
  }();
  return table[(bytes + 15) / 16];
}

/// A run of free cells: the first one's address in 48 bits, the count above.
struct Run {
  uint64_t word = 0;
  static Run of(char* first, uint64_t count) noexcept {
    return {reinterpret_cast<uint64_t>(first) | count << 48};
  }
  char* first() const noexcept { return reinterpret_cast<char*>(word & 0x0000'ffff'ffff'ffff); }
  uint64_t count() const noexcept { return word >> 48; }
  explicit operator bool() const noexcept { return word != 0; }
};

struct Block {
  Block* next = nullptr;  // in a list of the heap
  Run runs;               // free ones, in the order of addresses
  uint32_t cell_bytes = 0, num_cells = 0;
  uint32_t size_class = 0;
  bool is_free = true;  // in the list of free blocks
  bool is_unswept = false;
  // Set by markers, cleared by the sweep: a block without one is free as a whole, and no cell of it is
  // touched. Relaxed: the mark phase publishes.
  sync::Atomic<bool> has_marked{false};

  char* cells() noexcept { return reinterpret_cast<char*>(this) + kBlockHeaderBytes; }
  Object* cell(uint32_t i) noexcept { return reinterpret_cast<Object*>(cells() + size_t{i} * cell_bytes); }
  static Block* of(const void* pointer) noexcept {
    return reinterpret_cast<Block*>(reinterpret_cast<uintptr_t>(pointer) & ~(kBlockBytes - 1));
  }
  Run take_run() noexcept {
    const Run run = runs;
    runs.word = *reinterpret_cast<uint64_t*>(run.first() + 8);
    return run;
  }
  void put_run(Run run) noexcept {
    *reinterpret_cast<uint64_t*>(run.first() + 8) = runs.word;
    runs = run;
  }
};
static_assert(sizeof(Block) <= kBlockHeaderBytes);

/// In front of a large object.
struct LargeHeader {
  uint64_t bytes;
  uint64_t padding;  // bytes in front of it
  static LargeHeader* of(const Object* object) noexcept {
    return reinterpret_cast<LargeHeader*>(reinterpret_cast<uintptr_t>(object) - sizeof(LargeHeader));
  }
  Object* object() noexcept { return reinterpret_cast<Object*>(this + 1); }
};
static_assert(sizeof(LargeHeader) == 16);

/// A run that a thread took, zeroed: it allocates by advancing `next` by the class's cell.
struct AllocationRange {
  char* next = nullptr;
  char* end = nullptr;  // kept when the run is used up: the block may have more
  Block* block() const noexcept { return end ? Block::of(end - 1) : nullptr; }
};

/// Class of types that cannot be allocated by a bump alone; its range is always empty.
inline constexpr uint8_t kNoBumpClass = kNumClasses;

struct AllocationBuffers {
  std::array<AllocationRange, kNumClasses + 1> classes;
  std::vector<Object*>
      finalizable;  // allocated here, of types with a native finalize; merged at a stop or detach
};

}  // namespace berth::gc
