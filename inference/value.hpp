// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Value: a dynamic value outside compiled code. Bool and numbers are unboxed, `nothing` has no object, all
// else is an Object.
//
// Boxed form (fields and elements of reference representation, `any` in compiled code): Object*; null is
// nothing; bools are two permanent objects; a number is an object with its bits at byte 8. Value form is
// canonical: a number is never an Object there.
//
// Object layouts (byte offsets; see gc/type.hpp):
//   boxed number        8: bits
//   string              8: length, 16: bytes
//   array<T>            8: length, 16: elements (bytes_of(T) of a bool or number leaf, else Object*)
//   tuple, length n     8: length n, 16: items, boxed
//   struct              8 + 8 i: field i (bits, extended to 8 bytes, of a bool or number leaf; else Object*)
//   error               strings 8: kind, 16: text, 24: at, 32: stack; 40: value (boxed)
//   function, type      8: Function* or inference::Type*; permanent, one per function or type
//   task buffer channel 8: native handle (owned; dropped by the type's finalize)
#pragma once
#include <cstdint>

#include "gc/type.hpp"
#include "inference/types.hpp"

namespace berth::inference {

struct Value {
  LeafKind kind = LeafKind::Nothing;  // Nothing, Bool, a number, or the kind of the object
  union {
    uint64_t bits = 0;  // bool and numbers, extended to 64 bits; f32 in the low half
    gc::Object* object;
  };

  bool is_object() const noexcept { return kind >= LeafKind::String; }
  static Value nothing() noexcept { return {}; }
  static Value boolean(bool value) noexcept { return of_bits(LeafKind::Bool, value); }
  static Value i64(int64_t value) noexcept { return of_bits(LeafKind::I64, static_cast<uint64_t>(value)); }
  static Value f64(double value) noexcept {
    return of_bits(LeafKind::F64, __builtin_bit_cast(uint64_t, value));
  }
  static Value of_bits(LeafKind kind, uint64_t bits) noexcept {
    Value value;
    value.kind = kind;
    value.bits = bits;
    return value;
  }
};
static_assert(sizeof(Value) == 16);

inline const Leaf* leaf_of(const gc::Object* object) noexcept {
  return static_cast<const Leaf*>(object->type()->tag);
}

inline constexpr size_t kErrorKind = 8, kErrorText = 16, kErrorAt = 24, kErrorStack = 32, kErrorValue = 40;

}  // namespace berth::inference
