// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/optimiser/passes.hpp"
#include "inference/program.hpp"

namespace berth::inference {

const Type* BodyEffects::type_of(const Body& body, const Operand& operand) {
  return operand.kind == Operand::Kind::Value ? body.values[operand.value].inferred
                                              : transfer_.type_of(operand.literal);
}

Transferred BodyEffects::of(const Body& body, const Statement& statement) {
  const Type* result = body.values[statement.result].inferred;
  if (statement.op == Op::Invoke && statement.callee) {
    // Any call may overflow the stack, and polls.
    const TypedMethod* callee = callees_(*statement.callee);
    const uint8_t effects = callee ? callee->effects : uint8_t{kAllEffects};
    return {result, static_cast<uint8_t>(effects & ~(kNoRaise | kNoSafepoint)), true};
  }
  if (is_call(statement.op)) return {result, kAllEffects, true};
  if (statement.op == Op::Refine) return {result, kPure, false};
  operands_.clear();
  for (const Operand& operand : statement.operands) {
    operands_.push_back(type_of(body, operand));
    if (operands_.back()->is_bottom()) return {result, kPure, false};  // never runs
  }
  return transfer_.apply(statement, operands_);
}

bool BodyEffects::is_removable(const Body& body, const Statement& statement) {
  const Transferred out = of(body, statement);
  const bool can_fail = out.may_fail && !transfer_.is_kernel();
  return !can_fail && (out.effects & kNoWrite) && (out.effects & kTerminates);
}

bool BodyEffects::may_raise(const Body& body, const Terminator& terminator) {
  using Kind = Terminator::Kind;
  if (terminator.kind == Kind::Throw) return true;
  if (terminator.kind != Kind::Condition && terminator.kind != Kind::Switch) return false;
  const LeafKind wanted = terminator.kind == Kind::Condition ? LeafKind::Bool : LeafKind::I64;
  return !transfer_.lattice().is_subtype(type_of(body, terminator.value),
                                         transfer_.program().types().kind(wanted));
}

Operand operand_of(ValueId value) {
  Operand operand;
  operand.kind = Operand::Kind::Value;
  operand.value = value;
  return operand;
}

void replace_uses(Body& body, std::vector<Operand>& replacements) {
  const auto is_replaced = [&](const Operand& operand) {
    if (operand.kind != Operand::Kind::Value || operand.value >= replacements.size()) return false;
    const Operand& by = replacements[operand.value];
    return by.kind != Operand::Kind::Name && !(by.kind == Operand::Kind::Value && by.value == operand.value);
  };
  const auto replace = [&](Operand& operand) {
    while (is_replaced(operand)) {
      const Operand by = replacements[operand.value];
      operand = by;
    }
  };
  for (Block& block : body.blocks) {
    for (Statement& statement : block.statements) {
      for (Operand& operand : statement.operands) replace(operand);
    }
    replace(block.terminator.value);
    for (Target& target : block.terminator.targets) {
      for (Operand& argument : target.arguments) replace(argument);
    }
  }
}

}  // namespace berth::inference
