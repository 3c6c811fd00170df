// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel split: neutral kernel IR becomes a host function that runs the lanes of one block from one barrier
// to the next.
//
// What a lane needs after a barrier is in its context; ids, sizes and arguments are recomputed. Each barrier
// is a resume point; for each, a copy of the kernel starts there and returns the id of the next barrier it
// reaches. Block barriers continue inside the function, grid barriers return to the scheduler (launch.hpp).
// So barriers in loops and conditionals work.
#pragma once
#include <string>
#include <vector>

#include "support/result.hpp"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace berth::jit {

enum class KernelArgument : uint8_t { Buffer, I32, I64, F32, F64 };

struct KernelDescription {
  std::string entry;
  std::vector<KernelArgument> arguments;
  unsigned block_barriers = 0, grid_barriers = 0;
  uint64_t shared_bytes = 0;  // static
  uint64_t lane_bytes = 0;    // live across barriers
};

/// What a kernel is, after checks that hold for every target: signature, no mutable module state, no
/// recursion or indirect call, only known intrinsics and functions. Inlines what the kernel calls. Errors:
/// INVALID_ARGUMENT, UNSUPPORTED, naming kernel and remedy.
Result<KernelDescription> check_kernel(llvm::Module& module, const std::string& entry);

/// Replaces the kernel by KernelEntry `berth_host_ENTRY` and completes the description. After check_kernel.
Result<std::string> split_for_host(llvm::Module& module, KernelDescription& kernel);

}  // namespace berth::jit
