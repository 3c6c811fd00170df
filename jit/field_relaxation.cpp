// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/field_relaxation.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

#include "support/mutant.hpp"

namespace berth::jit {
namespace {

llvm::StringRef name_of(const llvm::MDNode* node) {
  const auto* name =
      node->getNumOperands() == 0 ? nullptr : llvm::dyn_cast<llvm::MDString>(node->getOperand(0));
  return name ? name->getString() : llvm::StringRef();
}

/// A source of LLVM IR may have unordered accesses too, with other tags or none.
bool is_field(const llvm::Instruction& access) {
  const llvm::MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  const auto* region =
      tag && tag->getNumOperands() > 1 ? llvm::dyn_cast<llvm::MDNode>(tag->getOperand(1)) : nullptr;
  if (!region || !name_of(region).starts_with(kFieldRegion) || region->getNumOperands() < 2) return false;
  const auto* root = llvm::dyn_cast<llvm::MDNode>(region->getOperand(1));
  return root && name_of(root) == kRegionRoot;
}

template <class Access>
bool relax(Access& access, const llvm::Type& type) {
  if (access.getOrdering() != llvm::AtomicOrdering::Unordered ||
      (!type.isDoubleTy() && !mutant::is_on("J86_every_field_relaxed")) || !is_field(access))
    return false;
  access.setOrdering(llvm::AtomicOrdering::NotAtomic);
  return true;
}

}  // namespace

llvm::PreservedAnalyses FieldRelaxation::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager& /*analyses*/) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) changed |= relax(*load, *load->getType());
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      changed |= relax(*store, *store->getValueOperand()->getType());
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace berth::jit
