// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "typing.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace berth::lang {
namespace {

const std::string kUnknownType(kUnknown);
constexpr std::array<std::string_view, 4> kIndices = {"lane", "block", "lanes", "blocks"};

}  // namespace

Typing::Typing(const Catalog& catalog, Function& function, bool trusts_methods)
    : catalog_(catalog), function_(function), trusts_methods_(trusts_methods) {}

void Typing::run() {
  for (Variable& variable : function_.variables)
    variable.type = variable.declared.empty() ? "" : catalog_.exact_or_unknown(variable.declared);
  for (size_t i = 0; i < function_.parameters.size(); i++) {
    if (function_.variables[i].type.empty()) function_.variables[i].type = kUnknownType;
  }
  int passes = 0;
  do {
    rose_ = false;
    gives_up_ = ++passes > kMaxPasses;
    statements(function_.body);
  } while (rose_);
}

void Typing::assign(int index, const std::string& type) {
  Variable& variable = function_.variables[static_cast<size_t>(index)];
  if (!variable.declared.empty() || type.empty() || variable.type == type || variable.type == kUnknownType)
    return;
  variable.type = variable.type.empty() && !gives_up_ ? type : kUnknownType;
  rose_ = true;
}

void Typing::statements(Statements& list) {
  for (auto& item : list) statement(*item);
}

void Typing::statement(Statement& statement) {
  const std::string value = statement.value ? type_of(*statement.value) : std::string();
  if (statement.end) type_of(*statement.end);
  if (statement.target) type_of(*statement.target);
  for (auto& argument : statement.arguments) type_of(*argument);
  if (statement.kind == Statement::Kind::Let || statement.kind == Statement::Kind::Var)
    assign(statement.variable, value);
  if (statement.kind == Statement::Kind::For) assign(statement.variable, iterated(statement));
  if (statement.kind == Statement::Kind::Assign && statement.target->variable >= 0)
    assign(statement.target->variable, value);
  statements(statement.body);
  statements(statement.otherwise);
}

/// A range from a literal takes the type of its end; one from an unknown start is checked to be i64.
std::string Typing::iterated(const Statement& statement) {
  const std::string& start = statement.value->static_type;
  if (start.empty()) return {};
  if (!statement.end) {
    const std::string element = Catalog::element_type(start);
    return element.empty() ? kUnknownType : catalog_.exact_or_unknown(element);
  }
  const std::string& end = statement.end->static_type;
  if (end.empty()) return {};
  if (statement.value->kind == Expression::Kind::Integer && is_integer_type(end)) return end;
  return is_integer_type(start) ? start : "i64";
}

std::string Typing::type_of(Expression& expression) {
  for (auto& item : expression.items) type_of(*item);
  const auto first = [&]() -> const std::string& { return expression.items[0]->static_type; };
  std::string type = kUnknownType;
  switch (expression.kind) {
    case Expression::Kind::Integer:
    case Expression::Kind::Float: type = expression.text; break;
    case Expression::Kind::String: type = "string"; break;
    case Expression::Kind::Bool:
    case Expression::Kind::And:
    case Expression::Kind::Or:
    case Expression::Kind::Is: type = "bool"; break;
    case Expression::Kind::Nothing: type = "nothing"; break;
    case Expression::Kind::As: type = expression.type.text; break;
    case Expression::Kind::Spawn: type = "task"; break;
    case Expression::Kind::Latest: break;
    case Expression::Kind::Name:
      if (expression.variable >= 0) {
        type = function_.variables[static_cast<size_t>(expression.variable)].type;
      } else if (const Global* global = catalog_.global(expression.text)) {
        if (global->is_constant && catalog_.is_closed())
          type = global->value->static_type.empty() ? kUnknownType : global->value->static_type;
        if (!global->is_constant) type = catalog_.exact_or_unknown(global->type.text);
      }
      break;
    case Expression::Kind::Array:
    case Expression::Kind::Tuple: type = group_type(expression); break;
    case Expression::Kind::Call: type = call_type(expression); break;
    case Expression::Kind::TypedCall: type = catalog_.exact_or_unknown(expression.type.text); break;
    case Expression::Kind::Operator: type = apply(expression.text, expression, 0); break;
    case Expression::Kind::Field:
      type = first().empty() ? "" : catalog_.field_type(first(), expression.text);
      break;
    case Expression::Kind::Item: {
      const auto items = first().starts_with("tuple<") ? arguments_of(first()) : std::vector<std::string>();
      if (first().empty()) type.clear();
      if (expression.bits < items.size()) type = items[expression.bits];
      break;
    }
    case Expression::Kind::Index: {
      const std::string element = Catalog::element_type(first());
      if (first().empty()) type.clear();
      if (!element.empty()) type = catalog_.exact_or_unknown(element);
      break;
    }
    case Expression::Kind::Raw: type = raw_type(expression); break;
  }
  expression.static_type = type;
  return type;
}

std::string Typing::group_type(const Expression& expression) const {
  std::vector<std::string> types;
  for (const auto& item : expression.items) types.push_back(item->static_type);
  if (std::find(types.begin(), types.end(), "") != types.end()) return {};
  if (!std::all_of(types.begin(), types.end(), [](const std::string& type) { return is_exact(type); }))
    return kUnknownType;
  if (expression.kind == Expression::Kind::Array) return fmt::format("array<{}>", catalog_.join(types));
  return fmt::format("tuple<{}>", fmt::join(types, ", "));
}

std::string Typing::apply(std::string_view name, const Expression& expression, size_t first) const {
  if (!trusts_methods_) return kUnknownType;
  std::vector<std::string> types;
  for (size_t i = first; i < expression.items.size(); i++) types.push_back(expression.items[i]->static_type);
  return catalog_.result_type(name, types);
}

std::string Typing::call_type(const Expression& expression) {
  const Expression& callee = *expression.items[0];
  if (callee.kind != Expression::Kind::Name || callee.variable >= 0) return kUnknownType;
  const std::string& name = callee.text;
  if (const Struct* structure = catalog_.structure(name)) {
    if (structure->fields.size() == expression.items.size() - 1) return name;
  }
  if (catalog_.has_own_function(name)) return apply(name, expression, 1);
  const std::string builtin = builtin_call_type(expression, name);
  return builtin == kUnknownType ? apply(name, expression, 1) : builtin;
}

/// Calls that the lowering writes as statements, and prelude functions whose result follows from an
/// argument's type.
std::string Typing::builtin_call_type(const Expression& expression, const std::string& name) {
  if (name == "print" || name == "write") return "nothing";
  if (std::find(kIndices.begin(), kIndices.end(), name) != kIndices.end()) return "i64";
  if (expression.items.size() < 2) return kUnknownType;
  const std::string& argument = expression.items[1]->static_type;
  if (argument.empty()) return {};
  if (name == "atomic_load" || name == "atomic_add") return argument;
  if (name == "atomic_cas") return "bool";
  if (name == "buffer" && argument.starts_with("array<")) return "buffer" + argument.substr(5);
  if (name == "array" && argument.starts_with("buffer<")) return "array" + argument.substr(6);
  if (name == "copy" && argument.starts_with("array<")) return argument;
  return kUnknownType;
}

std::string Typing::raw_type(const Expression& expression) const {
  std::vector<std::string_view> words;
  for (size_t start = 0; start <= expression.text.size();) {
    const size_t dot = std::min(expression.text.find('.', start), expression.text.size());
    words.push_back(std::string_view(expression.text).substr(start, dot - start));
    start = dot + 1;
  }
  static constexpr std::array<std::string_view, 6> kTests = {"lt", "le", "eq", "not", "same", "is"};
  if (std::find(kTests.begin(), kTests.end(), words[0]) != kTests.end()) return "bool";
  if (words.size() >= 2 && is_number_type(words[1])) {
    const bool converts = words.size() >= 3 && is_number_type(words[2]);
    return std::string(converts ? words[2] : words[1]);
  }
  if (words.size() == 2 && words[1] == "len") return "i64";
  if (expression.text == "string.byte") return "u8";
  if (expression.text == "string.eq") return "bool";
  if (words[0] == "string") return "string";
  return kUnknownType;
}

}  // namespace berth::lang
