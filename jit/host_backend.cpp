// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/host_backend.hpp"

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

#include <cerrno>
#include <mutex>

#include "gc/heap.hpp"
#include "gc/thread.hpp"
#include "inference/inference.hpp"
#include "jit/compile_error.hpp"
#include "jit/containment.hpp"
#include "jit/edge_lowering.hpp"
#include "jit/linker.hpp"
#include "jit/llvm_body.hpp"
#include "jit/pre_check.hpp"
#include "jit/runtime_library.hpp"
#include "jit/target_tools.hpp"
#include "jit/tier_counter.hpp"
#include "jit/typed_lowering.hpp"
#include "support/mutant.hpp"

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

bool is_typed(const engine::CompileJob& job) { return job.source->body->kind() == engine::BodyKind::TypedIr; }

berth_tier_t tier_of(const engine::CompileJob& job) {
  return job.tier == BERTH_TIER_OPTIMIZED ? BERTH_TIER_OPTIMIZED : BERTH_TIER_FAST;
}

}  // namespace

struct HostBackend::Target {
  HostTarget host;
  ToolsPool tools{host};
  explicit Target(HostTarget found) : host(std::move(found)) {}
};

struct HostBackend::Compilation {
  Compilation(const engine::CompileJob& job, Target& target, const sync::Atomic<bool>& cancelled)
      : job(job), target(target), cancelled(cancelled) {
    context.setDiagnosticHandler(std::make_unique<DiagnosticLog>(diagnostics), true);
  }
  const engine::CompileJob& job;
  Target& target;
  const sync::Atomic<bool>& cancelled;
  std::string diagnostics;  // before the context, which writes here
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  LoweredNames names;
  std::vector<LoweredEdge> edges;
  TierCounter counter;  // empty: not counted
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

struct HostBackend::Unit {
  engine::Code code;
  std::vector<std::unique_ptr<CallSlot>> slots;
  std::shared_ptr<void> lowered;  // what typed code refers to by address
  // Of counting code. The instance is no reference, which would keep the code's own instance alive: the generation tells whether it is
  // still the same (its memory is type-stable).
  HostBackend* backend = nullptr;
  engine::CodeInstance* instance = nullptr;
  uint64_t generation = 0;
  sync::Atomic<int32_t>* count = nullptr;           // in the code's data; lost counts are allowed: relaxed
  std::vector<sync::Atomic<void*>*> better;         // as above; boxed or only entry first. Release here, acquire in the code
  sync::Atomic<bool> asked{false};                  // a promotion is asked for once: relaxed
};

HostBackend::HostBackend(engine::Engine* engine, Options options)
    : engine_(engine),
      options_(std::move(options)),
      memory_(options_.system, options_.slab_bytes),
      slots_([this](engine::CodeInstance& callee, StubArguments arguments) { return drive(callee, arguments); }) {
  install_containment();
}

HostBackend::~HostBackend() {
  close();
  if (registered_) engine_->remove_subsystem(this);
}

void HostBackend::open() {
  if (!engine_) return;
  engine_->add_subsystem(this);
  registered_ = true;
}

void HostBackend::close() noexcept { slots_.close(); }

Result<HostBackend::Target*> HostBackend::target() {
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

size_t HostBackend::num_machines() const noexcept { return target_ ? target_->tools.num_made() : 0; }

// --- compile -------------------------------------------------------------------------------------------------------

Result<engine::Code*> HostBackend::generate(const engine::CompileJob& job, const sync::Atomic<bool>& cancelled) {
  BERTH_TRY(Target * const host, target());
  // Owned by hand: what unwinds from a fatal error of LLVM must not run the destructors of a context left in the middle.
  auto* const compilation = new Compilation(job, *host, cancelled);
  contexts_.fetch_add(1, std::memory_order_relaxed);
  Result<engine::Code*> code = [&] {
    try {
      return compile(*compilation);
    } catch (...) {
      keep_for_ever(compilation);
      throw;
    }
  }();
  if (compilation->tools) host->tools.give_back(std::move(compilation->tools));
  delete compilation;
  contexts_.fetch_sub(1, std::memory_order_relaxed);
  if (!code.has_error()) {
    (tier_of(job) == BERTH_TIER_OPTIMIZED ? compiled_optimized_ : compiled_fast_).fetch_add(1, std::memory_order_relaxed);
  }
  return code;
}

Result<engine::Code*> HostBackend::compile(Compilation& compilation) {
  BERTH_TRYV(enter(compilation, "read"));
  BERTH_TRYV(read(compilation));
  BERTH_TRYV(enter(compilation, "check"));
  BERTH_TRYV(check(compilation));
  BERTH_TRYV(enter(compilation, "generate"));
  BERTH_TRYV(generate_object(compilation));
  BERTH_TRYV(enter(compilation, "link"));
  return link(compilation);
}

Result<void> HostBackend::enter(Compilation& compilation, const char* step) {
  set_compile_step(step);
  if (options_.hook) options_.hook(step, compilation.job);
  if (!compilation.cancelled.load(std::memory_order_relaxed)) return success();
  return compilation.fail(step, BERTH_CANCELLED, "the instance is no longer wanted", "");
}

Result<void> HostBackend::read(Compilation& compilation) {
  const engine::SourceBody& body = *compilation.job.source->body;
  if (body.kind() == engine::BodyKind::TypedIr) {
    const auto& typed = static_cast<const inference::TypedIrBody&>(body);
    auto module = lower_typed(compilation.context, *typed.method, typed.program, tier_of(compilation.job), compilation.names);
    if (module.has_error()) return compilation.fail("read", module.assume_error());
    compilation.module = std::move(module).assume_value();
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

Result<void> HostBackend::check(Compilation& compilation) {
  llvm::Module& module = *compilation.module;
  const bool typed = is_typed(compilation.job);
  const std::string& entry = typed ? compilation.names.boxed_entry : compilation.job.source->entry_symbol;
  if (options_.pre_check) {
    if (auto checked = check_module(module, entry, compilation.target.host, typed); checked.has_error()) {
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

Result<void> HostBackend::generate_object(Compilation& compilation) {
  llvm::Module& module = *compilation.module;
  auto tools = compilation.target.tools.take(tier_of(compilation.job));
  if (tools.has_error()) return compilation.fail("generate", tools.assume_error());
  compilation.tools = std::move(tools).assume_value();
  module.setTargetTriple(compilation.target.host.triple);
  module.setDataLayout(compilation.target.host.layout);

  std::vector<std::string> kept;
  if (is_typed(compilation.job)) {
    kept = {compilation.names.boxed_entry, compilation.names.specialised_entry};
  } else {
    kept = {compilation.job.source->entry_symbol};
    auto edges = lower_edges(module, compilation.job.source->edges);
    if (edges.has_error()) return compilation.fail("generate", edges.assume_error());
    compilation.edges = std::move(edges).assume_value();
    for (const LoweredEdge& edge : compilation.edges) kept.push_back(edge.slot_symbol);
  }
  const engine::CompileJob& job = compilation.job;
  if (options_.promote && job.instance && job.source->tier == BERTH_TIER_ADAPTIVE && tier_of(job) == BERTH_TIER_FAST) {
    std::vector<std::string> entries = {kept[0]};
    if (is_typed(job) && !kept[1].empty()) entries.push_back(kept[1]);
    compilation.counter = add_tier_counter(module, entries);
    kept.insert(kept.end(), {compilation.counter.unit_symbol, compilation.counter.count_symbol});
    kept.insert(kept.end(), compilation.counter.better_symbols.begin(), compilation.counter.better_symbols.end());
  }
  make_names_local(module, kept);
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

// --- link ----------------------------------------------------------------------------------------------------------

void* HostBackend::find_symbol(const std::string& name, bool typed) {
  if (name == TierCounter::kPromote) return reinterpret_cast<void*>(&HostBackend::count_used_up);
  {
    sync::Lock lock(symbols_mutex_);
    if (const auto found = symbols_.find(name); found != symbols_.end()) return found->second;
  }
  if (typed) {
    static const auto table = [] {
      std::map<std::string, void*, std::less<>> symbols;
      for (const RuntimeSymbol& symbol : runtime_symbols()) symbols.emplace(symbol.name, symbol.address);
      return symbols;
    }();
    if (const auto found = table.find(name); found != table.end()) return found->second;
  }
  return runtime_library_symbol(name);
}

Result<engine::Code*> HostBackend::link(Compilation& compilation) {
  const bool typed = is_typed(compilation.job);
  std::vector<std::string> wanted;
  wanted.push_back(typed ? compilation.names.boxed_entry : compilation.job.source->entry_symbol);
  if (typed && !compilation.names.specialised_entry.empty()) wanted.push_back(compilation.names.specialised_entry);
  for (const LoweredEdge& edge : compilation.edges) wanted.push_back(edge.slot_symbol);
  const TierCounter& counter = compilation.counter;
  if (!counter.unit_symbol.empty()) {
    wanted.insert(wanted.end(), {counter.unit_symbol, counter.count_symbol});
    wanted.insert(wanted.end(), counter.better_symbols.begin(), counter.better_symbols.end());
  }

  Linker linker(memory_, unwind_);
  const llvm::MemoryBufferRef object(llvm::StringRef(compilation.object.data(), compilation.object.size()), "object");
  auto linked = linker.link(object, wanted, [&](const std::string& name) { return find_symbol(name, typed); });
  if (linked.has_error()) return compilation.fail("link", linked.assume_error());
  LinkedObject& result = linked.assume_value();

  auto unit = std::make_unique<Unit>();
  const SlabMemory::Part& text = result.memory.parts[SlabMemory::kText];
  unit->code.entry = result.symbols.find(wanted[0])->second;
  if (typed && !compilation.names.specialised_entry.empty()) unit->code.specialised_entry = result.symbols.find(wanted[1])->second;
  unit->code.convention = compilation.names.convention;
  unit->code.tier = tier_of(compilation.job);
  unit->code.low = text.address;
  unit->code.high = text.address + text.bytes;
  unit->code.backend = unit.get();
  unit->lowered = std::move(compilation.names.record);
  if (auto bound = bind_edges(*unit, compilation, result.symbols); bound.has_error()) {
    memory_.abandon(result.memory);
    return compilation.fail("link", bound.assume_error());
  }
  if (!counter.unit_symbol.empty()) bind_counter(*unit, compilation, result.symbols);
  engine::Code* const code = &unit->code;
  sync::Lock lock(units_mutex_);
  if (unit->count) counting_[unit->instance] = unit.get();
  units_.push_back(std::move(unit));
  return code;
}

void HostBackend::bind_counter(Unit& unit, Compilation& compilation, const std::map<std::string, void*, std::less<>>& symbols) {
  const auto word = [&](const std::string& symbol) { return symbols.find(symbol)->second; };
  unit.backend = this;
  unit.instance = compilation.job.instance.get();
  unit.generation = engine::CodeInstance::generation_of(unit.instance->word.load(std::memory_order_acquire));
  unit.count = static_cast<sync::Atomic<int32_t>*>(word(compilation.counter.count_symbol));
  for (const std::string& better : compilation.counter.better_symbols) {
    unit.better.push_back(static_cast<sync::Atomic<void*>*>(word(better)));
  }
  *static_cast<Unit**>(word(compilation.counter.unit_symbol)) = &unit;
}

// Called by counting code, on whatever thread runs it.
void HostBackend::count_used_up(Unit* unit) noexcept {
  const int kept_errno = errno;
  unit->count->store(kCountWhilePromoted, std::memory_order_relaxed);
  if (!unit->asked.exchange(true, std::memory_order_relaxed) && engine::try_retain(*unit->instance)) {
    const engine::CodeInstanceRef instance(unit->instance, false);
    const uint64_t word = instance->word.load(std::memory_order_acquire);
    if (engine::CodeInstance::generation_of(word) == unit->generation) unit->backend->options_.promote(*instance);
  }
  errno = kept_errno;
}

void HostBackend::bind(engine::CodeInstance& instance) noexcept {
  slots_.publish(instance);
  sync::Lock lock(units_mutex_);
  const auto found = counting_.find(&instance);
  const engine::Code* const code = engine::instance_code(instance);
  if (found == counting_.end() || !code) return;
  Unit& lower = *found->second;
  const uint64_t generation = engine::CodeInstance::generation_of(instance.word.load(std::memory_order_acquire));
  if (lower.generation != generation || code->tier <= lower.code.tier) return;
  void* const better[] = {code->entry, code->convention == lower.code.convention ? code->specialised_entry : nullptr};
  for (size_t i = 0; i < lower.better.size(); ++i) lower.better[i]->store(better[i], std::memory_order_release);
  counting_.erase(found);
}

Result<void> HostBackend::bind_edges(Unit& unit, Compilation& compilation, const std::map<std::string, void*, std::less<>>& symbols) {
  if (compilation.edges.empty()) return success();
  if (!has_call_stub()) return make_error(BERTH_UNSUPPORTED, "", "this host has no call stub for edges", "call through your own pointers");
  SlabMemory::Sizes sizes;
  sizes[SlabMemory::kText] = {compilation.edges.size() * kTrampolineBytes, kTrampolineBytes};
  BERTH_TRY(const SlabMemory::Allocation trampolines, memory_.allocate(sizes));
  const SlabMemory::Part& text = trampolines.parts[SlabMemory::kText];
  size_t offset = 0;
  for (size_t i = 0; i < compilation.edges.size(); ++i, offset += kTrampolineBytes) {
    unit.slots.push_back(std::make_unique<CallSlot>());
    CallSlot& slot = *unit.slots.back();
    slot.word = static_cast<sync::Atomic<void*>*>(symbols.find(compilation.edges[i].slot_symbol)->second);
    slot.trampoline = text.address + offset;
    slot.references = std::move(compilation.edges[i].references);
    write_trampoline(text.writable + offset, &slot);
  }
  BERTH_TRYV(memory_.seal(trampolines));
  for (size_t i = 0; i < compilation.edges.size(); ++i) slots_.add(*unit.slots[i], compilation.edges[i].edge->callee);
  return success();
}

namespace {

/// The arguments of a call that waits for its callee's code: roots, as nobody else may have them any more. A pointer that is no object of
/// the heap is left alone.
struct StubFrame {
  gc::Frame frame;
  StubArguments arguments;
  const gc::Heap& heap;

  static void scan(gc::Frame& frame, gc::SlotVisitor& visitor) {
    const auto& self = reinterpret_cast<StubFrame&>(frame);
    for (const int32_t offset : self.arguments.references) {
      auto** slot = reinterpret_cast<gc::Object**>(self.arguments.base + offset);
      if (!mutant::is_on("J38_arguments_no_roots") && self.heap.contains(*slot)) visitor.visit(slot);
    }
  }
  static constexpr gc::FrameKind kKind{&StubFrame::scan, 0, nullptr};
};

}  // namespace

// Called by the stub of an edge, on the thread that calls.
Result<void*> HostBackend::drive(engine::CodeInstance& callee, StubArguments arguments) {
  if (const engine::Code* code = engine::instance_code(callee); code && code->entry) return code->entry;
  const auto not_found = [&] {
    const char* const label = engine::instance_label(callee);
    return make_error(BERTH_NOT_FOUND, fmt::format("calling \"{}\" over an edge", label ? label : ""), "it has no code",
                      "release its lease with source");
  };
  if (!engine_) return not_found();
  gc::Thread* thread = gc::current_thread(&engine_->collector());
  gc::Thread* const attached = thread;
  if (!thread) {
    BERTH_TRY(thread, engine_->attach());
  }
  StubFrame stub{{nullptr, &StubFrame::kKind, 0}, arguments, engine_->collector().heap()};
  auto entry = [&] {
    const gc::FrameScope scope(*thread, stub.frame);
    return engine_->wait_entry(*thread, callee, Deadline::never());
  }();
  if (!attached) engine_->detach(*thread);
  if (!entry.has_error()) return entry;
  if (entry.assume_error().code() != BERTH_NOT_FOUND) return entry;
  // A token that became a duplicate or was rejected: the edge follows its key.
  void* const winner = engine_->lookup_entry(engine::instance_key(callee), 0);
  if (winner) return winner;
  return not_found();
}

// --- the rest ------------------------------------------------------------------------------------------------------

void HostBackend::retire(engine::Code*) noexcept { retired_.fetch_add(1, std::memory_order_relaxed); }

Result<void> HostBackend::define_symbol(const char* name, void* address) {
  if (!name || !*name || !address) {
    return make_error(BERTH_INVALID_ARGUMENT, "defining a symbol", "no name or no address", "give both");
  }
  sync::Lock lock(symbols_mutex_);
  const auto [entry, added] = symbols_.emplace(name, address);
  if (added || entry->second == address) return success();
  return make_error(BERTH_INVALID_ARGUMENT, fmt::format("defining symbol '{}'", name), "it is defined at another address",
                    "define it under another name: code that is linked keeps the first");
}

// Failures are counted by the engine.
void HostBackend::add_counts(berth_engine_counts_t& counts) {
  counts.compiled_fast += compiled_fast_.load(std::memory_order_relaxed);
  counts.compiled_optimized += compiled_optimized_.load(std::memory_order_relaxed);
}

void HostBackend::metrics(std::string& prometheus) {
  const SlabMemory::Accounts accounts = memory_.accounts();
  prometheus += fmt::format(
      "berth_compiled_total{{tier=\"fast\"}} {}\nberth_compiled_total{{tier=\"optimized\"}} {}\n"
      "berth_code_retired_total {}\nberth_code_reserved_bytes {}\nberth_code_live_bytes {}\nberth_code_slabs {}\nberth_edge_slow_calls_total {}\n",
      compiled_fast_.load(std::memory_order_relaxed), compiled_optimized_.load(std::memory_order_relaxed),
      retired_.load(std::memory_order_relaxed), accounts.reserved_bytes, accounts.live_bytes,
      accounts.slabs, slots_.num_slow_calls());
}

}  // namespace berth::jit
