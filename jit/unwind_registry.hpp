// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UnwindRegistry: makes libgcc's unwinder find the frames of linked code.
//
// libgcc walks its lists at every throw and stops at the first one that starts below the pc, so there are few lists, with disjoint
// ranges: per slab a sealed and an open one. A list is a table of pointers to units' unwind sections. To extend it, a longer copy is
// registered and the old one deregistered, before the unit's code can run.
//
// Rank: kRankUnwind. Cost: per unit, a copy of the open table (at most kOpenUnits pointers); at every seal, of the sealed one.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankUnwind{499, "unwind lists"};

class UnwindRegistry {
 public:
  static constexpr size_t kOpenUnits = 512;

  UnwindRegistry() = default;
  ~UnwindRegistry();  // no frame of the code is left
  UnwindRegistry(const UnwindRegistry&) = delete;
  UnwindRegistry& operator=(const UnwindRegistry&) = delete;

  /// `section`: null-terminated unwind records of code in [low, high) of the slab `slab` (any identity).
  /// Threads: any. Blocks: short. GC: any, kept. Owns: section borrowed, until this is deleted. Errors: none.
  void add(const void* slab, const void* low, const void* high, const void* section);
  size_t num_lists() const;

 private:
  struct List {
    std::vector<const void*> sections;
    std::unique_ptr<const void*[]> table;  // registered: `sections` and a null
    uintptr_t high = 0;                    // end of the code it covers
  };
  struct Lists {
    List sealed, open;
  };
  static void replace(List& list);

  mutable sync::Mutex mutex_{kRankUnwind};
  std::map<const void*, Lists> slabs_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::jit
