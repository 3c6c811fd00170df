// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CallSlot: one edge of linked code: an atomic word in the caller's data through which it calls a callee.
// SlotTable: all slots by callee, so that a publication reaches them.
//
//   word     | publication of the callee | call
//   stub     | its entry                 | drives the compile, then the entry is called (and bound)
//   an entry | the better entry          | goes there
//
// A word is written under the table's lock, always from the callee's code word as read there, so it only
// moves forward. A slot holds no reference of its own: who may still be called is CodeUnits' to find out.
// Rank: kRankSlots, a leaf. Cost: one lock per publication with slots, per bound slot.
#pragma once
#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/code_instance.hpp"
#include "support/result.hpp"
#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankSlots{500, "call slots"};

class SlotTable;

struct CallSlot {
  void (*stub)();  // first: the trampoline jumps through it
  SlotTable* table;
  engine::CodeInstance*
      callee;  // of the table, which has one reference for all its slots; null: not in it. Under its lock
  boost::intrusive::list_member_hook<> of_callee;  // as above
  // In the caller's data. Release by the table, acquire by generated code: who calls the entry sees its bytes
  // and fields.
  sync::Atomic<void*>* word;
  void* trampoline;
  std::vector<int32_t> references;  // where the stub's frame has what may be references: bytes from its base
};

/// Where the stub's frame has the general argument registers, in their order, and what follows them on the
/// caller's stack: bytes from the base. One word each. Threads: any. Blocks: never.
inline constexpr unsigned kArgumentRegisters = 6;
constexpr int32_t argument_offset(unsigned word) noexcept {
  const auto n = static_cast<int32_t>(word);
  return word < kArgumentRegisters ? -8 * (n + 1) : 16 + 8 * (n - static_cast<int32_t>(kArgumentRegisters));
}

/// A stub's frame while its callee is being made.
struct StubArguments {
  char* base;
  const std::vector<int32_t>& references;
  const void* trampoline;  // while a word of the frame points behind its start, the caller's code stays
};

/// Machine code in front of the stub: loads the slot's address and jumps.
inline constexpr size_t kTrampolineBytes = 16;
void write_trampoline(char* to, const CallSlot* slot) noexcept;
/// Whether this target has a stub.
bool has_call_stub() noexcept;

class SlotTable {
 public:
  /// Makes the instance callable and gives its entry: waits or helps. Of a token that another result won, the
  /// instance becomes that one. Called with no lock held.
  using Driver = std::function<Result<void*>(engine::CodeInstanceRef&, StubArguments)>;
  explicit SlotTable(Driver driver) : driver_(std::move(driver)) {}
  ~SlotTable() { close(); }

  /// Binds the slot's word: the callee's entry if there is one, else the trampoline. The slot is removed
  /// before it ends. Threads: any. Blocks: short. GC: any, kept. Errors: none.
  void add(CallSlot& slot, engine::CodeInstanceRef callee);
  /// Nobody calls over it any more. The table's reference to the callee, if this was its last slot. As above.
  engine::CodeInstanceRef remove(CallSlot& slot) noexcept;
  /// The callee has new code. As above.
  void publish(engine::CodeInstance& callee) noexcept;
  /// Null: the slot is not in the table. As above.
  const engine::CodeInstance* callee_of(const CallSlot& slot) const noexcept;
  /// From the stub, whose frame begins at `base`: the entry to jump to. Threads: any. Blocks: may wait, for
  /// the compile. GC: any; safe while waiting. Throws berth::Error if there is none.
  void* resolve(CallSlot& slot, char* base);
  /// Lets go of the callees; later calls over a stub raise SHUT_DOWN. Threads: any. Blocks: short.
  void close() noexcept;
  size_t num_slow_calls() const noexcept { return slow_calls_.load(std::memory_order_relaxed); }

 private:
  using Slots = boost::intrusive::list<
      CallSlot,
      boost::intrusive::member_hook<CallSlot, boost::intrusive::list_member_hook<>, &CallSlot::of_callee>>;
  struct Entry {
    engine::CodeInstanceRef callee;
    Slots slots;
  };
  static void bind(CallSlot& slot, const engine::Code* code) noexcept;
  void link(CallSlot& slot, engine::CodeInstanceRef callee) BERTH_REQUIRES(mutex_);
  engine::CodeInstanceRef unlink(CallSlot& slot) noexcept BERTH_REQUIRES(mutex_);

  const Driver driver_;
  mutable sync::Mutex mutex_{kRankSlots};
  std::unordered_map<const engine::CodeInstance*, Entry> entries_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  sync::Atomic<size_t> slow_calls_{0};  // a counter, orders nothing: relaxed
};

}  // namespace berth::jit
