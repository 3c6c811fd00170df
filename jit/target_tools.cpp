// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/target_tools.hpp"

#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "jit/compile_error.hpp"
#include "jit/field_relaxation.hpp"
#include "jit/runtime_library.hpp"

namespace berth::jit {
namespace {

bool initialise_target() {
  static std::once_flag once;
  static bool available = false;
  std::call_once(once, [] {
    available = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter() &&
                !llvm::InitializeNativeTargetAsmParser();
  });
  return available;
}

bool has_always_inline(const llvm::Module& module) {
  return std::any_of(module.begin(), module.end(), [](const llvm::Function& function) {
    return !function.isDeclaration() && function.hasFnAttribute(llvm::Attribute::AlwaysInline);
  });
}

size_t index_of(berth_tier_t tier) { return tier == BERTH_TIER_OPTIMIZED ? 1 : 0; }

// A function that merely bears the name of the C library's is the embedder's: only those of the runtime
// library are known for what they do, and only those may be called in another's place.
llvm::TargetLibraryInfoImpl runtime_library(const llvm::Triple& triple) {
  llvm::TargetLibraryInfoImpl library(triple);
  const llvm::TargetLibraryInfo names(library);
  for (unsigned i = 0; i < llvm::NumLibFuncs; ++i) {
    const auto function = static_cast<llvm::LibFunc>(i);
    if (names.has(function) && !runtime_library_symbol(std::string_view(names.getName(function))))
      library.setUnavailable(function);
  }
  return library;
}

Error unsupported(std::string_view found, std::string_view advice) {
  return make_error(BERTH_UNSUPPORTED, "preparing the host's code generator", found, advice);
}

// Every feature of the host by name, on or off. Sorted: LLVM's map is not stable between processes.
std::map<std::string, bool> host_features() {
  std::map<std::string, bool> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    features[feature.getKey().str()] = feature.getValue();
  return features;
}

std::string to_string(const std::map<std::string, bool>& features) {
  std::string text;
  for (const auto& [name, on] : features)
    text += fmt::format("{}{}{}", text.empty() ? "" : ",", on ? '+' : '-', name);
  return text;
}

// The host's features without what the choice leaves out; it may add nothing. LLVM's table knows which
// features need which.
Result<void> choose_features(HostTarget& host, const engine::TargetChoice& choice,
                             std::map<std::string, bool>& features) {
  if (choice.cpu.empty() && choice.features.empty()) return success();
  const auto invalid = [](std::string found) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_config_set_target", found,
                      "give a CPU and features that LLVM 22 knows, as \"+avx,-avx2\"");
  };
  // Asked before it is used: LLVM prints what it thinks of a CPU that it does not know.
  const std::unique_ptr<llvm::MCSubtargetInfo> known_cpus(
      host.target->createMCSubtargetInfo(host.triple, "", ""));
  if (!choice.cpu.empty() && !known_cpus->isCPUStringValid(choice.cpu))
    return invalid(fmt::format("unknown CPU '{}'", choice.cpu));
  const std::unique_ptr<llvm::MCSubtargetInfo> chosen(
      host.target->createMCSubtargetInfo(host.triple, choice.cpu.empty() ? host.cpu : choice.cpu,
                                         choice.cpu.empty() ? to_string(features) : ""));
  const auto known = chosen->getAllProcessorFeatures();
  llvm::SmallVector<llvm::StringRef, 16> flags;
  llvm::StringRef(choice.features).split(flags, ',', -1, false);
  for (const llvm::StringRef flag : flags) {
    const bool is_known = std::any_of(known.begin(), known.end(),
                                      [&](const auto& entry) { return flag.drop_front() == entry.Key; });
    if (!(flag.starts_with("+") || flag.starts_with("-")) || !is_known)
      return invalid(fmt::format("unknown feature '{}'", flag.str()));
    chosen->ApplyFeatureFlag(flag);
  }
  for (const auto& entry : known) {
    const auto feature = features.find(entry.Key);
    const bool on = chosen->getFeatureBits()[entry.Value];
    if (feature == features.end()) continue;  // of tuning, or no feature of an instruction set
    if (on && !feature->second) {
      return unsupported(fmt::format("the target chosen has '{}', which this host has not", entry.Key),
                         "choose what this host's CPU has");
    }
    feature->second = on;
  }
  if (!choice.cpu.empty()) host.cpu = choice.cpu;
  return success();
}

Result<HostTarget> make_host(const engine::TargetChoice& choice) {
  constexpr const char* kInstall = "install LLVM with this host's target";
  if (!initialise_target()) return unsupported("this LLVM has no native target", kInstall);
  HostTarget host;
  const llvm::Triple native(llvm::sys::getProcessTriple());
  host.triple = choice.triple.empty() ? native : llvm::Triple(llvm::Triple::normalize(choice.triple));
  if (host.triple.getArch() != native.getArch() || host.triple.getOS() != native.getOS() ||
      host.triple.getEnvironment() != native.getEnvironment()) {
    return unsupported(
        fmt::format("the target chosen is '{}', this host is '{}'", host.triple.str(), native.str()),
        "choose a triple of this host");
  }
  std::string message;
  host.target = llvm::TargetRegistry::lookupTarget(host.triple, message);
  if (!host.target) return unsupported(message, kInstall);
  host.cpu = llvm::sys::getHostCPUName().str();
  std::map<std::string, bool> features = host_features();
  BERTH_TRYV(choose_features(host, choice, features));
  host.features = to_string(features);
  for (const auto& [name, on] : features) {
    if (on) {
      host.feature_map[name] = true;
    } else {
      host.absent += (host.absent.empty() ? "-" : ",-") + name;
    }
  }
  host.subtarget.reset(host.target->createMCSubtargetInfo(host.triple, host.cpu, host.features));
  const auto machine = host.make_machine(BERTH_TIER_FAST);
  if (!machine) return unsupported("no target machine for " + host.triple.str(), kInstall);
  host.layout = machine->createDataLayout().getStringRepresentation();
  return host;
}

}  // namespace

// What a process runs on stays the same. Kept for ever: a compile may still run while the process exits.
Result<HostTarget> HostTarget::detect(const engine::TargetChoice& choice) {
  if (!choice.triple.empty() || !choice.cpu.empty() || !choice.features.empty()) return make_host(choice);
  static const auto* const native = new Result<HostTarget>(make_host({}));
  if (native->has_error()) return native->assume_error().clone();
  return native->assume_value();
}

void HostTarget::bound_attributes(llvm::Module& module) const {
  for (llvm::Function& function : module) {
    if (function.isDeclaration() ||
        !(function.hasFnAttribute("target-cpu") || function.hasFnAttribute("target-features")))
      continue;
    const llvm::StringRef asked = function.getFnAttribute("target-features").getValueAsString();
    function.addFnAttr("target-features", asked.empty() ? absent : fmt::format("{},{}", asked.str(), absent));
  }
}

std::unique_ptr<llvm::TargetMachine> HostTarget::make_machine(berth_tier_t tier) const {
  llvm::TargetOptions options;
  options.EmulatedTLS = true;  // the host's thread-local storage has no room for code that comes later
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // a tier never changes a result
  const bool optimised = tier == BERTH_TIER_OPTIMIZED;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      optimised ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None, true));
  if (machine && !optimised) machine->setFastISel(true);
  return machine;
}

struct TargetTools::Pipeline {
  llvm::SmallVector<char, 0> object;  // of the run
  llvm::raw_svector_ostream stream{object};
  llvm::legacy::PassManager passes;
};

TargetTools::TargetTools(std::unique_ptr<llvm::TargetMachine> machine, berth_tier_t tier)
    : machine_(std::move(machine)), tier_(tier), library_(runtime_library(machine_->getTargetTriple())) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  builder_ = std::make_unique<llvm::PassBuilder>(machine_.get(), tuning, std::nullopt, &instrumentation_);
  instrumentation_.registerShouldRunOptionalPassCallback([this](auto&&...) { return !hurry_->isEnabled(); });
  builder_->registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel /*level*/) {
        passes.addPass(FieldRelaxation());
      });
  functions_.registerPass(
      [this] { return llvm::TargetLibraryAnalysis(library_); });  // first: the builder adds what is not there
  builder_->registerModuleAnalyses(modules_);
  builder_->registerCGSCCAnalyses(components_);
  builder_->registerFunctionAnalyses(functions_);
  builder_->registerLoopAnalyses(loops_);
  builder_->crossRegisterProxies(loops_, functions_, components_, modules_);
}

TargetTools::~TargetTools() = default;

Result<std::unique_ptr<TargetTools>> TargetTools::make(const HostTarget& host, berth_tier_t tier) {
  auto machine = host.make_machine(tier);
  if (!machine)
    return make_error(BERTH_UNSUPPORTED, "making a code generator", host.triple.str(),
                      "install LLVM with this target");
  return std::unique_ptr<TargetTools>(new TargetTools(std::move(machine), tier));
}

void TargetTools::optimise(llvm::Module& module, const llvm::OptPassGate& hurry) {
  if (tier_ != BERTH_TIER_OPTIMIZED && !has_always_inline(module)) return;
  // The default pipeline is used up by one run: its inliner moves its passes out.
  llvm::ModulePassManager passes;
  if (tier_ == BERTH_TIER_OPTIMIZED) {
    passes = builder_->buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  } else {
    passes.addPass(llvm::AlwaysInlinerPass(false));
  }
  hurry_ = &hurry;
  passes.run(module, modules_);
  modules_.clear();
  components_.clear();
  functions_.clear();
  loops_.clear();
}

bool TargetTools::emit(llvm::Module& module, llvm::SmallVectorImpl<char>& object) {
  if (!pipeline_) {
    auto made = std::make_unique<Pipeline>();
    made->passes.add(new llvm::TargetLibraryInfoWrapperPass(library_));  // the manager's
    llvm::MCContext* context = nullptr;
    if (machine_->addPassesToEmitMC(made->passes, context, made->stream)) return false;
    pipeline_ = std::move(made);
  }
  pipeline_->passes.run(module);
  object.swap(pipeline_->object);
  pipeline_->object.clear();
  return true;
}

void TargetTools::drop_pipeline() { pipeline_.reset(); }

Result<std::unique_ptr<TargetTools>> ToolsPool::take(berth_tier_t tier) {
  {
    sync::Lock lock(mutex_);
    auto& waiting = waiting_[index_of(tier)];
    if (!waiting.empty()) {
      auto tools = std::move(waiting.back().tools);
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
  waiting.push_back({std::move(tools), sync::Clock::now()});
}

void ToolsPool::trim(sync::TimePoint since) {
  std::vector<Waiting> unused;  // freed without the lock
  sync::Lock lock(mutex_);
  for (auto& waiting : waiting_) {
    const auto kept = std::find_if(waiting.begin(), waiting.end(),
                                   [&](const Waiting& tools) { return tools.since > since; });
    std::move(waiting.begin(), kept, std::back_inserter(unused));
    waiting.erase(waiting.begin(), kept);
  }
  lock.unlock();
  unused.clear();
  lock.lock();
}

}  // namespace berth::jit
