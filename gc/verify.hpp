// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifier: what stress mode `verify` checks at each collection of a heap, dying with the culprit's type:
//   - each root and each reference in a live object is null, permanent, or the start of an object that was
//   not freed;
//   - each reference of an object that survived a collection is what it was then, or what the barrier stored
//   since.
//
// A fresh object is not checked against the barrier until its first collection. Barriered stores are
// remembered for the process, since the barrier knows no heap. Rank: 458, a leaf.
#pragma once
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "gc/stress.hpp"
#include "gc/type.hpp"
#include "support/sync.hpp"

namespace berth::gc {

class Verifier {
 public:
  static bool is_on() noexcept { return stress::is_on(stress::Mode::Verify); }
  /// The barrier: stores, and remembers. One step, so that of racing stores the last one is remembered.
  /// Threads: attached. Blocks: short. GC: unsafe.
  static void store(Object** slot, Object* value);
  static bool exchange(Object** slot, Object*& expected, Object* value);

  /// Dies unless `is_object` of every value. `where` names the place in the message. World stopped, as all
  /// below.
  template <class IsObject>
  static void check_references(const std::vector<Object*>& values, const char* where, IsObject is_object) {
    for (const Object* value : values) {
      if (value && !is_object(value)) report(where, value);
    }
  }
  /// Compares with the last remember().
  void check_barrier(Object* object);
  /// Forgets all objects; then remember() each live one.
  void clear() { survivors_.clear(); }
  void remember(Object* object) { survivors_[object] = references(object); }

 private:
  /// The reference slots inside the object, in order.
  static std::vector<Object**> slots(Object* object);
  static std::vector<Object*> references(Object* object);
  [[noreturn]] static void report(const char* where, const Object* value);

  std::unordered_map<const Object*, std::vector<Object*>> survivors_;
};

/// Every reference slot of the object, in one order.
inline void visit_slots(Object* object, SlotVisitor& visitor) {
  const Type* type = object->type();
  for (const uint32_t offset : type->reference_offsets)
    visitor.visit(reinterpret_cast<Object**>(object->at(offset)));
  if (type->trace) type->trace(object, visitor);
  if (!type->elements_are_references) return;
  auto** elements =
      reinterpret_cast<Object**>(object->at(std::max<size_t>(Object::kElementsOffset, type->bytes)));
  for (uint64_t i = 0; i < object->length(); ++i) visitor.visit(elements + i);
}

}  // namespace berth::gc
