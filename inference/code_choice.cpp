// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/code_choice.hpp"

#include <algorithm>

#include "inference/arithmetic.hpp"
#include "inference/program.hpp"
#include "inference/runtime_impl.hpp"

namespace berth::inference {
namespace {

using Code = InterpreterCode;

/// The code of a statement on numbers of this kind, or Number.
uint8_t quick_code(Op op, LeafKind kind) {
  const auto key = [](Op o, LeafKind k) constexpr {
    return static_cast<unsigned>(o) << 8 | static_cast<unsigned>(k);
  };
  switch (key(op, kind)) {
    // clang-format off
#define BERTH_X(operation, number, type) \
  case key(Op::operation, LeafKind::number): return Code::k##operation##number;
    BERTH_QUICK_INTEGERS(BERTH_X) BERTH_QUICK_FLOATS(BERTH_X)
#undef BERTH_X
    default: return Code::kNumber;
    // clang-format on
  }
}

/// What a statement always gives, from itself alone; Nothing: not known.
LeafKind result_kind(const Statement& statement) {
  switch (statement.op) {
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Not:
    case Op::Is:
    case Op::Same:
    case Op::StringEq:
    case Op::CasField:
    case Op::CasItem: return LeafKind::Bool;
    case Op::Convert:
    case Op::Truncate:
    case Op::Bits: return statement.to;
    case Op::ArrayLen:
    case Op::StringLen: return LeafKind::I64;
    case Op::StringByte: return LeafKind::U8;
    default: return number_operands(statement.op) != 0 ? statement.number : LeafKind::Nothing;
  }
}

/// Whether all values of `from` are values of `to`, and so have the same bits there.
bool holds_all_of(LeafKind to, LeafKind from) {
  if (!is_integer(from) || !is_integer(to)) return false;
  if (is_signed(from)) return is_signed(to) && bytes_of(from) <= bytes_of(to);
  return bytes_of(from) < bytes_of(to) || (!is_signed(to) && bytes_of(from) == bytes_of(to));
}

/// The kind of all objects of a declared type, `nothing` aside; Nothing: there are several, or numbers.
LeafKind object_kind(const Type& type) {
  if (type.kind != Type::Kind::Parts || type.parts.empty()) return LeafKind::Nothing;
  const LeafKind kind = type.parts.front().leaf->kind;
  for (const Part& part : type.parts) {
    if (part.leaf->kind != kind) return LeafKind::Nothing;
  }
  return kind >= LeafKind::String ? kind : LeafKind::Nothing;
}

}  // namespace

CodeChoice::CodeChoice(Runtime& runtime, const Method& method, const Body& body, InterpreterCode& code)
    : runtime_(runtime), body_(body), code_(code), kinds_(body.values.size(), LeafKind::Nothing) {
  const auto learn = [&](ValueId value, LeafKind kind) {
    if (kinds_[value] == LeafKind::Nothing) kinds_[value] = kind;
  };
  for (ValueId value = 0; value < body.values.size(); ++value) {
    if (const Type* inferred = body.values[value].inferred; inferred && inferred->only_leaf)
      learn(value, inferred->only_leaf->kind);
  }
  const std::vector<ValueId>& parameters = body.blocks.front().parameters;
  for (size_t i = 0; i < parameters.size() && i < method.signature.size(); ++i) {
    if (const Leaf* leaf = method.signature[i]->only_leaf) learn(parameters[i], leaf->kind);
  }
  for (const Block& block : body.blocks) {
    for (const Statement& statement : block.statements) {
      learn(statement.result, result_kind(statement));
      learn(statement.result, InterpreterCode::check_of(body.values[statement.result].declared).kind);
    }
  }
}

LeafKind CodeChoice::kind_of(const Operand& operand) const {
  if (operand.kind == Operand::Kind::Value) return kinds_[operand.value];
  return operand.kind == Operand::Kind::Literal ? operand.literal.kind : LeafKind::Function;
}

const Leaf* CodeChoice::leaf_of(const Operand& operand) const {
  if (operand.kind != Operand::Kind::Value) return nullptr;
  const Type* inferred = body_.values[operand.value].inferred;
  return inferred ? inferred->only_leaf : nullptr;
}

bool CodeChoice::is_proven(const Operand& operand, const Type* declared) const {
  if (declared->is_any()) return true;
  const Type* inferred =
      operand.kind == Operand::Kind::Value ? body_.values[operand.value].inferred : nullptr;
  return inferred && runtime_.program().lattice().is_subtype(inferred, declared);
}

// Or nothing: what is stored as it is.
bool CodeChoice::is_proven_object(const Operand& operand) const {
  const Type* inferred =
      operand.kind == Operand::Kind::Value ? body_.values[operand.value].inferred : nullptr;
  if (!inferred || inferred->kind != Type::Kind::Parts) return false;
  return std::all_of(inferred->parts.begin(), inferred->parts.end(),
                     [](const Part& part) { return part.leaf->kind >= LeafKind::String; });
}

void CodeChoice::choose(Instruction& instruction, const Statement& statement) {
  if (number_operands(statement.op) != 0) return choose_number(instruction, statement);
  switch (statement.op) {
    case Op::Not: instruction.code = Code::kNot; return;
    case Op::Same: instruction.code = Code::kSame; return;
    case Op::Is: return choose_is(instruction, statement);
    case Op::Refine: instruction.code = Code::kMove; return;
    case Op::ArrayLen: instruction.code = Code::kArrayLen; return;
    case Op::StringLen: instruction.code = Code::kStringLen; return;
    case Op::StringByte: instruction.code = Code::kStringByte; return;
    case Op::Item: instruction.code = Code::kItem; return;
    case Op::ArrayGet:
    case Op::ArraySet: return choose_access(instruction, statement);
    case Op::Field:
    case Op::Set: return choose_field(instruction, statement);
    case Op::Call: instruction.code = Code::kCall; return;
    case Op::Invoke: instruction.code = Code::kInvoke; return;
    case Op::BarrierBlock: instruction.code = Code::kBarrierBlock; return;
    case Op::BarrierGrid: instruction.code = Code::kBarrierGrid; return;
    default: return;
  }
}

void CodeChoice::choose_number(Instruction& instruction, const Statement& statement) {
  if (statement.op == Op::Convert || statement.op == Op::Truncate || statement.op == Op::Bits) {
    const bool widens = statement.op != Op::Bits && kind_of(statement.operands[0]) == statement.number &&
                        holds_all_of(statement.to, statement.number);
    instruction.code = widens ? Code::kRetag : Code::kConversion;
    instruction.kind = statement.to;
    return;
  }
  instruction.code = Code::kNumber;
  const uint8_t code =
      statement.checked ? uint8_t{Code::kNumber} : quick_code(statement.op, statement.number);
  if (code == Code::kNumber) return;
  const bool proven =
      std::all_of(statement.operands.begin(), statement.operands.end(),
                  [&](const Operand& operand) { return kind_of(operand) == statement.number; });
  instruction.code = proven ? code : uint8_t{Code::kAnyNumber};
  instruction.inner = code;
  instruction.kind = statement.number;
}

void CodeChoice::choose_is(Instruction& instruction, const Statement& statement) {
  const Type& type = *statement.type;
  instruction.code = Code::kIs;
  if (type.kind != Type::Kind::Parts) return;
  if (type.parts.empty() && type.has_nothing) {
    instruction.code = Code::kIsNothing;
  } else if (type.only_leaf && type.parts.size() == 1 && type.parts[0].precision == Part::Precision::Whole) {
    instruction.code = Code::kIsLeaf;
    instruction.c = static_cast<uint32_t>(code_.leaves.size());
    code_.leaves.push_back(type.only_leaf);
  }
}

void CodeChoice::choose_access(Instruction& instruction, const Statement& statement) {
  const bool gets = statement.op == Op::ArrayGet;
  instruction.code = gets ? Code::kAnyGet : Code::kAnySet;
  const Leaf* leaf = leaf_of(statement.operands[0]);
  if (!leaf || leaf->kind != LeafKind::Array || kind_of(statement.operands[1]) != LeafKind::I64) return;
  LeafKind kind{};
  if (!is_unboxed(leaf->element, kind)) {
    kind = object_kind(*leaf->element);
    if (gets && kind != LeafKind::Nothing) instruction.code = Code::kGetObject;
    if (!gets && is_proven_object(statement.operands[2]) && is_proven(statement.operands[2], leaf->element))
      instruction.code = Code::kSetObject;
  } else if (gets || kind_of(statement.operands[2]) == kind) {
    switch (kind) {
      case LeafKind::Bool:
      case LeafKind::U8: instruction.code = gets ? Code::kGetByte : Code::kSetByte; break;
      case LeafKind::U32:
      case LeafKind::F32: instruction.code = gets ? Code::kGetWord32 : Code::kSetWord32; break;
      case LeafKind::I64:
      case LeafKind::U64:
      case LeafKind::F64: instruction.code = gets ? Code::kGetWord : Code::kSetWord; break;
      default: break;
    }
  }
  instruction.kind = kind;
}

void CodeChoice::choose_field(Instruction& instruction, const Statement& statement) {
  const bool gets = statement.op == Op::Field;
  instruction.code = gets ? Code::kAnyField : Code::kAnyPut;
  const Leaf* leaf = leaf_of(statement.operands[0]);
  if (!leaf || leaf->kind != LeafKind::Struct || (!gets && !leaf->structure->is_mutable)) return;
  const std::vector<Field>& fields = leaf->structure->fields;
  size_t index = statement.field;
  if (statement.name && (index >= fields.size() || fields[index].name != *statement.name)) {
    index = static_cast<size_t>(leaf->structure->field_index(*statement.name));
  }
  if (index >= fields.size()) return;
  LeafKind kind{};
  const Type* declared = fields[index].type;
  if (is_unboxed(declared, kind)) {
    if (!gets && kind_of(statement.operands[1]) != kind) return;
    instruction.code = gets ? Code::kFieldWord : Code::kPutWord;
  } else if (gets) {
    kind = object_kind(*declared);
    instruction.code = kind != LeafKind::Nothing ? Code::kFieldObject : Code::kFieldBoxed;
  } else {
    if (!is_proven_object(statement.operands[1]) || !is_proven(statement.operands[1], declared)) return;
    instruction.code = Code::kPutObject;
  }
  instruction.kind = kind;
  instruction.c = static_cast<uint32_t>(8 + 8 * index);
}

}  // namespace berth::inference
