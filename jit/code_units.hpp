// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CodeUnits: all linked code of one back end, and the end of it: out of reach, out of the stacks, out of the
// unwind lists, free.
//
//   unit     | a mark does not reach it | a search finds nobody inside | the engine has let go of all members
//   Linked   | Limbo                    | -                            | -
//   Limbo    | -                        | Deserted, unless a unit with someone inside leads to it | -
//   Deserted | -                        | -                            | freed
//
// A mark goes over call slots, from instances that are valid or referenced from outside the slots, so rings
// of calls end too. Who holds a reference may be inside without being attached, so of instances reached from
// such ones replaced code stays as well. What is unreachable once stays so; who is inside shows it at a poll
// (gc::StackSearch). No stop, and nobody waits.
//
// Passes are made by a thread of its own, which sleeps while there is nothing in sight that could go; without
// it by step(). They pause at least 20 times as long as they took. Ranks: kRankReclaim, kRankUnits. Cost of a
// pass: linear in members and slots, and one look by each thread through its own stack.
#pragma once
#include <boost/thread/thread.hpp>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "gc/stack_search.hpp"
#include "jit/linked_unit.hpp"
#include "jit/unwind_registry.hpp"
#include "support/fork.hpp"

namespace berth::jit {

inline constexpr Rank kRankReclaim{496, "reclaiming code"};
inline constexpr Rank kRankUnits{497, "code units"};

class CodeUnits {
 public:
  /// Whether a member that is nobody's can never become anybody's from now on. Called under kRankUnits.
  using Disown = std::function<bool(const LinkedMember&)>;
  /// Hears the observers' number of what is freed, before its memory is used again. Called with no lock held.
  using Freed = std::function<void(uint64_t observed)>;
  /// `engine` null: nobody's stack is looked at. Used until stop: all others.
  CodeUnits(engine::Engine* engine, SlabMemory& memory, UnwindRegistry& unwind, SlotTable& slots,
            bool has_thread, Disown disown, Freed freed = {});
  ~CodeUnits();
  CodeUnits(const CodeUnits&) = delete;
  CodeUnits& operator=(const CodeUnits&) = delete;

  /// Threads: any. Blocks: short. GC: any, kept.
  LinkedMemberPtr new_member() { return {members_.take(), {&members_}}; }
  /// Before its code can run. Its members are nobody's yet. As above; short.
  LinkedUnit& add(std::unique_ptr<LinkedUnit> unit);
  /// The member is the instance's, and calls over the slots. As above. Owns: slots consumed.
  void bind(LinkedMember& member, engine::CodeInstance* instance, MemberSlots slots);
  /// The engine has let go of the code: it was replaced, refused, or its instance has gone. As above.
  void retire(LinkedMember& member) noexcept;
  /// Callers of `lower` are led on to `better`. As above.
  void lead_on(LinkedMember& lower, LinkedMember& better) noexcept;
  /// Something may have become unreachable. As above.
  void look() noexcept;
  /// A part of a pass, if one is due. Threads: any. Blocks: may wait, for a stop. GC: must be safe, or not
  /// attached. Errors: none.
  void step() noexcept;
  /// Passes until something is freed; false: nothing can be, or not by `deadline`. As above.
  bool reclaim(sync::TimePoint deadline) noexcept;
  /// No pass from now on. Threads: any. Blocks: short, for the thread.
  void stop() noexcept;

  struct Accounts {
    size_t units, limbo;
    uint64_t passes, freed;
  };
  Accounts accounts() const;

 private:
  class Reach;
  enum class Outcome : uint8_t { Nothing, Waiting, Fruitless, Freed };

  void run();
  void start_thread() noexcept BERTH_REQUIRES(mutex_);
  Outcome pass();
  bool begin();
  void disown_members(LinkedUnit& unit) BERTH_REQUIRES(units_mutex_);
  void find_inside(std::vector<LinkedUnit*>& deserted);
  size_t free_deserted();
  bool is_forked() const noexcept { return home_.is_forked(); }

  engine::Engine* const engine_;
  SlabMemory& memory_;
  UnwindRegistry& unwind_;
  SlotTable& slots_;
  const bool has_thread_;
  const Disown disown_;
  const Freed told_;  // or empty
  const HomeProcess home_;

  mutable sync::Mutex mutex_{kRankReclaim};
  sync::Condition wake_, ended_;
  boost::thread thread_ BERTH_GUARDED_BY(mutex_);
  bool is_due_ BERTH_GUARDED_BY(mutex_) = false, is_busy_ BERTH_GUARDED_BY(mutex_) = false,
               is_stopped_ BERTH_GUARDED_BY(mutex_) = false;
  unsigned fruitless_ BERTH_GUARDED_BY(mutex_) = 0, waits_ BERTH_GUARDED_BY(mutex_) = 0;  // in a row
  sync::TimePoint next_ BERTH_GUARDED_BY(mutex_){};
  Outcome last_ BERTH_GUARDED_BY(mutex_) = Outcome::Nothing;
  uint64_t passes_ BERTH_GUARDED_BY(mutex_) = 0, freed_ BERTH_GUARDED_BY(mutex_) = 0;

  // Of the pass that runs: whoever has made is_busy_ true.
  std::unique_ptr<gc::StackSearch> search_;
  std::vector<LinkedUnit*> limbo_;
  bool has_prospects_ = false;  // something may become unreachable without anybody saying so

  // Memory of its own: one by one among all that a compile allocates and frees, members would leave ever
  // smaller gaps to it.
  MemberPool members_;
  mutable sync::Mutex units_mutex_{kRankUnits};
  std::vector<std::unique_ptr<LinkedUnit>> units_ BERTH_GUARDED_BY(units_mutex_);
  size_t num_limbo_ BERTH_GUARDED_BY(units_mutex_) = 0;
};

}  // namespace berth::jit
