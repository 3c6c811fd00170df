// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/object_compiler.hpp"

#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "inference/inference.hpp"
#include "jit/compile_error.hpp"
#include "jit/containment.hpp"
#include "jit/edge_lowering.hpp"
#include "jit/llvm_body.hpp"
#include "jit/pre_check.hpp"
#include "jit/target_tools.hpp"
#include "jit/typed_lowering.hpp"

namespace berth::jit {
namespace {

// Keeps the errors of one context; warnings and remarks are dropped. Without it LLVM would print, and exit on an assembly error.
class DiagnosticLog final : public llvm::DiagnosticHandler {
 public:
  explicit DiagnosticLog(std::string& errors) : errors_(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& diagnostic) override {
    if (diagnostic.getSeverity() != llvm::DS_Error || errors_.size() > kLongestErrorText) return true;
    if (!errors_.empty()) errors_ += '\n';
    if (const auto* source = llvm::dyn_cast<llvm::DiagnosticInfoSrcMgr>(&diagnostic)) {
      const llvm::SMDiagnostic& where = source->getSMDiag();
      errors_ += fmt::format("{}:{}:{}: {}", where.getFilename().str(), where.getLineNo(), where.getColumnNo() + 1, where.getMessage().str());
      return true;
    }
    llvm::raw_string_ostream stream(errors_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    diagnostic.print(printer);
    return true;
  }

 private:
  std::string& errors_;
};

// Reachable, so that a leak checker tells it from a mistake.
void keep_for_ever(void* abandoned) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<void*>;
  const std::lock_guard lock(mutex);
  kept->push_back(abandoned);
}

}  // namespace

std::vector<std::string> ObjectMember::symbols() const {
  std::vector<std::string> all = {entry};
  if (!specialised_entry.empty()) all.push_back(specialised_entry);
  for (const EdgeSlot& slot : slots) all.push_back(slot.symbol);
  if (!addresses_symbol.empty()) all.push_back(addresses_symbol);
  if (!counter.unit_symbol.empty()) {
    all.insert(all.end(), {counter.unit_symbol, counter.count_symbol});
    all.insert(all.end(), counter.better_symbols.begin(), counter.better_symbols.end());
  }
  return all;
}

bool is_typed(const engine::CompileJob& job) noexcept { return job.source->body->kind() == engine::BodyKind::TypedIr; }

berth_tier_t tier_of(const engine::CompileJob& job) noexcept {
  return job.tier == BERTH_TIER_OPTIMIZED ? BERTH_TIER_OPTIMIZED : BERTH_TIER_FAST;
}

Result<void> enter_step(const StepHook& hook, const CompileRequest& request, const char* step) {
  set_compile_step(step);
  if (hook) hook(step, request.job);
  if (!request.cancelled.load(std::memory_order_relaxed)) return success();
  return compile_error(request.job, step, BERTH_CANCELLED, "the instance is no longer wanted", "");
}

struct ObjectCompiler::Target {
  HostTarget host;
  ToolsPool tools{host};
  explicit Target(HostTarget found) : host(std::move(found)) {}
};

struct ObjectCompiler::Compilation {
  Compilation(const CompileRequest& request, Target& target) : request(request), job(request.job), target(target) {
    context.setDiagnosticHandler(std::make_unique<DiagnosticLog>(diagnostics), true);
  }
  const CompileRequest& request;
  const engine::CompileJob& job;
  Target& target;
  std::string diagnostics;  // before the context, which writes here
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  ObjectMember member;
  std::unique_ptr<TargetTools> tools;
  llvm::SmallVector<char, 0> object;

  Error fail(const char* step, berth_code_t code, std::string_view found, std::string_view advice) const {
    return compile_error(job, step, code, found, advice);
  }
  /// Adds the job to an unadorned error of a part.
  Error fail(const char* step, const Error& error) const {
    std::string_view message = error.message();
    return compile_error(job, step, error.code(), message, "");
  }
};

ObjectCompiler::ObjectCompiler(Options options) : options_(std::move(options)) { install_containment(); }
ObjectCompiler::~ObjectCompiler() = default;

Result<ObjectCompiler::Target*> ObjectCompiler::target() {
  std::call_once(target_once_, [this] {
    auto found = HostTarget::detect();
    if (found.has_error()) {
      target_error_.reset(std::move(found).assume_error().release());
    } else {
      target_ = std::make_unique<Target>(std::move(found).assume_value());
    }
  });
  if (!target_) return make_error(target_error_->code, target_error_->message, "", "");
  return target_.get();
}

size_t ObjectCompiler::num_machines() const noexcept { return target_ ? target_->tools.num_made() : 0; }

Result<ObjectUnit> ObjectCompiler::compile(const CompileRequest& request) {
  BERTH_TRY(Target * const host, target());
  // Owned by hand: what unwinds from a fatal error of LLVM must not run the destructors of a context left in the middle.
  auto* const compilation = new Compilation(request, *host);
  contexts_.fetch_add(1, std::memory_order_relaxed);
  Result<ObjectUnit> unit = [&] {
    try {
      return run(*compilation);
    } catch (...) {
      keep_for_ever(compilation);
      throw;
    }
  }();
  if (compilation->tools) host->tools.give_back(std::move(compilation->tools));
  delete compilation;
  contexts_.fetch_sub(1, std::memory_order_relaxed);
  return unit;
}

Result<ObjectUnit> ObjectCompiler::run(Compilation& compilation) {
  BERTH_TRYV(enter_step(options_.hook, compilation.request, "read"));
  BERTH_TRYV(read(compilation));
  BERTH_TRYV(enter_step(options_.hook, compilation.request, "check"));
  BERTH_TRYV(check(compilation));
  BERTH_TRYV(enter_step(options_.hook, compilation.request, "generate"));
  BERTH_TRYV(generate(compilation));
  ObjectUnit unit;
  unit.tier = tier_of(compilation.job);
  unit.members.push_back(std::move(compilation.member));
  unit.object.assign(compilation.object.data(), compilation.object.size());
  return unit;
}

Result<void> ObjectCompiler::read(Compilation& compilation) {
  compilation.member.entry = compilation.job.source->entry_symbol;
  const engine::SourceBody& body = *compilation.job.source->body;
  if (body.kind() == engine::BodyKind::TypedIr) {
    const auto& typed = static_cast<const inference::TypedIrBody&>(body);
    LoweredNames names;
    auto module = lower_typed(compilation.context, *typed.method, typed.program, tier_of(compilation.job), names);
    if (module.has_error()) return compilation.fail("read", module.assume_error());
    compilation.module = std::move(module).assume_value();
    compilation.member.entry = std::move(names.boxed_entry);
    compilation.member.specialised_entry = std::move(names.specialised_entry);
    compilation.member.convention = names.convention;
    compilation.member.addresses_symbol = std::move(names.addresses_symbol);
    compilation.member.num_addresses = names.addresses.size();
    compilation.member.addresses = std::move(names.addresses);
    compilation.member.record = std::move(names.record);
    return success();
  }
  const std::string& bytes = static_cast<const LlvmBody&>(body).bytes;
  if (body.kind() == engine::BodyKind::Bitcode) {
    auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "bitcode"), compilation.context);
    if (!module) {
      return compilation.fail("read", BERTH_COMPILE_FAILED, llvm::toString(module.takeError()), "give bitcode that LLVM 22 reads");
    }
    compilation.module = std::move(*module);
    return success();
  }
  if (auto nested = check_text(bytes); nested.has_error()) return compilation.fail("read", nested.assume_error());
  llvm::SMDiagnostic error;
  compilation.module = llvm::parseAssembly(llvm::MemoryBufferRef(bytes, "source"), error, compilation.context);
  if (compilation.module) return success();
  const std::string found = fmt::format("{}:{}: {}", error.getLineNo(), error.getColumnNo() + 1, error.getMessage().str());
  return compilation.fail("read", BERTH_COMPILE_FAILED, found, "correct the LLVM IR there");
}

Result<void> ObjectCompiler::check(Compilation& compilation) {
  llvm::Module& module = *compilation.module;
  if (options_.pre_check) {
    auto checked = check_module(module, compilation.member.entry, compilation.target.host, is_typed(compilation.job));
    if (checked.has_error()) {
      return compilation.fail("check", checked.assume_error());
    }
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream)) {
    return compilation.fail("check", BERTH_COMPILE_FAILED, text, "correct the module; LLVM's verifier refuses it");
  }
  if (!compilation.diagnostics.empty()) {
    return compilation.fail("check", BERTH_COMPILE_FAILED, compilation.diagnostics, "correct the module");
  }
  return success();
}

namespace {

// Only `kept` names can be seen from outside. Module assembly may refer to any of them, which no list here would show.
void make_names_local(llvm::Module& module, const std::vector<std::string>& kept) {
  const bool has_assembly = !module.getModuleInlineAsm().empty();
  for (llvm::GlobalValue& value : module.global_values()) {
    if (value.isDeclaration() || value.hasAvailableExternallyLinkage()) {
      value.setVisibility(llvm::GlobalValue::DefaultVisibility);
      if (!value.hasLocalLinkage()) value.setDSOLocal(false);  // far away: through the GOT
      continue;
    }
    if (value.hasLocalLinkage() || value.hasAppendingLinkage() || value.getName().starts_with("llvm.")) continue;
    const bool keep = std::find(kept.begin(), kept.end(), value.getName()) != kept.end();
    if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
    value.setVisibility(llvm::GlobalValue::DefaultVisibility);
    value.setLinkage(keep || has_assembly ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage);
    value.setDSOLocal(true);
  }
}

// Exceptions and profilers pass all frames, so every function has its unwind records and keeps its frame pointer.
void make_frames_walkable(llvm::Module& module) {
  module.setUwtable(llvm::UWTableKind::Async);
  module.setFramePointer(llvm::FramePointerKind::All);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.setUWTableKind(llvm::UWTableKind::Async);
    function.addFnAttr("frame-pointer", "all");
  }
}

}  // namespace

Result<void> ObjectCompiler::generate(Compilation& compilation) {
  llvm::Module& module = *compilation.module;
  auto tools = compilation.target.tools.take(tier_of(compilation.job));
  if (tools.has_error()) return compilation.fail("generate", tools.assume_error());
  compilation.tools = std::move(tools).assume_value();
  module.setTargetTriple(compilation.target.host.triple);
  module.setDataLayout(compilation.target.host.layout);

  ObjectMember& member = compilation.member;
  if (!is_typed(compilation.job)) {
    const std::vector<engine::Edge>& edges = compilation.job.source->edges;
    auto lowered = lower_edges(module, edges);
    if (lowered.has_error()) return compilation.fail("generate", lowered.assume_error());
    for (LoweredEdge& edge : lowered.assume_value()) {
      member.slots.push_back({std::move(edge.slot_symbol), static_cast<size_t>(edge.edge - edges.data()), std::move(edge.references)});
    }
  }
  if (compilation.request.counted) {
    std::vector<std::string> entries = {member.entry};
    if (!member.specialised_entry.empty()) entries.push_back(member.specialised_entry);
    member.counter = add_tier_counter(module, entries);
  }
  make_names_local(module, member.symbols());
  make_frames_walkable(module);
  compilation.tools->optimise(module);
  if (!compilation.tools->emit(module, compilation.object)) {
    return compilation.fail("generate", BERTH_UNSUPPORTED, "this LLVM target emits no objects", "install LLVM with this host's target");
  }
  if (!compilation.diagnostics.empty()) {  // there is an object all the same; it is not used
    return compilation.fail("generate", BERTH_COMPILE_FAILED, compilation.diagnostics, "correct the source there");
  }
  return success();
}

}  // namespace berth::jit
