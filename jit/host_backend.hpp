// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HostBackend: a job's source becomes linked host code: ObjectCompiler makes the object, this links it, binds
// its edges and counters, and keeps it. Nothing outside but edges, defined symbols and the runtime library is
// seen from inside.
//
// Code goes when nothing leads to it and nobody is inside (CodeUnits); after close all that is left stays
// until the back end is deleted. Ranks: kRankMembers and kRankSymbols, leaves.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/engine.hpp"
#include "jit/cached_request.hpp"
#include "jit/call_slot.hpp"
#include "jit/code_generator.hpp"
#include "jit/code_units.hpp"
#include "jit/isolated_compiler.hpp"
#include "jit/object_compiler.hpp"
#include "jit/observers/observers.hpp"
#include "jit/slab_memory.hpp"
#include "jit/unwind_registry.hpp"

namespace berth::jit {

struct LinkedObject;

inline constexpr Rank kRankMembers{500, "linked members"};
inline constexpr Rank kRankSymbols{500, "defined symbols"};

class HostBackend final : public CodeGenerator, public engine::Subsystem {
 public:
  struct Options {
    SlabSystem system = SlabSystem::real();
    UnwindSystem unwind = UnwindSystem::real();
    size_t slab_bytes = size_t{64} << 20;
    size_t limit_bytes = 0;       // of code; 0: none
    bool reclaim_thread = false;  // false: dead code goes while other code is made
    StepHook hook;                // or empty
    // Asks for the instance's OPTIMIZED tier; called from its code when its count is used up. Empty: code of
    // adaptive sources stays FAST.
    std::function<void(engine::CodeInstance&)> promote;
    bool pre_check = true;  // off only in tests of the containment
    std::optional<ObjectCache::Options> cache;
    berth_key_traits_t traits{};  // for the owners' tokens
    engine::TargetChoice target;
    bool isolate_all = false;  // else only sources that ask for it
    IsolatedCompiler::Options isolation;
  };
  /// `engine` may still be under construction; null in unit tests, where edges to instances without code
  /// raise NOT_FOUND.
  HostBackend(engine::Engine* engine, Options options);
  explicit HostBackend(engine::Engine* engine) : HostBackend(engine, Options{}) {}
  ~HostBackend() override;

  Result<Answers> generate(std::span<const CompileRequest> requests) override;
  engine::Code* find(const CompileRequest& request) override;
  bool may_find() const noexcept override {
    return cache_ && !observers_.wants_units() && !observers_.wants_times();
  }
  void bind(engine::CodeInstance& instance) noexcept override;
  void retire(engine::Code* code) noexcept override;
  void not_promoted(engine::CodeInstance& instance) noexcept override;
  void trim(std::chrono::nanoseconds unused) override { compiler_.trim(unused); }
  void unlinked() noexcept override { units_.look(); }
  Result<void> define_symbol(const char* name, void* address) override;
  Result<void> set_observers(uint32_t flags) override { return observers_.set(flags); }
  void open() override;
  void close() noexcept override;

  void explain(engine::Explanation& explanation) override;
  void add_counts(berth_engine_counts_t& counts) override;
  void metrics(std::string& prometheus) override;

  SlabMemory::Accounts memory_accounts() const { return memory_.accounts(); }
  size_t num_contexts() const noexcept { return compiler_.num_contexts(); }
  size_t num_machines() const noexcept { return compiler_.num_machines(); }
  CodeUnits& units() noexcept { return units_; }
  IsolatedCompiler::Stats workers() const { return isolated_.stats(); }
  size_t num_unwind_lists() const { return unwind_.num_lists(); }
  size_t num_slow_calls() const noexcept { return slots_.num_slow_calls(); }

 private:
  struct Unclaimed;  // a member that came with another from the cache, for whoever asks for it

  Result<Answers> find_or_compile(std::span<const CompileRequest> requests);
  Result<Answers> compile(std::span<const CompileRequest> requests, std::span<CachedRequest> cached);
  enum class Absent { Lease, Leave };  // what is not there: it will be made, or not
  /// Code from the cache; null: compile it.
  engine::Code* load(const CompileRequest& request, CachedRequest& cached, Absent absent);
  engine::Code* claim(const CompileRequest& request, const CachedRequest& cached, Unclaimed unclaimed);
  std::vector<Unclaimed> link_stored(const StoredUnit& stored);
  bool share(const StoredUnit& stored);
  bool is_unclaimed(const CacheKey& key);
  bool disown(const LinkedMember& member);
  Result<CompiledBatch> make_objects(std::span<const CompileRequest> requests);
  /// One code per request, in their order. The error is unadorned.
  Result<LinkedObject> link_object(const ObjectUnit& unit, const ObjectImage* image);
  Result<std::vector<engine::Code*>> link(std::span<const CompileRequest> requests, ObjectUnit&& unit);
  Result<void> bind_member(LinkedMember& to, const engine::CompileJob& job, ObjectMember& member,
                           const LinkedObject& object);
  /// A unit of members that are nobody's yet.
  LinkedUnit& add_unit(const LinkedObject& object, size_t members, berth_tier_t tier);
  /// The slots of its edges, with trampolines.
  Result<void> make_slots(MemberSlots& to, ObjectMember& member, const LinkedObject& object);
  void bind_counter(LinkedMember& to, const TierCounter& counter, const LinkedObject& object);
  static void count_used_up(LinkedMember* member) noexcept;
  void* find_symbol(const std::string& name, bool typed);
  Result<void*> drive(engine::CodeInstanceRef& callee, StubArguments arguments);

  engine::Engine* const engine_;
  const Options options_;
  ObjectCompiler compiler_;
  IsolatedCompiler isolated_;
  SlabMemory memory_;
  UnwindRegistry unwind_;  // before memory_ goes
  Observers observers_;    // as above
  SlotTable slots_;
  CodeUnits units_;
  sync::Mutex members_mutex_{kRankMembers};
  // Counting FAST code by its instance, until better code is published or it is retired.
  std::unordered_map<const engine::CodeInstance*, LinkedMember*> counting_ BERTH_GUARDED_BY(members_mutex_);
  std::map<CacheKey, Unclaimed> unclaimed_ BERTH_GUARDED_BY(members_mutex_);
  // First keys of stored units that are being linked: who needs another member waits for it, instead of
  // linking all of them again.
  std::set<CacheKey> loading_ BERTH_GUARDED_BY(members_mutex_);
  sync::Condition loaded_;
  sync::Mutex symbols_mutex_{kRankSymbols};
  std::map<std::string, void*, std::less<>> symbols_ BERTH_GUARDED_BY(symbols_mutex_);
  std::unique_ptr<ObjectCache> cache_;  // or null
  bool registered_ = false;             // by open, read by close: ordered by the pool
  // Counters, order nothing: relaxed.
  sync::Atomic<uint64_t> compiled_fast_{0}, compiled_optimized_{0}, retired_{0};
};

}  // namespace berth::jit
