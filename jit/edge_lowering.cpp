// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/edge_lowering.hpp"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "jit/call_slot.hpp"

namespace berth::jit {
namespace {

llvm::Value* load_slot(llvm::IRBuilder<>& builder, llvm::GlobalVariable& slot) {
  llvm::LoadInst* const load = builder.CreateAlignedLoad(builder.getPtrTy(), &slot, llvm::Align(8), "callee");
  load->setAtomic(llvm::AtomicOrdering::Acquire);
  return load;
}

// Stands for the callee where its address is taken.
llvm::Function* make_thunk(llvm::Function& callee, llvm::GlobalVariable& slot, const std::string& name) {
  llvm::Function* const thunk = llvm::Function::Create(
      callee.getFunctionType(), llvm::GlobalValue::InternalLinkage, name, callee.getParent());
  thunk->copyAttributesFrom(&callee);
  thunk->setLinkage(llvm::GlobalValue::InternalLinkage);
  thunk->setVisibility(llvm::GlobalValue::DefaultVisibility);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(callee.getContext(), "", thunk));
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& argument : thunk->args()) arguments.push_back(&argument);
  llvm::CallInst* const call =
      builder.CreateCall(callee.getFunctionType(), load_slot(builder, slot), arguments);
  call->setCallingConv(callee.getCallingConv());
  call->setAttributes(callee.getAttributes().removeFnAttributes(callee.getContext()));
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  if (callee.getReturnType()->isVoidTy()) {
    builder.CreateRetVoid();
  } else {
    builder.CreateRet(call);
  }
  return thunk;
}

/// Of the C convention on x86-64. What follows an argument that it passes in yet another way is not looked
/// at: such a reference is the caller's to keep.
std::vector<int32_t> reference_arguments(const llvm::Function& callee) {
  constexpr unsigned kVectorRegisters = 8;
  std::vector<int32_t> references;
  if (callee.getCallingConv() != llvm::CallingConv::C) return references;
  unsigned registers = 0, vectors = 0, on_stack = 0;
  for (const llvm::Argument& argument : callee.args()) {
    const llvm::Type& type = *argument.getType();
    const bool is_general = type.isPointerTy() || (type.isIntegerTy() && type.getIntegerBitWidth() <= 64);
    const bool is_vector =
        type.isFloatTy() || type.isDoubleTy() || (type.isVectorTy() && vectors < kVectorRegisters);
    if (argument.hasPassPointeeByValueCopyAttr() || argument.hasNestAttr() || !(is_general || is_vector))
      break;
    if (is_vector && vectors < kVectorRegisters) {
      ++vectors;
      continue;
    }
    const unsigned word =
        is_general && registers < kArgumentRegisters ? registers++ : kArgumentRegisters + on_stack++;
    if (type.isPointerTy()) references.push_back(argument_offset(word));
  }
  return references;
}

void lower_edge(llvm::Function& callee, llvm::GlobalVariable& slot, const std::string& thunk_name) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::User* user : callee.users()) {
    auto* const call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call && call->getCalledOperand() == &callee) calls.push_back(call);
  }
  for (llvm::CallBase* call : calls) {
    llvm::IRBuilder<> builder(call);
    call->setCalledOperand(load_slot(builder, slot));
  }
  if (!callee.use_empty()) callee.replaceAllUsesWith(make_thunk(callee, slot, thunk_name));
  callee.eraseFromParent();
}

}  // namespace

Result<std::vector<LoweredEdge>> lower_edges(llvm::Module& module, const std::vector<engine::Edge>& edges) {
  std::vector<LoweredEdge> lowered;
  for (const engine::Edge& edge : edges) {
    if (edge.symbol.empty()) continue;
    llvm::GlobalValue* const value = module.getNamedValue(edge.symbol);
    if (!value) continue;  // not called after all, or an equal symbol given twice
    auto* const callee = llvm::dyn_cast<llvm::Function>(value);
    if (!callee || !callee->isDeclaration()) {
      return make_error(
          BERTH_INVALID_ARGUMENT, "",
          fmt::format("the edge's symbol '{}' is not a declared function of the source", edge.symbol),
          "declare it as a function, without body");
    }
    const std::string name = fmt::format("__berth_slot.{}", lowered.size());
    auto* const slot = new llvm::GlobalVariable(
        module, llvm::PointerType::getUnqual(module.getContext()), false, llvm::GlobalValue::ExternalLinkage,
        llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(module.getContext())), name);
    slot->setAlignment(llvm::Align(8));
    slot->setDSOLocal(true);
    std::vector<int32_t> references = reference_arguments(*callee);
    lower_edge(*callee, *slot, fmt::format("__berth_edge.{}", lowered.size()));
    lowered.push_back({slot->getName().str(), &edge, std::move(references)});
  }
  return lowered;
}

}  // namespace berth::jit
