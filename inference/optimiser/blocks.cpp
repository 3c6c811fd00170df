// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "inference/control_flow.hpp"
#include "inference/optimiser/passes.hpp"

namespace berth::inference {

void merge_blocks(Body& body) {
  const std::vector<uint32_t> predecessors = num_predecessors(body);
  const std::vector<bool> is_handler = handler_blocks(body);
  std::vector<Operand> replacements(body.values.size());
  for (Operand& operand : replacements) operand.kind = Operand::Kind::Name;  // none
  std::vector<bool> is_gone(body.blocks.size());
  for (const BlockId b : reverse_postorder(body)) {
    if (is_gone[b]) continue;
    while (body.blocks[b].terminator.kind == Terminator::Kind::Branch) {
      const Target target = body.blocks[b].terminator.targets[0];
      const BlockId next = target.block;
      const bool can_merge = next != b && next != 0 && !is_gone[next] && predecessors[next] == 1 &&
                             !is_handler[next] && body.blocks[next].handler == body.blocks[b].handler;
      if (!can_merge) break;
      for (size_t i = 0; i < target.arguments.size(); ++i)
        replacements[body.blocks[next].parameters[i]] = target.arguments[i];
      Block& into = body.blocks[b];
      Block& from = body.blocks[next];
      std::move(from.statements.begin(), from.statements.end(), std::back_inserter(into.statements));
      into.terminator = std::move(from.terminator);
      from = {};
      is_gone[next] = true;
    }
  }
  replace_uses(body, replacements);
}

void compact(Body& body) {
  const std::vector<BlockId> order = reverse_postorder(body);
  std::vector<BlockId> places(body.blocks.size(), kNone);
  for (BlockId i = 0; i < order.size(); ++i) places[order[i]] = i;
  std::vector<ValueId> numbers(body.values.size(), kNone);
  std::vector<ValueDefinition> values;
  const auto number = [&](ValueId& value) {
    numbers[value] = static_cast<ValueId>(values.size());
    values.push_back(std::move(body.values[value]));
    value = numbers[value];
  };
  std::vector<Block> blocks;
  for (const BlockId b : order) {
    blocks.push_back(std::move(body.blocks[b]));
    for (ValueId& parameter : blocks.back().parameters) number(parameter);
    for (Statement& statement : blocks.back().statements) number(statement.result);
  }
  const auto renumber = [&](Operand& operand) {
    if (operand.kind == Operand::Kind::Value) operand.value = numbers[operand.value];
  };
  for (Block& block : blocks) {
    if (block.handler != kNone) block.handler = places[block.handler];
    for (Statement& statement : block.statements)
      std::for_each(statement.operands.begin(), statement.operands.end(), renumber);
    renumber(block.terminator.value);
    for (Target& target : block.terminator.targets) {
      target.block = places[target.block];
      std::for_each(target.arguments.begin(), target.arguments.end(), renumber);
    }
  }
  body.blocks = std::move(blocks);
  body.values = std::move(values);
}

}  // namespace berth::inference
