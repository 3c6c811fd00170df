// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CodeChoice: for each statement of a body the interpreter's code, by what is proven of its operands: by
// inference, by the method's signature, by the statement that makes them. Used while an InterpreterCode is
// made.
#pragma once
#include <vector>

#include "inference/interpreter_code.hpp"

namespace berth::inference {

class CodeChoice {
 public:
  /// Threads: owner. Blocks: short. GC: any, kept. The arguments are borrowed.
  CodeChoice(Runtime& runtime, const Method& method, const Body& body, InterpreterCode& code);

  /// Sets code, inner and kind, and `c` if the code has no third operand. Its operands' places are there.
  void choose(InterpreterCode::Instruction& instruction, const Statement& statement);
  /// Proven; Nothing: not known.
  LeafKind kind_of(const Operand& operand) const;

 private:
  using Instruction = InterpreterCode::Instruction;

  const Leaf* leaf_of(const Operand& operand) const;
  bool is_proven(const Operand& operand, const Type* declared) const;
  bool is_proven_object(const Operand& operand) const;
  void choose_number(Instruction& instruction, const Statement& statement);
  void choose_access(Instruction& instruction, const Statement& statement);
  void choose_field(Instruction& instruction, const Statement& statement);
  void choose_is(Instruction& instruction, const Statement& statement);

  Runtime& runtime_;
  const Body& body_;
  InterpreterCode& code_;
  std::vector<LeafKind> kinds_;  // by value
};

}  // namespace berth::inference
