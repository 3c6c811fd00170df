// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/control_flow.hpp"

#include <algorithm>

namespace berth::inference {
namespace {

using Graph = std::vector<std::vector<uint32_t>>;

/// Iterative: a body may have 10^5 blocks in a row.
std::vector<uint32_t> reverse_postorder(const Graph& successors) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(successors.size());
  std::vector<std::pair<uint32_t, size_t>> stack;
  if (successors.empty()) return order;
  seen[0] = true;
  stack.emplace_back(0, 0);
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    // Last successor first, so that the first one follows its block directly in the reversed order.
    if (next < successors[node].size()) {
      const uint32_t successor = successors[node][successors[node].size() - ++next];
      if (!seen[successor]) {
        seen[successor] = true;
        stack.emplace_back(successor, 0);
      }
      continue;
    }
    order.push_back(node);
    stack.pop_back();
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Graph successors_of(const Body& body) {
  Graph graph(body.blocks.size());
  for (size_t b = 0; b < body.blocks.size(); ++b) {
    for (const Target& target : body.blocks[b].terminator.targets) graph[b].push_back(target.block);
    if (body.blocks[b].handler != kNone) graph[b].push_back(body.blocks[b].handler);
  }
  return graph;
}

/// Node 0 is before the entry; block b is node b + 1.
Graph dominance_graph(const Body& body) {
  const size_t n = body.blocks.size();
  Graph graph(n + 1);
  graph[0].push_back(1);
  std::vector<bool> is_reached(n);
  for (const BlockId b : reverse_postorder(body)) is_reached[b] = true;
  if (n && body.blocks[0].handler != kNone) graph[0].push_back(body.blocks[0].handler + 1);
  for (size_t b = 0; b < n; ++b) {
    if (!is_reached[b]) continue;
    for (const Target& target : body.blocks[b].terminator.targets) {
      graph[b + 1].push_back(target.block + 1);
      const BlockId handler = body.blocks[target.block].handler;
      if (handler != kNone) graph[b + 1].push_back(handler + 1);
    }
  }
  // A handler may itself be protected: whoever leads to it leads to its handler.
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::vector<uint32_t>& successors : graph) {
      for (size_t i = 0; i < successors.size(); ++i) {
        const BlockId handler = body.blocks[successors[i] - 1].handler;
        if (handler == kNone ||
            std::find(successors.begin(), successors.end(), handler + 1) != successors.end())
          continue;
        successors.push_back(handler + 1);
        has_changed = true;
      }
    }
  }
  return graph;
}

}  // namespace

std::vector<BlockId> reverse_postorder(const Body& body) { return reverse_postorder(successors_of(body)); }

std::vector<uint32_t> num_predecessors(const Body& body) {
  std::vector<uint32_t> count(body.blocks.size());
  for (const Block& block : body.blocks) {
    for (const Target& target : block.terminator.targets) ++count[target.block];
  }
  return count;
}

std::vector<bool> handler_blocks(const Body& body) {
  std::vector<bool> is_handler(body.blocks.size());
  for (const Block& block : body.blocks) {
    if (block.handler != kNone) is_handler[block.handler] = true;
  }
  return is_handler;
}

// Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm".
std::vector<std::vector<BlockId>> dominator_tree(const Body& body, std::vector<BlockId>& roots) {
  const Graph graph = dominance_graph(body);
  const std::vector<uint32_t> order = reverse_postorder(graph);
  std::vector<uint32_t> rank(graph.size(), kNone), dominator(graph.size(), kNone);
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  Graph predecessors(graph.size());
  for (const uint32_t node : order) {
    for (const uint32_t successor : graph[node]) predecessors[successor].push_back(node);
  }
  dominator[0] = 0;
  const auto common = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (rank[a] > rank[b]) a = dominator[a];
      while (rank[b] > rank[a]) b = dominator[b];
    }
    return a;
  };
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const uint32_t node : order) {
      if (node == 0) continue;
      uint32_t best = kNone;
      for (const uint32_t from : predecessors[node]) {
        if (dominator[from] != kNone) best = best == kNone ? from : common(from, best);
      }
      if (best == dominator[node]) continue;
      dominator[node] = best;
      has_changed = true;
    }
  }
  std::vector<std::vector<BlockId>> children(body.blocks.size());
  for (const uint32_t node : order) {
    if (node == 0) continue;
    if (dominator[node] == 0)
      roots.push_back(node - 1);
    else
      children[dominator[node] - 1].push_back(node - 1);
  }
  return children;
}

bool has_loop(const Body& body) {
  const std::vector<BlockId> order = reverse_postorder(body);
  std::vector<uint32_t> rank(body.blocks.size(), kNone);
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return std::any_of(order.begin(), order.end(), [&](BlockId b) {
    const Block& block = body.blocks[b];
    const bool to_handler = block.handler != kNone && rank[block.handler] <= rank[b];
    return to_handler || std::any_of(block.terminator.targets.begin(), block.terminator.targets.end(),
                                     [&](const Target& target) { return rank[target.block] <= rank[b]; });
  });
}

}  // namespace berth::inference
