// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/token_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <tuple>

#include "inference/operations.hpp"

namespace berth::inference {
namespace {

constexpr bool is_hex(std::string_view text) { return text.size() > 2 && text[0] == '0' && text[1] == 'x'; }

template <class T>
bool parse_whole(std::string_view text, T& value, int base = 10) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, base);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

template <class T>
bool parse_float(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

uint64_t sign_extend(uint64_t bits, unsigned width) {
  if (width == 64) return bits;
  const uint64_t sign = uint64_t{1} << (width - 1);
  return (bits ^ sign) - sign;
}

}  // namespace

const Literal* TextScope::constant(std::string_view name) const {
  const auto own = variables.find(name);
  if (own != variables.end()) {
    const auto& variable = set.variables[own->second];
    return variable.is_constant ? &variable.value : nullptr;
  }
  const auto* global = program().global(name, program().engine().world());
  return global && global->is_constant ? &global->constant : nullptr;
}

bool TextScope::is_global(std::string_view name) const {
  const auto own = variables.find(name);
  if (own != variables.end()) return !set.variables[own->second].is_constant;
  const auto* global = program().global(name, program().engine().world());
  return global && !global->is_constant;
}

TokenReader::TokenReader(TextScope& scope, std::string_view text) : scope_(scope), lexer_(text) { advance(); }

void TokenReader::go_to(Lexer::Place place) {
  if (errors_.size() >= kMaxErrors) return;  // the text has ended
  lexer_.go_to(place);
  advance();
}

void TokenReader::recover() {
  if (errors_.empty() || current_.line > errors_.back().line) return;
  lexer_.skip_line(errors_.back().line);
  advance();
}

bool TokenReader::error(const Token& token, std::string text) {
  if (errors_.size() >= kMaxErrors) return false;
  errors_.push_back({token.line, token.column, std::move(text)});
  if (errors_.size() == kMaxErrors) {
    lexer_.skip_all();
    advance();
  }
  return false;
}

bool TokenReader::expected(std::string_view what) {
  if (current_.kind == Token::Kind::Bad) return error(current_, current_.fault);
  return error(current_, fmt::format("{}, expected {}", describe(current_), what));
}

std::vector<TextError> TokenReader::take_errors() {
  std::sort(errors_.begin(), errors_.end(), [](const TextError& a, const TextError& b) {
    return std::tie(a.line, a.column, a.text) < std::tie(b.line, b.column, b.text);
  });
  return std::move(errors_);
}

bool TokenReader::accept(char sign) {
  if (!current_.is(sign)) return false;
  advance();
  return true;
}

bool TokenReader::accept_word(std::string_view word) {
  if (!current_.is_word(word)) return false;
  advance();
  return true;
}

bool TokenReader::expect(char sign) { return accept(sign) || expected(fmt::format("\"{}\"", sign)); }
bool TokenReader::expect_word(std::string_view word) {
  return accept_word(word) || expected(fmt::format("\"{}\"", word));
}

bool TokenReader::read_name(Token& name, std::string_view what) {
  if (current_.kind != Token::Kind::Name) return expected(what);
  name = current_;
  advance();
  return true;
}

bool TokenReader::read_label(uint32_t& number, Token& token) {
  if (current_.kind != Token::Kind::Label) return expected("a block such as ^1");
  if (!parse_whole(current_.text, number)) {
    return error(current_, fmt::format("block {}, expected a number below 2^32", describe(current_)));
  }
  token = current_;
  advance();
  return true;
}

bool TokenReader::read_unsigned(uint32_t& number, std::string_view what) {
  if (current_.kind != Token::Kind::Integer || !parse_whole(current_.text, number)) return expected(what);
  advance();
  return true;
}

bool TokenReader::read_case(int64_t& value) {
  if (current_.kind != Token::Kind::Integer || !parse_whole(current_.text, value))
    return expected("an i64 and a block, or \"]\"");
  advance();
  return true;
}

bool TokenReader::read_type(const Type*& type) {
  TypeReader reader(scope_.types, lexer_, current_);
  type = reader.read();
  return type || error(reader.fault_token, std::move(reader.fault));
}

bool TokenReader::is_literal() const noexcept {
  switch (current_.kind) {
    case Token::Kind::Integer:
    case Token::Kind::Float:
    case Token::Kind::String: return true;
    default: return current_.is_word("true") || current_.is_word("false") || current_.is_word("nothing");
  }
}

bool TokenReader::read_mark(LeafKind& kind, bool& has_mark) {
  has_mark = accept(':');
  if (!has_mark) return true;
  if (current_.kind == Token::Kind::Name && find_simple_kind(current_.text, kind)) return advance(), true;
  return expected("the type of a literal, such as u8 or f32");
}

bool TokenReader::read_literal(Literal& literal) {
  const Token token = current_;
  if (token.kind == Token::Kind::Integer || token.kind == Token::Kind::Float) return read_number(literal);
  if (token.kind == Token::Kind::String) {
    literal.kind = LeafKind::String;
    if (!read_string(literal.string)) return false;
  } else {
    literal.kind = token.is_word("nothing") ? LeafKind::Nothing : LeafKind::Bool;
    literal.bits = token.is_word("true");
    advance();
  }
  LeafKind mark = literal.kind;
  bool has_mark = false;
  if (!read_mark(mark, has_mark)) return false;
  return mark == literal.kind || error(token, fmt::format("{} marked {}, expected {}", describe(token),
                                                          name_of(mark), name_of(literal.kind)));
}

bool TokenReader::read_number(Literal& literal) {
  const Token token = current_;
  advance();
  LeafKind kind = token.kind == Token::Kind::Float ? LeafKind::F64 : LeafKind::I64;
  bool has_mark = false;
  if (!read_mark(kind, has_mark)) return false;
  if (is_float(kind)) return read_float(token, kind, literal);
  if (is_integer(kind) && token.kind == Token::Kind::Integer) return read_integer(token, kind, literal);
  return error(token, fmt::format("{} marked {}, expected a number type that it fits", describe(token),
                                  name_of(kind)));
}

bool TokenReader::read_integer(const Token& token, LeafKind kind, Literal& literal) {
  const unsigned width = bytes_of(kind) * 8;
  const bool is_negative = token.text[0] == '-', has_hex = is_hex(token.text.substr(is_negative));
  const std::string_view digits = token.text.substr(is_negative + (has_hex ? 2 : 0));
  uint64_t magnitude = 0;
  bool fits = parse_whole(digits, magnitude, has_hex ? 16 : 10) && !(has_hex && is_negative);
  const uint64_t limit = width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
  if (has_hex || !is_signed(kind)) {
    fits = fits && magnitude <= limit && (!is_negative || magnitude == 0);
  } else {
    fits = fits && magnitude <= limit / 2 + is_negative;
  }
  if (!fits)
    return error(token, fmt::format("{} out of range, expected an {}", describe(token), name_of(kind)));
  const uint64_t bits = is_negative ? 0 - magnitude : magnitude;
  literal = {};
  literal.kind = kind;
  literal.bits = is_signed(kind) ? sign_extend(bits & limit, width) : bits;
  return true;
}

bool TokenReader::read_float(const Token& token, LeafKind kind, Literal& literal) {
  literal = {};
  literal.kind = kind;
  bool fits = true;
  if (is_hex(token.text)) {
    fits = parse_whole(token.text.substr(2), literal.bits, 16) &&
           (kind == LeafKind::F64 || literal.bits <= UINT32_MAX);
  } else if (kind == LeafKind::F64) {
    double value = 0;
    fits = parse_float(token.text, value);
    literal.bits = std::bit_cast<uint64_t>(value);
  } else {
    float value = 0;
    fits = parse_float(token.text, value);
    literal.bits = std::bit_cast<uint32_t>(value);
  }
  return fits || error(token, fmt::format("{} out of range, expected an {}", describe(token), name_of(kind)));
}

bool TokenReader::read_string(const std::string*& text) {
  if (current_.kind != Token::Kind::String) return expected("a string");
  std::string value;
  size_t bad = 0;
  if (!unescape(current_.text, value, bad)) {
    Token place = current_;
    place.column += static_cast<uint32_t>(bad + 1);
    return error(place, "an unknown escape, expected \\n \\t \\r \\\" \\\\ \\xHH or \\u{HEX}");
  }
  text = intern(value);
  advance();
  return true;
}

// Behind the word `type`: `<T>`.
bool TokenReader::read_type_value(Literal& literal) {
  literal = {};
  literal.kind = LeafKind::TypeValue;
  return expect('<') && read_type(literal.type) && expect('>');
}

bool TokenReader::read_named_value(Literal& literal, const std::string*& constant) {
  constant = nullptr;
  constexpr std::string_view kWhat = "a value: %name, a literal or a name";
  // A word that ends a block is the next line's: an operand is missing.
  if (current_.kind == Token::Kind::Name && !current_.is_quoted && is_reserved(current_.text))
    return expected(kWhat);
  Token name;
  if (!read_name(name, kWhat)) return false;
  if (name.is_word("type") && current_.is('<')) return read_type_value(literal);
  if (const Literal* value = scope_.constant(name.text)) {
    literal = *value;
    constant = intern(name.text);
    return true;
  }
  if (scope_.is_global(name.text)) {
    return error(name, fmt::format("{} is a global, expected global.get {} before its use", describe(name),
                                   name.text));
  }
  literal = {};
  literal.kind = LeafKind::Function;
  literal.function = scope_.program().intern_function(name.text);
  return true;
}

bool TokenReader::read_place(Position& at, bool& is_explicit) {
  is_explicit = current_.is('@');
  if (!accept('@')) return true;
  return read_unsigned(at.line, "a line number") && expect(':') &&
         read_unsigned(at.column, "a column number");
}

}  // namespace berth::inference
