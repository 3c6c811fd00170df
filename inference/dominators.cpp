// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/dominators.hpp"

#include <algorithm>

namespace berth::inference {
namespace {

constexpr uint32_t entry_of(BlockId block) { return 2 * block; }
constexpr uint32_t inside_of(BlockId block) { return 2 * block + 1; }

}  // namespace

Dominators::Dominators(const Body& body) : num_nodes_(static_cast<uint32_t>(2 * body.blocks.size())) {
  connect(body);
  number();
  find_semidominators();
  find_intervals();
}

bool Dominators::dominates(BlockId above, BlockId below) const noexcept {
  const uint32_t low = order_[entry_of(below)], high = order_[inside_of(above)];
  if (low == kNone) return true;
  return high != kNone && begin_[high] <= begin_[low] && end_[low] <= end_[high];
}

void Dominators::connect(const Body& body) {
  first_.reserve(num_nodes_ + 1);
  for (BlockId id = 0; id < body.blocks.size(); ++id) {
    const Block& block = body.blocks[id];
    first_.push_back(static_cast<uint32_t>(edges_.size()));
    edges_.push_back(inside_of(id));
    if (block.handler != kNone) edges_.push_back(entry_of(block.handler));
    first_.push_back(static_cast<uint32_t>(edges_.size()));
    for (const Target& target : block.terminator.targets) edges_.push_back(entry_of(target.block));
  }
  first_.push_back(static_cast<uint32_t>(edges_.size()));
}

// Depth-first, in preorder.
void Dominators::number() {
  order_.assign(num_nodes_, kNone);
  if (num_nodes_ == 0) return;
  std::vector<std::pair<uint32_t, uint32_t>> stack;  // node, next edge
  const auto visit = [&](uint32_t node, uint32_t parent) {
    order_[node] = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(node);
    parents_.push_back(parent);
    stack.emplace_back(node, first_[node]);
  };
  visit(0, 0);
  while (!stack.empty()) {
    auto& [node, edge] = stack.back();
    if (edge == first_[node + 1]) {
      stack.pop_back();
      continue;
    }
    const uint32_t next = edges_[edge++], from = order_[node];
    if (order_[next] == kNone) visit(next, from);
  }
}

// The number with the smallest semidominator on the path from `node` up to, not including, those numbered at
// most `limit`.
uint32_t Dominators::smallest_above(uint32_t node, uint32_t limit) {
  if (node <= limit) return node;
  path_.clear();
  while (ancestors_[node] > limit) {
    path_.push_back(node);
    node = ancestors_[node];
  }
  uint32_t last = node;
  while (!path_.empty()) {
    const uint32_t below = path_.back();
    path_.pop_back();
    if (semi_[labels_[last]] < semi_[labels_[below]]) labels_[below] = labels_[last];
    ancestors_[below] = ancestors_[last];
    last = below;
  }
  return labels_[last];
}

void Dominators::find_semidominators() {
  const auto n = static_cast<uint32_t>(nodes_.size());
  // Predecessors by number, as the edges are stored by source.
  std::vector<uint32_t> first(n + 2, 0), sources;
  for (const uint32_t node : nodes_) {
    for (uint32_t e = first_[node]; e < first_[node + 1]; ++e) ++first[order_[edges_[e]] + 2];
  }
  for (uint32_t i = 2; i < n + 2; ++i) first[i] += first[i - 1];
  sources.resize(first[n + 1]);
  for (uint32_t from = 0; from < n; ++from) {
    const uint32_t node = nodes_[from];
    for (uint32_t e = first_[node]; e < first_[node + 1]; ++e) sources[first[order_[edges_[e]] + 1]++] = from;
  }
  ancestors_ = parents_;
  labels_.resize(n);
  semi_.resize(n);
  for (uint32_t i = 0; i < n; ++i) labels_[i] = semi_[i] = i;
  for (uint32_t w = n; w-- > 1;) {
    uint32_t best = parents_[w];
    for (uint32_t s = first[w]; s < first[w + 1]; ++s)
      best = std::min(best, semi_[smallest_above(sources[s], w)]);
    semi_[w] = best;
  }
  dominators_ = parents_;
  for (uint32_t w = 1; w < n; ++w) {
    while (dominators_[w] > semi_[w]) dominators_[w] = dominators_[dominators_[w]];
  }
}

// begin_ and end_ nest as the dominator tree does. Numbers are a preorder of that tree too in that a
// dominator is smaller than what it dominates, so sizes can be summed from the back.
void Dominators::find_intervals() {
  const auto n = static_cast<uint32_t>(nodes_.size());
  std::vector<uint32_t> size(n, 1), used(n, 1);
  for (uint32_t w = n; w-- > 1;) size[dominators_[w]] += size[w];
  begin_.assign(n, 0);
  end_.assign(n, n);
  for (uint32_t w = 1; w < n; ++w) {
    const uint32_t above = dominators_[w];
    begin_[w] = begin_[above] + used[above];
    used[above] += size[w];
    end_[w] = begin_[w] + size[w];
  }
}

}  // namespace berth::inference
