// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/builder.hpp"

#include <fmt/format.h>

#include <utility>

#include "inference/statement_rules.hpp"
#include "inference/text.hpp"

namespace berth::inference {
namespace {

Error broken_rule(const Method& method, const BrokenRule& broken) {
  return make_error(BERTH_TYPE_ERROR, method.name, fmt::format("{}: {}", broken.rule, broken.text), "");
}

}  // namespace

Builder::Builder(Program& program, std::string name, Kind kind)
    : program_(program), method_(std::make_unique<Method>()), is_terminated_(1, false) {
  method_->function = program.intern_function(name);
  method_->name = std::move(name);
  method_->is_kernel = kind == Kind::Kernel;
  method_->body.blocks.emplace_back();
}

ValueId Builder::define(const Type* declared) {
  auto& values = method_->body.values;
  values.push_back({"", declared && declared->is_any() ? nullptr : declared});
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Builder::parameter(const Type* declared) {
  const ValueId id = define(declared);
  method_->body.blocks[0].parameters.push_back(id);
  method_->signature.push_back(declared ? declared : program_.types().any());
  return id;
}

BlockId Builder::block() {
  method_->body.blocks.emplace_back();
  is_terminated_.push_back(false);
  return static_cast<BlockId>(is_terminated_.size() - 1);
}

Result<void> Builder::check_open(BlockId block) const {
  if (is_finished_)
    return make_error(BERTH_INVALID_ARGUMENT, "builder", "the method is finished", "use a new builder");
  if (block >= is_terminated_.size()) {
    return make_error(BERTH_INVALID_ARGUMENT, method_->name, fmt::format("no block ^{}", block),
                      "use one that block() gave");
  }
  return success();
}

Result<ValueId> Builder::parameter(BlockId block, const Type* declared) {
  BERTH_TRYV(check_open(block));
  if (block == 0)
    return make_error(BERTH_INVALID_ARGUMENT, method_->name, "a block parameter of the entry",
                      "use parameter(type)");
  const ValueId id = define(declared);
  method_->body.blocks[block].parameters.push_back(id);
  return id;
}

Result<void> Builder::protect(BlockId block, BlockId handler) {
  BERTH_TRYV(check_open(block));
  BERTH_TRYV(check_open(handler));
  if (handler == 0) return broken_rule(*method_, {"blocks", "the entry as handler, expected another block"});
  if (method_->is_kernel)
    return broken_rule(*method_, {"kernel subset", "catch in a kernel, expected fault"});
  method_->body.blocks[block].handler = handler;
  return success();
}

Result<void> Builder::enter(BlockId block) {
  BERTH_TRYV(check_open(block));
  if (is_terminated_[block]) {
    return make_error(BERTH_INVALID_ARGUMENT, method_->name,
                      fmt::format("block ^{} has its terminator", block), "enter another block");
  }
  current_ = block;
  return success();
}

Result<void> Builder::check_values(const std::vector<Operand>& operands) const {
  for (const Operand& operand : operands) {
    if (operand.kind != Operand::Kind::Value || operand.value < method_->body.values.size()) continue;
    return broken_rule(
        *method_,
        {"values",
         fmt::format("value number {} is not defined in this method, expected one that is", operand.value)});
  }
  return success();
}

Result<ValueId> Builder::add(Statement statement, const Type* declared) {
  BERTH_TRYV(enter(current_));
  BERTH_TRYV(check_values(statement.operands));
  if (auto broken = check_statement(program_, *method_, method_->body, statement, Strictness::Defined)) {
    return broken_rule(*method_, broken);
  }
  statement.result = define(declared);
  statement.position = position_;
  const ValueId result = statement.result;
  method_->body.blocks[current_].statements.push_back(std::move(statement));
  return result;
}

Result<ValueId> Builder::add(Op op, std::initializer_list<Operand> operands) {
  return add(op, LeafKind::Nothing, operands);
}

Result<ValueId> Builder::add(Op op, LeafKind number, std::initializer_list<Operand> operands) {
  Statement statement;
  statement.op = op;
  statement.number = number;
  statement.operands = operands;
  return add(std::move(statement));
}

Result<ValueId> Builder::call(std::string_view function_name, std::initializer_list<Operand> arguments) {
  Statement statement;
  statement.op = Op::Call;
  statement.operands.push_back(function(function_name));
  statement.operands.insert(statement.operands.end(), arguments);
  return add(std::move(statement));
}

Result<void> Builder::terminate(Terminator terminator) {
  BERTH_TRYV(enter(current_));
  BERTH_TRYV(check_values({terminator.value}));
  if (auto broken = check_terminator(*method_, terminator, Strictness::Defined))
    return broken_rule(*method_, broken);
  for (const Target& target : terminator.targets) {
    BERTH_TRYV(check_open(target.block));
    BERTH_TRYV(check_values(target.arguments));
    if (target.block == 0)
      return broken_rule(*method_, {"blocks", "a branch to the entry, expected another block"});
    // Parameters may still be added to a block that is empty so far: `finish` checks then.
    if (target.arguments.size() != method_->body.blocks[target.block].parameters.size()) continue;
    if (auto broken = check_arguments(program_, method_->body, target, Strictness::Defined))
      return broken_rule(*method_, broken);
  }
  terminator.position = position_;
  method_->body.blocks[current_].terminator = std::move(terminator);
  is_terminated_[current_] = true;
  return success();
}

Result<void> Builder::branch(BlockId target, std::initializer_list<Operand> arguments) {
  Terminator terminator;
  terminator.kind = Terminator::Kind::Branch;
  terminator.targets.push_back({target, arguments});
  return terminate(std::move(terminator));
}

Result<void> Builder::condition(Operand value, Target if_true, Target if_false) {
  Terminator terminator;
  terminator.kind = Terminator::Kind::Condition;
  terminator.value = value;
  terminator.targets = {std::move(if_true), std::move(if_false)};
  return terminate(std::move(terminator));
}

Result<void> Builder::give_back(Operand value) {
  Terminator terminator;
  terminator.kind = Terminator::Kind::Return;
  terminator.value = value;
  return terminate(std::move(terminator));
}

Result<void> Builder::raise(Operand value) {
  Terminator terminator;
  terminator.kind = Terminator::Kind::Throw;
  terminator.value = value;
  return terminate(std::move(terminator));
}

Result<std::unique_ptr<Method>> Builder::finish() {
  BERTH_TRYV(check_open(0));
  for (BlockId id = 0; id < is_terminated_.size(); ++id) {
    if (is_terminated_[id]) continue;
    return make_error(BERTH_INVALID_ARGUMENT, method_->name, fmt::format("block ^{} has no terminator", id),
                      "enter it and terminate");
  }
  BERTH_TRYV(verify(program_, *method_));
  is_finished_ = true;
  auto finished = std::exchange(method_, std::make_unique<Method>());
  method_->body.blocks.emplace_back();
  return finished;
}

Operand Builder::value(ValueId id) noexcept {
  Operand operand;
  operand.kind = Operand::Kind::Value;
  operand.value = id;
  return operand;
}

Operand Builder::literal(const Literal& literal) noexcept {
  Operand operand;
  operand.literal = literal;
  return operand;
}

Operand Builder::number(LeafKind kind, uint64_t bits) noexcept {
  Literal made;
  made.kind = kind;
  made.bits = bits;
  return literal(made);
}

Operand Builder::string(std::string_view text) {
  Literal made;
  made.kind = LeafKind::String;
  made.string = program_.types().string(text);
  return literal(made);
}

Operand Builder::function(std::string_view name) {
  Literal made;
  made.kind = LeafKind::Function;
  made.function = program_.intern_function(name);
  return literal(made);
}

}  // namespace berth::inference
