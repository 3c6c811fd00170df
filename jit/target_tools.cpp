// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/target_tools.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>

#include <algorithm>
#include <mutex>

#include "jit/compile_error.hpp"

namespace berth::jit {
namespace {

bool initialise_target() {
  static std::once_flag once;
  static bool available = false;
  std::call_once(once, [] {
    available = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter() && !llvm::InitializeNativeTargetAsmParser();
  });
  return available;
}

bool has_always_inline(const llvm::Module& module) {
  return std::any_of(module.begin(), module.end(), [](const llvm::Function& function) {
    return !function.isDeclaration() && function.hasFnAttribute(llvm::Attribute::AlwaysInline);
  });
}

size_t index_of(berth_tier_t tier) { return tier == BERTH_TIER_OPTIMIZED ? 1 : 0; }

}  // namespace

Result<HostTarget> HostTarget::detect() {
  const auto unsupported = [](std::string_view found) {
    return make_error(BERTH_UNSUPPORTED, "preparing the host's code generator", found, "install LLVM with this host's target");
  };
  if (!initialise_target()) return unsupported("this LLVM has no native target");
  HostTarget host;
  host.triple = llvm::Triple(llvm::sys::getProcessTriple());
  std::string message;
  host.target = llvm::TargetRegistry::lookupTarget(host.triple, message);
  if (!host.target) return unsupported(message);
  host.cpu = llvm::sys::getHostCPUName().str();
  llvm::SubtargetFeatures features;
  std::vector<std::pair<std::string, bool>> sorted;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) sorted.emplace_back(feature.getKey().str(), feature.getValue());
  std::sort(sorted.begin(), sorted.end());  // the map's order is not stable between processes
  for (const auto& [name, on] : sorted) {
    features.AddFeature(name, on);
    if (on) host.feature_map[name] = true;
  }
  host.features = features.getString();
  const auto machine = host.make_machine(BERTH_TIER_FAST);
  if (!machine) return unsupported("no target machine for " + host.triple.str());
  host.layout = machine->createDataLayout().getStringRepresentation();
  return host;
}

std::unique_ptr<llvm::TargetMachine> HostTarget::make_machine(berth_tier_t tier) const {
  llvm::TargetOptions options;
  options.EmulatedTLS = true;  // the host's thread-local storage has no room for code that comes later
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // a tier never changes a result
  const bool optimised = tier == BERTH_TIER_OPTIMIZED;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                  optimised ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None, true));
  if (machine && !optimised) machine->setFastISel(true);
  return machine;
}

TargetTools::TargetTools(std::unique_ptr<llvm::TargetMachine> machine, berth_tier_t tier) : machine_(std::move(machine)), tier_(tier) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  builder_ = std::make_unique<llvm::PassBuilder>(machine_.get(), tuning);
  builder_->registerModuleAnalyses(modules_);
  builder_->registerCGSCCAnalyses(components_);
  builder_->registerFunctionAnalyses(functions_);
  builder_->registerLoopAnalyses(loops_);
  builder_->crossRegisterProxies(loops_, functions_, components_, modules_);
}

TargetTools::~TargetTools() = default;

Result<std::unique_ptr<TargetTools>> TargetTools::make(const HostTarget& host, berth_tier_t tier) {
  auto machine = host.make_machine(tier);
  if (!machine) return make_error(BERTH_UNSUPPORTED, "making a code generator", host.triple.str(), "install LLVM with this target");
  return std::unique_ptr<TargetTools>(new TargetTools(std::move(machine), tier));
}

void TargetTools::optimise(llvm::Module& module) {
  if (tier_ != BERTH_TIER_OPTIMIZED && !has_always_inline(module)) return;
  // The default pipeline is used up by one run: its inliner moves its passes out.
  llvm::ModulePassManager passes;
  if (tier_ == BERTH_TIER_OPTIMIZED) {
    passes = builder_->buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  } else {
    passes.addPass(llvm::AlwaysInlinerPass(false));
  }
  passes.run(module, modules_);
  modules_.clear();
  components_.clear();
  functions_.clear();
  loops_.clear();
}

bool TargetTools::emit(llvm::Module& module, llvm::SmallVectorImpl<char>& object) {
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  llvm::MCContext* context = nullptr;
  if (machine_->addPassesToEmitMC(passes, context, stream)) return false;
  passes.run(module);
  return true;
}

Result<std::unique_ptr<TargetTools>> ToolsPool::take(berth_tier_t tier) {
  {
    sync::Lock lock(mutex_);
    auto& waiting = waiting_[index_of(tier)];
    if (!waiting.empty()) {
      auto tools = std::move(waiting.back());
      waiting.pop_back();
      return tools;
    }
  }
  made_.fetch_add(1, std::memory_order_relaxed);
  return TargetTools::make(host_, tier);
}

void ToolsPool::give_back(std::unique_ptr<TargetTools> tools) {
  sync::Lock lock(mutex_);
  auto& waiting = waiting_[index_of(tools->tier())];
  waiting.push_back(std::move(tools));
}

}  // namespace berth::jit
