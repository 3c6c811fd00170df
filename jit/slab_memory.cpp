// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/slab_memory.hpp"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>

#include "support/error.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kGranule = 16;
// libgcc takes unwind records of a function at a multiple of this for those of one that the linker removed.
constexpr size_t kUnwindersNothing = size_t{1} << 32;

size_t page_bytes() noexcept {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
size_t round_up(size_t value, size_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

void* real_mmap(void* address, size_t length, int protection, int flags, int fd, long offset) {
  return ::mmap(address, length, protection, flags, fd, offset);
}
int real_memfd(const char* name, unsigned flags) { return ::memfd_create(name, flags); }
int real_mprotect(void* address, size_t length, int protection) {
  return ::mprotect(address, length, protection);
}
int real_membarrier(int command) { return static_cast<int>(::syscall(SYS_membarrier, command, 0, 0)); }

// Forks of this process, each counted before it and after it: a slab made in between is there at the fork,
// too. Written by the thread that forks, read under the slabs' lock; a child that is made while a range goes
// back could not enter that range: relaxed.
std::atomic<uint64_t> forks_begun_or_done{0};
uint64_t num_forks() noexcept {
  static const int once = [] {
    const auto count = [] { forks_begun_or_done.fetch_add(1, std::memory_order_relaxed); };
    return pthread_atfork(count, count, nullptr);
  }();
  static_cast<void>(once);
  return forks_begun_or_done.load(std::memory_order_relaxed);
}

/// Free ranges of one part.
class FreeRanges {
 public:
  explicit FreeRanges(size_t bytes = 0) {
    if (bytes) add(0, bytes);
  }
  /// The smallest range that has room for `bytes` at an aligned address, with no multiple of `avoided` in it;
  /// SIZE_MAX: none. `base`: address of offset 0.
  size_t find(size_t base, size_t bytes, size_t alignment, size_t avoided) const noexcept {
    for (auto range = by_size_.lower_bound({bytes, 0}); range != by_size_.end(); ++range) {
      const size_t address = round_up(base + range->second, alignment);
      const size_t boundary = round_up(address, avoided);
      const size_t start = (boundary - address < bytes ? boundary + alignment : address) - base;
      if (start + bytes <= range->second + range->first) return start;
    }
    return SIZE_MAX;
  }
  /// `start` as found.
  void take(size_t start, size_t bytes) {
    const auto range = std::prev(by_start_.upper_bound(start));
    const auto [low, size] = *range;
    if (start + bytes < low + size) add(start + bytes, low + size - start - bytes);  // first: it may fail
    if (low < start) {
      change(range, low, start - low);
    } else {
      remove(range);
    }
  }
  void give(size_t start, size_t bytes) {
    auto next = by_start_.lower_bound(start);
    const auto previous = next == by_start_.begin() ? by_start_.end() : std::prev(next);
    const bool joins_previous = previous != by_start_.end() && previous->first + previous->second == start;
    const bool joins_next = next != by_start_.end() && next->first == start + bytes;
    if (joins_previous) {
      const size_t more = joins_next ? next->second : 0;
      if (joins_next) remove(next);
      change(previous, previous->first, previous->second + bytes + more);
    } else if (joins_next) {
      change(next, start, next->second + bytes);
    } else {
      add(start, bytes);
    }
  }
  size_t bytes() const noexcept { return bytes_; }

 private:
  void add(size_t start, size_t bytes) {
    by_start_.emplace(start, bytes);
    try {
      by_size_.emplace(bytes, start);
    } catch (...) {
      by_start_.erase(start);
      throw;
    }
    bytes_ += bytes;
  }
  using Range = std::map<size_t, size_t>::iterator;
  void remove(Range range) noexcept {
    by_size_.erase({range->second, range->first});
    bytes_ -= range->second;
    by_start_.erase(range);
  }
  /// Takes no memory.
  void change(Range range, size_t start, size_t bytes) noexcept {
    auto size_node = by_size_.extract({range->second, range->first});
    bytes_ += bytes - range->second;
    size_node.value() = {bytes, start};
    by_size_.insert(std::move(size_node));
    auto node = by_start_.extract(range);
    node.key() = start;
    node.mapped() = bytes;
    by_start_.insert(std::move(node));
  }

  std::map<size_t, size_t> by_start_;            // offset, bytes
  std::set<std::pair<size_t, size_t>> by_size_;  // bytes, offset
  size_t bytes_ = 0;
};

}  // namespace

SlabSystem SlabSystem::real() noexcept { return {&real_memfd, &real_mmap, &real_mprotect, &real_membarrier}; }

struct SlabMemory::Slab {
  struct Area {
    char* base = nullptr;
    std::ptrdiff_t to_writable = 0;
    size_t bytes = 0;
    FreeRanges free;
    size_t code_end = 0;  // offset: above it nothing has been sealed
  };
  std::array<Area, kKinds> areas;
  char* base = nullptr;
  size_t bytes = 0;
  char* alias = nullptr;
  size_t alias_bytes = 0;
  bool is_double = false;
  const uint64_t forks = num_forks();  // when it was made
  size_t taken = 0;                    // bytes that are live, or in limbo and not kept for a forked child

  ~Slab() {
    if (base) munmap(base, bytes);
    if (alias) munmap(alias, alias_bytes);
  }
  // Without a second mapping a page changes its protection as a whole, so units do not share one.
  size_t granule(size_t kind) const noexcept { return is_double || kind == kData ? kGranule : page_bytes(); }
  size_t occupied(size_t kind, size_t size) const noexcept { return round_up(size, granule(kind)); }
  /// Offset for a part of that size; SIZE_MAX: no room.
  size_t find(size_t kind, const Size& size) const noexcept {
    // Data may lie anywhere; user space has no such multiple.
    const size_t avoided = kind == kText ? kUnwindersNothing : size_t{1} << 62;
    return areas[kind].free.find(reinterpret_cast<size_t>(areas[kind].base), occupied(kind, size.bytes),
                                 std::max(size.alignment, granule(kind)), avoided);
  }
  bool fits(const Sizes& sizes) const noexcept {
    for (size_t kind = 0; kind < kKinds; ++kind) {
      if (sizes[kind].bytes && find(kind, sizes[kind]) == SIZE_MAX) return false;
    }
    return true;
  }
};

SlabMemory::SlabMemory(const SlabSystem& system, size_t slab_bytes, size_t limit_bytes)
    : system_(system), slab_bytes_(round_up(slab_bytes, kHugePage)), limit_bytes_(limit_bytes) {
  num_forks();
  static_cast<void>(system_.membarrier(
      MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE));  // refused: tried again when it is needed
}
SlabMemory::~SlabMemory() = default;

// Every thread of this process runs a serialising instruction before it goes on.
bool SlabMemory::sync_cores() const noexcept {
  if (mutant::is_on("J51_no_membarrier")) return true;
  if (system_.membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) == 0) return true;
  if (errno != EPERM || system_.membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE) != 0)
    return false;
  return system_.membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) == 0;
}

Result<SlabMemory::Allocation> SlabMemory::allocate(const Sizes& sizes) {
  sync::Lock lock(mutex_);
  size_t wanted = 0;
  for (const Size& size : sizes) wanted += size.bytes;
  if (limit_bytes_ != 0 && live_ + limbo_ + wanted > limit_bytes_) {
    return make_error(BERTH_RESOURCE_EXHAUSTED, "allocating code memory",
                      "the engine's limit of code is reached",
                      "let go of instances, or raise berth_config_set_code_limit");
  }
  BERTH_TRY(Slab * slab, slab_for(sizes));
  Allocation allocation;
  allocation.slab = slab;
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (sizes[kind].bytes == 0) continue;
    Slab::Area& area = slab->areas[kind];
    const size_t start = slab->find(kind, sizes[kind]), bytes = slab->occupied(kind, sizes[kind].bytes);
    Part& part = allocation.parts[kind];
    if (!slab->is_double && kind != kData &&
        system_.mprotect(area.base + start, bytes, PROT_READ | PROT_WRITE) != 0) {
      const int reason = errno;
      give_back(allocation, live_, true);
      return make_error(BERTH_OUT_OF_MEMORY, "allocating code memory", std::strerror(reason),
                        "raise the limit of mappings");
    }
    try {
      area.free.take(start, bytes);
    } catch (...) {
      give_back(allocation, live_, true);
      throw;
    }
    part = {area.base + start, area.base + start + area.to_writable, sizes[kind].bytes};
    if (kind == kText) allocation.held_code = start < area.code_end;
    slab->taken += bytes;
    live_ += bytes;
  }
  return allocation;
}

Result<void> SlabMemory::seal(const Allocation& allocation) {
  if (!allocation.slab) return success();
  Slab& slab = *allocation.slab;
  constexpr int kProtection[] = {PROT_READ | PROT_EXEC, PROT_READ};
  for (const size_t kind : {kText, kReadOnly}) {
    const Part& part = allocation.parts[kind];
    if (slab.is_double || !part.bytes) continue;
    if (system_.mprotect(part.address, slab.occupied(kind, part.bytes), kProtection[kind]) != 0) {
      return make_error(BERTH_UNSUPPORTED, "making code executable", std::strerror(errno),
                        "allow this process memfd_create or mprotect with PROT_EXEC");
    }
  }
#if defined(__x86_64__)
  const bool may_be_stale = allocation.held_code;  // what was never code is in no processor
#else
  const bool may_be_stale = true;
  const Part& text = allocation.parts[kText];
  __builtin___clear_cache(text.address, text.address + text.bytes);
#endif
  if (may_be_stale && !sync_cores()) {
    return make_error(BERTH_UNSUPPORTED, "making code executable", std::strerror(errno),
                      "allow this process the system call membarrier");
  }
  sync::Lock lock(mutex_);
  if (const Part& part = allocation.parts[kText]; part.bytes) {
    Slab::Area& area = slab.areas[kText];
    area.code_end = std::max(
        area.code_end, static_cast<size_t>(part.address - area.base) + slab.occupied(kText, part.bytes));
  }
  return success();
}

// Of `account`. Without memory for the list of free ranges a range stays in limbo.
void SlabMemory::give_back(const Allocation& allocation, size_t& account, bool reusable) noexcept {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const Part& part = allocation.parts[kind];
    if (!part.bytes) continue;
    Slab::Area& area = allocation.slab->areas[kind];
    const size_t bytes = allocation.slab->occupied(kind, part.bytes);
    account -= bytes;
    allocation.slab->taken -= bytes;
    try {
      if (reusable || kind == kData) {
        area.free.give(static_cast<size_t>(part.address - area.base), bytes);
        continue;
      }
    } catch (const std::bad_alloc&) {}
    limbo_ += bytes;
  }
}

void SlabMemory::abandon(const Allocation& allocation) noexcept {
  if (!allocation.slab) return;
  sync::Lock lock(mutex_);
  give_back(allocation, live_, true);
}

void SlabMemory::retire(const Allocation& allocation) noexcept {
  if (!allocation.slab) return;
  sync::Lock lock(mutex_);
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const size_t bytes = allocation.slab->occupied(kind, allocation.parts[kind].bytes);
    live_ -= bytes;
    limbo_ += bytes;
  }
}

void SlabMemory::free(std::span<const Allocation> allocations) noexcept {
  if (allocations.empty()) return;
  sync::Lock lock(mutex_);
  const uint64_t forks = num_forks();
  const auto is_reusable = [&](const Allocation& allocation) {
    return allocation.slab->forks == forks || mutant::is_on("J24_reuse_after_fork");
  };
  for (const Allocation& allocation : allocations) {
    const Part& text = allocation.parts[kText];
    if (!kDebugChecks || !text.bytes || !is_reusable(allocation)) continue;
    if (allocation.slab->is_double) {
      std::memset(text.writable, 0xcc,
                  text.bytes);  // a trap, on x86-64 and as an undefined instruction elsewhere
    } else {
      static_cast<void>(
          system_.mprotect(text.address, allocation.slab->occupied(kText, text.bytes), PROT_NONE));
    }
  }
  const bool synced = sync_cores();
  for (const Allocation& allocation : allocations)
    give_back(allocation, limbo_, synced && is_reusable(allocation));
  // A slab with nothing in it goes, and with it what was kept for a forked child, which has mappings of its
  // own.
  std::erase_if(slabs_, [&](const std::unique_ptr<Slab>& slab) BERTH_NO_ANALYSIS {
    if (slab->taken != 0 || (slab->forks == forks && slabs_.size() == 1)) return false;
    for (const Slab::Area& area : slab->areas) limbo_ -= area.bytes - area.free.bytes();
    return true;
  });
}

SlabMemory::Accounts SlabMemory::accounts() const {
  sync::Lock lock(mutex_);
  size_t reserved = 0, free = 0;
  for (const auto& slab : slabs_) {
    reserved += slab->bytes;
    for (const Slab::Area& area : slab->areas) free += area.free.bytes();
  }
  return {reserved, live_, limbo_, free, slabs_.size()};
}

// Older slabs first: what is used little empties.
Result<SlabMemory::Slab*> SlabMemory::slab_for(const Sizes& sizes) {
  for (const auto& slab : slabs_) {
    if (slab->fits(sizes)) return slab.get();
  }
  BERTH_TRY(auto slab, make_slab(sizes));
  slabs_.push_back(std::move(slab));
  return slabs_.back().get();
}

Result<std::unique_ptr<SlabMemory::Slab>> SlabMemory::make_slab(const Sizes& sizes) {
  // Half text, a quarter each of the others; larger where one unit needs it.
  const auto at_least = [&](size_t share, Kind kind) {
    return round_up(std::max(share, sizes[kind].bytes + sizes[kind].alignment + page_bytes()), page_bytes());
  };
  const std::array<size_t, kKinds> bytes = {at_least(slab_bytes_ / 2, kText),
                                            at_least(slab_bytes_ / 4, kReadOnly),
                                            at_least(slab_bytes_ / 4, kData)};
  auto slab = std::make_unique<Slab>();
  if (!denied_double_ && map_double(*slab, bytes)) return slab;
  denied_double_ = true;
  slab = std::make_unique<Slab>();
  if (map_protect(*slab, bytes)) return slab;
  const bool memory = errno == ENOMEM;
  return make_error(memory ? BERTH_OUT_OF_MEMORY : BERTH_UNSUPPORTED, "reserving memory for code",
                    std::strerror(errno),
                    memory ? "raise the limit of address space"
                           : "allow this process memfd_create or mprotect with PROT_EXEC");
}

bool SlabMemory::map_double(Slab& slab, const std::array<size_t, kKinds>& bytes) {
  const int file = system_.memfd_create("berth-code", MFD_CLOEXEC);
  if (file < 0) return false;
  const size_t shared = bytes[kText] + bytes[kReadOnly];
  slab.bytes = shared + bytes[kData];
  slab.is_double = true;
  const auto map_all = [&] {
    if (ftruncate(file, static_cast<off_t>(shared)) != 0) return false;
    void* const base =
        system_.mmap(nullptr, slab.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return false;
    slab.base = static_cast<char*>(base);
    void* const alias = system_.mmap(nullptr, shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (alias == MAP_FAILED) return false;
    slab.alias = static_cast<char*>(alias);
    slab.alias_bytes = shared;
    const auto place = [&](char* at, size_t length, int protection, int flags, int fd, size_t offset) {
      return system_.mmap(at, length, protection, flags | MAP_FIXED, fd, static_cast<long>(offset)) !=
             MAP_FAILED;
    };
    return place(slab.base, bytes[kText], PROT_READ | PROT_EXEC, MAP_SHARED, file, 0) &&
           place(slab.base + bytes[kText], bytes[kReadOnly], PROT_READ, MAP_SHARED, file, bytes[kText]) &&
           place(slab.base + shared, bytes[kData], PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  const bool mapped = map_all();
  const int reason = errno;
  close(file);
  errno = reason;
  if (!mapped) return false;
  const std::ptrdiff_t to_alias = slab.alias - slab.base;
  slab.areas[kText] = {slab.base, to_alias, bytes[kText], FreeRanges(bytes[kText]), 0};
  slab.areas[kReadOnly] = {slab.base + bytes[kText], to_alias, bytes[kReadOnly], FreeRanges(bytes[kReadOnly]),
                           0};
  slab.areas[kData] = {slab.base + shared, 0, bytes[kData], FreeRanges(bytes[kData]), 0};
  return true;
}

bool SlabMemory::map_protect(Slab& slab, const std::array<size_t, kKinds>& bytes) {
  slab.bytes = bytes[kText] + bytes[kReadOnly] + bytes[kData];
  void* const base =
      system_.mmap(nullptr, slab.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return false;
  slab.base = static_cast<char*>(base);
  slab.areas[kText] = {slab.base, 0, bytes[kText], FreeRanges(bytes[kText]), 0};
  slab.areas[kReadOnly] = {slab.base + bytes[kText], 0, bytes[kReadOnly], FreeRanges(bytes[kReadOnly]), 0};
  slab.areas[kData] = {slab.base + bytes[kText] + bytes[kReadOnly], 0, bytes[kData], FreeRanges(bytes[kData]),
                       0};
  // Asked now: whether executable memory is granted at all.
  if (system_.mprotect(slab.base, page_bytes(), PROT_READ | PROT_EXEC) != 0) return false;
  if (system_.mprotect(slab.base, page_bytes(), PROT_NONE) != 0) return false;
  return system_.mprotect(slab.areas[kData].base, bytes[kData], PROT_READ | PROT_WRITE) == 0;
}

}  // namespace berth::jit
