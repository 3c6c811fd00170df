// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace berth::lang {

std::string ir_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool plain =
      !name.empty() && std::all_of(name.begin(), name.end(), is_plain) && !(name[0] >= '0' && name[0] <= '9');
  const bool reserved =
      name == "true" || name == "false" || name == "nothing" || name == "type" || name == "any";
  return plain && !reserved ? std::string(name) : fmt::format("`{}`", name);
}

std::string ir_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n': result += "\\n"; break;
      case '\t': result += "\\t"; break;
      case '\r': result += "\\r"; break;
      case '"': result += "\\\""; break;
      case '\\': result += "\\\\"; break;
      default: byte < 32 || byte == 127 ? result += fmt::format("\\x{:02x}", byte) : result += c;
    }
  }
  return result + '"';
}

std::string ir_float(double value, std::string_view type) {
  const bool is_single = type == "f32";
  const std::string suffix = is_single ? ":f32" : "";
  if (!std::isfinite(value)) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    const float single = static_cast<float>(value);
    uint32_t single_bits = 0;
    std::memcpy(&single_bits, &single, sizeof single_bits);
    return is_single ? fmt::format("0x{:x}:f32", single_bits) : fmt::format("0x{:x}:f64", bits);
  }
  std::string digits = is_single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + suffix;
}

std::string ir_literal(const Expression& literal) {
  switch (literal.kind) {
    case Expression::Kind::Integer: {
      const std::string digits = fmt::format("{}{}", literal.negative ? "-" : "", literal.bits);
      return literal.text == "i64" ? digits : digits + ":" + literal.text;
    }
    case Expression::Kind::Float: return ir_float(literal.value, literal.text);
    case Expression::Kind::String: return ir_string(literal.text);
    case Expression::Kind::Bool: return literal.bits != 0 ? "true" : "false";
    default: return "nothing";
  }
}

void MethodText::start(BlockId block, const std::vector<std::string>& parameters, BlockId handler) {
  current_ = started_.size();
  started_.push_back({block, parameters, handler, {}, {}});
}

size_t MethodText::leave_open() noexcept { return std::exchange(current_, SIZE_MAX); }

void MethodText::line(const std::string& text, Place at) {
  Block& block = started_[current_];
  block.lines += "  " + text;
  // A place holds until the next one, but blocks are printed in another order than they are written.
  if (block.last.line != at.line || block.last.column != at.column)
    block.lines += fmt::format(" @{}:{}", at.line, at.column);
  block.lines += '\n';
  block.last = at;
}

void MethodText::statement(const std::string& text, Place at) { line(text, at); }

void MethodText::end(const std::string& terminator, Place at) {
  line(terminator, at);
  current_ = SIZE_MAX;
}

std::string MethodText::text() const {
  std::string result;
  for (const Block& block : started_) {
    result += fmt::format("^{}", block.id);
    if (!block.parameters.empty()) result += fmt::format("({})", fmt::join(block.parameters, ", "));
    if (block.handler != kNoBlock) result += fmt::format(" catch ^{}", block.handler);
    result += ":\n" + block.lines;
  }
  return result;
}

}  // namespace berth::lang
