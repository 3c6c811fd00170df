// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic: the statements on numbers as LLVM instructions, for methods and kernels alike.
//
// Two steps, because a trapping instruction may not run before its check: the condition under which the
// statement raises or needs the runtime's judgement, then the value, valid where the condition is false.
#pragma once
#include <llvm/IR/IRBuilder.h>
#include <span>

#include "inference/ir.hpp"

namespace berth::jit {

bool is_arithmetic(inference::Op op) noexcept;
/// Kinds of the operands and of the result.
inference::LeafKind operand_kind(const inference::Statement& statement) noexcept;
inference::LeafKind result_kind(const inference::Statement& statement) noexcept;
/// Whether trap_condition gives one, for any operands.
bool may_trap(const inference::Statement& statement) noexcept;
/// i1, or null: never. Makes no poison of its own.
llvm::Value* trap_condition(llvm::IRBuilderBase& builder, const inference::Statement& statement,
                            std::span<llvm::Value* const> operands);
llvm::Value* arithmetic(llvm::IRBuilderBase& builder, const inference::Statement& statement,
                        std::span<llvm::Value* const> operands);

}  // namespace berth::jit
