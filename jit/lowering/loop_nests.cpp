// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MethodLowering: a second copy of each counted loop around counted loops, without polls, for as many rounds
// as take about one chunk.
//
//   header: poll; does every inner loop end within a chunk?  yes: the copy
//           no: the loop as written, which comes back here each round
//   copy:   the same up to limit = min(end, index + rounds of one chunk); then back to the header
//
// Nothing in the copy can collect, so what its inner loops need of their arrays, and LLVM's tests for them,
// is found once for all its rounds: an inner loop may be so short that this is most of its time.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "jit/lowering/method_lowering.hpp"
#include "support/mutant.hpp"

namespace berth::jit {

/// Where the insert point is; the loop need not have begun.
llvm::Value* MethodLowering::end_of(const ChunkedLoop& loop) {
  return loop.length ? load_length(read(loop.length->operands[0]).value) : read(loop.test->operands[1]).value;
}

/// Behind the header's poll. Until there is a copy both ways lead on.
void MethodLowering::emit_nest_entry(inference::BlockId header, llvm::BranchInst* poll) {
  const LoopNest& loops = *loop_nests_[header];
  Nest& nest = nests_[header];
  nest.poll = poll;
  const auto& parameters = body_.blocks[header].parameters;
  for (const inference::ValueId parameter : parameters)
    if (values_[parameter])
      nest.parameters.emplace_back(llvm::cast<llvm::PHINode>(values_[parameter]),
                                   read_value(parameter).value);
  llvm::Value *fits = builder_.getTrue(), *cost = builder_.getInt64(loops.cost);
  for (const inference::BlockId inner : loops.inner) {
    const ChunkedLoop& loop = *chunked_loops_[inner];
    llvm::Value* end = end_of(loop);
    fits = builder_.CreateAnd(fits, builder_.CreateICmpSLE(end, builder_.getInt64(loop.chunk)));
    llvm::Value* rounds = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, end, builder_.getInt64(0));
    cost = builder_.CreateAdd(cost, builder_.CreateMul(rounds, builder_.getInt64(kChunkNs / loop.chunk + 1)));
  }
  // Not by 0, whatever the ends are: LLVM may divide before the loop.
  llvm::Value* rounds =
      builder_.CreateUDiv(builder_.getInt64(kChunkNs), builder_.CreateOr(cost, builder_.getInt64(1)));
  rounds = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, rounds, builder_.getInt64(1));
  nest.index = llvm::cast<llvm::PHINode>(values_[parameters[loops.loop.index]]);
  llvm::Value* after = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, nest.index, rounds);
  nest.limit = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end_of(loops.loop), after);
  if (mutant::is_on("J84_nest_to_its_end")) nest.limit = end_of(loops.loop);
  llvm::BasicBlock* rest = new_block("nest");
  nest.enter = builder_.CreateCondBr(fits, rest, rest);
  builder_.SetInsertPoint(rest);
}

namespace {

/// LLVM keeps an atomic load that nobody uses.
void remove_poll(llvm::BranchInst& branch) {
  auto* compare = llvm::cast<llvm::Instruction>(branch.getCondition());
  auto* bits = llvm::cast<llvm::Instruction>(compare->getOperand(0));
  branch.setCondition(llvm::ConstantInt::getFalse(branch.getContext()));
  compare->eraseFromParent();
  bits->eraseFromParent();
}

}  // namespace

void MethodLowering::copy_nests() {
  for (inference::BlockId header = 0; header < body_.blocks.size(); ++header) {
    const auto nest = nests_.find(header);
    if (nest != nests_.end() && nest->second.test) copy_nest(*loop_nests_[header], nest->second);
  }
}

void MethodLowering::copy_nest(const LoopNest& nest, Nest& made) {
  llvm::BasicBlock* const header = made.index->getParent();
  llvm::DominatorTree dominators(*function_);
  llvm::LoopInfo loops(dominators);
  llvm::Loop* const loop = loops.getLoopFor(header);
  if (!loop || loop->getHeader() != header) return;  // every round raises or leaves
  llvm::formLCSSARecursively(*loop, dominators, &loops, nullptr);
  llvm::ValueToValueMapTy copies;
  llvm::SmallVector<llvm::BasicBlock*, 32> copied;
  for (llvm::BasicBlock* block : loop->blocks()) {
    copied.push_back(llvm::CloneBasicBlock(block, copies, ".nest", function_));
    copies[block] = copied.back();
  }
  llvm::remapInstructionsInBlocks(copied, copies);
  add_exits(*loop, copies);
  const auto branch = [&](llvm::BranchInst* original) {
    return llvm::cast<llvm::BranchInst>(static_cast<llvm::Value*>(copies.lookup(original)));
  };
  remove_poll(*branch(made.poll));
  for (const inference::BlockId inner : nest.inner) {
    llvm::BranchInst* again = chunks_[inner].again;
    if (again && loop->contains(again->getParent()))
      branch(again)->setCondition(builder_.getFalse());  // ends within a chunk
  }
  connect_nest(*loop, made, copies);
}

/// In by the header's poll, and back to it at the limit.
void MethodLowering::connect_nest(const llvm::Loop& loop, const Nest& made, llvm::ValueToValueMapTy& copies) {
  llvm::BasicBlock* const header = loop.getHeader();
  const auto copy_of = [&]<class Kind>(Kind* value) {
    return llvm::cast<Kind>(static_cast<llvm::Value*>(copies.lookup(value)));
  };
  llvm::BranchInst* test = copy_of(made.test);
  llvm::BasicBlock* over = new_block("nest.over");
  llvm::BasicBlock* behind = test->getSuccessor(1);
  builder_.SetInsertPoint(over);
  builder_.CreateCondBr(test->getCondition(), header, behind);
  behind->replacePhiUsesWith(test->getParent(), over);
  builder_.SetInsertPoint(test);
  test->setCondition(builder_.CreateICmpSLT(copy_of(made.index), made.limit));
  test->setSuccessor(1, over);
  for (const auto& [phi, after_poll] : made.parameters) {
    llvm::PHINode* copy = copy_of(phi);
    for (unsigned i = phi->getNumIncomingValues(); i-- > 0;)  // from before the loop
      if (!loop.contains(phi->getIncomingBlock(i))) copy->removeIncomingValue(i, false);
    copy->addIncoming(after_poll, made.enter->getParent());
    phi->addIncoming(copy, over);
  }
  llvm::BranchInst* entered = copy_of(made.enter);
  builder_.SetInsertPoint(entered);
  builder_.CreateBr(entered->getSuccessor(1));
  entered->eraseFromParent();
  made.enter->setSuccessor(0, copy_of(header));
}

}  // namespace berth::jit
