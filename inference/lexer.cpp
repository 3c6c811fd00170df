// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/lexer.hpp"

#include <fmt/format.h>

#include <charconv>

namespace berth::inference {
namespace {

// Not <cctype>: its answers depend on the locale of the process.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c); }
constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

constexpr size_t kMaxIdentifier = 255;

void append_utf8(std::string& out, uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | (point >> 6));
    out += static_cast<char>(0x80 | (point & 63));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xe0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 63));
    out += static_cast<char>(0x80 | (point & 63));
  } else {
    out += static_cast<char>(0xf0 | (point >> 18));
    out += static_cast<char>(0x80 | ((point >> 12) & 63));
    out += static_cast<char>(0x80 | ((point >> 6) & 63));
    out += static_cast<char>(0x80 | (point & 63));
  }
}

// `\u{3b1}`: from the brace; moves `i` to the closing one.
bool read_code_point(std::string_view text, size_t& i, std::string& out) {
  const size_t close = text.find('}', i);
  if (i >= text.size() || text[i] != '{' || close == std::string_view::npos || close == i + 1 ||
      close - i > 7)
    return false;
  uint32_t point = 0;
  const char* end = text.data() + close;
  if (std::from_chars(text.data() + i + 1, end, point, 16).ptr != end) return false;
  if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
  append_utf8(out, point);
  i = close;
  return true;
}

bool read_byte(std::string_view text, size_t& i, std::string& out) {
  if (i + 1 >= text.size() || !is_hex(text[i]) || !is_hex(text[i + 1])) return false;
  unsigned byte = 0;
  std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
  out += static_cast<char>(byte);
  ++i;
  return true;
}

}  // namespace

void Lexer::skip_space() noexcept {
  while (place_.offset < text_.size()) {
    const char c = text_[place_.offset];
    if (c == '\n') {
      ++place_.line;
      place_.line_start = place_.offset + 1;
    } else if (c == '#') {
      const size_t end = text_.find('\n', place_.offset);
      place_.offset = end == std::string_view::npos ? text_.size() : end;
      continue;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
    ++place_.offset;
  }
}

void Lexer::finish(Token& token, Token::Kind kind, size_t from, size_t to) noexcept {
  token.kind = kind;
  token.text = text_.substr(from, to - from);
}

void Lexer::fail(Token& token, const char* fault, size_t to) noexcept {
  token.fault = fault;
  finish(token, Token::Kind::Bad, token.offset, to);
  place_.offset = to;
}

void Lexer::read_name(Token& token, size_t from) noexcept {
  size_t to = from;
  while (is_word(at(to))) ++to;
  const char sign = text_[token.offset];
  const auto kind = sign == '%' ? Token::Kind::Value : sign == '^' ? Token::Kind::Label : Token::Kind::Name;
  if (to == from) return fail(token, "a sign without a name, expected %name or ^number", to);
  if (to - from > kMaxIdentifier) return fail(token, "a name over 255 bytes, expected a shorter one", to);
  finish(token, kind, from, to);
  place_.offset = to;
}

void Lexer::read_quoted(Token& token) noexcept {
  const size_t from = token.offset + 1;
  size_t to = from;
  while (to < text_.size() && text_[to] != '`' && text_[to] != '\n') ++to;
  if (at(to) != '`')
    return fail(token, "a name in backquotes that does not end, expected ` on this line", to);
  if (to == from) return fail(token, "an empty name, expected one in backquotes", to + 1);
  if (to - from > kMaxIdentifier) return fail(token, "a name over 255 bytes, expected a shorter one", to + 1);
  finish(token, Token::Kind::Name, from, to);
  token.is_quoted = true;
  place_.offset = to + 1;
}

void Lexer::read_number(Token& token) noexcept {
  size_t to = token.offset + (at(token.offset) == '-');
  auto kind = Token::Kind::Integer;
  if (at(to) == '0' && at(to + 1) == 'x' && is_hex(at(to + 2))) {
    to += 2;
    while (is_hex(at(to))) ++to;
  } else {
    while (is_digit(at(to))) ++to;
    if (at(to) == '.' && is_digit(at(to + 1))) {
      kind = Token::Kind::Float;
      ++to;
      while (is_digit(at(to))) ++to;
    }
    const size_t exponent = to + 1 + (at(to + 1) == '-' || at(to + 1) == '+');
    if ((at(to) == 'e' || at(to) == 'E') && is_digit(at(exponent))) {
      kind = Token::Kind::Float;
      to = exponent;
      while (is_digit(at(to))) ++to;
    }
  }
  if (is_word(at(to))) {
    while (is_word(at(to))) ++to;
    return fail(token, "a malformed number, expected digits, or a type after a colon as in 1:u8", to);
  }
  finish(token, kind, token.offset, to);
  place_.offset = to;
}

void Lexer::read_string(Token& token) noexcept {
  size_t to = token.offset + 1;
  while (to < text_.size() && text_[to] != '"' && text_[to] != '\n')
    to += text_[to] == '\\' && at(to + 1) != '\n' ? 2 : 1;
  if (at(to) != '"')
    return fail(token, "a string that does not end, expected \" on this line",
                to < text_.size() ? to : text_.size());
  finish(token, Token::Kind::String, token.offset + 1, to);
  place_.offset = to + 1;
}

Token Lexer::next() noexcept {
  skip_space();
  Token token;
  token.line = place_.line;
  token.column = static_cast<uint32_t>(place_.offset - place_.line_start + 1);
  token.offset = place_.offset;
  if (place_.offset >= text_.size()) return token;
  const char c = text_[place_.offset], d = at(place_.offset + 1);
  if (is_letter(c)) {
    read_name(token, token.offset);
  } else if (c == '%' || c == '^') {
    read_name(token, token.offset + 1);
  } else if (is_digit(c) || (c == '-' && is_digit(d))) {
    read_number(token);
  } else if (c == '"') {
    read_string(token);
  } else if (c == '`') {
    read_quoted(token);
  } else if ((c == '-' && d == '>') || (c == '<' && d == ':')) {
    finish(token, c == '-' ? Token::Kind::Arrow : Token::Kind::Under, token.offset, token.offset + 2);
    place_.offset += 2;
  } else if (std::string_view("(){}[]<>,:=.|@").find(c) != std::string_view::npos) {
    finish(token, Token::Kind::Sign, token.offset, token.offset + 1);
    ++place_.offset;
  } else {
    fail(token, "a byte that has no meaning here, expected a word, a value or a sign", token.offset + 1);
  }
  return token;
}

void Lexer::extend_dotted(Token& name) noexcept {
  size_t to = place_.offset;
  while (at(to) == '.' && is_letter(at(to + 1))) {
    ++to;
    while (is_word(at(to))) ++to;
  }
  name.text = text_.substr(name.offset, to - name.offset);
  place_.offset = to;
}

void Lexer::skip_line(uint32_t line) noexcept {
  while (place_.line <= line && place_.offset < text_.size()) {
    const size_t end = text_.find('\n', place_.offset);
    if (end == std::string_view::npos) return skip_all();
    place_.offset = place_.line_start = end + 1;
    ++place_.line;
  }
}

std::string describe(const Token& token) {
  if (token.kind == Token::Kind::End) return "the end of the text";
  std::string out;
  const char* sign = token.kind == Token::Kind::Value ? "%" : token.kind == Token::Kind::Label ? "^" : "";
  for (const char c : token.text.substr(0, 32)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", byte);
    }
  }
  if (token.text.size() > 32) out += "...";
  return fmt::format("\"{}{}\"", sign, out);
}

bool is_reserved(std::string_view word) noexcept {
  for (const std::string_view reserved :
       {"true", "false", "nothing", "br", "cond", "switch", "return", "throw", "unreachable"}) {
    if (word == reserved) return true;
  }
  return false;
}

std::string quote_name(std::string_view text) {
  bool plain = !text.empty() && is_letter(text[0]) && !is_reserved(text);
  for (const char c : text) plain = plain && is_word(c);
  return plain ? std::string(text) : fmt::format("`{}`", text);
}

bool unescape(std::string_view text, std::string& out, size_t& bad) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    bad = i++;
    const char c = i < text.size() ? text[i] : '\0';
    bool known = true;
    switch (c) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case '"':
      case '\\': out += c; break;
      case 'x': known = read_byte(text, ++i, out); break;
      case 'u': known = read_code_point(text, ++i, out); break;
      default: known = false;
    }
    if (!known) return false;
  }
  return true;
}

std::string quote_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace berth::inference
