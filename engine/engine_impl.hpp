// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Engine::Impl: the engine's state and the algorithms over it, by file:
//   reserve.cpp     look, take (2.1, 2.4)            release.cpp   claim, release, abandon (2.2, 2.6)
//   plain_pair.hpp  the usual case of both, inline   wait.cpp      a wait and its steps (2.1)
//   compile.cpp     sink, submit                     publish.cpp   results, groups, edges
//   explain.cpp     explain, metrics, counts         worlds.cpp    advance, lower, promote
//   liveness.cpp    dead instances, collection       engine.cpp    life, attach, look-up
// Numbers are sections of the contract page "reservations".
#pragma once
#include <boost/container/small_vector.hpp>
#include <optional>
#include <thread>
#include <unordered_map>

#include "engine/agent_registry.hpp"
#include "engine/cancel.hpp"
#include "engine/clock.hpp"
#include "engine/engine.hpp"
#include "engine/owner_table.hpp"
#include "engine/reservation_table.hpp"
#include "engine/wait_graph.hpp"
#include "engine/world_clock.hpp"
#include "gc/thread.hpp"
#include "support/fork.hpp"
#include "support/metrics.hpp"
#include "support/mutant.hpp"
#include "support/trace.hpp"

namespace berth::engine {

enum class AbandonCause : uint8_t { Agent, Timeout, Guard, Key };
enum class Lifecycle : uint8_t { Running, ShutDown };

/// What remains to be done once no lock is held, in this order: wake, submit, lift, cancel, count, drop.
struct Aftermath {
  gc::Parker::List wakes;  // detached waiters
  boost::container::small_vector<CodeInstanceRef, 2> submits;
  boost::container::small_vector<CodeInstanceRef, 2> lifts;
  boost::container::small_vector<CodeInstanceRef, 2> cancels;
  boost::container::small_vector<CodeInstance*, 2> ended;      // claimed leases: count and reference go
  boost::container::small_vector<CodeInstance*, 2> abandoned;  // the same, not by a release
  boost::container::small_vector<CodeInstanceRef, 2> references;
  boost::container::small_vector<FailureRef, 1> failures;
  boost::container::small_vector<std::shared_ptr<Source>, 1> sources;

  void clear() noexcept {
    submits.clear();
    lifts.clear();
    cancels.clear();
    ended.clear();
    abandoned.clear();
    references.clear();
    failures.clear();
    sources.clear();
  }
};

/// What makes two entries that the engine did not make the same code.
struct CodeKey {
  struct Hash {
    size_t operator()(const CodeKey& key) const noexcept {
      return ReservationTable::hash({key.entry, key.backend}) + key.convention;
    }
  };
  bool operator==(const CodeKey&) const = default;

  void* entry = nullptr;
  void* backend = nullptr;
  uint32_t convention = 0;
};

/// One result on its way into the cache: all that publication allocates.
struct Publication {
  CodeInstance* instance = nullptr;
  uint64_t generation = 0;
  std::shared_ptr<Source> source;
  std::unique_ptr<InstanceDetail> detail;
  std::vector<std::unique_ptr<CallEdge>> edges;
  std::vector<std::unique_ptr<InstanceDetail>> spare_details;  // for edges to tokens
  Code* native = nullptr;
  bool is_compilable = false;
  uint64_t min_world = 0, max_world = 0;
  bool linked = false, duplicate = false;
};

/// One blocked call.
struct Wait {
  Waiter waiter;
  Key key{};
  uint64_t hash = 0;
  Slot* slot = nullptr;  // null: only the instance's entry is wanted
  CodeInstance* instance = nullptr;
  Deadline deadline = Deadline::never();
  Cancel* cancel = nullptr;
  CodeInstance* helped = nullptr;  // whose compile this call has tried to run in this slice
  const CodeInstance* watched =
      nullptr;  // whose compile is waited for, and how many had failed when that began
  uint8_t failures_before = 0;
  bool was_queued = false;
  bool awaits_lease = false;       // else an entry
  bool woke_by_time = false;       // the last park ended without a flag
  bool is_recruited = false;       // a foreign collector wants this thread at a safepoint
  int64_t expires_ns = INT64_MAX;  // of the lease that is waited for
  int64_t weak_since_ns = 0;       // waiting behind a weak token since; 0: not
  CodeInstanceRef target;          // Step::Help

  enum class End : uint8_t {
    None,
    Took,
    Handed,
    Hit,
    Entry,
    Failed,
    Cycle,
    TimedOut,
    Cancelled,
    ShutDown,
    NoEntry,
    Gone
  };
  End end = End::None;
  CodeInstanceRef result;
  FailureRef failure;
  std::vector<ChainLink> chain;
  bool closes_ring = false;
};

struct Engine::Impl final : CompileSink, gc::CollectionClient, Recycler {
  Impl(Engine& engine, const EngineOptions& options);
  ~Impl();

  /// Runs a part that takes engine locks. A call-shaped collector stops threads at any instruction: inside
  /// its hook it does not, so that no stopped thread holds one. Nests. Threads: any. Blocks: as the part
  /// does.
  template <class Part>
  auto shielded(Part&& part) {
    const gc::Hooks& hooks = options.collector.hooks;
    if (!hooks.table.call_safe || mutant::is_on("G48_lock_outside_the_hook")) [[likely]]
      return part();
    using Value = decltype(part());
    if constexpr (std::is_void_v<Value>) {
      gc::through_hook(hooks, part);
    } else {
      std::optional<Value> value;
      gc::through_hook(hooks, [&] { value.emplace(part()); });
      return std::move(*value);
    }
  }

  // reserve.cpp
  Result<Reservation> reserve(gc::Thread& thread, Key key, const ReserveOptions& options);
  class Attempt;
  enum class AtOnce : uint8_t { No, Lease, Hit };
  /// The usual cases. Lease: the key is ours. Hit: `got.instance` is its result, with a reference. No:
  /// nothing has changed.
  AtOnce reserve_at_once(gc::Thread& thread, Key key, const ReserveOptions& options, Lease& got);
  CodeInstance* hit_at_once(Agent& agent, const ReservationTable::Found& found, uint64_t world,
                            Need need) noexcept;
  void undo_take(Agent& agent, CodeInstance* token) noexcept;
  bool retract(Agent& agent, Slot& slot, CodeInstance& token, uint64_t generation);
  Result<Reservation> reserve_by_steps(gc::Thread& thread, Key key, const ReserveOptions& options);
  void record_unregistered(LeaseRecord lease);
  int holds(gc::Thread& thread, Key key);
  Result<void*> wait_entry(gc::Thread& thread, CodeInstance& instance, const Deadline& deadline);

  // wait.cpp
  class CancelScope;
  enum class Step : uint8_t { Done, Park, Help };
  /// Runs the wait to its end; the agent may continue on another thread. Leaves GC states as found.
  void wait(gc::Thread*& thread, Wait& wait);
  void leave_queue(Wait& wait);
  enum class Pause : uint8_t { None, ParkHook, Safepoint };
  /// Until the wait has ended, or something is to be done outside the safe region.
  Pause wait_safely(gc::Thread& thread, Wait& wait);
  Step step(Wait& wait);
  Step step_locked(Wait& wait, ReservationTable::Shard& shard, Aftermath& after);
  bool serve_key(Wait& wait, WaitTarget& target, Aftermath& after);
  bool serve_entry(Wait& wait, WaitTarget& target);
  bool take_or_expire(Wait& wait, ReservationTable::Shard& shard, Aftermath& after, bool& again);
  void unqueue(Wait& wait);
  bool mark_awaited(WaitTarget target);
  Step enqueue(Wait& wait, WaitTarget target, Aftermath& after);
  void park(gc::Thread& thread, Wait& wait);
  void ask_for_collection(gc::Thread& thread);
  static constexpr int64_t kWeakPatienceNs = 1'000'000'000;
  int64_t park_limit_ns(const Wait& wait) const;

  // release.cpp
  Result<void> release(gc::Thread& thread, Lease lease, SourcePtr source);
  /// release without source. False: the lease is stale, or the process forked; nothing has changed.
  bool give_back(gc::Thread& thread, Lease lease);
  Result<void> release_with_source(Agent& self, Lease lease, SourcePtr source);
  void give_awaited(CodeInstance& token, Agent& self);
  Result<void> release_error(gc::Thread& thread, Lease lease, Error error, int64_t retry_after_ns);
  /// Gives `hold` back if the token has it; on the slow path with the pass over the queue. The lease is
  /// claimed.
  void give(Slot& slot, CodeInstance& token, const FailureRef& failure, bool keep_failure, Aftermath& after);
  static bool give_unawaited(Slot& slot, CodeInstance& token) noexcept;
  void pass(Slot& slot, CodeInstance* giving, const FailureRef& failure, bool has_result, Aftermath& after);
  void serve(Waiter& waiter, Service service, CodeInstance* result, const FailureRef& failure,
             Aftermath& after);
  void abandon(CodeInstance& token, uint64_t generation, AbandonCause cause, Aftermath& after);
  void abandon_locked(Slot& slot, CodeInstance& token, AbandonCause cause, Aftermath& after);
  void abandon_all(Agent& agent);
  void end_lease(CodeInstance& token, Agent* self, bool is_release = true);
  void drop_lease_reference(CodeInstance& token, Agent* self);
  void trace_hold(const CodeInstance& token);
  // The running thread's own count; no read-modify-write, as nobody else writes it.
  static void count_lease(Agent& agent) {
    agent.leases_taken.store(agent.leases_taken.load(std::memory_order_relaxed) - 1,
                             std::memory_order_relaxed);
    if (agent.lifted.load(std::memory_order_relaxed) && agent.num_leases() == 0)
      agent.lifted.store(false, std::memory_order_relaxed);
    gc::Thread* thread = agent.current.load(std::memory_order_relaxed);
    if (thread->foreign) {
      thread->apply_inhibitions();
    } else {
      thread->ask_for_finalizers();
    }
  }
  void settle(Aftermath& after, Agent* self);
  static Error stale_lease(const char* asked);

  // publish.cpp
  Result<void> publish(gc::Thread& thread, std::span<const Lease> leases, std::span<SourcePtr> sources);
  Result<Publication> prepare(CodeInstance& instance, uint64_t generation, SourcePtr source);
  void publish_all(std::span<Publication> group, bool give_hold, Aftermath& after);
  void choose_worlds(std::span<Publication> group);
  bool link(Publication& publication, Slot& slot, CodeInstance* leader, Aftermath& after);
  void register_edges(Publication& publication, Aftermath& after);
  bool needs_compiler(const Source& source) const noexcept;

  // compile.cpp
  bool claim(CodeInstance& instance) noexcept override;
  void published(std::span<NewCode> unit) noexcept override {
    shielded([&] { publish_code(unit); });
  }
  void failed(CodeInstance& instance, Error error, bool may_pass) noexcept override {
    shielded([&] { fail_compile(instance, std::move(error), may_pass); });
  }
  void dropped(CodeInstance& instance) noexcept override {
    shielded([&] { drop_compile(instance); });
  }
  void release(CodeInstanceRef instance) noexcept override { Engine::release_reference(instance.detach()); }
  void publish_code(std::span<NewCode> unit);
  void store_code(NewCode& made);
  void announce_code(NewCode& made, Aftermath& after);
  void fail_compile(CodeInstance& instance, Error error, bool may_pass);
  void drop_compile(CodeInstance& instance);
  CompileJob compile_job(CodeInstance& instance, berth_tier_t tier, Priority priority);
  void submit(CodeInstance& instance, berth_tier_t tier, Priority priority) noexcept;
  void submit_first(std::span<const CodeInstanceRef> instances, Priority priority) noexcept;
  void fail_with(CodeInstance& instance, const FailureRef& failure, bool may_pass);
  /// The agent that runs the compile, for the walk of the graph; null: none.
  void set_compiling_agent(CodeInstance& instance, Agent* agent);
  Result<void> request_tier(CodeInstance& instance, berth_tier_t tier);
  void record_times(CodeInstance& instance, berth_tier_t tier, const CompileTimes& times) noexcept;
  std::string times_json(const CodeInstance& instance);
  void serve_entry_queue(CodeInstance& instance, Service service, const FailureRef& failure,
                         Aftermath& after);
  /// The record of an entry that the engine did not make: the same one for the same arguments.
  Code* make_code(void* entry, void* backend, uint32_t convention);

  // worlds.cpp
  uint64_t advance_world_with(const std::function<void(uint64_t)>& change);
  void lower_max_world(CodeInstance& instance, uint64_t max_world, Aftermath& after);
  void lower_one(CodeInstance& instance, uint64_t max_world, Aftermath& after);
  void retire_locked(CodeInstance& instance, Aftermath& after);
  Result<void> invalidate(CodeInstance& instance, uint64_t max_world);
  Result<bool> promote(std::span<CodeInstance* const> instances, uint64_t validated);

  // explain.cpp
  std::string explain();
  std::string metrics();
  void counts(berth_engine_counts_t& out);

  // liveness.cpp
  void unreferenced(CodeInstance& instance) noexcept override;
  /// Frees what lost its last reference, and calls the drop functions of payloads. No lock held.
  void bury();
  bool has_dead() const noexcept {
    return dead_.load(std::memory_order_relaxed) != nullptr || has_swept_.load(std::memory_order_relaxed);
  }
  void free_dead(CodeInstance* dead);
  CodeInstance* take_token(Agent& agent) {
    CodeInstance* token = agent.spare_tokens;
    if (!token) return new_token();
    agent.spare_tokens = token->next_free();
    --agent.num_spare;
    return token;
  }
  CodeInstance* new_token();
  // The generation first: what an unlocked reader reads of the next life, it then refuses.
  void put_token(CodeInstance& token, Agent* self) noexcept {
    const uint64_t generation = CodeInstance::generation_of(token.word.load(std::memory_order_relaxed)) + 1;
    token.word.store(generation << CodeInstance::kGenerationShift, std::memory_order_release);
    if (token.detail.load(std::memory_order_relaxed)) clear_result(token);
    if (self && self->num_spare < kMaxSpare) {
      token.set_next_free(self->spare_tokens);
      self->spare_tokens = &token;
      ++self->num_spare;
    } else {
      shielded([&] { instances.put(&token); });
    }
  }
  static constexpr uint32_t kMaxSpare = 64;
  static void clear_result(CodeInstance& token) noexcept;
  bool visit_ephemerons(const std::function<bool(const void*)>& is_marked, gc::SlotVisitor& visitor) override;
  void visit_roots(gc::SlotVisitor& visitor) override;
  void sweep(const std::function<bool(const void*)>& is_live) override;
  void after_resume() override;
  void sweep_unregistered(const std::function<bool(const void*)>& is_live, Aftermath& after);
  void sweep_slot(ReservationTable::Shard& shard, Slot& slot, size_t cell,
                  const std::function<bool(const void*)>& is_live, Aftermath& after);

  // engine.cpp
  Agent& agent_of(gc::Thread& thread) const noexcept { return static_cast<Agent&>(*thread.agent); }
  /// Neither forked nor shut down; loads only.
  bool is_usable() const noexcept {
    return !is_forked() && lifecycle.load(std::memory_order_acquire) == Lifecycle::Running;
  }
  Result<void> check_usable(const char* asked) const;
  bool is_forked() const noexcept { return home.is_forked(); }
  CodeInstanceRef retain_hit(const ReservationTable::Found& found, const Look& look) noexcept;
  CodeInstanceRef lookup(Key key, uint64_t world) noexcept;
  Code* lookup_code(Key key, uint64_t world) noexcept;
  Code* lookup_code_in_chain(Key key, uint64_t world) noexcept;
  void teardown() noexcept;
  // No read-modify-write: only the running thread takes leases.
  static void raise(gc::Thread& thread, Agent& agent) {
    agent.leases_taken.store(agent.leases_taken.load(std::memory_order_relaxed) + 1,
                             std::memory_order_relaxed);
    if (thread.foreign) thread.apply_inhibitions();
  }
  void shutdown();
  void serve_all_shut_down();
  Result<gc::Thread*> attach();
  void detach(gc::Thread& thread);
  void end_agent(Agent& agent);
  void remove_agent(Agent& agent);
  bool is_foreign() const noexcept { return options.collector.hooks.foreign; }

  Engine& engine;
  const EngineOptions& options;
  ReservationTable table;
  WaitGraph graph;
  WorldClock worlds;
  OwnerTable owners;
  AgentRegistry agents;
  Pool<CodeInstance> instances;
  Trace trace;
  // Release when it changes; acquire; read again under the shard lock before queueing.
  sync::Atomic<Lifecycle> lifecycle{Lifecycle::Running};
  const HomeProcess home;

  // Unreferenced instances, a stack pushed by anyone: CAS release, taken as a whole: exchange acquire.
  sync::Atomic<CodeInstance*> dead_{nullptr};
  // Made with the engine, as it is needed where nothing can be made.
  const FailureRef out_of_memory;
  // What a sweep left to be done when the world runs again.
  sync::Mutex swept_mutex_{Rank{346, "swept"}};
  std::vector<Aftermath> swept_ BERTH_GUARDED_BY(swept_mutex_);
  sync::Atomic<bool> has_swept_{false};  // a hint: relaxed, read again under the mutex
  bool tearing_down_ = false;            // the engine's end, one thread

  // Leases that no slot names (cycle, re-entry): a sweep looks through them. Ended ones stay until the list
  // is full.
  sync::Mutex unregistered_mutex{Rank{343, "unregistered leases"}};
  std::vector<LeaseRecord> unregistered BERTH_GUARDED_BY(unregistered_mutex);

  // Attached threads' records: type-stable, since a giver of a lease may look at one that detaches.
  sync::Mutex threads_mutex{Rank{347, "thread records"}};
  std::vector<std::unique_ptr<gc::Thread>> threads BERTH_GUARDED_BY(threads_mutex);
  std::vector<gc::Thread*> free_threads BERTH_GUARDED_BY(threads_mutex);
  uint64_t next_thread BERTH_GUARDED_BY(threads_mutex) = 1;

  Aftermath* world_aftermath =
      nullptr;  // world lock: where lower_max_world of a change leaves what is to be done

  // Code records of native entries and of compiler hooks: kept until the end and never changed, as unlocked
  // readers may be on them. One for each entry, so that they are no more than there was code at one time: who
  // frees code reuses its addresses.
  sync::Mutex codes_mutex{kRankPool};
  std::unordered_map<CodeKey, Code, CodeKey::Hash> codes BERTH_GUARDED_BY(codes_mutex);

  sync::Mutex subsystems_mutex{Rank{345, "subsystems"}};
  std::vector<Subsystem*> subsystems BERTH_GUARDED_BY(subsystems_mutex);
  std::vector<Subsystem*> subsystems_copy();

  // Slow-path counters; those of the fast path are the agents'.
  struct Counters {
    metrics::Counter cycle, reentrant, recheck, waits, wait_ns, wakes_served, wakes_time, wakes_spurious,
        recovered, handed;
    metrics::Counter duplicates, duplicate_ns, cycles_refused, timeouts, cancels, failures_delivered,
        rejected;
    metrics::Counter abandoned[4];
    metrics::Counter hook_compiled, compile_failures, foreign_compiled;
    metrics::Counter published, helped, sweeps;
  } counters;
  sync::Atomic<int64_t> num_waiting{0};                                              // a gauge: relaxed
  const int64_t num_processors = std::max(1u, std::thread::hardware_concurrency());  // 0: unknown
};

}  // namespace berth::engine
