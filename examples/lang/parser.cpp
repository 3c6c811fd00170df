// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parser.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace berth::lang {
namespace {

/// Counts how deep the parser is in itself; the destructor leaves.
class Level {
 public:
  explicit Level(uint32_t& depth) : depth_(depth) { depth_++; }
  ~Level() { depth_--; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  uint32_t& depth_;
};

constexpr uint32_t kMaxLevels = 520;  // two a bracket

std::string shown(const Token& token) {
  switch (token.kind) {
    case Token::Kind::End: return "end of text";
    case Token::Kind::Line: return "end of line";
    case Token::Kind::Name: return fmt::format("'{}'", token.value.substr(0, 40));
    case Token::Kind::Integer:
    case Token::Kind::Float: return "a number";
    case Token::Kind::String: return "a string";
    default: return fmt::format("'{}'", token.text);
  }
}

bool is_generic_type(std::string_view name) {
  return name == "array" || name == "buffer" || name == "channel" || name == "tuple";
}

}  // namespace

Parser::Parser(std::string_view name, std::string_view text) : lexer_(name, text) { advance(); }

// Tokens.

bool Parser::at_line_end() const noexcept {
  return token_.kind == Token::Kind::Line || token_.kind == Token::Kind::End;
}

bool Parser::accept(std::string_view mark) {
  if (!at(mark)) return false;
  advance();
  return true;
}

void Parser::expect(std::string_view mark, std::string_view after) {
  if (!at(mark)) fail_expected(fmt::format("'{}' {}", mark, after));
  advance();
}

void Parser::skip_lines() {
  while (token_.kind == Token::Kind::Line) advance();
}

void Parser::end_statement() {
  if (!at_line_end() && !at("}")) fail_expected("end of line, ';' or an operator");
}

std::string Parser::name(std::string_view what) {
  if (token_.kind != Token::Kind::Name) fail_expected(what);
  std::string result = std::move(token_.value);
  advance();
  return result;
}

void Parser::fail_expected(std::string_view what) const {
  const bool incomplete = token_.kind == Token::Kind::End && lexer_.is_open();
  throw Failure(lexer_.name(), token_.at, fmt::format("unexpected {}, expected {}", shown(token_), what))
      .incomplete(incomplete);
}

void Parser::fail(Place place, const std::string& text) const { throw Failure(lexer_.name(), place, text); }

// Declarations.

Unit Parser::file() {
  Unit unit;
  unit.name = lexer_.name();
  for (skip_lines(); token_.kind != Token::Kind::End; skip_lines()) {
    if (!declaration(unit)) fail_expected("a declaration: fn, type, abstract, const, global or kernel");
    if (!at_line_end()) fail_expected("end of line after a declaration");
  }
  return unit;
}

Unit Parser::prompt() {
  Unit unit;
  unit.name = lexer_.name();
  for (skip_lines(); token_.kind != Token::Kind::End; skip_lines()) {
    if (!declaration(unit)) unit.statements.push_back(statement());
    if (!at_line_end()) fail_expected("end of line");
  }
  return unit;
}

bool Parser::declaration(Unit& unit) {
  if (at("fn")) {
    function(unit, false);
  } else if (at("kernel")) {
    function(unit, true);
  } else if (at("abstract")) {
    abstract(unit);
  } else if (at("mutable")) {
    advance();
    if (!at("type")) fail_expected("'type' after mutable");
    structure(unit, true);
  } else if (at("type")) {
    structure(unit, false);
  } else if (at("const") || at("global")) {
    global(unit, at("const"));
  } else {
    return false;
  }
  return true;
}

std::string Parser::parent() {
  return accept("<:") ? name("the name of an abstract type after '<:'") : std::string();
}

void Parser::abstract(Unit& unit) {
  Abstract result;
  advance();
  result.at = token_.at;
  result.name = name("a name after abstract");
  result.parent = parent();
  unit.abstracts.push_back(std::move(result));
}

void Parser::structure(Unit& unit, bool is_mutable) {
  Struct result;
  result.is_mutable = is_mutable;
  advance();
  result.at = token_.at;
  result.name = name("a name after type");
  result.parent = parent();
  expect("{", "before the fields");
  skip_lines();
  while (!at("}")) {
    Struct::Field field;
    field.name = name("the name of a field or '}'");
    if (accept(":")) field.type = type();
    if (field.type.text.empty()) field.type.text = "any";
    result.fields.push_back(std::move(field));
    if (!at("}") && !at(",") && token_.kind != Token::Kind::Line) fail_expected("',' or '}' after a field");
    accept(",");
    skip_lines();
  }
  advance();
  unit.structs.push_back(std::move(result));
}

void Parser::global(Unit& unit, bool is_constant) {
  Global result;
  result.is_constant = is_constant;
  advance();
  result.at = token_.at;
  result.name = name(is_constant ? "a name after const" : "a name after global");
  if (accept(":")) result.type = type();
  expect("=", "and a literal");
  result.value = expression();
  unit.globals.push_back(std::move(result));
}

void Parser::function(Unit& unit, bool is_kernel) {
  auto result = std::make_unique<Function>();
  result->is_kernel = is_kernel;
  advance();
  result->at = token_.at;
  result->name = name(is_kernel ? "a name after kernel" : "a name after fn");
  expect("(", "before the parameters");
  while (!at(")")) {
    Function::Parameter parameter;
    const Place place = token_.at;
    parameter.name = name("the name of a parameter or ')'");
    for (const auto& other : result->parameters) {
      if (other.name == parameter.name)
        fail(place, fmt::format("a second parameter {}, expected another name", parameter.name));
    }
    if (accept(":")) parameter.type = type();
    result->parameters.push_back(std::move(parameter));
    if (result->parameters.size() > 255) fail(place, "more than 255 parameters, expected fewer");
    if (!at(")") && !at(",")) fail_expected("',' or ')' after a parameter");
    accept(",");
  }
  advance();
  if (accept("->")) result->result = type();
  if (!at("{")) fail_expected("'{' and the statements");
  result->body = block();
  unit.functions.push_back(std::move(result));
}

// Types.

TypeName Parser::type() {
  TypeName result = single_type();
  if (!at("|")) return result;
  std::vector<std::string> members{result.text};
  while (accept("|")) {
    TypeName other = single_type();
    members.push_back(other.text);
    std::move(other.names.begin(), other.names.end(), std::back_inserter(result.names));
  }
  // One spelling for equal types, `nothing` last: static types are compared as text.
  std::sort(members.begin(), members.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a == "nothing", std::string_view(a)) < std::pair(b == "nothing", std::string_view(b));
  });
  members.erase(std::unique(members.begin(), members.end()), members.end());
  result.text = fmt::format("{}", fmt::join(members, " | "));
  return result;
}

TypeName Parser::single_type() {
  const Level level(nesting_);
  if (nesting_ > kMaxLevels) fail(token_.at, "types nested too deep, expected fewer");
  TypeName result;
  result.at = token_.at;
  if (accept("nothing")) {
    result.text = "nothing";
    return result;
  }
  if (accept("type")) {
    result.text = "type";
    return result;
  }
  if (token_.kind != Token::Kind::Name) fail_expected("a type");
  result.text = token_.value;
  result.names.emplace_back(token_.value, token_.at);
  advance();
  if (is_generic_type(result.text) && at("<")) type_arguments(result);
  return result;
}

void Parser::type_arguments(TypeName& into) {
  advance();
  into.text += '<';
  bool first = true;
  while (!at(">") && !at(">>")) {
    TypeName item = type();
    if (!first) into.text += ", ";
    into.text += item.text;
    std::move(item.names.begin(), item.names.end(), std::back_inserter(into.names));
    first = false;
    if (!accept(",")) break;
  }
  close_angle();
  into.text += '>';
}

void Parser::close_angle() {
  if (at(">>")) {  // array<array<i64>>: one of the two is ours
    token_.text = ">";
    token_.at.column++;
    return;
  }
  expect(">", "after the types");
}

// Statements.

Statements Parser::block() {
  const Level level(nesting_);
  if (nesting_ > kMaxLevels) fail(token_.at, "blocks nested too deep, expected fewer");
  expect("{", "before the statements");
  Statements result;
  for (skip_lines(); !at("}"); skip_lines()) {
    if (token_.kind == Token::Kind::End) fail_expected("'}' after the statements");
    result.push_back(statement());
    if (!at("}") && !at_line_end()) fail_expected("end of line, ';' or an operator");
  }
  advance();
  return result;
}

std::unique_ptr<Statement> Parser::make(Statement::Kind kind) {
  auto result = std::make_unique<Statement>();
  result->kind = kind;
  result->at = token_.at;
  return result;
}

std::unique_ptr<Statement> Parser::statement() {
  if (at("let")) return local(Statement::Kind::Let);
  if (at("var")) return local(Statement::Kind::Var);
  if (at("if")) return conditional();
  if (at("while")) return loop();
  if (at("for")) return iteration();
  if (at("try")) return guarded();
  if (at("launch")) return launch();
  if (at("shared")) return shared();
  if (at("{")) {
    auto result = make(Statement::Kind::Scope);
    result->body = block();
    return result;
  }
  if (at("break") || at("continue")) {
    auto result = make(at("break") ? Statement::Kind::Break : Statement::Kind::Continue);
    advance();
    return result;
  }
  if (at("return") || at("throw")) {
    auto result = make(at("return") ? Statement::Kind::Return : Statement::Kind::Throw);
    advance();
    const bool bare = result->kind == Statement::Kind::Return && (at_line_end() || at("}"));
    if (!bare) result->value = expression();
    end_statement();
    return result;
  }
  return simple();
}

std::unique_ptr<Statement> Parser::local(Statement::Kind kind) {
  auto result = make(kind);
  advance();
  result->name = name("a name");
  if (accept(":")) result->type = type();
  expect("=", "and a value");
  result->value = expression();
  end_statement();
  return result;
}

std::unique_ptr<Statement> Parser::conditional() {
  const Level level(nesting_);
  if (nesting_ > kMaxLevels) fail(token_.at, "a chain of too many conditions, expected fewer than 256");
  auto result = make(Statement::Kind::If);
  advance();
  result->value = expression();
  result->body = block();
  if (accept("else")) {
    if (at("if")) {
      result->otherwise.push_back(conditional());
    } else {
      result->otherwise = block();
    }
  }
  return result;
}

std::unique_ptr<Statement> Parser::loop() {
  auto result = make(Statement::Kind::While);
  advance();
  result->value = expression();
  result->body = block();
  return result;
}

std::unique_ptr<Statement> Parser::iteration() {
  auto result = make(Statement::Kind::For);
  advance();
  result->name = name("a name after for");
  expect("in", "and an array or a range");
  result->value = expression();
  if (accept("..")) result->end = expression();
  result->body = block();
  return result;
}

std::unique_ptr<Statement> Parser::guarded() {
  auto result = make(Statement::Kind::Try);
  advance();
  result->body = block();
  expect("catch", "after the block of a try");
  result->name = name("a name for the error");
  result->otherwise = block();
  return result;
}

std::unique_ptr<Statement> Parser::launch() {
  auto result = make(Statement::Kind::Launch);
  advance();
  result->name = name("the name of a kernel");
  Expression call{};
  arguments(call);
  result->arguments = std::move(call.items);
  for (const std::string_view word : {"blocks", "lanes"}) {
    if (token_.kind != Token::Kind::Name || token_.value != word) {
      fail_expected(fmt::format("'{}' and a size, as in launch k(x) blocks 4 lanes 64", word));
    }
    advance();
    (word == "blocks" ? result->value : result->end) = expression();
  }
  end_statement();
  return result;
}

std::unique_ptr<Statement> Parser::shared() {
  auto result = make(Statement::Kind::Shared);
  advance();
  result->name = name("a name after shared");
  expect(":", "and a type, as in shared s: f64[256]");
  result->type = single_type();
  expect("[", "and a length");
  if (token_.kind != Token::Kind::Integer) fail_expected("a literal length");
  result->value = integer(false, token_.at);
  expect("]", "after the length");
  end_statement();
  return result;
}

std::unique_ptr<Statement> Parser::simple() {
  auto result = make(Statement::Kind::Value);
  result->value = expression();
  if (at("=")) {
    const auto kind = result->value->kind;
    if (kind != Expression::Kind::Name && kind != Expression::Kind::Field &&
        kind != Expression::Kind::Index) {
      fail(result->at, "assignment to something else than a variable, a field or an element");
    }
    result->kind = Statement::Kind::Assign;
    result->at = result->value->at;
    advance();
    result->target = std::move(result->value);
    result->value = expression();
  }
  end_statement();
  return result;
}

// Expressions.

ExpressionPtr Parser::make(Expression::Kind kind, Place place) const {
  auto result = std::make_unique<Expression>();
  result->kind = kind;
  result->at = place;
  return result;
}

void Parser::add(Expression& parent, ExpressionPtr child) {
  parent.depth = std::max(parent.depth, child->depth + 1);
  if (parent.depth > kMaxDepth)
    fail(parent.at, "an expression nested deeper than 1000, expected several statements");
  parent.items.push_back(std::move(child));
}

ExpressionPtr Parser::binary(ExpressionPtr left, ExpressionPtr (Parser::*operand)()) {
  auto result = make(Expression::Kind::Operator, token_.at);
  result->text = token_.text;
  advance();
  add(*result, std::move(left));
  add(*result, (this->*operand)());
  return result;
}

ExpressionPtr Parser::disjunction() {
  const Level level(nesting_);
  if (nesting_ > kMaxLevels) fail(token_.at, "expressions nested too deep, expected fewer");
  ExpressionPtr left = conjunction();
  while (at("||")) {
    left = binary(std::move(left), &Parser::conjunction);
    left->kind = Expression::Kind::Or;
  }
  return left;
}

ExpressionPtr Parser::conjunction() {
  ExpressionPtr left = comparison();
  while (at("&&")) {
    left = binary(std::move(left), &Parser::comparison);
    left->kind = Expression::Kind::And;
  }
  return left;
}

ExpressionPtr Parser::comparison() {
  ExpressionPtr left = sum();
  for (;;) {
    if (at("is")) {
      auto test = make(Expression::Kind::Is, token_.at);
      advance();
      add(*test, std::move(left));
      test->type = type();
      left = std::move(test);
    } else if (at("==") || at("!=") || at("<") || at("<=") || at(">") || at(">=")) {
      left = binary(std::move(left), &Parser::sum);
    } else {
      return left;
    }
  }
}

ExpressionPtr Parser::sum() {
  ExpressionPtr left = product();
  while (at("+") || at("-") || at("|") || at("^")) left = binary(std::move(left), &Parser::product);
  return left;
}

ExpressionPtr Parser::product() {
  ExpressionPtr left = unary();
  while (at("*") || at("/") || at("%") || at("&") || at("<<") || at(">>"))
    left = binary(std::move(left), &Parser::unary);
  return left;
}

ExpressionPtr Parser::unary() {
  const Level level(nesting_);
  if (nesting_ > kMaxLevels) fail(token_.at, "expressions nested too deep, expected fewer");
  const Place place = token_.at;
  if (at("-")) {
    advance();
    if (token_.kind == Token::Kind::Integer || token_.kind == Token::Kind::Float)
      return negated_number(place);
    auto result = make(Expression::Kind::Operator, place);
    result->text = "-";
    add(*result, unary());
    return result;
  }
  if (at("!") || at("~")) {
    auto result = make(Expression::Kind::Operator, place);
    result->text = token_.text;
    advance();
    add(*result, unary());
    return result;
  }
  if (at("spawn") || at("latest")) {
    const bool spawns = at("spawn");
    advance();
    ExpressionPtr call = postfix();
    if (call->kind != Expression::Kind::Call)
      fail(call->at,
           fmt::format("{} of something else than a call, expected f(x)", spawns ? "spawn" : "latest"));
    call->kind = spawns ? Expression::Kind::Spawn : Expression::Kind::Latest;
    return call;
  }
  return cast();
}

/// `-9` is one literal, so that the least integer can be written; `-9 as u8` still negates what `as` gives.
ExpressionPtr Parser::negated_number(Place place) {
  ExpressionPtr number;
  if (token_.kind == Token::Kind::Integer) {
    number = integer(true, place);
  } else {
    number = make(Expression::Kind::Float, place);
    number->value = -token_.number;
    number->text = token_.suffix;
    advance();
  }
  if (!at("as")) return number;
  number->negative = false;
  number->value = -number->value;
  auto result = make(Expression::Kind::Operator, place);
  result->text = "-";
  while (at("as")) {
    auto outer = make(Expression::Kind::As, token_.at);
    advance();
    outer->type = single_type();
    add(*outer, std::move(number));
    number = std::move(outer);
  }
  add(*result, std::move(number));
  return result;
}

ExpressionPtr Parser::cast() {
  ExpressionPtr value = postfix();
  while (at("as")) {
    auto result = make(Expression::Kind::As, token_.at);
    advance();
    result->type = single_type();
    add(*result, std::move(value));
    value = std::move(result);
  }
  return value;
}

void Parser::arguments(Expression& call) {
  expect("(", "before the arguments");
  while (!at(")")) {
    add(call, expression());
    if (call.items.size() > 256) fail(call.at, "more than 255 arguments, expected fewer");
    if (!at(")") && !at(",")) fail_expected("',' or ')' after an argument");
    accept(",");
  }
  advance();
}

ExpressionPtr Parser::postfix() {
  ExpressionPtr value = primary();
  for (;;) {
    const Place place = token_.at;
    if (at("(")) {
      auto call = make(Expression::Kind::Call, value->at);
      add(*call, std::move(value));
      arguments(*call);
      value = std::move(call);
    } else if (at("[")) {
      auto index = make(Expression::Kind::Index, place);
      advance();
      add(*index, std::move(value));
      add(*index, expression());
      expect("]", "after an index");
      value = std::move(index);
    } else if (at(".")) {
      advance();
      const bool item = token_.kind == Token::Kind::Integer;
      auto access = make(item ? Expression::Kind::Item : Expression::Kind::Field, place);
      add(*access, std::move(value));
      if (item) {
        access->bits = token_.bits;
        advance();
      } else if (token_.is("type")) {
        access->text = "type";
        advance();
      } else {
        access->text = name("the name of a field or the number of an item");
      }
      value = std::move(access);
    } else {
      return value;
    }
  }
}

ExpressionPtr Parser::integer(bool negative, Place place) {
  auto result = make(Expression::Kind::Integer, place);
  const std::string& type = token_.suffix;
  const unsigned bits = static_cast<unsigned>(std::stoul(type.substr(1)));
  const bool is_signed = type[0] == 'i';
  uint64_t limit = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  if (is_signed) limit = (uint64_t{1} << (bits - 1)) - (negative ? 0 : 1);
  if (negative && !is_signed) limit = 0;
  if (token_.bits > limit)
    fail(place, fmt::format("the number does not fit its type, expected one in the range of {}", type));
  result->bits = token_.bits;
  result->negative = negative && token_.bits != 0;
  result->text = type;
  advance();
  return result;
}

ExpressionPtr Parser::primary() {
  const Place place = token_.at;
  switch (token_.kind) {
    case Token::Kind::Integer: return integer(false, place);
    case Token::Kind::Float: {
      auto result = make(Expression::Kind::Float, place);
      result->value = token_.number;
      result->text = token_.suffix;
      advance();
      return result;
    }
    case Token::Kind::String: {
      auto result = make(Expression::Kind::String, place);
      result->text = std::move(token_.value);
      advance();
      return result;
    }
    case Token::Kind::Name: return name_expression();
    default: break;
  }
  if (at("true") || at("false")) {
    auto result = make(Expression::Kind::Bool, place);
    result->bits = at("true") ? 1 : 0;
    advance();
    return result;
  }
  if (accept("nothing")) return make(Expression::Kind::Nothing, place);
  if (at("(")) return parenthesised();
  if (at("@")) return raw();
  if (at("[")) {
    auto result = make(Expression::Kind::Array, place);
    advance();
    while (!at("]")) {
      add(*result, expression());
      if (!at("]") && !at(",")) fail_expected("',' or ']' after an item");
      accept(",");
    }
    advance();
    return result;
  }
  fail_expected("an expression");
}

ExpressionPtr Parser::name_expression() {
  const Place place = token_.at;
  auto result = make(Expression::Kind::Name, place);
  result->text = std::move(token_.value);
  advance();
  if (!is_generic_type(result->text) || !at("<")) return result;
  result->kind = Expression::Kind::TypedCall;
  result->type.at = place;
  result->type.text = result->text;
  type_arguments(result->type);
  if (at("(")) {
    arguments(*result);
  } else {
    result->bits = 1;  // a type alone, as an argument of a raw statement
  }
  return result;
}

ExpressionPtr Parser::parenthesised() {
  const Place place = token_.at;
  advance();
  if (accept(")")) return make(Expression::Kind::Tuple, place);
  ExpressionPtr first = expression();
  if (accept(")")) return first;
  auto result = make(Expression::Kind::Tuple, place);
  add(*result, std::move(first));
  while (!at(")")) {
    if (!accept(",")) fail_expected("',' or ')'");
    if (at(")")) break;
    add(*result, expression());
    if (result->items.size() > 32) fail(place, "a tuple of more than 32 items, expected fewer");
  }
  advance();
  return result;
}

ExpressionPtr Parser::raw() {
  auto result = make(Expression::Kind::Raw, token_.at);
  advance();
  for (;;) {
    if (token_.kind == Token::Kind::Keyword) {  // @is(x, T), @spawn(..): words of the language, too
      result->text += token_.text;
      advance();
    } else {
      result->text += name("an operation, as in @add.i64(a, b)");
    }
    if (!accept(".")) break;
    result->text += '.';
  }
  arguments(*result);
  return result;
}

}  // namespace berth::lang
