// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stress modes `move` and `verify`: the heap's part of a collection in them.
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "gc/heap_impl.hpp"

namespace berth::gc {
namespace {

std::vector<Object*> references_of(const std::function<void(SlotVisitor&)>& visit) {
  struct Collect final : SlotVisitor {
    std::vector<Object*> found;
    void visit(Object** slot) override {
      found.push_back(std::atomic_ref<Object*>(*slot).load(std::memory_order_relaxed));
    }
  } collect;
  visit(collect);
  return std::move(collect.found);
}

}  // namespace

std::vector<Object*> Heap::Impl::marked_objects() {
  std::vector<Object*> marked;
  walk_marked([&](Object* object) { marked.push_back(object); });
  // In or before their native finalize, by their address; what they refer to may be gone.
  const sync::Lock lock(lists);
  const auto is_native = [&](Object* object) BERTH_NO_ANALYSIS {
    return std::ranges::find(native_ready, object) != native_ready.end() ||
           std::ranges::find(native_running, object) != native_running.end();
  };
  if (!native_ready.empty() || !native_running.empty()) std::erase_if(marked, is_native);
  return marked;
}

void Heap::Impl::verify_roots(const std::function<void(SlotVisitor&)>& visit_roots) {
  // First all, then each: roots are visited under locks.
  const auto roots = references_of([&](SlotVisitor& visitor) {
    visit_roots(visitor);
    visit_root_slots(visitor);
  });
  Verifier::check_references(roots, "a root",
                             [&](const Object* value) { return is_permanent(value) || contains(value); });
}

void Heap::Impl::verify_marked() {
  for (Object* object : marked_objects()) {
    const auto fields = references_of([&](SlotVisitor& visitor) { visit_slots(object, visitor); });
    Verifier::check_references(fields, object->type()->name.c_str(), [&](const Object* value) {
      return is_permanent(value) || (contains(value) && is_live(value));
    });
    verifier.check_barrier(object);
  }
}

void Heap::Impl::remember_marked() {
  verifier.clear();
  for (Object* object : marked_objects()) {
    // Nothing to compare with now: this only takes away the stores recorded at its address, which a moved
    // object shares with one that died there.
    verifier.check_barrier(object);
    verifier.remember(object);
  }
}

bool Heap::Impl::is_permanent(const Object* object) const {
  const sync::Lock lock(roots_mutex);
  return permanent_set.contains(object);
}

void Heap::Impl::move_marked(const std::unordered_set<const void*>& pinned,
                             const std::function<void(SlotVisitor&)>& visit_roots) {
  std::vector<Object*> live = marked_objects();
  std::unordered_map<const Object*, Object*> moved;
  moved.reserve(live.size());
  {
    const sync::Lock lock(lists);
    large.reserve(large.size() + live.size());
  }
  // Copies are large objects, whatever their size: each has an address of its own, and its memory goes back
  // to the C library.
  for (Object*& object : live) {
    const size_t bytes = size_of(object);
    auto* header = pinned.contains(object) ? nullptr : make_large(bytes);
    if (!header) continue;  // pinned, or no memory: it stays
    Object* copy = header->object();
    std::memcpy(copy->at(8), object->at(8), bytes - 8);
    copy->header.store(object->header.load(std::memory_order_relaxed) | Object::kLarge,
                       std::memory_order_relaxed);
    {
      const sync::Lock lock(lists);
      large.insert(header);
    }
    moved.emplace(object, copy);
    object = copy;
  }
  const auto at = [&](Object* object) {
    const auto found = moved.find(object);
    return found == moved.end() ? object : found->second;
  };
  struct Update final : SlotVisitor {
    decltype(at)& where;
    explicit Update(decltype(at)& where) : where(where) {}
    void visit(Object** slot) override {
      const std::atomic_ref<Object*> reference(*slot);
      reference.store(where(reference.load(std::memory_order_relaxed)), std::memory_order_relaxed);
    }
  } update(at);
  visit_roots(update);
  visit_root_slots(update);
  for (Object* object : live) visit_slots(object, update);
  {
    const sync::Lock lock(roots_mutex);
    for (Object* object : permanent_with_references) visit_slots(object, update);
    for (WeakReference* reference : weak) {
      reference->object.store(at(reference->object.load(std::memory_order_relaxed)),
                              std::memory_order_release);
    }
    for (Finalizer& finalizer : finalizers) finalizer.object = at(finalizer.object);
  }
  const sync::Lock lock(lists);
  for (Object*& object : finalizable) object = at(object);
  for (const auto& [old, copy] : moved) {
    auto* object = const_cast<Object*>(old);
    std::memset(object->at(8), 0xdb, size_of(object) - 8);
    object->header.fetch_and(~Object::kMark, std::memory_order_relaxed);  // the sweep takes it
  }
}

}  // namespace berth::gc
