// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PreCheck: what LLVM would answer by ending the process, or by wrong code, is refused before, from closed
// lists.
//
// Cost: linear in instructions; each type is looked at once.
#pragma once
#include <string_view>

#include "support/result.hpp"

namespace llvm {
class Module;
}

namespace berth::jit {

struct HostTarget;

inline constexpr unsigned kWidestInteger = 1024;
inline constexpr unsigned kDeepestNesting = 256;

/// Text that nests deeper would overflow the stack of the reader. Errors: COMPILE_FAILED with line and
/// column.
Result<void> check_text(std::string_view text);
/// `typed`: lowered by us, so its entry may have any convention. Threads: any. Blocks: never.
/// Errors: COMPILE_FAILED, UNSUPPORTED, with function, instruction and reason, unadorned.
Result<void> check_module(const llvm::Module& module, std::string_view entry, const HostTarget& host,
                          bool typed);

}  // namespace berth::jit
