// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowering: one bound and typed function to the blocks of one IR method. Locals become values: a join of
// control takes as block parameters the locals assigned on the way, which the binder listed; locals assigned
// in a try live in one-element arrays.
#pragma once
#include <string>
#include <vector>

#include "catalog.hpp"
#include "ir_text.hpp"

namespace berth::lang {

class Lowering {
 public:
  Lowering(const Catalog& catalog, const Function& function, std::string_view unit, bool trusts_methods);
  /// The whole declaration. Throws Failure.
  std::string method();
  /// Some array literal takes its element type at run time: its structs need a method of `array new`.
  bool has_open_arrays() const noexcept { return has_open_arrays_; }

 private:
  using BlockId = MethodText::BlockId;
  struct Loop {
    BlockId next = MethodText::kNoBlock, exit = MethodText::kNoBlock;
    const std::vector<int>* carried = nullptr;
    bool uses_next = false;
  };
  /// An end of a branch: the block still open, with the values that the locals have there.
  struct Arm {
    size_t block;
    std::vector<std::string> values;
  };

  // Statements.
  void statements(const Statements& list);
  void statement(const Statement& statement);
  void local(const Statement& statement);
  void assign(const Statement& statement);
  void conditional(const Statement& statement);
  void while_loop(const Statement& statement);
  void range_loop(const Statement& statement);
  void array_loop(const Statement& statement);
  /// Loop over %index < %end; item: makes the loop's local from the index.
  template <typename Item>
  void counted_loop(const Statement& statement, const std::string& type, const std::string& start,
                    const std::string& end, Item item);
  void guarded(const Statement& statement);
  void launch(const Statement& statement);
  std::vector<std::string> sizes(const Expression& expression);

  // Expressions: the text of an operand.
  std::string expression(const Expression& expression);
  std::vector<std::string> expressions(const std::vector<ExpressionPtr>& list, size_t first);
  std::string name(const Expression& expression);
  std::string read(int variable, Place at);
  std::string array(const Expression& expression);
  std::string open_array(const Expression& expression, const std::vector<std::string>& items);
  std::string call(const Expression& expression);
  bool builtin(const Expression& expression, const std::string& name, std::string& result);
  std::string atomic(const Expression& expression, const std::string& name);
  std::string generic(std::string_view name, const std::vector<ExpressionPtr>& list, size_t first, Place at);
  std::string inlined(const Function& callee, const std::vector<std::string>& arguments);
  std::string raw(const Expression& expression);
  std::string typed_call(const Expression& expression);
  std::string index(const Expression& expression);
  std::string logical(const Expression& expression);
  void condition(const Expression& expression, const std::string& yes, const std::string& no);
  std::string checked(const std::string& value, std::string_view static_type, std::string_view type,
                      Place at);

  // Blocks and values.
  std::string emit(const std::string& operation, Place at);
  void emit_only(const std::string& operation, Place at) { text_.statement(operation, at); }
  void start(BlockId block, const std::vector<std::string>& parameters = {}) {
    text_.start(block, parameters, handler_);
  }
  std::string target(BlockId block, const std::vector<std::string>& arguments = {}) const;
  std::vector<int> carried(const Statement& statement) const;
  std::vector<std::string> values(const std::vector<int>& variables) const;
  void set_values(const std::vector<int>& variables, const std::vector<std::string>& values);
  std::vector<std::string> fresh(size_t n);
  void join(const std::vector<int>& variables, std::vector<Arm> arms, Place at);
  Arm leave(const std::vector<int>& variables) { return {text_.leave_open(), values(variables)}; }
  [[noreturn]] void fail(Place at, const std::string& text) const;

  const Catalog& catalog_;
  const Function& function_;
  std::string unit_;
  bool trusts_methods_;
  bool has_open_arrays_ = false;
  MethodText text_;
  const std::vector<Variable>* variables_;
  std::vector<std::string> values_;  // of each local, now
  BlockId handler_ = MethodText::kNoBlock;
  std::vector<Loop> loops_;
  const Place* inline_place_ = nullptr;  // of the call, inside an inlined prelude function
};

}  // namespace berth::lang
