// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TokenReader: the current token, what may follow it, and the errors so far. Types and literals are read
// here, as declarations and bodies both contain them.
//
// A function that returns false has recorded an error; the caller returns false too, up to a loop that
// recovers at the next line.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inference/lexer.hpp"
#include "inference/text.hpp"
#include "inference/type_reader.hpp"

namespace berth::inference {

/// What names mean in a text: its own definitions, then the program's.
struct TextScope {
  TextScope(Program& owner, DefinitionSet& made) : types(owner), set(made) {}
  Program& program() const noexcept { return types.program; }
  /// The value of a constant; null: no such constant.
  const Literal* constant(std::string_view name) const;
  bool is_global(std::string_view name) const;

  TypeNames types;
  DefinitionSet& set;
  std::unordered_map<std::string_view, size_t>
      variables;  // index into set.variables; keys are views of the text
  std::unordered_map<std::string_view, bool> kept_globals;  // defined again as they are
};

class TokenReader {
 public:
  static constexpr size_t kMaxErrors = 20;

  TokenReader(TextScope& scope, std::string_view text);

  const Token& current() const noexcept { return current_; }
  Lexer::Place place() const noexcept { return lexer_.place(); }
  void go_to(Lexer::Place place);
  void advance() { current_ = lexer_.next(); }
  /// The current token is an operation: takes its dotted words in.
  void extend_dotted() { lexer_.extend_dotted(current_); }
  /// Goes to the line behind the newest error.
  void recover();

  bool error(const Token& token, std::string text);
  bool expected(std::string_view what);  // something else than the current token
  bool has_errors() const noexcept { return !errors_.empty(); }
  size_t num_errors() const noexcept { return errors_.size(); }
  std::vector<TextError> take_errors();  // by place

  bool accept(char sign);
  bool accept_word(std::string_view word);
  bool expect(char sign);
  bool expect_word(std::string_view word);
  bool read_name(Token& name, std::string_view what);
  bool read_label(uint32_t& number, Token& token);
  bool read_unsigned(uint32_t& number, std::string_view what);
  bool read_case(int64_t& value);
  bool read_type(const Type*& type);
  bool is_literal() const noexcept;
  bool read_literal(Literal& literal);
  /// The value of a name: a constant or a function; `constant`: its interned name if it was one, else null.
  bool read_named_value(Literal& literal, const std::string*& constant);
  bool read_string(const std::string*& text);
  /// `@line:column`, if it is there; else leaves `at`.
  bool read_place(Position& at, bool& is_explicit);

  TextScope& scope() noexcept { return scope_; }
  const std::string* intern(std::string_view text) { return scope_.program().types().string(text); }

 private:
  bool read_mark(LeafKind& kind, bool& has_mark);
  bool read_integer(const Token& token, LeafKind kind, Literal& literal);
  bool read_float(const Token& token, LeafKind kind, Literal& literal);
  bool read_number(Literal& literal);
  bool read_type_value(Literal& literal);

  TextScope& scope_;
  Lexer lexer_;
  Token current_;
  std::vector<TextError> errors_;
};

}  // namespace berth::inference
