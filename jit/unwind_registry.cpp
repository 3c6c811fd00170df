// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/unwind_registry.hpp"

#include <algorithm>

extern "C" {
void __register_frame_table(void* table);
void __deregister_frame(const void* table);
}

namespace berth::jit {

UnwindRegistry::~UnwindRegistry() {
  sync::Lock lock(mutex_);
  for (auto& [slab, lists] : slabs_) {
    for (List* list : {&lists.sealed, &lists.open}) {
      if (list->table) __deregister_frame(list->table.get());
    }
  }
}

void UnwindRegistry::replace(List& list) {
  std::unique_ptr<const void*[]> next;
  if (!list.sections.empty()) {
    next = std::make_unique<const void*[]>(list.sections.size() + 1);
    std::copy(list.sections.begin(), list.sections.end(), next.get());
    __register_frame_table(next.get());
  }
  if (list.table) __deregister_frame(list.table.get());
  list.table = std::move(next);
}

void UnwindRegistry::add(const void* slab, const void* low, const void* high, const void* section) {
  sync::Lock lock(mutex_);
  Lists& lists = slabs_[slab];
  const auto start = reinterpret_cast<uintptr_t>(low), end = reinterpret_cast<uintptr_t>(high);
  // A unit linked late whose memory was given out early would make the two ranges interleave: it goes to the sealed ones.
  const bool late = start < lists.sealed.high;
  List& list = late ? lists.sealed : lists.open;
  list.sections.push_back(section);
  list.high = std::max(list.high, end);
  replace(list);
  if (lists.open.sections.size() < kOpenUnits) return;
  lists.sealed.sections.insert(lists.sealed.sections.end(), lists.open.sections.begin(), lists.open.sections.end());
  lists.sealed.high = std::max(lists.sealed.high, lists.open.high);
  // The open list goes first: two lists must not start at the same address while something may throw through its code.
  List longer;
  longer.sections = lists.sealed.sections;
  longer.high = lists.sealed.high;
  replace(longer);
  if (lists.sealed.table) __deregister_frame(lists.sealed.table.get());
  if (lists.open.table) __deregister_frame(lists.open.table.get());
  lists.sealed = std::move(longer);
  lists.open = List{};
}

size_t UnwindRegistry::num_lists() const {
  sync::Lock lock(mutex_);
  size_t n = 0;
  for (const auto& [slab, lists] : slabs_) n += (lists.sealed.table ? 1 : 0) + (lists.open.table ? 1 : 0);
  return n;
}

}  // namespace berth::jit
