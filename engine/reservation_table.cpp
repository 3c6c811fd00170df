// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/reservation_table.hpp"

#include <bit>
#include <utility>

#include "support/mutant.hpp"

namespace berth::engine {
namespace {

constexpr size_t kFirstCapacity = 32;  // at least a line

Find judge(uint64_t word, Need need) noexcept {
  if (need == Need::Result || mutant::is_on("R7_need_ignored")) return Find::Hit;
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
  for (Shard& shard : shards_) grow(shard, kFirstCapacity);
}

Slot* ReservationTable::find_locked(Shard& shard, Key key, uint64_t hash) noexcept {
  const Index index = index_of(shard);
  for (size_t cell = hash & index.mask();; cell = (cell + 1) & index.mask()) {
    Slot* slot = index.cell(cell).load(std::memory_order_relaxed);
    if (!slot) return nullptr;
    if (slot != tombstone() && matches(*slot, key)) return slot;
  }
}

Slot& ReservationTable::ensure(Shard& shard, Key key, uint64_t hash) {
  if (Slot* slot = find_locked(shard, key, hash)) return *slot;
  make_room(shard);
  Slot* slot = pool_.take();
  if (uint16_t& known = ghost(shard, hash); known == fingerprint(hash)) {
    known = 0;
    ++shard.num_returned;
  }
  slot->method.store(key.method, std::memory_order_release);
  slot->owner.store(key.owner, std::memory_order_release);
  slot->version.fetch_add(1, std::memory_order_release);
  slot->hold.store(0, std::memory_order_release);
  const Index index = index_of(shard);
  size_t cell = hash & index.mask();
  for (;; cell = (cell + 1) & index.mask()) {
    Slot* there = index.cell(cell).load(std::memory_order_relaxed);
    if (there == tombstone()) --shard.num_tombstones;
    if (!there || there == tombstone()) break;
  }
  ++shard.num_slots;
  index.cell(cell).store(slot, std::memory_order_release);
  return *slot;
}

bool ReservationTable::recycle(Shard& shard, size_t cell) noexcept {
  const Index index = index_of(shard);
  Slot* slot = index.cell(cell).load(std::memory_order_relaxed);
  if (slot->head.load(std::memory_order_relaxed) || slot->failure.load(std::memory_order_relaxed) ||
      slot->queue)
    return false;
  uintptr_t free = 0;
  // First the hold: a fast take that comes later fails, one that came before keeps the slot.
  if (!slot->hold.compare_exchange_strong(free, Slot::kRecycled, std::memory_order_acq_rel,
                                          std::memory_order_relaxed)) {
    return false;
  }
  slot->version.fetch_add(1, std::memory_order_release);  // before the key changes
  index.cell(cell).store(tombstone(), std::memory_order_release);
  --shard.num_slots;
  ++shard.num_tombstones;
  // Tombstones before a free cell end no search later than that cell would.
  if (!index.cell((cell + 1) & index.mask()).load(std::memory_order_relaxed)) {
    for (size_t i = cell; index.cell(i).load(std::memory_order_relaxed) == tombstone();
         i = (i - 1) & index.mask()) {
      index.cell(i).store(nullptr, std::memory_order_release);
      --shard.num_tombstones;
    }
  }
  pool_.put(slot);
  return true;
}

void ReservationTable::make_room(Shard& shard) {
  const Index index = index_of(shard);
  const size_t capacity = index.capacity();
  if (shard.num_slots + shard.num_tombstones < capacity / 4) return;
  // A quarter of the slots made since the last scan had been recycled shortly before: there are more keys in
  // use than slots.
  if (std::exchange(shard.num_returned, 0) >= capacity / 16) return grow(shard, capacity * 2);
  for (size_t cell = 0; cell < capacity; ++cell) {
    Slot* slot = index.cell(cell).load(std::memory_order_relaxed);
    if (!slot || slot == tombstone()) continue;
    const Key key{slot->method.load(std::memory_order_relaxed), slot->owner.load(std::memory_order_relaxed)};
    if (recycle(shard, cell)) ghost(shard, hash(key)) = fingerprint(hash(key));
  }
  // Growing while an eighth is in use keeps the cost of the scan constant per new key.
  if (shard.num_slots >= capacity / 8) {
    grow(shard, capacity * 2);
  } else if (shard.num_tombstones >= capacity / 8) {
    grow(shard, capacity);
  }
}

void ReservationTable::grow(Shard& shard, size_t capacity) {
  auto lines = std::make_unique<CellLine[]>(capacity / 8);
  shard.arrays.reserve(shard.arrays.size() + 1);
  const Index larger(lines.get(), static_cast<unsigned>(std::countr_zero(capacity)));
  if (!shard.arrays.empty()) {
    for_each_slot(shard, [&](Slot& slot, size_t) {
      const Key key{slot.method.load(std::memory_order_relaxed), slot.owner.load(std::memory_order_relaxed)};
      size_t cell = hash(key) & larger.mask();
      while (larger.cell(cell).load(std::memory_order_relaxed)) cell = (cell + 1) & larger.mask();
      larger.cell(cell).store(&slot, std::memory_order_relaxed);
    });
  }
  shard.num_tombstones = 0;
  const Index old = index_of(shard);
  indexes_[static_cast<size_t>(&shard - shards_.data())].store(larger, std::memory_order_release);
  if (mutant::is_on("R73_old_array_freed") && !shard.arrays.empty()) {
    for (size_t cell = 0; cell <= old.mask(); ++cell)
      old.cell(cell).store(nullptr, std::memory_order_relaxed);
    shard.arrays.clear();
  }
  shard.arrays.push_back(std::move(lines));
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
    const bool covers = (low <= world && world <= high) || mutant::is_on("R59_world_ignored");
    const Find find = CodeInstance::is_linked(word) && open && covers ? judge(word, need) : Find::Nothing;
    CodeInstance* next = find == Find::Nothing ? instance->next.load(std::memory_order_acquire) : nullptr;
    // Recycled under an unlocked reader: what was read may belong to another key.
    if (home != &slot || CodeInstance::generation_of(instance->word.load(std::memory_order_acquire)) !=
                             CodeInstance::generation_of(word)) {
      goto restart;
    }
    if (find != Find::Nothing) return {find, instance, CodeInstance::generation_of(word)};
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
