// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of this process: resident pages, and bytes that malloc has handed out. The latter are exact, so that
// a leak shows early; the former also see what does not come from malloc.
#pragma once
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace berth::stress {

struct Memory {
  uint64_t resident_bytes = 0, heap_bytes = 0;

  static Memory now() {
    Memory memory;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
      unsigned long long size = 0, resident = 0;
      if (std::fscanf(file, "%llu %llu", &size, &resident) == 2) {
        memory.resident_bytes = resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
      }
      std::fclose(file);
    }
    const struct mallinfo2 info = ::mallinfo2();
    memory.heap_bytes = info.uordblks + info.hblkhd;
    return memory;
  }
  /// A sanitizer's allocator counts no bytes, and keeps freed ones.
  bool is_counted() const { return heap_bytes != 0; }
  /// More than a steady state explains: pools, arenas and the allocator's slack may still grow a little, and
  /// by `kept`. False where memory is not counted.
  bool has_grown_since(const Memory& before, uint64_t kept) const {
    if (!is_counted()) return false;
    return heap_bytes > before.heap_bytes + before.heap_bytes / 10 + (uint64_t{2} << 20) + kept ||
           resident_bytes > before.resident_bytes + before.resident_bytes / 4 + (uint64_t{32} << 20);
  }
};

}  // namespace berth::stress
