// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shadow frame of a lowered method: where it begins and ends, its slots, and the frame of one cold
// statement where the method's has not begun.
#include <cstddef>

#include "gc/thread.hpp"
#include "jit/lowering/method_lowering.hpp"
#include "support/mutant.hpp"

namespace berth::jit {

using inference::Position;

void MethodLowering::begin_frame() {
  if (roots_.has_hot && is_whole_) emit_stack_check();
  if (!has_frame_) return;
  llvm::Value* head = thread_word(offsetof(gc::Thread, frames));
  frame_start_ = in_region(builder_.CreateLoad(pointer_, head), "thread");
  in_region(builder_.CreateStore(frame_start_, frame_), "frame");
  in_region(builder_.CreateStore(address(frame_kind_), offset(frame_, offsetof(gc::Frame, kind))), "frame");
  in_region(builder_.CreateStore(builder_.getInt64(0), offset(frame_, offsetof(gc::Frame, position))),
            "frame");
  in_region(builder_.CreateStore(frame_, head), "thread");
}

/// The depth at which this raises may differ from the interpreter's, the error does not.
void MethodLowering::emit_stack_check() {
  llvm::Value* here =
      builder_.CreateIntrinsic(llvm::Intrinsic::frameaddress, {pointer_}, {builder_.getInt32(0)});
  llvm::Value* limit = in_region(
      builder_.CreateLoad(builder_.getInt64Ty(), thread_word(offsetof(gc::Thread, stack_limit))), "thread");
  llvm::BasicBlock* full = new_block("stack_full");
  llvm::BasicBlock* usual = new_block("stack_left");
  branch_rarely(builder_.CreateICmpULT(builder_.CreatePtrToInt(here, builder_.getInt64Ty()), limit), full,
                usual);
  builder_.SetInsertPoint(full);
  call("berth_rt_stack_overflow", builder_.getVoidTy(), {{thread_, address(&runtime_)}});
  llvm::Value* flag = builder_.getInt8(1);
  if (convention_.result.is_none()) {
    builder_.CreateRet(flag);
  } else {
    llvm::Value* result = llvm::Constant::getNullValue(function_->getReturnType());
    builder_.CreateRet(builder_.CreateInsertValue(result, flag, 1));
  }
  builder_.SetInsertPoint(usual);
}

void MethodLowering::end_frame() {
  llvm::Value* previous = in_region(builder_.CreateLoad(pointer_, frame_), "frame");
  in_region(builder_.CreateStore(previous, thread_word(offsetof(gc::Thread, frames))), "thread");
}

/// Sizes are known now: the placeholders become the frame, cleared before it is linked, and the buffer of
/// operands.
void MethodLowering::finish_frame() {
  const unsigned slots = num_slots_ + num_temporaries_;
  frame_kind_->slots = slots;
  frame_kind_->method = typed_.specialisation->method;
  builder_.SetInsertPoint(frame_);
  auto* word = builder_.getInt64Ty();
  llvm::AllocaInst* frame =
      builder_.CreateAlloca(llvm::ArrayType::get(word, sizeof(gc::Frame) / 8 + slots), nullptr, "frame");
  llvm::AllocaInst* buffer =
      builder_.CreateAlloca(llvm::ArrayType::get(word, 2 * num_values_), nullptr, "values");
  frame_->replaceAllUsesWith(frame);
  frame_->eraseFromParent();
  value_buffer_->replaceAllUsesWith(buffer);
  value_buffer_->eraseFromParent();
  frame_ = frame;
  const auto clear = [&](llvm::Instruction* before, unsigned first, unsigned end) {
    builder_.SetInsertPoint(before);
    for (unsigned i = first; i < end; ++i)
      in_region(builder_.CreateStore(llvm::ConstantPointerNull::get(pointer_), slot_address(i)), "frame");
  };
  for (const auto& [start, kept] : cold_starts_) clear(start, num_slots_ + kept, slots);
  if (!has_frame_) return;
  clear(boxed_->getNextNode(), 0, num_slots_);
  if (frame_start_) clear(frame_start_, num_slots_, slots);  // else never begun: what would is not reached
}

llvm::Value* MethodLowering::slot_address(unsigned index) {
  return offset(frame_, sizeof(gc::Frame) + index * sizeof(void*));
}

llvm::Value* MethodLowering::root(llvm::Value* reference) {
  num_temporaries_ = std::max(num_temporaries_, ++used_temporaries_);
  llvm::Value* slot = slot_address(num_slots_ + used_temporaries_ - 1);
  in_region(builder_.CreateStore(reference, slot), "frame");
  return slot;
}

void MethodLowering::set_position(const Position* position) {
  if (!is_framed()) return;
  in_region(builder_.CreateStore(address(keep(*position)), offset(frame_, offsetof(gc::Frame, position))),
            "frame");
}

/// Roots what the runtime is given. Without a frame from the entry on, links one for the time of the call.
void MethodLowering::begin_cold(const Position* position, Operands roots) {
  const unsigned kept = used_temporaries_;
  llvm::LoadInst* previous = nullptr;
  if (!is_framed()) {
    previous = builder_.CreateLoad(pointer_, thread_word(offsetof(gc::Thread, frames)));
    in_region(previous, "thread");
    cold_starts_.push_back({previous, kept});
  }
  for (const Held& held : roots)
    root(held.shape.is_reference() ? held.value : llvm::ConstantPointerNull::get(pointer_));
  used_temporaries_ = kept;
  if (!previous) return set_position(position);
  in_region(builder_.CreateStore(previous, frame_), "frame");
  in_region(builder_.CreateStore(address(frame_kind_), offset(frame_, offsetof(gc::Frame, kind))), "frame");
  in_region(builder_.CreateStore(address(keep(*position)), offset(frame_, offsetof(gc::Frame, position))),
            "frame");
  in_region(builder_.CreateStore(frame_, thread_word(offsetof(gc::Thread, frames))), "thread");
}

void MethodLowering::end_cold() {
  if (!is_framed()) end_frame();
}

}  // namespace berth::jit
