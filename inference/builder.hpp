// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builder: a method made by calls instead of text; each call refuses what the verifier would, `finish`
// verifies what only the whole shows (dominance, arity of branches).
//
//   state    | add, terminate, enter, ... | finish
//   Open     | Open                       | Finished, or Open on an error
//   Finished | INVALID_ARGUMENT           | INVALID_ARGUMENT
//
// Threads: owner for all. Blocks: short. GC: any, kept.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "inference/program.hpp"
#include "support/result.hpp"

namespace berth::inference {

class Builder {
 public:
  enum class Kind : uint8_t { Method, Kernel };

  /// Block 0, the entry, exists and is the one that is entered.
  Builder(Program& program, std::string name, Kind kind = Kind::Method);

  /// A parameter of the method, in order. Null: any. Errors: none.
  ValueId parameter(const Type* declared = nullptr);
  void set_result(const Type* type) { method_->result = type; }
  /// Place of what is added from now on.
  void set_position(Position position) { position_ = position; }

  BlockId block();
  /// A parameter of a block other than the entry. Errors: INVALID_ARGUMENT.
  Result<ValueId> parameter(BlockId block, const Type* declared = nullptr);
  /// Errors of `block` go to `handler`. Errors: INVALID_ARGUMENT; TYPE_ERROR for the entry as handler.
  Result<void> protect(BlockId block, BlockId handler);
  /// Statements and the terminator go into `block` from now on. Errors: INVALID_ARGUMENT if it has its
  /// terminator.
  Result<void> enter(BlockId block);

  /// The statement's result. Errors: TYPE_ERROR naming the broken rule.
  Result<ValueId> add(Statement statement, const Type* declared = nullptr);
  Result<ValueId> add(Op op, std::initializer_list<Operand> operands);
  Result<ValueId> add(Op op, LeafKind number, std::initializer_list<Operand> operands);
  Result<ValueId> call(std::string_view function, std::initializer_list<Operand> arguments);

  Result<void> terminate(Terminator terminator);
  Result<void> branch(BlockId target, std::initializer_list<Operand> arguments = {});
  Result<void> condition(Operand value, Target if_true, Target if_false);
  Result<void> give_back(Operand value);
  Result<void> raise(Operand value);

  /// The verified method. Errors: TYPE_ERROR; INVALID_ARGUMENT if a block has no terminator.
  Result<std::unique_ptr<Method>> finish();

  static Operand value(ValueId id) noexcept;
  static Operand literal(const Literal& literal) noexcept;
  static Operand nothing() noexcept { return literal({}); }
  static Operand boolean(bool value) noexcept { return number(LeafKind::Bool, value); }
  static Operand i64(int64_t value) noexcept { return number(LeafKind::I64, static_cast<uint64_t>(value)); }
  static Operand f64(double value) noexcept {
    return number(LeafKind::F64, __builtin_bit_cast(uint64_t, value));
  }
  static Operand number(LeafKind kind, uint64_t bits) noexcept;
  Operand string(std::string_view text);
  Operand function(std::string_view name);

 private:
  Result<void> check_open(BlockId block) const;
  Result<void> check_values(const std::vector<Operand>& operands) const;
  ValueId define(const Type* declared);

  Program& program_;
  std::unique_ptr<Method> method_;  // finished: an empty one, so that late calls touch nothing of the result
  bool is_finished_ = false;
  std::vector<bool> is_terminated_;
  BlockId current_ = 0;
  Position position_;
};

}  // namespace berth::inference
