// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C boundary: runs a body, turns what escapes from it into an error.
#pragma once
#include <exception>
#include <new>
#include <type_traits>

#include "support/result.hpp"

namespace berth {

/// `body` returns Result<void>, or the error itself. NULL on success. No exception leaves.
template <class Body>
berth_error_t* at_boundary(const char* function, Body&& body) noexcept {
  try {
    auto result = body();
    if constexpr (std::is_pointer_v<decltype(result)>) {
      return result;
    } else {
      return result.has_error() ? std::move(result).assume_error().release() : nullptr;
    }
  } catch (const std::bad_alloc&) {
    return make_error(BERTH_OUT_OF_MEMORY, function, "memory allocation failed", "free memory and try again").release();
  } catch (const std::exception& exception) {
    return make_error(BERTH_INTERNAL, function, exception.what(), "report this as a defect of Berth").release();
  } catch (...) {
    return make_error(BERTH_INTERNAL, function, "an unknown exception", "report this as a defect of Berth").release();
  }
}

}  // namespace berth
