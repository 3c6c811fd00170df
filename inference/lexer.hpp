// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lexer: the words of the text form, one at a time, with line and column in bytes. Tokens are views of the
// text; linear, no memory.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::inference {

struct Token {
  enum class Kind : uint8_t {
    End,
    Name,
    Value,
    Label,
    Integer,
    Float,
    String,
    Arrow,
    Under,
    Sign,
    Bad
    // Under: "<:". Sign: one of ( ) { } [ ] < > , : = . | @
  };
  Kind kind = Kind::End;
  bool is_quoted = false;  // Name in backquotes: never a word of the language
  uint32_t line = 1, column = 1;
  size_t offset = 0;
  std::string_view
      text;  // Name, Value, Label: without quotes or sign; String: between the quotes; else as written
  const char* fault = nullptr;  // Bad: what is wrong

  bool is(char sign) const noexcept { return kind == Kind::Sign && text[0] == sign; }
  bool is_word(std::string_view word) const noexcept {
    return kind == Kind::Name && !is_quoted && text == word;
  }
};

class Lexer {
 public:
  struct Place {
    size_t offset = 0, line_start = 0;
    uint32_t line = 1;
  };

  explicit Lexer(std::string_view text) noexcept : text_(text) {}

  /// Threads: owner. Blocks: never. Errors: a token of kind Bad.
  Token next() noexcept;
  /// Continues a Name that was just read over `.word.word` that touch it: the name of an operation.
  void extend_dotted(Token& name) noexcept;
  /// Goes to the line after `line`.
  void skip_line(uint32_t line) noexcept;
  void skip_all() noexcept { place_.offset = text_.size(); }
  Place place() const noexcept { return place_; }
  void go_to(Place place) noexcept { place_ = place; }

 private:
  char at(size_t offset) const noexcept { return offset < text_.size() ? text_[offset] : '\0'; }
  void skip_space() noexcept;
  void read_name(Token& token, size_t from) noexcept;
  void read_quoted(Token& token) noexcept;
  void read_number(Token& token) noexcept;
  void read_string(Token& token) noexcept;
  void finish(Token& token, Token::Kind kind, size_t from, size_t to) noexcept;
  void fail(Token& token, const char* fault, size_t to) noexcept;

  std::string_view text_;
  Place place_;
};

/// The token as an error message quotes it: printable, at most 32 bytes.
std::string describe(const Token& token);
/// Words that as an operand stand in backquotes: literals and terminators.
bool is_reserved(std::string_view word) noexcept;
/// `text` as the text form writes a name, in backquotes where it needs them.
std::string quote_name(std::string_view text);
/// Between quotes as they stand in the text; false: an unknown escape, `bad` is its offset.
bool unescape(std::string_view text, std::string& out, size_t& bad);
std::string quote_string(std::string_view text);

}  // namespace berth::inference
