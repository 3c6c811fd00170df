// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/arithmetic.hpp"

#include <fmt/format.h>

#include "inference/number_rules.hpp"

namespace berth::inference {
namespace {

using namespace number_rules;

NumberFault bool_operation(Op op, const Value* operands, Value& out) noexcept {
  const uint64_t a = operands[0].bits, b = number_operands(op) > 1 ? operands[1].bits : 0;
  switch (op) {
    case Op::And: out = Value::boolean((a & b) != 0); return NumberFault::None;
    case Op::Or: out = Value::boolean((a | b) != 0); return NumberFault::None;
    case Op::Xor: out = Value::boolean((a ^ b) != 0); return NumberFault::None;
    case Op::Eq: out = Value::boolean(a == b); return NumberFault::None;
    case Op::Lt: out = Value::boolean(a < b); return NumberFault::None;
    case Op::Le: out = Value::boolean(a <= b); return NumberFault::None;
    default: return NumberFault::Operand;
  }
}

unsigned width_of(LeafKind kind) noexcept {
  switch (kind) {
    case LeafKind::Bool: return 1;
    case LeafKind::I8:
    case LeafKind::U8: return 8;
    case LeafKind::I16:
    case LeafKind::U16: return 16;
    case LeafKind::I32:
    case LeafKind::U32:
    case LeafKind::F32: return 32;
    default: return 64;
  }
}

uint64_t extended(LeafKind kind, uint64_t bits) noexcept {
  switch (kind) {
    case LeafKind::Bool: return bits & 1;
    case LeafKind::I8: return bits_of(static_cast<int8_t>(bits));
    case LeafKind::I16: return bits_of(static_cast<int16_t>(bits));
    case LeafKind::I32: return bits_of(static_cast<int32_t>(bits));
    case LeafKind::U8: return bits & 0xff;
    case LeafKind::U16: return bits & 0xffff;
    case LeafKind::U32:
    case LeafKind::F32: return bits & 0xffff'ffff;
    default: return bits;
  }
}

double float_of(LeafKind kind, const Value& value) noexcept {
  return kind == LeafKind::F32 ? static_cast<double>(get<float>(value)) : get<double>(value);
}

// Toward zero; false: not in the range of `to`.
bool float_to_integer(double value, LeafKind to, uint64_t& bits) noexcept {
  const double whole = std::trunc(value);
  const unsigned width = width_of(to);
  const double top = std::ldexp(1.0, static_cast<int>(is_signed(to) ? width - 1 : width));
  const double bottom = is_signed(to) ? -top : 0.0;
  if (!(whole >= bottom && whole < top)) return false;  // NaN too
  bits = is_signed(to) ? static_cast<uint64_t>(static_cast<int64_t>(whole)) : static_cast<uint64_t>(whole);
  return true;
}

bool integer_fits(LeafKind from, uint64_t bits, LeafKind to) noexcept {
  const bool negative = is_signed(from) && static_cast<int64_t>(bits) < 0;
  if (negative) return is_signed(to) && extended(to, bits) == bits;
  return extended(to, bits) == bits && !(is_signed(to) && static_cast<int64_t>(bits) < 0);
}

// Rounds to nearest; `exact` tells whether nothing was lost.
uint64_t integer_to_float(LeafKind from, uint64_t bits, LeafKind to, bool& exact) noexcept {
  const bool negative = is_signed(from);
  uint64_t back = 0;
  const LeafKind wide = negative ? LeafKind::I64 : LeafKind::U64;
  if (to == LeafKind::F32) {
    const float value = negative ? static_cast<float>(static_cast<int64_t>(bits)) : static_cast<float>(bits);
    exact = float_to_integer(static_cast<double>(value), wide, back) && back == bits;
    return bits_of(value);
  }
  const double value = negative ? static_cast<double>(static_cast<int64_t>(bits)) : static_cast<double>(bits);
  exact = float_to_integer(value, wide, back) && back == bits;
  return bits_of(value);
}

NumberFault from_float(bool exact, LeafKind from, LeafKind to, const Value& operand, Value& out) noexcept {
  const double value = float_of(from, operand);
  if (to == from) {
    out = operand;
    return NumberFault::None;
  }
  if (to == LeafKind::F64) {
    out = Value::f64(value);
    return NumberFault::None;
  }
  if (to == LeafKind::F32) {
    const auto narrow = static_cast<float>(value);
    if (exact && !std::isnan(value) && static_cast<double>(narrow) != value) return NumberFault::Conversion;
    out = Value::of_bits(to, bits_of(narrow));
    return NumberFault::None;
  }
  uint64_t bits = 0;
  if (!float_to_integer(value, to, bits)) return NumberFault::Conversion;
  if (exact && std::trunc(value) != value) return NumberFault::Conversion;
  out = Value::of_bits(to, bits);
  return NumberFault::None;
}

NumberFault from_integer(bool exact, LeafKind from, LeafKind to, const Value& operand, Value& out) noexcept {
  if (is_float(to)) {
    bool kept = false;
    const uint64_t bits = integer_to_float(from, operand.bits, to, kept);
    if (exact && !kept) return NumberFault::Conversion;
    out = Value::of_bits(to, bits);
    return NumberFault::None;
  }
  if (exact && !integer_fits(from, operand.bits, to)) return NumberFault::Conversion;
  out = Value::of_bits(to, extended(to, operand.bits));
  return NumberFault::None;
}

}  // namespace

unsigned number_operands(Op op) noexcept {
  if (op > Op::Bits) return 0;
  if (op == Op::Fma) return 3;
  return op == Op::Neg || op == Op::Sqrt || op == Op::Abs || op >= Op::Convert ? 1 : 2;
}

NumberFault number_operation(Op op, LeafKind kind, bool checked, const Value* operands, Value& out) noexcept {
  const unsigned n = number_operands(op);
  for (unsigned i = 0; i < n; ++i) {
    if (operands[i].kind != kind) return NumberFault::Operand;
  }
  const Value &a = operands[0], &b = n > 1 ? operands[1] : a, &c = n > 2 ? operands[2] : a;
  switch (kind) {
    case LeafKind::Bool: return bool_operation(op, operands, out);
    case LeafKind::I8: return integer_operation<int8_t>(op, kind, checked, a, b, out);
    case LeafKind::I16: return integer_operation<int16_t>(op, kind, checked, a, b, out);
    case LeafKind::I32: return integer_operation<int32_t>(op, kind, checked, a, b, out);
    case LeafKind::I64: return integer_operation<int64_t>(op, kind, checked, a, b, out);
    case LeafKind::U8: return integer_operation<uint8_t>(op, kind, checked, a, b, out);
    case LeafKind::U16: return integer_operation<uint16_t>(op, kind, checked, a, b, out);
    case LeafKind::U32: return integer_operation<uint32_t>(op, kind, checked, a, b, out);
    case LeafKind::U64: return integer_operation<uint64_t>(op, kind, checked, a, b, out);
    case LeafKind::F32: return float_operation<float>(op, kind, a, b, c, out);
    case LeafKind::F64: return float_operation<double>(op, kind, a, b, c, out);
    default: return NumberFault::Operand;
  }
}

NumberFault number_conversion(Op op, LeafKind from, LeafKind to, const Value& operand, Value& out) noexcept {
  if (operand.kind != from) return NumberFault::Operand;
  if (op == Op::Bits) {
    if (width_of(from) != width_of(to)) return NumberFault::Operand;
    out = Value::of_bits(to, extended(to, operand.bits));
    return NumberFault::None;
  }
  const bool exact = op == Op::Convert;
  return is_float(from) ? from_float(exact, from, to, operand, out)
                        : from_integer(exact, from, to, operand, out);
}

std::string fault_text(NumberFault fault, LeafKind kind, LeafKind to, const Value* operands) {
  switch (fault) {
    case NumberFault::DivisionByZero: return "division by zero";
    case NumberFault::Overflow: return "overflow";
    case NumberFault::Conversion:
      return fmt::format("cannot convert {} to {}", number_text(kind, operands[0].bits), name_of(to));
    default: return "operand";
  }
}

const char* fault_kind(NumberFault fault) noexcept {
  return fault == NumberFault::Conversion ? "conversion" : "arithmetic";
}

namespace {

std::string with_point(std::string text) {
  if (text.find_first_of(".en") == std::string::npos) text += ".0";  // 'n': nan, inf
  return text;
}

}  // namespace

std::string number_text(LeafKind kind, uint64_t bits) {
  const Value value = Value::of_bits(kind, bits);
  if (kind == LeafKind::Bool) return bits ? "true" : "false";
  if (is_float(kind) && std::isnan(float_of(kind, value)))
    return "nan";  // whatever its sign: it depends on the machine
  if (kind == LeafKind::F32) return with_point(fmt::format("{}", get<float>(value)));
  if (kind == LeafKind::F64) return with_point(fmt::format("{}", get<double>(value)));
  return is_signed(kind) ? fmt::format("{}", static_cast<int64_t>(bits)) : fmt::format("{}", bits);
}

std::string fixed_text(double value, int64_t decimals) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{:.{}f}", value, static_cast<int>(std::clamp<int64_t>(decimals, 0, 1000)));
}

}  // namespace berth::inference
