// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MethodLowering: what each statement can do to the heap, known before code is made, because it decides which
// references get a slot.
#include "engine/engine.hpp"
#include "jit/lowering/arithmetic.hpp"
#include "jit/lowering/method_lowering.hpp"

namespace berth::jit {

using inference::Leaf;
using inference::Op;
using inference::Operand;
using inference::StructType;

const inference::Type* MethodLowering::type_of(inference::ValueId id) const {
  if (const Type* type = body_.values[id].inferred) return type;
  const auto& parameters = body_.blocks[0].parameters;  // a body that was not inferred
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i] == id) return typed_.specialisation->arguments[i];
  return program_.types().any();
}

const inference::Type* MethodLowering::type_of(const Operand& operand) const {
  return operand.kind == Operand::Kind::Value ? type_of(operand.value)
                                              : program_.types().constant(operand.literal);
}

Shape MethodLowering::shape_of_operand(const Operand& operand) const {
  if (operand.kind == Operand::Kind::Value) return shape_of(type_of(operand.value));
  const LeafKind kind = operand.literal.kind;
  if (kind == LeafKind::Nothing) return {};
  if (kind < LeafKind::String) return {inference::Representation::Unboxed, kind};
  return {inference::Representation::Reference, LeafKind::Nothing};
}

bool MethodLowering::fits(const Operand& operand, const Type* type) const {
  return program_.lattice().is_subtype(type_of(operand), type);
}

bool MethodLowering::may_be_nothing(const Operand& operand) const {
  const Type* type = type_of(operand);
  return type->kind != Type::Kind::Parts || type->has_nothing;
}

/// A conversion that allocates: bools and literals have permanent objects.
bool MethodLowering::boxes(const Operand& operand, const Shape& to) const {
  const Shape from = shape_of_operand(operand);
  return to.is_reference() && from.is_unboxed() && from.kind != LeafKind::Bool &&
         operand.kind == Operand::Kind::Value;
}

bool MethodLowering::has_kinds(const Statement& statement) const {
  const Shape expected{inference::Representation::Unboxed, operand_kind(statement)};
  for (const Operand& operand : statement.operands)
    if (shape_of_operand(operand) != expected) return false;
  return true;
}

const Leaf* MethodLowering::leaf_of_operand(const Statement& statement, size_t i, LeafKind kind) const {
  if (i >= statement.operands.size()) return nullptr;
  const Leaf* leaf = type_of(statement.operands[i])->single_leaf();
  return leaf && leaf->kind == kind ? leaf : nullptr;
}

const StructType* MethodLowering::structure_of(const Statement& statement) const {
  const Type* type = type_of(statement.operands[0]);
  if (type->kind != Type::Kind::Parts || type->parts.size() != 1 || !statement.name) return nullptr;
  const StructType* structure = type->parts.front().leaf->structure;
  if (!structure) return nullptr;
  if (structure->field_index(*statement.name) < 0) return nullptr;
  return statement.op == Op::Set && !structure->is_mutable ? nullptr : structure;
}

const StructType* MethodLowering::structure_to_make(const Statement& statement) const {
  const Leaf* leaf = statement.type ? statement.type->single_leaf() : nullptr;
  if (!leaf || leaf->kind != LeafKind::Struct || leaf->structure->fields.size() != statement.operands.size())
    return nullptr;
  for (size_t i = 0; i < statement.operands.size(); ++i)
    if (!fits(statement.operands[i], leaf->structure->fields[i].type)) return nullptr;
  return leaf->structure;
}

const Leaf* MethodLowering::array_to_access(const Statement& statement) const {
  const Leaf* leaf = leaf_of_operand(statement, 0, LeafKind::Array);
  if (!leaf || !leaf_of_operand(statement, 1, LeafKind::I64)) return nullptr;
  return statement.op == Op::ArraySet && !fits(statement.operands[2], leaf->element) ? nullptr : leaf;
}

bool MethodLowering::reads_item(const Statement& statement) const {
  const Leaf* leaf = leaf_of_operand(statement, 0, LeafKind::Tuple);
  const Operand& index = statement.operands[1];
  return leaf && index.kind == Operand::Kind::Literal && index.literal.kind == LeafKind::I64 &&
         index.literal.bits < leaf->length;
}

const inference::Global* MethodLowering::variable_of(const Statement& statement) const {
  const inference::Global* global = program_.global(*statement.name, program_.engine().world());
  if (!global || global->is_constant || !global->cell) return nullptr;
  return statement.op == Op::GlobalSet && !fits(statement.operands[0], global->type) ? nullptr : global;
}

Safepoint MethodLowering::plan(const Statement& statement) const {
  Safepoint result = plan_operation(statement);
  if (statement.result == inference::kNone) return result;
  if (result == Safepoint::Quiet && body_.values[statement.result].declared) result = Safepoint::Cold;
  return result;
}

Safepoint MethodLowering::plan_operation(const Statement& statement) const {
  const auto hot_if = [](bool hot, Safepoint otherwise) { return hot ? Safepoint::Hot : otherwise; };
  // Unboxed by nature, but wanted as an object: only in bodies that were not inferred.
  const bool boxes_result =
      statement.result != inference::kNone && shape_of(type_of(statement.result)).is_reference();
  if (is_arithmetic(statement.op))
    return hot_if(!has_kinds(statement) || boxes_result,
                  may_trap(statement) ? Safepoint::Cold : Safepoint::Quiet);
  switch (statement.op) {
    case Op::Is:  // bools have permanent objects: never boxed
    case Op::Same:
    case Op::Refine: return Safepoint::Quiet;
    case Op::Assert: return Safepoint::Cold;
    case Op::Field: {
      const StructType* structure = structure_of(statement);
      if (!structure) return Safepoint::Hot;
      const Shape field =
          shape_of(structure->fields[static_cast<size_t>(structure->field_index(*statement.name))].type);
      return hot_if(field.is_unboxed() && boxes_result,
                    may_be_nothing(statement.operands[0]) ? Safepoint::Cold : Safepoint::Quiet);
    }
    case Op::Set: {
      const StructType* structure = structure_of(statement);
      if (!structure) return Safepoint::Hot;
      const Type* type = structure->fields[static_cast<size_t>(structure->field_index(*statement.name))].type;
      return hot_if(!fits(statement.operands[1], type) || boxes(statement.operands[1], shape_of(type)),
                    may_be_nothing(statement.operands[0]) ? Safepoint::Cold : Safepoint::Quiet);
    }
    case Op::Item: return hot_if(!reads_item(statement), Safepoint::Quiet);
    case Op::ArrayLen:
      return hot_if(!leaf_of_operand(statement, 0, LeafKind::Array) || boxes_result, Safepoint::Quiet);
    case Op::StringLen:
      return hot_if(!leaf_of_operand(statement, 0, LeafKind::String) || boxes_result, Safepoint::Quiet);
    case Op::StringByte:
      return hot_if(!leaf_of_operand(statement, 0, LeafKind::String) ||
                        !leaf_of_operand(statement, 1, LeafKind::I64) || boxes_result,
                    Safepoint::Cold);
    case Op::ArrayGet: {
      const Leaf* array = array_to_access(statement);
      return hot_if(!array || (shape_of(array->element).is_unboxed() && boxes_result), Safepoint::Cold);
    }
    case Op::ArraySet: {
      const Leaf* array = array_to_access(statement);
      return hot_if(!array || boxes(statement.operands[2], shape_of(array->element)), Safepoint::Cold);
    }
    case Op::GlobalGet: {
      const inference::Global* global = variable_of(statement);
      return hot_if(!global || (shape_of(global->type).is_unboxed() && boxes_result), Safepoint::Quiet);
    }
    case Op::GlobalSet: {
      const inference::Global* global = variable_of(statement);
      return hot_if(!global || boxes(statement.operands[0], shape_of(global->type)), Safepoint::Quiet);
    }
    default: return Safepoint::Hot;
  }
}

Safepoint MethodLowering::plan(const inference::Block& block) const {
  using Kind = inference::Terminator::Kind;
  const inference::Terminator& terminator = block.terminator;
  Safepoint result = terminator.kind == Kind::Branch ? Safepoint::Quiet : Safepoint::Cold;
  for (const auto& target : terminator.targets) {
    const auto& parameters = body_.blocks[target.block].parameters;
    for (size_t i = 0; i < target.arguments.size() && i < parameters.size(); ++i) {
      if (boxes(target.arguments[i], shape_of(type_of(parameters[i])))) return Safepoint::Hot;
      if (body_.values[parameters[i]].declared) result = Safepoint::Cold;
    }
  }
  const bool boxes_returned = terminator.kind == Kind::Return && boxes(terminator.value, convention_.result);
  return boxes_returned ? Safepoint::Hot : result;
}

}  // namespace berth::jit
