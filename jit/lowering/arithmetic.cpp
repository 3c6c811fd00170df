// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/lowering/arithmetic.hpp"

#include <llvm/IR/Intrinsics.h>
#include <cmath>

#include "jit/lowering/representations.hpp"
#include "support/mutant.hpp"

namespace berth::jit {

using inference::is_float;
using inference::is_integer;
using inference::is_signed;
using inference::LeafKind;
using inference::Op;
using inference::Statement;

namespace {

using Builder = llvm::IRBuilderBase;
using Value = llvm::Value;

unsigned width_of(LeafKind kind) { return inference::bytes_of(kind) * 8; }
unsigned mantissa_of(LeafKind kind) { return kind == LeafKind::F32 ? 24 : 53; }

/// `x` truncated toward zero lies in `to`. False for NaN.
Value* truncates_into(Builder& builder, Value* x, LeafKind from, LeafKind to) {
  const bool is_single = from == LeafKind::F32;
  const int bits = static_cast<int>(width_of(to));
  const double high = std::ldexp(1.0, is_signed(to) ? bits - 1 : bits);
  const double low = is_signed(to) ? -high : 0.0;
  // The last float above which truncation is still in range: low - 1 where that is a float, else low itself.
  const double below = is_single ? static_cast<double>(static_cast<float>(low - 1.0)) : low - 1.0;
  llvm::Type* type = x->getType();
  Value* above_low = below < low ? builder.CreateFCmpOGT(x, llvm::ConstantFP::get(type, below))
                                 : builder.CreateFCmpOGE(x, llvm::ConstantFP::get(type, low));
  return builder.CreateAnd(above_low, builder.CreateFCmpOLT(x, llvm::ConstantFP::get(type, high)));
}

Value* float_to_integer(Builder& builder, Value* x, LeafKind to) {
  llvm::Type* type = register_type(builder.getContext(), to);
  return is_signed(to) ? builder.CreateFPToSI(x, type) : builder.CreateFPToUI(x, type);
}

Value* integer_to_float(Builder& builder, Value* x, LeafKind from, LeafKind to) {
  llvm::Type* type = register_type(builder.getContext(), to);
  return is_signed(from) ? builder.CreateSIToFP(x, type) : builder.CreateUIToFP(x, type);
}

Value* convert(Builder& builder, Value* x, LeafKind from, LeafKind to) {
  llvm::Type* type = register_type(builder.getContext(), to);
  if (is_integer(from) && is_integer(to)) return builder.CreateIntCast(x, type, is_signed(from));
  if (is_integer(from)) return integer_to_float(builder, x, from, to);
  if (is_integer(to)) return float_to_integer(builder, x, to);
  return builder.CreateFPCast(x, type);
}

Value* inexact_integer(Builder& builder, Value* x, LeafKind from, LeafKind to) {
  Value* converted = builder.CreateIntCast(x, register_type(builder.getContext(), to), is_signed(from));
  Value* differs = builder.CreateICmpNE(builder.CreateIntCast(converted, x->getType(), is_signed(to)), x);
  if (is_signed(from) == is_signed(to)) return differs;
  // Equal bits of another sign: the one that has a sign must not be negative.
  Value* with_sign = is_signed(from) ? x : converted;
  return builder.CreateOr(differs,
                          builder.CreateICmpSLT(with_sign, llvm::ConstantInt::get(with_sign->getType(), 0)));
}

bool integer_always_fits(LeafKind from, LeafKind to) {
  if (from == to) return true;
  if (is_signed(from) == is_signed(to)) return width_of(from) <= width_of(to);
  return is_signed(to) && width_of(from) < width_of(to);
}

bool float_always_holds(LeafKind from, LeafKind to) {
  return width_of(from) - (is_signed(from) ? 1 : 0) <= mantissa_of(to);
}

Value* inexact(Builder& builder, Value* x, LeafKind from, LeafKind to) {
  if (is_integer(from) && is_integer(to))
    return integer_always_fits(from, to) ? nullptr : inexact_integer(builder, x, from, to);
  if (is_integer(from)) {
    if (float_always_holds(from, to)) return nullptr;
    Value* rounded = integer_to_float(builder, x, from, to);
    Value* outside = builder.CreateNot(truncates_into(builder, rounded, to, from));  // rounded up to 2^n
    return builder.CreateLogicalOr(outside,
                                   builder.CreateICmpNE(float_to_integer(builder, rounded, from), x));
  }
  if (is_integer(to)) {
    Value* outside = builder.CreateNot(truncates_into(builder, x, from, to));
    Value* back = integer_to_float(builder, float_to_integer(builder, x, to), to, from);
    return builder.CreateLogicalOr(outside, builder.CreateFCmpUNE(back, x));
  }
  if (width_of(from) <= width_of(to)) return nullptr;
  Value* back =
      builder.CreateFPCast(builder.CreateFPCast(x, register_type(builder.getContext(), to)), x->getType());
  return builder.CreateFCmpONE(back, x);  // a NaN stays one
}

Value* overflow(Builder& builder, const Statement& statement, std::span<Value* const> x) {
  namespace Id = llvm::Intrinsic;
  const bool with_sign = is_signed(statement.number);
  const Id::ID id = statement.op == Op::Add   ? (with_sign ? Id::sadd_with_overflow : Id::uadd_with_overflow)
                    : statement.op == Op::Sub ? (with_sign ? Id::ssub_with_overflow : Id::usub_with_overflow)
                                              : (with_sign ? Id::smul_with_overflow : Id::umul_with_overflow);
  return builder.CreateExtractValue(builder.CreateBinaryIntrinsic(id, x[0], x[1]), 1);
}

Value* bad_division(Builder& builder, LeafKind kind, Value* a, Value* b) {
  Value* by_zero = builder.CreateICmpEQ(b, llvm::ConstantInt::get(b->getType(), 0));
  if (!is_signed(kind)) return by_zero;
  Value* least = llvm::ConstantInt::get(a->getType(), llvm::APInt::getSignedMinValue(width_of(kind)));
  Value* overflows = builder.CreateAnd(
      builder.CreateICmpEQ(a, least), builder.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(b->getType())));
  return builder.CreateOr(by_zero, overflows);
}

/// Shift by the width or more gives 0, or the sign for an arithmetic shift to the right. A negative amount is
/// a large one.
Value* shift(Builder& builder, const Statement& statement, Value* x, Value* amount) {
  llvm::Type* type = x->getType();
  Value* last = llvm::ConstantInt::get(type, width_of(statement.number) - 1);
  Value* in_range = builder.CreateICmpULE(amount, last);
  Value* bounded = builder.CreateSelect(in_range, amount, last);  // no poison on the path not taken
  if (statement.op == Op::Shr && is_signed(statement.number)) return builder.CreateAShr(x, bounded);
  Value* shifted = statement.op == Op::Shl ? builder.CreateShl(x, bounded) : builder.CreateLShr(x, bounded);
  return builder.CreateSelect(in_range, shifted, llvm::ConstantInt::get(type, 0));
}

Value* integer_arithmetic(Builder& builder, const Statement& statement, std::span<Value* const> x) {
  namespace Id = llvm::Intrinsic;
  const bool with_sign = is_signed(statement.number);
  switch (statement.op) {
    case Op::Add: return builder.CreateAdd(x[0], x[1], "", false, with_sign && mutant::is_on("J86_nsw"));
    case Op::Sub: return builder.CreateSub(x[0], x[1]);
    case Op::Mul: return builder.CreateMul(x[0], x[1]);
    case Op::Div: return with_sign ? builder.CreateSDiv(x[0], x[1]) : builder.CreateUDiv(x[0], x[1]);
    case Op::Rem: return with_sign ? builder.CreateSRem(x[0], x[1]) : builder.CreateURem(x[0], x[1]);
    case Op::And: return builder.CreateAnd(x[0], x[1]);
    case Op::Or: return builder.CreateOr(x[0], x[1]);
    case Op::Xor: return builder.CreateXor(x[0], x[1]);
    case Op::Shl:
    case Op::Shr: return shift(builder, statement, x[0], x[1]);
    case Op::Lt: return with_sign ? builder.CreateICmpSLT(x[0], x[1]) : builder.CreateICmpULT(x[0], x[1]);
    case Op::Le: return with_sign ? builder.CreateICmpSLE(x[0], x[1]) : builder.CreateICmpULE(x[0], x[1]);
    case Op::Eq: return builder.CreateICmpEQ(x[0], x[1]);
    case Op::Neg: return builder.CreateNeg(x[0]);
    case Op::Abs: return with_sign ? builder.CreateBinaryIntrinsic(Id::abs, x[0], builder.getFalse()) : x[0];
    case Op::Min: return builder.CreateBinaryIntrinsic(with_sign ? Id::smin : Id::umin, x[0], x[1]);
    case Op::Max: return builder.CreateBinaryIntrinsic(with_sign ? Id::smax : Id::umax, x[0], x[1]);
    default: return nullptr;
  }
}

Value* float_arithmetic(Builder& builder, const Statement& statement, std::span<Value* const> x) {
  namespace Id = llvm::Intrinsic;
  switch (statement.op) {
    case Op::Add: return builder.CreateFAdd(x[0], x[1]);
    case Op::Sub: return builder.CreateFSub(x[0], x[1]);
    case Op::Mul: return builder.CreateFMul(x[0], x[1]);
    case Op::Div: return builder.CreateFDiv(x[0], x[1]);
    case Op::Lt: return builder.CreateFCmpOLT(x[0], x[1]);
    case Op::Le: return builder.CreateFCmpOLE(x[0], x[1]);
    case Op::Eq: return builder.CreateFCmpOEQ(x[0], x[1]);
    case Op::Neg: return builder.CreateFNeg(x[0]);
    case Op::Abs: return builder.CreateUnaryIntrinsic(Id::fabs, x[0]);
    case Op::Sqrt: return builder.CreateUnaryIntrinsic(Id::sqrt, x[0]);
    case Op::Min: return builder.CreateBinaryIntrinsic(Id::minimum, x[0], x[1]);
    case Op::Max: return builder.CreateBinaryIntrinsic(Id::maximum, x[0], x[1]);
    case Op::Fma: return builder.CreateIntrinsic(Id::fma, {x[0]->getType()}, {x[0], x[1], x[2]});
    default: return nullptr;
  }
}

}  // namespace

bool is_arithmetic(Op op) noexcept { return op <= Op::Not; }

LeafKind operand_kind(const Statement& statement) noexcept {
  return statement.op == Op::Not ? LeafKind::Bool : statement.number;
}

LeafKind result_kind(const Statement& statement) noexcept {
  switch (statement.op) {
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Not: return LeafKind::Bool;
    case Op::Convert:
    case Op::Truncate:
    case Op::Bits: return statement.to;
    default: return statement.number;
  }
}

bool may_trap(const Statement& statement) noexcept {
  switch (statement.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul: return statement.checked && is_integer(statement.number);
    case Op::Div:
    case Op::Rem: return is_integer(statement.number);
    case Op::Convert:
      if (is_integer(statement.number) && is_integer(statement.to))
        return !integer_always_fits(statement.number, statement.to);
      if (is_integer(statement.number)) return !float_always_holds(statement.number, statement.to);
      return is_integer(statement.to) ||
             inference::bytes_of(statement.number) > inference::bytes_of(statement.to);
    case Op::Truncate: return is_float(statement.number) && is_integer(statement.to);
    default: return false;
  }
}

llvm::Value* trap_condition(llvm::IRBuilderBase& builder, const Statement& statement,
                            std::span<llvm::Value* const> operands) {
  if (!may_trap(statement)) return nullptr;
  switch (statement.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul: return overflow(builder, statement, operands);
    case Op::Div:
    case Op::Rem: return bad_division(builder, statement.number, operands[0], operands[1]);
    case Op::Convert: return inexact(builder, operands[0], statement.number, statement.to);
    default: return builder.CreateNot(truncates_into(builder, operands[0], statement.number, statement.to));
  }
}

llvm::Value* arithmetic(llvm::IRBuilderBase& builder, const Statement& statement,
                        std::span<llvm::Value* const> operands) {
  switch (statement.op) {
    case Op::Not: return builder.CreateNot(operands[0]);
    case Op::Convert:
    case Op::Truncate: return convert(builder, operands[0], statement.number, statement.to);
    case Op::Bits:
      return builder.CreateBitCast(operands[0], register_type(builder.getContext(), statement.to));
    default: break;
  }
  return is_float(statement.number) ? float_arithmetic(builder, statement, operands)
                                    : integer_arithmetic(builder, statement, operands);
}

}  // namespace berth::jit
