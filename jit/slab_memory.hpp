// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SlabMemory: the memory of linked code: slabs of 64 MiB with a text, a read-only and a data part; units are packed, not paged.
//
//   mode    | text, read-only                                 | when
//   Double  | a memfd mapped twice: RX or R, and an RW alias  | default; nothing is ever writable and executable
//   Protect | units begin on pages: RW, then RX or R by seal  | memfd or a second mapping is denied
//
// A range is never given out twice, but for an abandoned one that was the last. Memory goes back when the object is deleted.
// Rank: kRankSlab, a leaf. Cost: one lock per allocation; four mappings per slab (Protect: two more for every sealed unit).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "support/result.hpp"
#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankSlab{500, "code slabs"};

/// The system calls, so that a test can deny them.
struct SlabSystem {
  int (*memfd_create)(const char* name, unsigned flags);
  void* (*mmap)(void* address, size_t length, int protection, int flags, int fd, long offset);
  int (*mprotect)(void* address, size_t length, int protection);
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
  };
  struct Accounts {
    size_t reserved_bytes, live_bytes, abandoned_bytes, slabs;
  };

  explicit SlabMemory(const SlabSystem& system = SlabSystem::real(), size_t slab_bytes = size_t{64} << 20);
  ~SlabMemory();
  SlabMemory(const SlabMemory&) = delete;
  SlabMemory& operator=(const SlabMemory&) = delete;

  /// All parts in one slab, so that 32-bit displacements reach. Threads: any. Blocks: short. GC: any, kept.
  /// Errors: OUT_OF_MEMORY; UNSUPPORTED if the system grants no executable memory.
  Result<Allocation> allocate(const Sizes& sizes);
  /// After the last write and before the first call. As above.
  Result<void> seal(const Allocation& allocation);
  /// A failed link's. As above. Errors: none.
  void abandon(const Allocation& allocation) noexcept;
  Accounts accounts() const;

 private:
  Result<Slab*> slab_for(const Sizes& sizes) BERTH_REQUIRES(mutex_);
  Result<std::unique_ptr<Slab>> make_slab(const Sizes& sizes) BERTH_REQUIRES(mutex_);
  bool map_double(Slab& slab, const std::array<size_t, kKinds>& bytes);
  bool map_protect(Slab& slab, const std::array<size_t, kKinds>& bytes);

  const SlabSystem system_;
  const size_t slab_bytes_;
  mutable sync::Mutex mutex_{kRankSlab};
  std::vector<std::unique_ptr<Slab>> slabs_ BERTH_GUARDED_BY(mutex_);  // the last one is open
  bool denied_double_ BERTH_GUARDED_BY(mutex_) = false;
  size_t live_ BERTH_GUARDED_BY(mutex_) = 0, abandoned_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::jit
