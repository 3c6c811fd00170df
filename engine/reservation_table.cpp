// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/reservation_table.hpp"

namespace berth::engine {
namespace {

constexpr size_t kFirstCapacity = 32;

bool matches(const Slot& slot, Key key) noexcept {
  return slot.method.load(std::memory_order_acquire) == key.method && slot.owner.load(std::memory_order_acquire) == key.owner;
}

Find judge(uint64_t word, Need need) noexcept {
  if (need == Need::Result) return Find::Hit;
  switch (CodeInstance::state_of(word)) {
    case InstanceState::Callable: return Find::Hit;
    case InstanceState::Failed: return Find::Failed;
    default: break;
  }
  if (word & CodeInstance::kConstant) return Find::NoEntry;
  return word & CodeInstance::kHasSource ? Find::Target : Find::Nothing;
}

}  // namespace

ReservationTable::ReservationTable() {
  for (Shard& shard : shards_) {
    shard.indexes.push_back(std::make_unique<Index>(kFirstCapacity));
    shard.index.store(shard.indexes.back().get(), std::memory_order_release);
  }
}

uint64_t ReservationTable::hash(Key key) noexcept {
  uint64_t h = reinterpret_cast<uintptr_t>(key.method) * 0x9e3779b97f4a7c15u;
  h ^= (reinterpret_cast<uintptr_t>(key.owner) + 0x632be59bd9b4e019u) * 0xd6e8feb86659fd93u;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  return h ^ (h >> 29);
}

ReservationTable::Found ReservationTable::find(Key key, uint64_t hash) noexcept {
  const Index& index = *shard(hash).index.load(std::memory_order_acquire);
  for (size_t cell = hash & index.mask;; cell = (cell + 1) & index.mask) {
    Slot* slot = index.cells[cell].load(std::memory_order_acquire);
    if (!slot) return {};
    if (slot == tombstone()) continue;
    const uint64_t version = slot->version.load(std::memory_order_acquire);
    if (!(version & 1) && matches(*slot, key)) return {slot, version};
  }
}

Slot* ReservationTable::find_locked(Shard& shard, Key key, uint64_t hash) noexcept {
  const Index& index = *shard.index.load(std::memory_order_relaxed);
  for (size_t cell = hash & index.mask;; cell = (cell + 1) & index.mask) {
    Slot* slot = index.cells[cell].load(std::memory_order_relaxed);
    if (!slot) return nullptr;
    if (slot != tombstone() && matches(*slot, key)) return slot;
  }
}

Slot& ReservationTable::ensure(Shard& shard, Key key, uint64_t hash) {
  if (Slot* slot = find_locked(shard, key, hash)) return *slot;
  make_room(shard);
  Slot* slot = pool_.take();
  slot->method.store(key.method, std::memory_order_release);
  slot->owner.store(key.owner, std::memory_order_release);
  slot->version.fetch_add(1, std::memory_order_release);
  slot->hold.store(0, std::memory_order_release);
  const Index& index = *shard.index.load(std::memory_order_relaxed);
  size_t cell = hash & index.mask;
  for (;; cell = (cell + 1) & index.mask) {
    Slot* there = index.cells[cell].load(std::memory_order_relaxed);
    if (there == tombstone()) --shard.num_tombstones;
    if (!there || there == tombstone()) break;
  }
  ++shard.num_slots;
  index.cells[cell].store(slot, std::memory_order_release);
  return *slot;
}

bool ReservationTable::recycle(Shard& shard, size_t cell) noexcept {
  const Index& index = *shard.index.load(std::memory_order_relaxed);
  Slot* slot = index.cells[cell].load(std::memory_order_relaxed);
  if (slot->head.load(std::memory_order_relaxed) || slot->failure.load(std::memory_order_relaxed) || slot->queue) return false;
  uintptr_t free = 0;
  // First the hold: a fast take that comes later fails, one that came before keeps the slot.
  if (!slot->hold.compare_exchange_strong(free, Slot::kRecycled, std::memory_order_acq_rel, std::memory_order_relaxed)) {
    return false;
  }
  slot->version.fetch_add(1, std::memory_order_release);  // before the key changes
  index.cells[cell].store(tombstone(), std::memory_order_release);
  --shard.num_slots;
  ++shard.num_tombstones;
  // Tombstones before a free cell end no search later than that cell would.
  if (!index.cells[(cell + 1) & index.mask].load(std::memory_order_relaxed)) {
    for (size_t i = cell; index.cells[i].load(std::memory_order_relaxed) == tombstone(); i = (i - 1) & index.mask) {
      index.cells[i].store(nullptr, std::memory_order_release);
      --shard.num_tombstones;
    }
  }
  pool_.put(slot);
  return true;
}

void ReservationTable::for_each_slot(Shard& shard, const std::function<void(Slot&, size_t)>& function) {
  const Index& index = *shard.index.load(std::memory_order_relaxed);
  for (size_t cell = 0; cell <= index.mask; ++cell) {
    Slot* slot = index.cells[cell].load(std::memory_order_relaxed);
    if (slot && slot != tombstone()) function(*slot, cell);
  }
}

void ReservationTable::make_room(Shard& shard) {
  const Index& index = *shard.index.load(std::memory_order_relaxed);
  const size_t capacity = index.mask + 1;
  if (shard.num_slots + shard.num_tombstones < capacity / 4) return;
  for_each_slot(shard, [&](Slot&, size_t cell) { recycle(shard, cell); });
  // Growing while an eighth is in use keeps the cost of the scan constant per new key.
  if (shard.num_slots >= capacity / 8) {
    grow(shard, capacity * 2);
  } else if (shard.num_tombstones >= capacity / 8) {
    grow(shard, capacity);
  }
}

void ReservationTable::grow(Shard& shard, size_t capacity) {
  auto larger = std::make_unique<Index>(capacity);
  shard.indexes.reserve(shard.indexes.size() + 1);
  for_each_slot(shard, [&](Slot& slot, size_t) {
    const Key key{slot.method.load(std::memory_order_relaxed), slot.owner.load(std::memory_order_relaxed)};
    size_t cell = hash(key) & larger->mask;
    while (larger->cells[cell].load(std::memory_order_relaxed)) cell = (cell + 1) & larger->mask;
    larger->cells[cell].store(&slot, std::memory_order_relaxed);
  });
  shard.num_tombstones = 0;
  shard.index.store(larger.get(), std::memory_order_release);
  shard.indexes.push_back(std::move(larger));
}

Look ReservationTable::look(const Slot& slot, uint64_t world, Need need) noexcept {
restart:
  CodeInstance* instance = slot.head.load(std::memory_order_acquire);
  while (instance) {
    const uint64_t word = instance->word.load(std::memory_order_acquire);
    const Slot* home = instance->slot.load(std::memory_order_acquire);
    const uint64_t low = instance->min_world.load(std::memory_order_acquire);
    const uint64_t high = instance->max_world.load(std::memory_order_acquire);
    const CodeInstance* leader = instance->leader.load(std::memory_order_acquire);
    const bool open = !leader || leader->group_open.load(std::memory_order_acquire) != 0;
    CodeInstance* next = instance->next.load(std::memory_order_acquire);
    // Recycled under an unlocked reader: what was read may belong to another key.
    if (home != &slot || CodeInstance::generation_of(instance->word.load(std::memory_order_acquire)) !=
                             CodeInstance::generation_of(word)) {
      goto restart;
    }
    if (CodeInstance::is_linked(word) && open && low <= world && world <= high) {
      const Find find = judge(word, need);
      if (find != Find::Nothing) return {find, instance, CodeInstance::generation_of(word)};
    }
    instance = next;
  }
  return {};
}

size_t ReservationTable::num_slots() {
  size_t sum = 0;
  for (Shard& shard : shards_) {
    const sync::Lock lock(shard.mutex);
    sum += shard.num_slots;
  }
  return sum;
}

}  // namespace berth::engine
