// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Typed lowering: typed IR becomes an LLVM module; kernels become neutral kernel IR. What the host and device
// back ends see of jit/lowering.
//
// A lowered method has two functions. Boxed (external): inference::BoxedEntry. Specialised (external,
// fastcc): the thread, then each argument by its representation (None is not passed); returns the error flag
// (i8), or {T, i8} if the result is not None. The error is thread->pending_error. Calls of other methods go
// through call slots: internal globals, a `ptr` each, null until the first call has found the callee's code,
// loaded acquire and stored release; nobody else need touch them.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "berth/config.h"
#include "support/result.hpp"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace berth::engine {
struct Edge;
}

namespace berth::inference {
class Program;
struct Method;
struct Specialisation;
struct Type;
struct TypedMethod;
}  // namespace berth::inference

namespace berth::jit {

struct LoweredNames {
  std::string boxed_entry;        // Code::entry
  std::string specialised_entry;  // Code::specialised_entry
  uint32_t convention = 0;        // Code::convention: hash of argument and result representations, never 0
  struct CallSlot {
    std::string symbol;
    const inference::Specialisation* callee;
  };
  std::vector<CallSlot> call_slots;
  // The module has no address of this process in it: it loads them from this array of `ptr` (external), which
  // is filled with `addresses` after linking. Empty: it needs none.
  std::string addresses_symbol;
  std::vector<const void*> addresses;
  // Adaptive FAST: calls TierCounter::kOsrPoint at `num_osr` points. Adaptive OPTIMIZED: `osr_symbol` is an
  // array of as many functions. Each takes the thread and, by their representations, the values that are live
  // at its point; it gives what the specialised entry gives.
  std::string osr_symbol;
  size_t num_osr = 0;
  // Owns what of that the code refers to alone: statements, positions, the frame kind, call sites. Must live
  // as long as the code can run: keep it with the code's own record (Code::backend) and drop it when the code
  // is freed.
  std::shared_ptr<void> record;
};

/// Lowers an inferred method. `edges`: the instances that it calls, as its source has them; optimised code
/// takes in some levels of a recursion through them. `adaptive`: FAST code is left for OPTIMIZED code in the
/// middle of its loops. The module is unoptimised, verified by the caller, and has no triple and no layout.
/// Threads: any. Blocks: short (interning, layouts). GC: any, kept. Owns: all borrowed; the module returned.
/// Errors: UNSUPPORTED.
Result<std::unique_ptr<llvm::Module>> lower_typed(llvm::LLVMContext& context,
                                                  const inference::TypedMethod& method,
                                                  std::span<const engine::Edge> edges,
                                                  inference::Program& program, berth_tier_t tier,
                                                  bool adaptive, LoweredNames& names);

struct RuntimeSymbol {
  const char* name;
  void* address;
};
/// The extern "C" functions berth_rt_* that lowered code calls. Threads: any. Blocks: never.
std::span<const RuntimeSymbol> runtime_symbols();

/// Neutral kernel IR (contract page "devices", 3.1): one `define void @NAME`, NAME the kernel's; a buffer is
/// `ptr addrspace(1)` and, right after it, its length in elements as i64; i64 u64 are i64, smaller integers
/// and bool i32, f32 float, f64 double. Intrinsics are external declarations berth_lane_id, berth_lane_count,
/// berth_block_id, berth_block_count (i32(i32)), berth_block_barrier, berth_grid_barrier (void()),
/// berth_fault (void(i32)). Shared memory: internal addrspace(3) globals. `checked`: an access out of bounds
/// is a fault, reads 0, writes nothing. Threads: any attached (infers). Blocks: may wait, for reservations.
/// Errors: TYPE_ERROR, UNSUPPORTED, those of inference.
Result<std::unique_ptr<llvm::Module>> lower_kernel(llvm::LLVMContext& context, inference::Program& program,
                                                   const inference::Method& kernel,
                                                   std::span<const inference::Type* const> arguments,
                                                   bool checked = true);

/// Codes of berth_fault that lowered kernels use; those of the `fault` statement are the program's, 0 and up.
enum FaultCode : int32_t {
  kFaultBounds = -1,
  kFaultDivision = -2,
  kFaultOverflow = -3,
  kFaultConversion = -4
};

}  // namespace berth::jit
