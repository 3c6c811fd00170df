// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Representations: inference types as LLVM types, and the specialised calling convention that follows from
// them.
#pragma once
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <span>

#include "inference/types.hpp"

namespace berth::jit {

/// How one value is held: nothing at all, a number or bool, or a pointer to an object (null: nothing).
struct Shape {
  inference::Representation representation = inference::Representation::None;
  inference::LeafKind kind = inference::LeafKind::Nothing;  // of an unboxed one

  bool is_none() const noexcept { return representation == inference::Representation::None; }
  bool is_unboxed() const noexcept { return representation == inference::Representation::Unboxed; }
  bool is_reference() const noexcept { return representation == inference::Representation::Reference; }
  friend bool operator==(const Shape&, const Shape&) = default;
};
/// Null type: any.
Shape shape_of(const inference::Type* type) noexcept;

/// The type of a number or bool in registers (bool: i1) and in memory (bool: i8).
llvm::Type* register_type(llvm::LLVMContext& context, inference::LeafKind kind);
llvm::Type* memory_type(llvm::LLVMContext& context, inference::LeafKind kind);
/// Of a shape that is not None.
llvm::Type* register_type(llvm::LLVMContext& context, const Shape& shape);

/// i64 bits as in inference::Value: extended by sign or zero, f32 in the low half.
llvm::Value* to_bits(llvm::IRBuilderBase& builder, llvm::Value* value, inference::LeafKind kind);
llvm::Value* from_bits(llvm::IRBuilderBase& builder, llvm::Value* bits, inference::LeafKind kind);
llvm::Value* to_memory(llvm::IRBuilderBase& builder, llvm::Value* value, inference::LeafKind kind);
llvm::Value* from_memory(llvm::IRBuilderBase& builder, llvm::Value* value, inference::LeafKind kind);
llvm::Constant* constant_of(llvm::LLVMContext& context, inference::LeafKind kind, uint64_t bits);

/// Specialised convention of a method with these argument shapes and this result.
struct Convention {
  std::vector<Shape> arguments;
  Shape result;

  Convention(std::span<const inference::Type* const> argument_types, const inference::Type* result_type);
  llvm::FunctionType* function_type(llvm::LLVMContext& context) const;
  uint32_t number() const noexcept;  // never 0
};

}  // namespace berth::jit
