// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of the interpreter's instructions. One without `Any` in its name relies on the kinds of its operands,
// or looks at them itself; with `Any` nothing is proven.
#pragma once

// clang-format off
// X(operation, kind, C++ type): statements on numbers with a code of their own. All others are done by code Number.
#define BERTH_QUICK_INTEGER(X, kind, type)                                                                  \
  X(Add, kind, type) X(Sub, kind, type) X(Mul, kind, type) X(Div, kind, type) X(Rem, kind, type)            \
  X(And, kind, type) X(Or, kind, type) X(Xor, kind, type) X(Shl, kind, type) X(Shr, kind, type)             \
  X(Lt, kind, type) X(Le, kind, type) X(Eq, kind, type) X(Neg, kind, type)
#define BERTH_QUICK_INTEGERS(X)                                                                             \
  BERTH_QUICK_INTEGER(X, I64, int64_t) BERTH_QUICK_INTEGER(X, U64, uint64_t)                                \
  BERTH_QUICK_INTEGER(X, I32, int32_t) BERTH_QUICK_INTEGER(X, U32, uint32_t)                                \
  BERTH_QUICK_INTEGER(X, U8, uint8_t)
#define BERTH_QUICK_FLOATS(X)                                                                               \
  X(Add, F64, double) X(Sub, F64, double) X(Mul, F64, double) X(Div, F64, double) X(Lt, F64, double)        \
  X(Le, F64, double) X(Eq, F64, double) X(Neg, F64, double) X(Abs, F64, double) X(Sqrt, F64, double)

// X(operation, kind, C++ type): compares in one instruction with the branch on what they give.
#define BERTH_TESTS_OF(X, kind, type) X(Lt, kind, type) X(Le, kind, type) X(Eq, kind, type)
#define BERTH_TESTS(X)                                                                                      \
  BERTH_TESTS_OF(X, I64, int64_t) BERTH_TESTS_OF(X, U64, uint64_t) BERTH_TESTS_OF(X, I32, int32_t)          \
  BERTH_TESTS_OF(X, U32, uint32_t) BERTH_TESTS_OF(X, U8, uint8_t) BERTH_TESTS_OF(X, F64, double)

// X(name)
#define BERTH_OTHER_CODES(X)                                                                                \
  X(General)      /* any statement, by Runtime::execute */                                                  \
  X(Number)       /* any on numbers */                                                                      \
  X(AnyNumber)    /* one with a code of its own: looks at its operands, then goes on as `inner` */          \
  X(Retag)        /* integers: to a kind that has all values of the first */                                \
  X(Conversion)                                                                                             \
  X(Not) X(Same) X(IsNothing) X(IsLeaf) X(Is)                                                               \
  X(ArrayLen) X(StringLen) X(StringByte) X(Item)                                                            \
  X(GetWord) X(GetWord32) X(GetByte) X(GetObject) X(AnyGet) /* elements; object: all of one kind */         \
  X(SetWord) X(SetWord32) X(SetByte) X(SetObject) X(AnySet)                                                 \
  X(FieldWord) X(FieldObject) X(FieldBoxed) X(AnyField)     /* fields, likewise */                          \
  X(PutWord) X(PutObject) X(AnyPut)                                                                         \
  X(Call) X(Invoke) X(BarrierBlock) X(BarrierGrid)                                                          \
  X(Move)                                                                                                   \
  X(Check)        /* of operand `a` against a declared type */                                              \
  X(Jump)                                                                                                   \
  X(Loop)         /* a jump back: polls */                                                                  \
  X(Branch) X(AnyBranch) X(Switch) X(Return) X(Throw) X(Unreachable)
// clang-format on
