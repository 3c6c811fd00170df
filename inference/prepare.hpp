// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preparing a body for inference: declared types become `assert` statements, and values that a branch tests
// get a new name on each edge
// (`refine`), so that a flow-insensitive type per value is precise. Results depend on the body alone.
#pragma once
#include <unordered_map>

#include "inference/ir.hpp"

namespace berth::inference {

/// What an inserted `refine %x [%y]` knows of %x. Is: in or not in the statement's type. Same: identical to
/// %y or not. A refine without a rule means its statement's type.
enum class RefineRule : uint8_t { Is, IsNot, Same, NotSame };

struct PreparedBody {
  Body body;
  std::unordered_map<ValueId, RefineRule> rules;  // by the refine's result
};

PreparedBody prepare(const Method& method);
/// The renaming alone; for a body that the optimiser changed.
PreparedBody with_refines(Body body);

}  // namespace berth::inference
