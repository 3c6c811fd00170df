// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// unwind_records: the unwind data of single functions, cut out of a unit's .eh_frame, for perf: it puts each
// function into an ELF file of its own, the records right behind the code.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "jit/observers/loaded_unit.hpp"

namespace berth::jit {

struct UnwindRecords {
  std::string bytes;  // .eh_frame, then .eh_frame_hdr
  size_t header_bytes = 0;
};

/// By the functions' addresses; a function whose records cannot be read has none. Threads: any. Blocks:
/// never.
std::map<uint64_t, UnwindRecords> unwind_records(const LoadedUnit& unit);

}  // namespace berth::jit
