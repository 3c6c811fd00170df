// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/channel/channel_emitter.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "jit/channel/channel.hpp"

namespace berth::jit {
namespace {

using llvm::AtomicOrdering;
using llvm::BasicBlock;
using llvm::Value;

// `cell` is the offset in the slot record, as in generated code. The channel keeps the failure; its code is
// enough here.
extern "C" int32_t berth_rt_channel_wait(gc::Thread* thread, ChannelFrame* frame, uint64_t ticket,
                                         uint64_t cell, uint64_t value) {
  const Result<void> waited = frame->channel->wait_for(*thread, ticket, cell, value);
  return waited.has_error() ? waited.assume_error().code() : BERTH_OK;
}

extern "C" void berth_rt_channel_published(ChannelFrame* frame) { frame->channel->published(); }

void tag(llvm::Instruction* access, const char* role, const char* order) {
  llvm::LLVMContext& context = access->getContext();
  access->setMetadata("berth.channel", llvm::MDNode::get(context, {llvm::MDString::get(context, role),
                                                                   llvm::MDString::get(context, order)}));
}

}  // namespace

Value* ChannelEmitter::field(uint64_t offset, Value* base) {
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base, offset);
}

Value* ChannelEmitter::record(Value* ticket) {
  Value* slots = builder_.CreateZExt(
      builder_.CreateLoad(builder_.getInt32Ty(), field(offsetof(ChannelFrame, slots), frame_)),
      builder_.getInt64Ty());
  Value* records = builder_.CreateLoad(builder_.getPtrTy(), field(offsetof(ChannelFrame, records), frame_));
  Value* offset =
      builder_.CreateMul(builder_.CreateURem(ticket, slots), builder_.getInt64(sizeof(SlotRecord)));
  return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), records, offset);
}

Value* ChannelEmitter::slot(Value* ticket) {
  Value* slots = builder_.CreateZExt(
      builder_.CreateLoad(builder_.getInt32Ty(), field(offsetof(ChannelFrame, slots), frame_)),
      builder_.getInt64Ty());
  Value* memory = builder_.CreateLoad(builder_.getPtrTy(), field(offsetof(ChannelFrame, memory), frame_));
  Value* bytes =
      builder_.CreateLoad(builder_.getInt64Ty(), field(offsetof(ChannelFrame, slot_bytes), frame_));
  return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), memory,
                                    builder_.CreateMul(builder_.CreateURem(ticket, slots), bytes));
}

// Inline: one load, one compare. A cell that starts at the first ticket has reached s + 1 - K for the first K
// tickets.
Value* ChannelEmitter::wait(Value* ticket, uint64_t cell, Value* value, const char* role) {
  llvm::Function* function = builder_.GetInsertBlock()->getParent();
  llvm::LLVMContext& context = builder_.getContext();
  llvm::LoadInst* load =
      builder_.CreateAlignedLoad(builder_.getInt32Ty(), field(cell, record(ticket)), llvm::Align(4));
  load->setAtomic(AtomicOrdering::Acquire);
  tag(load, role, "acquire");
  Value* distance = builder_.CreateSub(load, builder_.CreateTrunc(value, builder_.getInt32Ty()));
  Value* reached = builder_.CreateICmpSGE(distance, builder_.getInt32(0));
  BasicBlock* from = builder_.GetInsertBlock();
  BasicBlock* slow = BasicBlock::Create(context, "channel.wait", function);
  BasicBlock* go_on = BasicBlock::Create(context, "channel.go", function);
  builder_.CreateCondBr(reached, go_on, slow);
  builder_.SetInsertPoint(slow);
  llvm::FunctionCallee callee = function->getParent()->getOrInsertFunction(
      "berth_rt_channel_wait", builder_.getInt32Ty(), builder_.getPtrTy(), builder_.getPtrTy(),
      builder_.getInt64Ty(), builder_.getInt64Ty(), builder_.getInt64Ty());
  Value* code = builder_.CreateCall(callee, {thread_, frame_, ticket, builder_.getInt64(cell), value});
  builder_.CreateBr(go_on);
  builder_.SetInsertPoint(go_on);
  llvm::PHINode* result = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  result->addIncoming(builder_.getInt32(BERTH_OK), from);
  result->addIncoming(code, slow);
  return result;
}

ChannelEmitter::Waited ChannelEmitter::wait_writable() {
  Value* ticket = builder_.CreateLoad(builder_.getInt64Ty(), field(offsetof(ChannelFrame, next), frame_));
  Value* slots = builder_.CreateZExt(
      builder_.CreateLoad(builder_.getInt32Ty(), field(offsetof(ChannelFrame, slots), frame_)),
      builder_.getInt64Ty());
  Value* value = builder_.CreateSub(builder_.CreateAdd(ticket, builder_.getInt64(1)), slots);
  Value* code = out_ ? wait(ticket, offsetof(SlotRecord, snap), value, "W")
                     : wait(ticket, offsetof(SlotRecord, done), value, "R");
  return {code, slot(ticket)};
}

ChannelEmitter::Waited ChannelEmitter::wait_readable(Value* ticket) {
  Value* code =
      wait(ticket, offsetof(SlotRecord, done), builder_.CreateAdd(ticket, builder_.getInt64(1)), "R");
  return {code, slot(ticket)};
}

Value* ChannelEmitter::publish(Value* arguments, uint64_t bytes, Value** ticket) {
  llvm::LLVMContext& context = builder_.getContext();
  llvm::Function* function = builder_.GetInsertBlock()->getParent();
  Value* next = field(offsetof(ChannelFrame, next), frame_);
  *ticket = builder_.CreateLoad(builder_.getInt64Ty(), next);
  Value* slots = builder_.CreateZExt(
      builder_.CreateLoad(builder_.getInt32Ty(), field(offsetof(ChannelFrame, slots), frame_)),
      builder_.getInt64Ty());
  Value* after = builder_.CreateAdd(*ticket, builder_.getInt64(1));
  Value* code = wait(*ticket, offsetof(SlotRecord, done), builder_.CreateSub(after, slots), "R");
  BasicBlock* from = builder_.GetInsertBlock();
  BasicBlock* hand = BasicBlock::Create(context, "channel.publish", function);
  BasicBlock* wake = BasicBlock::Create(context, "channel.wake", function);
  BasicBlock* done = BasicBlock::Create(context, "channel.published", function);
  builder_.CreateCondBr(builder_.CreateICmpEQ(code, builder_.getInt32(BERTH_OK)), hand, done);
  builder_.SetInsertPoint(hand);
  Value* own = record(*ticket);
  if (arguments && bytes != 0) builder_.CreateMemCpy(own, llvm::Align(8), arguments, llvm::Align(1), bytes);
  builder_.CreateStore(after, next);
  llvm::StoreInst* head = builder_.CreateAlignedStore(builder_.CreateTrunc(after, builder_.getInt32Ty()),
                                                      field(offsetof(SlotRecord, head), own), llvm::Align(4));
  head->setAtomic(parks_ ? AtomicOrdering::SequentiallyConsistent : AtomicOrdering::Release);
  tag(head, "P", parks_ ? "seq_cst" : "release");
  llvm::LoadInst* waiters = builder_.CreateAlignedLoad(
      builder_.getInt32Ty(), field(offsetof(ChannelFrame, waiters), frame_), llvm::Align(4));
  waiters->setAtomic(AtomicOrdering::SequentiallyConsistent);
  tag(waiters, "park", "seq_cst");
  builder_.CreateCondBr(builder_.CreateICmpNE(waiters, builder_.getInt32(0)), wake, done);
  builder_.SetInsertPoint(wake);
  builder_.CreateCall(function->getParent()->getOrInsertFunction("berth_rt_channel_published",
                                                                 builder_.getVoidTy(), builder_.getPtrTy()),
                      {frame_});
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
  llvm::PHINode* result = builder_.CreatePHI(builder_.getInt32Ty(), 3);
  result->addIncoming(code, from);
  result->addIncoming(builder_.getInt32(BERTH_OK), hand);
  result->addIncoming(builder_.getInt32(BERTH_OK), wake);
  return result;
}

std::span<const RuntimeSymbol> channel_symbols() {
  static const RuntimeSymbol symbols[] = {
      {"berth_rt_channel_wait", reinterpret_cast<void*>(&berth_rt_channel_wait)},
      {"berth_rt_channel_published", reinterpret_cast<void*>(&berth_rt_channel_published)}};
  return symbols;
}

}  // namespace berth::jit
