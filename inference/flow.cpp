// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/flow.hpp"

#include <algorithm>

#include "inference/control_flow.hpp"
#include "inference/program.hpp"

namespace berth::inference {

bool is_call(Op op) noexcept { return op == Op::Call || op == Op::Invoke; }

Flow::Flow(Transfer& transfer, PreparedBody prepared, std::span<const Type* const> parameters)
    : transfer_(transfer),
      body_(std::move(prepared.body)),
      rules_(std::move(prepared.rules)),
      bottom_(transfer.program().types().bottom()),
      types_(body_.values.size(), bottom_),
      users_(body_.values.size()),
      rank_(body_.blocks.size(), kNone),
      order_(reverse_postorder(body_)),
      reached_(body_.blocks.size()),
      dirty_(body_.blocks.size()),
      handled_(body_.blocks.size()),
      edges_(body_.blocks.size()),
      result_(bottom_) {
  for (uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
  const auto use = [&](const Operand& operand, BlockId b) {
    if (operand.kind != Operand::Kind::Value) return;
    std::vector<BlockId>& users = users_[operand.value];
    if (users.empty() || users.back() != b) users.push_back(b);
  };
  for (BlockId b = 0; b < body_.blocks.size(); ++b) {
    const Block& block = body_.blocks[b];
    statements_ += block.statements.size() + 1;
    edges_[b].resize(block.terminator.targets.size());
    for (const Statement& statement : block.statements) {
      for (const Operand& operand : statement.operands) use(operand, b);
    }
    use(block.terminator.value, b);
    for (const Target& target : block.terminator.targets) {
      for (const Operand& argument : target.arguments) use(argument, b);
    }
  }
  for (size_t i = 0; i < parameters.size() && i < body_.blocks[0].parameters.size(); ++i) {
    types_[body_.blocks[0].parameters[i]] = parameters[i];
  }
  enter(0);
}

void Flow::mark_dirty(BlockId block) {
  if (!reached_[block] || dirty_[block]) return;
  dirty_[block] = true;
  work_.push(rank_[block]);
}

void Flow::enter(BlockId block) {
  if (reached_[block]) return;
  reached_[block] = true;
  mark_dirty(block);
}

const Type* Flow::type_of(const Operand& operand) {
  if (operand.kind == Operand::Kind::Value) return types_[operand.value];
  return transfer_.type_of(operand.literal);
}

void Flow::raise(ValueId value, const Type* type, bool is_behind) {
  // A body that was inferred before bounds its values.
  if (const Type* bound = body_.values[value].inferred) type = transfer_.lattice().meet(type, bound);
  const Type* joined = transfer_.lattice().join(types_[value], type);
  if (joined == types_[value]) return;
  types_[value] = joined;
  for (const BlockId user : users_[value]) {
    // Uses of a statement's result in its own block come later in it; a block parameter's may have been
    // passed already.
    if (is_behind || user != block_) mark_dirty(user);
  }
}

void Flow::take_edge(BlockId b, size_t index) {
  const Target& target = body_.blocks[b].terminator.targets[index];
  edges_[b][index] = true;
  const std::vector<ValueId>& parameters = body_.blocks[target.block].parameters;
  for (size_t i = 0; i < parameters.size() && i < target.arguments.size(); ++i) {
    raise(parameters[i], type_of(target.arguments[i]), true);
  }
  enter(target.block);
}

void Flow::take_handler(BlockId b) {
  handled_[b] = true;
  const BlockId handler = body_.blocks[b].handler;
  if (handler == kNone) return;
  for (const ValueId parameter : body_.blocks[handler].parameters) {
    raise(parameter, transfer_.program().types().kind(LeafKind::Error), true);
  }
  enter(handler);
}

uint8_t Flow::effects_of(const Statement& statement) {
  if (is_call(statement.op)) return kAllEffects;
  if (statement.op == Op::Refine) return kPure;
  operands_.clear();
  for (const Operand& operand : statement.operands) operands_.push_back(type_of(operand));
  return transfer_.apply(statement, operands_).effects;
}

// False: what follows in the block is not reached (yet).
bool Flow::evaluate(CallOracle& oracle, const Statement& statement, CallAnswer& answer) {
  operands_.clear();
  for (const Operand& operand : statement.operands) {
    const Type* type = type_of(operand);
    if (type->is_bottom()) return false;
    operands_.push_back(type);
  }
  ++evaluated_;
  Transferred out{bottom_, kAllEffects};
  const auto rule = statement.op == Op::Refine ? rules_.find(statement.result) : rules_.end();
  if (is_call(statement.op)) {
    answer = oracle.call(*this, block_, statement, operands_);
    if (answer.missing) return false;
    out.type = answer.type;
  } else if (rule != rules_.end()) {
    out = {transfer_.refine(statement, rule->second, operands_), kPure};
  } else {
    out = transfer_.apply(statement, operands_);
  }
  if (!(out.effects & kNoRaise) && !transfer_.is_kernel()) take_handler(block_);
  raise(statement.result, out.type, false);
  return !types_[statement.result]->is_bottom();
}

void Flow::finish_block() {
  const Terminator& terminator = body_.blocks[block_].terminator;
  using Kind = Terminator::Kind;
  ++evaluated_;
  if (terminator.kind == Kind::Branch) return take_edge(block_, 0);
  if (terminator.kind == Kind::Unreachable) return;
  const Type* value = type_of(terminator.value);
  if (value->is_bottom()) return;
  TypeLattice& lattice = transfer_.lattice();
  if (terminator.kind == Kind::Return) {
    result_ = lattice.join(result_, value);
    return;
  }
  if (terminator.kind == Kind::Throw) return take_handler(block_);
  const Type* wanted =
      transfer_.program().types().kind(terminator.kind == Kind::Condition ? LeafKind::Bool : LeafKind::I64);
  if (!lattice.is_subtype(value, wanted)) take_handler(block_);
  if (!lattice.overlaps(value, wanted)) return;
  const Literal* constant = value->constant();
  if (!constant) {
    for (size_t i = 0; i < terminator.targets.size(); ++i) take_edge(block_, i);
  } else if (terminator.kind == Kind::Condition) {
    take_edge(block_, constant->bits ? 0 : 1);
  } else {
    const auto found =
        std::find(terminator.cases.begin(), terminator.cases.end(), static_cast<int64_t>(constant->bits));
    take_edge(block_,
              static_cast<size_t>(found - terminator.cases.begin()));  // the default follows the cases
  }
}

const Specialisation* Flow::run_block(CallOracle& oracle) {
  const std::vector<Statement>& statements = body_.blocks[block_].statements;
  for (; next_ < statements.size(); ++next_) {
    CallAnswer answer;
    if (evaluate(oracle, statements[next_], answer)) continue;
    return answer.missing;
  }
  finish_block();
  return nullptr;
}

const Specialisation* Flow::run(CallOracle& oracle) {
  while (has_work()) {
    if (!is_suspended_) {
      block_ = order_[work_.top()];
      work_.pop();
      dirty_[block_] = false;
      next_ = 0;
    }
    is_suspended_ = false;
    if (const Specialisation* missing = run_block(oracle)) {
      is_suspended_ = true;
      return missing;
    }
  }
  return nullptr;
}

}  // namespace berth::inference
