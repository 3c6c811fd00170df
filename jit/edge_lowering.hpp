// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edge lowering: calls of an edge's symbol become calls through a slot of the module.
#pragma once
#include <string>
#include <vector>

#include "engine/source.hpp"
#include "support/result.hpp"

namespace llvm {
class Module;
}

namespace berth::jit {

struct LoweredEdge {
  std::string slot_symbol;  // an external `ptr` of the module, bound after linking
  const engine::Edge* edge;
  std::vector<int32_t>
      references;  // pointers among the arguments, where the call stub keeps them (CallSlot::references)
};

/// A call of `@callee` becomes an acquire load of the slot and an indirect call; any other use gets a
/// function that calls through it. Threads: any. Blocks: never. Owns: edges borrowed. Errors:
/// INVALID_ARGUMENT, with the text of what is wrong, unadorned.
Result<std::vector<LoweredEdge>> lower_edges(llvm::Module& module, const std::vector<engine::Edge>& edges);

}  // namespace berth::jit
