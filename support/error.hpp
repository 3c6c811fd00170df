// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Error: what went wrong, as one owned value; the C API hands the same object out as berth_error_t.
//
// Created only by make_error, so that there is one place for a breakpoint and one format of the text.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/error.h"

struct berth_error {
  berth_code_t code;
  std::string message;
  std::string details;  // a JSON object
};

namespace berth {

/// An error for when there is no memory for one: `function` is named if there is. Threads: any. Blocks:
/// never. GC: any, kept.
berth_error_t* out_of_memory_error(const char* function) noexcept;
/// Threads: any. Blocks: never. GC: any, kept. Owns: consumed.
void delete_error(berth_error_t* error) noexcept;

class [[nodiscard]] Error {
 public:
  struct Delete {
    void operator()(berth_error* error) const noexcept { delete_error(error); }
  };
  using Pointer = std::unique_ptr<berth_error, Delete>;

  Error() noexcept = default;  // empty: only for Outcome's storage, never returned
  explicit Error(Pointer error) noexcept : error_(std::move(error)) {}
  /// Takes over an error that came through the C API; not null.
  static Error adopt(berth_error_t* error) noexcept { return Error(Pointer(error)); }

  berth_code_t code() const noexcept { return error_->code; }
  const std::string& message() const noexcept { return error_->message; }
  const std::string& details() const noexcept { return error_->details; }
  Error clone() const { return Error(Pointer(new berth_error(*error_))); }
  /// Puts `context: ` before the message; for what only the caller knew.
  Error&& with_context(std::string_view context) &&;
  Error&& with_details(std::string json) && {
    error_->details = std::move(json);
    return std::move(*this);
  }
  /// Ownership goes to the caller, who gives it to a client of the C API.
  berth_error_t* release() noexcept { return error_.release(); }

 private:
  Pointer error_;
};

/// What was asked, what was found, what to do: "ASKED: FOUND. Remedy: ADVICE." Empty parts are left out.
/// Threads: any. Blocks: never. GC: any, kept.
Error make_error(berth_code_t code, std::string_view asked, std::string_view found, std::string_view advice,
                 std::string details = "{}");

/// Text as a JSON string, with its quotes.
std::string json_quote(std::string_view text);

}  // namespace berth
