// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations: the table behind Op as data: text, suffix, number of operands, how the text form writes what
// follows, and for which numbers an operation exists. Parser, printer, verifier and builder share it, so that
// they cannot differ.
#pragma once
#include <string_view>

#include "inference/ir.hpp"

namespace berth::inference {

/// How an operation's text goes on after its name. Plain: its operands, separated by spaces. List: all
/// operands in parentheses.
enum class Shape : uint8_t {
  Plain,
  List,
  Call,
  Invoke,
  Host,
  New,
  Member,
  TypeFirst,
  TypeLast,
  Global,
  Launch
};
enum class Suffix : uint8_t { None, Number, FromTo };
enum class Access : uint8_t { None, Load, Store, ReadModifyWrite };  // which orders it can have

struct OperationRow {
  const char* text;
  Suffix suffix;
  int8_t operands;  // -1: any number
};

/// Threads: any. Blocks: never. GC: any, kept. Errors: none. The same for all below.
const OperationRow& row_of(Op op) noexcept;
/// False: no such operation.
bool find_operation(std::string_view text, Op& op) noexcept;
Shape shape_of(Op op) noexcept;
Access access_of(Op op) noexcept;
bool is_legal_order(Access access, Order order) noexcept;
bool can_have_scope(Op op) noexcept;
/// Whether `op.number` exists; `and.f64` does not.
bool is_legal_number(Op op, LeafKind number) noexcept;
bool is_legal_conversion(Op op, LeafKind from, LeafKind to) noexcept;
bool can_be_checked(Op op, LeafKind number) noexcept;
/// Only in kernels: lanes, barriers, shared memory, faults.
bool is_kernel_only(Op op) noexcept;
/// Whether a kernel may contain it.
bool is_kernel_legal(Op op) noexcept;
/// Operand 0 is one of the dimensions 0, 1, 2, written as a literal.
bool takes_dimension(Op op) noexcept;

const char* name_of(Order order) noexcept;
const char* name_of(Scope scope) noexcept;
bool find_order(std::string_view text, Order& order) noexcept;
bool find_scope(std::string_view text, Scope& scope) noexcept;
/// Bool, numbers, string: the kinds that a word names; false for compound ones.
bool find_simple_kind(std::string_view text, LeafKind& kind) noexcept;

}  // namespace berth::inference
