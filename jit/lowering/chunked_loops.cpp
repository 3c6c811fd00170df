// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/lowering/chunked_loops.hpp"

#include <algorithm>

namespace berth::jit {

using inference::Block;
using inference::BlockId;
using inference::Body;
using inference::kNone;
using inference::Op;
using inference::Operand;
using inference::Statement;
using inference::Terminator;
using inference::ValueId;

namespace {

constexpr size_t kMaxInner = 3;           // loops in a nest: each may take a chunk before the next poll
constexpr int64_t kLiteralChunks = 2;     // that a loop between literals may take without a poll
constexpr uint64_t kVectorMultiple = 64;  // whole vectors: no remainder between two chunks

/// What a statement costs where code is not optimised and memory is far away.
uint64_t cost_ns(const Statement& statement, ValueId counter) {
  switch (statement.op) {
    case Op::Div:
    case Op::Sqrt: return 10;
    case Op::Rem: return inference::is_float(statement.number) ? 1'000 : 10;  // fmod subtracts in a loop
    case Op::ArrayGet:
    case Op::ArraySet:
    case Op::StringByte: {
      const Operand& index = statement.operands[1];
      return index.kind == Operand::Kind::Value && index.value == counter ? 2 : 25;
    }
    case Op::Field:
    case Op::Set:
    case Op::GlobalGet:
    case Op::GlobalSet:
    case Op::Is: return 25;
    default: return 2;
  }
}

bool writes(Op op) { return op == Op::Set || op == Op::ArraySet || op == Op::GlobalSet; }

class Finder {
 public:
  Finder(const Body& body, const Roots& roots, const RootQuestions& questions)
      : body_(body),
        roots_(roots),
        questions_(questions),
        predecessors_(body.blocks.size()),
        positions_(body.blocks.size()) {
    for (size_t i = 0; i < roots.order.size(); ++i) {
      const BlockId from = roots.order[i];
      positions_[from] = i;
      for (const BlockId to : successors(body.blocks[from])) predecessors_[to].push_back(from);
    }
  }

  std::unique_ptr<ChunkedLoop> find(BlockId header, bool only_counted) {
    auto loop = std::make_unique<ChunkedLoop>();
    loop->contains.resize(body_.blocks.size());
    loop->makes.resize(body_.values.size());
    if (!collect(header, *loop, nullptr)) return nullptr;
    loop->is_counted = find_test(header, *loop) && counts_by_one(header, *loop);
    if (!loop->is_counted && only_counted) return nullptr;
    if (!loop->is_counted) loop->test = enclosing_test(header, *loop);
    choose_chunk(header, *loop);
    if (loop->is_counted) find_start(header, *loop);
    find_provable(header, *loop);
    return loop;
  }

  std::unique_ptr<LoopNest> find_nest(BlockId header, const ChunkedLoops& chunked) {
    auto nest = std::make_unique<LoopNest>();
    ChunkedLoop& loop = nest->loop;
    loop.contains.resize(body_.blocks.size());
    loop.makes.resize(body_.values.size());
    if (!collect(header, loop, &chunked) || !find_test(header, loop) || !counts_by_one(header, loop))
      return nullptr;
    if (loop.test->number != inference::LeafKind::I64) return nullptr;
    loop.is_counted = true;
    nest->cost = 2 * static_cast<uint64_t>(std::ranges::count(loop.contains, true));
    for (BlockId id = 0; id < body_.blocks.size(); ++id) {
      if (!loop.contains[id]) continue;
      if (chunked[id] && !is_bounded_in(*chunked[id], id, loop)) return nullptr;
      if (chunked[id] && takes_a_chunk(*chunked[id])) return nullptr;  // a poll per round is nothing then
      if (chunked[id]) nest->inner.push_back(id);
      if (nest->inner.size() > kMaxInner) return nullptr;
      // Statements of inner loops too: once per round of this one, beside their own rounds.
      for (const Statement& statement : body_.blocks[id].statements) nest->cost += cost_ns(statement, kNone);
    }
    return nest;
  }

 private:
  static bool takes_a_chunk(const ChunkedLoop& inner) {
    const Operand& end = inner.test->operands[1];
    return end.kind == Operand::Kind::Literal &&
           static_cast<int64_t>(end.literal.bits) > static_cast<int64_t>(inner.chunk / 2);
  }

  /// Counts from a constant up to what stands still in the loop around it.
  bool is_bounded_in(const ChunkedLoop& inner, BlockId header, const ChunkedLoop& outer) const {
    if (!inner.is_counted || inner.test->number != inference::LeafKind::I64) return false;
    for (const BlockId from : predecessors_[header]) {
      if (inner.contains[from]) continue;
      for (const auto& target : body_.blocks[from].terminator.targets) {
        if (target.block != header) continue;
        const Operand& start = target.arguments[inner.index];
        if (start.kind != Operand::Kind::Literal || static_cast<int64_t>(start.literal.bits) < 0)
          return false;
      }
    }
    return stands_still(outer, inner.length ? inner.length->operands[0] : inner.test->operands[1]);
  }

  /// Counts up from literals that are not negative; sets whether it ends within kLiteralChunks for all of
  /// them too.
  void find_start(BlockId header, ChunkedLoop& loop) const {
    if (loop.test->number != inference::LeafKind::I64) return;
    const Operand& end = loop.test->operands[1];
    const int64_t last =
        end.kind == Operand::Kind::Literal ? static_cast<int64_t>(end.literal.bits) : INT64_MAX;
    loop.is_never_negative = true;
    loop.is_one_chunk = last >= 0;
    for (const BlockId from : predecessors_[header]) {
      if (loop.contains[from]) continue;
      for (const auto& target : body_.blocks[from].terminator.targets) {
        if (target.block != header) continue;
        const Operand& start = target.arguments[loop.index];
        const int64_t first =
            start.kind == Operand::Kind::Literal ? static_cast<int64_t>(start.literal.bits) : -1;
        loop.is_never_negative &= first >= 0;
        loop.is_one_chunk &= first >= 0 && last - first <= kLiteralChunks * static_cast<int64_t>(loop.chunk);
      }
    }
  }

  /// The blocks from which the header is reached again; false: they do what no such loop does. `inner`: loops
  /// that may be inside.
  bool collect(BlockId header, ChunkedLoop& loop, const ChunkedLoops* inner) {
    std::vector<BlockId> open{header};
    loop.contains[header] = true;
    for (size_t i = 0; i < open.size(); ++i) {
      for (const BlockId from : predecessors_[open[i]]) {
        if (body_.blocks[from].handler == header) return false;  // no edge with arguments of its own
        const bool is_before = positions_[from] < positions_[header];
        if (loop.contains[from] || (is_before && open[i] == header)) continue;
        if (is_before) return false;  // entered elsewhere
        if (roots_.is_loop_header[from] && !(inner && (*inner)[from])) return false;
        loop.contains[from] = true;
        open.push_back(from);
      }
    }
    for (const BlockId id : open) {
      const Block& block = body_.blocks[id];
      if (block.handler != kNone && loop.contains[block.handler]) return false;  // goes round by raising
      if (questions_.terminator(block) == Safepoint::Hot) return false;
      for (const ValueId parameter : block.parameters) loop.makes[parameter] = true;
      for (const Statement& statement : block.statements) {
        if (questions_.statement(statement) == Safepoint::Hot) return false;
        if (statement.result != kNone) loop.makes[statement.result] = true;
      }
    }
    return true;
  }

  bool find_test(BlockId header, ChunkedLoop& loop) const {
    const Block& block = body_.blocks[header];
    const Terminator& end = block.terminator;
    if (end.kind != Terminator::Kind::Condition || end.value.kind != Operand::Kind::Value) return false;
    if (!loop.contains[end.targets[0].block] || loop.contains[end.targets[1].block]) return false;
    for (const Statement& statement : block.statements) {
      if (questions_.statement(statement) != Safepoint::Quiet || writes(statement.op)) return false;
      if (statement.result == end.value.value) loop.test = &statement;
    }
    if (!loop.test || loop.test->op != Op::Lt || !inference::is_integer(loop.test->number)) return false;
    const Operand& counter = loop.test->operands[0];
    const auto parameter =
        std::ranges::find(block.parameters, counter.kind == Operand::Kind::Value ? counter.value : kNone);
    if (parameter == block.parameters.end()) return false;
    loop.index = static_cast<size_t>(parameter - block.parameters.begin());
    const Operand& limit = loop.test->operands[1];
    if (stands_still(loop, limit)) return true;
    for (const Statement& statement : block.statements) {
      const bool is_length = statement.op == Op::ArrayLen || statement.op == Op::StringLen;
      if (is_length && statement.result == limit.value && stands_still(loop, statement.operands[0]))
        loop.length = &statement;
    }
    return loop.length != nullptr;
  }

  bool counts_by_one(BlockId header, const ChunkedLoop& loop) const {
    const ValueId counter = body_.blocks[header].parameters[loop.index];
    std::vector<bool> steps(body_.values.size());
    for_each(loop, [&](const Statement& statement) {
      if (statement.op != Op::Add || statement.checked || statement.number != loop.test->number) return;
      const Operand &a = statement.operands[0], &b = statement.operands[1];
      const bool adds_one = a.kind == Operand::Kind::Value && a.value == counter &&
                            b.kind == Operand::Kind::Literal && b.literal.bits == 1;
      if (adds_one && statement.result != kNone) steps[statement.result] = true;
    });
    for (const BlockId from : predecessors_[header]) {
      if (!loop.contains[from]) continue;
      for (const auto& target : body_.blocks[from].terminator.targets) {
        if (target.block != header) continue;
        const Operand& next = target.arguments[loop.index];
        if (next.kind != Operand::Kind::Value || !steps[next.value]) return false;
      }
    }
    return true;
  }

  /// `low < high` or `low <= high`, of which the header's steps make low only rise and high only fall; null:
  /// another test.
  const Statement* enclosing_test(BlockId header, ChunkedLoop& loop) const {
    const Block& block = body_.blocks[header];
    const Terminator& end = block.terminator;
    if (end.kind != Terminator::Kind::Condition || end.value.kind != Operand::Kind::Value) return nullptr;
    if (!loop.contains[end.targets[0].block] || loop.contains[end.targets[1].block]) return nullptr;
    for (const Statement& statement : block.statements) {
      if (statement.result != end.value.value || statement.number != inference::LeafKind::I64) continue;
      if (statement.op != Op::Lt && statement.op != Op::Le) return nullptr;
      const bool encloses = moves_one_way(header, statement.operands[0], true, loop) &&
                            moves_one_way(header, statement.operands[1], false, loop);
      return encloses ? &statement : nullptr;
    }
    return nullptr;
  }

  bool moves_one_way(BlockId header, const Operand& operand, bool up, ChunkedLoop& loop) const {
    if (stands_still(loop, operand)) return true;
    const auto& parameters = body_.blocks[header].parameters;
    const auto parameter = std::ranges::find(parameters, operand.value);
    if (parameter == parameters.end()) return false;
    const auto place = static_cast<size_t>(parameter - parameters.begin());
    for (const BlockId from : predecessors_[header]) {
      if (!loop.contains[from]) continue;
      for (const auto& target : body_.blocks[from].terminator.targets)
        if (target.block == header && !steps_one_way(target.arguments[place], operand.value, up, loop))
          return false;
    }
    return true;
  }

  bool steps_one_way(const Operand& next, ValueId from, bool up, ChunkedLoop& loop) const {
    if (next.kind != Operand::Kind::Value) return false;
    if (next.value == from) return true;
    const Statement* step = nullptr;
    for_each(loop, [&](const Statement& statement) {
      if (statement.result == next.value) step = &statement;
    });
    if (!step || step->checked || step->number != inference::LeafKind::I64 ||
        (step->op != Op::Add && step->op != Op::Sub))
      return false;
    const Operand &a = step->operands[0], &b = step->operands[1];
    if (a.kind != Operand::Kind::Value || a.value != from || !stands_still(loop, b)) return false;
    if (b.kind == Operand::Kind::Literal) {
      const auto moved =
          static_cast<int64_t>(up == (step->op == Op::Add) ? b.literal.bits : 0 - b.literal.bits);
      return moved >= 0 && moved < static_cast<int64_t>(kLargestStep);
    }
    loop.steps.push_back(b);  // known when it runs
    return up == (step->op == Op::Add);
  }

  void choose_chunk(BlockId header, ChunkedLoop& loop) const {
    const ValueId counter = loop.is_counted ? body_.blocks[header].parameters[loop.index] : kNone;
    uint64_t cost = 2 * static_cast<uint64_t>(std::ranges::count(loop.contains, true));
    for_each(loop, [&](const Statement& statement) { cost += cost_ns(statement, counter); });
    loop.chunk = std::max<uint64_t>(kChunkNs / cost, 1);
    if (loop.chunk > kVectorMultiple) loop.chunk -= loop.chunk % kVectorMultiple;
  }

  void find_provable(BlockId header, ChunkedLoop& loop) const {
    const auto parameter = [&](size_t i) {
      const Operand& operand = loop.test->operands[i];
      return operand.kind == Operand::Kind::Value && loop.makes[operand.value] ? operand.value : kNone;
    };
    const bool is_enclosed = loop.test && !loop.is_counted;
    const LinearForms forms(body_, loop,
                            loop.is_counted ? body_.blocks[header].parameters[loop.index] : kNone);
    const LinearForms low(body_, loop, is_enclosed ? parameter(0) : kNone),
        high(body_, loop, is_enclosed ? parameter(1) : kNone);
    for (BlockId id = 0; id < body_.blocks.size(); ++id) {
      if (!loop.contains[id]) continue;
      for (const Statement& statement : body_.blocks[id].statements) {
        const bool has_index =
            statement.op == Op::ArrayGet || statement.op == Op::ArraySet || statement.op == Op::StringByte;
        if (!has_index || questions_.statement(statement) != Safepoint::Cold ||
            !forms.stands_still(statement.operands[0]))
          continue;
        const Operand& index = statement.operands[1];
        const uint64_t largest = forms.largest(index);
        if (forms.is_linear(index)) {
          loop.linear.push_back(&statement);
        } else if (largest <= UINT32_MAX) {  // else no array has it
          loop.bounded.push_back({&statement, largest});
        } else if (is_enclosed && id != header &&
                   (low.is_offset(index) || high.is_offset(index))) {  // behind the test
          loop.enclosed.push_back({&statement, low.is_offset(index)});
        }
      }
    }
  }

  template <class Visit>
  void for_each(const ChunkedLoop& loop, Visit&& visit) const {
    for (BlockId id = 0; id < body_.blocks.size(); ++id)
      for (const Statement& statement : body_.blocks[id].statements)
        if (loop.contains[id]) visit(statement);
  }

  static bool stands_still(const ChunkedLoop& loop, const Operand& operand) {
    return operand.kind == Operand::Kind::Literal ||
           (operand.kind == Operand::Kind::Value && !loop.makes[operand.value]);
  }

  const Body& body_;
  const Roots& roots_;
  const RootQuestions& questions_;
  std::vector<std::vector<BlockId>> predecessors_;
  std::vector<size_t> positions_;  // in the order
};

}  // namespace

LinearForms::LinearForms(const Body& body, const ChunkedLoop& loop, ValueId counter)
    : loop_(loop), counter_(counter), definitions_(body.values.size()) {
  for (BlockId id = 0; id < body.blocks.size(); ++id) {
    if (!loop.contains[id]) continue;
    for (const Statement& statement : body.blocks[id].statements)
      if (statement.result != kNone) definitions_[statement.result] = &statement;
  }
}

bool LinearForms::stands_still(const Operand& operand) const {
  return operand.kind == Operand::Kind::Literal ||
         (operand.kind == Operand::Kind::Value && !loop_.makes[operand.value]);
}

LinearForm LinearForms::of(const Operand& operand) const {
  if (stands_still(operand)) return {Linearity::Still, nullptr};
  if (operand.kind != Operand::Kind::Value) return {};
  const inference::LeafKind counted = counter_ == kNone ? inference::LeafKind::Nothing : loop_.test->number;
  if (operand.value == counter_)
    return {counted == inference::LeafKind::I64 ? Linearity::Counter : Linearity::Other, nullptr};
  const Statement* statement = definitions_[operand.value];
  if (!statement) return {};
  const auto& operands = statement->operands;
  if (statement->op == Op::Convert || statement->op == Op::Truncate) {
    // Widened only: the counter does not wrap in a chunk, a sum of fewer bits could.
    const bool widens = statement->to == inference::LeafKind::I64 &&
                        inference::is_integer(statement->number) &&
                        inference::bytes_of(statement->number) < 8;
    return {widens && operands[0].kind == Operand::Kind::Value && operands[0].value == counter_
                ? Linearity::Counter
                : Linearity::Other,
            statement};
  }
  if (statement->number != inference::LeafKind::I64 || statement->checked) return {};
  switch (statement->op) {
    case Op::Add: return {Linearity::Sum, statement};
    case Op::Sub: return {Linearity::Difference, statement};
    case Op::Mul:
      return {stands_still(operands[0]) || stands_still(operands[1]) ? Linearity::Product : Linearity::Other,
              statement};
    default: return {};
  }
}

bool LinearForms::is_linear(const Operand& operand, unsigned depth) const {
  const LinearForm form = of(operand);
  if (form.kind == Linearity::Other || depth == 0) return false;
  if (form.kind == Linearity::Still || form.kind == Linearity::Counter) return true;
  return is_linear(form.statement->operands[0], depth - 1) &&
         is_linear(form.statement->operands[1], depth - 1);
}

bool LinearForms::is_offset(const Operand& operand, unsigned depth) const {
  const LinearForm form = of(operand);
  if (form.kind == Linearity::Counter) return form.statement == nullptr;
  if (depth == 0 || (form.kind != Linearity::Sum && form.kind != Linearity::Difference)) return false;
  const auto& operands = form.statement->operands;
  if (stands_still(operands[1])) return is_offset(operands[0], depth - 1);
  return form.kind == Linearity::Sum && stands_still(operands[0]) && is_offset(operands[1], depth - 1);
}

uint64_t LinearForms::largest(const Operand& operand, unsigned depth) const {
  if (operand.kind == Operand::Kind::Literal)
    return static_cast<int64_t>(operand.literal.bits) < 0 ? UINT64_MAX : operand.literal.bits;
  if (operand.kind != Operand::Kind::Value || depth == 0) return UINT64_MAX;
  if (operand.value == counter_ && loop_.is_never_negative) {
    const Operand& end = loop_.test->operands[1];
    return end.kind == Operand::Kind::Literal ? end.literal.bits & INT64_MAX : INT64_MAX;
  }
  const Statement* statement = definitions_[operand.value];
  if (!statement || !inference::is_integer(statement->number)) return UINT64_MAX;
  const auto below = [&](size_t i) { return largest(statement->operands[i], depth - 1); };
  switch (statement->op) {
    case Op::And: return std::min(below(0), below(1));
    case Op::Add: {
      const uint64_t a = below(0), b = below(1);
      const bool fits = statement->number == inference::LeafKind::I64 && a <= INT64_MAX && b <= INT64_MAX - a;
      return fits ? a + b : UINT64_MAX;
    }
    case Op::Rem: {
      const Operand& divisor = statement->operands[1];
      if (divisor.kind != Operand::Kind::Literal || static_cast<int64_t>(divisor.literal.bits) <= 0)
        return UINT64_MAX;
      const bool is_positive = !inference::is_signed(statement->number) || below(0) != UINT64_MAX;
      return is_positive ? divisor.literal.bits - 1 : UINT64_MAX;
    }
    case Op::Convert:
    case Op::Truncate: {
      // Zero-extended: what the narrower type holds.
      const unsigned bytes = inference::bytes_of(statement->number);
      const bool widens = inference::is_integer(statement->to) && bytes < inference::bytes_of(statement->to);
      if (inference::is_signed(statement->number) || !widens) return UINT64_MAX;
      return std::min(below(0), (uint64_t{1} << (8 * bytes)) - 1);
    }
    default: return UINT64_MAX;
  }
}

ChunkedLoops find_chunked_loops(const Body& body, const Roots& roots, const RootQuestions& questions,
                                bool only_counted) {
  ChunkedLoops loops(body.blocks.size());
  if (!roots.has_loops) return loops;
  Finder finder(body, roots, questions);
  for (const BlockId header : roots.order)
    if (header != 0 && roots.is_loop_header[header]) loops[header] = finder.find(header, only_counted);
  return loops;
}

std::vector<std::unique_ptr<LoopNest>> find_loop_nests(const Body& body, const Roots& roots,
                                                       const RootQuestions& questions,
                                                       const ChunkedLoops& chunked) {
  std::vector<std::unique_ptr<LoopNest>> nests(body.blocks.size());
  if (!roots.has_loops) return nests;
  Finder finder(body, roots, questions);
  for (const BlockId header : roots.order)
    if (header != 0 && roots.is_loop_header[header] && !chunked[header])
      nests[header] = finder.find_nest(header, chunked);
  return nests;
}

}  // namespace berth::jit
