// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heap's part of a collection: roots, weak order, sweep.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "gc/heap_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::gc {

void Heap::Impl::sweep_block(Block& block) {
  block.runs = {};
  const bool has_marked = block.has_marked.exchange(false, std::memory_order_relaxed);
  if (!has_marked && !kDebugChecks) {
    // Nothing lives here: one run, which is zeroed when a thread takes it.
    block.put_run(Run::of(block.cells(), block.num_cells));
    return;
  }
  uint64_t run = 0;
  const auto end_run = [&](uint32_t first) {
    if (run != 0) block.put_run(Run::of(reinterpret_cast<char*>(block.cell(first)), run));
    run = 0;
  };
  for (uint32_t i = block.num_cells; i-- > 0;) {
    Object* object = block.cell(i);
    const uint64_t header = object->header.load(std::memory_order_relaxed);
    if (header & Object::kMark) {
      object->header.store(header & ~Object::kMark, std::memory_order_relaxed);
      end_run(i + 1);
      continue;
    }
    if constexpr (kDebugChecks) {
      if (header != 0) std::memset(object->at(8), 0xdb, block.cell_bytes - 8);  // a use after free shows
    }
    object->header.store(0, std::memory_order_relaxed);
    ++run;
  }
  end_run(0);
}

void Heap::Impl::finish_sweep() {
  for (unsigned size_class = 0; size_class < kNumClasses; ++size_class) {
    for (;;) {
      Block* block = nullptr;
      {
        const sync::Lock lock(lists);
        if (!(block = unswept[size_class])) break;
        unswept[size_class] = block->next;
        block->is_unswept = false;
      }
      sweep_block(*block);
      if (!block->runs) continue;
      const sync::Lock lock(lists);
      const bool is_empty = block->runs.count() == block->num_cells;
      Block*& list = is_empty ? free_blocks : partial[size_class];
      block->is_free = is_empty;
      block->next = list;
      list = block;
    }
  }
}

void Heap::Impl::visit_roots(Marker& marker) {
  visit_root_slots(marker);
  const sync::Lock lock(roots_mutex);
  for (Object* object : permanent_with_references) marker.scan(object);
}

void Heap::Impl::visit_root_slots(SlotVisitor& visitor) {
  const sync::Lock lock(roots_mutex);
  for (Root* root = mutant::is_on("G34_global_roots_skipped") ? nullptr : roots; root; root = root->next_)
    visitor.visit(&root->object);
  for (Finalizer& finalizer : ready)
    if (!mutant::is_on("G34_ready_finalizers_skipped")) visitor.visit(&finalizer.object);
}

void Heap::Impl::clear_weak() {
  const sync::Lock lock(roots_mutex);
  for (WeakReference* reference : weak) {
    Object* object = reference->object.load(std::memory_order_relaxed);
    if (!object || (object->header.load(std::memory_order_relaxed) & (Object::kMark | Object::kPermanent)))
      continue;
    reference->object.compare_exchange_strong(object, nullptr, std::memory_order_acq_rel,
                                              std::memory_order_relaxed);
  }
}

void Heap::Impl::ready_finalizers(Marker& marker) {
  const sync::Lock lock(roots_mutex);
  const size_t first_dead = ready.size();
  const auto dead = std::partition(finalizers.begin(), finalizers.end(), [](const Finalizer& finalizer) {
    return (finalizer.object->header.load(std::memory_order_relaxed) &
            (Object::kMark | Object::kPermanent)) != 0;
  });
  ready.insert(ready.end(), dead, finalizers.end());  // all or, out of memory, none
  finalizers.erase(dead, finalizers.end());
  // Marked after all are found: one that refers to another is finalized in the same cycle as it.
  for (size_t i = first_dead; i < ready.size(); ++i) marker.mark(ready[i].object);
  num_ready.store(ready.size(), std::memory_order_seq_cst);
}

void Heap::Impl::ready_native(Marker& marker) {
  const sync::Lock lock(lists);
  const auto dead = std::partition(finalizable.begin(), finalizable.end(), [](const Object* object) {
    return (object->header.load(std::memory_order_relaxed) & Object::kMark) != 0;
  });
  native_ready.insert(native_ready.end(), dead, finalizable.end());  // all or, out of memory, none
  finalizable.erase(dead, finalizable.end());
  native_running.reserve(native_ready.size() + native_running.size());  // run_native must not fail
  for (Object* object : native_ready) marker.mark_alone(object);
  // Another thread may be in their finalize, Safe, after an earlier collection.
  for (Object* object : native_running) marker.mark_alone(object);
}

void Heap::Impl::begin_sweep(uint64_t marked_bytes) {
  const sync::Lock lock(lists);
  std::erase_if(large, [](LargeHeader* header) {
    Object* object = header->object();
    const uint64_t word = object->header.load(std::memory_order_relaxed);
    if (word & Object::kMark) {
      object->header.store(word & ~Object::kMark, std::memory_order_relaxed);
      return false;
    }
    if constexpr (kDebugChecks) std::memset(object->at(0), 0xdb, header->bytes);  // a use after free shows
    free_large(header);
    return true;
  });
  partial.fill(nullptr);
  unswept.fill(nullptr);
  for (auto it = blocks.rbegin(); it != blocks.rend(); ++it) {
    Block* block = *it;
    if (block->is_free) continue;
    block->is_unswept = true;
    block->next = unswept[block->size_class];
    unswept[block->size_class] = block;
  }
  live.store(marked_bytes, std::memory_order_relaxed);
  allocated_since.store(0, std::memory_order_relaxed);
  threshold.store(std::max<size_t>(kLeastGrowthBytes, marked_bytes), std::memory_order_relaxed);
}

void Heap::Impl::clear_marks() {
  const sync::Lock lock(lists);
  const auto clear = [](Object* object) {
    object->header.fetch_and(~Object::kMark, std::memory_order_relaxed);
  };
  for (LargeHeader* header : large) clear(header->object());
  for (Block* block : blocks) {
    block->has_marked.store(false, std::memory_order_relaxed);
    for (uint32_t i = 0; !block->is_free && i < block->num_cells; ++i) clear(block->cell(i));
  }
}

void Heap::Impl::walk_marked(const std::function<void(Object*)>& visit) {
  std::vector<Object*> large_objects;
  std::vector<Block*> used;
  {
    const sync::Lock lock(lists);
    for (LargeHeader* header : large) large_objects.push_back(header->object());
    used = blocks;
  }
  const auto visit_marked = [&](Object* object) {
    if (object->header.load(std::memory_order_relaxed) & Object::kMark) visit(object);
  };
  for (Object* object : large_objects) visit_marked(object);
  for (Block* block : used) {
    for (uint32_t i = 0; !block->is_free && i < block->num_cells; ++i) visit_marked(block->cell(i));
  }
}

void Heap::Impl::run_native() {
  for (Object* object = nullptr;;) {
    {
      const sync::Lock lock(lists);
      if (object) std::erase(native_running, object);  // in no list: the next collection frees it
      if (native_ready.empty()) return;
      object = native_ready.back();
      native_running.push_back(object);
      native_ready.pop_back();
    }
    object->type()->finalize(object);
  }
}

}  // namespace berth::gc
