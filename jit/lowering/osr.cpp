// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/lowering/osr.hpp"

namespace berth::jit {

using inference::Block;
using inference::BlockId;
using inference::Body;
using inference::kNone;
using inference::Operand;
using inference::ValueId;

namespace {

constexpr size_t kMostPoints = 4;
constexpr size_t kMostStatements = 6'000;      // of all copies
constexpr size_t kMostBits = size_t{1} << 22;  // of the sets below

using Set = std::vector<bool>;

/// Backward liveness of all values, to a fixed point.
class Liveness {
 public:
  Liveness(const Body& body, const Roots& roots)
      : body_(body), live_in_(body.blocks.size(), Set(body.values.size())) {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = roots.order.rbegin(); block != roots.order.rend(); ++block) changed |= scan(*block);
    }
  }

  /// At the block's entry, its parameters included where they are used.
  const Set& at(BlockId block) const { return live_in_[block]; }

 private:
  static void use(Set& live, const Operand& operand) {
    if (operand.kind == Operand::Kind::Value) live[operand.value] = true;
  }

  void add_entry_of(Set& live, BlockId block) const {
    Set entry = live_in_[block];
    for (const ValueId parameter : body_.blocks[block].parameters) entry[parameter] = false;
    for (size_t i = 0; i < live.size(); ++i)
      if (entry[i]) live[i] = true;
  }

  bool scan(BlockId id) {
    const Block& block = body_.blocks[id];
    Set live(body_.values.size());
    if (block.handler != kNone) add_entry_of(live, block.handler);
    for (const auto& target : block.terminator.targets) {
      add_entry_of(live, target.block);
      for (const Operand& operand : target.arguments) use(live, operand);
    }
    use(live, block.terminator.value);
    for (auto statement = block.statements.rbegin(); statement != block.statements.rend(); ++statement) {
      if (statement->result != kNone) live[statement->result] = false;
      for (const Operand& operand : statement->operands) use(live, operand);
    }
    if (live == live_in_[id]) return false;
    live_in_[id] = std::move(live);
    return true;
  }

  const Body& body_;
  std::vector<Set> live_in_;
};

}  // namespace

std::vector<OsrPoint> find_osr_points(const Body& body, const Roots& roots) {
  std::vector<OsrPoint> points;
  size_t statements = 1;
  for (const Block& block : body.blocks) statements += block.statements.size();
  if (!roots.has_loops || body.blocks.size() * body.values.size() > kMostBits) return points;
  const Liveness liveness(body, roots);
  for (const BlockId header : roots.order) {  // an outer loop's stands before an inner one's
    if (header == 0 || !roots.is_loop_header[header]) continue;
    if (points.size() == kMostPoints || (points.size() + 1) * statements > kMostStatements) break;
    Set live = liveness.at(header);
    for (const ValueId parameter : body.blocks[header].parameters) live[parameter] = false;
    points.push_back({header, {}});
    for (ValueId id = 0; id < live.size(); ++id)
      if (live[id]) points.back().live.push_back(id);
  }
  return points;
}

std::vector<BlockId> order_from(const Body& body, const Roots& roots, BlockId start) {
  std::vector<bool> reached(body.blocks.size());
  std::vector<BlockId> open{start}, order;
  reached[start] = true;
  while (!open.empty()) {
    const BlockId block = open.back();
    open.pop_back();
    for (const BlockId next : successors(body.blocks[block])) {
      if (!reached[next]) open.push_back(next);
      reached[next] = true;
    }
  }
  for (const BlockId block : roots.order)
    if (reached[block]) order.push_back(block);
  return order;
}

}  // namespace berth::jit
