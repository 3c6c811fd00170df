// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ReservationTable: finds the slot of a key, and the instance of a slot that fits a world and a need.
//
// Sharded by hash. Look-up takes no lock: an index array of slot pointers, at most a quarter full, old arrays
// are kept. Idle slots are recycled before an index grows, unless recycled keys come back: then it grows, or
// keys used in turn would be recycled and made again for ever. Who recycles a slot first takes its `hold`,
// and its version tells unlocked readers.
//
// Ranks: 310 shard (one at a time). Cost: find is one array access and one slot when nothing collides.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "engine/pool.hpp"
#include "engine/slot.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

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
  struct alignas(64) CellLine {
    std::array<sync::Atomic<Slot*>, 8>
        cells{};  // release under the shard lock, read acquire: a slot is filled before seen
  };
  /// An index array and its size in one word, so that a reader gets both with one load.
  class Index {
   public:
    Index() noexcept = default;
    Index(CellLine* lines, unsigned bits) noexcept : word_(reinterpret_cast<uintptr_t>(lines) | bits) {}
    size_t capacity() const noexcept { return size_t{1} << (word_ & 63); }
    size_t mask() const noexcept { return capacity() - 1; }
    sync::Atomic<Slot*>& cell(size_t i) const noexcept {
      return reinterpret_cast<CellLine*>(word_ & ~uintptr_t{63})[i / 8].cells[i % 8];
    }

   private:
    uintptr_t word_ = 0;
  };
  struct alignas(64) Shard {
    sync::Mutex mutex{kRankShard};
    // Under the mutex.
    std::vector<std::unique_ptr<CellLine[]>> arrays;  // all ever made
    size_t num_slots = 0, num_tombstones = 0;
    size_t num_returned = 0;             // keys made again soon after they were recycled, since the last scan
    std::array<uint16_t, 512> ghosts{};  // fingerprints of recycled keys, by hash; a later one replaces
  };

  ReservationTable();

  /// One multiplication, folded: both halves of the product depend on both words (the mixing step of wyhash,
  /// Wang Yi 2019).
  static uint64_t hash(Key key) noexcept {
    const uint64_t method = reinterpret_cast<uintptr_t>(key.method) ^ 0x9e3779b97f4a7c15u;
    const uint64_t owner = reinterpret_cast<uintptr_t>(key.owner) ^ 0xd6e8feb86659fd93u;
    __extension__ const auto product = static_cast<unsigned __int128>(method) * owner;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
  Shard& shard(uint64_t hash) noexcept { return shards_[hash >> (64 - kShardBits)]; }
  Shard& shard_at(unsigned i) noexcept { return shards_[i]; }

  /// Threads: any. Blocks: never. The slot may be recycled meanwhile: is_current afterwards.
  Found find(Key key, uint64_t hash) noexcept {
    const Index index = indexes_[hash >> (64 - kShardBits)].load(std::memory_order_acquire);
    latch::reach("probe", this);
    for (size_t i = hash & index.mask();; i = (i + 1) & index.mask()) {
      Slot* slot = index.cell(i).load(std::memory_order_acquire);
      if (!slot) return {};
      if (slot == tombstone()) continue;
      const uint64_t version = slot->version.load(std::memory_order_acquire);
      if (!(version & 1) && matches(*slot, key)) return {slot, version};
    }
  }
  static bool is_current(const Found& found) noexcept {
    return found.slot->version.load(std::memory_order_acquire) == found.version ||
           mutant::is_on("R66_no_version_check");
  }
  /// Finds or makes the slot. With the shard's lock held. Errors: std::bad_alloc, nothing changed.
  Slot& ensure(Shard& shard, Key key, uint64_t hash);
  /// The slot if there is one. With the shard's lock held.
  Slot* find_locked(Shard& shard, Key key, uint64_t hash) noexcept;
  /// Unlinks a slot that nobody uses: no instance, no failure, no waiter, `hold` null. With the shard's lock
  /// held. False: in use.
  bool recycle(Shard& shard, size_t cell) noexcept;
  /// function(Slot&, cell) for each. With the shard's lock held.
  template <class Function>
  void for_each_slot(Shard& shard, Function&& function) {
    const Index index = index_of(shard);
    for (size_t cell = 0; cell <= index.mask(); ++cell) {
      Slot* slot = index.cell(cell).load(std::memory_order_relaxed);
      if (slot && slot != tombstone()) function(*slot, cell);
    }
  }

  /// Threads: any, with the shard's lock or without; without, the caller retains and compares the generation.
  static Look look(const Slot& slot, uint64_t world, Need need) noexcept;

  size_t num_slots();

 private:
  static Slot* tombstone() noexcept { return reinterpret_cast<Slot*>(uintptr_t{1}); }
  static bool matches(const Slot& slot, Key key) noexcept {
    if (mutant::is_on("R2_hold_per_bucket")) return true;
    return slot.method.load(std::memory_order_acquire) == key.method &&
           slot.owner.load(std::memory_order_acquire) == key.owner;
  }
  static uint16_t& ghost(Shard& shard, uint64_t hash) noexcept {
    return shard.ghosts[(hash >> 16) % shard.ghosts.size()];
  }
  static uint16_t fingerprint(uint64_t hash) noexcept { return static_cast<uint16_t>((hash >> 32) | 1); }
  Index index_of(const Shard& shard) const noexcept {
    return indexes_[static_cast<size_t>(&shard - shards_.data())].load(std::memory_order_relaxed);
  }
  void make_room(Shard& shard);
  void grow(Shard& shard, size_t capacity);

  Pool<Slot> pool_;
  std::array<Shard, kShards> shards_;
  // As the cells. Apart from the locks, so that taking one does not take the line from readers.
  alignas(64) std::array<sync::Atomic<Index>, kShards> indexes_{};
};

}  // namespace berth::engine
