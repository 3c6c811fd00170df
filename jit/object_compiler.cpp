// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/object_compiler.hpp"

#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "inference/inference.hpp"
#include "jit/compile_error.hpp"
#include "jit/containment.hpp"
#include "jit/edge_lowering.hpp"
#include "jit/llvm_body.hpp"
#include "jit/observers/step_clock.hpp"
#include "jit/pre_check.hpp"
#include "jit/runtime_library.hpp"
#include "jit/target_tools.hpp"
#include "jit/typed_lowering.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

// Keeps the errors of one context; warnings and remarks are dropped. Without it LLVM would print, and exit on
// an assembly error.
class DiagnosticLog final : public llvm::DiagnosticHandler {
 public:
  explicit DiagnosticLog(std::string& errors) : errors_(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& diagnostic) override {
    if (diagnostic.getSeverity() != llvm::DS_Error || errors_.size() > kLongestErrorText) return true;
    if (!errors_.empty()) errors_ += '\n';
    if (const auto* source = llvm::dyn_cast<llvm::DiagnosticInfoSrcMgr>(&diagnostic)) {
      const llvm::SMDiagnostic& where = source->getSMDiag();
      errors_ += fmt::format("{}:{}:{}: {}", where.getFilename().str(), where.getLineNo(),
                             where.getColumnNo() + 1, where.getMessage().str());
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

bool is_typed(const engine::CompileJob& job) noexcept {
  return job.source->body->kind() == engine::BodyKind::TypedIr;
}

berth_tier_t tier_of(const engine::CompileJob& job) noexcept {
  return job.tier == BERTH_TIER_OPTIMIZED ? BERTH_TIER_OPTIMIZED : BERTH_TIER_FAST;
}

Result<void> enter_step(const StepHook& hook, const CompileRequest& request, const char* step) {
  set_compile_step(step);
  if (hook) {
    StepClock::enter(engine::CompilePhase::Wait, request.job);
    hook(step, request.job);
  }
  StepClock::enter(phase_of(step), request.job);
  if (request.cancelled.load(std::memory_order_relaxed)) {
    return compile_error(request.job, step, BERTH_CANCELLED, "the instance is no longer wanted", "");
  }
  if (request.until != sync::TimePoint::max() && sync::Clock::now() >= request.until)
    return over_time_error(request.job, step);
  return success();
}

namespace {

// On cancel, and after half the time, a compile does what it must.
class Hurry final : public llvm::OptPassGate {
 public:
  explicit Hurry(const CompileRequest& request) : request_(request) {}
  bool isEnabled() const override {
    return request_.cancelled.load(std::memory_order_relaxed) ||
           (request_.half != sync::TimePoint::max() && sync::Clock::now() >= request_.half);
  }
  bool shouldRunPass(llvm::StringRef, llvm::StringRef) const override { return false; }

 private:
  const CompileRequest& request_;
};

}  // namespace

struct ObjectCompiler::Target {
  HostTarget host;
  ToolsPool tools{host};
  explicit Target(HostTarget found) : host(std::move(found)) {}
};

struct ObjectCompiler::Compilation {
  Compilation(std::span<const CompileRequest> requests, Target& target)
      : requests(requests), tier(tier_of(requests.front().job)), target(target), hurry(requests.front()) {
    context.setOptPassGate(hurry);
    if (!mutant::is_on("J52_no_handler"))
      context.setDiagnosticHandler(std::make_unique<DiagnosticLog>(diagnostics), true);
  }
  const std::span<const CompileRequest> requests;
  const berth_tier_t tier;
  Target& target;
  std::string diagnostics;  // before the context, which writes here
  Hurry hurry;              // as above, which asks it; of a batch the first member's: it has nothing optional
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;  // of all members so far
  std::optional<llvm::Linker> linker;    // into it
  size_t instructions = 0;
  bool is_broken = false;  // a merge failed in the middle
  std::vector<ObjectMember> members;
  std::vector<std::optional<Error>> errors;
  std::unique_ptr<TargetTools> tools;
  llvm::SmallVector<char, 0> object;
};

struct ObjectCompiler::Reading {
  explicit Reading(const CompileRequest& request) : request(request), job(request.job) {}
  const CompileRequest& request;
  const engine::CompileJob& job;
  std::unique_ptr<llvm::Module> module;
  ObjectMember member;

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
    auto found = HostTarget::detect(options_.target);
    if (found.has_error()) {
      target_error_.reset(std::move(found).assume_error().release());
    } else {
      target_ = std::make_unique<Target>(std::move(found).assume_value());
    }
  });
  if (!target_) return make_error(target_error_->code, target_error_->message, "", "");
  return target_.get();
}

void ObjectCompiler::trim(std::chrono::nanoseconds unused) {
  if (target_) target_->tools.trim(sync::Clock::now() - unused);
}

size_t ObjectCompiler::num_machines() const noexcept { return target_ ? target_->tools.num_made() : 0; }

Result<const HostTarget*> ObjectCompiler::host() {
  BERTH_TRY(const Target* const found, target());
  return &found->host;
}

template <class Work>
auto ObjectCompiler::in_compilation(std::span<const CompileRequest> requests, Work&& work)
    -> decltype(work(std::declval<Compilation&>())) {
  BERTH_TRY(Target* const host, target());
  // Owned by hand: what unwinds from a fatal error of LLVM must not run the destructors of a context left in
  // the middle.
  auto* const compilation = new Compilation(requests, *host);
  contexts_.fetch_add(1, std::memory_order_relaxed);
  auto result = [&] {
    try {
      return work(*compilation);
    } catch (...) {
      keep_for_ever(compilation);
      throw;
    }
  }();
  auto tools = std::move(compilation->tools);
  delete compilation;  // first: what the tools keep of its functions ends with them
  if (tools) host->tools.give_back(std::move(tools));
  contexts_.fetch_sub(1, std::memory_order_relaxed);
  return result;
}

Result<CompiledBatch> ObjectCompiler::compile(std::span<const CompileRequest> requests) {
  return in_compilation(requests, [this](Compilation& compilation) { return run(compilation); });
}

Result<LoweredMethod> ObjectCompiler::lower(const CompileRequest& request) {
  return in_compilation({&request, 1}, [&](Compilation& compilation) -> Result<LoweredMethod> {
    Reading reading(request);
    BERTH_TRYV(enter_step(options_.hook, request, "read"));
    BERTH_TRYV(read(compilation, reading));
    LoweredMethod lowered;
    llvm::raw_string_ostream stream(lowered.bitcode);
    llvm::WriteBitcodeToFile(*reading.module, stream);
    lowered.member = std::move(reading.member);
    return lowered;
  });
}

namespace {

// A source that would notice others in its module, or they it.
bool is_loner(const llvm::Module& module) {
  if (!module.getModuleInlineAsm().empty() || !module.alias_empty()) return true;
  return std::any_of(
      module.global_values().begin(), module.global_values().end(),
      [](const llvm::GlobalValue& value) { return value.isDeclaration() && value.hasExternalWeakLinkage(); });
}

// Flags are constants of the context, so equal ones are the same node.
bool have_same_flags(const llvm::Module& a, const llvm::Module& b) {
  const llvm::NamedMDNode *const of_a = a.getModuleFlagsMetadata(), *const of_b = b.getModuleFlagsMetadata();
  if (!of_a || !of_b) return of_a == of_b;
  return std::equal(of_a->op_begin(), of_a->op_end(), of_b->op_begin(), of_b->op_end());
}

bool declare_the_same(const llvm::GlobalValue& a, const llvm::GlobalValue& b) {
  if (a.getValueType() != b.getValueType() || a.getLinkage() != b.getLinkage()) return false;
  const auto *const function = llvm::dyn_cast<llvm::Function>(&a), *const other =
                                                                       llvm::dyn_cast<llvm::Function>(&b);
  if (function && other) {
    return function->getAttributes() == other->getAttributes() &&
           function->getCallingConv() == other->getCallingConv();
  }
  const auto *const variable = llvm::dyn_cast<llvm::GlobalVariable>(&a),
                    *const second = llvm::dyn_cast<llvm::GlobalVariable>(&b);
  return variable && second && variable->isConstant() == second->isConstant() &&
         variable->getAlign() == second->getAlign() && variable->getAttributes() == second->getAttributes();
}

// Whether `added` can share the unit: what it declares is declared just so there, what it shows outside has a
// name of its own.
bool fits(const llvm::Module& unit, const llvm::Module& added) {
  if (!have_same_flags(unit, added)) return false;
  return std::all_of(
      added.global_values().begin(), added.global_values().end(), [&](const llvm::GlobalValue& value) {
        if (value.hasLocalLinkage() || value.hasAppendingLinkage()) return true;
        const llvm::GlobalValue* const there = unit.getNamedValue(value.getName());
        if (!there || there->hasLocalLinkage()) return true;
        return value.isDeclaration() && there->isDeclaration() && declare_the_same(*there, value);
      });
}

// Every definition gets the member's number at its end; the member's symbols follow.
void number_names(llvm::Module& module, ObjectMember& member, size_t number) {
  if (mutant::is_on("J5_no_rename")) return;
  std::vector<std::string*> symbols = {
      &member.entry,      &member.specialised_entry,   &member.addresses_symbol,
      &member.osr_symbol, &member.counter.unit_symbol, &member.counter.count_symbol};
  for (EdgeSlot& slot : member.slots) symbols.push_back(&slot.symbol);
  for (std::string& better : member.counter.better_symbols) symbols.push_back(&better);
  std::erase_if(symbols, [](const std::string* symbol) { return symbol->empty(); });
  std::vector<const llvm::GlobalValue*> values;
  for (const std::string* symbol : symbols) values.push_back(module.getNamedValue(*symbol));

  const std::string end = fmt::format(".{}", number);
  for (llvm::GlobalValue& value : module.global_values()) {
    if (value.isDeclaration() || value.hasAvailableExternallyLinkage() || !value.hasName() ||
        value.getName().starts_with("llvm."))
      continue;
    value.setName(value.getName() + end);
  }
  for (size_t i = 0; i < symbols.size(); ++i) *symbols[i] = values[i]->getName().str();
}

}  // namespace

Result<CompiledBatch> ObjectCompiler::run(Compilation& compilation) {
  for (const CompileRequest& request : compilation.requests) {
    auto added = add(compilation, request);
    if (added.has_error()) {
      if (compilation.is_broken) return std::move(added).assume_error();
      compilation.diagnostics.clear();
      compilation.errors.emplace_back(std::move(added).assume_error());
    } else if (added.assume_value() == Added::Cut) {
      break;
    } else {
      compilation.errors.emplace_back();
      if (added.assume_value() == Added::Last) break;
    }
  }
  if (!compilation.members.empty()) {
    auto generated = generate(compilation);
    if (generated.has_error()) {
      if (compilation.members.size() > 1) return std::move(generated).assume_error();
      *std::find(compilation.errors.begin(), compilation.errors.end(), std::nullopt) =
          std::move(generated).assume_error();
      compilation.members.clear();
    }
  }
  CompiledBatch batch;
  batch.unit.tier = compilation.tier;
  batch.unit.members = std::move(compilation.members);
  batch.unit.object.assign(compilation.object.data(), compilation.object.size());
  batch.errors = std::move(compilation.errors);
  return batch;
}

// Reads one more source into the unit, or finds that it needs one of its own.
Result<ObjectCompiler::Added> ObjectCompiler::add(Compilation& compilation, const CompileRequest& request) {
  Reading reading(request);
  BERTH_TRYV(enter_step(options_.hook, request, "read"));
  BERTH_TRYV(read(compilation, reading));
  BERTH_TRYV(enter_step(options_.hook, request, "check"));
  const size_t instructions = reading.module->getInstructionCount();
  if (const uint64_t most = request.job.budget.instructions; most != 0 && instructions > most) {
    return reading.fail("check", BERTH_UNSUPPORTED,
                        fmt::format("it has {} instructions, over the budget of {}", instructions, most),
                        "split it, or raise the budget (berth_config_set_compile_budget)");
  }
  BERTH_TRYV(check(compilation, reading));
  const bool alone = compilation.requests.size() == 1 || is_loner(*reading.module);
  if (compilation.module && (alone || compilation.instructions + instructions > kMostUnitInstructions))
    return Added::Cut;
  BERTH_TRYV(make_local(compilation, reading));
  if (!alone) number_names(*reading.module, reading.member, compilation.errors.size());
  if (!compilation.module) {
    compilation.module = std::move(reading.module);
    if (!alone) compilation.linker.emplace(*compilation.module);
  } else {
    if (!fits(*compilation.module, *reading.module)) return Added::Cut;
    if (compilation.linker->linkInModule(std::move(reading.module))) {
      compilation.is_broken = true;
      return reading.fail("generate", BERTH_COMPILE_FAILED, compilation.diagnostics,
                          "correct the source there");
    }
  }
  compilation.instructions += instructions;
  compilation.members.push_back(std::move(reading.member));
  return alone ? Added::Last : Added::Yes;
}

Result<void> ObjectCompiler::read(Compilation& compilation, Reading& reading) {
  reading.member.entry = reading.job.source->entry_symbol;
  const engine::SourceBody& body = *reading.job.source->body;
  if (const LoweredMethod* const lowered = reading.request.lowered) {
    auto module =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(lowered->bitcode, "lowered"), compilation.context);
    if (!module)
      return reading.fail("read", BERTH_INTERNAL, llvm::toString(module.takeError()),
                          "report this as a defect of Berth");
    reading.module = std::move(*module);
    reading.member = lowered->member;
    return success();
  }
  if (body.kind() == engine::BodyKind::TypedIr) {
    const auto& typed = static_cast<const inference::TypedIrBody&>(body);
    const bool is_adaptive =
        options_.count && reading.job.instance && reading.job.source->tier == BERTH_TIER_ADAPTIVE;
    LoweredNames names;
    auto module = lower_typed(compilation.context, *typed.method, reading.job.source->edges, typed.program,
                              tier_of(reading.job), is_adaptive, names);
    if (module.has_error()) return reading.fail("read", module.assume_error());
    reading.module = std::move(module).assume_value();
    reading.member.entry = std::move(names.boxed_entry);
    reading.member.specialised_entry = std::move(names.specialised_entry);
    reading.member.convention = names.convention;
    reading.member.addresses_symbol = std::move(names.addresses_symbol);
    reading.member.num_addresses = names.addresses.size();
    reading.member.addresses = std::move(names.addresses);
    reading.member.record = std::move(names.record);
    reading.member.osr_symbol = std::move(names.osr_symbol);
    reading.member.num_osr = names.num_osr;
    return success();
  }
  const std::string& bytes = static_cast<const LlvmBody&>(body).bytes;
  if (body.kind() == engine::BodyKind::Bitcode) {
    auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "bitcode"), compilation.context);
    if (!module) {
      return reading.fail("read", BERTH_COMPILE_FAILED, llvm::toString(module.takeError()),
                          "give bitcode that LLVM 22 reads");
    }
    reading.module = std::move(*module);
    return success();
  }
  if (auto nested = check_text(bytes); nested.has_error()) return reading.fail("read", nested.assume_error());
  llvm::SMDiagnostic error;
  reading.module = llvm::parseAssembly(llvm::MemoryBufferRef(bytes, "source"), error, compilation.context);
  if (reading.module) return success();
  const std::string found =
      fmt::format("{}:{}: {}", error.getLineNo(), error.getColumnNo() + 1, error.getMessage().str());
  return reading.fail("read", BERTH_COMPILE_FAILED, found, "correct the LLVM IR there");
}

Result<void> ObjectCompiler::check(Compilation& compilation, Reading& reading) {
  llvm::Module& module = *reading.module;
  if (options_.pre_check) {
    auto checked = check_module(module, reading.member.entry, compilation.target.host, is_typed(reading.job));
    if (checked.has_error()) { return reading.fail("check", checked.assume_error()); }
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream)) {
    return reading.fail("check", BERTH_COMPILE_FAILED, text,
                        "correct the module; LLVM's verifier refuses it");
  }
  if (!compilation.diagnostics.empty()) {
    return reading.fail("check", BERTH_COMPILE_FAILED, compilation.diagnostics, "correct the module");
  }
  return success();
}

namespace {

// Only `kept` names can be seen from outside. Module assembly may refer to any of them, which no list here
// would show.
void make_names_local(llvm::Module& module, const std::vector<std::string>& kept) {
  const bool has_assembly = !module.getModuleInlineAsm().empty();
  for (llvm::GlobalValue& value : module.global_values()) {
    if (value.isDeclaration() || value.hasAvailableExternallyLinkage()) {
      value.setVisibility(llvm::GlobalValue::DefaultVisibility);
      if (!value.hasLocalLinkage()) value.setDSOLocal(false);  // far away: through the GOT
      continue;
    }
    if (value.hasLocalLinkage() || value.hasAppendingLinkage() || value.getName().starts_with("llvm."))
      continue;
    const bool keep = std::find(kept.begin(), kept.end(), value.getName()) != kept.end();
    if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
    value.setVisibility(llvm::GlobalValue::DefaultVisibility);
    value.setLinkage(keep || has_assembly ? llvm::GlobalValue::ExternalLinkage
                                          : llvm::GlobalValue::InternalLinkage);
    value.setDSOLocal(true);
  }
}

// A definition that bears the name of a runtime-library function would take the calls that code generation
// makes to that.
void free_library_names(llvm::Module& module, ObjectMember& member) {
  if (!module.getModuleInlineAsm().empty()) return;  // it may refer to any of them
  for (llvm::GlobalValue& value : module.global_values()) {
    if (value.isDeclaration() || !runtime_library_symbol(std::string_view(value.getName()))) continue;
    const bool is_entry = value.getName() == member.entry;
    value.setName(value.getName() + ".own");
    if (is_entry) member.entry = value.getName().str();
  }
}

// Data that one tier's code has changed is not in the next one's: such a source stays in its first tier.
bool has_own_state(const llvm::Module& module) {
  const auto is_state = [](const llvm::GlobalVariable& global) {
    return !global.isDeclaration() && !global.isConstant() && !global.hasAvailableExternallyLinkage() &&
           !global.getName().starts_with("llvm.");
  };
  return !module.getModuleInlineAsm().empty() ||
         std::any_of(module.global_begin(), module.global_end(), is_state);
}

// Exceptions and profilers pass all frames, so every function has its unwind records and keeps its frame
// pointer.
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

Result<void> ObjectCompiler::make_local(Compilation& compilation, Reading& reading) {
  llvm::Module& module = *reading.module;
  ObjectMember& member = reading.member;
  module.setTargetTriple(compilation.target.host.triple);
  module.setDataLayout(compilation.target.host.layout);
  const bool is_promotable = is_typed(reading.job) || !has_own_state(module);
  if (!is_typed(reading.job)) {
    const std::vector<engine::Edge>& edges = reading.job.source->edges;
    auto lowered = lower_edges(module, edges);
    if (lowered.has_error()) return reading.fail("generate", lowered.assume_error());
    for (LoweredEdge& edge : lowered.assume_value()) {
      member.slots.push_back({std::move(edge.slot_symbol), static_cast<size_t>(edge.edge - edges.data()),
                              std::move(edge.references)});
    }
  }
  free_library_names(module, member);
  if (counts(reading.job) && is_promotable) {
    std::vector<std::string> entries = {member.entry};
    if (!member.specialised_entry.empty()) entries.push_back(member.specialised_entry);
    member.counter = add_tier_counter(module, entries, member.num_osr);
  }
  make_names_local(module, member.symbols());
  return success();
}

// Of all members: what goes wrong here is nobody's own if there are several.
Result<void> ObjectCompiler::generate(Compilation& compilation) {
  llvm::Module& module = *compilation.module;
  size_t cancelled = 0;
  const CompileRequest* some = nullptr;
  for (size_t i = 0; i < compilation.errors.size(); ++i) {
    if (compilation.errors[i]) continue;
    some = &compilation.requests[i];
    auto entered = enter_step(options_.hook, *some, "generate");
    if (entered.has_error() && ++cancelled == compilation.members.size())
      return std::move(entered).assume_error();
  }
  const Reading member(*some);
  auto tools = compilation.target.tools.take(compilation.tier);
  if (tools.has_error()) return member.fail("generate", tools.assume_error());
  compilation.tools = std::move(tools).assume_value();
  make_frames_walkable(module);
  compilation.target.host.bound_attributes(module);
  compilation.tools->optimise(module, compilation.hurry);
  StepClock::enter(engine::CompilePhase::Generate);
  if (!compilation.tools->emit(module, compilation.object)) {
    return member.fail("generate", BERTH_UNSUPPORTED, "this LLVM target emits no objects",
                       "install LLVM with this host's target");
  }
  if (const uint64_t most = member.job.budget.object_bytes; most != 0 && compilation.object.size() > most) {
    return member.fail(
        "generate", BERTH_UNSUPPORTED,
        fmt::format("its object has {} bytes, over the budget of {}", compilation.object.size(), most),
        "split it, or raise the budget (berth_config_set_compile_budget)");
  }
  if (!compilation.diagnostics.empty()) {
    // There is an object all the same; neither it nor the state that led to it is used.
    compilation.tools->drop_pipeline();
    return member.fail("generate", BERTH_COMPILE_FAILED, compilation.diagnostics, "correct the source there");
  }
  return success();
}

}  // namespace berth::jit
