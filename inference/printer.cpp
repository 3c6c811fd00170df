// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/printer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

#include "inference/lexer.hpp"
#include "inference/operations.hpp"

namespace berth::inference {
namespace {

/// Shortest text that reads back as the same number, with a point or an exponent.
template <class Float>
void append_float(std::string& out, Float value) {
  char buffer[64];
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, value);
  const std::string_view text(buffer, static_cast<size_t>(written.ptr - buffer));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append_number(std::string& out, LeafKind kind, uint64_t bits) {
  const auto append = std::back_inserter(out);
  if (kind == LeafKind::F64) {
    const double value = std::bit_cast<double>(bits);
    if (std::isfinite(value)) return append_float(out, value);
    fmt::format_to(append, "0x{:016x}:f64", bits);
  } else if (kind == LeafKind::F32) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isfinite(value)) {
      append_float(out, value);
    } else {
      fmt::format_to(append, "0x{:08x}", static_cast<uint32_t>(bits));
    }
    out += ":f32";
  } else {
    if (is_signed(kind)) {
      fmt::format_to(append, "{}", static_cast<int64_t>(bits));
    } else {
      fmt::format_to(append, "{}", bits);
    }
    if (kind != LeafKind::I64) fmt::format_to(append, ":{}", name_of(kind));
  }
}

template <class Container, class Text>
void append_edges(std::string& out, const char* what, const Container& edges, Text text) {
  if (edges.empty()) return;
  // In alphabetical order, each once: the order in which they were found is no property of the method.
  std::set<std::string> sorted;
  for (const auto& edge : edges) sorted.insert(text(edge));
  out += fmt::format("# {}: ", what);
  const char* separator = "";
  for (const auto& edge : sorted) {
    out += separator + edge;
    separator = ", ";
  }
  out += '\n';
}

std::string text_of_call(const std::string& function, const std::vector<const Type*>& arguments) {
  std::string text = function + "(";
  for (const Type* type : arguments) text += (text.back() == '(' ? "" : ", ") + type->name;
  return text + ")";
}

}  // namespace

void Printer::name(const std::string& name) { out_ += quote_name(name); }

// --- types and literals

void Printer::type(const Type* type) {
  if (form_ == Form::Typed) {  // may be a constant or partial: only its canonical name can say so
    out_ += type->name;
    return;
  }
  if (type->is_any()) {
    out_ += "any";
    return;
  }
  const char* separator = "";
  if (type->kind == Type::Kind::Abstract) {
    name(type->abstract->name);
    separator = " | ";
  }
  for (const Part& member : type->parts) {
    out_ += separator;
    part(member);
    separator = " | ";
  }
  if (type->has_nothing) {
    out_ += separator;
    out_ += "nothing";
  }
}

void Printer::part(const Part& part) {
  const Leaf& leaf = *part.leaf;
  if (leaf.element) {
    out_ += name_of(leaf.kind);
    out_ += '<';
    type(leaf.element);
    out_ += '>';
  } else if (leaf.kind == LeafKind::Tuple) {
    out_ += "tuple<";
    for (uint32_t i = 0; i < leaf.length; ++i) {
      if (i > 0) out_ += ", ";
      if (i < part.fields.size()) {
        type(part.fields[i]);
      } else {
        out_ += "any";
      }
    }
    out_ += '>';
  } else if (leaf.kind == LeafKind::Struct) {
    name(leaf.structure->name);
  } else {
    out_ += leaf.name;
  }
}

void Printer::literal(const Literal& literal) {
  switch (literal.kind) {
    case LeafKind::Nothing: out_ += "nothing"; break;
    case LeafKind::Bool: out_ += literal.bits ? "true" : "false"; break;
    case LeafKind::String: out_ += quote_string(*literal.string); break;
    case LeafKind::Function: name(literal.function->name); break;
    case LeafKind::TypeValue:
      out_ += "type<";
      type(literal.type);
      out_ += '>';
      break;
    default: append_number(out_, literal.kind, literal.bits);
  }
}

// --- declarations

void Printer::declaration(const AbstractType& abstract) {
  out_ += "abstract ";
  name(abstract.name);
  if (abstract.parent && abstract.parent->parent) {
    out_ += " <: ";
    name(abstract.parent->name);
  }
  out_ += '\n';
}

void Printer::declaration(const StructType& structure) {
  out_ += structure.is_mutable ? "mutable type " : "type ";
  name(structure.name);
  if (structure.parent && structure.parent->parent) {
    out_ += " <: ";
    name(structure.parent->name);
  }
  out_ += " {";
  const char* separator = " ";
  for (const Field& field : structure.fields) {
    out_ += separator;
    name(field.name);
    out_ += ": ";
    type(field.type);
    separator = ", ";
  }
  out_ += " }\n";
}

void Printer::declaration(const DefinitionSet::Variable& variable) {
  out_ += variable.is_constant ? "const " : "global ";
  name(variable.name);
  // A function's own leaf has no name as a type; the literal says it all.
  const Leaf* leaf = variable.type->single_leaf();
  if (!leaf || leaf->kind != LeafKind::Function) {
    out_ += ": ";
    type(variable.type);
  }
  out_ += " = ";
  literal(variable.value);
  out_ += '\n';
}

void Printer::head(const TypedMethod& typed, uint64_t min_world, uint64_t max_world) {
  static constexpr const char* kEffects[] = {"same_result", "no_write", "no_raise", "terminates",
                                             "no_safepoint"};
  out_ += "# effects:";
  for (size_t i = 0; i < std::size(kEffects); ++i) {
    if (typed.effects >> i & 1) out_ += fmt::format(" {}", kEffects[i]);
  }
  if (typed.effects == kAllEffects) out_ += " none proven";
  out_ += fmt::format("\n# worlds: {}..", min_world);
  if (max_world != UINT64_MAX) out_ += fmt::format("{}", max_world);
  out_ += '\n';
  if (typed.limited) out_ += "# limited\n";
  append_edges(out_, "callees", typed.callees,
               [](const TypedMethod::CalleeEdge& edge) { return edge.callee->name; });
  append_edges(out_, "calls", typed.calls, [](const TypedMethod::CallEdge& edge) {
    return text_of_call(edge.function->name, edge.arguments);
  });
  append_edges(out_, "constants", typed.constants,
               [](const TypedMethod::ConstantEdge& edge) { return edge.name; });
}

// --- bodies

// In order of definition. Results that nothing uses have no name, unless a type is checked there or the form
// is typed.
void Printer::number_values(const Body& body) {
  constexpr uint32_t kUsed = kNone - 1;
  numbers_.assign(body.values.size(), kNone);
  const auto use = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::Value && operand.value < numbers_.size())
      numbers_[operand.value] = kUsed;
  };
  for (const Block& block : body.blocks) {
    for (const Statement& statement : block.statements)
      std::for_each(statement.operands.begin(), statement.operands.end(), use);
    use(block.terminator.value);
    for (const Target& target : block.terminator.targets)
      std::for_each(target.arguments.begin(), target.arguments.end(), use);
  }
  uint32_t next = 0;
  for (const Block& block : body.blocks) {
    for (const ValueId parameter : block.parameters) {
      if (parameter < numbers_.size()) numbers_[parameter] = next++;
    }
    for (const Statement& statement : block.statements) {
      if (statement.result >= numbers_.size()) continue;
      uint32_t& number = numbers_[statement.result];
      if (number == kUsed || form_ == Form::Typed || body.values[statement.result].declared) number = next++;
    }
  }
}

void Printer::method(const Method& method, const Body& body, const Type* result) {
  number_values(body);
  out_ += method.is_kernel ? "kernel " : "method ";
  name(method.name);
  out_ += '(';
  if (!body.blocks.empty()) parameters(body, body.blocks[0].parameters);
  out_ += ')';
  if (result && (form_ == Form::Typed || !result->is_any())) {
    out_ += " -> ";
    type(result);
  }
  out_ += " {\n";
  for (BlockId id = 0; id < body.blocks.size(); ++id) block(body, id);
  out_ += "}\n";
}

void Printer::parameters(const Body& body, const std::vector<ValueId>& parameters) {
  const char* separator = "";
  for (const ValueId parameter : parameters) {
    out_ += separator;
    operand({Operand::Kind::Value, parameter, {}, nullptr});
    if (parameter < body.values.size()) value_type(body.values[parameter]);
    separator = ", ";
  }
}

void Printer::value_type(const ValueDefinition& value) {
  const Type* known = form_ == Form::Typed && value.inferred ? value.inferred : value.declared;
  if (!known) return;
  out_ += ": ";
  type(known);
}

void Printer::block(const Body& body, BlockId id) {
  const Block& block = body.blocks[id];
  fmt::format_to(std::back_inserter(out_), "^{}", id);
  if (id != 0 && !block.parameters.empty()) {
    out_ += '(';
    parameters(body, block.parameters);
    out_ += ')';
  }
  if (block.handler != kNone) fmt::format_to(std::back_inserter(out_), " catch ^{}", block.handler);
  out_ += ":\n";
  for (const Statement& each : block.statements) statement(body, each);
  terminator(block.terminator);
}

void Printer::statement(const Body& body, const Statement& statement) {
  out_ += "  ";
  if (statement.result < numbers_.size() && numbers_[statement.result] != kNone) {
    operand({Operand::Kind::Value, statement.result, {}, nullptr});
    value_type(body.values[statement.result]);
    out_ += " = ";
  }
  operation(statement);
  operands(statement);
  out_ += '\n';
}

void Printer::operation(const Statement& statement) {
  out_ += text_of(statement.op);
  const auto suffix = [this](const char* text) { (out_ += '.') += text; };
  const Suffix kind = row_of(statement.op).suffix;
  if (kind != Suffix::None) suffix(name_of(statement.number));
  if (kind == Suffix::FromTo) suffix(name_of(statement.to));
  if (statement.checked) suffix("checked");
  if (statement.order != Order::None) suffix(name_of(statement.order));
  if (statement.scope != Scope::System) suffix(name_of(statement.scope));
  if (statement.unchecked_bounds) suffix("unchecked");
}

void Printer::operands(const Statement& statement) {
  const auto& all = statement.operands;
  const auto word = [this](const std::string* text) {
    out_ += ' ';
    if (text) name(*text);
  };
  switch (shape_of(statement.op)) {
    case Shape::Plain: plain(all); break;
    case Shape::List: list(all); break;
    case Shape::Call:
      out_ += ' ';
      if (!all.empty()) operand(all[0]);
      list(all, 1);
      break;
    case Shape::Invoke: invoke(statement); break;
    case Shape::Host:
      word(statement.name);
      list(all);
      out_ += ' ';
      type(statement.type);
      break;
    case Shape::New:
      out_ += ' ';
      type(statement.type);
      list(all);
      break;
    case Shape::Member:
      out_ += ' ';
      if (!all.empty()) operand(all[0]);
      out_ += '.';
      if (statement.name) name(*statement.name);
      plain(all, 1);
      break;
    case Shape::TypeFirst:
      out_ += ' ';
      type(statement.type);
      plain(all);
      break;
    case Shape::TypeLast:
      plain(all);
      out_ += ' ';
      type(statement.type);
      break;
    case Shape::Global:
      word(statement.name);
      plain(all);
      break;
    case Shape::Launch: launch(statement); break;
  }
}

void Printer::invoke(const Statement& statement) {
  out_ += ' ';
  if (form_ == Form::Typed && statement.callee) {
    out_ += statement.callee->name;
  } else {
    if (statement.name) name(*statement.name);
    out_ += '(';
    const char* separator = "";
    for (const Type* parameter : statement.signature) {
      out_ += separator;
      type(parameter);
      separator = ", ";
    }
    out_ += ')';
  }
  list(statement.operands);
}

void Printer::launch(const Statement& statement) {
  out_ += ' ';
  if (statement.name) name(*statement.name);
  const auto& all = statement.operands;
  list(all, std::min<size_t>(6, all.size()));
  for (size_t i = 0; i < std::min<size_t>(6, all.size()); ++i) {
    if (i % 3 == 0) out_ += i == 0 ? " blocks" : " lanes";
    out_ += ' ';
    operand(all[i]);
  }
}

void Printer::terminator(const Terminator& terminator) {
  out_ += "  ";
  switch (terminator.kind) {
    case Terminator::Kind::Branch: out_ += "br"; break;
    case Terminator::Kind::Condition: out_ += "cond "; break;
    case Terminator::Kind::Switch: out_ += "switch "; break;
    case Terminator::Kind::Return: out_ += "return "; break;
    case Terminator::Kind::Throw: out_ += "throw "; break;
    case Terminator::Kind::Unreachable: out_ += "unreachable"; break;
  }
  if (terminator.kind != Terminator::Kind::Branch && terminator.kind != Terminator::Kind::Unreachable)
    operand(terminator.value);
  const auto& targets = terminator.targets;
  size_t next = 0;
  if (terminator.kind == Terminator::Kind::Switch) {
    out_ += " [";
    for (; next < terminator.cases.size() && next < targets.size(); ++next) {
      fmt::format_to(std::back_inserter(out_), "{}{}:", next == 0 ? "" : ", ", terminator.cases[next]);
      target(targets[next]);
    }
    out_ += ']';
  }
  for (; next < targets.size(); ++next) target(targets[next]);
  out_ += '\n';
}

void Printer::target(const Target& target) {
  fmt::format_to(std::back_inserter(out_), " ^{}", target.block);
  if (!target.arguments.empty()) list(target.arguments);
}

void Printer::operand(const Operand& operand) {
  if (operand.kind == Operand::Kind::Value) {
    const uint32_t number = operand.value < numbers_.size() ? numbers_[operand.value] : kNone;
    if (number == kNone) {
      out_ += "%undefined";
    } else {
      fmt::format_to(std::back_inserter(out_), "%{}", number);
    }
  } else if (operand.name && (form_ == Form::Canonical || operand.kind == Operand::Kind::Name)) {
    name(*operand.name);  // a constant by its name: a later definition of it replaces the value
  } else {
    literal(operand.literal);
  }
}

void Printer::plain(const std::vector<Operand>& operands, size_t from) {
  for (size_t i = from; i < operands.size(); ++i) {
    out_ += ' ';
    operand(operands[i]);
  }
}

void Printer::list(const std::vector<Operand>& operands, size_t from) {
  out_ += '(';
  for (size_t i = from; i < operands.size(); ++i) {
    if (i > from) out_ += ", ";
    operand(operands[i]);
  }
  out_ += ')';
}

// --- interface

std::string print(const Method& method) {
  std::string out;
  Printer(out, Printer::Form::Canonical).method(method, method.body, method.result);
  return out;
}

std::string print_typed(const TypedMethod& typed, uint64_t min_world, uint64_t max_world) {
  std::string out;
  Printer printer(out, Printer::Form::Typed);
  printer.head(typed, min_world, max_world);
  printer.method(*typed.specialisation->method, typed.body, typed.result);
  return out;
}

std::string print(Program&, const DefinitionSet& set) {
  std::string out = "berth-ir 1\n";
  Printer printer(out, Printer::Form::Canonical);
  for (const AbstractType* abstract : set.abstracts) printer.declaration(*abstract);
  for (const StructType* structure : set.structs) printer.declaration(*structure);
  for (const auto& variable : set.variables) printer.declaration(variable);
  for (const auto& method : set.methods) printer.method(*method, method->body, method->result);
  return out;
}

}  // namespace berth::inference
