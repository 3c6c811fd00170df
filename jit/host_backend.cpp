// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/host_backend.hpp"

#include <fmt/format.h>
#include <llvm/Support/MemoryBufferRef.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "gc/heap.hpp"
#include "gc/thread.hpp"
#include "jit/compile_error.hpp"
#include "jit/linker.hpp"
#include "jit/observers/method_names.hpp"
#include "jit/observers/step_clock.hpp"
#include "jit/runtime_library.hpp"
#include "jit/tier_counter.hpp"
#include "jit/typed_lowering.hpp"
#include "support/mutant.hpp"

namespace berth::jit {

struct HostBackend::LinkedMember {
  engine::Code code;
  std::vector<std::unique_ptr<CallSlot>> slots;
  std::shared_ptr<void> record;  // what lowered code refers to by address
  // Of counting code. The instance is no reference, which would keep the code's own instance alive: the generation tells whether it is
  // still the same (its memory is type-stable).
  HostBackend* backend = nullptr;
  engine::CodeInstance* instance = nullptr;
  uint64_t generation = 0;
  sync::Atomic<int32_t>* count = nullptr;           // in the code's data; lost counts are allowed: relaxed
  std::vector<sync::Atomic<void*>*> better;         // as above; boxed or only entry first. Release here, acquire in the code
  sync::Atomic<bool> asked{false};                  // a promotion is asked for once: relaxed
  uint64_t observed = 0;                            // its own number with the observers, if it came from the cache
};

struct HostBackend::LinkedUnit {
  SlabMemory::Allocation memory;
  uint64_t observed = 0;  // its number with the observers
  std::vector<std::unique_ptr<LinkedMember>> members;
};

HostBackend::HostBackend(engine::Engine* engine, Options options)
    : engine_(engine),
      options_(std::move(options)),
      compiler_({options_.hook, options_.pre_check, static_cast<bool>(options_.promote)}),
      memory_(options_.system, options_.slab_bytes),
      slots_([this](engine::CodeInstance& callee, StubArguments arguments) { return drive(callee, arguments); }) {
  if (!options_.cache) return;
  auto host = compiler_.host();
  if (host.has_error()) return;  // every compile says so
  cache_ = std::make_unique<ObjectCache>(CacheEnvironment::of(*host.assume_value()), *options_.cache);
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

void HostBackend::close() noexcept {
  slots_.close();
  if (cache_) cache_->close();
}

// --- compile -------------------------------------------------------------------------------------------------------

Result<CodeGenerator::Answers> HostBackend::generate(std::span<const CompileRequest> requests) {
  const bool timed = engine_ && observers_.wants_times();
  StepClock clock(engine_ ? &engine_->trace() : nullptr, timed);
  const auto began = sync::Clock::now();
  auto answers = find_or_compile(requests);
  if (!timed) return answers;
  const size_t members = answers.has_error() ? requests.size() : answers.assume_value().size();
  engine::CompileTimes times = clock.stop(members);
  for (const CompileRequest& request : requests.first(members)) {
    times[engine::CompilePhase::Queued] = std::chrono::nanoseconds(began - request.job.submitted).count();
    engine_->record_times(*request.job.instance, tier_of(request.job), times);
  }
  return answers;
}

// With a cache, either the first requests that it has, or the first that it has not: the rest is asked for again.
Result<CodeGenerator::Answers> HostBackend::find_or_compile(std::span<const CompileRequest> requests) {
  if (!cache_) return compile(requests, {});
  Answers answers;
  std::vector<CachedRequest> misses;
  for (const CompileRequest& request : requests) {
    static_cast<void>(enter_step(options_.hook, request, "load").has_error());  // the compile says so
    CachedRequest cached = identify(request, compiler_, *cache_, options_.traits);
    if (misses.empty()) {
      if (engine::Code* const code = load(request, cached)) {
        answers.emplace_back(code);
        continue;
      }
      if (!answers.empty()) break;
    } else {
      if (cached.key.has_value() != misses.front().key.has_value() || (cached.key && is_unclaimed(*cached.key))) break;
      if (cached.key) cached.found = cache_->try_find(*cached.key);
      if (cached.found.unit || cached.found.lease.state() == FileStore::Lease::State::Busy) break;
    }
    misses.push_back(std::move(cached));
  }
  if (!answers.empty()) return answers;
  return compile(requests.first(misses.size()), misses);
}

// `cached`: one for each request, or none.
Result<CodeGenerator::Answers> HostBackend::compile(std::span<const CompileRequest> asked, std::span<CachedRequest> cached) {
  std::vector<CompileRequest> requests(asked.begin(), asked.end());
  for (size_t i = 0; i < cached.size(); ++i) requests[i].lowered = cached[i].lowered ? &*cached[i].lowered : nullptr;
  BERTH_TRY(CompiledBatch batch, compiler_.compile(requests));
  std::vector<CompileRequest> members;
  const auto stored = std::make_shared<StoredUnit>();
  std::vector<ObjectCache::Found> found;
  for (size_t i = 0; i < batch.errors.size(); ++i) {
    if (batch.errors[i]) continue;
    members.push_back(requests[i]);
    if (cached.empty() || !cached[i].key) continue;
    stored->keys.push_back(*cached[i].key);
    found.push_back(std::move(cached[i].found));
  }
  const bool is_kept = !found.empty();
  if (is_kept) {
    stored->unit = batch.unit;
    for (ObjectMember& member : stored->unit.members) {
      member.addresses.clear();
      member.record.reset();
    }
  }
  std::vector<engine::Code*> codes;
  if (!members.empty()) {
    // A member that is cancelled here is linked with the others, and retired by the pool.
    for (const CompileRequest& member : members) {
      auto entered = enter_step(options_.hook, member, "link");
      if (entered.has_error() && members.size() == 1) return std::move(entered).assume_error();
    }
    auto linked = link(members, std::move(batch.unit));
    if (linked.has_error()) {
      const Error error = std::move(linked).assume_error();
      return compile_error(members.front().job, "link", error.code(), error.message(), "");
    }
    codes = std::move(linked).assume_value();
    (tier_of(requests.front().job) == BERTH_TIER_OPTIMIZED ? compiled_optimized_ : compiled_fast_).fetch_add(codes.size(), std::memory_order_relaxed);
    if (cache_) cache_->add_misses(codes.size());
    if (is_kept) cache_->keep(stored, std::move(found));
  }
  Answers answers;
  auto code = codes.begin();
  for (std::optional<Error>& error : batch.errors) {
    if (error) {
      answers.emplace_back(std::move(*error));
    } else {
      answers.emplace_back(*code++);
    }
  }
  return answers;
}

// --- load ----------------------------------------------------------------------------------------------------------

struct HostBackend::Unclaimed {
  std::shared_ptr<const LinkedObject> object;
  ObjectMember parts;
  LinkedMember* member;
};

bool HostBackend::is_unclaimed(const CacheKey& key) {
  sync::Lock lock(units_mutex_);
  return unclaimed_.contains(key);
}

engine::Code* HostBackend::load(const CompileRequest& request, CachedRequest& cached) {
  if (!cached.key) return nullptr;
  const CacheKey& key = *cached.key;
  for (;;) {
    std::optional<Unclaimed> unclaimed;
    {
      sync::Lock lock(units_mutex_);
      if (auto entry = unclaimed_.extract(key)) unclaimed = std::move(entry.mapped());
    }
    if (unclaimed) return claim(request, cached, std::move(*unclaimed));
    std::shared_ptr<const StoredUnit>& unit = cached.found.unit;
    if (!unit) cached.found = cache_->find(key, tier_of(request.job), request.cancelled);
    if (!unit) return nullptr;
    const CacheKey& first = unit->keys.front();
    {
      sync::Lock lock(units_mutex_);
      if (!loading_.insert(first).second) {
        while (loading_.contains(first)) loaded_.wait(lock);
        continue;
      }
    }
    const bool linked = link_stored(*unit);
    {
      sync::Lock lock(units_mutex_);
      loading_.erase(first);
      loaded_.notify_all();
    }
    if (!linked) {
      cache_->refuse(key);
      cached.found = {};
      return nullptr;
    }
  }
}

// Its members are nobody's yet.
bool HostBackend::link_stored(const StoredUnit& stored) {
  auto object = link_object(stored.unit);
  if (object.has_error()) return false;
  const auto linked_object = std::make_shared<const LinkedObject>(std::move(object).assume_value());
  LinkedUnit linked;
  linked.memory = linked_object->memory;
  for (size_t i = 0; i < stored.unit.members.size(); ++i) {
    linked.members.push_back(std::make_unique<LinkedMember>());
    linked.members.back()->code.tier = stored.unit.tier;
  }
  if (linked_object->loaded) {
    const LoadedUnit shared = shared_part(*linked_object->loaded, stored.unit.members);
    if (!shared.functions.empty()) linked.observed = observers_.linked(shared);
  }
  sync::Lock lock(units_mutex_);
  for (size_t i = 0; i < stored.keys.size(); ++i) {
    unclaimed_.insert_or_assign(stored.keys[i], Unclaimed{linked_object, stored.unit.members[i], linked.members[i].get()});
  }
  units_.push_back(std::move(linked));
  return true;
}

engine::Code* HostBackend::claim(const CompileRequest& request, const CachedRequest& cached, Unclaimed unclaimed) {
  ObjectMember& parts = unclaimed.parts;
  LinkedMember& member = *unclaimed.member;
  if (!fits(parts, request, cached)) {
    cache_->refuse(*cached.key);
    return nullptr;
  }
  if (cached.lowered) {
    parts.addresses = cached.lowered->member.addresses;
    parts.record = cached.lowered->member.record;
  }
  if (bind_member(member, request.job, parts, *unclaimed.object).has_error()) return nullptr;
  bind_edges(member, request.job, parts);
  if (unclaimed.object->loaded) member.observed = observers_.linked(part_of(*unclaimed.object->loaded, request, parts));
  sync::Lock lock(units_mutex_);
  if (member.count) counting_[member.instance] = &member;
  cache_->add_hit();
  return &member.code;
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

Result<LinkedObject> HostBackend::link_object(const ObjectUnit& unit) {
  std::vector<std::string> wanted;
  bool typed = false;
  for (const ObjectMember& member : unit.members) {
    for (std::string& symbol : member.symbols()) wanted.push_back(std::move(symbol));
    typed |= !member.specialised_entry.empty();
  }
  Linker linker(memory_, unwind_);
  return linker.link(llvm::MemoryBufferRef(unit.object, "object"), wanted, [&](const std::string& name) { return find_symbol(name, typed); },
                     observers_.wants_units());
}

Result<std::vector<engine::Code*>> HostBackend::link(std::span<const CompileRequest> requests, ObjectUnit&& unit) {
  BERTH_TRY(LinkedObject object, link_object(unit));
  LinkedUnit linked;
  linked.memory = object.memory;
  for (size_t i = 0; i < requests.size(); ++i) {
    linked.members.push_back(std::make_unique<LinkedMember>());
    auto bound = bind_member(*linked.members[i], requests[i].job, unit.members[i], object);
    if (bound.has_error()) {
      memory_.abandon(object.memory);
      return std::move(bound).assume_error();
    }
    linked.members[i]->code.tier = unit.tier;
  }
  // Nothing fails from here on: slots that are bound stay in the table.
  for (size_t i = 0; i < requests.size(); ++i) bind_edges(*linked.members[i], requests[i].job, unit.members[i]);
  if (object.loaded) {
    name_methods(*object.loaded, requests, unit.members);
    linked.observed = observers_.linked(*object.loaded);
  }
  std::vector<engine::Code*> codes;
  sync::Lock lock(units_mutex_);
  for (const auto& member : linked.members) {
    if (member->count) counting_[member->instance] = member.get();
    codes.push_back(&member->code);
  }
  units_.push_back(std::move(linked));
  return codes;
}

Result<void> HostBackend::bind_member(LinkedMember& to, const engine::CompileJob& job, ObjectMember& member, const LinkedObject& object) {
  const SlabMemory::Part& text = object.memory.parts[SlabMemory::kText];
  to.code.entry = object.address(member.entry);
  if (!member.specialised_entry.empty()) to.code.specialised_entry = object.address(member.specialised_entry);
  to.code.convention = member.convention;
  to.code.low = text.address;
  to.code.high = text.address + text.bytes;
  to.code.backend = &to;
  to.record = std::move(member.record);
  if (!member.addresses_symbol.empty()) {
    // Before the code is published, which orders it.
    std::copy(member.addresses.begin(), member.addresses.end(), static_cast<const void**>(object.address(member.addresses_symbol)));
  }
  BERTH_TRYV(make_slots(to, member, object));
  if (!member.counter.unit_symbol.empty()) bind_counter(to, job, member.counter, object);
  return success();
}

void HostBackend::bind_counter(LinkedMember& to, const engine::CompileJob& job, const TierCounter& counter, const LinkedObject& object) {
  to.backend = this;
  to.instance = job.instance.get();
  to.generation = engine::CodeInstance::generation_of(to.instance->word.load(std::memory_order_acquire));
  to.count = static_cast<sync::Atomic<int32_t>*>(object.address(counter.count_symbol));
  for (const std::string& better : counter.better_symbols) {
    to.better.push_back(static_cast<sync::Atomic<void*>*>(object.address(better)));
  }
  *static_cast<LinkedMember**>(object.address(counter.unit_symbol)) = &to;
}

// Called by counting code, on whatever thread runs it.
void HostBackend::count_used_up(LinkedMember* member) noexcept {
  const int kept_errno = errno;
  member->count->store(kCountWhilePromoted, std::memory_order_relaxed);
  if (!member->asked.exchange(true, std::memory_order_relaxed) && engine::try_retain(*member->instance)) {
    const engine::CodeInstanceRef instance(member->instance, false);
    const uint64_t word = instance->word.load(std::memory_order_acquire);
    if (engine::CodeInstance::generation_of(word) == member->generation) member->backend->options_.promote(*instance);
  }
  errno = kept_errno;
}

void HostBackend::bind(engine::CodeInstance& instance) noexcept {
  slots_.publish(instance);
  sync::Lock lock(units_mutex_);
  const auto found = counting_.find(&instance);
  const engine::Code* const code = engine::instance_code(instance);
  if (found == counting_.end() || !code) return;
  LinkedMember& lower = *found->second;
  const uint64_t generation = engine::CodeInstance::generation_of(instance.word.load(std::memory_order_acquire));
  if (lower.generation != generation || code->tier <= lower.code.tier) return;
  void* const better[] = {code->entry, code->convention == lower.code.convention ? code->specialised_entry : nullptr};
  for (size_t i = 0; i < lower.better.size(); ++i) lower.better[i]->store(better[i], std::memory_order_release);
  counting_.erase(found);
}

void HostBackend::bind_edges(LinkedMember& to, const engine::CompileJob& job, const ObjectMember& member) {
  for (size_t i = 0; i < to.slots.size(); ++i) slots_.add(*to.slots[i], job.source->edges[member.slots[i].edge].callee);
}

Result<void> HostBackend::make_slots(LinkedMember& to, ObjectMember& member, const LinkedObject& object) {
  if (member.slots.empty()) return success();
  if (!has_call_stub()) return make_error(BERTH_UNSUPPORTED, "", "this host has no call stub for edges", "call through your own pointers");
  SlabMemory::Sizes sizes;
  sizes[SlabMemory::kText] = {member.slots.size() * kTrampolineBytes, kTrampolineBytes};
  BERTH_TRY(const SlabMemory::Allocation trampolines, memory_.allocate(sizes));
  const SlabMemory::Part& text = trampolines.parts[SlabMemory::kText];
  size_t offset = 0;
  for (EdgeSlot& edge : member.slots) {
    to.slots.push_back(std::make_unique<CallSlot>());
    CallSlot& slot = *to.slots.back();
    slot.word = static_cast<sync::Atomic<void*>*>(object.address(edge.symbol));
    slot.trampoline = text.address + offset;
    slot.references = std::move(edge.references);
    write_trampoline(text.writable + offset, &slot);
    offset += kTrampolineBytes;
  }
  return memory_.seal(trampolines);
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

void HostBackend::explain(engine::Explanation& explanation) {
  const std::string reason = cache_ ? cache_->off_reason() : "";
  if (!reason.empty()) engine::add_item(explanation, "warnings", json_quote("the object cache " + reason));
  for (const std::string& fault : observers_.faults()) engine::add_item(explanation, "warnings", json_quote("observer " + fault));
}

void HostBackend::metrics(std::string& prometheus) {
  if (cache_) {
    const ObjectCache::Counts counts = cache_->counts();
    prometheus += fmt::format(
        "berth_cache_hits_total {}\nberth_cache_misses_total {}\nberth_cache_refused_total {}\nberth_cache_evicted_total {}\n"
        "berth_cache_waits_total {}\nberth_cache_on {}\n",
        counts.hits, counts.misses, counts.refused, counts.evicted, counts.waited, cache_->off_reason().empty() ? 1 : 0);
  }
  observers_.metrics(prometheus);
  const SlabMemory::Accounts accounts = memory_.accounts();
  prometheus += fmt::format(
      "berth_compiled_total{{tier=\"fast\"}} {}\nberth_compiled_total{{tier=\"optimized\"}} {}\n"
      "berth_code_retired_total {}\nberth_code_reserved_bytes {}\nberth_code_live_bytes {}\nberth_code_slabs {}\nberth_edge_slow_calls_total {}\n",
      compiled_fast_.load(std::memory_order_relaxed), compiled_optimized_.load(std::memory_order_relaxed),
      retired_.load(std::memory_order_relaxed), accounts.reserved_bytes, accounts.live_bytes,
      accounts.slabs, slots_.num_slow_calls());
}

}  // namespace berth::jit
