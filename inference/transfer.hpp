// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfer: what one statement gives, as a type and effects, from the types of its operands. Pure and
// monotone: larger operands give a larger type and fewer effects. Calls are not here: see Flow.
#pragma once
#include <span>

#include "inference/ir.hpp"
#include "inference/prepare.hpp"

namespace berth::inference {

class Program;

struct Transferred {
  const Type* type;      // bottom: never comes back
  uint8_t effects;       // Effect bits
  bool may_fail = true;  // may raise for another reason than want of memory
};

class Transfer {
 public:
  Transfer(Program& program, uint64_t world, bool is_kernel);

  /// No operand is bottom. Threads: any. Blocks: short (interning). GC: any, kept. Errors: none.
  Transferred apply(const Statement& statement, std::span<const Type* const> operands);
  /// Of a `refine` with a rule; the rule's type is the statement's.
  const Type* refine(const Statement& statement, RefineRule rule, std::span<const Type* const> operands);
  const Type* type_of(const Literal& literal);
  TypeLattice& lattice() noexcept { return lattice_; }
  Program& program() noexcept { return program_; }
  bool is_kernel() const noexcept { return is_kernel_; }

 private:
  class Step;
  Program& program_;
  TypeInterner& types_;
  TypeLattice& lattice_;
  const uint64_t world_;
  const bool is_kernel_;  // what would raise is a fault and gives 0
};

}  // namespace berth::inference
