// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/verifier.hpp"

#include <fmt/format.h>

namespace berth::inference {

Result<void> Verifier::run() {
  if (auto broken = check_signature(method_); broken && strictness_ == Strictness::Defined) {
    return error(0, method_.position, broken);
  }
  BERTH_TRYV(check_shape());
  BERTH_TRYV(define_all());
  const Dominators dominators(body_);
  for (BlockId id = 0; id < body_.blocks.size(); ++id) BERTH_TRYV(check_block(id, dominators));
  return success();
}

Error Verifier::error(BlockId block, const Position& at, const BrokenRule& broken) const {
  const Position& place = at.file ? at : method_.position;
  const std::string asked =
      place.file ? fmt::format("{}:{}:{}", *place.file, place.line, place.column) : method_.name;
  return make_error(BERTH_TYPE_ERROR, asked,
                    fmt::format("{} {}, block ^{}: {}: {}", method_.is_kernel ? "kernel" : "method",
                                method_.name, block, broken.rule, broken.text),
                    "");
}

std::string Verifier::name_of_value(ValueId value) const {
  if (value >= body_.values.size() || body_.values[value].name.empty())
    return fmt::format("number {}", value);
  return "%" + body_.values[value].name;
}

Result<void> Verifier::check_shape() {
  if (body_.blocks.empty()) return error(0, method_.position, {"blocks", "none, expected at least one"});
  for (BlockId id = 0; id < body_.blocks.size(); ++id) BERTH_TRYV(check_block_shape(id));
  const auto& parameters = body_.blocks[0].parameters;
  if (parameters.size() != method_.signature.size() && strictness_ == Strictness::Defined) {
    return error(0, method_.position,
                 {"signature", fmt::format("{} parameters for {} types, expected one each", parameters.size(),
                                           method_.signature.size())});
  }
  return success();
}

Result<void> Verifier::check_block_shape(BlockId id) {
  const Block& block = body_.blocks[id];
  const Position& at = block.terminator.position;
  if (block.handler != kNone) {
    if (block.handler >= body_.blocks.size())
      return error(id, at, {"blocks", "its handler does not exist, expected a block"});
    if (block.handler == 0) return error(id, at, {"blocks", "the entry as handler, expected another block"});
    if (body_.blocks[block.handler].parameters.size() != 1) {
      return error(id, at,
                   {"handler", fmt::format("handler ^{} has {} parameters, expected one, the error",
                                           block.handler, body_.blocks[block.handler].parameters.size())});
    }
    if (method_.is_kernel && strictness_ == Strictness::Defined) {
      return error(id, at, {"kernel subset", "catch in a kernel, expected fault"});
    }
  }
  if (auto broken = check_terminator(method_, block.terminator, strictness_)) return error(id, at, broken);
  for (const Target& target : block.terminator.targets) {
    if (target.block >= body_.blocks.size())
      return error(id, at, {"blocks", "a target does not exist, expected a block"});
    if (target.block == 0) return error(id, at, {"blocks", "a branch to the entry, expected another block"});
  }
  return success();
}

Result<void> Verifier::define(BlockId block, uint32_t position, ValueId value, const Position& at) {
  if (value >= body_.values.size())
    return error(block, at, {"values", "a result that is no value of the method, expected one"});
  if (definitions_[value].block != kNone) {
    return error(block, at,
                 {"values", fmt::format("value {} defined twice, expected once", name_of_value(value))});
  }
  definitions_[value] = {block, position};
  return success();
}

Result<void> Verifier::define_all() {
  definitions_.assign(body_.values.size(), {});
  for (BlockId id = 0; id < body_.blocks.size(); ++id) {
    const Block& block = body_.blocks[id];
    for (const ValueId parameter : block.parameters)
      BERTH_TRYV(define(id, 0, parameter, block.terminator.position));
    for (uint32_t i = 0; i < block.statements.size(); ++i) {
      BERTH_TRYV(define(id, i + 1, block.statements[i].result, block.statements[i].position));
    }
  }
  const auto& parameters = body_.blocks[0].parameters;
  for (size_t i = 0; i < parameters.size() && strictness_ == Strictness::Defined; ++i) {
    const Type* declared = body_.values[parameters[i]].declared;
    if (declared ? declared == method_.signature[i] : method_.signature[i]->is_any()) continue;
    return error(
        0, method_.position,
        {"signature", fmt::format("parameter {} has another type than its value, expected the same", i + 1)});
  }
  return success();
}

Result<void> Verifier::check_use(const Operand& operand, BlockId block, uint32_t position,
                                 const Dominators& dominators, const Position& at) {
  if (operand.kind != Operand::Kind::Value) return success();
  const ValueId value = operand.value;
  if (value >= body_.values.size() || definitions_[value].block == kNone) {
    return error(block, at,
                 {"values", fmt::format("value {} is not defined in this method, expected one that is",
                                        name_of_value(value))});
  }
  const Definition& definition = definitions_[value];
  if (definition.block == block) {
    if (definition.position < position) return success();
  } else if (dominators.dominates(definition.block, block)) {
    return success();
  }
  return error(block, at,
               {"dominance",
                fmt::format("value {} of ^{} is used where it may not be defined yet, expected a use "
                            "behind its definition on every path (in a handler: before the protected block)",
                            name_of_value(value), definition.block)});
}

Result<void> Verifier::check_block(BlockId id, const Dominators& dominators) {
  const Block& block = body_.blocks[id];
  uint32_t position = 1;
  for (const Statement& statement : block.statements) {
    for (const Operand& operand : statement.operands) {
      BERTH_TRYV(check_use(operand, id, position, dominators, statement.position));
    }
    if (auto broken = check_statement(program_, method_, body_, statement, strictness_)) {
      return error(id, statement.position, broken);
    }
    ++position;
  }
  const Terminator& terminator = block.terminator;
  BERTH_TRYV(check_use(terminator.value, id, position, dominators, terminator.position));
  for (const Target& target : terminator.targets) {
    for (const Operand& argument : target.arguments)
      BERTH_TRYV(check_use(argument, id, position, dominators, terminator.position));
    if (auto broken = check_arguments(program_, body_, target, strictness_))
      return error(id, terminator.position, broken);
  }
  return success();
}

Result<void> verify(Program& program, const Method& method) {
  return Verifier(program, method, method.body, Strictness::Defined).run();
}

Result<void> verify_body(Program& program, const Method& method, const Body& body) {
  return Verifier(program, method, body, Strictness::Rewritten).run();
}

}  // namespace berth::inference
