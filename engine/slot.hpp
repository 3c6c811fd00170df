// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slot: one key's place in the table: who holds it, who waits, its instances, its failure. 64 bytes,
// type-stable.
//
//   hold        | fast take | fast give | waiter arrives | hand-over      | recycle
//   null        | token     | invalid   | token (takes)  | -              | kRecycled
//   token       | refused   | null      | token|W        | -              | refused
//   token|W     | refused   | refused   | token|W        | next token(|W) | refused
//   kRecycled   | refused   | invalid   | looks again    | -              | -
#pragma once
#include "engine/instance_detail.hpp"

namespace berth::engine {

struct alignas(64) Slot {
  static constexpr uintptr_t kWaiters = 1, kRecycled = 2, kFlags = 3;
  static CodeInstance* token_of(uintptr_t hold) noexcept {
    return reinterpret_cast<CodeInstance*>(hold & ~kFlags);
  }

  // Take: CAS acq_rel (the holder sees the last one's links, a walk the holder's agent, which may have been
  // attached since); give: CAS release; W: CAS relaxed under the shard lock; hand-over: store release under
  // shard and graph lock. Who looks at the token or its agent: acquire.
  sync::Atomic<uintptr_t> hold{kRecycled};
  // Release under the shard lock, acquire when read.
  sync::Atomic<CodeInstance*> head{nullptr};
  // Written between two steps of the version; unlocked readers compare the version afterwards.
  sync::Atomic<const void*> method{nullptr};
  sync::Atomic<const void*> owner{nullptr};
  sync::Atomic<uint64_t> version{
      1};                   // odd while free. Release under the shard lock; acquire, before and after
  Waiter* queue = nullptr;  // shard and graph lock
  // Owned (one reference). Written under the shard lock; an unlocked reader only learns that there is one.
  sync::Atomic<const StoredFailure*> failure{nullptr};

  Slot* next_free() const noexcept { return pool_next_; }
  void set_next_free(Slot* slot) noexcept { pool_next_ = slot; }

 private:
  Slot* pool_next_ = nullptr;
};
static_assert(sizeof(Slot) == 64);

}  // namespace berth::engine
