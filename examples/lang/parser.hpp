// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parser: a text as declarations (a file) or as declarations and statements (the prompt). By recursive
// descent, with bounded depth.
#pragma once
#include "lexer.hpp"
#include "syntax.hpp"

namespace berth::lang {

class Parser {
 public:
  static constexpr uint32_t kMaxDepth =
      1000;  // of one expression's tree: `a + b + ..` and chains of `else if` too

  Parser(std::string_view name, std::string_view text);
  /// Throws Failure: the first error.
  Unit file();
  Unit prompt();

 private:
  // Tokens.
  bool at(std::string_view mark) const noexcept { return token_.is(mark); }
  bool at_line_end() const noexcept;
  bool accept(std::string_view mark);
  void advance() { token_ = lexer_.next(); }
  void expect(std::string_view mark, std::string_view after);
  void skip_lines();
  void end_statement();
  std::string name(std::string_view what);
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail(Place place, const std::string& text) const;

  // Declarations.
  bool declaration(Unit& unit);
  void abstract(Unit& unit);
  void structure(Unit& unit, bool is_mutable);
  void global(Unit& unit, bool is_constant);
  void function(Unit& unit, bool is_kernel);
  std::string parent();

  // Types.
  TypeName type();
  TypeName single_type();
  void type_arguments(TypeName& into);
  void close_angle();

  // Statements.
  Statements block();
  std::unique_ptr<Statement> statement();
  std::unique_ptr<Statement> make(Statement::Kind kind);
  std::unique_ptr<Statement> local(Statement::Kind kind);
  std::unique_ptr<Statement> conditional();
  std::unique_ptr<Statement> loop();
  std::unique_ptr<Statement> iteration();
  std::unique_ptr<Statement> guarded();
  std::unique_ptr<Statement> launch();
  std::unique_ptr<Statement> shared();
  std::unique_ptr<Statement> simple();

  // Expressions, loosest first.
  ExpressionPtr expression() { return disjunction(); }
  ExpressionPtr disjunction();
  ExpressionPtr conjunction();
  ExpressionPtr comparison();
  ExpressionPtr sum();
  ExpressionPtr product();
  ExpressionPtr unary();
  ExpressionPtr negated_number(Place place);
  ExpressionPtr cast();
  ExpressionPtr postfix();
  ExpressionPtr primary();
  ExpressionPtr integer(bool negative, Place place);
  ExpressionPtr name_expression();
  ExpressionPtr parenthesised();
  ExpressionPtr raw();
  void arguments(Expression& call);
  ExpressionPtr make(Expression::Kind kind, Place place) const;
  ExpressionPtr binary(ExpressionPtr left, ExpressionPtr (Parser::*operand)());
  void add(Expression& parent, ExpressionPtr child);

  Lexer lexer_;
  Token token_;
  uint32_t nesting_ = 0;
};

}  // namespace berth::lang
