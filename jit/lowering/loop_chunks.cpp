// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops in chunks (chunked_loops.hpp): the poll between two of them, and the test that ends one.
#include "jit/lowering/method_lowering.hpp"
#include "support/mutant.hpp"

namespace berth::jit {

using inference::kNone;
using inference::Terminator;

void MethodLowering::emit_chunk_entry(inference::BlockId header) {
  const ChunkedLoop& loop = *chunked_loops_[header];
  Chunks& chunks = chunks_[header];
  builder_.SetInsertPoint(chunks.entry);
  chunks.last = chunks.entry;
  builder_.SetInsertPoint(builder_.CreateBr(blocks_[header]));
  if (loop.is_counted) emit_limit(loop, chunks);
  if (is_adaptive_ && tier_ == BERTH_TIER_FAST) {
    llvm::Instruction* jump = chunks.entry->getTerminator();
    llvm::Value* rounds = rounds_of(loop, chunks);
    jump->eraseFromParent();
    builder_.SetInsertPoint(chunks.entry);
    emit_osr_exit(header, rounds);
    chunks.last = builder_.GetInsertBlock();
    builder_.SetInsertPoint(builder_.CreateBr(blocks_[header]));
  }
  if (chunks.left) chunks.left->addIncoming(builder_.getInt64(loop.chunk), chunks.last);
  const auto& parameters = body_.blocks[header].parameters;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (chunks.parameters[i])
      llvm::cast<llvm::PHINode>(values_[parameters[i]])->addIncoming(chunks.parameters[i], chunks.last);
  if (tier_ == BERTH_TIER_OPTIMIZED) chunks.is_inside = emit_inside_test(header);
}

/// Of the chunk that begins, one for the loop itself: i32.
llvm::Value* MethodLowering::rounds_of(const ChunkedLoop& loop, const Chunks& chunks) {
  llvm::Value* index = chunks.parameters[loop.index];
  const auto predicate =
      inference::is_signed(loop.test->number) ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
  llvm::Value* rounds = builder_.CreateSelect(builder_.CreateICmp(predicate, index, chunks.limit),
                                              builder_.CreateSub(chunks.limit, index),
                                              llvm::ConstantInt::get(index->getType(), 0));
  return builder_.CreateAdd(builder_.CreateZExtOrTrunc(rounds, builder_.getInt32Ty()), builder_.getInt32(1));
}

void MethodLowering::emit_limit(const ChunkedLoop& loop, Chunks& chunks) {
  chunks.end = loop.length ? length_of(loop.length->operands[0]) : read(loop.test->operands[1]).value;
  if (loop.is_one_chunk) {  // LLVM sees that there is no second one, and counts between constants
    chunks.limit = chunks.end;
    return;
  }
  llvm::Value* index = chunks.parameters[loop.index];
  const bool with_sign = inference::is_signed(loop.test->number);
  const uint64_t most =
      with_sign ? inference::bytes_of(loop.test->number) * 8 - 1 : inference::bytes_of(loop.test->number) * 8;
  const uint64_t chunk = most < 64 ? std::min(loop.chunk, (uint64_t{1} << most) - 1) : loop.chunk;
  llvm::Value* after =
      builder_.CreateBinaryIntrinsic(with_sign ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::uadd_sat, index,
                                     llvm::ConstantInt::get(index->getType(), chunk));
  chunks.limit = builder_.CreateBinaryIntrinsic(with_sign ? llvm::Intrinsic::smin : llvm::Intrinsic::umin,
                                                chunks.end, after);
  if (loop.is_never_negative)
    chunks.limit = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, chunks.limit, builder_.getInt64(0));
}

/// In place of the poll: after so many rounds.
void MethodLowering::emit_pause_test(inference::BlockId header) {
  llvm::BasicBlock* pause = new_block("pause");
  llvm::BasicBlock* round = new_block("round");
  branch_rarely(builder_.CreateICmpEQ(chunks_[header].left, builder_.getInt64(0)), pause, round);
  builder_.SetInsertPoint(pause);
  emit_next_chunk(header);
  builder_.SetInsertPoint(round);
}

void MethodLowering::emit_next_chunk(inference::BlockId header) {
  emit_poll();
  Chunks& chunks = chunks_[header];
  const auto& parameters = body_.blocks[header].parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    // Read after the poll: a collection may have moved what the header was given.
    if (chunks.parameters[i])
      chunks.parameters[i]->addIncoming(read_value(parameters[i]).value, builder_.GetInsertBlock());
  }
  builder_.CreateBr(chunks.entry);
}

/// Of the chunked loop that the current block is part of; null: of none.
MethodLowering::Chunks* MethodLowering::chunks_here() {
  const inference::BlockId header = chunked_in_[current_];
  return header == kNone ? nullptr : &chunks_[header];
}

/// In place of the header's condition: the end of the chunk; behind it that of the loop, and the poll.
void MethodLowering::emit_chunk_test(const Terminator& terminator) {
  const ChunkedLoop& loop = *chunked_loops_[current_];
  Chunks& chunks = chunks_[current_];
  const auto& parameters = body_.blocks[current_].parameters;
  llvm::Value* index = values_[parameters[loop.index]];
  const bool with_sign = inference::is_signed(loop.test->number) && !loop.is_one_chunk;
  const auto predicate = with_sign ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
  // Tells LLVM that the counter is not negative: divisions of it become cheap.
  llvm::Value* goes_on =
      builder_.CreateICmp(loop.is_never_negative ? llvm::CmpInst::ICMP_ULT : predicate, index, chunks.limit);
  llvm::BasicBlock* from = builder_.GetInsertBlock();
  llvm::BasicBlock* over = new_block("over");
  llvm::BasicBlock* again = new_block("again");
  llvm::BasicBlock* yes = emit_edge(terminator.targets[0], &terminator.position);
  llvm::BasicBlock* no = emit_edge(terminator.targets[1], &terminator.position);
  builder_.SetInsertPoint(from);
  builder_.CreateCondBr(goes_on, yes, over);
  builder_.SetInsertPoint(over);
  chunks.again = branch_rarely(builder_.CreateICmp(predicate, index, chunks.end), again, no);
  builder_.SetInsertPoint(again);
  emit_next_chunk(current_);
}

}  // namespace berth::jit
