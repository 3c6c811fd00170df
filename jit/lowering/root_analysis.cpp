// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/lowering/root_analysis.hpp"

#include <algorithm>

namespace berth::jit {

using inference::Block;
using inference::BlockId;
using inference::Body;
using inference::kNone;
using inference::Operand;
using inference::ValueId;

namespace {

using Set = std::vector<bool>;

/// Reverse postorder; an edge to a block still on the depth-first path makes that block a loop header.
/// Iterative: bodies are deep.
void find_order(const Body& body, Roots& roots) {
  enum class Mark : uint8_t { New, Open, Done };
  struct Step {
    BlockId block;
    std::vector<BlockId> next;
  };
  std::vector<Mark> marks(body.blocks.size(), Mark::New);
  std::vector<Step> path;
  auto enter = [&](BlockId block) {
    marks[block] = Mark::Open;
    path.push_back({block, successors(body.blocks[block])});
  };
  enter(0);
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next.empty()) {
      marks[step.block] = Mark::Done;
      roots.order.push_back(step.block);
      path.pop_back();
      continue;
    }
    const BlockId next = step.next.back();
    step.next.pop_back();
    if (marks[next] == Mark::Open) roots.is_loop_header[next] = roots.has_loops = true;
    if (marks[next] == Mark::New) enter(next);
  }
  std::reverse(roots.order.begin(), roots.order.end());
}

bool is_hot(const Block& block, const RootQuestions& questions) {
  if (questions.terminator(block) == Safepoint::Hot) return true;
  return std::ranges::any_of(block.statements, [&](const auto& statement) {
    return questions.statement(statement) == Safepoint::Hot;
  });
}

/// Down from the entry, as long as one way only leads to where a collection can happen, and no other leads
/// into it. A chain like that is in no loop. Methods with handlers begin their frame at once.
void place_frame(const Body& body, const RootQuestions& questions, Roots& roots) {
  std::vector<bool> needs(body.blocks.size());  // the block itself
  std::vector<unsigned> predecessors(body.blocks.size());
  bool has_handlers = false;
  roots.is_hot.resize(body.blocks.size());
  for (const BlockId id : roots.order) {
    const Block& block = body.blocks[id];
    roots.is_hot[id] = is_hot(block, questions);
    roots.has_hot = roots.has_hot || roots.is_hot[id];
    needs[id] = roots.is_loop_header[id] || roots.is_hot[id];
    has_handlers = has_handlers || block.handler != kNone;
    for (const BlockId next : successors(block)) ++predecessors[next];
  }
  roots.is_framed.assign(body.blocks.size(), true);
  if (has_handlers) return;
  std::vector<bool> leads = needs;  // to one that does; back edges lead to headers, which do
  for (auto id = roots.order.rbegin(); id != roots.order.rend(); ++id)
    for (const BlockId next : successors(body.blocks[*id]))
      if (leads[next]) leads[*id] = true;
  BlockId& begin = roots.frame_block;
  while (!needs[begin]) {
    BlockId only = kNone;
    for (const BlockId next : successors(body.blocks[begin]))
      if (leads[next]) only = only == kNone ? next : begin;
    if (only == kNone || only == begin || predecessors[only] != 1) break;
    begin = only;
  }
  if (begin == 0) return;
  std::vector<BlockId> open{0};
  roots.is_framed[0] = false;
  for (size_t i = 0; i < open.size(); ++i)
    for (const BlockId next : successors(body.blocks[open[i]])) {
      if (next == begin || !roots.is_framed[next]) continue;
      roots.is_framed[next] = false;
      open.push_back(next);
    }
}

class Liveness {
 public:
  Liveness(const Body& body, const RootQuestions& questions, Roots& roots)
      : body_(body), questions_(questions), roots_(roots), numbers_(body.values.size(), kNone) {
    for (ValueId id = 0; id < body.values.size(); ++id)
      if (questions.is_reference(id)) {
        numbers_[id] = static_cast<uint32_t>(references_.size());
        references_.push_back(id);
      }
    live_in_.resize(body.blocks.size(), Set(references_.size()));
  }

  void run() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto block = roots_.order.rbegin(); block != roots_.order.rend(); ++block)
        changed |= scan(*block, false);
    }
    for (const BlockId block : roots_.order) scan(block, true);
  }

 private:
  void use(Set& live, const Operand& operand) const {
    if (operand.kind == Operand::Kind::Value && numbers_[operand.value] != kNone)
      live[numbers_[operand.value]] = true;
  }
  void kill(Set& live, ValueId id) const {
    if (id != kNone && numbers_[id] != kNone) live[numbers_[id]] = false;
  }

  void add_entry_of(Set& live, BlockId block) const {
    Set entry = live_in_[block];
    for (const ValueId parameter : body_.blocks[block].parameters) kill(entry, parameter);
    for (size_t i = 0; i < live.size(); ++i)
      if (entry[i]) live[i] = true;
  }

  void root(const Set& live) {
    for (size_t i = 0; i < live.size(); ++i)
      if (live[i]) roots_.rooted[references_[i]] = roots_.has_rooted = true;
  }

  /// Live values at the entry of a block, its parameters included. True: they grew.
  bool scan(BlockId id, bool record) {
    const Block& block = body_.blocks[id];
    Set handler(references_.size());  // an error anywhere in the block goes there
    if (block.handler != kNone) add_entry_of(handler, block.handler);
    Set live = handler;
    for (const auto& target : block.terminator.targets) {
      add_entry_of(live, target.block);
      for (const Operand& operand : target.arguments) use(live, operand);
    }
    use(live, block.terminator.value);
    note(questions_.terminator(block), live, handler, record);
    for (auto statement = block.statements.rbegin(); statement != block.statements.rend(); ++statement) {
      kill(live, statement->result);
      for (const Operand& operand : statement->operands) use(live, operand);
      note(questions_.statement(*statement), live, handler, record);
    }
    if (record && (roots_.is_loop_header[id] || (id == roots_.frame_block && roots_.has_hot)))
      root(live);  // polls
    if (live == live_in_[id]) return false;
    live_in_[id] = std::move(live);
    return true;
  }

  void note(Safepoint safepoint, const Set& live, const Set& handler, bool record) {
    if (!record || safepoint == Safepoint::Quiet) return;
    root(safepoint == Safepoint::Hot ? live : handler);
  }

  const Body& body_;
  const RootQuestions& questions_;
  Roots& roots_;
  std::vector<uint32_t> numbers_;    // by value; kNone: not a reference
  std::vector<ValueId> references_;  // by number
  std::vector<Set> live_in_;
};

}  // namespace

std::vector<BlockId> successors(const Block& block) {
  std::vector<BlockId> result;
  for (const auto& target : block.terminator.targets) result.push_back(target.block);
  if (block.handler != kNone) result.push_back(block.handler);
  return result;
}

Roots find_roots(const Body& body, const RootQuestions& questions) {
  Roots roots;
  roots.rooted.resize(body.values.size());
  roots.is_loop_header.resize(body.blocks.size());
  find_order(body, roots);
  place_frame(body, questions, roots);
  Liveness(body, questions, roots).run();
  return roots;
}

}  // namespace berth::jit
