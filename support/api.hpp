// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C boundary: runs a body, turns what escapes from it into an error.
#pragma once
#include <exception>
#include <new>
#include <type_traits>

#include "support/result.hpp"

namespace berth {

/// For a NULL argument that must not be.
inline Error missing(std::string_view function, std::string_view what) {
  return make_error(BERTH_INVALID_ARGUMENT, function, std::string(what) + " is NULL", "");
}

namespace detail {
inline berth_error_t* defect(const char* function, const char* found) noexcept try {
  return make_error(BERTH_INTERNAL, function, found, "report this as a defect of Berth").release();
} catch (const std::bad_alloc&) { return out_of_memory_error(function); }
}  // namespace detail

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
    return out_of_memory_error(function);
  } catch (const std::exception& exception) {
    return detail::defect(function, exception.what());
  } catch (...) { return detail::defect(function, "an unknown exception"); }
}

}  // namespace berth
