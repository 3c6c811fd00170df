// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/unwind_registry.hpp"

#include <algorithm>
#include <new>

#include "support/mutant.hpp"

extern "C" {
void __register_frame_table(void* table);
void __deregister_frame(const void* table);
}

namespace berth::jit {
UnwindSystem UnwindSystem::real() noexcept { return {&__register_frame_table, &__deregister_frame}; }

UnwindRegistry::~UnwindRegistry() {
  sync::Lock lock(mutex_);
  for (auto& [slab, lists] : slabs_) {
    for (List* list : {&lists.sealed, &lists.open}) {
      if (list->table) system_.deregister_table(list->table.get());
    }
  }
}

// The new one is registered first, so that each unit of both is found at every instant. The other order of
// the two would leave a gap.
void UnwindRegistry::replace(List& list) {
  std::unique_ptr<const void*[]> next;
  if (!list.entries.empty()) {
    next = std::make_unique<const void*[]>(list.entries.size() + 1);
    std::transform(list.entries.begin(), list.entries.end(), next.get(),
                   [](const Entry& entry) { return entry.section; });
    system_.register_table(next.get());
  }
  if (list.table) {
    if (mutant::is_on("J69_publish_before_deregister")) {
      static_cast<void>(list.table.release());  // of two lists with one start, the older answers
    } else {
      system_.deregister_table(list.table.get());
    }
  }
  list.table = std::move(next);
}

void UnwindRegistry::add(const Unit& unit) {
  if (!unit.section) return;
  sync::Lock lock(mutex_);
  if (mutant::is_on("J68_register_per_unit")) {
    const auto table = new const void*[2]{unit.section, nullptr};
    return system_.register_table(table);
  }
  Lists& lists = slabs_[unit.slab];
  // Memory that was given out early, or again: into the list whose range it lies in.
  const bool is_low = unit.low < lists.split;
  List& list = is_low ? lists.sealed : lists.open;
  const auto place = std::lower_bound(list.entries.begin(), list.entries.end(), unit.low,
                                      [](const Entry& entry, uintptr_t low) { return entry.low < low; });
  const auto added = list.entries.insert(place, {unit.low, unit.section});
  try {
    replace(list);
  } catch (...) {
    list.entries.erase(added);
    throw;
  }
  list.high = std::max(list.high, unit.high);
  if (is_low) lists.split = std::max(lists.split, unit.high);
  if (lists.open.entries.size() >= kOpenUnits) seal(lists);
}

// Every pc is found meanwhile: in the open list, which starts nearest below it, and then in the longer one.
// Without memory it stays as it is until the next unit.
void UnwindRegistry::seal(Lists& lists) try {
  const size_t before = lists.sealed.entries.size();
  lists.sealed.entries.insert(lists.sealed.entries.end(), lists.open.entries.begin(),
                              lists.open.entries.end());
  try {
    replace(lists.sealed);
  } catch (...) {
    lists.sealed.entries.resize(before);
    throw;
  }
  lists.split = lists.sealed.high = lists.open.high;
  lists.open.entries.clear();
  replace(lists.open);
} catch (const std::bad_alloc&) {}

bool UnwindRegistry::remove(std::span<const Unit> removed) noexcept try {
  sync::Lock lock(mutex_);
  std::map<const void*, std::vector<uintptr_t>> by_slab;
  for (const Unit& unit : removed) {
    if (unit.section) by_slab[unit.slab].push_back(unit.low);
  }
  for (auto& [slab, gone] : by_slab) {
    const auto found = slabs_.find(slab);
    if (found == slabs_.end()) continue;
    std::sort(gone.begin(), gone.end());
    for (List* list : {&found->second.sealed, &found->second.open}) {
      List shorter;
      shorter.entries.reserve(list->entries.size());
      std::copy_if(
          list->entries.begin(), list->entries.end(), std::back_inserter(shorter.entries),
          [&](const Entry& entry) { return !std::binary_search(gone.begin(), gone.end(), entry.low); });
      if (shorter.entries.size() == list->entries.size()) continue;
      std::swap(shorter.entries, list->entries);
      try {
        replace(*list);
      } catch (...) {
        std::swap(shorter.entries, list->entries);
        throw;
      }
    }
    if (!found->second.sealed.table && !found->second.open.table) slabs_.erase(found);
  }
  return true;
} catch (const std::bad_alloc&) { return false; }

size_t UnwindRegistry::num_lists() const {
  sync::Lock lock(mutex_);
  size_t n = 0;
  for (const auto& [slab, lists] : slabs_) n += (lists.sealed.table ? 1 : 0) + (lists.open.table ? 1 : 0);
  return n;
}

}  // namespace berth::jit
