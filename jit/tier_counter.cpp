// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/tier_counter.hpp"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace berth::jit {
namespace {

class Counting {
 public:
  explicit Counting(llvm::Module& module) : module_(module) {
    llvm::Type* const pointer = llvm::PointerType::getUnqual(module.getContext());
    llvm::Type* const word = llvm::Type::getInt32Ty(module.getContext());
    count_ =
        add_global(word, llvm::ConstantInt::getSigned(word, first_tier_count.load(std::memory_order_relaxed)),
                   "__berth_count");
    unit_ = add_global(pointer, llvm::Constant::getNullValue(pointer), "__berth_unit");
    promote_ = module.getOrInsertFunction(TierCounter::kPromote, llvm::Type::getVoidTy(module.getContext()),
                                          pointer);
  }

  void count_back_edges(llvm::Function& function) {
    const llvm::DominatorTree dominators(function);
    std::vector<llvm::Instruction*> jumps;
    for (llvm::BasicBlock& block : function) {
      if (!dominators.isReachableFromEntry(&block)) continue;
      for (llvm::BasicBlock* successor : llvm::successors(&block)) {
        if (!dominators.dominates(successor, &block)) continue;
        jumps.push_back(block.getTerminator());
        break;
      }
    }
    for (llvm::Instruction* jump : jumps) count_before(*jump, 1);
  }

  std::string count_calls(llvm::Function& function, size_t number) {
    llvm::Type* const pointer = llvm::PointerType::getUnqual(module_.getContext());
    llvm::GlobalVariable* const better =
        add_global(pointer, llvm::Constant::getNullValue(pointer), fmt::format("__berth_better.{}", number));
    // After the allocations of the entry block: elsewhere they would be dynamic.
    llvm::Instruction* start = &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    count_before(*start, kCallCost);
    start = &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    llvm::IRBuilder<> builder(start);
    // Acquire: who jumps there sees the code's bytes, which were written before the release store of the
    // word.
    llvm::LoadInst* const target = builder.CreateAlignedLoad(pointer, better, llvm::Align(8));
    target->setAtomic(llvm::AtomicOrdering::Acquire);
    llvm::Value* const promoted = builder.CreateIsNotNull(target);
    llvm::Instruction* const end = llvm::SplitBlockAndInsertIfThen(promoted, start, true);
    builder.SetInsertPoint(end);
    std::vector<llvm::Value*> arguments;
    for (llvm::Argument& argument : function.args()) arguments.push_back(&argument);
    llvm::CallInst* const call = builder.CreateCall(function.getFunctionType(), target, arguments);
    call->setCallingConv(function.getCallingConv());
    call->setAttributes(function.getAttributes().removeFnAttributes(module_.getContext()));
    call->setTailCallKind(llvm::CallInst::TCK_MustTail);
    if (function.getReturnType()->isVoidTy()) {
      builder.CreateRetVoid();
    } else {
      builder.CreateRet(call);
    }
    end->eraseFromParent();
    return better->getName().str();
  }

  /// In place of each call of kOsrPoint.
  std::vector<std::string> count_points(size_t num_points) {
    std::vector<std::string> symbols;
    llvm::Type* const pointer = llvm::PointerType::getUnqual(module_.getContext());
    std::vector<llvm::GlobalVariable*> words;
    for (size_t i = 0; i < num_points; ++i) {
      words.push_back(add_global(pointer, llvm::Constant::getNullValue(pointer),
                                 fmt::format("__berth_osr_better.{}", i)));
      symbols.push_back(words.back()->getName().str());
    }
    llvm::Function* const marker = module_.getFunction(TierCounter::kOsrPoint);
    if (!marker) return symbols;
    for (llvm::User* user : llvm::make_early_inc_range(marker->users())) {
      auto* const point = llvm::cast<llvm::CallInst>(user);
      const uint64_t number = llvm::cast<llvm::ConstantInt>(point->getArgOperand(0))->getZExtValue();
      llvm::BasicBlock* const from = point->getParent();
      llvm::Instruction* const used_up = count_before(*point, point->getArgOperand(1));
      llvm::Value* better = llvm::Constant::getNullValue(pointer);
      if (number != TierCounter::kNoPoint) {
        llvm::IRBuilder<> builder(used_up);
        llvm::LoadInst* const load = builder.CreateAlignedLoad(pointer, words[number], llvm::Align(8));
        load->setAtomic(llvm::AtomicOrdering::Acquire);  // as at calls
        builder.SetInsertPoint(point);
        llvm::PHINode* const phi = builder.CreatePHI(pointer, 2);
        phi->addIncoming(better, from);
        phi->addIncoming(load, used_up->getParent());
        better = phi;
      }
      point->replaceAllUsesWith(better);
      point->eraseFromParent();
    }
    marker->eraseFromParent();
    return symbols;
  }

  static bool counts_itself(const llvm::Function& function) {
    const llvm::Function* const marker = function.getParent()->getFunction(TierCounter::kOsrPoint);
    return marker && std::any_of(marker->user_begin(), marker->user_end(), [&](const llvm::User* user) {
             return llvm::cast<llvm::CallInst>(user)->getFunction() == &function;
           });
  }

  std::string count_symbol() const { return count_->getName().str(); }
  std::string unit_symbol() const { return unit_->getName().str(); }

 private:
  llvm::GlobalVariable* add_global(llvm::Type* type, llvm::Constant* value, const std::string& name) {
    auto* const global =
        new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::ExternalLinkage, value, name);
    global->setDSOLocal(true);
    return global;
  }

  llvm::Instruction* count_before(llvm::Instruction& at, int32_t cost) {
    return count_before(at, llvm::ConstantInt::get(llvm::Type::getInt32Ty(module_.getContext()),
                                                   static_cast<uint32_t>(cost)));
  }

  /// Gives the end of the block that runs when the count is used up.
  llvm::Instruction* count_before(llvm::Instruction& at, llvm::Value* cost) {
    llvm::IRBuilder<> builder(&at);
    llvm::Type* const word = builder.getInt32Ty();
    llvm::LoadInst* const old = builder.CreateAlignedLoad(word, count_, llvm::Align(4));
    old->setAtomic(llvm::AtomicOrdering::Monotonic);
    llvm::Value* const left = builder.CreateSub(old, cost);
    builder.CreateAlignedStore(left, count_, llvm::Align(4))->setAtomic(llvm::AtomicOrdering::Monotonic);
    llvm::Value* const used_up = builder.CreateICmpSLE(left, builder.getInt32(0));
    llvm::Instruction* const end = llvm::SplitBlockAndInsertIfThen(used_up, &at, false);
    builder.SetInsertPoint(end);
    builder.CreateCall(promote_, builder.CreateAlignedLoad(builder.getPtrTy(), unit_, llvm::Align(8)));
    return end;
  }

  llvm::Module& module_;
  llvm::GlobalVariable* count_ = nullptr;
  llvm::GlobalVariable* unit_ = nullptr;
  llvm::FunctionCallee promote_;
};

}  // namespace

TierCounter add_tier_counter(llvm::Module& module, const std::vector<std::string>& entries,
                             size_t num_points) {
  Counting counting(module);
  TierCounter counter;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && !function.hasFnAttribute(llvm::Attribute::Naked) &&
        !Counting::counts_itself(function))
      counting.count_back_edges(function);
  }
  for (const std::string& entry : entries) {
    llvm::Function& function = *module.getFunction(entry);
    if (function.hasFnAttribute(llvm::Attribute::Naked)) continue;
    counter.better_symbols.push_back(counting.count_calls(function, counter.better_symbols.size()));
  }
  for (std::string& point : counting.count_points(num_points))
    counter.better_symbols.push_back(std::move(point));
  counter.count_symbol = counting.count_symbol();
  counter.unit_symbol = counting.unit_symbol();
  return counter;
}

}  // namespace berth::jit
