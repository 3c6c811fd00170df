// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "inference/optimiser/passes.hpp"

namespace berth::inference {
namespace {

constexpr size_t kMaxStatements = 20'000;  // a method that has grown to this takes in no more

/// Places of a spliced body: each tells which method it is of and where that was called, so that a stack
/// trace misses no line. A library's place is of no use in a trace: the call's stands for it.
class Rebaser {
 public:
  Rebaser(Body& body, const Method* method, const Position& call)
      : body_(body), method_(method), call_(call) {}

  Position operator()(const Position& position) {
    if (position.inlined) return {position.file, position.line, position.column, rebased(*position.inlined)};
    if (position.file && position.file->starts_with('<')) return call_;
    return {position.file, position.line, position.column, own()};
  }

 private:
  const InlineSite* own() {
    if (!own_) own_ = add({method_, call_});
    return own_;
  }
  const InlineSite* rebased(const InlineSite& site) {
    const auto known = sites_.find(&site);
    if (known != sites_.end()) return known->second;
    const InlineSite* made = add({site.method, (*this)(site.call)});
    sites_.emplace(&site, made);
    return made;
  }
  const InlineSite* add(InlineSite site) {
    body_.inline_sites.push_back(std::make_shared<const InlineSite>(std::move(site)));
    return body_.inline_sites.back().get();
  }

  Body& body_;
  const Method* const method_;
  const Position call_;
  const InlineSite* own_ = nullptr;
  std::unordered_map<const InlineSite*, const InlineSite*> sites_;
};

class Inliner {
 public:
  /// `takes`: asked once for each call, in order.
  Inliner(Body& body, const Callees& callees, std::function<bool(const TypedMethod&)> takes)
      : body_(body), callees_(callees), takes_(std::move(takes)) {
    for (const Block& block : body.blocks) statements_ += block.statements.size();
  }

  bool run() {
    const auto num_blocks = static_cast<BlockId>(body_.blocks.size());
    for (BlockId b = 0; b < num_blocks; ++b) inline_into(b);
    return is_any_inlined_;
  }

 private:
  // What is spliced in was optimised as a method of its own: it is not searched again, so this ends.
  void inline_into(BlockId b) {
    for (size_t i = 0; i < body_.blocks[b].statements.size(); ++i) {
      const Statement& statement = body_.blocks[b].statements[i];
      if (statement.op != Op::Invoke || !statement.callee || statements_ > kMaxStatements) continue;
      const TypedMethod* callee = callees_(*statement.callee);
      if (!callee || callee->limited || !takes_(*callee)) continue;
      b = splice(b, i, callee->body);
      i = static_cast<size_t>(-1);  // on with the continuation, from its start
      is_any_inlined_ = true;
    }
  }

  /// Returns the block that continues after the call.
  BlockId splice(BlockId b, size_t index, const Body& callee) {
    const Statement call = body_.blocks[b].statements[index];
    const auto first_value = static_cast<ValueId>(body_.values.size());
    const auto continuation = static_cast<BlockId>(body_.blocks.size());
    const BlockId first_block = continuation + 1;
    body_.values.insert(body_.values.end(), callee.values.begin(), callee.values.end());
    Block rest;
    rest.parameters.push_back(call.result);
    rest.handler = body_.blocks[b].handler;
    auto& statements = body_.blocks[b].statements;
    rest.statements.assign(std::make_move_iterator(statements.begin() + static_cast<ptrdiff_t>(index) + 1),
                           std::make_move_iterator(statements.end()));
    statements.resize(index);
    rest.terminator = std::move(body_.blocks[b].terminator);
    Terminator& into = body_.blocks[b].terminator;
    into = {};
    into.kind = Terminator::Kind::Branch;
    into.position = call.position;
    into.targets.push_back({first_block, call.operands});
    const BlockId handler = rest.handler;
    Rebaser rebase(body_, call.callee->method, call.position);
    body_.blocks.push_back(std::move(rest));
    for (const Block& block : callee.blocks) {
      body_.blocks.push_back(moved(block, first_value, first_block, continuation, handler, rebase));
      statements_ += block.statements.size();
    }
    return continuation;
  }

  static Block moved(Block block, ValueId first_value, BlockId first_block, BlockId continuation,
                     BlockId handler, Rebaser& rebase) {
    const auto move_operand = [&](Operand& operand) {
      if (operand.kind == Operand::Kind::Value) operand.value += first_value;
    };
    for (ValueId& parameter : block.parameters) parameter += first_value;
    block.handler = block.handler == kNone ? handler : block.handler + first_block;
    for (Statement& statement : block.statements) {
      statement.result += first_value;
      for (Operand& operand : statement.operands) move_operand(operand);
      statement.position = rebase(statement.position);
    }
    Terminator& terminator = block.terminator;
    terminator.position = rebase(terminator.position);
    move_operand(terminator.value);
    for (Target& target : terminator.targets) {
      target.block += first_block;
      for (Operand& argument : target.arguments) move_operand(argument);
    }
    if (terminator.kind == Terminator::Kind::Return) {
      terminator.kind = Terminator::Kind::Branch;
      terminator.targets.push_back({continuation, {terminator.value}});
      terminator.value = {};
    }
    return block;
  }

  Body& body_;
  const Callees& callees_;
  const std::function<bool(const TypedMethod&)> takes_;
  size_t statements_ = 0;
  bool is_any_inlined_ = false;
};

uint32_t cost_of(Op op) {
  switch (op) {
    case Op::Call:
    case Op::CallLatest:
    case Op::Invoke:
    case Op::CallHost:
    case Op::Spawn:
    case Op::Join:
    case Op::Launch: return 25;
    case Op::New:
    case Op::Tuple:
    case Op::ArrayNew:
    case Op::ArrayCopy:
    case Op::StringSlice:
    case Op::StringConcat:
    case Op::StringOf:
    case Op::StringFixed:
    case Op::Print: return 10;
    case Op::Refine: return 0;
    default: return op >= Op::New ? 2 : 1;
  }
}

}  // namespace

uint32_t inline_cost(const Body& body) {
  uint32_t cost = 0;
  for (const Block& block : body.blocks) {
    cost += 1;
    for (const Statement& statement : block.statements) cost += cost_of(statement.op);
  }
  return cost;
}

bool inline_calls(Body& body, const Callees& callees, bool is_kernel) {
  const auto takes = [is_kernel](const TypedMethod& callee) {
    return !callee.is_recursive && (callee.is_inlinable || is_kernel);
  };
  return Inliner(body, callees, takes).run();
}

bool unroll_recursion(Body& body, const Callees& callees) {
  uint32_t cost = inline_cost(body);
  const auto takes = [&](const TypedMethod& callee) {
    const uint32_t more = callee.is_recursive ? inline_cost(callee.body) : kUnrolledCost;
    if (cost + more > kUnrolledCost) return false;
    cost += more;
    return true;
  };
  bool is_any = false;
  while (Inliner(body, callees, takes).run()) is_any = true;  // one level each
  return is_any;
}

}  // namespace berth::inference
