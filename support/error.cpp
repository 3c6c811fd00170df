// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/error.hpp"

#include <fmt/format.h>

namespace berth {

Error&& Error::with_context(std::string_view context) && {
  error_->message = fmt::format("{}: {}", context, error_->message);
  return std::move(*this);
}

Error make_error(berth_code_t code, std::string_view asked, std::string_view found, std::string_view advice,
                 std::string details) {
  std::string message{asked};
  if (!found.empty()) {
    if (!message.empty()) message += ": ";
    message += found;
  }
  if (!advice.empty()) {
    message += ". Remedy: ";
    message += advice;
  }
  return Error(std::make_unique<berth_error>(berth_error{code, std::move(message), std::move(details)}));
}

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (character == '\n') {
      out += "\\n";
    } else if (character == '\t') {
      out += "\\t";
    } else if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += character;
    }
  }
  return out + '"';
}

}  // namespace berth
