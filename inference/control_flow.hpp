// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow of a Body: orders and dominators. An exceptional edge leaves a protected block at its entry,
// since a handler sees only what dominates that entry: it is drawn from the block's predecessors. Cost: near
// linear.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "inference/ir.hpp"

namespace berth::inference {

/// Reachable blocks, each before its successors but for back edges; handlers count as successors. The entry
/// is first.
std::vector<BlockId> reverse_postorder(const Body& body);

/// Normal predecessor edges per block (a block that is a target twice counts twice).
std::vector<uint32_t> num_predecessors(const Body& body);
std::vector<bool> handler_blocks(const Body& body);

/// Children in the dominator tree per block; a handler hangs below what dominates the entries of all blocks
/// it protects. `roots` receives blocks that nothing dominates (the entry, and handlers of it).
std::vector<std::vector<BlockId>> dominator_tree(const Body& body, std::vector<BlockId>& roots);

/// Whether some reachable edge goes back in reverse postorder: the method loops.
bool has_loop(const Body& body);

}  // namespace berth::inference
