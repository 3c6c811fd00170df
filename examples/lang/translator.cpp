// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "translator.hpp"

#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "binder.hpp"
#include "ir_text.hpp"
#include "lowering.hpp"
#include "parser.hpp"
#include "typing.hpp"

namespace berth::lang {
namespace {

bool is_literal(const Expression& expression) { return expression.kind <= Expression::Kind::Nothing; }

std::string literal_type(const Expression& literal) {
  switch (literal.kind) {
    case Expression::Kind::Integer:
    case Expression::Kind::Float: return literal.text;
    case Expression::Kind::String: return "string";
    case Expression::Kind::Bool: return "bool";
    default: return "nothing";
  }
}

/// Folds the value of a constant or global to a literal, in place: literals, constants before it, f64 and i64
/// arithmetic.
class Folding {
 public:
  Folding(const Catalog& catalog, std::string_view unit) : catalog_(catalog), unit_(unit) {}

  void fold(Expression& expression) const {
    if (!is_literal(expression)) compute(expression);
    expression.static_type = literal_type(expression);
  }

 private:
  [[noreturn]] void fail(const Expression& expression) const {
    throw Failure(
        unit_, expression.at,
        "a value that is known only when the program runs, expected a literal or arithmetic of literals");
  }

  void compute(Expression& expression) const {
    if (expression.kind == Expression::Kind::Name) {
      const Global* other = catalog_.global(expression.text);
      if (other == nullptr || !other->is_constant || other->value->static_type.empty()) fail(expression);
      copy(*other->value, expression);
      return;
    }
    if (expression.kind != Expression::Kind::Operator) fail(expression);
    for (auto& item : expression.items) fold(*item);
    const Expression& left = *expression.items[0];
    const Expression& right = *expression.items.back();
    if (left.static_type != right.static_type) fail(expression);
    const char sign = expression.text.size() == 1 ? expression.text[0] : ' ';
    Expression result{};
    result.at = expression.at;
    result.kind = left.kind;
    result.text = left.text;
    const bool done =
        expression.items.size() == 1 ? negate(sign, left, result) : combine(sign, left, right, result);
    if (!done) fail(expression);
    copy(result, expression);
  }

  static void copy(const Expression& from, Expression& to) {
    to.kind = from.kind;
    to.text = from.text;
    to.bits = from.bits;
    to.value = from.value;
    to.negative = from.negative;
    to.items.clear();
  }

  static bool negate(char sign, const Expression& value, Expression& result) {
    if (sign != '-') return false;
    result.value = -value.value;
    result.bits = value.bits;
    result.negative = !value.negative && value.bits != 0;
    return value.text == "f64" || (value.text == "i64" && value.bits <= INT64_MAX);
  }

  static bool combine(char sign, const Expression& left, const Expression& right, Expression& result) {
    if (left.static_type == "f64") {
      switch (sign) {
        case '+': result.value = left.value + right.value; return true;
        case '-': result.value = left.value - right.value; return true;
        case '*': result.value = left.value * right.value; return true;
        case '/': result.value = left.value / right.value; return true;
        default: return false;
      }
    }
    if (left.static_type != "i64") return false;
    const uint64_t a = left.negative ? 0 - left.bits : left.bits;
    const uint64_t b = right.negative ? 0 - right.bits : right.bits;
    uint64_t wrapped = 0;  // as the program would: integers wrap
    switch (sign) {
      case '+': wrapped = a + b; break;
      case '-': wrapped = a - b; break;
      case '*': wrapped = a * b; break;
      default: return false;
    }
    result.negative = static_cast<int64_t>(wrapped) < 0;
    result.bits = result.negative ? 0 - wrapped : wrapped;
    return true;
  }

  const Catalog& catalog_;
  std::string unit_;
};

void bind_and_type(const Catalog& catalog, Function& function, std::string_view unit) {
  Binder(catalog, function, unit).bind();
  Typing(catalog, function, catalog.is_closed() || function.is_kernel || function.is_prelude).run();
}

}  // namespace

Translator::Translator(Use use) : catalog_(use == Use::File), next_(use == Use::File) {
  const auto unit = std::make_shared<Unit>(Parser("<prelude>", prelude_text()).file());
  for (auto& function : unit->functions) function->is_prelude = true;
  prelude_ = translate(catalog_, unit);
}

std::string Translator::file(std::string_view name, std::string_view text) {
  Catalog next = catalog_;
  const auto unit = std::make_shared<Unit>(Parser(name, text).file());
  std::string ir = translate(next, unit);
  catalog_ = std::move(next);
  return ir;
}

std::string Translator::translate(Catalog& catalog, const std::shared_ptr<Unit>& unit) const {
  catalog.add(unit);
  // Places in a running program carry the file's name alone: its output must not depend on where it lies.
  std::string ir =
      fmt::format("berth-ir 1\nfile {}\n", ir_string(std::filesystem::path(unit->name).filename().string()));
  const auto below = [](const std::string& parent) {
    return parent.empty() ? std::string() : " <: " + parent;
  };
  for (const Abstract& item : unit->abstracts)
    ir += fmt::format("abstract {}{}\n", item.name, below(item.parent));
  for (const Struct& item : unit->structs) {
    ir += fmt::format("{}type {}{} {{", item.is_mutable ? "mutable " : "", item.name, below(item.parent));
    const char* separator = " ";
    for (const auto& field : item.fields) {
      ir += fmt::format("{}{}: {}", separator, ir_name(field.name), field.type.text);
      separator = ", ";
    }
    ir += " }\n";
  }
  const Folding folding(catalog, unit->name);
  for (Global& item : unit->globals) {
    folding.fold(*item.value);
    const std::string type = item.type.text.empty() ? "" : ": " + item.type.text;
    ir += fmt::format("{} {}{} = {}\n", item.is_constant ? "const" : "global", ir_name(item.name), type,
                      ir_literal(*item.value));
  }
  for (auto& function : unit->functions) bind_and_type(catalog, *function, unit->name);
  bool has_open_arrays = !catalog.is_closed();
  for (auto& function : unit->functions) {
    Lowering lowering(catalog, *function, unit->name,
                      catalog.is_closed() || function->is_kernel || function->is_prelude);
    ir += lowering.method();
    has_open_arrays |= lowering.has_open_arrays();
  }
  if (!has_open_arrays) return ir;
  for (const Struct& item : unit->structs) {
    ir += fmt::format(
        "method `array new`(%0: {0}, %1: i64) -> array<{0}> {{\n^0:\n  %2 = array.new {0} %1 %0\n  return "
        "%2\n}}\n",
        item.name);
  }
  return ir;
}

/// Names first assigned at the prompt are globals of type any: `x = 3`, `let x = 3`, `var x = 3` at its top
/// level.
void Translator::globals_of_prompt(Unit& unit) {
  std::set<std::string> made;
  for (auto& item : unit.statements) {
    const bool declares = item->kind == Statement::Kind::Let || item->kind == Statement::Kind::Var;
    const bool assigns =
        item->kind == Statement::Kind::Assign && item->target->kind == Expression::Kind::Name;
    if (!declares && !assigns) continue;
    const std::string name = declares ? item->name : item->target->text;
    const Global* known = next_.global(name);
    if (declares) {
      item->kind = Statement::Kind::Assign;
      item->target = std::make_unique<Expression>();
      item->target->kind = Expression::Kind::Name;
      item->target->at = item->at;
      item->target->text = name;
      item->type = {};
    }
    if (known != nullptr || !made.insert(name).second) continue;
    if (next_.has_own_function(name) || next_.is_type(name)) {
      throw Failure(
          unit.name, item->at,
          fmt::format("assignment to {}, which is a function or a type, expected another name", name));
    }
    Global global;
    global.at = item->at;
    global.name = name;
    global.type.text = "any";
    global.value = std::make_unique<Expression>();
    global.value->kind = Expression::Kind::Nothing;
    global.value->at = item->at;
    unit.globals.push_back(std::move(global));
  }
}

Translator::Input Translator::prompt(std::string_view name, std::string_view text) {
  next_ = catalog_;
  const auto unit = std::make_shared<Unit>(Parser(name, text).prompt());
  Input result;
  if (unit->statements.empty() && unit->functions.empty() && unit->structs.empty() &&
      unit->abstracts.empty() && unit->globals.empty()) {
    return result;
  }
  globals_of_prompt(*unit);
  if (!unit->statements.empty()) {
    Statement& last = *unit->statements.back();
    result.has_value = last.kind == Statement::Kind::Value;
    if (result.has_value) last.kind = Statement::Kind::Return;
    auto function = std::make_unique<Function>();
    function->at = unit->statements.front()->at;
    function->name = result.method = fmt::format("prompt {}", ++prompts_);
    function->body = std::move(unit->statements);
    unit->functions.push_back(std::move(function));
  }
  result.ir = translate(next_, unit);
  return result;
}

}  // namespace berth::lang
