// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Number rules: what each statement on numbers of one kind gives, for arithmetic.cpp with the operation as a
// value and for the interpreter's codes with the operation as a constant, so that both are the same lines.
// Pure.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "inference/arithmetic.hpp"

namespace berth::inference::number_rules {

template <class T>
inline T get(const Value& value) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(value.bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(value.bits);
  } else {
    return static_cast<T>(value.bits);
  }
}

template <class T>
uint64_t bits_of(T value) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return static_cast<uint64_t>(value);  // extends with the sign of T
  }
}

template <class T>
NumberFault checked_operation(Op op, T a, T b, T& result) noexcept {
  bool overflow = false;
  switch (op) {
    case Op::Add: overflow = __builtin_add_overflow(a, b, &result); break;
    case Op::Sub: overflow = __builtin_sub_overflow(a, b, &result); break;
    default: overflow = __builtin_mul_overflow(a, b, &result); break;
  }
  return overflow ? NumberFault::Overflow : NumberFault::None;
}

template <class T>
NumberFault divide(Op op, T a, T b, T& result) noexcept {
  if (b == 0) return NumberFault::DivisionByZero;
  if constexpr (std::is_signed_v<T>) {
    if (a == std::numeric_limits<T>::min() && b == -1) return NumberFault::Overflow;
  }
  result = static_cast<T>(op == Op::Div ? a / b : a % b);
  return NumberFault::None;
}

// By the width or more (a negative amount counts as such): 0, or the sign.
template <class T>
T shift(Op op, T a, T b) noexcept {
  using U = std::make_unsigned_t<T>;
  if (static_cast<U>(b) >= sizeof(T) * 8) return static_cast<T>(op == Op::Shr && a < 0 ? -1 : 0);
  return op == Op::Shl ? static_cast<T>(static_cast<U>(a) << static_cast<U>(b)) : static_cast<T>(a >> b);
}

/// `second` is read by operations of two operands only. Inlined, so that a constant `op` leaves its own case.
template <class T>
[[gnu::always_inline]] inline NumberFault integer_operation(Op op, LeafKind kind, bool checked,
                                                            const Value& first, const Value& second,
                                                            Value& out) noexcept {
  const T a = get<T>(first), b = get<T>(second);
  T result{};
  auto fault = NumberFault::None;
  switch (op) {
    // Through 64 unsigned bits: wraps without overflow of a signed type, also of a promoted small one.
    case Op::Add:
      if (checked)
        fault = checked_operation(op, a, b, result);
      else
        result = static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
      break;
    case Op::Sub:
      if (checked)
        fault = checked_operation(op, a, b, result);
      else
        result = static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
      break;
    case Op::Mul:
      if (checked)
        fault = checked_operation(op, a, b, result);
      else
        result = static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      break;
    case Op::Div:
    case Op::Rem: fault = divide(op, a, b, result); break;
    case Op::And: result = static_cast<T>(a & b); break;
    case Op::Or: result = static_cast<T>(a | b); break;
    case Op::Xor: result = static_cast<T>(a ^ b); break;
    case Op::Shl:
    case Op::Shr: result = shift(op, a, b); break;
    case Op::Lt: out = Value::boolean(a < b); return NumberFault::None;
    case Op::Le: out = Value::boolean(a <= b); return NumberFault::None;
    case Op::Eq: out = Value::boolean(a == b); return NumberFault::None;
    case Op::Neg: result = static_cast<T>(0 - static_cast<uint64_t>(a)); break;
    case Op::Abs: result = a < 0 ? static_cast<T>(0 - static_cast<uint64_t>(a)) : a; break;
    case Op::Min: result = std::min(a, b); break;
    case Op::Max: result = std::max(a, b); break;
    default: return NumberFault::Operand;
  }
  if (fault == NumberFault::None) out = Value::of_bits(kind, bits_of(result));
  return fault;
}

// Of two, -0 is less than +0; a NaN wins.
template <class T>
T least(T a, T b) noexcept {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T greatest(T a, T b) noexcept {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

/// As above; `third` is Fma's.
template <class T>
[[gnu::always_inline]] inline NumberFault float_operation(Op op, LeafKind kind, const Value& first,
                                                          const Value& second, const Value& third,
                                                          Value& out) noexcept {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  const T a = get<T>(first), b = get<T>(second);
  T result{};
  switch (op) {
    case Op::Add: result = a + b; break;
    case Op::Sub: result = a - b; break;
    case Op::Mul: result = a * b; break;
    case Op::Div: result = a / b; break;
    case Op::Lt: out = Value::boolean(a < b); return NumberFault::None;
    case Op::Le: out = Value::boolean(a <= b); return NumberFault::None;
    case Op::Eq: out = Value::boolean(a == b); return NumberFault::None;
    // By bits, so that the sign of a NaN changes too.
    case Op::Neg: out = Value::of_bits(kind, static_cast<Bits>(first.bits) ^ kSign); return NumberFault::None;
    case Op::Abs:
      out = Value::of_bits(kind, static_cast<Bits>(first.bits) & static_cast<Bits>(~kSign));
      return NumberFault::None;
    case Op::Sqrt: result = std::sqrt(a); break;
    case Op::Fma: result = std::fma(a, b, get<T>(third)); break;
    case Op::Min: result = least(a, b); break;
    case Op::Max: result = greatest(a, b); break;
    default: return NumberFault::Operand;
  }
  out = Value::of_bits(kind, bits_of(result));
  return NumberFault::None;
}

}  // namespace berth::inference::number_rules
