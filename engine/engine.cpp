// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/engine.hpp"

#include <fmt/format.h>

#include <thread>

#include "engine/engine_impl.hpp"
#include "engine/hook_compiler.hpp"
#include "gc/thread.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {
namespace {

// Whether an instance is the slot's, of no group, and valid for the world. Between two looks at its word.
[[gnu::always_inline]] inline bool covers(const CodeInstance& instance, const Slot& slot,
                                          uint64_t world) noexcept {
  return instance.slot.load(std::memory_order_acquire) == &slot &&
         !instance.leader.load(std::memory_order_acquire) &&
         instance.min_world.load(std::memory_order_acquire) <= world &&
         world <= instance.max_world.load(std::memory_order_acquire);
}

}  // namespace

Engine::Impl::Impl(Engine& engine, const EngineOptions& options)
    : engine(engine),
      options(options),
      owners(options.traits),
      out_of_memory(new StoredFailure(
          make_error(BERTH_OUT_OF_MEMORY, "compile", "memory allocation failed", "free memory and try again"),
          0, UINT64_MAX, -1)) {}

Engine::Impl::~Impl() = default;

Result<void> Engine::Impl::check_usable(const char* asked) const {
  if (mutant::is_on("R53_check_under_lock")) const sync::Lock lock(const_cast<WorldClock&>(worlds).mutex());
  if (is_forked()) {
    return make_error(BERTH_FORKED, asked, "the process forked; this engine belongs to the parent",
                      "make a new engine in the child");
  }
  if (lifecycle.load(std::memory_order_acquire) != Lifecycle::Running) {
    return make_error(BERTH_SHUT_DOWN, asked, "the engine is shut down", "make a new engine");
  }
  return success();
}

// Look-up

CodeInstanceRef Engine::Impl::retain_hit(const ReservationTable::Found& found, const Look& look) noexcept {
  if (!mutant::is_on("R8_no_retain") && !try_retain(*look.instance)) return nullptr;
  CodeInstanceRef instance(look.instance, false);
  const uint64_t word = instance->word.load(std::memory_order_acquire);
  if (CodeInstance::generation_of(word) != look.generation || !CodeInstance::is_linked(word) ||
      !ReservationTable::is_current(found)) {
    return nullptr;
  }
  return instance;
}

CodeInstance* Engine::Impl::hit_at_once(Agent& agent, const ReservationTable::Found& found, uint64_t world,
                                        Need need) noexcept {
  CodeInstance* const newest = found.slot->head.load(std::memory_order_acquire);
  // To be written, as the reference is: one transfer of the line if another processor had it, not two.
  __builtin_prefetch(newest, 1);
  const uint64_t word = newest ? newest->word.load(std::memory_order_acquire) : 0;
  const bool is_hit = need == Need::Result ? CodeInstance::is_linked(word)
                                           : CodeInstance::state_of(word) == InstanceState::Callable;
  if (!is_hit || !covers(*newest, *found.slot, world)) return nullptr;
  CodeInstanceRef instance = retain_hit(found, {Find::Hit, newest, CodeInstance::generation_of(word)});
  if (instance) bump(agent.counts.published);
  return instance.detach();
}

CodeInstanceRef Engine::Impl::lookup(Key key, uint64_t world) noexcept {
  key.owner = owners.intern(key.owner);
  if (world == 0) world = worlds.now();
  const uint64_t hash = ReservationTable::hash(key);
  for (;;) {
    const ReservationTable::Found found = table.find(key, hash);
    if (!found.slot) return nullptr;
    const Look look = ReservationTable::look(*found.slot, world, Need::Result);
    if (look.find == Find::Nothing) {
      if (ReservationTable::is_current(found)) return nullptr;
      continue;
    }
    if (CodeInstanceRef instance = retain_hit(found, look)) return instance;
  }
}

inline Code* Engine::Impl::lookup_code(Key key, uint64_t world) noexcept {
  if (key.owner && owners.has_traits()) return lookup_code_in_chain(key, world);
  if (world == 0) world = worlds.now();
  const ReservationTable::Found found = table.find(key, ReservationTable::hash(key));
  if (!found.slot) return nullptr;
  // Nearly always the newest instance is the one, and has its code.
  if (const CodeInstance* instance = found.slot->head.load(std::memory_order_acquire)) {
    const uint64_t word = instance->word.load(std::memory_order_acquire);
    const bool fits = covers(*instance, *found.slot, world);
    Code* code = instance->code.load(std::memory_order_acquire);
    if (fits && CodeInstance::state_of(word) == InstanceState::Callable &&
        CodeInstance::generation_of(instance->word.load(std::memory_order_acquire)) ==
            CodeInstance::generation_of(word) &&
        ReservationTable::is_current(found)) [[likely]] {
      return code;
    }
  }
  return lookup_code_in_chain(key, world);
}

Code* Engine::Impl::lookup_code_in_chain(Key key, uint64_t world) noexcept {
  key.owner = owners.intern(key.owner);
  if (world == 0) world = worlds.now();
  const uint64_t hash = ReservationTable::hash(key);
  for (;;) {
    const ReservationTable::Found found = table.find(key, hash);
    if (!found.slot) return nullptr;
    const Look look = ReservationTable::look(*found.slot, world, Need::Entry);
    Code* code = nullptr;
    if (look.find == Find::Hit) code = look.instance->code.load(std::memory_order_acquire);
    if (look.find == Find::Target) code = announced_code(*look.instance);
    // The generation after the code: a recycled instance's code belongs to another key.
    const bool same =
        !look.instance ||
        CodeInstance::generation_of(look.instance->word.load(std::memory_order_acquire)) == look.generation;
    if (same && ReservationTable::is_current(found)) return code;
  }
}

// Threads and agents

// Also after shutdown: who holds a lease may still give it back, a fibre may end its wait on another thread.
Result<gc::Thread*> Engine::Impl::attach() {
  BERTH_TRYV(is_forked() ? check_usable("berth_thread_attach") : success());
  gc::Thread* thread = nullptr;
  uint64_t number = 0;
  {
    auto fresh = std::make_unique<gc::Thread>();
    const sync::Lock lock(threads_mutex);
    number = next_thread++;
    if (free_threads.empty()) {
      free_threads.reserve(threads.size() + 1);
      thread = fresh.get();
      threads.push_back(std::move(fresh));
    } else {
      thread = free_threads.back();
      free_threads.pop_back();
    }
  }
  struct Undo {
    Impl* impl;
    gc::Thread* thread;
    Agent* agent = nullptr;
    ~Undo() {
      if (!impl) return;
      if (agent) impl->agents.remove(agent);
      const sync::Lock lock(impl->threads_mutex);
      impl->free_threads.push_back(thread);  // its room was made with the record
    }
  } undo{this, thread};
  Agent* agent = undo.agent = agents.add(std::make_unique<Agent>(engine, fmt::format("thread {}", number)));
  thread->engine = &engine;
  thread->language = nullptr;
  thread->detach_at_exit = [](gc::Thread& exiting) { static_cast<Engine*>(exiting.engine)->detach(exiting); };
  BERTH_TRYV(engine.collector().attach(*thread, *agent));
  undo.impl = nullptr;
  return thread;
}

void Engine::Impl::detach(gc::Thread& thread) {
  if (is_forked()) return;
  if (!thread.attachment) {
    engine.collector().detach(thread);  // reports the misuse
    return;
  }
  if (thread.agent != thread.own_agent) static_cast<void>(engine.set_agent(thread, nullptr).has_error());
  Agent& agent = agent_of(thread);
  abandon_all(agent);
  engine.collector().detach(thread);
  remove_agent(agent);
  if (has_dead()) bury();
  const sync::Lock lock(threads_mutex);
  free_threads.push_back(&thread);
}

void Engine::Impl::end_agent(Agent& agent) {
  abandon_all(agent);
  remove_agent(agent);
  if (has_dead()) bury();
}

void Engine::Impl::remove_agent(Agent& agent) {
  agent.set_park_hooks(nullptr, nullptr,
                       nullptr);  // the embedder's context ends here; a notifier may come late
  while (CodeInstance* token = agent.spare_tokens) {
    agent.spare_tokens = token->next_free();
    instances.put(token);
  }
  agent.num_spare = 0;
  agents.remove(&agent);
}

// Shutdown

void Engine::Impl::shutdown() {
  if (lifecycle.exchange(Lifecycle::ShutDown, std::memory_order_acq_rel) == Lifecycle::ShutDown) return;
  serve_all_shut_down();
  if (engine.compiler()) engine.compiler()->stop(StopMode::Drop);
  bury();
}

// Who queues later took the shard's lock after us and sees the state.
void Engine::Impl::serve_all_shut_down() {
  for (unsigned i = mutant::is_on("R52_one_shard_skipped"); i < ReservationTable::kShards; ++i) {
    Aftermath after;
    {
      ReservationTable::Shard& shard = table.shard_at(i);
      const sync::Lock lock(shard.mutex);
      const sync::Lock graph_lock(graph.mutex());
      table.for_each_slot(shard, [&](Slot& slot, size_t) {
        while (slot.queue) serve(*slot.queue, Service::ShutDown, nullptr, nullptr, after);
        for (CodeInstance* instance = slot.head.load(std::memory_order_relaxed); instance;
             instance = instance->next.load(std::memory_order_relaxed)) {
          serve_entry_queue(*instance, Service::ShutDown, nullptr, after);
        }
      });
    }
    settle(after, nullptr);
  }
}

// One thread is left. References among instances count no more: everything goes.
void Engine::Impl::teardown() noexcept {
  bury();
  tearing_down_ = true;
  const auto for_each_detail = [&](auto&& function) {
    instances.for_each([&](CodeInstance& instance) {
      if (InstanceDetail* detail = instance.detail.load(std::memory_order_acquire))
        function(instance, *detail);
    });
  };
  for_each_detail([](CodeInstance&, InstanceDetail& detail) {
    while (!detail.callees.empty()) {
      CallEdge* edge = &detail.callees.front();
      delete edge;
    }
  });
  for_each_detail([](CodeInstance& instance, InstanceDetail& detail) {
    instance.detail.store(nullptr, std::memory_order_release);
    delete &detail;
  });
  for (unsigned i = 0; i < ReservationTable::kShards; ++i) {
    ReservationTable::Shard& shard = table.shard_at(i);
    const sync::Lock lock(shard.mutex);
    table.for_each_slot(shard, [](Slot& slot, size_t) {
      if (const StoredFailure* failure = slot.failure.exchange(nullptr, std::memory_order_acq_rel))
        intrusive_ptr_release(failure);
    });
  }
}

std::vector<Subsystem*> Engine::Impl::subsystems_copy() {
  return shielded([&] {
    const sync::Lock lock(subsystems_mutex);
    return subsystems;
  });
}

// Engine

Engine::Engine(const EngineOptions& options)
    : options_(options), impl_(std::make_unique<Impl>(*this, options_)) {
  gc::CollectorOptions collector_options = options_.collector;
  collector_options.trace = &impl_->trace;
  collector_ = std::make_unique<gc::Collector>(collector_options);
  collector_->add_client(impl_.get());
  CompilerOptions compiler_options;
  compiler_options.threads = options_.compile_threads_set ? options_.compile_threads
                                                          : std::max(1u, std::thread::hardware_concurrency());
  compiler_options.cache_directory = options_.cache_directory;
  compiler_options.budgets = options_.budgets;
  compiler_options.target = options_.target;
  compiler_options.code_limit_bytes = options_.code_limit_bytes;
  compiler_options.containment = options_.containment;
  compiler_options.compile_worker = options_.compile_worker;
  compiler_ = make_compiler(*this, *impl_, compiler_options);
  if (options_.has_compiler_hooks) {
    auto hooks = std::make_unique<HookCompiler>(
        options_.compiler_hooks, options_.compiler_context, *impl_,
        [impl = impl_.get()](void* entry, void* backend) {
          return impl->make_code(entry, backend, HookCompiler::kConvention);
        },
        std::move(compiler_));
    add_subsystem(hooks.get());
    compiler_ = std::move(hooks);
  }
}

Result<std::unique_ptr<Engine>> Engine::make(const EngineOptions& options) {
  BERTH_TRYV(options.target.is_default() ? success() : check_target(options.target));
  return std::unique_ptr<Engine>(new Engine(options));
}

Engine::~Engine() {
  static_cast<void>(shutdown().has_error());
  impl_->teardown();
  compiler_.reset();
  if (gc::Thread* thread = gc::current_thread(collector_.get())) {
    gc::in_safe(*thread, [&] { collector_->remove_client(impl_.get()); });
  } else {
    collector_->remove_client(impl_.get());
  }
  collector_.reset();  // threads that are still attached lose their records; their agents end with the
                       // engine's state
}

Result<gc::Thread*> Engine::attach() {
  return impl_->shielded([&] { return impl_->attach(); });
}
void Engine::detach(gc::Thread& thread) {
  impl_->shielded([&] { impl_->detach(thread); });
}

Result<Agent*> Engine::new_agent(const char* name) {
  BERTH_TRYV(impl_->check_usable("berth_agent_new"));
  return impl_->shielded(
      [&] { return impl_->agents.add(std::make_unique<Agent>(*this, name ? name : "agent")); });
}

Result<void> Engine::delete_agent(Agent* agent) {
  if (impl_->is_forked()) return success();
  if (impl_->shielded([&] { return impl_->agents.defer(*agent); })) {
    if constexpr (kDebugChecks) die("an agent is deleted while it waits or is current on a thread");
    return make_error(BERTH_INVALID_ARGUMENT, "berth_agent_delete",
                      "the agent waits or is current on a thread: deleted once it is not",
                      "set another agent on its thread first");
  }
  impl_->shielded([&] { impl_->end_agent(*agent); });
  return success();
}

Result<Agent*> Engine::set_agent(gc::Thread& thread, Agent* agent) {
  BERTH_TRYV(impl_->is_forked() ? impl_->check_usable("berth_thread_set_agent") : success());
  return impl_->shielded([&]() -> Result<Agent*> {
    BERTH_TRY(gc::Agent * previous, collector_->set_agent(thread, agent));
    Agent* const before = static_cast<Agent*>(previous);
    if (before == thread.agent || !impl_->agents.is_due(*before)) return before;
    impl_->end_agent(*before);
    return nullptr;
  });
}

Result<Reservation> Engine::reserve(gc::Thread& thread, Key key, const ReserveOptions& options) {
  return impl_->reserve(thread, key, options);
}
Result<void> Engine::release(gc::Thread& thread, Lease lease, SourcePtr source) {
  return impl_->release(thread, lease, std::move(source));
}
Result<void> Engine::release_error(gc::Thread& thread, Lease lease, Error error, int64_t retry_after_ns) {
  return impl_->shielded(
      [&] { return impl_->release_error(thread, lease, std::move(error), retry_after_ns); });
}
Result<void> Engine::publish(gc::Thread& thread, std::span<const Lease> leases,
                             std::span<SourcePtr> sources) {
  return impl_->shielded([&] { return impl_->publish(thread, leases, sources); });
}
Result<bool> Engine::promote(std::span<CodeInstance* const> instances, uint64_t validated) {
  return impl_->shielded([&] { return impl_->promote(instances, validated); });
}
Result<void> Engine::invalidate(CodeInstance& instance, uint64_t max_world) {
  return impl_->shielded([&] { return impl_->invalidate(instance, max_world); });
}
int Engine::holds(gc::Thread& thread, Key key) { return impl_->holds(thread, key); }

void* Engine::lookup_entry(Key key, uint64_t world) noexcept {
  const Code* code = impl_->lookup_code(key, world);
  return code ? code->entry : nullptr;
}
Code* Engine::lookup_code(Key key, uint64_t world) noexcept { return impl_->lookup_code(key, world); }
CodeInstanceRef Engine::lookup(Key key, uint64_t world) noexcept {
  if (mutant::is_on("G26_poll_in_lookup")) gc::current_thread(collector_.get())->safepoint();
  return impl_->lookup(key, world);
}
Result<void*> Engine::wait_entry(gc::Thread& thread, CodeInstance& instance, const Deadline& deadline) {
  return impl_->wait_entry(thread, instance, deadline);
}
Result<void> Engine::request_tier(CodeInstance& instance, berth_tier_t tier) {
  return impl_->shielded([&] { return impl_->request_tier(instance, tier); });
}
void Engine::set_compiling_agent(CodeInstance& instance, Agent* agent) {
  impl_->shielded([&] { impl_->set_compiling_agent(instance, agent); });
}
void Engine::release_reference(CodeInstance* instance) {
  Impl& impl = static_cast<Impl&>(*instance->recycler);
  if (impl.is_forked()) return;
  intrusive_ptr_release(instance);
  if (impl.has_dead()) impl.bury();
}
bool Engine::is_forked() const noexcept { return impl_->is_forked(); }
void Engine::sweep(const std::function<bool(const void*)>& is_live) {
  impl_->shielded([&] { impl_->sweep(is_live); });
}

uint64_t Engine::world() const noexcept { return impl_->worlds.now(); }
uint64_t Engine::advance_world() { return advance_world_with({}); }
uint64_t Engine::advance_world_with(const std::function<void(uint64_t)>& change) {
  return impl_->shielded([&] { return impl_->advance_world_with(change); });
}
void Engine::lower_max_world(CodeInstance& instance, uint64_t max_world) {
  impl_->lower_max_world(instance, max_world, *impl_->world_aftermath);
}

Result<void> Engine::shutdown() {
  if (impl_->is_forked()) return success();
  gc::Thread* thread = gc::current_thread(collector_.get());
  if (impl_->lifecycle.load(std::memory_order_acquire) != Lifecycle::Running) return success();
  const auto subsystems = impl_->subsystems_copy();
  for (auto each = subsystems.rbegin(); each != subsystems.rend(); ++each) (*each)->shutdown();
  if (thread) {
    gc::in_safe(*thread, [&] { impl_->shutdown(); });  // it waits for the compile threads
  } else {
    impl_->shielded([&] { impl_->shutdown(); });
  }
  return success();
}

std::string Engine::explain() {
  return impl_->shielded([&] { return impl_->explain(); });
}
std::string Engine::metrics() {
  gc::Thread* thread = gc::current_thread(collector_.get());
  if (!thread) return impl_->shielded([&] { return impl_->metrics(); });
  std::string text;
  gc::in_safe(*thread, [&] { text = impl_->metrics(); });  // it takes the registry's lock
  return text;
}
void Engine::counts(berth_engine_counts_t& out) {
  impl_->shielded([&] { impl_->counts(out); });
}
Result<void> Engine::trace_start(const char* path) { return impl_->trace.start(path); }
Result<void> Engine::trace_stop() { return impl_->trace.stop(); }
Trace& Engine::trace() noexcept { return impl_->trace; }
Result<void> Engine::set_observers(uint32_t flags) {
  BERTH_TRYV(impl_->check_usable("berth_engine_set_observers"));
  return compiler_ ? compiler_->set_observers(flags) : no_observers(flags);
}
void Engine::record_times(CodeInstance& instance, berth_tier_t tier, const CompileTimes& times) noexcept {
  impl_->shielded([&] { impl_->record_times(instance, tier, times); });
}
std::string Engine::times_json(const CodeInstance& instance) {
  Impl& impl = static_cast<Impl&>(*instance.recycler);
  return impl.shielded([&] { return impl.times_json(instance); });
}

void Engine::add_subsystem(Subsystem* subsystem) {
  const sync::Lock lock(impl_->subsystems_mutex);
  impl_->subsystems.push_back(subsystem);
}
void Engine::remove_subsystem(Subsystem* subsystem) {
  const sync::Lock lock(impl_->subsystems_mutex);
  std::erase(impl_->subsystems, subsystem);
}

}  // namespace berth::engine
