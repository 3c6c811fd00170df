// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SlabMemory: the memory of linked code: slabs of 64 MiB with a text, a read-only and a data part; units are
// packed, not paged.
//
//   mode    | text, read-only                                 | when
//   Double  | a memfd mapped twice: RX or R, and an RW alias  | default; nothing is ever both W and X
//   Protect | units begin on pages: RW, then RX or R by seal  | memfd or a second mapping is denied
//
//   range | allocate | retire | abandon | free
//   Free  | Live     | -      | -       | -
//   Live  | -        | Limbo  | Free    | Free
//   Limbo | -        | -      | -       | Free; Limbo still if its slab saw a fork: that only goes whole
//
// Each part of a slab has its free ranges by size and by address: the smallest that fits is taken, neighbours
// join again. A forked child shares the pages, so what it may run is never written again. An empty slab goes,
// but for the last one. Rank: kRankSlab, a leaf. Cost: one lock and O(log ranges) per allocation and free;
// four mappings per slab (Protect: two more for every sealed unit); a membarrier for each batch freed and
// each unit sealed where code had been.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "support/result.hpp"
#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankSlab{500, "code slabs"};

/// The system calls, so that a test can deny, place and count them.
struct SlabSystem {
  int (*memfd_create)(const char* name, unsigned flags);
  void* (*mmap)(void* address, size_t length, int protection, int flags, int fd, long offset);
  int (*mprotect)(void* address, size_t length, int protection);
  int (*membarrier)(int command);
  static SlabSystem real() noexcept;
};

class SlabMemory {
 public:
  enum Kind : size_t { kText, kReadOnly, kData, kKinds };
  struct Size {
    size_t bytes = 0, alignment = 1;
  };
  using Sizes = std::array<Size, kKinds>;
  struct Part {
    char* address = nullptr;   // where it runs or is read
    char* writable = nullptr;  // where it is written; the same for data
    size_t bytes = 0;
  };
  struct Slab;
  struct Allocation {
    std::array<Part, kKinds> parts;
    Slab* slab = nullptr;
    bool held_code = false;  // its text, before
  };
  /// reserved = live + limbo + free, each counted on its own.
  struct Accounts {
    size_t reserved_bytes, live_bytes, limbo_bytes, free_bytes, slabs;
  };

  /// `limit_bytes` of live and limbo ranges; 0: none.
  explicit SlabMemory(const SlabSystem& system = SlabSystem::real(), size_t slab_bytes = size_t{64} << 20,
                      size_t limit_bytes = 0);
  ~SlabMemory();
  SlabMemory(const SlabMemory&) = delete;
  SlabMemory& operator=(const SlabMemory&) = delete;

  /// All parts in one slab, so that 32-bit displacements reach. Threads: any. Blocks: short. GC: any, kept.
  /// Errors: OUT_OF_MEMORY; RESOURCE_EXHAUSTED at the limit; UNSUPPORTED if the system grants no executable
  /// memory.
  Result<Allocation> allocate(const Sizes& sizes);
  /// After the last write and before the first call: from then on no processor runs what was there before. As
  /// above.
  Result<void> seal(const Allocation& allocation);
  /// A failed link's, which nobody has run. As above. Errors: none.
  void abandon(const Allocation& allocation) noexcept;
  /// Nobody new can enter it. As above.
  void retire(const Allocation& allocation) noexcept;
  /// Nobody is inside, no unwind list names it. As above.
  void free(std::span<const Allocation> allocations) noexcept;
  Accounts accounts() const;

 private:
  Result<Slab*> slab_for(const Sizes& sizes) BERTH_REQUIRES(mutex_);
  Result<std::unique_ptr<Slab>> make_slab(const Sizes& sizes) BERTH_REQUIRES(mutex_);
  void give_back(const Allocation& allocation, size_t& account, bool reusable) noexcept
      BERTH_REQUIRES(mutex_);
  bool map_double(Slab& slab, const std::array<size_t, kKinds>& bytes);
  bool map_protect(Slab& slab, const std::array<size_t, kKinds>& bytes);
  bool sync_cores() const noexcept;

  const SlabSystem system_;
  const size_t slab_bytes_, limit_bytes_;
  mutable sync::Mutex mutex_{kRankSlab};
  std::vector<std::unique_ptr<Slab>> slabs_ BERTH_GUARDED_BY(mutex_);
  bool denied_double_ BERTH_GUARDED_BY(mutex_) = false;
  size_t live_ BERTH_GUARDED_BY(mutex_) = 0, limbo_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::jit
