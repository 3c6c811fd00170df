// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MethodLowering: OSR. FAST code leaves a loop by a call of the better code's function of that point
// (osr.hpp); its own frame is unlinked before, so that the collector and stack traces see one activation.
// What such a function is given lives in cells where it has no slot: the method may make it again, in an
// outer loop that it comes back to, and LLVM turns the cells into phis.
#include "jit/lowering/method_lowering.hpp"
#include "jit/tier_counter.hpp"

namespace berth::jit {

using inference::ValueId;

std::vector<ValueId> MethodLowering::values_of(const OsrPoint& point) const {
  std::vector<ValueId> passed;
  const auto add = [&](ValueId id) {
    if (!shape_of(type_of(id)).is_none()) passed.push_back(id);
  };
  for (const ValueId id : body_.blocks[point.header].parameters) add(id);
  for (const ValueId id : point.live) add(id);
  return passed;
}

llvm::FunctionType* MethodLowering::type_of_osr(const OsrPoint& point) const {
  std::vector<const Type*> types;
  for (const ValueId id : values_of(point)) types.push_back(type_of(id));
  Convention convention(types, nullptr);
  convention.result = convention_.result;
  return convention.function_type(context_);
}

/// Adaptive FAST code: counts so many rounds of the loop down; if that uses the count up and there is better
/// code, goes on there.
void MethodLowering::emit_osr_exit(inference::BlockId header, llvm::Value* rounds) {
  if (!is_adaptive_ || tier_ != BERTH_TIER_FAST) return;
  const auto point = std::ranges::find(points_, header, &OsrPoint::header);
  const auto number =
      point == points_.end() ? TierCounter::kNoPoint : static_cast<uint32_t>(point - points_.begin());
  llvm::Value* better = call(TierCounter::kOsrPoint, pointer_, {{builder_.getInt32(number), rounds}});
  if (point == points_.end()) return;
  llvm::BasicBlock* leave = new_block("leave");
  llvm::BasicBlock* stay = new_block("stay");
  branch_rarely(builder_.CreateIsNotNull(better), leave, stay);
  builder_.SetInsertPoint(leave);
  const auto& parameters = body_.blocks[header].parameters;
  std::vector<llvm::Value*> arguments{thread_};
  for (const ValueId id : values_of(*point)) {
    const auto place = static_cast<size_t>(std::ranges::find(parameters, id) - parameters.begin());
    llvm::Value* value = values_[id];
    if (chunked_loops_[header] && place < parameters.size()) {
      value = chunks_[header].parameters[place];  // not in its slot yet
    } else if (roots_.rooted[id]) {
      value = in_region(builder_.CreateLoad(pointer_, slot_address(slots_[id])), "frame");
    }
    arguments.push_back(value);
  }
  if (has_frame_) end_frame();
  llvm::CallInst* result = builder_.CreateCall(type_of_osr(*point), better, arguments);
  result->setCallingConv(llvm::CallingConv::Fast);
  builder_.CreateRet(result);
  builder_.SetInsertPoint(stay);
}

void MethodLowering::emit_osr_arguments(const OsrPoint& start) {
  for (const ValueId id : start.live)
    if (!roots_.rooted[id] && !shape_of(type_of(id)).is_none())
      cells_[id] = builder_.CreateAlloca(register_type(context_, shape_of(type_of(id))));
  const size_t num_parameters = body_.blocks[start.header].parameters.size();
  unsigned next = 1;
  for (const ValueId id : values_of(start)) {
    llvm::Value* argument = function_->getArg(next++);
    const auto& parameters = body_.blocks[start.header].parameters;
    if (std::ranges::find(parameters, id) == parameters.begin() + static_cast<ptrdiff_t>(num_parameters))
      set_value(id, argument);
  }
}

/// The entry's jump to the header, with its parameters.
void MethodLowering::emit_osr_start(const OsrPoint& start, llvm::BasicBlock* entry) {
  const auto& parameters = body_.blocks[start.header].parameters;
  const bool is_chunked = chunked_loops_[start.header] != nullptr;
  unsigned next = 1;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (shape_of(type_of(parameters[i])).is_none()) continue;
    auto* phi =
        is_chunked ? chunks_[start.header].parameters[i] : llvm::cast<llvm::PHINode>(values_[parameters[i]]);
    phi->addIncoming(function_->getArg(next++), entry);
  }
  builder_.CreateBr(is_chunked ? chunks_[start.header].entry : blocks_[start.header]);
}

void MethodLowering::emit_osr_table(std::span<llvm::Constant* const> functions) {
  llvm::ArrayType* type = llvm::ArrayType::get(pointer_, functions.size());
  llvm::Constant* entries =
      llvm::ConstantArray::get(type, llvm::ArrayRef<llvm::Constant*>(functions.data(), functions.size()));
  auto* table = new llvm::GlobalVariable(*module_, type, true, llvm::GlobalValue::ExternalLinkage, entries,
                                         "__berth_osr");
  table->setDSOLocal(true);
  names_.osr_symbol = table->getName().str();
}

}  // namespace berth::jit
