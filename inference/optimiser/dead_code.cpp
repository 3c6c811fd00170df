// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "inference/control_flow.hpp"
#include "inference/optimiser/passes.hpp"

namespace berth::inference {
namespace {

// Marks from what has effects; a block parameter needs its arguments only if it is needed itself.
class Liveness {
 public:
  Liveness(Body& body, BodyEffects& effects)
      : body_(body), effects_(effects), live_(body.values.size()), made_by_(body.values.size()) {}

  void run() {
    mark_roots();
    while (!work_.empty()) {
      const ValueId value = work_.back();
      work_.pop_back();
      const Place place = made_by_[value];
      if (place.block == kNone) continue;
      if (place.is_parameter) {
        for (const auto& [from, target] : incoming_[place.block]) {
          need(body_.blocks[from].terminator.targets[target].arguments[place.index]);
        }
      } else {
        for (const Operand& operand : body_.blocks[place.block].statements[place.index].operands)
          need(operand);
      }
    }
    remove();
  }

 private:
  struct Place {
    BlockId block = kNone;
    uint32_t index = 0;
    bool is_parameter = false;
  };

  void need(const Operand& operand) {
    if (operand.kind != Operand::Kind::Value || live_[operand.value]) return;
    live_[operand.value] = true;
    work_.push_back(operand.value);
  }

  void mark_roots() {
    is_handler_ = handler_blocks(body_);
    incoming_.resize(body_.blocks.size());
    for (BlockId b = 0; b < body_.blocks.size(); ++b) {
      const Block& block = body_.blocks[b];
      for (uint32_t i = 0; i < block.parameters.size(); ++i) made_by_[block.parameters[i]] = {b, i, true};
      for (uint32_t i = 0; i < block.statements.size(); ++i)
        made_by_[block.statements[i].result] = {b, i, false};
      for (uint32_t i = 0; i < block.terminator.targets.size(); ++i)
        incoming_[block.terminator.targets[i].block].push_back({b, i});
    }
    for (BlockId b = 0; b < body_.blocks.size(); ++b) {
      const Block& block = body_.blocks[b];
      for (const Statement& statement : block.statements) {
        if (effects_.is_removable(body_, statement)) continue;
        live_[statement.result] = true;
        for (const Operand& operand : statement.operands) need(operand);
      }
      need(block.terminator.value);
      if (!has_fixed_parameters(b)) continue;
      for (const auto& [from, target] : incoming_[b]) {
        for (const Operand& argument : body_.blocks[from].terminator.targets[target].arguments)
          need(argument);
      }
    }
  }

  bool has_fixed_parameters(BlockId b) const { return b == 0 || is_handler_[b]; }

  void remove() {
    for (BlockId b = 0; b < body_.blocks.size(); ++b) {
      Block& block = body_.blocks[b];
      std::erase_if(block.statements, [&](const Statement& statement) { return !live_[statement.result]; });
      for (Target& target : block.terminator.targets) {
        if (has_fixed_parameters(target.block)) continue;
        const std::vector<ValueId>& parameters = body_.blocks[target.block].parameters;
        std::vector<Operand> kept;
        for (size_t i = 0; i < target.arguments.size(); ++i) {
          if (live_[parameters[i]]) kept.push_back(std::move(target.arguments[i]));
        }
        target.arguments = std::move(kept);
      }
    }
    for (BlockId b = 0; b < body_.blocks.size(); ++b) {
      if (has_fixed_parameters(b)) continue;
      std::erase_if(body_.blocks[b].parameters, [&](ValueId parameter) { return !live_[parameter]; });
    }
  }

  Body& body_;
  BodyEffects& effects_;
  std::vector<bool> live_;
  std::vector<Place> made_by_;
  std::vector<std::vector<std::pair<BlockId, uint32_t>>> incoming_;  // by block: (from, target index)
  std::vector<bool> is_handler_;
  std::vector<ValueId> work_;
};

}  // namespace

void remove_dead_code(Body& body, BodyEffects& effects) {
  for (Block& block : body.blocks) {
    if (block.handler == kNone) continue;
    const bool raises =
        effects.may_raise(body, block.terminator) ||
        std::any_of(block.statements.begin(), block.statements.end(),
                    [&](const Statement& statement) { return effects.may_raise(body, statement); });
    if (!raises) block.handler = kNone;
  }
  Liveness(body, effects).run();
}

}  // namespace berth::inference
