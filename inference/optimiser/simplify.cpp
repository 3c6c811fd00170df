// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "inference/control_flow.hpp"
#include "inference/optimiser/passes.hpp"
#include "inference/program.hpp"

namespace berth::inference {
namespace {

class Simplifier {
 public:
  explicit Simplifier(Flow& flow) : flow_(flow), body_(flow.body()) {}

  Body run() {
    Body out;
    out.values = body_.values;
    out.inline_sites = body_.inline_sites;
    for (ValueId v = 0; v < out.values.size(); ++v) out.values[v].inferred = flow_.type_of(v);
    replacements_.resize(out.values.size());
    for (Operand& operand : replacements_) operand.kind = Operand::Kind::Name;  // none
    for (ValueId v = 0; v < out.values.size(); ++v) replace_constant(v);
    places_.assign(body_.blocks.size(), kNone);
    std::vector<BlockId> kept;
    for (const BlockId b : reverse_postorder(body_)) {
      if (!flow_.is_reached(b)) continue;
      places_[b] = static_cast<BlockId>(kept.size());
      kept.push_back(b);
    }
    out_ = &out;
    for (const BlockId b : kept) out.blocks.push_back(block(b));
    replace_uses(out, replacements_);
    return out;
  }

 private:
  void replace_constant(ValueId v) {
    const Literal* constant = flow_.type_of(v)->constant();
    if (!constant) return;
    replacements_[v].kind = Operand::Kind::Literal;
    replacements_[v].literal = *constant;
  }

  Block block(BlockId b) {
    const Block& old = body_.blocks[b];
    Block out;
    out.parameters = old.parameters;
    out.handler = old.handler != kNone && flow_.is_handler_taken(b) ? places_[old.handler] : kNone;
    bool is_cut = false;
    for (const Statement& statement : old.statements) {
      is_cut = std::any_of(statement.operands.begin(), statement.operands.end(),
                           [&](const Operand& operand) { return flow_.type_of(operand)->is_bottom(); });
      if (is_cut) break;
      add(out, statement);
      is_cut = flow_.type_of(statement.result)->is_bottom();
      if (is_cut) break;
    }
    out.terminator.position = old.terminator.position;
    if (!is_cut) out.terminator = terminator(b, old.terminator, out);
    return out;
  }

  void add(Block& block, const Statement& statement) {
    const Type* type = flow_.type_of(statement.result);
    const bool is_narrowing = statement.op == Op::Refine || statement.op == Op::Assert;
    if (is_narrowing && flow_.type_of(statement.operands[0]) == type) {
      // Holds already: another name of its operand.
      if (replacements_[statement.result].kind == Operand::Kind::Name)
        replacements_[statement.result] = statement.operands[0];
      return;
    }
    block.statements.push_back(statement);
    Statement& added = block.statements.back();
    if (statement.op == Op::Refine) {
      added.operands.resize(1);
      added.type = type;
    }
    if (statement.op == Op::Field || statement.op == Op::Set) set_field(added);
  }

  /// The index, where the struct is known.
  void set_field(Statement& statement) {
    const Leaf* leaf = flow_.type_of(statement.operands[0])->single_leaf();
    if (!leaf || !leaf->structure || !statement.name) return;
    const int index = leaf->structure->field_index(*statement.name);
    if (index >= 0) statement.field = static_cast<uint32_t>(index);
  }

  Terminator terminator(BlockId b, const Terminator& old, Block& block) {
    using Kind = Terminator::Kind;
    Terminator out = old;
    const bool has_value = old.kind != Kind::Branch && old.kind != Kind::Unreachable;
    const Type* value = has_value ? flow_.type_of(old.value) : nullptr;
    if (value && value->is_bottom()) {
      out = {};
      out.position = old.position;
      return out;
    }
    if ((old.kind == Kind::Condition || old.kind == Kind::Switch) && value->constant()) {
      size_t taken = 0;
      while (taken < old.targets.size() && !flow_.is_edge_taken(b, taken)) ++taken;
      if (taken == old.targets.size()) return out;
      out.kind = Kind::Branch;
      out.value = {};
      out.cases.clear();
      out.targets = {old.targets[taken]};
    }
    for (Target& target : out.targets) target.block = places_[target.block];
    if (std::any_of(out.targets.begin(), out.targets.end(),
                    [](const Target& target) { return target.block == kNone; })) {
      raise_instead(out, block);
    }
    return out;
  }

  /// A condition that is never a bool only raises: behind it nothing is reached.
  void raise_instead(Terminator& terminator, Block& block) {
    TypeInterner& types = flow_.transfer().program().types();
    Statement assertion;
    assertion.op = Op::Assert;
    assertion.type =
        types.kind(terminator.kind == Terminator::Kind::Condition ? LeafKind::Bool : LeafKind::I64);
    assertion.operands.push_back(terminator.value);
    assertion.position = terminator.position;
    assertion.result = static_cast<ValueId>(out_->values.size());
    out_->values.push_back({{}, nullptr, types.bottom()});
    block.statements.push_back(std::move(assertion));
    terminator.kind = Terminator::Kind::Unreachable;
    terminator.value = {};
    terminator.targets.clear();
    terminator.cases.clear();
  }

  Flow& flow_;
  const Body& body_;
  Body* out_ = nullptr;
  std::vector<Operand> replacements_;
  std::vector<BlockId> places_;
};

}  // namespace

Body simplify(Flow& flow) { return Simplifier(flow).run(); }

}  // namespace berth::inference
