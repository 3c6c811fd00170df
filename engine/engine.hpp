// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Engine: one embedder's world: collector, reservation table, code cache, worlds, compiler, and the
// subsystems that floors above add.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "berth/compiler.h"
#include "berth/engine.h"
#include "berth/reservation.h"
#include "engine/compiler.hpp"
#include "gc/collector.hpp"
#include "support/deadline.hpp"
#include "support/result.hpp"

namespace berth {
class Trace;
}

namespace berth::engine {

class Agent;
class ReservationTable;
class WorldClock;
struct CompileTimes;

using Key = berth_key_t;

struct Lease {
  CodeInstance* instance = nullptr;
  uint64_t generation = 0;
};
enum class Outcome : uint8_t { Published, Reserved, Cycle, Reentrant };
enum class Need : uint8_t { Result, Entry };

class Cancel;

struct ReserveOptions {
  uint64_t world = 0;
  Need need = Need::Result;
  Deadline deadline = Deadline::never();
  Cancel* cancel = nullptr;
  const char* label = nullptr;
  const void* guard = nullptr;
};
struct Reservation {
  Outcome outcome = Outcome::Published;
  Lease lease;
  CodeInstanceRef published;
  uint32_t depth = 0;
};

/// Named lists of the explain object: subsystems add items, which are JSON values; the engine writes each
/// list once.
using Explanation = std::map<std::string, std::string>;
inline void add_item(Explanation& explanation, const char* list, const std::string& item) {
  std::string& items = explanation[list];
  if (!items.empty()) items += ',';
  items += item;
}

/// What a floor above adds to an engine. Called with no engine lock held, but for the two collection calls
/// (world stopped).
class Subsystem {
 public:
  virtual ~Subsystem() = default;
  virtual void explain(Explanation& explanation) { (void)explanation; }
  virtual void metrics(std::string& prometheus) { (void)prometheus; }
  virtual void add_counts(berth_engine_counts_t& counts) { (void)counts; }
  virtual void visit_roots(gc::SlotVisitor& visitor) { (void)visitor; }
  virtual void shutdown() {}
};

struct EngineOptions {
  unsigned compile_threads = 0;
  bool compile_threads_set = false;  // default: cores
  gc::CollectorOptions collector;
  berth_key_traits_t traits{};
  berth_cycle_policy_t cycle_policy = BERTH_CYCLE_SHARE;
  uint32_t reentry_limit = 64;
  int64_t lease_timeout_ns = 0;
  std::string cache_directory;
  Budgets budgets = kDefaultBudgets;
  TargetChoice target;
  berth_call_error_t call_error = nullptr;
  void* call_error_context = nullptr;
  size_t code_limit_bytes = 0;
  berth_containment_t containment = BERTH_CONTAINMENT_HANDLER;
  std::string compile_worker;
  berth_compiler_hooks_t compiler_hooks{};
  void* compiler_context = nullptr;
  bool has_compiler_hooks = false;
};

class Engine final {
 public:
  static Result<std::unique_ptr<Engine>> make(const EngineOptions& options);
  ~Engine();  // shuts down first

  Result<gc::Thread*> attach();
  /// Abandons the leases of the thread's own agent, then unlinks it. Threads: the attached one.
  void detach(gc::Thread& thread);
  Result<Agent*> new_agent(const char* name);
  /// Abandons its leases first. INVALID_ARGUMENT while it is current or waits: then it goes when it is not
  /// any more.
  Result<void> delete_agent(Agent* agent);
  /// Returns the agent that was current; null if it had been deleted meanwhile.
  Result<Agent*> set_agent(gc::Thread& thread, Agent* agent);

  // As the C functions of the same names.
  Result<Reservation> reserve(gc::Thread& thread, Key key, const ReserveOptions& options);
  Result<void> release(gc::Thread& thread, Lease lease, SourcePtr source);
  Result<void> release_error(gc::Thread& thread, Lease lease, Error error, int64_t retry_after_ns);
  Result<void> publish(gc::Thread& thread, std::span<const Lease> leases, std::span<SourcePtr> sources);
  Result<bool> promote(std::span<CodeInstance* const> instances, uint64_t validated);
  Result<void> invalidate(CodeInstance& instance, uint64_t max_world);
  int holds(gc::Thread& thread, Key key);
  void* lookup_entry(Key key, uint64_t world) noexcept;
  /// The code of a hit with code, or null; as lookup_entry, borrowed until the thread's next safepoint or
  /// safe-enter.
  Code* lookup_code(Key key, uint64_t world) noexcept;
  CodeInstanceRef lookup(Key key, uint64_t world) noexcept;
  Result<void*> wait_entry(gc::Thread& thread, CodeInstance& instance, const Deadline& deadline);
  /// Asks for code of a higher tier, once per instance; the caller goes on. Threads: any. Blocks: short. GC:
  /// any, kept.
  Result<void> request_tier(CodeInstance& instance, berth_tier_t tier);
  /// The agent that runs a compile, for the walk of the wait graph; null: none. Threads: any. Blocks: short.
  void set_compiling_agent(CodeInstance& instance, Agent* agent);
  /// Drops a reference and, if it was the last, frees what hung on it now. Threads: any, no lock held.
  /// Blocks: short.
  static void release_reference(CodeInstance* instance);
  bool is_forked() const noexcept;
  /// The foreign collector's sweep; see berth_engine_sweep.
  void sweep(const std::function<bool(const void*)>& is_live);

  /// Current world. Threads: any. Blocks: never.
  uint64_t world() const noexcept;
  uint64_t advance_world();
  /// Runs `change` under the world lock with the current world, then advances it; for definitions: `change`
  /// allocates nothing, takes no lock but higher-ranked leaves, and may call lower_max_world. Returns the new
  /// world.
  uint64_t advance_world_with(const std::function<void(uint64_t world)>& change);
  /// Under the world lock only (from advance_world_with): closes the instance and its transitive callers at
  /// `max_world`.
  void lower_max_world(CodeInstance& instance, uint64_t max_world);

  Result<void> shutdown();
  std::string explain();
  std::string metrics();
  void counts(berth_engine_counts_t& out);
  Result<void> trace_start(const char* path);
  Result<void> trace_stop();
  Trace& trace() noexcept;
  Result<void> set_observers(uint32_t flags);
  /// The last compile's at that tier. Threads: any, no lock held. Blocks: short. Lost if memory is out.
  void record_times(CodeInstance& instance, berth_tier_t tier, const CompileTimes& times) noexcept;
  static std::string times_json(const CodeInstance& instance);

  gc::Collector& collector() noexcept { return *collector_; }
  Compiler* compiler() noexcept { return compiler_.get(); }
  const Compiler* compiler() const noexcept { return compiler_.get(); }
  void add_subsystem(Subsystem* subsystem);
  void remove_subsystem(Subsystem* subsystem);
  const EngineOptions& options() const noexcept { return options_; }

  struct Impl;
  Impl& impl() noexcept { return *impl_; }

 private:
  explicit Engine(const EngineOptions& options);
  EngineOptions options_;
  std::unique_ptr<gc::Collector> collector_;
  std::unique_ptr<Compiler> compiler_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::engine
