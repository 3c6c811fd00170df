// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/error.hpp"

#include <fmt/format.h>

#include <new>

namespace berth {

Error&& Error::with_context(std::string_view context) && {
  // The one that stands for missing memory belongs to all threads.
  if (error_->code != BERTH_OUT_OF_MEMORY) error_->message = fmt::format("{}: {}", context, error_->message);
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
  return Error(Error::Pointer(new berth_error{code, std::move(message), std::move(details)}));
}

namespace {

// Never deleted: handed out when memory is missing.
berth_error& bare_out_of_memory() noexcept {
  static berth_error error{BERTH_OUT_OF_MEMORY, "no memory", "{}"};  // texts that need no allocation
  return error;
}

}  // namespace

berth_error_t* out_of_memory_error(const char* function) noexcept try {
  return make_error(BERTH_OUT_OF_MEMORY, function, "memory allocation failed", "free memory and try again")
      .release();
} catch (const std::bad_alloc&) { return &bare_out_of_memory(); }

void delete_error(berth_error_t* error) noexcept {
  if (error != &bare_out_of_memory()) delete error;
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
