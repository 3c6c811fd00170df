// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace berth::lang {
namespace {

constexpr std::array<std::string_view, 29> kKeywords = {
    "abstract", "as",     "break", "catch", "const",  "continue", "else",   "false", "fn",      "for",
    "global",   "if",     "in",    "is",    "kernel", "latest",   "launch", "let",   "mutable", "nothing",
    "return",   "shared", "spawn", "throw", "true",   "try",      "type",   "var",   "while"};
// Longest first: the first that fits is the token.
constexpr std::array<std::string_view, 36> kMarks = {
    "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "->", "..", "<:", "+", "-", "*", "/", "%", "&", "|",
    "^",  "~",  "!",  "<",  ">",  "=",  "(",  ")",  "[",  "]",  "{",  "}", ",", ".", ":", ";", "@", "?"};
constexpr std::array<std::string_view, 10> kNumberTypes = {"i8",  "i16", "i32", "i64", "u8",
                                                           "u16", "u32", "u64", "f32", "f64"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 32 && byte < 127 ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", byte);
}

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 63));
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  }
}

}  // namespace

Lexer::Lexer(std::string_view name, std::string_view text) : name_(name), text_(text) {
  if (text.size() > kMaxBytes) fail({1, 1}, "the text is longer than 64 MiB, expected a shorter one");
}

void Lexer::fail(Place at, const std::string& text, bool incomplete) const {
  throw Failure(name_, at, text).incomplete(incomplete);
}

bool Lexer::skip_blanks() {
  const bool joins = !brackets_.empty() && brackets_.back() != '{';
  for (;; at_++) {
    const char c = peek();
    if (c == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') at_++;
      at_--;
    } else if (c == '\n' && at_ < text_.size()) {
      if (!joins) return true;
      line_++;
      line_start_ = at_ + 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return false;
    }
  }
}

Token Lexer::next() {
  const bool after_dot = std::exchange(after_dot_, false);
  const bool line_ends = skip_blanks();
  Token token;
  token.at = place();
  if (line_ends) {
    token.kind = Token::Kind::Line;
    at_++;
    line_++;
    line_start_ = at_;
    return token;
  }
  if (at_ >= text_.size()) return token;
  const char c = peek();
  if (is_letter(c)) return name_or_keyword();
  if (is_digit(c) && after_dot) {
    const size_t start = at_;
    while (is_digit(peek())) at_++;
    token.kind = Token::Kind::Integer;
    const auto parsed = std::from_chars(text_.data() + start, text_.data() + at_, token.bits);
    if (parsed.ec != std::errc()) fail(token.at, "the item number is too large, expected 0 to 31");
    token.suffix = "i64";
    return token;
  }
  if (is_digit(c)) return number();
  if (c == '"') return string();
  if (c == '`') return quoted_name();
  return mark();
}

Token Lexer::name_or_keyword() {
  Token token;
  token.at = place();
  const size_t start = at_;
  while (is_letter(peek()) || is_digit(peek())) at_++;
  token.text = text_.substr(start, at_ - start);
  if (token.text.size() > kMaxName)
    fail(token.at, "the name is longer than 255 bytes, expected a shorter one");
  const bool keyword = std::find(kKeywords.begin(), kKeywords.end(), token.text) != kKeywords.end();
  token.kind = keyword ? Token::Kind::Keyword : Token::Kind::Name;
  token.value = token.text;
  return token;
}

Token Lexer::quoted_name() {
  Token token;
  token.at = place();
  const size_t start = ++at_;
  while (at_ < text_.size() && peek() != '`' && peek() != '\n') at_++;
  if (peek() != '`') fail(token.at, "a quoted name has no end, expected `");
  token.value = text_.substr(start, at_++ - start);
  if (token.value.empty()) fail(token.at, "a quoted name is empty, expected a name between the `");
  if (token.value.size() > kMaxName)
    fail(token.at, "the name is longer than 255 bytes, expected a shorter one");
  token.kind = Token::Kind::Name;
  return token;
}

Token Lexer::number() {
  Token token;
  token.at = place();
  token.kind = Token::Kind::Integer;
  const size_t start = at_;
  int base = 10;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'b')) {
    base = peek(1) == 'x' ? 16 : 2;
    at_ += 2;
  }
  const size_t digits = at_;
  while (base == 16 ? is_hex(peek()) : is_digit(peek())) at_++;
  if (base == 10 && peek() == '.' && is_digit(peek(1))) {
    token.kind = Token::Kind::Float;
    at_++;
    while (is_digit(peek())) at_++;
  }
  const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
  if (base == 10 && (peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
    token.kind = Token::Kind::Float;
    at_ += 1 + sign;
    while (is_digit(peek())) at_++;
  }
  const size_t end = at_;
  while (is_letter(peek()) || is_digit(peek())) at_++;
  token.suffix = text_.substr(end, at_ - end);
  if (token.suffix.empty()) token.suffix = token.kind == Token::Kind::Float ? "f64" : "i64";
  if (std::find(kNumberTypes.begin(), kNumberTypes.end(), token.suffix) == kNumberTypes.end()) {
    fail(token.at, fmt::format("unknown suffix '{}' of a number, expected i8 to u64, f32 or f64",
                               token.suffix.substr(0, 40)));
  }
  const bool is_float = token.suffix[0] == 'f';
  if (token.kind == Token::Kind::Float && !is_float) {
    fail(token.at, fmt::format("a fraction of type {}, expected f32 or f64", token.suffix));
  }
  std::from_chars_result parsed{};
  const char* last = text_.data() + end;
  if (is_float && base == 10) {
    token.kind = Token::Kind::Float;
    if (token.suffix == "f32") {
      float single = 0;
      parsed = std::from_chars(text_.data() + start, last, single);
      token.number = single;
    } else {
      parsed = std::from_chars(text_.data() + start, last, token.number);
    }
  } else {
    parsed = std::from_chars(text_.data() + digits, last, token.bits, base);
  }
  if (parsed.ec == std::errc::result_out_of_range) {
    fail(token.at,
         fmt::format("the number does not fit its type, expected one in the range of {}", token.suffix));
  }
  if (parsed.ec != std::errc() || parsed.ptr != last)
    fail(token.at, "a number without digits, expected one like 42 or 0x2a");
  if (is_float && base != 10) fail(token.at, "a float in base 2 or 16, expected decimal digits");
  return token;
}

Token Lexer::string() {
  Token token;
  token.at = place();
  token.kind = Token::Kind::String;
  at_++;
  for (;;) {
    if (at_ >= text_.size() || peek() == '\n')
      fail(token.at, "a string has no end, expected \" on the same line");
    const char c = text_[at_++];
    if (c == '"') return token;
    if (c == '\\') {
      escape(token.value);
    } else {
      token.value += c;
    }
  }
}

void Lexer::escape(std::string& value) {
  const Place at{line_, static_cast<uint32_t>(at_ - line_start_)};
  const char c = peek();
  at_++;
  switch (c) {
    case 'n': value += '\n'; return;
    case 't': value += '\t'; return;
    case 'r': value += '\r'; return;
    case '0': value += '\0'; return;
    case '"': value += '"'; return;
    case '\\': value += '\\'; return;
    case 'x':
    case 'u': break;
    default: fail(at, "unknown escape, expected one of \\n \\t \\r \\0 \\\" \\\\ \\x41 \\u{3b1}");
  }
  if (c == 'u') {
    if (peek() != '{') fail(at, "unknown escape, expected \\u{3b1}");
    at_++;
  }
  const size_t start = at_;
  while (is_hex(peek()) && at_ - start < (c == 'x' ? 2U : 6U)) at_++;
  uint32_t code = 0;
  std::from_chars(text_.data() + start, text_.data() + at_, code, 16);
  const size_t digits = at_ - start;
  if (c == 'x') {
    if (digits != 2) fail(at, "unknown escape, expected two digits as in \\x41");
    value += static_cast<char>(code);
    return;
  }
  if (digits == 0 || peek() != '}' || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    fail(at, "unknown escape, expected a code point as in \\u{3b1}");
  }
  at_++;
  append_utf8(value, code);
}

Token Lexer::mark() {
  Token token;
  token.at = place();
  const std::string_view rest = text_.substr(at_);
  const auto* found = std::find_if(kMarks.begin(), kMarks.end(),
                                   [&](std::string_view mark) { return rest.starts_with(mark); });
  if (found == kMarks.end())
    fail(token.at, fmt::format("unexpected {}, expected a name, a number or an operator", shown(rest[0])));
  token.text = *found;
  at_ += found->size();
  token.kind = token.text == ";" ? Token::Kind::Line : Token::Kind::Mark;
  after_dot_ = token.text == ".";
  track(token);
  return token;
}

void Lexer::track(const Token& token) {
  if (token.is("(") || token.is("[") || token.is("{")) {
    if (brackets_.size() >= kMaxNesting) fail(token.at, "brackets nested deeper than 256, expected fewer");
    brackets_.push_back(token.text[0]);
  } else if (!brackets_.empty() && (token.is(")") || token.is("]") || token.is("}"))) {
    brackets_.pop_back();
  }
}

}  // namespace berth::lang
