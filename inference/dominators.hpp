// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dominators: which blocks are passed before which, with the edges of handlers leaving from a block's
// *entry*.
//
// Each block is two nodes, entry and inside: an error may come before any of the block's own values exists,
// so its handler hangs on the entry, and only values made inside other blocks can dominate it. Semi-NCA
// (Georgiadis 2005): iterative, near linear.
#pragma once
#include <cstdint>
#include <vector>

#include "inference/ir.hpp"

namespace berth::inference {

class Dominators {
 public:
  /// Targets and handlers of the body are in range. Threads: any. Blocks: never. Errors: none.
  explicit Dominators(const Body& body);

  bool is_reachable(BlockId block) const noexcept { return order_[2 * block] != kNone; }
  /// Values made in `above` are there in `below`, another block. What is never reached is below everything.
  bool dominates(BlockId above, BlockId below) const noexcept;

 private:
  void connect(const Body& body);
  void number();
  void find_semidominators();
  void find_intervals();
  uint32_t smallest_above(uint32_t node, uint32_t limit);

  uint32_t num_nodes_;
  // Edges by source: of node n at [first_[n], first_[n + 1]).
  std::vector<uint32_t> first_, edges_;
  // By preorder number: node, parent, then dominator; by node: its number.
  std::vector<uint32_t> nodes_, parents_, dominators_, order_;
  std::vector<uint32_t> ancestors_, labels_, semi_, path_;
  std::vector<uint32_t> begin_, end_;  // subtree of the dominator tree, by preorder number
};

}  // namespace berth::inference
