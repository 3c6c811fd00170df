// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/host_backend.hpp"

#include <fmt/format.h>
#include <llvm/Support/MemoryBufferRef.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "jit/compile_error.hpp"
#include "jit/linker.hpp"
#include "jit/observers/method_names.hpp"
#include "jit/observers/step_clock.hpp"
#include "jit/runtime_library.hpp"
#include "jit/thrown_exceptions.hpp"
#include "jit/tier_counter.hpp"
#include "jit/typed_lowering.hpp"
#include "support/mutant.hpp"

namespace berth::jit {

namespace {

IsolatedCompiler::Options isolation_of(const HostBackend::Options& options) {
  IsolatedCompiler::Options isolation = options.isolation;
  isolation.worker.pre_check = options.pre_check;
  isolation.worker.target = options.target;
  return isolation;
}

}  // namespace

HostBackend::HostBackend(engine::Engine* engine, Options options)
    : engine_(engine),
      options_(std::move(options)),
      compiler_({options_.hook, options_.pre_check, static_cast<bool>(options_.promote), options_.target}),
      isolated_(compiler_, options_.hook, isolation_of(options_)),
      memory_(options_.system, options_.slab_bytes, options_.limit_bytes),
      unwind_(options_.unwind),
      slots_([this](engine::CodeInstanceRef& callee, StubArguments arguments) {
        return drive(callee, arguments);
      }),
      units_(
          engine, memory_, unwind_, slots_, options_.reclaim_thread,
          [this](const LinkedMember& member) { return disown(member); },
          [this](uint64_t number) { observers_.retired(number); }) {
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
  units_.stop();
  slots_.close();
  if (cache_) cache_->close();
}

// --- compile

// An isolated source goes alone; those before it go together.
Result<CompiledBatch> HostBackend::make_objects(std::span<const CompileRequest> requests) {
  const auto is_isolated = [&](const CompileRequest& request) {
    return (options_.isolate_all || request.job.source->isolated) && !mutant::is_on("J55_read_in_process");
  };
  if (!is_isolated(requests.front())) {
    const auto first = std::find_if(requests.begin(), requests.end(), is_isolated);
    return compiler_.compile(requests.first(static_cast<size_t>(first - requests.begin())));
  }
  auto unit = isolated_.compile(requests.front());
  CompiledBatch batch;
  batch.errors.emplace_back();
  if (unit.has_error()) {
    batch.errors.front() = std::move(unit).assume_error();
  } else {
    batch.unit = std::move(unit).assume_value();
  }
  return batch;
}

Result<CodeGenerator::Answers> HostBackend::generate(std::span<const CompileRequest> requests) {
  if (!options_.reclaim_thread) units_.step();
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

// With a cache, either the first requests that it has, or the first that it has not: the rest is asked for
// again.
Result<CodeGenerator::Answers> HostBackend::find_or_compile(std::span<const CompileRequest> requests) {
  if (!cache_) return compile(requests, {});
  Answers answers;
  std::vector<CachedRequest> misses;
  for (const CompileRequest& request : requests) {
    static_cast<void>(enter_step(options_.hook, request, "load").has_error());  // the compile says so
    CachedRequest cached = identify(request, compiler_, *cache_, options_.traits);
    if (misses.empty()) {
      if (engine::Code* const code = load(request, cached, Absent::Lease)) {
        answers.emplace_back(code);
        continue;
      }
      if (!answers.empty()) break;
    } else {
      if (cached.key.has_value() != misses.front().key.has_value() ||
          (cached.key && is_unclaimed(*cached.key)))
        break;
      if (cached.key) cached.found = cache_->try_find(*cached.key);
      if (cached.found.unit || cached.found.lease.state() == FileStore::Lease::State::Busy) break;
    }
    misses.push_back(std::move(cached));
  }
  if (!answers.empty()) return answers;
  return compile(requests.first(misses.size()), misses);
}

// `cached`: one for each request, or none.
Result<CodeGenerator::Answers> HostBackend::compile(std::span<const CompileRequest> asked,
                                                    std::span<CachedRequest> cached) {
  std::vector<CompileRequest> requests(asked.begin(), asked.end());
  for (size_t i = 0; i < cached.size(); ++i)
    requests[i].lowered = cached[i].lowered ? &*cached[i].lowered : nullptr;
  BERTH_TRY(CompiledBatch batch, make_objects(requests));
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
  // What had to hurry is worse than its tier's code usually is: used, not kept.
  const bool is_kept = !found.empty() && sync::Clock::now() < requests.front().half;
  if (is_kept) {
    stored->unit = batch.unit;
    for (ObjectMember& member : stored->unit.members) {
      member.addresses.clear();
      member.record.reset();
    }
  }
  std::vector<engine::Code*> codes;
  if (!members.empty()) {
    // A member that is cancelled here is linked with the others, and retired by the pool; nothing is linked
    // for none.
    size_t unwanted = 0;
    for (const CompileRequest& member : members) {
      auto entered = enter_step(options_.hook, member, "link");
      if (entered.has_error() && ++unwanted == members.size()) return std::move(entered).assume_error();
    }
    auto linked = link(members, std::move(batch.unit));
    if (linked.has_error()) {
      const Error error = std::move(linked).assume_error();
      return compile_error(members.front().job, "link", error.code(), error.message(), "");
    }
    codes = std::move(linked).assume_value();
    (tier_of(requests.front().job) == BERTH_TIER_OPTIMIZED ? compiled_optimized_ : compiled_fast_)
        .fetch_add(codes.size(), std::memory_order_relaxed);
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

// --- load

struct HostBackend::Unclaimed {
  std::shared_ptr<const LinkedObject> object;
  ObjectMember parts;
  LinkedMember* member;
};

bool HostBackend::is_unclaimed(const CacheKey& key) {
  sync::Lock lock(members_mutex_);
  return unclaimed_.contains(key);
}

// Who has it out of the map already is about to bind it.
bool HostBackend::disown(const LinkedMember& member) {
  const sync::Lock lock(members_mutex_);
  return std::erase_if(unclaimed_, [&](const auto& entry) { return entry.second.member == &member; }) != 0;
}

// Not typed IR, which is lowered for its key; nor what JITLink or a clock is to observe.
engine::Code* HostBackend::find(const CompileRequest& request) {
  if (!may_find() || is_typed(request.job)) return nullptr;
  static_cast<void>(enter_step(options_.hook, request, "load").has_error());  // the pool says so
  CachedRequest cached = identify(request, compiler_, *cache_, options_.traits);
  return load(request, cached, Absent::Leave);
}

engine::Code* HostBackend::load(const CompileRequest& request, CachedRequest& cached, Absent absent) {
  if (!cached.key) return nullptr;
  const CacheKey& key = *cached.key;
  for (;;) {
    std::optional<Unclaimed> unclaimed;
    {
      sync::Lock lock(members_mutex_);
      if (auto entry = unclaimed_.extract(key)) unclaimed = std::move(entry.mapped());
    }
    if (unclaimed) return claim(request, cached, std::move(*unclaimed));
    std::shared_ptr<const StoredUnit>& unit = cached.found.unit;
    if (!unit && absent == Absent::Leave) unit = cache_->look(key);
    if (!unit && absent == Absent::Lease)
      cached.found = cache_->find(key, tier_of(request.job), request.cancelled);
    if (!unit) return nullptr;
    if (unit->keys.size() == 1) {  // nobody else can want a part of it
      std::vector<Unclaimed> only = link_stored(*unit);
      if (!only.empty()) return claim(request, cached, std::move(only.front()));
      cache_->refuse(key);
      cached.found = {};
      return nullptr;
    }
    const CacheKey& first = unit->keys.front();
    {
      sync::Lock lock(members_mutex_);
      if (!loading_.insert(first).second) {
        while (loading_.contains(first)) loaded_.wait(lock);
        continue;
      }
    }
    const bool linked = share(*unit);
    {
      sync::Lock lock(members_mutex_);
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

// Its members, which are nobody's yet; empty: it does not fit this process.
std::vector<HostBackend::Unclaimed> HostBackend::link_stored(const StoredUnit& stored) {
  std::vector<Unclaimed> members;  // made before there is anything to lose
  for (const ObjectMember& parts : stored.unit.members) members.push_back({nullptr, parts, nullptr});
  auto object = link_object(stored.unit, stored.image ? &*stored.image : nullptr);
  if (object.has_error()) return {};
  const auto linked_object = std::make_shared<const LinkedObject>(std::move(object).assume_value());
  LinkedUnit& linked = add_unit(*linked_object, stored.unit.members.size(), stored.unit.tier);
  for (size_t i = 0; i < members.size(); ++i) {
    members[i].object = linked_object;
    members[i].member = linked.members[i].get();
  }
  if (linked_object->loaded) {
    const LoadedUnit shared = shared_part(*linked_object->loaded, stored.unit.members);
    if (!shared.functions.empty()) linked.observed = observers_.linked(shared);
  }
  return members;
}

// So that whoever asks for one of its members finds it.
bool HostBackend::share(const StoredUnit& stored) {
  std::vector<Unclaimed> members = link_stored(stored);
  sync::Lock lock(members_mutex_);
  for (size_t i = 0; i < members.size(); ++i)
    unclaimed_.insert_or_assign(stored.keys[i], std::move(members[i]));
  return !members.empty();
}

engine::Code* HostBackend::claim(const CompileRequest& request, const CachedRequest& cached,
                                 Unclaimed unclaimed) {
  ObjectMember& parts = unclaimed.parts;
  LinkedMember& member = *unclaimed.member;
  if (!fits(parts, request, cached)) {
    cache_->refuse(*cached.key);
    units_.retire(member);
    return nullptr;
  }
  if (cached.lowered) {
    parts.addresses = cached.lowered->member.addresses;
    parts.record = cached.lowered->member.record;
  }
  if (bind_member(member, request.job, parts, *unclaimed.object).has_error()) {
    units_.retire(member);
    return nullptr;
  }
  if (unclaimed.object->loaded)
    member.observed = observers_.linked(part_of(*unclaimed.object->loaded, request, parts));
  cache_->add_hit();
  return &member.code;
}

// --- link

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
  if (name == "__cxa_throw") return reinterpret_cast<void*>(&throw_from_code);
  return runtime_library_symbol(name);
}

// `image`: the object as one, or null. Observers are told of what JITLink sees.
Result<LinkedObject> HostBackend::link_object(const ObjectUnit& unit, const ObjectImage* image) {
  const std::vector<std::string> wanted = unit.symbols();
  const bool typed = std::any_of(unit.members.begin(), unit.members.end(), [](const ObjectMember& member) {
    return !member.specialised_entry.empty();
  });
  const bool observed = observers_.wants_units();
  Linker linker(memory_);
  const auto lookup = [&](const std::string& name) { return find_symbol(name, typed); };
  const auto link = [&] {
    if (image && !observed) return linker.place(*image, wanted, lookup);
    return linker.link(llvm::MemoryBufferRef(unit.object, "object"), wanted, lookup, observed);
  };
  auto object = link();
  constexpr auto kPatience = std::chrono::milliseconds(100);
  if (!object.has_error() || object.assume_error().code() != BERTH_RESOURCE_EXHAUSTED) return object;
  // At the limit: dead code goes first, as far as the other threads poll.
  if (!units_.reclaim(sync::Clock::now() + kPatience)) return object;
  return link();
}

LinkedUnit& HostBackend::add_unit(const LinkedObject& object, size_t members, berth_tier_t tier) try {
  auto unit = std::make_unique<LinkedUnit>();
  unit->memory = object.memory;
  unit->unwind_section = object.unwind_section;
  for (size_t i = 0; i < members; ++i) {
    unit->members.push_back(units_.new_member());
    unit->members.back()->unit = unit.get();
    unit->members.back()->code.tier = tier;
  }
  return units_.add(std::move(unit));
} catch (...) {
  memory_.abandon(object.memory);
  throw;
}

// What fails is retired, and goes as other code does.
Result<std::vector<engine::Code*>> HostBackend::link(std::span<const CompileRequest> requests,
                                                     ObjectUnit&& unit) {
  BERTH_TRY(LinkedObject object, link_object(unit, nullptr));
  LinkedUnit& linked = add_unit(object, requests.size(), unit.tier);
  std::vector<engine::Code*> codes;
  for (size_t i = 0; i < requests.size(); ++i) {
    auto bound = bind_member(*linked.members[i], requests[i].job, unit.members[i], object);
    if (bound.has_error()) {
      for (const auto& member : linked.members) units_.retire(*member);
      return std::move(bound).assume_error();
    }
    codes.push_back(&linked.members[i]->code);
  }
  if (object.loaded) {
    name_methods(*object.loaded, requests, unit.members);
    linked.observed = observers_.linked(*object.loaded);
  }
  return codes;
}

Result<void> HostBackend::bind_member(LinkedMember& to, const engine::CompileJob& job, ObjectMember& member,
                                      const LinkedObject& object) {
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
    std::copy(member.addresses.begin(), member.addresses.end(),
              static_cast<const void**>(object.address(member.addresses_symbol)));
  }
  if (!member.osr_symbol.empty())
    to.osr = {static_cast<void* const*>(object.address(member.osr_symbol)), member.num_osr};
  MemberSlots slots;
  for (const EdgeSlot& slot : member.slots) slots.callees.push_back(job.source->edges[slot.edge].callee);
  BERTH_TRYV(make_slots(slots, member, object));
  if (!member.counter.unit_symbol.empty()) bind_counter(to, member.counter, object);
  units_.bind(to, job.instance.get(), std::move(slots));
  if (!to.count) return success();
  const sync::Lock lock(members_mutex_);
  counting_[to.instance] = &to;
  return success();
}

void HostBackend::bind_counter(LinkedMember& to, const TierCounter& counter, const LinkedObject& object) {
  to.backend = this;
  to.count = static_cast<sync::Atomic<int32_t>*>(object.address(counter.count_symbol));
  for (const std::string& better : counter.better_symbols) {
    to.better.push_back(static_cast<sync::Atomic<void*>*>(object.address(better)));
  }
  *static_cast<LinkedMember**>(object.address(counter.unit_symbol)) = &to;
}

void HostBackend::not_promoted(engine::CodeInstance& instance) noexcept {
  sync::Lock lock(members_mutex_);
  const auto found = counting_.find(&instance);
  if (found == counting_.end()) return;
  found->second->count->store(kTierCount, std::memory_order_relaxed);
  found->second->asked.store(false, std::memory_order_relaxed);
}

// Called by counting code, on whatever thread runs it.
void HostBackend::count_used_up(LinkedMember* member) noexcept {
  const int kept_errno = errno;
  member->count->store(kLooksPerCount * first_tier_count.load(std::memory_order_relaxed),
                       std::memory_order_relaxed);
  if (!member->asked.exchange(true, std::memory_order_relaxed) && engine::try_retain(*member->instance)) {
    const engine::CodeInstanceRef instance(member->instance, false);
    const uint64_t word = instance->word.load(std::memory_order_acquire);
    if (engine::CodeInstance::generation_of(word) == member->generation)
      member->backend->options_.promote(*instance);
  }
  errno = kept_errno;
}

void HostBackend::bind(engine::CodeInstance& instance) noexcept {
  slots_.publish(instance);
  const engine::Code* const code = engine::instance_code(instance);
  const uint64_t generation =
      engine::CodeInstance::generation_of(instance.word.load(std::memory_order_acquire));
  LinkedMember* lower = nullptr;
  {
    const sync::Lock lock(members_mutex_);
    const auto found = counting_.find(&instance);
    if (found == counting_.end() || !code) return;
    if (found->second->generation != generation || code->tier <= found->second->code.tier) return;
    lower = found->second;
    counting_.erase(found);
  }
  auto* const member = static_cast<LinkedMember*>(code->backend);
  // First: while the lower code may be entered, the better stays.
  if (member) units_.lead_on(*lower, *member);
  // The entries, then the points: both sides were lowered from one typed body.
  std::vector<void*> better = {code->entry, code->specialised_entry};
  if (member) better.insert(better.end(), member->osr.begin(), member->osr.end());
  if (code->convention != lower->code.convention) better.resize(1);
  better.resize(lower->better.size());
  for (size_t i = 0; i < better.size(); ++i) lower->better[i]->store(better[i], std::memory_order_release);
}

Result<void> HostBackend::make_slots(MemberSlots& to, ObjectMember& member, const LinkedObject& object) {
  if (member.slots.empty()) return success();
  if (!has_call_stub())
    return make_error(BERTH_UNSUPPORTED, "", "this host has no call stub for edges",
                      "call through your own pointers");
  for (EdgeSlot& edge : member.slots) {
    to.slots.push_back(std::make_unique<CallSlot>());
    to.slots.back()->word = static_cast<sync::Atomic<void*>*>(object.address(edge.symbol));
    to.slots.back()->references = std::move(edge.references);
  }
  SlabMemory::Sizes sizes;
  sizes[SlabMemory::kText] = {member.slots.size() * kTrampolineBytes, kTrampolineBytes};
  BERTH_TRY(to.trampolines, memory_.allocate(sizes));
  const SlabMemory::Part& text = to.trampolines.parts[SlabMemory::kText];
  size_t offset = 0;
  for (const auto& slot : to.slots) {
    slot->trampoline = text.address + offset;
    write_trampoline(text.writable + offset, slot.get());
    offset += kTrampolineBytes;
  }
  auto sealed = memory_.seal(to.trampolines);
  if (sealed.has_error()) memory_.abandon(to.trampolines);
  return sealed;
}

// --- the rest

void HostBackend::retire(engine::Code* code) noexcept {
  auto& member = *static_cast<LinkedMember*>(code->backend);
  retired_.fetch_add(1, std::memory_order_relaxed);
  {
    const sync::Lock lock(members_mutex_);
    if (const auto found = counting_.find(member.instance);
        found != counting_.end() && found->second == &member)
      counting_.erase(found);
  }
  units_.retire(member);
}

Result<void> HostBackend::define_symbol(const char* name, void* address) {
  if (!name || !*name || !address) {
    return make_error(BERTH_INVALID_ARGUMENT, "defining a symbol", "no name or no address", "give both");
  }
  sync::Lock lock(symbols_mutex_);
  const auto [entry, added] = symbols_.emplace(name, address);
  if (added || entry->second == address) return success();
  return make_error(BERTH_INVALID_ARGUMENT, fmt::format("defining symbol '{}'", name),
                    "it is defined at another address",
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
  for (const std::string& fault : observers_.faults())
    engine::add_item(explanation, "warnings", json_quote("observer " + fault));
}

void HostBackend::metrics(std::string& prometheus) {
  if (cache_) {
    const ObjectCache::Counts counts = cache_->counts();
    prometheus += fmt::format(
        "berth_cache_hits_total {}\nberth_cache_misses_total {}\nberth_cache_refused_total "
        "{}\nberth_cache_evicted_total {}\n"
        "berth_cache_waits_total {}\nberth_cache_on {}\n",
        counts.hits, counts.misses, counts.refused, counts.evicted, counts.waited,
        cache_->off_reason().empty() ? 1 : 0);
  }
  observers_.metrics(prometheus);
  const SlabMemory::Accounts accounts = memory_.accounts();
  const CodeUnits::Accounts units = units_.accounts();
  prometheus += fmt::format(
      "berth_compiled_total{{tier=\"fast\"}} {}\nberth_compiled_total{{tier=\"optimized\"}} {}\n"
      "berth_code_retired_total {}\nberth_code_reserved_bytes {}\nberth_code_live_bytes "
      "{}\nberth_code_limbo_bytes {}\nberth_code_free_bytes {}\nberth_code_slabs {}\n"
      "berth_code_units {}\nberth_code_passes_total {}\nberth_edge_slow_calls_total {}\n",
      compiled_fast_.load(std::memory_order_relaxed), compiled_optimized_.load(std::memory_order_relaxed),
      retired_.load(std::memory_order_relaxed), accounts.reserved_bytes, accounts.live_bytes,
      accounts.limbo_bytes, accounts.free_bytes, accounts.slabs, units.units, units.passes,
      slots_.num_slow_calls());
  const IsolatedCompiler::Stats workers = isolated_.stats();
  prometheus += fmt::format(
      "berth_compile_workers_started_total {}\nberth_compile_workers_ended_total "
      "{}\nberth_compile_workers_idle {}\n",
      workers.started, workers.ended, workers.idle);
}

}  // namespace berth::jit
