// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace berth::lang {
namespace {

constexpr std::array<std::string_view, 4> kIndices = {"lane", "block", "lanes", "blocks"};
// Raw statements whose operands are a list in parentheses, after a function, a struct or nothing.
constexpr std::array<std::string_view, 3> kLists = {"print", "tuple", "channel.publish"};
constexpr std::array<std::string_view, 4> kHeadLists = {"call", "call.latest", "spawn", "new"};

bool is_trivial(const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::Integer:
    case Expression::Kind::Float:
    case Expression::Kind::String:
    case Expression::Kind::Bool:
    case Expression::Kind::Nothing:
    case Expression::Kind::Name: return true;
    case Expression::Kind::TypedCall: return expression.bits != 0;
    case Expression::Kind::Raw:
      return std::all_of(expression.items.begin(), expression.items.end(),
                         [](const ExpressionPtr& item) { return is_trivial(*item); });
    default: return false;
  }
}

/// A prelude function that is one statement: a call that surely selects it is written as that statement.
bool is_trivial(const Function& function) {
  return function.is_prelude && function.body.size() == 1 &&
         function.body[0]->kind == Statement::Kind::Return && function.body[0]->value != nullptr &&
         is_trivial(*function.body[0]->value);
}

}  // namespace

Lowering::Lowering(const Catalog& catalog, const Function& function, std::string_view unit,
                   bool trusts_methods)
    : catalog_(catalog),
      function_(function),
      unit_(unit),
      trusts_methods_(trusts_methods),
      variables_(&function.variables) {}

void Lowering::fail(Place at, const std::string& text) const { throw Failure(unit_, at, text); }

std::string Lowering::method() {
  values_.assign(function_.variables.size(), {});
  std::vector<std::string> head;
  for (size_t i = 0; i < function_.parameters.size(); i++) {
    values_[i] = text_.new_value();
    const std::string& type = function_.parameters[i].type.text;
    head.push_back(type.empty() ? values_[i] : fmt::format("{}: {}", values_[i], type));
  }
  start(text_.new_block());
  statements(function_.body);
  if (text_.is_open()) text_.end("return nothing", function_.at);
  const std::string result =
      function_.result.text.empty() || function_.is_kernel ? "" : " -> " + function_.result.text;
  return fmt::format("{} {}({}){} @{}:{} {{\n{}}}\n", function_.is_kernel ? "kernel" : "method",
                     ir_name(function_.name), fmt::join(head, ", "), result, function_.at.line,
                     function_.at.column, text_.text());
}

// Blocks and values.

std::string Lowering::emit(const std::string& operation, Place at) {
  std::string value = text_.new_value();
  text_.statement(fmt::format("{} = {}", value, operation), inline_place_ != nullptr ? *inline_place_ : at);
  return value;
}

std::string Lowering::target(BlockId block, const std::vector<std::string>& arguments) const {
  return arguments.empty() ? fmt::format("^{}", block)
                           : fmt::format("^{}({})", block, fmt::join(arguments, ", "));
}

std::vector<int> Lowering::carried(const Statement& statement) const {
  std::vector<int> result;
  for (const int variable : statement.assigned) {
    if (!(*variables_)[static_cast<size_t>(variable)].has_cell) result.push_back(variable);
  }
  return result;
}

std::vector<std::string> Lowering::values(const std::vector<int>& variables) const {
  std::vector<std::string> result;
  result.reserve(variables.size());
  for (const int variable : variables) result.push_back(values_[static_cast<size_t>(variable)]);
  return result;
}

void Lowering::set_values(const std::vector<int>& variables, const std::vector<std::string>& values) {
  for (size_t i = 0; i < variables.size(); i++) values_[static_cast<size_t>(variables[i])] = values[i];
}

std::vector<std::string> Lowering::fresh(size_t n) {
  std::vector<std::string> result(n);
  for (auto& value : result) value = text_.new_value();
  return result;
}

/// Goes on after branches: in the only one still open, or in a block with a parameter for each local on which
/// they differ.
void Lowering::join(const std::vector<int>& variables, std::vector<Arm> arms, Place at) {
  if (arms.empty()) return;
  if (arms.size() == 1) {
    text_.resume(arms[0].block);
    return set_values(variables, arms[0].values);
  }
  std::vector<int> differing;
  std::vector<std::vector<std::string>> passed(arms.size());
  for (size_t i = 0; i < variables.size(); i++) {
    const std::string& first = arms[0].values[i];
    const bool same =
        std::all_of(arms.begin(), arms.end(), [&](const Arm& arm) { return arm.values[i] == first; });
    values_[static_cast<size_t>(variables[i])] = first;
    if (same) continue;
    differing.push_back(variables[i]);
    for (size_t arm = 0; arm < arms.size(); arm++) passed[arm].push_back(arms[arm].values[i]);
  }
  const BlockId after = text_.new_block();
  for (size_t arm = 0; arm < arms.size(); arm++) {
    text_.resume(arms[arm].block);
    text_.end("br " + target(after, passed[arm]), at);
  }
  const auto parameters = fresh(differing.size());
  start(after, parameters);
  set_values(differing, parameters);
}

// Statements.

void Lowering::statements(const Statements& list) {
  for (const auto& item : list) {
    if (!text_.is_open()) return;  // after return, throw, break, continue: never reached
    statement(*item);
  }
}

void Lowering::statement(const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::Let:
    case Statement::Kind::Var: return local(statement);
    case Statement::Kind::Shared:
      values_[static_cast<size_t>(statement.variable)] =
          emit(fmt::format("shared {} {}", statement.type.text, ir_literal(*statement.value)), statement.at);
      return;
    case Statement::Kind::Assign: return assign(statement);
    case Statement::Kind::Value: expression(*statement.value); return;
    case Statement::Kind::If: return conditional(statement);
    case Statement::Kind::While: return while_loop(statement);
    case Statement::Kind::For: return statement.end ? range_loop(statement) : array_loop(statement);
    case Statement::Kind::Scope: return statements(statement.body);
    case Statement::Kind::Try: return guarded(statement);
    case Statement::Kind::Launch: return launch(statement);
    case Statement::Kind::Break:
      return text_.end("br " + target(loops_.back().exit, values(*loops_.back().carried)), statement.at);
    case Statement::Kind::Continue:
      loops_.back().uses_next = true;
      return text_.end("br " + target(loops_.back().next, values(*loops_.back().carried)), statement.at);
    case Statement::Kind::Return: {
      const std::string value = statement.value ? expression(*statement.value) : "nothing";
      if (text_.is_open()) text_.end("return " + value, statement.at);
      return;
    }
    case Statement::Kind::Throw: text_.end("throw " + expression(*statement.value), statement.at); return;
  }
}

std::string Lowering::checked(const std::string& value, std::string_view static_type, std::string_view type,
                              Place at) {
  if (type.empty() || type == "any" || static_type == type) return value;
  if (is_exact(static_type) && catalog_.is_subtype(static_type, type)) return value;
  return emit(fmt::format("assert {} {}", value, type), at);
}

void Lowering::local(const Statement& statement) {
  const Variable& variable = (*variables_)[static_cast<size_t>(statement.variable)];
  std::string value =
      checked(expression(*statement.value), statement.value->static_type, variable.declared, statement.at);
  if (variable.has_cell) {
    const std::string type = is_exact(variable.type) ? variable.type : "any";
    value = emit(fmt::format("array.new {} 1 {}", type, value), statement.at);
  }
  values_[static_cast<size_t>(statement.variable)] = value;
}

void Lowering::assign(const Statement& statement) {
  const Expression& target = *statement.target;
  if (target.kind == Expression::Kind::Name) {
    std::string value = expression(*statement.value);
    if (target.variable < 0)
      return emit_only(fmt::format("global.set {} {}", ir_name(target.text), value), statement.at);
    const Variable& variable = (*variables_)[static_cast<size_t>(target.variable)];
    value = checked(value, statement.value->static_type, variable.declared, statement.at);
    std::string& place = values_[static_cast<size_t>(target.variable)];
    if (!variable.has_cell) {
      place = value;
    } else {
      emit_only(fmt::format("array.set {} 0 {}", place, value), statement.at);
    }
    return;
  }
  const std::string object = expression(*target.items[0]);
  if (target.kind == Expression::Kind::Field) {
    const std::string value = expression(*statement.value);
    return emit_only(fmt::format("set {}.{} {}", object, ir_name(target.text), value), statement.at);
  }
  const std::string at = expression(*target.items[1]);
  const std::string value = expression(*statement.value);
  const std::string& type = target.items[0]->static_type;
  if (type.starts_with("array<") || type.starts_with("buffer<")) {
    return emit_only(fmt::format("{}.set {} {} {}", type.substr(0, type.find('<')), object, at, value),
                     statement.at);
  }
  emit_only(fmt::format("call `[]=`({}, {}, {})", object, at, value), statement.at);
}

void Lowering::conditional(const Statement& statement) {
  const auto variables = carried(statement);
  const auto before = values(variables);
  const BlockId yes = text_.new_block();
  const BlockId no = text_.new_block();
  condition(*statement.value, target(yes), target(no));
  std::vector<Arm> arms;
  start(yes);
  statements(statement.body);
  if (text_.is_open()) arms.push_back(leave(variables));
  set_values(variables, before);
  start(no);
  statements(statement.otherwise);
  if (text_.is_open()) arms.push_back(leave(variables));
  join(variables, std::move(arms), statement.at);
}

void Lowering::while_loop(const Statement& statement) {
  const auto variables = carried(statement);
  const BlockId header = text_.new_block();
  const BlockId exit = text_.new_block();
  text_.end("br " + target(header, values(variables)), statement.at);
  const auto parameters = fresh(variables.size());
  start(header, parameters);
  set_values(variables, parameters);
  const bool endless = statement.value->kind == Expression::Kind::Bool && statement.value->bits != 0;
  const auto passed = statement.has_break ? parameters : std::vector<std::string>();
  if (!endless) {
    const BlockId body = text_.new_block();
    condition(*statement.value, target(body), target(exit, passed));
    start(body);
  }
  loops_.push_back({header, exit, &variables, false});
  statements(statement.body);
  loops_.pop_back();
  if (text_.is_open()) text_.end("br " + target(header, values(variables)), statement.at);
  if (endless && !statement.has_break) return;
  const auto after = statement.has_break ? fresh(variables.size()) : parameters;
  start(exit, statement.has_break ? after : std::vector<std::string>());
  set_values(variables, after);
}

template <typename Item>
void Lowering::counted_loop(const Statement& statement, const std::string& type, const std::string& first,
                            const std::string& end, Item item) {
  const auto variables = carried(statement);
  const BlockId header = text_.new_block();
  const BlockId body = text_.new_block();
  const BlockId next = text_.new_block();
  const BlockId exit = text_.new_block();
  const std::string one = type == "i64" ? "1" : "1:" + type;
  const auto with = [](std::string index, const std::vector<std::string>& rest) {
    std::vector<std::string> all{std::move(index)};
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  };
  text_.end("br " + target(header, with(first, values(variables))), statement.at);
  const std::string index = text_.new_value();
  const auto parameters = fresh(variables.size());
  start(header, with(index, parameters));
  set_values(variables, parameters);
  const std::string more = emit(fmt::format("lt.{} {} {}", type, index, end), statement.at);
  const auto passed = statement.has_break ? parameters : std::vector<std::string>();
  text_.end(fmt::format("cond {} {} {}", more, target(body), target(exit, passed)), statement.at);
  start(body);
  values_[static_cast<size_t>(statement.variable)] = item(index);
  loops_.push_back({next, exit, &variables, false});
  statements(statement.body);
  const bool uses_next = loops_.back().uses_next;
  loops_.pop_back();
  if (uses_next) {
    if (text_.is_open()) text_.end("br " + target(next, values(variables)), statement.at);
    const auto latest = fresh(variables.size());
    start(next, latest);
    set_values(variables, latest);
  }
  if (text_.is_open()) {
    const std::string step = emit(fmt::format("add.{} {} {}", type, index, one), statement.at);
    text_.end("br " + target(header, with(step, values(variables))), statement.at);
  }
  const auto after = statement.has_break ? fresh(variables.size()) : parameters;
  start(exit, statement.has_break ? after : std::vector<std::string>());
  set_values(variables, after);
}

void Lowering::range_loop(const Statement& statement) {
  const std::string& start_type = statement.value->static_type;
  const std::string& end_type = statement.end->static_type;
  std::string type = is_integer_type(start_type) ? start_type : "i64";
  std::string first;
  if (statement.value->kind == Expression::Kind::Integer && is_integer_type(end_type) &&
      end_type != start_type) {
    type = end_type;
    first = fmt::format("{}{}{}", statement.value->negative ? "-" : "", statement.value->bits,
                        type == "i64" ? "" : ":" + type);
  } else {
    first = checked(expression(*statement.value), start_type, type, statement.value->at);
  }
  const std::string end = checked(expression(*statement.end), end_type, type, statement.end->at);
  counted_loop(statement, type, first, end, [](const std::string& index) { return index; });
}

void Lowering::array_loop(const Statement& statement) {
  const std::string& type = statement.value->static_type;
  const std::string over = expression(*statement.value);
  const bool known = type.starts_with("array<") || type.starts_with("buffer<");
  const std::string family = type.substr(0, type.find('<'));
  std::string length;
  if (known) {
    length = emit(fmt::format("{}.len {}", family, over), statement.at);
  } else {
    length = emit(fmt::format("assert {} i64", emit(fmt::format("call len({})", over), statement.at)),
                  statement.at);
  }
  counted_loop(statement, "i64", "0", length, [&](const std::string& index) {
    if (known) return emit(fmt::format("{}.get {} {}", family, over, index), statement.at);
    return emit(fmt::format("call `[]`({}, {})", over, index), statement.at);
  });
}

void Lowering::guarded(const Statement& statement) {
  const auto variables = carried(statement);
  const auto before = values(variables);
  const BlockId handler = text_.new_block();
  const BlockId body = text_.new_block();
  text_.end("br " + target(body), statement.at);
  const BlockId outer = std::exchange(handler_, handler);
  start(body);
  statements(statement.body);
  handler_ = outer;
  std::vector<Arm> arms;
  if (text_.is_open()) arms.push_back(leave(variables));
  set_values(variables, before);
  const std::string error = text_.new_value();
  start(handler, {error});
  values_[static_cast<size_t>(statement.variable)] = error;
  statements(statement.otherwise);
  if (text_.is_open()) arms.push_back(leave(variables));
  // The join itself is outside of the try: with one arm left the protected block would go on, so it is closed
  // first.
  if (arms.size() == 1) {
    text_.resume(arms[0].block);
    const BlockId after = text_.new_block();
    text_.end("br " + target(after), statement.at);
    start(after);
    return set_values(variables, arms[0].values);
  }
  join(variables, std::move(arms), statement.at);
}

std::vector<std::string> Lowering::sizes(const Expression& expression) {
  if (expression.kind == Expression::Kind::Tuple) {
    if (expression.items.empty() || expression.items.size() > 3)
      fail(expression.at, "a size of a launch, expected 1 to 3 numbers");
    auto result = expressions(expression.items, 0);
    result.resize(3, "1");
    return result;
  }
  const std::string value = this->expression(expression);
  if (!expression.static_type.starts_with("tuple<")) return {value, "1", "1"};
  std::vector<std::string> result;
  const size_t n = arguments_of(expression.static_type).size();
  for (size_t i = 0; i < 3; i++)
    result.push_back(i < n ? emit(fmt::format("item {} {}", value, i), expression.at) : "1");
  return result;
}

void Lowering::launch(const Statement& statement) {
  const auto arguments = expressions(statement.arguments, 0);
  const auto blocks = sizes(*statement.value);
  const auto lanes = sizes(*statement.end);
  emit_only(fmt::format("launch {}({}) blocks {} lanes {}", ir_name(statement.name),
                        fmt::join(arguments, ", "), fmt::join(blocks, " "), fmt::join(lanes, " ")),
            statement.at);
}

// Expressions.

std::vector<std::string> Lowering::expressions(const std::vector<ExpressionPtr>& list, size_t first) {
  std::vector<std::string> result;
  for (size_t i = first; i < list.size(); i++) result.push_back(expression(*list[i]));
  return result;
}

std::string Lowering::expression(const Expression& expression) {
  const Place at = expression.at;
  switch (expression.kind) {
    case Expression::Kind::Integer:
    case Expression::Kind::Float:
    case Expression::Kind::String:
    case Expression::Kind::Bool:
    case Expression::Kind::Nothing: return ir_literal(expression);
    case Expression::Kind::Name: return name(expression);
    case Expression::Kind::Array: return array(expression);
    case Expression::Kind::Tuple:
      return emit(fmt::format("tuple({})", fmt::join(expressions(expression.items, 0), ", ")), at);
    case Expression::Kind::Call:
    case Expression::Kind::Latest:
    case Expression::Kind::Spawn: return call(expression);
    case Expression::Kind::TypedCall: return typed_call(expression);
    case Expression::Kind::Operator: return generic(expression.text, expression.items, 0, at);
    case Expression::Kind::And:
    case Expression::Kind::Or: return logical(expression);
    case Expression::Kind::Is:
      return emit(fmt::format("is {} {}", this->expression(*expression.items[0]), expression.type.text), at);
    case Expression::Kind::As: return generic("as " + expression.type.text, expression.items, 0, at);
    case Expression::Kind::Field:
      return emit(
          fmt::format("field {}.{}", this->expression(*expression.items[0]), ir_name(expression.text)), at);
    case Expression::Kind::Item:
      return emit(fmt::format("item {} {}", this->expression(*expression.items[0]), expression.bits), at);
    case Expression::Kind::Index: return index(expression);
    case Expression::Kind::Raw: return raw(expression);
  }
  return "nothing";
}

std::string Lowering::read(int variable, Place at) {
  const std::string& value = values_[static_cast<size_t>(variable)];
  return (*variables_)[static_cast<size_t>(variable)].has_cell
             ? emit(fmt::format("array.get {} 0", value), at)
             : value;
}

std::string Lowering::name(const Expression& expression) {
  if (expression.variable >= 0) return read(expression.variable, expression.at);
  const Global* global = catalog_.global(expression.text);
  if (global != nullptr && !global->is_constant)
    return emit("global.get " + ir_name(expression.text), expression.at);
  const bool is_type =
      global == nullptr && !catalog_.has_function(expression.text) && catalog_.is_type(expression.text);
  return is_type ? fmt::format("type<{}>", expression.text) : ir_name(expression.text);
}

std::string Lowering::array(const Expression& expression) {
  const auto items = expressions(expression.items, 0);
  std::string result;
  if (items.empty()) return emit("array.new any 0 nothing", expression.at);
  if (is_exact(expression.static_type)) {
    result = emit(fmt::format("array.new {} {} {}", Catalog::element_type(expression.static_type),
                              items.size(), items[0]),
                  expression.at);
  } else {
    result = open_array(expression, items);
  }
  for (size_t i = 1; i < items.size(); i++)
    emit_only(fmt::format("array.set {} {} {}", result, i, items[i]), expression.at);
  return result;
}

/// The element type is known at run time only: the items' own if they share it, any otherwise.
std::string Lowering::open_array(const Expression& expression, const std::vector<std::string>& items) {
  has_open_arrays_ = true;
  const Place at = expression.at;
  const std::string create = fmt::format("call `array new`({}, {})", items[0], items.size());
  if (items.size() == 1) return emit(create, at);
  const BlockId mixed = text_.new_block();
  const BlockId after = text_.new_block();
  const std::string first = emit("typeof " + items[0], at);
  for (size_t i = 1; i < items.size(); i++) {
    const std::string same = emit(fmt::format("same {} {}", first, emit("typeof " + items[i], at)), at);
    const BlockId next = text_.new_block();
    text_.end(fmt::format("cond {} {} {}", same, target(next), target(mixed)), at);
    start(next);
  }
  text_.end("br " + target(after, {emit(create, at)}), at);
  start(mixed);
  text_.end("br " + target(after, {emit(fmt::format("array.new any {} {}", items.size(), items[0]), at)}),
            at);
  const std::string result = text_.new_value();
  start(after, {result});
  return result;
}

std::string Lowering::call(const Expression& expression) {
  const Expression& callee = *expression.items[0];
  const bool plain = expression.kind == Expression::Kind::Call;
  const bool named =
      callee.kind == Expression::Kind::Name && callee.variable < 0 && catalog_.global(callee.text) == nullptr;
  if (plain && named) {
    const Struct* structure = catalog_.structure(callee.text);
    if (structure != nullptr &&
        (structure->fields.size() == expression.items.size() - 1 || !catalog_.has_function(callee.text))) {
      if (structure->fields.size() != expression.items.size() - 1) {
        fail(expression.at, fmt::format("{} values for {}, expected {}", expression.items.size() - 1,
                                        callee.text, structure->fields.size()));
      }
      return emit(fmt::format("new {}({})", callee.text, fmt::join(expressions(expression.items, 1), ", ")),
                  expression.at);
    }
    std::string result;
    if (!catalog_.has_own_function(callee.text) && builtin(expression, callee.text, result)) return result;
    return generic(callee.text, expression.items, 1, expression.at);
  }
  const std::string function = named ? ir_name(callee.text) : this->expression(callee);
  const char* operation = plain                                        ? "call"
                          : expression.kind == Expression::Kind::Spawn ? "spawn"
                                                                       : "call.latest";
  return emit(
      fmt::format("{} {}({})", operation, function, fmt::join(expressions(expression.items, 1), ", ")),
      expression.at);
}

bool Lowering::builtin(const Expression& expression, const std::string& name, std::string& result) {
  const Place at = expression.at;
  const size_t n = expression.items.size() - 1;
  if (name == "print" || name == "write") {
    auto items = expressions(expression.items, 1);
    if (name == "print") items.emplace_back("\"\\n\"");
    emit_only(fmt::format("print({})", fmt::join(items, ", ")), at);
    result = "nothing";
    return true;
  }
  if (std::find(kIndices.begin(), kIndices.end(), name) != kIndices.end()) {
    if (n != 1 || expression.items[1]->kind != Expression::Kind::Integer || expression.items[1]->bits > 2) {
      fail(at, fmt::format("{} of something else than a dimension, expected {}(0), {}(1) or {}(2)", name,
                           name, name, name));
    }
    result = emit(fmt::format("{} {}", name, expression.items[1]->bits), at);
    return true;
  }
  if (n == 0 && (name == "barrier_block" || name == "barrier_grid")) {
    emit_only(name == "barrier_block" ? "barrier.block" : "barrier.grid", at);
    result = "nothing";
    return true;
  }
  if (n == 1 && name == "fault") {
    emit_only("fault " + this->expression(*expression.items[1]), at);
    result = "nothing";
    return true;
  }
  if (n >= 1 && name == "publish") {
    result = emit(fmt::format("channel.publish({})", fmt::join(expressions(expression.items, 1), ", ")), at);
    return true;
  }
  if (!name.starts_with("atomic_")) return false;
  result = atomic(expression, name);
  return true;
}

std::string Lowering::atomic(const Expression& expression, const std::string& name) {
  struct Form {
    std::string_view name, field, item;
    size_t operands;
  };
  static constexpr std::array<Form, 4> kForms = {{{"atomic_load", "field.atomic", "array.get.atomic", 1},
                                                  {"atomic_store", "set.atomic", "array.set.atomic", 2},
                                                  {"atomic_add", "rmw.field", "rmw.item", 2},
                                                  {"atomic_cas", "cas.field", "cas.item", 3}}};
  const auto* form =
      std::find_if(kForms.begin(), kForms.end(), [&](const Form& item) { return item.name == name; });
  const size_t n = expression.items.size() - 1;
  if (form == kForms.end() || n != form->operands) {
    fail(expression.at, fmt::format("unknown operation {} of {} operands, expected atomic_load(p), "
                                    "atomic_store(p, v), atomic_add(p, v) or "
                                    "atomic_cas(p, old, new)",
                                    name, n));
  }
  const Expression& place = *expression.items[1];
  std::string operation;
  if (place.kind == Expression::Kind::Field) {
    operation =
        fmt::format("{}.seq_cst {}.{}", form->field, this->expression(*place.items[0]), ir_name(place.text));
  } else if (place.kind == Expression::Kind::Index) {
    const std::string object = this->expression(*place.items[0]);
    operation = fmt::format("{}.seq_cst {} {}", form->item, object, this->expression(*place.items[1]));
  } else {
    fail(place.at, fmt::format("{} of something else than a field or an element", name));
  }
  for (size_t i = 2; i <= n; i++) operation += " " + this->expression(*expression.items[i]);
  return emit(operation, expression.at);
}

/// A call of a generic function by name; written as the prelude's one statement where the types leave no
/// choice.
std::string Lowering::generic(std::string_view name, const std::vector<ExpressionPtr>& list, size_t first,
                              Place at) {
  const auto arguments = expressions(list, first);
  if (trusts_methods_) {
    std::vector<std::string> types;
    for (size_t i = first; i < list.size(); i++) types.push_back(list[i]->static_type);
    const Function* callee = catalog_.resolve(name, types);
    if (callee != nullptr && is_trivial(*callee)) {
      const bool outermost = inline_place_ == nullptr;
      if (outermost) inline_place_ = &at;
      std::string result = inlined(*callee, arguments);
      if (outermost) inline_place_ = nullptr;
      return result;
    }
  }
  return emit(fmt::format("call {}({})", ir_name(name), fmt::join(arguments, ", ")), at);
}

std::string Lowering::inlined(const Function& callee, const std::vector<std::string>& arguments) {
  const auto* outer = std::exchange(variables_, &callee.variables);
  auto values = std::exchange(values_, arguments);
  std::string result = expression(*callee.body[0]->value);
  values_ = std::move(values);
  variables_ = outer;
  return result;
}

std::string Lowering::raw(const Expression& expression) {
  std::vector<std::string> operands;
  for (const auto& item : expression.items) {
    const bool is_type =
        item->kind == Expression::Kind::Name && item->variable < 0 && catalog_.is_type(item->text);
    const bool is_applied = item->kind == Expression::Kind::TypedCall && item->bits != 0;
    operands.push_back(is_type ? item->text : is_applied ? item->type.text : this->expression(*item));
  }
  const auto contains = [&](const auto& list) {
    return std::find(list.begin(), list.end(), expression.text) != list.end();
  };
  if (contains(kLists))
    return emit(fmt::format("{}({})", expression.text, fmt::join(operands, ", ")), expression.at);
  if (contains(kHeadLists) && !operands.empty()) {
    const std::string head = operands[0];
    operands.erase(operands.begin());
    return emit(fmt::format("{} {}({})", expression.text, head, fmt::join(operands, ", ")), expression.at);
  }
  return emit(fmt::format("{} {}", expression.text, fmt::join(operands, " ")), expression.at);
}

std::string Lowering::typed_call(const Expression& expression) {
  const std::string& type = expression.type.text;
  const auto operands = expressions(expression.items, 0);
  const auto arguments = arguments_of(type);
  const auto expect = [&](size_t n, std::string_view form) {
    if (operands.size() != n || arguments.size() != 1)
      fail(expression.at, fmt::format("{} values for {}, expected {}", operands.size(), type, form));
  };
  if (expression.bits != 0) return fmt::format("type<{}>", type);
  if (type.starts_with("array<")) {
    expect(2, "array<T>(length, value)");
    return emit(fmt::format("array.new {} {} {}", arguments[0], operands[0], operands[1]), expression.at);
  }
  if (type.starts_with("buffer<")) {
    expect(1, "buffer<T>(length)");
    return emit(fmt::format("buffer.new {} {}", arguments[0], operands[0]), expression.at);
  }
  if (!type.starts_with("channel<"))
    fail(expression.at, fmt::format("a call of {}, expected array<T>, buffer<T> or channel<T>", type));
  expect(3, "channel<T>(slot length, slots, \"out\" or \"in\")");
  return emit(fmt::format("channel.new {} {} {} {}", arguments[0], operands[0], operands[1], operands[2]),
              expression.at);
}

std::string Lowering::index(const Expression& expression) {
  const std::string& type = expression.items[0]->static_type;
  const auto operands = expressions(expression.items, 0);
  std::string_view operation;
  if (type.starts_with("array<")) operation = "array.get";
  if (type.starts_with("buffer<")) operation = "buffer.get";
  if (type == "string") operation = "string.byte";
  if (operation.empty())
    return emit(fmt::format("call `[]`({}, {})", operands[0], operands[1]), expression.at);
  return emit(fmt::format("{} {} {}", operation, operands[0], operands[1]), expression.at);
}

std::string Lowering::logical(const Expression& expression) {
  const bool is_and = expression.kind == Expression::Kind::And;
  const BlockId other = text_.new_block();
  const BlockId after = text_.new_block();
  const std::string decided = target(after, {is_and ? "false" : "true"});
  const std::string left = this->expression(*expression.items[0]);
  text_.end(
      fmt::format("cond {} {} {}", left, is_and ? target(other) : decided, is_and ? decided : target(other)),
      expression.at);
  start(other);
  const Expression& right = *expression.items[1];
  const std::string value = checked(this->expression(right), right.static_type, "bool", right.at);
  text_.end("br " + target(after, {value}), expression.at);
  const std::string result = text_.new_value();
  start(after, {result});
  return result;
}

void Lowering::condition(const Expression& expression, const std::string& yes, const std::string& no) {
  if (expression.kind != Expression::Kind::And && expression.kind != Expression::Kind::Or) {
    const std::string value = this->expression(expression);
    return text_.end(fmt::format("cond {} {} {}", value, yes, no), expression.at);
  }
  const BlockId second = text_.new_block();
  const bool is_and = expression.kind == Expression::Kind::And;
  condition(*expression.items[0], is_and ? target(second) : yes, is_and ? no : target(second));
  start(second);
  condition(*expression.items[1], yes, no);
}

}  // namespace berth::lang
