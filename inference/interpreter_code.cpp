// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/interpreter_code.hpp"

#include <algorithm>
#include <unordered_set>

#include "inference/arithmetic.hpp"
#include "inference/interpreter.hpp"
#include "inference/program.hpp"
#include "inference/runtime_impl.hpp"

namespace berth::inference {
namespace {

static_assert(static_cast<unsigned>(Op::ChannelClose) < InterpreterCode::kFirstShort);

InterpreterCode::Check check_of(const Type* declared) {
  if (!declared || declared->is_any()) return {};
  InterpreterCode::Check check{declared, LeafKind::Nothing};
  const Leaf* leaf = declared->kind == Type::Kind::Parts && !declared->has_nothing && declared->parts.size() == 1 &&
                             declared->parts[0].precision == Part::Precision::Whole
                         ? declared->parts[0].leaf
                         : nullptr;
  if (leaf && leaf->kind <= LeafKind::Task) check.kind = leaf->kind;
  return check;
}

uint8_t code_of(const Statement& statement) {
  using C = InterpreterCode;
  if (!statement.checked && statement.number == LeafKind::I64) {
    switch (statement.op) {
      case Op::Add: return C::kAddI64;
      case Op::Sub: return C::kSubI64;
      case Op::Mul: return C::kMulI64;
      case Op::Lt: return C::kLtI64;
      case Op::Le: return C::kLeI64;
      case Op::Eq: return C::kEqI64;
      default: break;
    }
  }
  if (statement.number == LeafKind::F64) {
    switch (statement.op) {
      case Op::Add: return C::kAddF64;
      case Op::Sub: return C::kSubF64;
      case Op::Mul: return C::kMulF64;
      case Op::Div: return C::kDivF64;
      case Op::Lt: return C::kLtF64;
      default: break;
    }
  }
  if (statement.op == Op::Convert || statement.op == Op::Truncate || statement.op == Op::Bits) return C::kConversion;
  if (number_operands(statement.op) != 0) return C::kNumber;
  return static_cast<uint8_t>(statement.op);
}

}  // namespace

InterpreterCode::InterpreterCode(Runtime& runtime, const Method& method, const Body& body)
    : method(method), kind{&Interpreter::scan, 0, &method}, num_registers(static_cast<uint32_t>(body.values.size())) {
  for (uint32_t id = 0; id < body.values.size(); ++id) {
    if (const Check check = check_of(body.values[id].declared); check.type) checks.emplace(id, check);
  }
  parameters.assign(body.blocks.front().parameters.begin(), body.blocks.front().parameters.end());
  for (const Type* type : method.signature) parameter_checks.push_back(check_of(type));
  result_check = check_of(method.result);
  for (uint32_t i = 0; i < body.blocks.size(); ++i) {
    const Block& block = body.blocks[i];
    BlockEntry entry{static_cast<uint32_t>(instructions.size()), block.handler, 0};
    if (block.handler != kNone) entry.handler_register = body.blocks[block.handler].parameters.front();
    blocks.push_back(entry);
    for (const Statement& statement : block.statements) add_statement(runtime, body, statement, i);
    add_terminator(runtime, body, block.terminator, i);
  }
  for (berth::inference::InterpreterCode::Target& target : targets) {
    target.pc = blocks[target.block].pc;
    target.cost = static_cast<uint32_t>(body.blocks[target.block].statements.size()) + 1;
    has_loop |= target.is_back_edge;
  }
  constant_index_.clear();
}

uint32_t InterpreterCode::encode(Runtime& runtime, const Operand& operand) {
  if (operand.kind == Operand::Kind::Value) return operand.value * 2;
  Literal literal = operand.literal;
  if (operand.kind == Operand::Kind::Name) {
    literal = {};
    literal.kind = LeafKind::Function;
    literal.function = runtime.program().intern_function(*operand.name);
  }
  const Value value = literal.kind < LeafKind::String ? Value::of_bits(literal.kind, literal.bits)
                                                      : object_value(literal.kind, runtime.literal_object(literal));
  std::vector<uint32_t>& candidates = constant_index_[value.bits];
  for (const uint32_t index : candidates) {
    if (constants[index].kind == value.kind) return index * 2 + 1;
  }
  candidates.push_back(static_cast<uint32_t>(constants.size()));
  constants.push_back(value);
  return candidates.back() * 2 + 1;
}

void InterpreterCode::add_statement(Runtime& runtime, const Body&, const Statement& statement, uint32_t block) {
  Instruction instruction;
  instruction.code = code_of(statement);
  instruction.count = static_cast<uint8_t>(std::min<size_t>(statement.operands.size(), UINT8_MAX));
  instruction.number = statement.number;
  instruction.first = static_cast<uint32_t>(operands.size());
  instruction.result = statement.result;
  instruction.block = block;
  instruction.checked_result = checks.contains(statement.result);
  instruction.statement = &statement;
  instruction.position = &statement.position;
  for (const Operand& operand : statement.operands) operands.push_back(encode(runtime, operand));
  instructions.push_back(instruction);
}

void InterpreterCode::add_terminator(Runtime& runtime, const Body& body, const Terminator& terminator, uint32_t block) {
  static constexpr uint8_t kCodes[] = {kBranch, kCondition, kSwitch, kReturn, kThrow, kUnreachable};
  Instruction instruction;
  instruction.code = kCodes[static_cast<size_t>(terminator.kind)];
  instruction.block = block;
  instruction.first = static_cast<uint32_t>(operands.size());
  instruction.target = static_cast<uint32_t>(targets.size());
  instruction.position = &terminator.position;
  if (terminator.kind != Terminator::Kind::Branch && terminator.kind != Terminator::Kind::Unreachable) {
    operands.push_back(encode(runtime, terminator.value));
  }
  if (terminator.kind == Terminator::Kind::Switch) {
    // Case values follow the operand as constants.
    instruction.number = LeafKind::I64;
    for (const int64_t value : terminator.cases) {
      Operand literal;
      literal.literal = {LeafKind::I64, static_cast<uint64_t>(value)};
      operands.push_back(encode(runtime, literal));
    }
    instruction.result = static_cast<uint32_t>(terminator.cases.size());
  }
  instructions.push_back(instruction);
  for (const berth::inference::Target& target : terminator.targets) add_target(runtime, body, target, block);
}

void InterpreterCode::add_target(Runtime& runtime, const Body& body, const berth::inference::Target& target, uint32_t block) {
  InterpreterCode::Target made;
  made.block = target.block;
  made.first_move = static_cast<uint32_t>(moves.size());
  made.num_moves = static_cast<uint32_t>(target.arguments.size());
  made.is_back_edge = target.block <= block;
  std::unordered_set<uint32_t> written;
  for (uint32_t i = 0; i < made.num_moves; ++i) {
    Move move{encode(runtime, target.arguments[i]), body.blocks[target.block].parameters[i], {}};
    if (const auto check = checks.find(move.destination); check != checks.end()) move.check = check->second;
    made.overlaps |= move.operand % 2 == 0 && written.contains(move.operand / 2);
    written.insert(move.destination);
    moves.push_back(move);
  }
  targets.push_back(made);
}

}  // namespace berth::inference
