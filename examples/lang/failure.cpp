// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "failure.hpp"

#include <fmt/format.h>

namespace berth::lang {

Failure::Failure(std::string_view name, Place at, const std::string& text)
    : std::runtime_error(fmt::format("{}:{}:{}: {}", name, at.line, at.column, text)) {}

}  // namespace berth::lang
