// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifier: the rules a body must satisfy before inference, interpreter or compiler see it. Near linear.
//
//   rule           | what must hold
//   blocks         | there is one; targets and handlers exist; the entry has no predecessor and is no handler
//   handler        | a handler has exactly one parameter
//   values         | numbers in range; each defined once; used only where one of this method defines it
//   dominance      | the definition comes before on every path; in a handler: before the protected block
//   arity          | branches and invoke: as many arguments as parameters
//   signature      | parameters of the entry have the method's declared types
//
// And those of statement_rules: operands, names, number, order, type, fields, mutability, literal, callee,
// argument types, terminator, cases, refine, kernel only, kernel subset.
#pragma once
#include <string>
#include <vector>

#include "inference/dominators.hpp"
#include "inference/statement_rules.hpp"
#include "inference/text.hpp"

namespace berth::inference {

class Verifier {
 public:
  Verifier(Program& program, const Method& method, const Body& body, Strictness strictness)
      : program_(program), method_(method), body_(body), strictness_(strictness) {}

  /// Once. The first broken rule. Threads: any. Blocks: short. Errors: TYPE_ERROR naming place, method, block
  /// and rule.
  Result<void> run();

 private:
  // Where a value is made: parameters before statement 0.
  struct Definition {
    BlockId block = kNone;
    uint32_t position = 0;  // 0: parameter; i + 1: statement i
  };

  Result<void> check_shape();
  Result<void> check_block_shape(BlockId id);
  Result<void> define_all();
  Result<void> define(BlockId block, uint32_t position, ValueId value, const Position& at);
  Result<void> check_block(BlockId id, const Dominators& dominators);
  Result<void> check_use(const Operand& operand, BlockId block, uint32_t position,
                         const Dominators& dominators, const Position& at);
  Error error(BlockId block, const Position& at, const BrokenRule& broken) const;
  std::string name_of_value(ValueId value) const;

  Program& program_;
  const Method& method_;
  const Body& body_;
  const Strictness strictness_;
  std::vector<Definition> definitions_;
};

}  // namespace berth::inference
