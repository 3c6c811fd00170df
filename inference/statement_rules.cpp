// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/statement_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "inference/operations.hpp"

namespace berth::inference {
namespace {

bool is_number_type(const Type* type) {
  const Leaf* leaf = type ? type->single_leaf() : nullptr;
  return leaf && is_number(leaf->kind);
}

bool is_literal(const Operand& operand, LeafKind kind) {
  return operand.kind == Operand::Kind::Literal && operand.literal.kind == kind;
}

/// What is known of an operand without inference; null: nothing.
const Type* known_type(Program& program, const Body& body, const Operand& operand) {
  if (operand.kind == Operand::Kind::Value) return body.values[operand.value].declared;
  return operand.kind == Operand::Kind::Literal ? program.types().constant(operand.literal) : nullptr;
}

BrokenRule check_operands(const Statement& statement) {
  const int n = row_of(statement.op).operands;
  const size_t found = statement.operands.size();
  if (n >= 0 && found != static_cast<size_t>(n))
    return {"operands", fmt::format("{} operands, expected {}", found, n)};
  const Shape shape = shape_of(statement.op);
  if ((shape == Shape::Call || statement.op == Op::ChannelPublish) && found == 0) {
    return {"operands", "no operand, expected what it is called on first"};
  }
  if (shape == Shape::Launch && found < 6)
    return {"operands", fmt::format("{} operands, expected six sizes and the arguments", found)};
  for (const Operand& operand : statement.operands) {
    if (operand.kind == Operand::Kind::Name)
      return {"names", "an unresolved name, expected a value or a literal"};
  }
  return {};
}

BrokenRule check_suffix(const Statement& statement) {
  const Op op = statement.op;
  const Suffix suffix = row_of(op).suffix;
  if (suffix == Suffix::Number && !is_legal_number(op, statement.number)) {
    return {"number", fmt::format("no operation {}.{}, expected a number type that it exists for",
                                  text_of(op), name_of(statement.number))};
  }
  if (suffix == Suffix::FromTo && !is_legal_conversion(op, statement.number, statement.to)) {
    return {"number", fmt::format("no conversion {}.{}.{}, expected two number types (bits: of equal size)",
                                  text_of(op), name_of(statement.number), name_of(statement.to))};
  }
  if (statement.checked && !can_be_checked(op, statement.number)) {
    return {"number", "checked, expected add, sub or mul of integers"};
  }
  if (!is_legal_order(access_of(op), statement.order)) {
    return {"order",
            fmt::format("order \"{}\", expected one that the access can have", name_of(statement.order))};
  }
  if (statement.scope != Scope::System && !can_have_scope(op)) return {"order", "a scope, expected none"};
  return {};
}

BrokenRule check_host(const Statement& statement) {
  const auto is_legal = [](const Type* type) {
    const Leaf* leaf = type ? type->single_leaf() : nullptr;
    return leaf &&
           (leaf->kind == LeafKind::I64 || leaf->kind == LeafKind::F64 || leaf->kind == LeafKind::Nothing);
  };
  if (!is_legal(statement.type)) return {"type", "result of a C function, expected i64, f64 or nothing"};
  for (const Operand& operand : statement.operands) {
    if (operand.kind != Operand::Kind::Literal) continue;
    if (operand.literal.kind == LeafKind::I64 || operand.literal.kind == LeafKind::F64) continue;
    return {"type", "argument of a C function, expected i64 or f64"};
  }
  return {};
}

BrokenRule check_new(const Statement& statement) {
  const Leaf* leaf = statement.type ? statement.type->single_leaf() : nullptr;
  if (!leaf || leaf->kind != LeafKind::Struct)
    return {"type", "new of what is no struct, expected the name of one"};
  const size_t n = leaf->structure->fields.size(), found = statement.operands.size();
  if (n != found)
    return {"fields",
            fmt::format("{} values for the {} fields of {}, expected one each", found, n, leaf->name)};
  return {};
}

constexpr std::string_view kErrorFields[] = {"kind", "text", "at", "stack", "value"};

BrokenRule check_member(const Body& body, const Statement& statement) {
  if (!statement.name) return {"names", "no field, expected its name"};
  const Operand& object = statement.operands[0];
  const Type* type = object.kind == Operand::Kind::Value ? body.values[object.value].declared : nullptr;
  const Leaf* leaf = type ? type->single_leaf() : nullptr;
  if (!leaf) return {};
  const bool is_write = statement.op != Op::Field && statement.op != Op::AtomicField;
  if (leaf->kind == LeafKind::Error && statement.op == Op::Field) {
    if (std::find(std::begin(kErrorFields), std::end(kErrorFields), *statement.name) !=
        std::end(kErrorFields))
      return {};
  } else if (leaf->kind == LeafKind::Struct && leaf->structure->field_index(*statement.name) >= 0) {
    if (!is_write || leaf->structure->is_mutable) return {};
    return {"mutability", fmt::format("{} is immutable, expected a mutable type", leaf->name)};
  }
  return {"fields",
          fmt::format("no field {} in {}, expected one that is defined", *statement.name, type->name)};
}

BrokenRule check_types(const Statement& statement) {
  switch (statement.op) {
    case Op::New: return check_new(statement);
    case Op::CallHost: return check_host(statement);
    case Op::ArrayNew:
    case Op::Is:
    case Op::Assert:
    case Op::Refine:
      if (!statement.type) return {"type", "no type, expected one"};
      return {};
    case Op::Shared:
    case Op::BufferNew:
    case Op::ChannelNew:
      if (!is_number_type(statement.type))
        return {"type", "elements of no number type, expected one number type"};
      return {};
    default: return {};
  }
}

BrokenRule check_literals(const Statement& statement) {
  if (takes_dimension(statement.op)) {
    const Operand& operand = statement.operands[0];
    if (!is_literal(operand, LeafKind::I64) || operand.literal.bits > 2)
      return {"literal", "dimension, expected the literal 0, 1 or 2"};
  }
  if (statement.op == Op::Shared) {
    const Operand& operand = statement.operands[0];
    if (!is_literal(operand, LeafKind::I64) || operand.literal.bits == 0 ||
        operand.literal.bits > (1u << 24)) {
      return {"literal", "size of shared memory, expected a literal from 1 to 16777216"};
    }
  }
  return {};
}

// One argument against a declared type: refused where no value can be in both.
BrokenRule check_argument(Program& program, const Body& body, const Operand& argument, const Type* expected,
                          size_t index) {
  const Type* known = known_type(program, body, argument);
  if (!known || !expected || !program.lattice().meet(known, expected)->is_bottom()) return {};
  return {"argument types",
          fmt::format("argument {} is {}, expected {}", index + 1, known->name, expected->name)};
}

BrokenRule check_calls(Program& program, const Body& body, const Statement& statement,
                       Strictness strictness) {
  const Shape shape = shape_of(statement.op);
  if (shape == Shape::Call) {
    const Operand& callee = statement.operands[0];
    if (callee.kind == Operand::Kind::Literal && callee.literal.kind != LeafKind::Function &&
        strictness == Strictness::Defined) {
      return {"callee", "a literal as function, expected its name or a value"};
    }
  }
  if ((shape == Shape::Launch || shape == Shape::Host || shape == Shape::Global || shape == Shape::Invoke) &&
      !statement.name && !statement.callee) {
    return {"names", "no name, expected that of a function, kernel, symbol or global"};
  }
  if (shape != Shape::Invoke) return {};
  const size_t n = statement.callee ? statement.callee->arguments.size() : statement.signature.size();
  if (n != statement.operands.size()) {
    return {"arity", fmt::format("{} arguments, expected {} as {} takes", statement.operands.size(), n,
                                 statement.callee ? statement.callee->name : *statement.name)};
  }
  for (size_t i = 0; i < n && strictness == Strictness::Defined; ++i) {
    if (auto broken = check_argument(program, body, statement.operands[i], statement.signature[i], i))
      return broken;
  }
  return {};
}

// A method as defined against the subset of kernels, or kernel statements outside of one.
BrokenRule check_kernel(const Method& method, const Statement& statement) {
  const Op op = statement.op;
  if (!method.is_kernel) {
    if (is_kernel_only(op))
      return {"kernel only", fmt::format("{} in a method, expected it in a kernel", text_of(op))};
    if (statement.scope != Scope::System)
      return {"kernel only", "a scope in a method, expected it in a kernel"};
    return {};
  }
  if (!is_kernel_legal(op))
    return {"kernel subset",
            fmt::format("{} in a kernel, expected a statement without heap, tasks or text", text_of(op))};
  if (op == Op::Call && !is_literal(statement.operands[0], LeafKind::Function)) {
    return {"kernel subset", "call of a value in a kernel, expected a function by its name"};
  }
  for (const Operand& operand : statement.operands) {
    if (operand.kind == Operand::Kind::Literal && operand.literal.kind == LeafKind::String) {
      return {"kernel subset", "a string in a kernel, expected numbers and buffers"};
    }
  }
  return {};
}

}  // namespace

BrokenRule check_statement(Program& program, const Method& method, const Body& body,
                           const Statement& statement, Strictness strictness) {
  if (auto broken = check_operands(statement)) return broken;
  if (auto broken = check_suffix(statement)) return broken;
  if (auto broken = check_types(statement)) return broken;
  if (auto broken = check_literals(statement)) return broken;
  if (auto broken = check_calls(program, body, statement, strictness)) return broken;
  if (shape_of(statement.op) == Shape::Member) {
    if (auto broken = check_member(body, statement)) return broken;
  }
  if (strictness == Strictness::Rewritten) return {};
  if (statement.op == Op::Refine)
    return {"refine", "refine in a method, expected assert; refine is made by inference"};
  return check_kernel(method, statement);
}

BrokenRule check_terminator(const Method& method, const Terminator& terminator, Strictness strictness) {
  const size_t n = terminator.targets.size(), cases = terminator.cases.size();
  size_t expected = 0;
  switch (terminator.kind) {
    case Terminator::Kind::Branch: expected = 1; break;
    case Terminator::Kind::Condition: expected = 2; break;
    case Terminator::Kind::Switch: expected = cases + 1; break;
    case Terminator::Kind::Return:
    case Terminator::Kind::Throw:
    case Terminator::Kind::Unreachable: break;
  }
  if (n != expected) return {"terminator", fmt::format("{} targets, expected {}", n, expected)};
  if (terminator.value.kind == Operand::Kind::Name)
    return {"names", "an unresolved name, expected a value or a literal"};
  if (cases > 0) {
    if (terminator.kind != Terminator::Kind::Switch)
      return {"terminator", "cases, expected them at a switch only"};
    std::vector<int64_t> sorted(terminator.cases);
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) return {"cases", fmt::format("case {} twice, expected each once", *twice)};
  }
  if (!method.is_kernel || strictness == Strictness::Rewritten) return {};
  if (terminator.kind == Terminator::Kind::Throw)
    return {"kernel subset", "throw in a kernel, expected fault"};
  if (terminator.kind == Terminator::Kind::Return && !is_literal(terminator.value, LeafKind::Nothing)) {
    return {"kernel subset", "a kernel returns a value, expected return nothing"};
  }
  return {};
}

BrokenRule check_arguments(Program& program, const Body& body, const Target& target, Strictness strictness) {
  const auto& parameters = body.blocks[target.block].parameters;
  if (parameters.size() != target.arguments.size()) {
    return {"arity", fmt::format("{} arguments for the {} parameters of ^{}, expected one each",
                                 target.arguments.size(), parameters.size(), target.block)};
  }
  for (const Operand& argument : target.arguments) {
    if (argument.kind == Operand::Kind::Name)
      return {"names", "an unresolved name, expected a value or a literal"};
  }
  for (size_t i = 0; i < parameters.size() && strictness == Strictness::Defined; ++i) {
    if (auto broken =
            check_argument(program, body, target.arguments[i], body.values[parameters[i]].declared, i))
      return broken;
  }
  return {};
}

BrokenRule check_signature(const Method& method) {
  if (!method.is_kernel) return {};
  for (size_t i = 0; i < method.signature.size(); ++i) {
    const Leaf* leaf = method.signature[i]->single_leaf();
    const bool is_scalar = leaf && (is_number(leaf->kind) || leaf->kind == LeafKind::Bool);
    const bool is_buffer = leaf && leaf->kind == LeafKind::Buffer && is_number_type(leaf->element);
    if (is_scalar || is_buffer) continue;
    return {"kernel subset",
            fmt::format("parameter {} of a kernel is {}, expected bool, a number or a buffer of numbers",
                        i + 1, method.signature[i]->name)};
  }
  const Leaf* result = method.result ? method.result->single_leaf() : nullptr;
  if (method.result && (!result || result->kind != LeafKind::Nothing)) {
    return {"kernel subset", "a kernel with a result type, expected none"};
  }
  return {};
}

}  // namespace berth::inference
