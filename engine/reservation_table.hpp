// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ReservationTable: finds the slot of a key, and the instance of a slot that fits a world and a need.
//
// Sharded by hash. Look-up takes no lock: an index array of slot pointers, at most a quarter full, old arrays are kept. Idle slots
// are recycled before an index grows; who recycles a slot first takes its `hold`, and its version tells unlocked readers.
//
// Ranks: 310 shard (one at a time). Cost: find is one array access and one slot when nothing collides.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "engine/pool.hpp"
#include "engine/slot.hpp"

namespace berth::engine {

inline constexpr Rank kRankShard{310, "shard"};

enum class Find : uint8_t {
  Nothing,  // the key is to be reserved
  Hit,
  Target,   // fits and has source, but not yet the wanted entry
  Failed,   // fits, but its compile failed and the entry was wanted
  NoEntry,  // fits, but is a constant and the entry was wanted
};
struct Look {
  Find find = Find::Nothing;
  CodeInstance* instance = nullptr;
  uint64_t generation = 0;
};

class ReservationTable {
 public:
  static constexpr unsigned kShardBits = 6;
  static constexpr unsigned kShards = 1u << kShardBits;
  struct Found {
    Slot* slot = nullptr;
    uint64_t version = 0;
  };
  struct Index {
    explicit Index(size_t capacity) : mask(capacity - 1), cells(new sync::Atomic<Slot*>[capacity]) {}
    const size_t mask;
    std::unique_ptr<sync::Atomic<Slot*>[]> cells;  // release under the shard lock, read acquire: a slot is filled before seen
  };
  struct alignas(64) Shard {
    sync::Mutex mutex{kRankShard};
    sync::Atomic<Index*> index{nullptr};  // as the cells
    // Under the mutex.
    std::vector<std::unique_ptr<Index>> indexes;  // all ever made
    size_t num_slots = 0, num_tombstones = 0;
  };

  ReservationTable();

  static uint64_t hash(Key key) noexcept;
  Shard& shard(uint64_t hash) noexcept { return shards_[hash >> (64 - kShardBits)]; }
  Shard& shard_at(unsigned i) noexcept { return shards_[i]; }

  /// Threads: any. Blocks: never. The slot may be recycled meanwhile: is_current afterwards.
  Found find(Key key, uint64_t hash) noexcept;
  static bool is_current(const Found& found) noexcept {
    return found.slot->version.load(std::memory_order_acquire) == found.version;
  }
  /// Finds or makes the slot. With the shard's lock held. Errors: std::bad_alloc, nothing changed.
  Slot& ensure(Shard& shard, Key key, uint64_t hash);
  /// The slot if there is one. With the shard's lock held.
  Slot* find_locked(Shard& shard, Key key, uint64_t hash) noexcept;
  /// Unlinks a slot that nobody uses: no instance, no failure, no waiter, `hold` null. With the shard's lock held. False: in use.
  bool recycle(Shard& shard, size_t cell) noexcept;
  void for_each_slot(Shard& shard, const std::function<void(Slot&, size_t cell)>& function);

  /// Threads: any, with the shard's lock or without; without, the caller retains and compares the generation.
  static Look look(const Slot& slot, uint64_t world, Need need) noexcept;

  size_t num_slots();

 private:
  static Slot* tombstone() noexcept { return reinterpret_cast<Slot*>(uintptr_t{1}); }
  void make_room(Shard& shard);
  void grow(Shard& shard, size_t capacity);

  Pool<Slot> pool_;
  std::array<Shard, kShards> shards_;
};

}  // namespace berth::engine
