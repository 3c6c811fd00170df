// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/prepare.hpp"

#include <algorithm>
#include <utility>

#include "inference/control_flow.hpp"

namespace berth::inference {
namespace {

ValueId new_value(Body& body, const Type* inferred = nullptr) {
  body.values.push_back({{}, nullptr, inferred});
  return static_cast<ValueId>(body.values.size() - 1);
}

Operand value_operand(ValueId value) {
  Operand operand;
  operand.kind = Operand::Kind::Value;
  operand.value = value;
  return operand;
}

Statement assertion(Operand operand, const Type* type, ValueId result, const Position& position) {
  Statement statement;
  statement.op = Op::Assert;
  statement.result = result;
  statement.operands.push_back(std::move(operand));
  statement.type = type;
  statement.position = position;
  return statement;
}

/// A declared value keeps its name behind the check; what is made before it gets a new one.
void check_results(Body& body, Block& block, const Type* declared_result) {
  std::vector<Statement> statements;
  for (Statement& statement : block.statements) {
    const ValueId made = statement.result;
    const Type* declared = std::exchange(body.values[made].declared, nullptr);
    statements.push_back(std::move(statement));
    if (!declared || declared->is_any()) continue;
    statements.back().result = new_value(body);
    const Position position = statements.back().position;
    statements.push_back(assertion(value_operand(statements.back().result), declared, made, position));
  }
  Terminator& terminator = block.terminator;
  if (terminator.kind == Terminator::Kind::Return && declared_result && !declared_result->is_any()) {
    const ValueId checked = new_value(body);
    statements.push_back(assertion(terminator.value, declared_result, checked, terminator.position));
    terminator.value = value_operand(checked);
  }
  block.statements = std::move(statements);
}

/// Arguments of a branch are checked before it, under its block's handler; on an edge of their own where
/// there are several.
void check_arguments(Body& body, BlockId b) {
  for (size_t edge = 0; edge < body.blocks[b].terminator.targets.size(); ++edge) {
    const std::vector<ValueId> parameters =
        body.blocks[body.blocks[b].terminator.targets[edge].block].parameters;
    const auto is_checked = [&](ValueId p) {
      return body.values[p].declared && !body.values[p].declared->is_any();
    };
    if (std::none_of(parameters.begin(), parameters.end(), is_checked)) continue;
    BlockId from = b;
    if (body.blocks[b].terminator.kind != Terminator::Kind::Branch) {
      from = static_cast<BlockId>(body.blocks.size());
      Block block;
      block.handler = body.blocks[b].handler;
      block.terminator.kind = Terminator::Kind::Branch;
      block.terminator.position = body.blocks[b].terminator.position;
      block.terminator.targets.push_back(std::move(body.blocks[b].terminator.targets[edge]));
      body.blocks[b].terminator.targets[edge] = {from, {}};
      body.blocks.push_back(std::move(block));
    }
    Block& block = body.blocks[from];
    std::vector<Operand>& arguments = block.terminator.targets[from == b ? edge : 0].arguments;
    for (size_t i = 0; i < parameters.size() && i < arguments.size(); ++i) {
      if (!is_checked(parameters[i])) continue;
      const ValueId checked = new_value(body);
      block.statements.push_back(
          assertion(arguments[i], body.values[parameters[i]].declared, checked, block.terminator.position));
      arguments[i] = value_operand(checked);
    }
  }
}

/// A handler gets its error from no branch: its check is its first statement.
void check_parameters(Body& body, BlockId b, bool is_handler) {
  Block& block = body.blocks[b];
  for (ValueId& parameter : block.parameters) {
    const Type* declared = std::exchange(body.values[parameter].declared, nullptr);
    if (!declared || declared->is_any() || !is_handler) continue;
    const ValueId unchecked = new_value(body);
    block.statements.insert(block.statements.begin(), assertion(value_operand(unchecked), declared, parameter,
                                                                block.terminator.position));
    parameter = unchecked;
  }
}

struct Test {
  ValueId value;   // tested
  Statement made;  // the refine to insert, operands as in the test
  RefineRule rule;
};

class Refiner {
 public:
  explicit Refiner(PreparedBody& prepared) : prepared_(prepared), body_(prepared.body) {}

  void run() {
    find_definitions();
    const size_t num_blocks = body_.blocks.size();
    inserted_.resize(num_blocks);
    predecessors_ = num_predecessors(body_);
    handlers_ = handler_blocks(body_);
    for (BlockId b = 0; b < num_blocks; ++b) {
      if (body_.blocks[b].terminator.kind == Terminator::Kind::Condition) test_edges(b);
    }
    if (is_any_inserted_) rename();
  }

 private:
  void find_definitions() {
    definitions_.assign(body_.values.size(), {kNone, kNone});
    for (BlockId b = 0; b < body_.blocks.size(); ++b) {
      const auto& statements = body_.blocks[b].statements;
      for (uint32_t i = 0; i < statements.size(); ++i) definitions_[statements[i].result] = {b, i};
    }
  }

  const Statement* definition(const Operand& operand) const {
    if (operand.kind != Operand::Kind::Value || operand.value >= definitions_.size()) return nullptr;
    const auto [block, index] = definitions_[operand.value];
    return block == kNone ? nullptr : &body_.blocks[block].statements[index];
  }

  /// What holds of which value where the condition is `outcome`.
  std::vector<Test> tests(const Operand& condition, bool outcome) const {
    const Statement* test = definition(condition);
    while (test && test->op == Op::Not) {
      outcome = !outcome;
      test = definition(test->operands[0]);
    }
    std::vector<Test> found;
    if (!test) return found;
    // Equal integers are identical; equal floats need not be (-0.0).
    const bool is_same = test->op == Op::Same || (test->op == Op::Eq && !is_float(test->number));
    if (test->op != Op::Is && !is_same) return found;
    for (size_t i = 0; i < test->operands.size(); ++i) {
      if (test->operands[i].kind != Operand::Kind::Value) continue;
      Test one{test->operands[i].value, {}, outcome ? RefineRule::Is : RefineRule::IsNot};
      one.made.op = Op::Refine;
      one.made.operands.push_back(test->operands[i]);
      one.made.type = test->type;
      one.made.position = test->position;
      if (is_same) {
        one.rule = outcome ? RefineRule::Same : RefineRule::NotSame;
        one.made.operands.push_back(test->operands[1 - i]);
        one.made.type = nullptr;
      }
      found.push_back(std::move(one));
    }
    return found;
  }

  void test_edges(BlockId b) {
    const Operand condition = body_.blocks[b].terminator.value;
    if (condition.kind != Operand::Kind::Value) return;
    for (size_t edge = 0; edge < 2; ++edge) {
      std::vector<Test> found = tests(condition, edge == 0);
      if (found.empty()) continue;
      BlockId target = body_.blocks[b].terminator.targets[edge].block;
      if (predecessors_[target] != 1 || handlers_[target]) {
        const auto& arguments = body_.blocks[b].terminator.targets[edge].arguments;
        const bool is_passed = std::any_of(arguments.begin(), arguments.end(), [&](const Operand& argument) {
          return argument.kind == Operand::Kind::Value &&
                 std::any_of(found.begin(), found.end(),
                             [&](const Test& test) { return test.value == argument.value; });
        });
        if (!is_passed) continue;  // the join behind the edge loses the refinement anyway
        target = split(b, edge);
      }
      is_any_inserted_ = true;
      for (Test& test : found) inserted_[target].push_back(std::move(test));
    }
  }

  BlockId split(BlockId b, size_t edge) {
    const auto added = static_cast<BlockId>(body_.blocks.size());
    Block block;
    block.terminator.kind = Terminator::Kind::Branch;
    block.terminator.position = body_.blocks[b].terminator.position;
    block.terminator.targets.push_back(std::move(body_.blocks[b].terminator.targets[edge]));
    body_.blocks[b].terminator.targets[edge] = {added, {}};
    body_.blocks.push_back(std::move(block));
    inserted_.emplace_back();
    return added;
  }

  // As in SSA construction: down the dominator tree with the present name of each value.
  void rename() {
    names_.resize(body_.values.size());
    for (ValueId v = 0; v < names_.size(); ++v) names_[v] = v;
    std::vector<BlockId> roots;
    const auto children = dominator_tree(body_, roots);
    struct Visit {
      BlockId block;
      bool is_entered;
      std::vector<std::pair<ValueId, ValueId>> undo;
    };
    std::vector<Visit> stack;
    for (auto root = roots.rbegin(); root != roots.rend(); ++root) stack.push_back({*root, false, {}});
    while (!stack.empty()) {
      if (stack.back().is_entered) {
        for (auto undo = stack.back().undo.rbegin(); undo != stack.back().undo.rend(); ++undo)
          names_[undo->first] = undo->second;
        stack.pop_back();
        continue;
      }
      stack.back().is_entered = true;
      const BlockId b = stack.back().block;
      stack.back().undo = rename_block(b);
      for (auto child = children[b].rbegin(); child != children[b].rend(); ++child)
        stack.push_back({*child, false, {}});
    }
  }

  std::vector<std::pair<ValueId, ValueId>> rename_block(BlockId b) {
    std::vector<std::pair<ValueId, ValueId>> undo;
    Block& block = body_.blocks[b];
    std::vector<Statement> made;
    for (Test& test : inserted_[b]) {
      Statement refine = std::move(test.made);
      for (Operand& operand : refine.operands) use_name(operand);
      refine.result = new_value(body_, body_.values[test.value].inferred);
      prepared_.rules.emplace(refine.result, test.rule);
      undo.emplace_back(test.value, names_[test.value]);
      names_[test.value] = refine.result;
      made.push_back(std::move(refine));
    }
    for (Statement& statement : block.statements) {
      for (Operand& operand : statement.operands) use_name(operand);
    }
    use_name(block.terminator.value);
    for (Target& target : block.terminator.targets) {
      for (Operand& argument : target.arguments) use_name(argument);
    }
    block.statements.insert(block.statements.begin(), std::make_move_iterator(made.begin()),
                            std::make_move_iterator(made.end()));
    return undo;
  }

  void use_name(Operand& operand) const {
    if (operand.kind == Operand::Kind::Value && operand.value < names_.size())
      operand.value = names_[operand.value];
  }

  PreparedBody& prepared_;
  Body& body_;
  std::vector<std::pair<BlockId, uint32_t>> definitions_;
  std::vector<std::vector<Test>> inserted_;  // by block
  std::vector<uint32_t> predecessors_;
  std::vector<bool> handlers_;
  std::vector<ValueId> names_;
  bool is_any_inserted_ = false;
};

}  // namespace

PreparedBody with_refines(Body body) {
  PreparedBody prepared{std::move(body), {}};
  Refiner(prepared).run();
  return prepared;
}

PreparedBody prepare(const Method& method) {
  Body body = method.body;
  const std::vector<bool> handlers = handler_blocks(body);
  const auto num_blocks = static_cast<BlockId>(body.blocks.size());
  for (BlockId b = 0; b < num_blocks; ++b) check_results(body, body.blocks[b], method.result);
  for (BlockId b = 0; b < num_blocks; ++b) check_arguments(body, b);
  for (BlockId b = 0; b < num_blocks; ++b) check_parameters(body, b, handlers[b]);
  return with_refines(std::move(body));
}

}  // namespace berth::inference
