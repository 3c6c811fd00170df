// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/device/kernel_split.hpp"

#include <fmt/format.h>
#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include <set>

#include "jit/device/launch.hpp"

namespace berth::jit {
namespace {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Function;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Type;
using llvm::Value;

const std::set<std::string> kIdFunctions = {"berth_lane_id", "berth_lane_count", "berth_block_id",
                                            "berth_block_count"};
const std::set<std::string> kOtherFunctions = {"berth_block_barrier", "berth_grid_barrier", "berth_fault",
                                               "berth_shared"};

Error refuse(berth_code_t code, llvm::StringRef kernel, std::string found, const char* advice) {
  return make_error(code, fmt::format("kernel \"{}\"", kernel.str()), found, advice);
}

CallInst* call_of(Instruction& instruction, llvm::StringRef name) {
  auto* call = llvm::dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == name ? call : nullptr;
}

void run_passes(llvm::Module& module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::ModifyCFG)));
  passes.run(module, modules);
}

Result<std::vector<KernelArgument>> arguments_of(const Function& function) {
  std::vector<KernelArgument> arguments;
  for (const llvm::Argument& argument : function.args()) {
    const Type* type = argument.getType();
    if (type->isPointerTy())
      arguments.push_back(KernelArgument::Buffer);
    else if (type->isIntegerTy(32))
      arguments.push_back(KernelArgument::I32);
    else if (type->isIntegerTy(64))
      arguments.push_back(KernelArgument::I64);
    else if (type->isFloatTy())
      arguments.push_back(KernelArgument::F32);
    else if (type->isDoubleTy())
      arguments.push_back(KernelArgument::F64);
    else
      return refuse(BERTH_INVALID_ARGUMENT, function.getName(),
                    fmt::format("argument {} has no kernel type", argument.getArgNo()),
                    "use ptr addrspace(1), i32, i64, float or double");
  }
  return arguments;
}

Result<void> check_callee(const Function& kernel, const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee) {
    return refuse(BERTH_UNSUPPORTED, kernel.getName(), "an indirect call or inline assembly",
                  "call functions of the module by name");
  }
  const std::string name = callee->getName().str();
  if (callee->isIntrinsic()) return success();
  if (!callee->isDeclaration()) {
    return refuse(BERTH_UNSUPPORTED, kernel.getName(),
                  fmt::format("the call of {} could not be inlined", name), "remove the recursion");
  }
  if (kOtherFunctions.contains(name)) return success();
  if (!kIdFunctions.contains(name)) {
    return refuse(BERTH_UNSUPPORTED, kernel.getName(), fmt::format("{} is not defined", name),
                  "define it in the module");
  }
  const auto* dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  if (!dimension || dimension->getZExtValue() > 2) {
    return refuse(BERTH_INVALID_ARGUMENT, kernel.getName(),
                  fmt::format("the dimension given to {} is not constant", name), "pass 0, 1 or 2");
  }
  return success();
}

// Static shared memory: each addrspace(3) global gets an offset into the block's shared bytes.
uint64_t lay_out_shared(llvm::Module& module, llvm::DenseMap<llvm::GlobalVariable*, uint64_t>& offsets) {
  uint64_t bytes = 0;
  for (llvm::GlobalVariable& global : module.globals()) {
    if (global.getAddressSpace() != 3) continue;
    bytes = (bytes + 15) / 16 * 16;
    offsets[&global] = bytes;
    bytes += module.getDataLayout().getTypeAllocSize(global.getValueType());
  }
  return (bytes + 15) / 16 * 16;
}

// A value that must outlive a barrier, as an alloca of the kernel; `bytes` at `offset` of the lane's context.
struct Live {
  AllocaInst* alloca_;
  uint64_t offset = 0, bytes = 0;
  bool in_memory = false;  // its address escapes: it lives in the context for good
};

struct Site {
  BasicBlock* block;  // holds nothing but the barrier and a branch
  BasicBlock* continuation;
  bool is_grid;
  std::vector<unsigned> live;  // indices of values live at the continuation
};

class Splitter {
 public:
  Splitter(llvm::Module& module, KernelDescription& kernel)
      : module_(module),
        context_(module.getContext()),
        layout_(module.getDataLayout()),
        kernel_(kernel),
        i32_(Type::getInt32Ty(context_)),
        i64_(Type::getInt64Ty(context_)),
        pointer_(llvm::PointerType::get(context_, 0)) {}

  Result<std::string> run() {
    BERTH_TRYV(drop_address_spaces(*module_.getFunction(kernel_.entry)));
    make_body();
    replace_intrinsics();
    isolate_barriers();
    demote();
    find_live();
    std::vector<Function*> steps;
    for (unsigned i = 0; i <= sites_.size(); ++i) steps.push_back(make_step(i));
    kernel_.shared_bytes = shared_bytes_;
    const std::string name = "berth_host_" + kernel_.entry;
    make_entry(name, steps);
    body_->eraseFromParent();
    for (auto& [global, offset] : shared_) global->eraseFromParent();
    return name;
  }

 private:
  // Arguments of a step behind the kernel's own.
  enum Extra : unsigned {
    kLane = 0,
    kLanes = 3,
    kBlock = 6,
    kBlocks = 9,
    kShared = 12,
    kFrame,
    kContext,
    kLanesTotal,
    kLaneLinear,
    kBlockLinear,
    kExtras
  };

  Value* extra(Function& function, unsigned which) const { return function.getArg(num_own_ + which); }

  // The host has one address space: every pointer becomes a plain one, casts between spaces go.
  Result<void> drop_address_spaces(Function& kernel) {
    shared_bytes_ = lay_out_shared(module_, shared_);
    for (auto& [global, offset] : shared_) llvm::convertUsersOfConstantsToInstructions({global});
    const auto is_spaced = [](const Type* type) {
      return type->isPointerTy() && type->getPointerAddressSpace() != 0;
    };
    std::vector<llvm::AddrSpaceCastInst*> casts;
    std::vector<llvm::IntrinsicInst*> intrinsics;
    for (Instruction& instruction : llvm::instructions(kernel)) {
      if (instruction.getType()->isStructTy() || instruction.getType()->isVectorTy()) {
        for (Type* part : instruction.getType()->subtypes()) {
          if (is_spaced(part)) {
            return refuse(BERTH_UNSUPPORTED, kernel_.entry, "a vector or struct of pointers",
                          "keep pointers as single values");
          }
        }
      }
      bool pointers = is_spaced(instruction.getType());
      for (llvm::Use& operand : instruction.operands()) {
        if (!is_spaced(operand->getType())) continue;
        pointers = true;
        if (llvm::isa<llvm::ConstantPointerNull>(operand))
          operand = llvm::ConstantPointerNull::get(pointer_);
        else if (llvm::isa<llvm::PoisonValue>(operand))
          operand = llvm::PoisonValue::get(pointer_);
        else if (llvm::isa<llvm::UndefValue>(operand))
          operand = llvm::UndefValue::get(pointer_);
        else if (llvm::isa<llvm::ConstantExpr>(operand))
          return refuse(BERTH_UNSUPPORTED, kernel_.entry, "a constant address", "pass a buffer");
      }
      if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(&instruction)) casts.push_back(cast);
      if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction); intrinsic && pointers)
        intrinsics.push_back(intrinsic);
      if (auto* slot = llvm::dyn_cast<AllocaInst>(&instruction);
          slot && is_spaced(slot->getAllocatedType())) {
        slot->setAllocatedType(pointer_);
      }
    }
    for (Instruction& instruction : llvm::instructions(kernel)) {
      if (is_spaced(instruction.getType())) instruction.mutateType(pointer_);
    }
    for (llvm::Argument& argument : kernel.args()) {
      if (is_spaced(argument.getType())) argument.mutateType(pointer_);
    }
    for (llvm::AddrSpaceCastInst* cast : casts) {
      cast->replaceAllUsesWith(cast->getPointerOperand());
      cast->eraseFromParent();
    }
    for (llvm::IntrinsicInst* intrinsic : intrinsics) BERTH_TRYV(redeclare(*intrinsic));
    return success();
  }

  // Intrinsics are mangled by the address spaces of their pointers.
  Result<void> redeclare(llvm::IntrinsicInst& intrinsic) {
    std::vector<Type*> types;
    switch (intrinsic.getIntrinsicID()) {
      case llvm::Intrinsic::memcpy:
      case llvm::Intrinsic::memmove:
        types = {pointer_, pointer_, intrinsic.getArgOperand(2)->getType()};
        break;
      case llvm::Intrinsic::memset: types = {pointer_, intrinsic.getArgOperand(2)->getType()}; break;
      case llvm::Intrinsic::lifetime_start:
      case llvm::Intrinsic::lifetime_end: types = {pointer_}; break;
      default:
        return refuse(BERTH_UNSUPPORTED, kernel_.entry,
                      fmt::format("{} on device memory", intrinsic.getCalledFunction()->getName().str()),
                      "use loads, stores, atomics and llvm.mem*");
    }
    intrinsic.setCalledFunction(
        llvm::Intrinsic::getOrInsertDeclaration(&module_, intrinsic.getIntrinsicID(), types));
    return success();
  }

  // The kernel's body in a function with the extra arguments.
  void make_body() {
    Function* kernel = module_.getFunction(kernel_.entry);
    num_own_ = static_cast<unsigned>(kernel->arg_size());
    std::vector<Type*> types;
    for (llvm::Argument& argument : kernel->args()) types.push_back(argument.getType());
    for (unsigned i = 0; i < 12; ++i) types.push_back(i32_);
    types.insert(types.end(), {pointer_, pointer_, pointer_, i64_, i64_, i64_});
    body_ = Function::Create(llvm::FunctionType::get(i32_, types, false), llvm::GlobalValue::InternalLinkage,
                             "berth_body", module_);
    // Spliced, not cloned: the return type differs, so returns are rewritten first.
    for (BasicBlock& block : *kernel) {
      if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) returns_.push_back(ret);
    }
    for (unsigned i = 0; i < num_own_; ++i) {
      kernel->getArg(i)->replaceAllUsesWith(body_->getArg(i));
      if (kernel->hasParamAttribute(i, llvm::Attribute::NoAlias))
        body_->addParamAttr(i, llvm::Attribute::NoAlias);
    }
    body_->splice(body_->end(), kernel);
    for (llvm::ReturnInst* ret : returns_) {
      llvm::ReturnInst::Create(context_, llvm::ConstantInt::getSigned(i32_, kKernelExit), ret->getIterator());
      ret->eraseFromParent();
    }
    kernel->eraseFromParent();
  }

  void replace_intrinsics() {
    const std::pair<const char*, unsigned> ids[] = {{"berth_lane_id", kLane},
                                                    {"berth_lane_count", kLanes},
                                                    {"berth_block_id", kBlock},
                                                    {"berth_block_count", kBlocks}};
    std::vector<Instruction*> dead;
    for (Instruction& instruction : llvm::instructions(*body_)) {
      for (const auto& [name, first] : ids) {
        if (CallInst* call = call_of(instruction, name)) {
          const auto dimension = llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue();
          call->replaceAllUsesWith(extra(*body_, first + static_cast<unsigned>(dimension)));
          dead.push_back(call);
        }
      }
      if (CallInst* call = call_of(instruction, "berth_shared")) {
        IRBuilder<> builder(call);
        Value* base = builder.CreateConstInBoundsGEP1_64(Type::getInt8Ty(context_), extra(*body_, kShared),
                                                         shared_bytes_);
        call->replaceAllUsesWith(base);
        dead.push_back(call);
      }
      if (CallInst* call = call_of(instruction, "berth_fault")) {
        IRBuilder<> builder(call);
        Value* frame = extra(*body_, kFrame);
        Value* slot = builder.CreateConstInBoundsGEP1_64(Type::getInt8Ty(context_), frame,
                                                         offsetof(LaunchFrame, fault));
        Value* function = builder.CreateLoad(pointer_, slot);
        auto* type = llvm::FunctionType::get(Type::getVoidTy(context_), {pointer_, i32_, i64_, i32_}, false);
        builder.CreateCall(type, function,
                           {frame, call->getArgOperand(0), extra(*body_, kBlockLinear),
                            builder.CreateTrunc(extra(*body_, kLaneLinear), i32_)});
        dead.push_back(call);
      }
      // Scopes narrower than the system mean nothing on the host.
      if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
        rmw->setSyncScopeID(llvm::SyncScope::System);
      if (auto* cas = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
        cas->setSyncScopeID(llvm::SyncScope::System);
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isAtomic())
        load->setSyncScopeID(llvm::SyncScope::System);
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && store->isAtomic())
        store->setSyncScopeID(llvm::SyncScope::System);
      if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction))
        fence->setSyncScopeID(llvm::SyncScope::System);
    }
    for (Instruction* instruction : dead) instruction->eraseFromParent();
    replace_shared_globals();
  }

  // The address is recomputed at each use, so it never lives across a barrier.
  void replace_shared_globals() {
    for (auto& [global, offset] : shared_) {
      std::vector<llvm::Use*> uses;
      for (llvm::Use& use : global->uses()) uses.push_back(&use);
      for (llvm::Use* use : uses) {
        auto* at = llvm::cast<Instruction>(use->getUser());
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(at)) at = phi->getIncomingBlock(*use)->getTerminator();
        IRBuilder<> builder(at);
        use->set(
            builder.CreateConstInBoundsGEP1_64(Type::getInt8Ty(context_), extra(*body_, kShared), offset));
      }
    }
  }

  void isolate_barriers() {
    std::vector<std::pair<CallInst*, bool>> calls;
    for (Instruction& instruction : llvm::instructions(*body_)) {
      if (CallInst* call = call_of(instruction, "berth_block_barrier")) calls.push_back({call, false});
      if (CallInst* call = call_of(instruction, "berth_grid_barrier")) calls.push_back({call, true});
    }
    // The entry block keeps allocas only, so that a step can start elsewhere.
    BasicBlock& entry = body_->getEntryBlock();
    std::vector<AllocaInst*> allocas;
    for (Instruction& instruction : entry) {
      if (auto* slot = llvm::dyn_cast<AllocaInst>(&instruction)) allocas.push_back(slot);
    }
    start_ = llvm::SplitBlock(&entry, entry.begin());
    for (AllocaInst* slot : allocas) slot->moveBefore(entry.getTerminator()->getIterator());
    for (const auto& [call, is_grid] : calls) {
      BasicBlock* before = call->getParent();
      BasicBlock* alone = llvm::SplitBlock(before, call->getIterator());
      BasicBlock* after = llvm::SplitBlock(alone, std::next(call->getIterator()));
      call->eraseFromParent();
      sites_.push_back({alone, after, is_grid, {}});
      ++(is_grid ? kernel_.grid_barriers : kernel_.block_barriers);
    }
  }

  // A value used in another block than its own goes through an alloca; what no barrier separates is promoted
  // again.
  void demote() {
    if (sites_.empty()) return;
    const auto point = std::optional(body_->getEntryBlock().getTerminator()->getIterator());
    // Phis first: the loads that replace them are values of one block that others use.
    std::vector<llvm::PHINode*> phis;
    for (Instruction& instruction : llvm::instructions(*body_)) {
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) phis.push_back(phi);
    }
    for (llvm::PHINode* phi : phis) llvm::DemotePHIToStack(phi, point);
    std::vector<Instruction*> values;
    for (Instruction& instruction : llvm::instructions(*body_)) {
      if (instruction.getType()->isVoidTy() || llvm::isa<AllocaInst>(instruction)) continue;
      const bool leaves = llvm::any_of(instruction.users(), [&](const llvm::User* user) {
        return llvm::cast<Instruction>(user)->getParent() != instruction.getParent();
      });
      if (leaves) values.push_back(&instruction);
    }
    for (Instruction* value : values) llvm::DemoteRegToStack(*value, false, point);
  }

  // Liveness of allocas at the continuations: a slot that only loads and stores touch is live if a load may
  // come before a store.
  void find_live() {
    if (sites_.empty()) return;
    llvm::DenseMap<const Value*, unsigned> index;
    for (Instruction& instruction : body_->getEntryBlock()) {
      auto* slot = llvm::dyn_cast<AllocaInst>(&instruction);
      if (!slot) continue;
      Live live{slot};
      live.bytes = (layout_.getTypeAllocSize(slot->getAllocatedType()) *
                        llvm::cast<llvm::ConstantInt>(slot->getArraySize())->getZExtValue() +
                    15) /
                   8 * 8;
      for (const llvm::User* user : slot->users()) {
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
        if (!(llvm::isa<llvm::LoadInst>(user) || (store && store->getPointerOperand() == slot)))
          live.in_memory = true;
      }
      index[slot] = static_cast<unsigned>(lives_.size());
      lives_.push_back(live);
    }
    const auto n = static_cast<unsigned>(lives_.size());
    llvm::DenseMap<BasicBlock*, llvm::BitVector> used, defined, in;
    for (BasicBlock& block : *body_) {
      llvm::BitVector use(n), def(n);
      for (Instruction& instruction : block) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
          const auto found = index.find(load->getPointerOperand());
          if (found != index.end() && !def.test(found->second)) use.set(found->second);
        } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
          const auto found = index.find(store->getPointerOperand());
          if (found != index.end()) def.set(found->second);
        }
      }
      in[&block] = use;
      used[&block] = std::move(use);
      defined[&block] = std::move(def);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock& block : llvm::reverse(*body_)) {
        llvm::BitVector out(n);
        for (BasicBlock* successor : llvm::successors(&block)) out |= in[successor];
        out.reset(defined[&block]);
        out |= used[&block];
        if (out != in[&block]) {
          in[&block] = std::move(out);
          changed = true;
        }
      }
    }
    llvm::BitVector needed(n);
    for (Site& site : sites_) {
      for (unsigned i = 0; i < n; ++i) {
        if (lives_[i].in_memory || !in[site.continuation].test(i)) continue;
        site.live.push_back(i);
        needed.set(i);
      }
    }
    for (unsigned i = 0; i < n; ++i) {
      if (!lives_[i].in_memory && !needed.test(i)) continue;
      lives_[i].offset = kernel_.lane_bytes;
      kernel_.lane_bytes += lives_[i].bytes;
    }
  }

  // Structure of arrays: the slot of value v for lane l is at v.offset * lanes + l * v.bytes.
  Value* context_slot(IRBuilder<>& builder, Function& step, const Live& live) {
    Value* offset =
        builder.CreateAdd(builder.CreateMul(extra(step, kLanesTotal), builder.getInt64(live.offset)),
                          builder.CreateMul(extra(step, kLaneLinear), builder.getInt64(live.bytes)));
    return builder.CreateInBoundsGEP(Type::getInt8Ty(context_), extra(step, kContext), offset);
  }

  // The body from resume point `from` (0: the start) to the next barrier or the end.
  Function* make_step(unsigned from) {
    llvm::ValueToValueMapTy map;
    Function* step = llvm::CloneFunction(body_, map);
    step->setName(fmt::format("berth_step_{}", from));
    step->addFnAttr(llvm::Attribute::AlwaysInline);
    const auto copy = [&](Value* value) { return static_cast<Value*>(map[value]); };
    for (unsigned k = 0; k < sites_.size(); ++k) {
      auto* block = llvm::cast<BasicBlock>(copy(sites_[k].block));
      block->getTerminator()->eraseFromParent();
      IRBuilder<> builder(block);
      for (const unsigned i : sites_[k].live) {
        auto* slot = llvm::cast<AllocaInst>(copy(lives_[i].alloca_));
        builder.CreateStore(builder.CreateLoad(slot->getAllocatedType(), slot),
                            context_slot(builder, *step, lives_[i]));
      }
      builder.CreateRet(builder.getInt32(k + 1));
    }
    BasicBlock& entry = step->getEntryBlock();
    IRBuilder<> builder(entry.getTerminator());
    for (const Live& live : lives_) {
      if (!live.in_memory) continue;
      auto* slot = llvm::cast<AllocaInst>(copy(live.alloca_));
      slot->replaceAllUsesWith(context_slot(builder, *step, live));
    }
    if (from != 0) {
      const Site& site = sites_[from - 1];
      for (const unsigned i : site.live) {
        auto* slot = llvm::cast<AllocaInst>(copy(lives_[i].alloca_));
        builder.CreateStore(
            builder.CreateLoad(slot->getAllocatedType(), context_slot(builder, *step, lives_[i])), slot);
      }
      entry.getTerminator()->setSuccessor(0, llvm::cast<BasicBlock>(copy(site.continuation)));
    }
    llvm::EliminateUnreachableBlocks(*step);
    return step;
  }

  Value* load_field(IRBuilder<>& builder, Value* frame, uint64_t offset, Type* type) {
    return builder.CreateLoad(type,
                              builder.CreateConstInBoundsGEP1_64(Type::getInt8Ty(context_), frame, offset));
  }

  void make_entry(const std::string& name, const std::vector<Function*>& steps) {
    auto* type = llvm::FunctionType::get(i32_, {pointer_, i32_, i64_, pointer_}, false);
    Function* entry = Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
    Value* const frame = entry->getArg(0);
    BasicBlock* const head = BasicBlock::Create(context_, "", entry);
    IRBuilder<> builder(head);
    std::vector<Value*> fixed(num_own_ + kExtras);
    Value* const arguments = load_field(builder, frame, offsetof(LaunchFrame, arguments), pointer_);
    for (unsigned i = 0; i < num_own_; ++i) {
      Type* own = body_->getArg(i)->getType();
      fixed[i] = load_field(builder, arguments, 8 * i, own);
    }
    for (unsigned d = 0; d < 3; ++d) {
      fixed[num_own_ + kBlocks + d] = load_field(builder, frame, offsetof(LaunchFrame, blocks) + 4 * d, i32_);
      fixed[num_own_ + kLanes + d] = load_field(builder, frame, offsetof(LaunchFrame, lanes) + 4 * d, i32_);
    }
    Value* rest = entry->getArg(2);
    fixed[num_own_ + kBlockLinear] = rest;
    for (unsigned d = 0; d < 3; ++d) {
      Value* size = builder.CreateZExt(fixed[num_own_ + kBlocks + d], i64_);
      fixed[num_own_ + kBlock + d] = builder.CreateTrunc(builder.CreateURem(rest, size), i32_);
      rest = builder.CreateUDiv(rest, size);
    }
    Value* const lanes_x = fixed[num_own_ + kLanes];
    Value* total = builder.CreateZExt(lanes_x, i64_);
    for (unsigned d = 1; d < 3; ++d)
      total = builder.CreateMul(total, builder.CreateZExt(fixed[num_own_ + kLanes + d], i64_));
    fixed[num_own_ + kLanesTotal] = total;
    fixed[num_own_ + kShared] = entry->getArg(3);
    fixed[num_own_ + kFrame] = frame;
    Value* dynamic =
        builder.CreateZExt(load_field(builder, frame, offsetof(LaunchFrame, shared_bytes), i32_), i64_);
    Value* shared = builder.CreateAdd(dynamic, builder.getInt64(shared_bytes_ + 63));
    shared = builder.CreateAnd(shared, builder.getInt64(~uint64_t{63}));
    fixed[num_own_ + kContext] =
        builder.CreateInBoundsGEP(Type::getInt8Ty(context_), entry->getArg(3), shared);
    Value* const descending = builder.CreateICmpNE(
        load_field(builder, frame, offsetof(LaunchFrame, lane_order), i32_), builder.getInt32(0));

    BasicBlock* const dispatch = BasicBlock::Create(context_, "dispatch", entry);
    BasicBlock* const bad = BasicBlock::Create(context_, "bad", entry);
    builder.CreateBr(dispatch);
    builder.SetInsertPoint(dispatch);
    llvm::PHINode* const from = builder.CreatePHI(i32_, 2);
    from->addIncoming(entry->getArg(1), head);
    llvm::SwitchInst* const choose = builder.CreateSwitch(from, bad, static_cast<unsigned>(steps.size()));
    IRBuilder<>(bad).CreateRet(builder.getInt32(static_cast<uint32_t>(kKernelDisagree)));
    for (unsigned k = 0; k < steps.size(); ++k) {
      BasicBlock* const loop = lane_loops(*entry, *steps[k], fixed, descending, dispatch, from);
      choose->addCase(builder.getInt32(k), loop);
    }
  }

  // for z, y, x: id = step(..); then: all equal? a block barrier goes on here, all else returns.
  BasicBlock* lane_loops(Function& entry, Function& step, std::vector<Value*> arguments, Value* descending,
                         BasicBlock* dispatch, llvm::PHINode* from) {
    BasicBlock* const before = BasicBlock::Create(context_, "lanes", &entry);
    BasicBlock* const loop = BasicBlock::Create(context_, "lane", &entry);
    BasicBlock* const after = BasicBlock::Create(context_, "after", &entry);
    IRBuilder<> builder(before);
    builder.CreateBr(loop);
    builder.SetInsertPoint(loop);
    Value* const total = arguments[num_own_ + kLanesTotal];
    llvm::PHINode* const counter = builder.CreatePHI(i64_, 2);
    llvm::PHINode* const low = builder.CreatePHI(i32_, 2);
    llvm::PHINode* const high = builder.CreatePHI(i32_, 2);
    counter->addIncoming(builder.getInt64(0), before);
    low->addIncoming(builder.getInt32(INT32_MAX), before);
    high->addIncoming(builder.getInt32(static_cast<uint32_t>(INT32_MIN)), before);
    Value* const last = builder.CreateSub(builder.CreateSub(total, builder.getInt64(1)), counter);
    Value* const lane = builder.CreateSelect(descending, last, counter);
    Value* rest = lane;
    arguments[num_own_ + kLaneLinear] = lane;
    for (unsigned d = 0; d < 3; ++d) {
      Value* size = builder.CreateZExt(arguments[num_own_ + kLanes + d], i64_);
      arguments[num_own_ + kLane + d] = builder.CreateTrunc(builder.CreateURem(rest, size), i32_);
      rest = builder.CreateUDiv(rest, size);
    }
    Value* const id = builder.CreateCall(&step, arguments);
    Value* const new_low = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, low, id);
    Value* const new_high = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, high, id);
    Value* const next = builder.CreateAdd(counter, builder.getInt64(1));
    counter->addIncoming(next, loop);
    low->addIncoming(new_low, loop);
    high->addIncoming(new_high, loop);
    builder.CreateCondBr(builder.CreateICmpULT(next, total), loop, after);

    builder.SetInsertPoint(after);
    BasicBlock* const agree = BasicBlock::Create(context_, "agree", &entry);
    BasicBlock* const disagree = BasicBlock::Create(context_, "disagree", &entry);
    BasicBlock* const leave = BasicBlock::Create(context_, "leave", &entry);
    builder.CreateCondBr(builder.CreateICmpEQ(new_low, new_high), agree, disagree);
    IRBuilder<>(disagree).CreateRet(builder.getInt32(static_cast<uint32_t>(kKernelDisagree)));
    IRBuilder<>(leave).CreateRet(new_low);
    builder.SetInsertPoint(agree);
    llvm::SwitchInst* const choose = builder.CreateSwitch(new_low, leave);
    for (unsigned k = 0; k < sites_.size(); ++k) {
      if (sites_[k].is_grid) continue;
      choose->addCase(builder.getInt32(k + 1), dispatch);
      from->addIncoming(new_low, agree);
    }
    return before;
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const llvm::DataLayout& layout_;
  KernelDescription& kernel_;
  Type* i32_;
  Type* i64_;
  llvm::PointerType* pointer_;
  unsigned num_own_ = 0;
  Function* body_ = nullptr;
  BasicBlock* start_ = nullptr;
  std::vector<llvm::ReturnInst*> returns_;
  llvm::DenseMap<llvm::GlobalVariable*, uint64_t> shared_;
  uint64_t shared_bytes_ = 0;
  std::vector<Site> sites_;
  std::vector<Live> lives_;
};

}  // namespace

Result<KernelDescription> check_kernel(llvm::Module& module, const std::string& entry) {
  Function* kernel = module.getFunction(entry);
  if (!kernel || kernel->isDeclaration()) {
    return make_error(BERTH_NOT_FOUND, fmt::format("kernel \"{}\"", entry), "the source does not define it",
                      "name a function that the source defines");
  }
  if (!kernel->getReturnType()->isVoidTy() || kernel->isVarArg()) {
    return refuse(BERTH_INVALID_ARGUMENT, entry, "it returns a value or takes variable arguments",
                  "let it return void");
  }
  KernelDescription description;
  description.entry = entry;
  BERTH_TRY(description.arguments, arguments_of(*kernel));
  for (const llvm::GlobalVariable& global : module.globals()) {
    if (global.isConstant() || global.getAddressSpace() == 3) continue;
    return refuse(BERTH_INVALID_ARGUMENT, entry,
                  fmt::format("mutable module-scope memory @{}", global.getName().str()),
                  "pass a buffer: state of a launch belongs to the launch");
  }
  for (Function& function : module) {
    if (function.isDeclaration() || &function == kernel) continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
  kernel->removeFnAttr(llvm::Attribute::OptimizeNone);
  for (const char* barrier : {"berth_block_barrier", "berth_grid_barrier"}) {
    if (Function* function = module.getFunction(barrier)) {
      function->addFnAttr(llvm::Attribute::Convergent);
      function->addFnAttr(llvm::Attribute::NoDuplicate);
    }
  }
  run_passes(module);
  for (Instruction& instruction : llvm::instructions(*kernel)) {
    if (const auto* call = llvm::dyn_cast<CallInst>(&instruction)) BERTH_TRYV(check_callee(*kernel, *call));
    if (llvm::isa<llvm::InvokeInst, llvm::CallBrInst, llvm::IndirectBrInst>(instruction)) {
      return refuse(BERTH_UNSUPPORTED, entry, "an exception edge or indirect branch", "remove it");
    }
    if (const auto* slot = llvm::dyn_cast<AllocaInst>(&instruction); slot && !slot->isStaticAlloca()) {
      return refuse(BERTH_UNSUPPORTED, entry, "an alloca of variable size",
                    "use a constant size in the entry block");
    }
    description.block_barriers += call_of(instruction, "berth_block_barrier") != nullptr;
    description.grid_barriers += call_of(instruction, "berth_grid_barrier") != nullptr;
  }
  llvm::DenseMap<llvm::GlobalVariable*, uint64_t> offsets;
  description.shared_bytes = lay_out_shared(module, offsets);
  return description;
}

Result<std::string> split_for_host(llvm::Module& module, KernelDescription& kernel) {
  kernel.block_barriers = kernel.grid_barriers = 0;
  return Splitter(module, kernel).run();
}

}  // namespace berth::jit
