// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/optimiser/passes.hpp"
#include "inference/program.hpp"

namespace berth::inference {
namespace {

/// What the read gives, if the aggregate was made in this method and cannot change; null: not known.
const Operand* source_of(const Statement& read, const std::vector<const Statement*>& definitions) {
  if (read.op != Op::Item && read.op != Op::Field) return nullptr;
  const Statement* made = nullptr;
  for (Operand operand = read.operands[0]; operand.kind == Operand::Kind::Value;
       operand = made->operands[0]) {
    made = definitions[operand.value];
    if (!made || (made->op != Op::Refine && made->op != Op::Assert)) break;
  }
  if (!made) return nullptr;
  if (read.op == Op::Item) {
    const Operand& index = read.operands[1];
    const bool is_known = made->op == Op::Tuple && index.kind == Operand::Kind::Literal &&
                          index.literal.bits < made->operands.size();
    return is_known ? &made->operands[index.literal.bits] : nullptr;
  }
  if (made->op != Op::New || !read.name) return nullptr;
  const StructType& structure = *made->type->single_leaf()->structure;
  const int index = structure.is_mutable ? -1 : structure.field_index(*read.name);
  return index >= 0 && static_cast<size_t>(index) < made->operands.size()
             ? &made->operands[static_cast<size_t>(index)]
             : nullptr;
}

}  // namespace

void forward_fields(Body& body, Transfer& transfer) {
  std::vector<const Statement*> definitions(body.values.size());
  for (const Block& block : body.blocks) {
    for (const Statement& statement : block.statements) definitions[statement.result] = &statement;
  }
  std::vector<Operand> replacements(body.values.size());
  for (Operand& operand : replacements) operand.kind = Operand::Kind::Name;  // none
  bool has_changed = false;
  for (const Block& block : body.blocks) {
    for (const Statement& statement : block.statements) {
      const Operand* source = source_of(statement, definitions);
      if (!source) continue;
      const Type* type = source->kind == Operand::Kind::Value ? body.values[source->value].inferred
                                                              : transfer.type_of(source->literal);
      // A field that may be of another type than declared was checked by `new`: the read knows more.
      if (!transfer.lattice().is_subtype(type, body.values[statement.result].inferred)) continue;
      replacements[statement.result] = *source;
      has_changed = true;
    }
  }
  if (has_changed) replace_uses(body, replacements);
}

}  // namespace berth::inference
