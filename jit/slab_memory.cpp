// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/slab_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/error.hpp"

namespace berth::jit {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kUnwindersNothing = size_t{1} << 32;

size_t page_bytes() noexcept {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
size_t round_up(size_t value, size_t alignment) noexcept { return (value + alignment - 1) / alignment * alignment; }

void* real_mmap(void* address, size_t length, int protection, int flags, int fd, long offset) {
  return ::mmap(address, length, protection, flags, fd, offset);
}
int real_memfd(const char* name, unsigned flags) { return ::memfd_create(name, flags); }
int real_mprotect(void* address, size_t length, int protection) { return ::mprotect(address, length, protection); }

}  // namespace

SlabSystem SlabSystem::real() noexcept { return {&real_memfd, &real_mmap, &real_mprotect}; }

struct SlabMemory::Slab {
  struct Area {
    char* base = nullptr;
    std::ptrdiff_t to_writable = 0;
    size_t bytes = 0, used = 0;
  };
  std::array<Area, kKinds> areas;
  char* base = nullptr;
  size_t bytes = 0;
  char* alias = nullptr;
  size_t alias_bytes = 0;
  bool is_double = false;

  ~Slab() {
    if (base) munmap(base, bytes);
    if (alias) munmap(alias, alias_bytes);
  }
  bool fits(const Sizes& sizes) const noexcept {
    for (size_t kind = 0; kind < kKinds; ++kind) {
      if (sizes[kind].bytes && start_of(kind, sizes[kind]) + sizes[kind].bytes > areas[kind].bytes) return false;
    }
    return true;
  }
  // Without a second mapping a page changes its protection as a whole, so units do not share one.
  size_t start_of(size_t kind, const Size& size) const noexcept {
    const size_t alignment = is_double || kind == kData ? size.alignment : std::max(size.alignment, page_bytes());
    const auto base = reinterpret_cast<size_t>(areas[kind].base);
    const size_t start = round_up(base + areas[kind].used, alignment);
    // libgcc takes unwind records of a function at a multiple of 4 GiB for those of one that the linker removed.
    const size_t boundary = round_up(start, kUnwindersNothing);
    if (kind == kText && boundary - start < size.bytes) return boundary + alignment - base;
    return start - base;
  }
};

SlabMemory::SlabMemory(const SlabSystem& system, size_t slab_bytes) : system_(system), slab_bytes_(round_up(slab_bytes, kHugePage)) {}
SlabMemory::~SlabMemory() = default;

Result<SlabMemory::Allocation> SlabMemory::allocate(const Sizes& sizes) {
  sync::Lock lock(mutex_);
  BERTH_TRY(Slab * slab, slab_for(sizes));
  Allocation allocation;
  allocation.slab = slab;
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (sizes[kind].bytes == 0) continue;
    Slab::Area& area = slab->areas[kind];
    const size_t start = slab->start_of(kind, sizes[kind]);
    Part& part = allocation.parts[kind];
    part = {area.base + start, area.base + start + area.to_writable, sizes[kind].bytes};
    if (!slab->is_double && kind != kData &&
        system_.mprotect(part.address, round_up(part.bytes, page_bytes()), PROT_READ | PROT_WRITE) != 0) {
      return make_error(BERTH_OUT_OF_MEMORY, "allocating code memory", std::strerror(errno), "raise the limit of mappings");
    }
    area.used = start + sizes[kind].bytes;
    live_ += sizes[kind].bytes;
  }
  return allocation;
}

Result<void> SlabMemory::seal(const Allocation& allocation) {
  if (!allocation.slab || allocation.slab->is_double) return success();
  constexpr int kProtection[] = {PROT_READ | PROT_EXEC, PROT_READ};
  for (const size_t kind : {kText, kReadOnly}) {
    const Part& part = allocation.parts[kind];
    if (part.bytes && system_.mprotect(part.address, round_up(part.bytes, page_bytes()), kProtection[kind]) != 0) {
      return make_error(BERTH_UNSUPPORTED, "making code executable", std::strerror(errno),
                        "allow this process memfd_create or mprotect with PROT_EXEC");
    }
  }
  return success();
}

void SlabMemory::abandon(const Allocation& allocation) noexcept {
  if (!allocation.slab) return;
  sync::Lock lock(mutex_);
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const Part& part = allocation.parts[kind];
    if (!part.bytes) continue;
    Slab::Area& area = allocation.slab->areas[kind];
    live_ -= part.bytes;
    const auto start = static_cast<size_t>(part.address - area.base);
    if (start + part.bytes == area.used) {
      area.used = start;
    } else {
      abandoned_ += part.bytes;
    }
  }
}

SlabMemory::Accounts SlabMemory::accounts() const {
  sync::Lock lock(mutex_);
  size_t reserved = 0;
  for (const auto& slab : slabs_) reserved += slab->bytes;
  return {reserved, live_, abandoned_, slabs_.size()};
}

Result<SlabMemory::Slab*> SlabMemory::slab_for(const Sizes& sizes) {
  if (!slabs_.empty() && slabs_.back()->fits(sizes)) return slabs_.back().get();
  BERTH_TRY(auto slab, make_slab(sizes));
  slabs_.push_back(std::move(slab));
  return slabs_.back().get();
}

Result<std::unique_ptr<SlabMemory::Slab>> SlabMemory::make_slab(const Sizes& sizes) {
  // Half text, a quarter each of the others; larger where one unit needs it.
  const auto at_least = [&](size_t share, Kind kind) {
    return round_up(std::max(share, sizes[kind].bytes + sizes[kind].alignment + page_bytes()), page_bytes());
  };
  const std::array<size_t, kKinds> bytes = {at_least(slab_bytes_ / 2, kText), at_least(slab_bytes_ / 4, kReadOnly),
                                            at_least(slab_bytes_ / 4, kData)};
  auto slab = std::make_unique<Slab>();
  if (!denied_double_ && map_double(*slab, bytes)) return slab;
  denied_double_ = true;
  slab = std::make_unique<Slab>();
  if (map_protect(*slab, bytes)) return slab;
  const bool memory = errno == ENOMEM;
  return make_error(memory ? BERTH_OUT_OF_MEMORY : BERTH_UNSUPPORTED, "reserving memory for code", std::strerror(errno),
                    memory ? "raise the limit of address space" : "allow this process memfd_create or mprotect with PROT_EXEC");
}

bool SlabMemory::map_double(Slab& slab, const std::array<size_t, kKinds>& bytes) {
  const int file = system_.memfd_create("berth-code", MFD_CLOEXEC);
  if (file < 0) return false;
  const size_t shared = bytes[kText] + bytes[kReadOnly];
  slab.bytes = shared + bytes[kData];
  slab.is_double = true;
  const auto map_all = [&] {
    if (ftruncate(file, static_cast<off_t>(shared)) != 0) return false;
    void* const base = system_.mmap(nullptr, slab.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return false;
    slab.base = static_cast<char*>(base);
    void* const alias = system_.mmap(nullptr, shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (alias == MAP_FAILED) return false;
    slab.alias = static_cast<char*>(alias);
    slab.alias_bytes = shared;
    const auto place = [&](char* at, size_t length, int protection, int flags, int fd, size_t offset) {
      return system_.mmap(at, length, protection, flags | MAP_FIXED, fd, static_cast<long>(offset)) != MAP_FAILED;
    };
    return place(slab.base, bytes[kText], PROT_READ | PROT_EXEC, MAP_SHARED, file, 0) &&
           place(slab.base + bytes[kText], bytes[kReadOnly], PROT_READ, MAP_SHARED, file, bytes[kText]) &&
           place(slab.base + shared, bytes[kData], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  const bool mapped = map_all();
  const int reason = errno;
  close(file);
  errno = reason;
  if (!mapped) return false;
  const std::ptrdiff_t to_alias = slab.alias - slab.base;
  slab.areas[kText] = {slab.base, to_alias, bytes[kText], 0};
  slab.areas[kReadOnly] = {slab.base + bytes[kText], to_alias, bytes[kReadOnly], 0};
  slab.areas[kData] = {slab.base + shared, 0, bytes[kData], 0};
  return true;
}

bool SlabMemory::map_protect(Slab& slab, const std::array<size_t, kKinds>& bytes) {
  slab.bytes = bytes[kText] + bytes[kReadOnly] + bytes[kData];
  void* const base = system_.mmap(nullptr, slab.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return false;
  slab.base = static_cast<char*>(base);
  slab.areas[kText] = {slab.base, 0, bytes[kText], 0};
  slab.areas[kReadOnly] = {slab.base + bytes[kText], 0, bytes[kReadOnly], 0};
  slab.areas[kData] = {slab.base + bytes[kText] + bytes[kReadOnly], 0, bytes[kData], 0};
  // Asked now: whether executable memory is granted at all.
  if (system_.mprotect(slab.base, page_bytes(), PROT_READ | PROT_EXEC) != 0) return false;
  if (system_.mprotect(slab.base, page_bytes(), PROT_NONE) != 0) return false;
  return system_.mprotect(slab.areas[kData].base, bytes[kData], PROT_READ | PROT_WRITE) == 0;
}

}  // namespace berth::jit
