// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/lowering/representations.hpp"

namespace berth::jit {

using inference::LeafKind;
using inference::Representation;

Shape shape_of(const inference::Type* type) noexcept {
  if (!type) return {Representation::Reference, LeafKind::Nothing};
  Shape shape{inference::representation(*type), LeafKind::Nothing};
  if (shape.is_unboxed()) shape.kind = type->single_leaf()->kind;
  return shape;
}

llvm::Type* register_type(llvm::LLVMContext& context, LeafKind kind) {
  switch (kind) {
    case LeafKind::Bool: return llvm::Type::getInt1Ty(context);
    case LeafKind::F32: return llvm::Type::getFloatTy(context);
    case LeafKind::F64: return llvm::Type::getDoubleTy(context);
    default: return llvm::Type::getIntNTy(context, inference::bytes_of(kind) * 8);
  }
}

llvm::Type* memory_type(llvm::LLVMContext& context, LeafKind kind) {
  return kind == LeafKind::Bool ? llvm::Type::getInt8Ty(context) : register_type(context, kind);
}

llvm::Type* register_type(llvm::LLVMContext& context, const Shape& shape) {
  return shape.is_unboxed() ? register_type(context, shape.kind) : llvm::PointerType::get(context, 0);
}

llvm::Value* to_bits(llvm::IRBuilderBase& builder, llvm::Value* value, LeafKind kind) {
  if (kind == LeafKind::F64) return builder.CreateBitCast(value, builder.getInt64Ty());
  if (kind == LeafKind::F32) value = builder.CreateBitCast(value, builder.getInt32Ty());
  return inference::is_signed(kind) ? builder.CreateSExt(value, builder.getInt64Ty())
                                    : builder.CreateZExt(value, builder.getInt64Ty());
}

llvm::Value* from_bits(llvm::IRBuilderBase& builder, llvm::Value* bits, LeafKind kind) {
  if (kind == LeafKind::F64) return builder.CreateBitCast(bits, builder.getDoubleTy());
  if (kind == LeafKind::F32)
    return builder.CreateBitCast(builder.CreateTrunc(bits, builder.getInt32Ty()), builder.getFloatTy());
  if (kind == LeafKind::Bool) return builder.CreateICmpNE(bits, builder.getInt64(0));
  return builder.CreateTrunc(bits, register_type(builder.getContext(), kind));
}

llvm::Value* to_memory(llvm::IRBuilderBase& builder, llvm::Value* value, LeafKind kind) {
  return kind == LeafKind::Bool ? builder.CreateZExt(value, builder.getInt8Ty()) : value;
}

llvm::Value* from_memory(llvm::IRBuilderBase& builder, llvm::Value* value, LeafKind kind) {
  return kind == LeafKind::Bool ? builder.CreateICmpNE(value, builder.getInt8(0)) : value;
}

llvm::Constant* constant_of(llvm::LLVMContext& context, LeafKind kind, uint64_t bits) {
  llvm::Type* type = register_type(context, kind);
  if (kind == LeafKind::F64)
    return llvm::ConstantFP::get(context, llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
  if (kind == LeafKind::F32)
    return llvm::ConstantFP::get(
        context, llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits & 0xffff'ffffu)));
  const unsigned width = type->getIntegerBitWidth();
  return llvm::ConstantInt::get(type, llvm::APInt(64, bits).trunc(width));
}

Convention::Convention(std::span<const inference::Type* const> argument_types,
                       const inference::Type* result_type)
    : result(shape_of(result_type)) {
  for (const inference::Type* type : argument_types) arguments.push_back(shape_of(type));
}

llvm::FunctionType* Convention::function_type(llvm::LLVMContext& context) const {
  std::vector<llvm::Type*> parameters{llvm::PointerType::get(context, 0)};
  for (const Shape& shape : arguments)
    if (!shape.is_none()) parameters.push_back(register_type(context, shape));
  llvm::Type* flag = llvm::Type::getInt8Ty(context);
  llvm::Type* returned =
      result.is_none() ? flag : llvm::StructType::get(register_type(context, result), flag);
  return llvm::FunctionType::get(returned, parameters, false);
}

uint32_t Convention::number() const noexcept {
  uint32_t hash = 2166136261u;  // FNV-1a
  auto add = [&](const Shape& shape) {
    hash = (hash ^ (static_cast<uint32_t>(shape.representation) * 64 + static_cast<uint32_t>(shape.kind))) *
           16777619u;
  };
  for (const Shape& shape : arguments) add(shape);
  hash = (hash ^ 0xffu) * 16777619u;
  add(result);
  return hash ? hash : 1;
}

}  // namespace berth::jit
