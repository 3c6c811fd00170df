// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failure: one error of the front end or the command, as one line that names place and remedy.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace berth::lang {

/// A place in a text; lines and columns (in bytes) from 1.
struct Place {
  uint32_t line = 0, column = 0;
};

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  Failure(std::string_view name, Place at, const std::string& text);
  /// A text that ends where more could follow: the prompt reads on instead of reporting it.
  bool is_incomplete() const noexcept { return incomplete_; }
  Failure&& incomplete(bool value) && noexcept {
    incomplete_ = value;
    return static_cast<Failure&&>(*this);
  }

 private:
  bool incomplete_ = false;
};

}  // namespace berth::lang
