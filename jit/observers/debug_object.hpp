// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// debug_object: a loaded unit as an ELF file for a debugger: the functions at their addresses under their
// labels, unwind records, and debug information. The text itself is not in it: it is read from the process.
#pragma once
#include <string>

#include "jit/observers/loaded_unit.hpp"

namespace berth::jit {

/// Threads: any. Blocks: never.
std::string debug_object(const LoadedUnit& unit);

}  // namespace berth::jit
