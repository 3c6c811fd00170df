// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HostTarget: the host's triple, CPU and features. TargetTools: one target machine with its analyses, for one
// compile at a time. ToolsPool: tools waiting for their next compile, per tier; never more than compiles have
// run at once.
//
// A new machine per compile costs over a fifth of the compile, and a new pipeline of code generation two
// fifths of a small one, so they are kept. A pipeline may run again (llc -compile-twice): at the end of a run
// LLVM resets what is of one module. The context goes before the tools are given back: what they keep of
// functions ends with these. Tools of a compile that ended in a fatal error are never given back: LLVM left
// them in the middle.
#pragma once
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "berth/config.h"
#include "engine/compiler.hpp"
#include "support/result.hpp"
#include "support/sync.hpp"

namespace llvm {
class MCSubtargetInfo;
class OptPassGate;
class PassBuilder;
}  // namespace llvm

namespace berth::jit {

inline constexpr Rank kRankTools{500, "target machines"};

struct HostTarget {
  /// Without a choice found out once per process. Threads: any. Blocks: short.
  /// Errors: UNSUPPORTED if this LLVM has no native target, or the choice does not run here; INVALID_ARGUMENT
  /// if it names nothing.
  static Result<HostTarget> detect(const engine::TargetChoice& choice = {});
  const llvm::Target* target = nullptr;
  llvm::Triple triple;
  std::string cpu;
  std::string features;                                    // full: every feature, on or off
  llvm::StringMap<bool> feature_map;                       // those that are on
  std::shared_ptr<const llvm::MCSubtargetInfo> subtarget;  // tables of CPUs and features
  std::string absent;                                      // those that are off, as "-a,-b"
  std::string layout;                                      // of every module
  /// Null if LLVM has none. Threads: any.
  std::unique_ptr<llvm::TargetMachine> make_machine(berth_tier_t tier) const;
  /// What a function asks for by attributes stays within the features that are on, whatever CPU it names.
  /// Threads: any.
  void bound_attributes(llvm::Module& module) const;
};

class TargetTools {
 public:
  static Result<std::unique_ptr<TargetTools>> make(const HostTarget& host, berth_tier_t tier);
  ~TargetTools();
  /// The tier's passes over the module; none that is optional while `hurry` is enabled. Analyses are dropped
  /// afterwards.
  void optimise(llvm::Module& module, const llvm::OptPassGate& hurry);
  /// Object code; false: the target cannot emit objects.
  bool emit(llvm::Module& module, llvm::SmallVectorImpl<char>& object);
  /// The last emit found errors: the next one gets a pipeline of its own.
  void drop_pipeline();
  llvm::TargetMachine& machine() noexcept { return *machine_; }
  berth_tier_t tier() const noexcept { return tier_; }

 private:
  struct Pipeline;
  TargetTools(std::unique_ptr<llvm::TargetMachine> machine, berth_tier_t tier);
  const std::unique_ptr<llvm::TargetMachine> machine_;
  const berth_tier_t tier_;
  const llvm::TargetLibraryInfoImpl library_;
  const llvm::OptPassGate* hurry_ = nullptr;  // of the run
  llvm::PassInstrumentationCallbacks instrumentation_;
  std::unique_ptr<llvm::PassBuilder> builder_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  std::unique_ptr<Pipeline> pipeline_;  // of code generation; null: not made yet
};

class ToolsPool {
 public:
  explicit ToolsPool(const HostTarget& host) : host_(host) {}
  /// Threads: any. Blocks: short. Owns: returned; give back, or leak after a fatal error. Errors:
  /// UNSUPPORTED.
  Result<std::unique_ptr<TargetTools>> take(berth_tier_t tier);
  void give_back(std::unique_ptr<TargetTools> tools);
  /// Frees those that wait since before `since`. Threads: any. Blocks: short.
  void trim(sync::TimePoint since);
  size_t num_made() const noexcept { return made_.load(std::memory_order_relaxed); }

 private:
  const HostTarget& host_;
  sync::Mutex mutex_{kRankTools};
  struct Waiting {
    std::unique_ptr<TargetTools> tools;
    sync::TimePoint since;
  };
  std::array<std::vector<Waiting>, 2> waiting_
      BERTH_GUARDED_BY(mutex_);   // by tier; the last one in is taken first
  sync::Atomic<size_t> made_{0};  // a counter, orders nothing: relaxed
};

}  // namespace berth::jit
