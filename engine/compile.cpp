// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling: the engine's answers to its compiler, and what it asks of it.
#include <fmt/format.h>

#include "engine/engine_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

bool Engine::Impl::claim(CodeInstance& instance) noexcept {
  uint64_t word = instance.word.load(std::memory_order_acquire);
  for (;;) {
    const InstanceState state = CodeInstance::state_of(word);
    if (state == InstanceState::Callable) return true;  // a higher tier
    if (state != InstanceState::Fulfilled) return false;
    if (instance.word.compare_exchange_weak(word, CodeInstance::with_state(word, InstanceState::Compiling),
                                            std::memory_order_acq_rel, std::memory_order_acquire)) {
      return true;
    }
  }
}

void Engine::Impl::set_compiling_agent(CodeInstance& instance, Agent* agent) {
  const sync::Lock lock(graph.mutex());
  instance.detail.load(std::memory_order_acquire)->compiling_agent = agent;
}

// Who hears of one member's entry finds those of the others.
void Engine::Impl::publish_code(std::span<NewCode> unit) {
  if (mutant::is_on("J47_wake_per_member") && unit.size() > 1) {
    for (NewCode& made : unit) publish_code({&made, 1});
    return;
  }
  Aftermath after;
  const bool stores_last = mutant::is_on("J48_code_after_state");
  for (NewCode& made : unit) {
    if (!stores_last) store_code(made);
  }
  for (const NewCode& made : unit) {
    CodeInstance* const leader = made.instance->leader.load(std::memory_order_acquire);
    // Never before its results are open: who calls a member over an edge may have it compiled while the
    // others are linked.
    uint32_t open = CodeInstance::kResultsOpen;
    if (leader && !mutant::is_on("J47_code_not_opened"))
      leader->group_open.compare_exchange_strong(open, CodeInstance::kCodeOpen, std::memory_order_release,
                                                 std::memory_order_relaxed);
  }
  for (NewCode& made : unit) {
    if (made.unused == made.code) continue;
    announce_code(made, after);
    if (trace.is_on()) trace.instant("engine", "published");
    if (stores_last) store_code(made);
  }
  settle(after, nullptr);
}

void Engine::Impl::store_code(NewCode& made) {
  CodeInstance& instance = *made.instance;
  Code* current = instance.code.load(std::memory_order_acquire);
  do {
    const bool valid = CodeInstance::is_linked(instance.word.load(std::memory_order_acquire));
    if (!valid || (current && current->tier >= made.code->tier && !mutant::is_on("R64_any_entry_replaces"))) {
      made.unused = made.code;
      return;
    }
  } while (!instance.code.compare_exchange_weak(current, made.code,
                                                mutant::order("R65_relaxed_entry", std::memory_order_acq_rel),
                                                std::memory_order_acquire));
  made.unused = current;
  latch::reach("entry", &instance);
}

// The state, after the code: whoever finds it Callable finds code.
void Engine::Impl::announce_code(NewCode& made, Aftermath& after) {
  CodeInstance& instance = *made.instance;
  uint64_t word = instance.word.load(std::memory_order_acquire);
  bool served = false;
  while (!served && !(word & CodeInstance::kEntryWaiters) && CodeInstance::is_linked(word) &&
         CodeInstance::state_of(word) != InstanceState::Callable) {
    served =
        instance.word.compare_exchange_weak(word, CodeInstance::with_state(word, InstanceState::Callable),
                                            std::memory_order_acq_rel, std::memory_order_acquire);
  }
  const sync::Lock lock(table.shard(ReservationTable::hash(instance_key(instance))).mutex);
  InstanceDetail* detail = instance.detail.load(std::memory_order_relaxed);
  {
    const sync::Lock graph_lock(graph.mutex());
    if (!served && CodeInstance::state_of(word) != InstanceState::Callable) {
      word = instance.word.load(std::memory_order_acquire);
      while (CodeInstance::is_linked(word) &&
             !instance.word.compare_exchange_weak(
                 word, CodeInstance::with_state(word & ~CodeInstance::kEntryWaiters, InstanceState::Callable),
                 std::memory_order_acq_rel, std::memory_order_acquire)) {}
      serve_entry_queue(instance, Service::Result, nullptr, after);
    }
    detail->compiling_agent = nullptr;
  }
  // No tier needs the source any more.
  if (detail->source &&
      (made.code->tier >= BERTH_TIER_OPTIMIZED || detail->source->tier == BERTH_TIER_FAST)) {
    made.source = std::move(detail->source);
  }
}

void Engine::Impl::fail_compile(CodeInstance& instance, Error error, bool may_pass) {
  FailureRef failure = out_of_memory;
  try {
    failure =
        new StoredFailure(std::move(error), instance_min_world(instance), instance_max_world(instance), -1);
  } catch (const std::bad_alloc&) { may_pass = true; }
  fail_with(instance, failure, may_pass);
}

// A failure that may pass: the next request tries again, that often.
constexpr unsigned kMostRetries = 3;

void Engine::Impl::fail_with(CodeInstance& instance, const FailureRef& failure, bool may_pass) {
  counters.compile_failures.add();
  Aftermath after;
  {
    const sync::Lock lock(table.shard(ReservationTable::hash(instance_key(instance))).mutex);
    const sync::Lock graph_lock(graph.mutex());
    InstanceDetail* detail = instance.detail.load(std::memory_order_relaxed);
    detail->compiling_agent = nullptr;
    uint64_t word = instance.word.load(std::memory_order_acquire);
    const InstanceState state = CodeInstance::state_of(word);
    if (state == InstanceState::Fulfilled || state == InstanceState::Compiling) {
      if (may_pass) {
        ++detail->passing_failures;
        detail->passing_failure = failure;
        may_pass = detail->passing_failures <= kMostRetries || mutant::is_on("J58_retries_for_ever");
      }
      if (!may_pass) detail->failure = failure;
      uint64_t next;
      do {
        next = may_pass ? CodeInstance::with_state(word & ~CodeInstance::kSubmitted, InstanceState::Fulfilled)
                        : CodeInstance::with_state(word, mutant::is_on("R57_result_dropped")
                                                             ? InstanceState::Retired
                                                             : InstanceState::Failed);
        next &= ~CodeInstance::kEntryWaiters;
      } while (!instance.word.compare_exchange_weak(word, next, std::memory_order_acq_rel,
                                                    std::memory_order_acquire));
      if (!may_pass) after.sources.push_back(std::move(detail->source));
    }
    serve_entry_queue(instance, Service::Failed, failure, after);
  }
  settle(after, nullptr);
}

void Engine::Impl::drop_compile(CodeInstance& instance) {
  Aftermath after;
  {
    const sync::Lock lock(table.shard(ReservationTable::hash(instance_key(instance))).mutex);
    const sync::Lock graph_lock(graph.mutex());
    InstanceDetail* detail = instance.detail.load(std::memory_order_relaxed);
    if (detail) detail->compiling_agent = nullptr;
    uint64_t word = instance.word.load(std::memory_order_acquire);
    for (;;) {
      uint64_t next = word & ~(CodeInstance::kSubmitted | CodeInstance::kEntryWaiters);
      if (CodeInstance::state_of(word) == InstanceState::Callable) next = word & ~CodeInstance::kPromoting;
      if (CodeInstance::state_of(word) == InstanceState::Compiling)
        next = CodeInstance::with_state(next, InstanceState::Fulfilled);
      if (instance.word.compare_exchange_weak(word, next, std::memory_order_acq_rel,
                                              std::memory_order_acquire))
        break;
    }
    const bool running = lifecycle.load(std::memory_order_acquire) == Lifecycle::Running;
    if (detail) serve_entry_queue(instance, running ? Service::LookAgain : Service::ShutDown, nullptr, after);
  }
  settle(after, nullptr);
}

// Shard and graph lock held.
void Engine::Impl::serve_entry_queue(CodeInstance& instance, Service service, const FailureRef& failure,
                                     Aftermath& after) {
  InstanceDetail* detail = instance.detail.load(std::memory_order_relaxed);
  while (detail && detail->entry_queue) {
    if (service == Service::Failed) counters.failures_delivered.add();
    serve(*detail->entry_queue, service, service == Service::Result ? &instance : nullptr, failure, after);
  }
}

namespace {

// Of a job that nobody waits for.
Priority queue_priority(const Source& source, berth_tier_t tier) noexcept {
  if (source.priority == BERTH_PRIORITY_SPECULATIVE) return Priority::Speculative;
  if (tier == BERTH_TIER_OPTIMIZED) return Priority::Optimized;
  return source.priority == BERTH_PRIORITY_ASKED ? Priority::FastAsked : Priority::Fast;
}

}  // namespace

// No lock held. `tier` INTERPRET: the source's own first tier. Without source: what there was to compile is.
CompileJob Engine::Impl::compile_job(CodeInstance& instance, berth_tier_t tier, Priority priority) {
  CompileJob job;
  shielded([&] {
    const sync::Lock lock(table.shard(ReservationTable::hash(instance_key(instance))).mutex);
    InstanceDetail* detail = instance.detail.load(std::memory_order_relaxed);
    if (!detail->source) return;
    job.source = detail->source;
    job.label = detail->label;
  });
  if (!job.source) return job;
  job.instance = &instance;
  const berth_tier_t wanted = tier == BERTH_TIER_INTERPRET ? job.source->tier : tier;
  job.tier = wanted == BERTH_TIER_OPTIMIZED ? BERTH_TIER_OPTIMIZED : BERTH_TIER_FAST;
  job.priority = priority == Priority::Fast ? queue_priority(*job.source, job.tier) : priority;
  return job;
}

void Engine::Impl::submit(CodeInstance& instance, berth_tier_t tier, Priority priority) noexcept try {
  CompileJob job = compile_job(instance, tier, priority);
  if (!job.source) return;
  Result<void> accepted = engine.compiler()->submit(std::move(job));
  if (accepted.has_error()) {
    if (accepted.assume_error().code() == BERTH_SHUT_DOWN) {
      dropped(instance);
    } else {
      failed(instance, std::move(accepted).assume_error(), true);
    }
  }
} catch (const std::bad_alloc&) {
  shielded([&] { fail_with(instance, out_of_memory, true); });
}

// First compiles. Those of a group are seen whole only if they are one unit.
void Engine::Impl::submit_first(std::span<const CodeInstanceRef> instances, Priority priority) noexcept {
  if (instances.size() > 1 && !mutant::is_on("J47_one_by_one")) {
    try {
      std::vector<CompileJob> jobs;
      jobs.reserve(instances.size());
      for (const CodeInstanceRef& instance : instances) {
        jobs.push_back(compile_job(*instance, BERTH_TIER_INTERPRET, priority));
        if (!jobs.back().source) jobs.pop_back();
      }
      // Others may have had them compiled meanwhile.
      if (jobs.size() > 1 && engine.compiler()->submit_together(jobs).has_value()) return;
    } catch (const std::bad_alloc&) {  // each has its own try
    }
  }
  for (const CodeInstanceRef& instance : instances) submit(*instance, BERTH_TIER_INTERPRET, priority);
}

Result<void> Engine::Impl::request_tier(CodeInstance& instance, berth_tier_t tier) {
  BERTH_TRYV(check_usable("request a tier"));
  uint64_t word = instance.word.load(std::memory_order_acquire);
  do {
    if (!(word & CodeInstance::kHasSource) || !CodeInstance::is_linked(word)) {
      return make_error(BERTH_NOT_FOUND, "request a tier", "the instance has no source",
                        "keep the source: tier BERTH_TIER_ADAPTIVE");
    }
    if (word & CodeInstance::kPromoting) return success();
  } while (!instance.word.compare_exchange_weak(word,
                                                word | CodeInstance::kPromoting | CodeInstance::kSubmitted,
                                                std::memory_order_acq_rel, std::memory_order_acquire));
  submit(instance, tier, tier == BERTH_TIER_OPTIMIZED ? Priority::Optimized : Priority::Fast);
  return success();
}

void Engine::Impl::record_times(CodeInstance& instance, berth_tier_t tier, const CompileTimes& times) noexcept
    try {
  auto made = std::make_unique<std::array<std::optional<CompileTimes>, 2>>();
  const sync::Lock lock(table.shard(ReservationTable::hash(instance_key(instance))).mutex);
  InstanceDetail* const detail = instance.detail.load(std::memory_order_relaxed);
  if (!detail) return;
  if (!detail->times) detail->times = std::move(made);
  (*detail->times)[tier == BERTH_TIER_OPTIMIZED] = times;
} catch (const std::bad_alloc&) {}

std::string Engine::Impl::times_json(const CodeInstance& instance) {
  std::array<std::optional<CompileTimes>, 2> times;
  {
    const sync::Lock lock(table.shard(ReservationTable::hash(instance_key(instance))).mutex);
    const InstanceDetail* const detail = instance.detail.load(std::memory_order_acquire);
    if (detail && detail->times) times = *detail->times;
  }
  std::string json;
  const char* const tiers[] = {"fast", "optimized"};
  for (size_t tier = 0; tier < times.size(); ++tier) {
    if (!times[tier]) continue;
    json += fmt::format("{}\"{}\":{{", json.empty() ? "" : ",", tiers[tier]);
    for (size_t i = 0; i < kCompilePhaseNames.size(); ++i) {
      json += fmt::format("{}\"{}_ns\":{}", i ? "," : "", kCompilePhaseNames[i], times[tier]->ns[i]);
    }
    json += '}';
  }
  return "{" + json + "}";
}

Result<void> no_units() {
  return make_error(BERTH_UNSUPPORTED, "submitting compiles together", "this compiler takes one at a time",
                    "submit each by itself");
}

Result<void> no_observers(uint32_t flags) {
  if (flags == 0) return success();
  return make_error(BERTH_UNSUPPORTED, "berth_engine_set_observers",
                    "this engine's compiler has no observers", "link libberth");
}

Code* Engine::Impl::make_code(void* entry, void* backend, uint32_t convention) {
  return shielded([&] {
    const sync::Lock lock(codes_mutex);
    const auto [place, is_new] = codes.try_emplace(CodeKey{entry, backend, convention});
    Code& code = place->second;
    if (is_new) {
      code.entry = entry;
      code.backend = backend;
      code.convention = convention;
    }
    return &code;
  });
}

}  // namespace berth::engine
