// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX: neutral kernel IR for NVIDIA's GPUs, as text.
#pragma once
#include <string>

#include "support/result.hpp"

namespace llvm {
class Module;
}

namespace berth::jit {

/// Consumes what the module says. `cpu`: "sm_75" if empty. The kernel gets one argument more where it has a
/// grid barrier or a fault: the address of its launch's state, {u32 arrived, u32 generation, u32 exited, u32
/// unused, u32 faulted, i32 code, u32 block, u32 lane}, zero at the start. Threads: any. Blocks: short. GC:
/// any, kept. Errors: UNSUPPORTED, for a CPU that LLVM does not know.
Result<std::string> emit_ptx(llvm::Module& module, const std::string& cpu);

}  // namespace berth::jit
