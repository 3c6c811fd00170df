// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CodeInstance: token while reserved, result afterwards. One 64-bit word holds generation, leased bit, state
// and flags.
//
//   state     | released, result    | without  | compiling | published     | compile fails     | range empty
//   Reserved  | Fulfilled, Callable | Rejected | -         | -             | -                 | -
//   Fulfilled | duplicate           | stays    | Compiling | Callable      | Failed            | Retired
//   Compiling | duplicate           | stays    | refused   | Callable      | Failed, Fulfilled | Retired
//   Callable  | duplicate           | stays    | stays     | code replaced | stays             | Retired
//   Failed    | superseded          | stays    | refused   | refused       | stays             | Retired
//   Rejected and Retired are final: the memory goes back to its pool with the last reference.
//
// Memory is type-stable: whoever reads without a reference compares the generation afterwards.
#pragma once
#include <boost/intrusive_ptr.hpp>
#include <cstddef>
#include <cstdint>

#include "berth/reservation.h"
#include "support/mutant.hpp"
#include "support/sync.hpp"

namespace berth::engine {

class Agent;
class Recycler;
class SourceBody;
struct CodeInstance;
struct InstanceDetail;
struct Slot;

/// Threads: any. Blocks: never. GC: any, kept. The last release leaves the rest to the engine's next call
/// without locks.
void intrusive_ptr_add_ref(CodeInstance* instance) noexcept;
void intrusive_ptr_release(CodeInstance* instance) noexcept;
using CodeInstanceRef = boost::intrusive_ptr<CodeInstance>;

/// Immutable once published. Made by the compiler, freed through Compiler::retire.
struct Code {
  void* entry = nullptr;              // the source's own; for typed IR the boxed convention
  void* specialised_entry = nullptr;  // or null
  uint32_t convention = 0;            // of the specialised entry; the lowering's own number
  berth_tier_t tier = BERTH_TIER_FAST;
  const void* low = nullptr;  // range of the code, for retirement and backtraces
  const void* high = nullptr;
  void* backend = nullptr;  // the compiler's own record
};

enum class InstanceState : uint8_t {
  Free,
  Reserved,
  Rejected,
  Fulfilled,
  Compiling,
  Callable,
  Failed,
  Retired
};

struct alignas(64) CodeInstance {
  static constexpr uint64_t kStateMask = 15;
  static constexpr uint64_t kLeased = 16;  // a lease is out
  static constexpr uint64_t kEntryWaiters =
      32;  // someone waits for the entry: changes then happen under shard and graph lock
  static constexpr uint64_t kHasSource = 64;   // compilable
  static constexpr uint64_t kSubmitted = 128;  // a compile was asked for
  static constexpr uint64_t kPromoting = 256;  // a higher tier was asked for
  static constexpr uint64_t kConstant = 512;
  static constexpr unsigned kGenerationShift = 16;

  static InstanceState state_of(uint64_t word) noexcept {
    return static_cast<InstanceState>(word & kStateMask);
  }
  static uint64_t generation_of(uint64_t word) noexcept { return word >> kGenerationShift; }
  static uint64_t with_state(uint64_t word, InstanceState state) noexcept {
    return (word & ~kStateMask) | static_cast<uint64_t>(state);
  }
  /// Linked into the cache: found by look-ups.
  static bool is_linked(uint64_t word) noexcept {
    const auto state = state_of(word);
    return state >= InstanceState::Fulfilled && state <= InstanceState::Failed;
  }
  InstanceState state() const noexcept { return state_of(word.load(std::memory_order_acquire)); }

  // Every change: CAS acq_rel (publisher sees the waiter bit, waiters the entry or error). Read: acquire.
  sync::Atomic<uint64_t> word{0};
  // Code and entries before the pointer: CAS acq_rel, failure acquire. Read: acquire.
  sync::Atomic<Code*> code{nullptr};
  Recycler* recycler = nullptr;  // the engine's; set once. Here, as who drops a reference reads nothing else
  // Filled before seen: release under the shard lock. Read: acquire.
  sync::Atomic<Slot*> slot{nullptr};
  // Of a group published together: the member whose group_open tells whether it is visible; kept alive by the
  // detail. As above.
  sync::Atomic<CodeInstance*> leader{nullptr};
  // 0, then kResultsOpen: release, after all links; read with acquire at each hit. kCodeOpen: release, after
  // code was stored for what was compiled together; read with acquire where a member has no state of its own
  // yet. Members that were compiled apart are seen apart then.
  static constexpr uint32_t kResultsOpen = 1, kCodeOpen = 2;
  sync::Atomic<uint32_t> group_open{0};
  // 0: an unshared token, owned by its lease. Sharing it counts the lease too, so it cannot fall to 0 before
  // the lease ends. Up: relaxed (the adder owns one), from 0 and by unlocked readers: acquire. Down: acq_rel,
  // the last sees all writes.
  sync::Atomic<uint32_t> references{0};
  // The lease's world until the link. Written before the link, read by unlocked readers who then compare the
  // generation: release, so that who reads the next life's sees the generation that ended this one.
  sync::Atomic<uint64_t> min_world{1};
  // Lowered: release under world and shard lock, before the world moves; promoted: release under both. Read:
  // acquire.
  sync::Atomic<uint64_t> max_world{0};
  // Made under the world lock or by the only owner; acquire by others.
  sync::Atomic<InstanceDetail*> detail{nullptr};
  // As `slot`. The second half: most look-ups end at the newest instance.
  sync::Atomic<CodeInstance*> next{nullptr};

  // Fields of the token: written by the taker before `hold` names it. Atomic, relaxed: explain reads them
  // while they change and counts them only if hold and generation are unchanged afterwards.
  sync::Atomic<const void*> method{nullptr};
  sync::Atomic<const void*> owner{nullptr};
  sync::Atomic<Agent*> agent{nullptr};
  sync::Atomic<const char*> label{nullptr};
  sync::Atomic<const void*> guard{nullptr};
  sync::Atomic<int64_t> held_since_ns{0};

  uint64_t lease_world() const noexcept {
    return min_world.load(std::memory_order_relaxed);
  }  // while Reserved
  /// Links of the free memory, or of the recycler's list: in the place of `guard`, which only the sweep of a
  /// held key reads.
  CodeInstance* next_free() const noexcept {
    return static_cast<CodeInstance*>(const_cast<void*>(guard.load(std::memory_order_relaxed)));
  }
  void set_next_free(CodeInstance* instance) noexcept { guard.store(instance, std::memory_order_relaxed); }
};
static_assert(sizeof(CodeInstance) == 128);
static_assert(offsetof(CodeInstance, max_world) <
              64);  // a look-up that hits reads the first half only, one cache line

/// What takes instances whose last reference is gone. One implementation in the engine, one in unit tests.
class Recycler {
 public:
  /// Threads: any, under any lock. Blocks: never.
  virtual void unreferenced(CodeInstance& instance) noexcept = 0;

 protected:
  ~Recycler() = default;
};

inline void intrusive_ptr_release(CodeInstance* instance) noexcept {
  if (instance->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    instance->recycler->unreferenced(*instance);
}
/// A reference for a reader that has none; false: the instance is on its way out. Compare the generation
/// afterwards.
inline bool try_retain(CodeInstance& instance) noexcept {
  uint32_t count = instance.references.load(std::memory_order_relaxed);
  while (count != 0) {
    if (instance.references.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel,
                                                  std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}
/// Ends the lease by clearing its bit; false: stale. Without a result to follow, a token becomes Rejected.
/// Threads: any. Blocks: never.
inline bool claim_lease(CodeInstance& instance, uint64_t generation, bool result_follows) noexcept {
  uint64_t word = instance.word.load(std::memory_order_acquire);
  for (;;) {
    const bool same = CodeInstance::generation_of(word) == generation || mutant::is_on("R36_no_generation");
    const bool is_leased = (word & CodeInstance::kLeased) || mutant::is_on("R35_no_claim");
    if (!same || !is_leased) return false;
    uint64_t ended = word & ~CodeInstance::kLeased;
    if (!result_follows && CodeInstance::state_of(word) == InstanceState::Reserved) {
      ended = CodeInstance::with_state(ended, InstanceState::Rejected);
    }
    if (instance.word.compare_exchange_weak(word, ended, std::memory_order_acq_rel,
                                            std::memory_order_acquire))
      return true;
  }
}

/// The published code, or null. Threads: any. Blocks: never. GC: any, kept.
Code* instance_code(const CodeInstance& instance) noexcept;
/// As above, but null until what was compiled together with it has code too, and can be found.
Code* announced_code(const CodeInstance& instance) noexcept;
/// Payload of a linked instance. As above.
void* instance_payload(const CodeInstance& instance) noexcept;
/// The body of a constant, or null.
const SourceBody* instance_constant(const CodeInstance& instance) noexcept;
berth_key_t instance_key(const CodeInstance& instance) noexcept;
const char* instance_label(const CodeInstance& instance) noexcept;
uint64_t instance_min_world(const CodeInstance& instance) noexcept;
uint64_t instance_max_world(const CodeInstance& instance) noexcept;

}  // namespace berth::engine
