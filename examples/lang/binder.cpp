// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "binder.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace berth::lang {

Binder::Binder(const Catalog& catalog, Function& function, std::string_view unit)
    : catalog_(catalog), function_(function), unit_(unit) {}

void Binder::fail(Place at, const std::string& text) const { throw Failure(unit_, at, text); }

void Binder::bind() {
  function_.variables.clear();
  enter();
  for (const auto& parameter : function_.parameters)
    declare(parameter.name, function_.at, parameter.type.text, false);
  scope(function_.body);
  leave();
}

void Binder::leave() {
  for (const std::string& name : scope_.back()) visible_[name].pop_back();
  scope_.pop_back();
}

int Binder::declare(const std::string& name, Place at, const std::string& type, bool is_assignable) {
  auto& names = scope_.back();
  const auto& holders = visible_[name];
  // A name is looked for in its scope only if it is visible at all: long scopes stay linear.
  if (!holders.empty() && std::find(names.begin(), names.end(), name) != names.end()) {
    fail(at, fmt::format("a second {} in this block, expected another name", name));
  }
  const int id = static_cast<int>(function_.variables.size());
  function_.variables.push_back({name, type, is_assignable, false, {}});
  visible_[name].push_back(id);
  names.push_back(name);
  return id;
}

void Binder::scope(Statements& list) {
  enter();
  statements(list);
  leave();
}

void Binder::statements(Statements& list) {
  for (auto& item : list) statement(*item);
}

void Binder::statement(Statement& statement) {
  catalog_.check(statement.type, unit_);
  if (statement.value) expression(*statement.value);
  if (statement.end) expression(*statement.end);
  for (auto& argument : statement.arguments) expression(*argument);
  const bool branches = statement.kind == Statement::Kind::If || statement.kind == Statement::Kind::While ||
                        statement.kind == Statement::Kind::For || statement.kind == Statement::Kind::Try;
  const int first = static_cast<int>(function_.variables.size());
  if (branches) assigned_.emplace_back();
  const bool loops = statement.kind == Statement::Kind::While || statement.kind == Statement::Kind::For;
  if (loops) loops_.push_back(&statement);
  switch (statement.kind) {
    case Statement::Kind::Let:
    case Statement::Kind::Var:
    case Statement::Kind::Shared: {
      const bool shared = statement.kind == Statement::Kind::Shared;
      const std::string type = shared ? fmt::format("buffer<{}>", statement.type.text) : statement.type.text;
      statement.variable =
          declare(statement.name, statement.at, type, statement.kind == Statement::Kind::Var);
      break;
    }
    case Statement::Kind::Assign: assign(statement); break;
    case Statement::Kind::If:
      scope(statement.body);
      scope(statement.otherwise);
      break;
    case Statement::Kind::While:
    case Statement::Kind::Scope: scope(statement.body); break;
    case Statement::Kind::For:
      enter();
      statement.variable = declare(statement.name, statement.at, {}, false);
      scope(statement.body);
      leave();
      break;
    case Statement::Kind::Try:
      tries_.push_back(first);
      scope(statement.body);
      tries_.pop_back();
      enter();
      statement.variable = declare(statement.name, statement.at, "error", false);
      scope(statement.otherwise);
      leave();
      break;
    case Statement::Kind::Break:
    case Statement::Kind::Continue:
      if (loops_.empty()) fail(statement.at, "break or continue outside of a loop");
      if (statement.kind == Statement::Kind::Break) loops_.back()->has_break = true;
      break;
    case Statement::Kind::Launch:
      if (!catalog_.is_kernel(statement.name)) {
        fail(statement.at,
             fmt::format("unknown kernel {}, expected one declared with kernel", statement.name));
      }
      break;
    case Statement::Kind::Value:
    case Statement::Kind::Return:
    case Statement::Kind::Throw: break;
  }
  if (loops) loops_.pop_back();
  if (!branches) return;
  std::vector<int> inside = std::move(assigned_.back());
  assigned_.pop_back();
  std::sort(inside.begin(), inside.end());
  inside.erase(std::unique(inside.begin(), inside.end()), inside.end());
  inside.erase(std::lower_bound(inside.begin(), inside.end(), first), inside.end());
  if (!assigned_.empty()) assigned_.back().insert(assigned_.back().end(), inside.begin(), inside.end());
  statement.assigned = std::move(inside);
}

void Binder::assign(Statement& statement) {
  Expression& target = *statement.target;
  if (target.kind != Expression::Kind::Name) return expression(target);
  name(target, false);
  if (target.variable < 0) {
    const Global* global = catalog_.global(target.text);
    if (global == nullptr)
      fail(target.at, fmt::format("assignment to {}, expected a var or a global", target.text));
    if (global->is_constant)
      fail(target.at, fmt::format("assignment to the constant {}, expected a var or a global", target.text));
    return;
  }
  Variable& variable = function_.variables[static_cast<size_t>(target.variable)];
  if (!variable.is_assignable)
    fail(target.at, fmt::format("a second assignment to {}, expected one declared with var", target.text));
  if (!tries_.empty() && target.variable < tries_.back()) variable.has_cell = true;
  if (!assigned_.empty()) assigned_.back().push_back(target.variable);
}

void Binder::expression(Expression& expression) {
  catalog_.check(expression.type, unit_);
  switch (expression.kind) {
    case Expression::Kind::Name: return name(expression, false);
    case Expression::Kind::Call:
    case Expression::Kind::Latest:
    case Expression::Kind::Spawn:
      if (expression.items[0]->kind == Expression::Kind::Name) {
        name(*expression.items[0], true);
      } else {
        this->expression(*expression.items[0]);
      }
      for (size_t i = 1; i < expression.items.size(); i++) this->expression(*expression.items[i]);
      return;
    default:
      for (auto& item : expression.items) this->expression(*item);
  }
}

void Binder::name(Expression& expression, bool is_callee) {
  const auto found = visible_.find(expression.text);
  expression.variable = found == visible_.end() || found->second.empty() ? -1 : found->second.back();
  // An unknown callee is left to the call: it names the argument types, and more methods may come.
  if (expression.variable >= 0 || is_callee || catalog_.global(expression.text) != nullptr) return;
  if (catalog_.has_function(expression.text) || catalog_.is_type(expression.text)) return;
  fail(expression.at,
       fmt::format("unknown name {}, expected a local, a constant, a global or a function", expression.text));
}

}  // namespace berth::lang
