// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UnwindRegistry: makes libgcc's unwinder find the frames of linked code.
//
// libgcc walks its lists at every throw and stops at the first one that starts below the pc, so there are few
// lists, with disjoint ranges: per slab a sealed one of the lower addresses and an open one of the higher. A
// list is a table of pointers to units' unwind sections. To change it, a new copy is registered and the old
// one deregistered: before a unit's code can run, after nobody is inside.
//
// Rank: kRankUnwind. Cost: per unit, a copy of the open table (at most kOpenUnits pointers), or of the sealed
// one if its memory lies there; at every seal, of the sealed one; of either per batch removed.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankUnwind{499, "unwind lists"};

/// The unwinder's functions, so that a test can watch them.
struct UnwindSystem {
  void (*register_table)(void* table);  // pointers to sections, then null
  void (*deregister_table)(const void* table);
  static UnwindSystem real() noexcept;
};

class UnwindRegistry {
 public:
  static constexpr size_t kOpenUnits = 512;
  struct Unit {
    const void* slab;     // any identity
    uintptr_t low, high;  // its code
    const void* section;  // null-terminated unwind records; null: none, the unit is ignored
  };

  explicit UnwindRegistry(const UnwindSystem& system = UnwindSystem::real()) : system_(system) {}
  ~UnwindRegistry();  // no frame of the code is left
  UnwindRegistry(const UnwindRegistry&) = delete;
  UnwindRegistry& operator=(const UnwindRegistry&) = delete;

  /// Threads: any. Blocks: short. GC: any, kept. Owns: section borrowed, until it is removed. Errors: none.
  void add(const Unit& unit);
  /// Units that were added; no frame is inside them. False: memory is missing, they are still listed. As
  /// above.
  bool remove(std::span<const Unit> units) noexcept;
  size_t num_lists() const;

 private:
  struct Entry {
    uintptr_t low;
    const void* section;
  };
  struct List {
    std::vector<Entry> entries;            // by address
    std::unique_ptr<const void*[]> table;  // registered: their sections and a null
    uintptr_t high = 0;                    // no code that it ever had lies above
  };
  struct Lists {
    List sealed, open;
    uintptr_t split = 0;  // code below it is the sealed list's
  };
  void replace(List& list);
  void seal(Lists& lists);

  const UnwindSystem system_;
  mutable sync::Mutex mutex_{kRankUnwind};
  std::map<const void*, Lists> slabs_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::jit
