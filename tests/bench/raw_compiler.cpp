// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/raw_compiler.hpp"

#include <fmt/format.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/SymbolStringPool.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace berth::bench {
namespace {

namespace jl = llvm::jitlink;

// Segments one after the other in one mapping, which is writable and executable: no limit is slower than it
// must be.
class Slab final : public jl::JITLinkMemoryManager {
 public:
  Slab()
      : base_(static_cast<char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    if (base_ == MAP_FAILED) std::abort();
  }
  ~Slab() override { munmap(base_, kBytes); }

  void allocate(const jl::JITLinkDylib*, jl::LinkGraph& graph, OnAllocatedFunction on_allocated) override {
    jl::BasicLayout layout(graph);
    for (auto& [group, segment] : layout.segments()) {
      used_ = llvm::alignTo(used_, segment.Alignment);
      if (used_ + segment.ContentSize + segment.ZeroFillSize > kBytes) std::abort();
      segment.Addr = llvm::orc::ExecutorAddr::fromPtr(base_ + used_);
      segment.WorkingMem = base_ + used_;
      std::memset(base_ + used_ + segment.ContentSize, 0, segment.ZeroFillSize);
      used_ += segment.ContentSize + segment.ZeroFillSize;
    }
    llvm::cantFail(layout.apply());
    on_allocated(std::make_unique<Allocation>());
  }
  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction on_deallocated) override {
    for (auto& allocation : allocations) allocation.release();
    on_deallocated(llvm::Error::success());
  }

 private:
  struct Allocation final : InFlightAlloc {
    void abandon(OnAbandonedFunction on_abandoned) override { on_abandoned(llvm::Error::success()); }
    void finalize(OnFinalizedFunction on_finalised) override {
      on_finalised(FinalizedAlloc(llvm::orc::ExecutorAddr(1)));
    }
  };
  static constexpr size_t kBytes = size_t{1} << 30;
  char* const base_;
  size_t used_ = 0;
};

class Context final : public jl::JITLinkContext {
 public:
  Context(Slab& slab, const std::string& entry, void*& address)
      : JITLinkContext(nullptr), slab_(slab), entry_(entry), address_(address) {}
  jl::JITLinkMemoryManager& getMemoryManager() override { return slab_; }
  void notifyFailed(llvm::Error) override { std::abort(); }
  void lookup(const LookupMap&, std::unique_ptr<jl::JITLinkAsyncLookupContinuation>) override {
    std::abort();
  }
  llvm::Error notifyResolved(jl::LinkGraph& graph) override {
    for (jl::Symbol* symbol : graph.defined_symbols()) {
      if (symbol->hasName() && *symbol->getName() == entry_) address_ = symbol->getAddress().toPtr<void*>();
    }
    return llvm::Error::success();
  }
  void notifyFinalized(jl::JITLinkMemoryManager::FinalizedAlloc allocation) override { allocation.release(); }

 private:
  Slab& slab_;
  const std::string& entry_;
  void*& address_;
};

}  // namespace

struct RawCompiler::Tools {
  explicit Tools(Tier tier) : tier(tier) {
    auto host = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
    host.setCodeGenOptLevel(tier == Tier::Fast ? llvm::CodeGenOptLevel::None
                                               : llvm::CodeGenOptLevel::Default);
    host.setRelocationModel(llvm::Reloc::PIC_);
    host.setCodeModel(llvm::CodeModel::Small);
    machine = llvm::cantFail(host.createTargetMachine());
    if (tier == Tier::Fast) machine->setFastISel(true);
    builder = std::make_unique<llvm::PassBuilder>(machine.get());
    builder->registerModuleAnalyses(modules);
    builder->registerCGSCCAnalyses(components);
    builder->registerFunctionAnalyses(functions);
    builder->registerLoopAnalyses(loops);
    builder->crossRegisterProxies(loops, functions, components, modules);
  }
  const Tier tier;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::PassBuilder> builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  Slab slab;
};

RawCompiler::RawCompiler(Tier tier) : tools_(std::make_unique<Tools>(tier)) {}
RawCompiler::~RawCompiler() = default;
RawCompiler::RawCompiler(RawCompiler&&) noexcept = default;

std::string RawCompiler::object_of(std::span<const std::string> texts) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> whole;
  std::optional<llvm::Linker> linker;
  for (const std::string& text : texts) {
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssembly(llvm::MemoryBufferRef(text, "source"), diagnostic, context);
    if (!module || llvm::verifyModule(*module)) std::abort();
    module->setTargetTriple(tools_->machine->getTargetTriple());
    module->setDataLayout(tools_->machine->createDataLayout());
    for (llvm::Function& function : *module) {
      if (function.isDeclaration()) continue;
      function.setDSOLocal(true);
      function.setUWTableKind(llvm::UWTableKind::Async);
      function.addFnAttr("frame-pointer", "all");
    }
    if (!whole) {
      whole = std::move(module);
      if (texts.size() > 1) linker.emplace(*whole);
    } else if (linker->linkInModule(std::move(module))) {
      std::abort();
    }
  }
  if (tools_->tier == Tier::Optimized) {
    tools_->builder->buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(*whole, tools_->modules);
    tools_->modules.clear();
    tools_->components.clear();
    tools_->functions.clear();
    tools_->loops.clear();
  }
  llvm::SmallVector<char, 0> object;
  {
    llvm::raw_svector_ostream stream(object);
    llvm::legacy::PassManager passes;
    llvm::MCContext* machine_context = nullptr;
    if (tools_->machine->addPassesToEmitMC(passes, machine_context, stream)) std::abort();
    passes.run(*whole);
  }
  return std::string(object.data(), object.size());
}

void* RawCompiler::link(const std::string& object, const std::string& entry) {
  void* address = nullptr;
  const auto names = std::make_shared<llvm::orc::SymbolStringPool>();
  auto graph = llvm::cantFail(jl::createLinkGraphFromObject(llvm::MemoryBufferRef(object, "object"), names));
  jl::link(std::move(graph), std::make_unique<Context>(tools_->slab, entry, address));
  return address;
}

std::string burst_source(int index) {
  std::string text = fmt::format("define i64 @f{}(i64 %x0) {{\n", index);
  for (int i = 0; i < 68; ++i) {
    constexpr const char* kOps[] = {"add", "xor", "mul", "sub"};
    text += fmt::format("  %x{} = {} i64 %x{}, {}\n", i + 1, kOps[i % 4], i, index + i);
  }
  return text + "  ret i64 %x68\n}\n";
}

std::string heavy_source(int index) {
  constexpr int kLoops = 12;
  std::string text =
      fmt::format("define i64 @f{}(i64 %n) {{\nentry:\n  %p = alloca [64 x i64]\n  br label %h0\n", index);
  std::string before = "entry";
  for (int i = 0; i < kLoops; ++i) {
    text += fmt::format(
        "h{0}:\n  %i{0} = phi i64 [ 0, %{1} ], [ %j{0}, %h{0} ]\n  %m{0} = and i64 %i{0}, 63\n  %q{0} = "
        "getelementptr [64 x i64], ptr %p, i64 0, i64 %m{0}\n"
        "  %v{0} = load i64, ptr %q{0}\n  %w{0} = mul i64 %v{0}, {2}\n  %y{0} = add i64 %w{0}, %n\n  store "
        "i64 %y{0}, ptr %q{0}\n"
        "  %j{0} = add i64 %i{0}, 1\n  %c{0} = icmp slt i64 %j{0}, %n\n  br i1 %c{0}, label %h{0}, label "
        "%{3}\n",
        i, before, index + i, i + 1 < kLoops ? fmt::format("h{}", i + 1) : "end");
    before = fmt::format("h{}", i);
  }
  return text + "end:\n  %r = load i64, ptr %p\n  ret i64 %r\n}\n";
}

std::string trivial_source(int n) {
  return fmt::format("define i64 @f(i64 %x) {{\n  %y = add i64 %x, {}\n  ret i64 %y\n}}\n", n);
}

}  // namespace berth::bench
