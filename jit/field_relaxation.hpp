// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FieldRelaxation: before vectorisation, accesses of floating-point fields of typed IR's structs become
// plain, so that neighbours are loaded, computed and stored together.
//
// Racing threads still read whole numbers, one access each: the passes up to here, which may read a plain
// location twice or in parts, saw `unordered`; those behind merge accesses, and a vector's aligned elements
// of 8 bytes are each read and written whole by the processor. Integers and references stay as they are: they
// may be an index that was checked, or be followed.
#pragma once
#include <llvm/IR/PassManager.h>

namespace berth::jit {

/// What the lowering's region of a field (its node of type-based alias analysis) begins with, and the root
/// above it.
inline constexpr const char* kFieldRegion = "field ";
inline constexpr const char* kRegionRoot = "berth";

struct FieldRelaxation : llvm::PassInfoMixin<FieldRelaxation> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace berth::jit
