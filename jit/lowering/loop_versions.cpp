// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MethodLowering: a second copy of each counted loop, without the checks that a test before the chunk proves.
//
//   entry:  is every access inside, at the chunk's first and at its last index?
//           yes: the copy  no: the loop as written
//
// Both leave to the same blocks. The loop as written is there for chunks in which an access raises: it does
// what came before, then raises at the right element; it is kept small.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "jit/lowering/method_lowering.hpp"
#include "support/mutant.hpp"

namespace berth::jit {

using inference::Operand;
using inference::Statement;

namespace {

void keep_small(llvm::Loop& loop) {
  llvm::addStringMetadataToLoop(&loop, "llvm.loop.vectorize.width", 1);
  llvm::addStringMetadataToLoop(&loop, "llvm.loop.interleave.count", 1);
  llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable");
}

}  // namespace

/// In the chunk's entry, after its limit: i1, or null if the loop has no access that it would prove.
llvm::Value* MethodLowering::emit_inside_test(inference::BlockId header) {
  const ChunkedLoop& loop = *chunked_loops_[header];
  std::vector<llvm::Value*> conditions;
  require_lines_inside(header, conditions);
  for (const ChunkedLoop::Bounded& access : loop.bounded)
    conditions.push_back(
        builder_.CreateICmpULT(builder_.getInt64(access.largest), length_of(access.statement->operands[0])));
  if (!loop.enclosed.empty()) require_enclosed(header, conditions);
  llvm::Value* inside = nullptr;
  for (llvm::Value* condition : conditions)
    inside = inside ? builder_.CreateAnd(inside, condition) : condition;
  return inside;
}

/// The first and the last index are: then all between, as nothing wraps between them (kLargestStep; arrays
/// are shorter than 2^62).
void MethodLowering::require_lines_inside(inference::BlockId header, std::vector<llvm::Value*>& conditions) {
  const ChunkedLoop& loop = *chunked_loops_[header];
  const Chunks& chunks = chunks_[header];
  const LinearForms forms(body_, loop,
                          loop.is_counted ? body_.blocks[header].parameters[loop.index] : inference::kNone);
  llvm::Value *first = builder_.getInt64(0),
              *last = first;  // of the counter; not counted: all lines stand still
  if (loop.is_counted) {
    const bool with_sign = inference::is_signed(loop.test->number);
    first = builder_.CreateIntCast(chunks.parameters[loop.index], first->getType(), with_sign);
    // Of a chunk without rounds it is the one before the first, and nothing is accessed.
    last = builder_.CreateSub(builder_.CreateIntCast(chunks.limit, first->getType(), with_sign),
                              builder_.getInt64(1));
  }
  if (mutant::is_on("J86_first_index_only")) last = first;
  for (const Statement* statement : loop.linear) {
    if (statement->unchecked_bounds) continue;
    const Line line = line_of(forms, statement->operands[1]);
    llvm::Value* length = length_of(statement->operands[0]);
    const auto index_at = [&](llvm::Value* counter) {
      return builder_.CreateAdd(builder_.CreateMul(line.scale, counter), line.start);
    };
    conditions.push_back(builder_.CreateICmpULT(index_at(first), length));
    conditions.push_back(builder_.CreateICmpULT(index_at(last), length));
    llvm::Value* moved = builder_.CreateAdd(line.scale, builder_.getInt64(kLargestStep));
    conditions.push_back(builder_.CreateICmpULT(moved, builder_.getInt64(2 * kLargestStep)));
  }
}

/// Behind a test low < high, low and high lie between what they were at the start. They are small enough not
/// to wrap at a step, so an index that differs from one of them by what stands still lies between the two
/// indices tested.
void MethodLowering::require_enclosed(inference::BlockId header, std::vector<llvm::Value*>& conditions) {
  const ChunkedLoop& loop = *chunked_loops_[header];
  const Chunks& chunks = chunks_[header];
  const auto& parameters = body_.blocks[header].parameters;
  const auto at_start = [&](const Operand& operand) -> llvm::Value* {
    for (size_t i = 0; i < parameters.size(); ++i)
      if (operand.kind == Operand::Kind::Value && operand.value == parameters[i]) return chunks.parameters[i];
    return read(operand).value;
  };
  const auto counter_of = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::Value && loop.makes[operand.value] ? operand.value
                                                                             : inference::kNone;
  };
  const auto require_below = [&](llvm::Value* value, uint64_t end) {
    conditions.push_back(builder_.CreateICmpULT(value, builder_.getInt64(end)));
  };
  constexpr uint64_t kFar = uint64_t{1} << 62;
  const Operand &low = loop.test->operands[0], &high = loop.test->operands[1];
  llvm::Value *least = at_start(low), *most = at_start(high);
  require_below(builder_.CreateAdd(least, builder_.getInt64(kFar)), 2 * kFar);
  require_below(builder_.CreateAdd(most, builder_.getInt64(kFar)), 2 * kFar);
  for (const Operand& step : loop.steps) require_below(read(step).value, kLargestStep);
  const LinearForms low_forms(body_, loop, counter_of(low)), high_forms(body_, loop, counter_of(high));
  llvm::Value* one = builder_.getInt64(
      loop.test->op == inference::Op::Lt ? 1 : 0);  // low < high: they differ by that at least
  for (const ChunkedLoop::Enclosed& access : loop.enclosed) {
    llvm::Value* moved = line_of(access.by_low ? low_forms : high_forms, access.statement->operands[1]).start;
    llvm::Value* from = access.by_low ? least : builder_.CreateAdd(least, one);
    llvm::Value* to = access.by_low ? builder_.CreateSub(most, one) : most;
    if (mutant::is_on("J86_first_index_only")) to = from;
    llvm::Value* length = length_of(access.statement->operands[0]);
    conditions.push_back(builder_.CreateICmpULT(builder_.CreateAdd(from, moved), length));
    conditions.push_back(builder_.CreateICmpULT(builder_.CreateAdd(to, moved), length));
  }
}

MethodLowering::Line MethodLowering::line_of(const LinearForms& forms, const Operand& operand) {
  const LinearForm form = forms.of(operand);
  if (form.kind == Linearity::Still) return {builder_.getInt64(0), read(operand).value};
  if (form.kind == Linearity::Counter) return {builder_.getInt64(1), builder_.getInt64(0)};
  const Line a = line_of(forms, form.statement->operands[0]), b = line_of(forms, form.statement->operands[1]);
  if (form.kind == Linearity::Sum)
    return {builder_.CreateAdd(a.scale, b.scale), builder_.CreateAdd(a.start, b.start)};
  if (form.kind == Linearity::Difference)
    return {builder_.CreateSub(a.scale, b.scale), builder_.CreateSub(a.start, b.start)};
  const bool still_first = forms.of(form.statement->operands[0]).kind == Linearity::Still;
  const Line &still = still_first ? a : b, &moving = still_first ? b : a;
  return {builder_.CreateMul(moving.scale, still.start), builder_.CreateMul(moving.start, still.start)};
}

void MethodLowering::split_loops() {
  for (inference::BlockId header = 0; header < body_.blocks.size(); ++header) {
    if (!chunked_loops_[header]) continue;
    const auto chunks = chunks_.find(header);
    if (chunks != chunks_.end() && !chunks->second.checks.empty())
      split_loop(chunks->second, blocks_[header]);
  }
}

/// The copy leaves to the same blocks.
void MethodLowering::add_exits(const llvm::Loop& loop, llvm::ValueToValueMapTy& copies) {
  llvm::SmallVector<llvm::BasicBlock*, 8> exits;
  loop.getUniqueExitBlocks(exits);
  const auto copy_of = [&](llvm::Value* value) {
    const auto found = copies.find(value);
    return found == copies.end() ? value : static_cast<llvm::Value*>(found->second);
  };
  for (llvm::BasicBlock* exit : exits) {
    for (llvm::PHINode& phi : exit->phis()) {
      for (unsigned i = 0, n = phi.getNumIncomingValues(); i < n; ++i) {
        llvm::BasicBlock* from = phi.getIncomingBlock(i);
        if (loop.contains(from))
          phi.addIncoming(copy_of(phi.getIncomingValue(i)), llvm::cast<llvm::BasicBlock>(copy_of(from)));
      }
    }
  }
}

void MethodLowering::split_loop(Chunks& chunks, llvm::BasicBlock* header) {
  llvm::DominatorTree dominators(*function_);
  llvm::LoopInfo loops(dominators);
  llvm::Loop* const loop = loops.getLoopFor(header);
  if (!loop || loop->getHeader() != header) return;  // every round raises or leaves
  llvm::formLCSSA(*loop, dominators, &loops,
                  nullptr);  // so that only phis of the blocks behind use what the loop makes
  llvm::ValueToValueMapTy copies;
  llvm::SmallVector<llvm::BasicBlock*, 16> copied;
  for (llvm::BasicBlock* block : loop->blocks()) {
    copied.push_back(llvm::CloneBasicBlock(block, copies, ".inside", function_));
    copies[block] = copied.back();
  }
  llvm::remapInstructionsInBlocks(copied, copies);
  add_exits(*loop, copies);
  const auto copy_of = [&](llvm::Value* value) { return static_cast<llvm::Value*>(copies.lookup(value)); };
  for (llvm::BranchInst* check : chunks.checks)
    if (loop->contains(check->getParent()))
      llvm::cast<llvm::BranchInst>(copy_of(check))->setCondition(builder_.getFalse());
  keep_small(*loop);
  llvm::Instruction* jump = chunks.last->getTerminator();
  builder_.SetInsertPoint(jump);
  builder_.CreateCondBr(chunks.is_inside, llvm::cast<llvm::BasicBlock>(copy_of(header)), header);
  jump->eraseFromParent();
}

}  // namespace berth::jit
