// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Result<T>: a value or an Error, over Boost.Outcome; and BERTH_TRY, which hands an error to the caller.
//
// BERTH_TRY(auto x, f());   declares x
// BERTH_TRYV(f());          for Result<void>
#pragma once
#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>

#include "support/error.hpp"

namespace berth {

template <class T>
using Result = boost::outcome_v2::basic_result<T, Error, boost::outcome_v2::policy::terminate>;

/// The success of a Result<void>.
inline auto success() noexcept { return boost::outcome_v2::success(); }

}  // namespace berth

#define BERTH_CONCAT_(a, b) a##b
#define BERTH_CONCAT(a, b) BERTH_CONCAT_(a, b)
#define BERTH_TRY_(temporary, declaration, ...)                                                      \
  auto temporary = (__VA_ARGS__);                                                                    \
  if (temporary.has_error()) return boost::outcome_v2::failure(std::move(temporary).assume_error()); \
  declaration = std::move(temporary).assume_value()
#define BERTH_TRY(declaration, ...) BERTH_TRY_(BERTH_CONCAT(result_, __LINE__), declaration, __VA_ARGS__)
#define BERTH_TRYV(...)                                  \
  if (auto result_ = (__VA_ARGS__); result_.has_error()) \
  return boost::outcome_v2::failure(std::move(result_).assume_error())
