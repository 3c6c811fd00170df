// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/lowering/ptx.hpp"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/CodeGen/AtomicExpandUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <mutex>

namespace berth::jit {
namespace {

namespace Id = llvm::Intrinsic;

// Offsets in a launch's state: u32 each.
constexpr uint64_t kArrived = 0, kGeneration = 4, kExited = 8, kFaulted = 16, kFaultCode = 20,
                   kFaultBlock = 24, kFaultLane = 28;
constexpr int32_t kFaultDiverged = -5;
constexpr uint32_t kWaitNs = 64;

/// The intrinsics of the neutral IR become NVIDIA's. The module has one kernel; everything else is inlined
/// before.
class PtxRewriter {
 public:
  PtxRewriter(llvm::Module& module, llvm::Function& kernel)
      : module_(module),
        kernel_(&kernel),
        builder_(module.getContext()),
        device_(module.getContext().getOrInsertSyncScopeID("device")) {}

  void run() {
    if (uses("berth_grid_barrier") || uses("berth_fault")) add_state();
    const bool counts_exits = uses("berth_grid_barrier");
    rewrite("berth_lane_id", [this](llvm::CallInst& call) { return register_of(call, Lane); });
    rewrite("berth_lane_count", [this](llvm::CallInst& call) { return register_of(call, Lanes); });
    rewrite("berth_block_id", [this](llvm::CallInst& call) { return register_of(call, Block); });
    rewrite("berth_block_count", [this](llvm::CallInst& call) { return register_of(call, Blocks); });
    rewrite("berth_block_barrier", [this](llvm::CallInst&) { return block_barrier(); });
    rewrite("berth_grid_barrier", [this](llvm::CallInst&) { return grid_barrier(); });
    rewrite("berth_fault", [this](llvm::CallInst& call) { return fault(call.getArgOperand(0)); });
    if (counts_exits) count_exits();
    order_atomics();
    kernel_->setCallingConv(llvm::CallingConv::PTX_Kernel);
  }

 private:
  enum Register { Lane, Lanes, Block, Blocks };
  using Value = llvm::Value;

  bool uses(const char* name) const {
    const llvm::Function* function = module_.getFunction(name);
    return function && !function->use_empty();
  }

  /// The kernel again, with one argument more.
  void add_state() {
    std::vector<llvm::Type*> types(kernel_->getFunctionType()->params().begin(),
                                   kernel_->getFunctionType()->params().end());
    types.push_back(llvm::PointerType::get(module_.getContext(), 1));
    auto* wider = llvm::Function::Create(llvm::FunctionType::get(kernel_->getReturnType(), types, false),
                                         kernel_->getLinkage(), "", module_);
    wider->takeName(kernel_);
    wider->copyAttributesFrom(kernel_);
    wider->splice(wider->begin(), kernel_);
    for (unsigned i = 0; i < kernel_->arg_size(); ++i)
      kernel_->getArg(i)->replaceAllUsesWith(wider->getArg(i));
    kernel_->eraseFromParent();
    kernel_ = wider;
    state_ = wider->getArg(wider->arg_size() - 1);
    state_->setName("launch");
  }

  void rewrite(const char* name, llvm::function_ref<Value*(llvm::CallInst&)> replacement) {
    llvm::Function* function = module_.getFunction(name);
    if (!function) return;
    while (!function->use_empty()) {
      auto& call = *llvm::cast<llvm::CallInst>(function->user_back());
      builder_.SetInsertPoint(&call);
      Value* value = replacement(call);
      if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(value);
      call.eraseFromParent();
    }
    function->eraseFromParent();
  }

  Value* special(Register which, unsigned dimension) {
    static constexpr Id::ID kIds[4][3] = {
        {Id::nvvm_read_ptx_sreg_tid_x, Id::nvvm_read_ptx_sreg_tid_y, Id::nvvm_read_ptx_sreg_tid_z},
        {Id::nvvm_read_ptx_sreg_ntid_x, Id::nvvm_read_ptx_sreg_ntid_y, Id::nvvm_read_ptx_sreg_ntid_z},
        {Id::nvvm_read_ptx_sreg_ctaid_x, Id::nvvm_read_ptx_sreg_ctaid_y, Id::nvvm_read_ptx_sreg_ctaid_z},
        {Id::nvvm_read_ptx_sreg_nctaid_x, Id::nvvm_read_ptx_sreg_nctaid_y, Id::nvvm_read_ptx_sreg_nctaid_z}};
    return builder_.CreateIntrinsic(kIds[which][dimension], llvm::ArrayRef<llvm::Type*>(),
                                    llvm::ArrayRef<Value*>());
  }

  Value* register_of(llvm::CallInst& call, Register which) {
    Value* dimension = call.getArgOperand(0);
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(dimension))
      return special(which, static_cast<unsigned>(number->getZExtValue() % 3));
    Value* higher = builder_.CreateSelect(builder_.CreateICmpEQ(dimension, builder_.getInt32(1)),
                                          special(which, 1), special(which, 2));
    return builder_.CreateSelect(builder_.CreateICmpEQ(dimension, builder_.getInt32(0)), special(which, 0),
                                 higher);
  }

  Value* linear(Register id, Register count) {
    Value* rows = builder_.CreateAdd(special(id, 1), builder_.CreateMul(special(id, 2), special(count, 1)));
    return builder_.CreateAdd(special(id, 0), builder_.CreateMul(rows, special(count, 0)));
  }
  Value* total(Register count) {
    return builder_.CreateMul(builder_.CreateMul(special(count, 0), special(count, 1)), special(count, 2));
  }

  Value* block_barrier() {
    return builder_.CreateIntrinsic(Id::nvvm_barrier_cta_sync_aligned_all, {}, {builder_.getInt32(0)});
  }

  Value* word(uint64_t offset) { return builder_.CreatePtrAdd(state_, builder_.getInt64(offset)); }
  Value* load(uint64_t offset, llvm::AtomicOrdering order) {
    auto* load = builder_.CreateAlignedLoad(builder_.getInt32Ty(), word(offset), llvm::Align(4));
    load->setAtomic(order, device_);
    return load;
  }
  void store(uint64_t offset, Value* value, llvm::AtomicOrdering order) {
    builder_.CreateAlignedStore(value, word(offset), llvm::Align(4))->setAtomic(order, device_);
  }
  Value* add(
      uint64_t offset,
      Value* value) {  // relaxed: LLVM's back end prints no other; fences stand around where order is needed
    return builder_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, word(offset), value, llvm::Align(4),
                                    llvm::AtomicOrdering::Monotonic, device_);
  }
  void fence() { builder_.CreateFence(llvm::AtomicOrdering::AcquireRelease, device_); }

  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(module_.getContext(), name, kernel_);
  }

  /// Block barrier; the leader arrives, and the last leader of the grid opens the next generation; block
  /// barrier.
  Value* grid_barrier() {
    using Order = llvm::AtomicOrdering;
    block_barrier();
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* after = before->splitBasicBlock(builder_.GetInsertPoint(), "grid.after");
    before->getTerminator()->eraseFromParent();
    llvm::BasicBlock *leader = block("grid.leader"), *last = block("grid.last"), *wait = block("grid.wait"),
                     *closed = block("grid.closed"), *look = block("grid.look"),
                     *diverged = block("grid.diverged"), *pause = block("grid.pause");
    builder_.SetInsertPoint(before);
    builder_.CreateCondBr(builder_.CreateICmpEQ(linear(Lane, Lanes), builder_.getInt32(0)), leader, after);

    builder_.SetInsertPoint(leader);
    Value* generation = load(kGeneration, Order::Monotonic);
    fence();
    Value* arrived = add(kArrived, builder_.getInt32(1));
    fence();
    builder_.CreateCondBr(
        builder_.CreateICmpEQ(arrived, builder_.CreateSub(total(Blocks), builder_.getInt32(1))), last, wait);

    builder_.SetInsertPoint(last);
    store(kArrived, builder_.getInt32(0), Order::Monotonic);
    store(kGeneration, builder_.CreateAdd(generation, builder_.getInt32(1)), Order::Release);
    builder_.CreateBr(after);

    builder_.SetInsertPoint(wait);
    builder_.CreateCondBr(builder_.CreateICmpNE(load(kGeneration, Order::Acquire), generation), after,
                          closed);
    builder_.SetInsertPoint(closed);
    builder_.CreateCondBr(builder_.CreateICmpNE(load(kExited, Order::Acquire), builder_.getInt32(0)), look,
                          pause);
    // A block has left. If the barrier has not opened meanwhile it never will.
    builder_.SetInsertPoint(look);
    builder_.CreateCondBr(builder_.CreateICmpNE(load(kGeneration, Order::Acquire), generation), after,
                          diverged);
    builder_.SetInsertPoint(diverged);
    record_fault(builder_.getInt32(static_cast<uint32_t>(kFaultDiverged)));
    builder_.CreateBr(after);
    builder_.SetInsertPoint(pause);
    builder_.CreateIntrinsic(Id::nvvm_nanosleep, {}, {builder_.getInt32(kWaitNs)});
    builder_.CreateBr(wait);

    builder_.SetInsertPoint(after, after->begin());
    block_barrier();
    return nullptr;
  }

  Value* fault(Value* code) {
    record_fault(code);
    return nullptr;
  }

  /// First caller wins; control goes on.
  void record_fault(Value* code) {
    auto* exchange = builder_.CreateAtomicCmpXchg(word(kFaulted), builder_.getInt32(0), builder_.getInt32(1),
                                                  llvm::Align(4), llvm::AtomicOrdering::Monotonic,
                                                  llvm::AtomicOrdering::Monotonic, device_);
    Value* won = builder_.CreateExtractValue(exchange, 1);
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* after =
        before->getTerminator() ? before->splitBasicBlock(builder_.GetInsertPoint(), "fault.after") : nullptr;
    if (after)
      before->getTerminator()->eraseFromParent();
    else
      after = block("fault.after");
    llvm::BasicBlock* first = block("fault.first");
    builder_.SetInsertPoint(before);
    builder_.CreateCondBr(won, first, after);
    builder_.SetInsertPoint(first);
    store(kFaultCode, code, llvm::AtomicOrdering::Monotonic);
    store(kFaultBlock, linear(Block, Blocks), llvm::AtomicOrdering::Monotonic);
    store(kFaultLane, linear(Lane, Lanes), llvm::AtomicOrdering::Monotonic);
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after, after->begin());
  }

  /// So that a block that leaves early is an error of those that wait, not a hang.
  void count_exits() {
    std::vector<llvm::ReturnInst*> returns;
    for (llvm::Instruction& instruction : llvm::instructions(*kernel_))
      if (auto* exit = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) returns.push_back(exit);
    for (llvm::ReturnInst* exit : returns) {
      builder_.SetInsertPoint(exit);
      Value* is_leader = builder_.CreateICmpEQ(linear(Lane, Lanes), builder_.getInt32(0));
      builder_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(is_leader, exit->getIterator(), false));
      fence();
      add(kExited, builder_.getInt32(1));
    }
  }

  /// atom.* is printed relaxed and for the device: stronger orders become fences around it, the system's
  /// scope a compare-and-swap loop.
  void order_atomics() {
    std::vector<llvm::AtomicRMWInst*> updates;
    for (llvm::Instruction& instruction : llvm::instructions(*kernel_))
      if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) updates.push_back(update);
    for (llvm::AtomicRMWInst* update : updates) {
      const llvm::AtomicOrdering order = update->getOrdering();
      const auto fence_order = order == llvm::AtomicOrdering::SequentiallyConsistent
                                   ? order
                                   : llvm::AtomicOrdering::AcquireRelease;
      if (order != llvm::AtomicOrdering::Monotonic) {
        builder_.SetInsertPoint(update);
        builder_.CreateFence(fence_order, update->getSyncScopeID());
        builder_.SetInsertPoint(update->getNextNode());
        builder_.CreateFence(fence_order, update->getSyncScopeID());
        update->setOrdering(llvm::AtomicOrdering::Monotonic);
      }
      if (update->getSyncScopeID() == llvm::SyncScope::System)
        llvm::expandAtomicRMWToCmpXchg(update, exchange);
    }
  }

  static void exchange(llvm::IRBuilderBase& builder, Value* address, Value* loaded, Value* wanted,
                       llvm::Align align, llvm::AtomicOrdering order, llvm::SyncScope::ID scope,
                       Value*& success, Value*& found, llvm::Instruction*) {
    llvm::Type* type = loaded->getType();
    llvm::Type* bits = builder.getIntNTy(type->getScalarSizeInBits());
    Value* pair = builder.CreateAtomicCmpXchg(
        address, builder.CreateBitCast(loaded, bits), builder.CreateBitCast(wanted, bits), align, order,
        llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order), scope);
    success = builder.CreateExtractValue(pair, 1);
    found = builder.CreateBitCast(builder.CreateExtractValue(pair, 0), type);
  }

  llvm::Module& module_;
  llvm::Function* kernel_;
  llvm::IRBuilder<> builder_;
  const llvm::SyncScope::ID device_;
  Value* state_ = nullptr;
};

void initialise_target() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

Result<std::unique_ptr<llvm::TargetMachine>> machine_for(const std::string& cpu) {
  initialise_target();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string why;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, why);
  if (!target) return make_error(BERTH_UNSUPPORTED, "emitting ptx", why, "use an LLVM with the NVPTX target");
  std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(cpu))
    return make_error(BERTH_UNSUPPORTED, "emitting ptx", "unknown target CPU " + cpu,
                      "use one such as sm_75, sm_90 or sm_100");
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu, "", llvm::TargetOptions(), std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
}

template <class Passes>
void run_passes(llvm::Module& module, llvm::TargetMachine& machine, Passes&& make) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  make(builder).run(module, modules);
}

}  // namespace

Result<std::string> emit_ptx(llvm::Module& module, const std::string& cpu) {
  BERTH_TRY(auto machine, machine_for(cpu.empty() ? "sm_75" : cpu));
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  run_passes(module, *machine, [](llvm::PassBuilder&) {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass());
    return passes;
  });
  llvm::Function* kernel = nullptr;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) {
      if (kernel)
        return make_error(BERTH_UNSUPPORTED, "emitting ptx of " + module.getModuleIdentifier(),
                          "recursion in a kernel", "write it as a loop");
      kernel = &function;
    }
  PtxRewriter(module, *kernel).run();
  run_passes(module, *machine, [](llvm::PassBuilder& builder) {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  });
  llvm::SmallString<4096> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return make_error(BERTH_UNSUPPORTED, "emitting ptx", "the target prints no assembly",
                      "use an LLVM with the NVPTX target");
  passes.run(module);
  return std::string(text.str());
}

}  // namespace berth::jit
