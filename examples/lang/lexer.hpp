// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lexer: the text as tokens, one at a time; a line end is a token except inside ( and [. Time: linear in the
// text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"

namespace berth::lang {

struct Token {
  enum class Kind : uint8_t { End, Line, Name, Keyword, Integer, Float, String, Mark };
  Kind kind = Kind::End;
  Place at;
  std::string_view text;  // as written: Mark, Keyword
  std::string value;      // Name, String: contents
  uint64_t bits = 0;      // Integer: magnitude
  double number = 0;      // Float
  std::string suffix;     // Integer, Float: type

  bool is(std::string_view mark) const noexcept {
    return (kind == Kind::Mark || kind == Kind::Keyword) && text == mark;
  }
};

class Lexer {
 public:
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  static constexpr size_t kMaxName = 255;
  static constexpr size_t kMaxNesting = 256;

  /// Throws Failure if the text is too long.
  Lexer(std::string_view name, std::string_view text);
  /// The next token; throws Failure with its place.
  Token next();
  const std::string& name() const noexcept { return name_; }
  bool is_open() const noexcept { return !brackets_.empty(); }

 private:
  char peek(size_t ahead = 0) const noexcept {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Place place() const noexcept { return {line_, static_cast<uint32_t>(at_ - line_start_ + 1)}; }
  bool skip_blanks();  // true: passed the end of a line that ends a statement
  Token name_or_keyword();
  Token quoted_name();
  Token number();
  void check_range(const Token& token);
  Token string();
  void escape(std::string& value);
  Token mark();
  void track(const Token& token);
  [[noreturn]] void fail(Place at, const std::string& text, bool incomplete = false) const;

  std::string name_;
  std::string_view text_;
  size_t at_ = 0, line_start_ = 0;
  uint32_t line_ = 1;
  bool after_dot_ = false;  // t.1.0 is two items, not a float
  std::vector<char> brackets_;
};

}  // namespace berth::lang
