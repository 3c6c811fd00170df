// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/ir.hpp"

#include "inference/operations.hpp"

namespace berth::inference {

const char* text_of(Op op) noexcept { return row_of(op).text; }

}  // namespace berth::inference
