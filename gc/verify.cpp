// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/verify.hpp"

#include <algorithm>
#include <cstdio>

#include "support/rank.hpp"

namespace berth::gc {
namespace {

/// Stores that passed the barrier since their object's last collection.
struct Stores {
  sync::Mutex mutex{Rank{458, "barrier check"}};
  std::unordered_map<Object**, Object*> last BERTH_GUARDED_BY(mutex);
};

Stores& stores() {
  static Stores& instance = *new Stores;  // never destroyed: threads may store while the process ends
  return instance;
}

}  // namespace

void Verifier::store(Object** slot, Object* value) {
  Stores& all = stores();
  const sync::Lock lock(all.mutex);
  all.last[slot] = value;
  std::atomic_ref<Object*>(*slot).store(value, std::memory_order_seq_cst);  // whatever order the store has
}

bool Verifier::exchange(Object** slot, Object*& expected, Object* value) {
  Stores& all = stores();
  const sync::Lock lock(all.mutex);
  if (!std::atomic_ref<Object*>(*slot).compare_exchange_strong(expected, value)) return false;
  all.last[slot] = value;
  return true;
}

std::vector<Object**> Verifier::slots(Object* object) {
  struct Collect final : SlotVisitor {
    Object* object;
    size_t bytes;
    std::vector<Object**> found;
    void visit(Object** slot) override {
      const auto offset = reinterpret_cast<uintptr_t>(slot) - reinterpret_cast<uintptr_t>(object);
      if (offset < bytes)
        found.push_back(slot);  // a trace function may show tables of its own, which have no barrier
    }
  } collect;
  collect.object = object;
  const Type* type = object->type();
  collect.bytes = type->bytes;
  if (type->element_bytes)
    collect.bytes =
        std::max<size_t>(Object::kElementsOffset, type->bytes) + object->length() * type->element_bytes;
  visit_slots(object, collect);
  return std::move(collect.found);
}

std::vector<Object*> Verifier::references(Object* object) {
  std::vector<Object*> values;
  for (Object** slot : slots(object))
    values.push_back(std::atomic_ref<Object*>(*slot).load(std::memory_order_relaxed));
  return values;
}

void Verifier::check_barrier(Object* object) {
  const auto before = survivors_.find(object);
  const auto places = slots(object);
  Stores& all = stores();
  const sync::Lock lock(all.mutex);
  for (size_t i = 0; i < places.size(); ++i) {
    Object* value = std::atomic_ref<Object*>(*places[i]).load(std::memory_order_relaxed);
    const auto stored = all.last.extract(places[i]);  // also what an object that lay here before left
    if (before == survivors_.end()) continue;
    const Object* expected = stored ? stored.mapped() : i < before->second.size() ? before->second[i] : value;
    if (value == expected) continue;
    std::fprintf(stderr, "berth: verify: '%s' at %p, byte %zu: holds %p, expected %p\n",
                 object->type()->name.c_str(), static_cast<void*>(object),
                 static_cast<size_t>(reinterpret_cast<char*>(places[i]) - object->at(0)),
                 static_cast<void*>(value), static_cast<const void*>(expected));
    die("a store of a reference bypassed the write barrier. Remedy: store through berth_gc_write");
  }
}

void Verifier::report(const char* where, const Object* value) {
  std::fprintf(stderr, "berth: verify: %s holds %p, which is no live object\n", where,
               static_cast<const void*>(value));
  die("a reference does not lead to an object. Remedy: root what lives across safe points");
}

}  // namespace berth::gc
