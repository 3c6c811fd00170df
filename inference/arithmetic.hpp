// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic: what each number statement gives, bit by bit. Pure; used by the interpreter and by constant
// folding.
#pragma once
#include <string>

#include "inference/ir.hpp"
#include "inference/value.hpp"

namespace berth::inference {

enum class NumberFault : uint8_t { None, Operand, DivisionByZero, Overflow, Conversion };

/// Operands of `op` if it is a number statement (`Add` to `Bits`), else 0.
unsigned number_operands(Op op) noexcept;

/// `operands` have the kind of the suffix (`Operand` otherwise); `out` is untouched on a fault.
/// Threads: any. Blocks: never. GC: any, kept.
NumberFault number_operation(Op op, LeafKind kind, bool checked, const Value* operands, Value& out) noexcept;
/// Convert, Truncate, Bits. As above.
NumberFault number_conversion(Op op, LeafKind from, LeafKind to, const Value& operand, Value& out) noexcept;

/// The error's text, as at every tier: "division by zero", "cannot convert 1.5 to i64".
std::string fault_text(NumberFault fault, LeafKind kind, LeafKind to, const Value* operands);
const char* fault_kind(NumberFault fault) noexcept;

/// Shortest text that reads back as the same number; "1.0", "nan", "true".
std::string number_text(LeafKind kind, uint64_t bits);
std::string fixed_text(double value, int64_t decimals);

}  // namespace berth::inference
