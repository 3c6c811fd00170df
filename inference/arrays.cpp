// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays, structs and tuples of a running program: making them, reading and writing what they hold.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "inference/memory.hpp"
#include "inference/places.hpp"
#include "inference/runtime_impl.hpp"
#include "inference/value_frame.hpp"

namespace berth::inference {

bool array_place(gc::Thread& thread, Runtime& runtime, gc::Object* array, int64_t index, Place& place) {
  const auto length = array->length();
  if (static_cast<uint64_t>(index) >= length)
    return runtime.raise(thread, "index", fmt::format("index {} of {}", index, length));
  LeafKind kind{};
  const bool unboxed = is_unboxed(leaf_of(array)->element, kind);
  const unsigned bytes = unboxed ? bytes_of(kind) : 8;
  place = {array->elements() + static_cast<uint64_t>(index) * bytes, unboxed ? kind : LeafKind::Nothing,
           bytes, array};
  return true;
}

namespace {

const char* const kErrorFields[] = {"kind", "text", "at", "stack", "value"};

// Index of the field that a statement names; -1: the type has none. `hint` was right for the type that
// inference saw.
int find_field(const Value& object, uint32_t hint, const std::string* name) {
  if (object.kind == LeafKind::Error) {
    for (int i = 0; i < 5; ++i) {
      if (name ? *name == kErrorFields[i] : static_cast<uint32_t>(i) == hint) return i;
    }
    return -1;
  }
  if (object.kind != LeafKind::Struct) return -1;
  const StructType& type = *leaf_of(object.object)->structure;
  if (hint < type.fields.size() && (!name || type.fields[hint].name == *name)) return static_cast<int>(hint);
  return name ? type.field_index(*name) : -1;
}

}  // namespace

bool field_place(gc::Thread& thread, Runtime& runtime, const Value& object, uint32_t hint,
                 const std::string* name, Place& place, const Type*& declared) {
  const int index = find_field(object, hint, name);
  if (index < 0) {
    return runtime.raise(thread, "field",
                         fmt::format("no field {} in {}", name ? *name : std::to_string(hint),
                                     runtime.type_of_value(object)->name));
  }
  declared = object.kind == LeafKind::Error
                 ? runtime.program().types().any()
                 : leaf_of(object.object)->structure->fields[static_cast<size_t>(index)].type;
  LeafKind kind{};
  const bool unboxed = is_unboxed(declared, kind);
  place = {object.object->at(8 + 8 * static_cast<size_t>(index)), unboxed ? kind : LeafKind::Nothing, 8,
           object.object};
  return true;
}

Value load_place(const Place& place, std::memory_order order) {
  const uint64_t bits = load_bits(place, order);
  return place.is_boxed() ? Runtime::unbox(reinterpret_cast<gc::Object*>(bits))
                          : Value::of_bits(place.kind, bits);
}

namespace {

// What is stored there; making it may collect, and so move the object that the place is in.
bool box_for(gc::Thread& thread, Runtime& runtime, Place& place, const Value& value, gc::Object*& boxed) {
  gc::Rooted<1> roots(thread);
  roots[0] = place.object;
  const auto offset = static_cast<char*>(place.address) - reinterpret_cast<char*>(place.object);
  if (!runtime.box(thread, value, boxed)) return false;
  place.object = roots[0];
  place.address = place.object->at(static_cast<size_t>(offset));
  return true;
}

}  // namespace

bool store_place(gc::Thread& thread, Runtime& runtime, Place place, const Type* declared, const Value& value,
                 std::memory_order order) {
  if (!runtime.is(value, declared)) return runtime.raise_type(thread, declared->name, value);
  if (!place.is_boxed()) {
    store_bits(place, value.bits, order);
    return true;
  }
  gc::Object* boxed = nullptr;
  if (!box_for(thread, runtime, place, value, boxed)) return false;
  gc::Heap::write(place.object, static_cast<gc::Object**>(place.address), boxed, store_order(order));
  return true;
}

bool add_place(gc::Thread& thread, Runtime& runtime, const Place& place, const Value& value,
               std::memory_order order, Value& old) {
  if (place.is_boxed() || value.kind != place.kind) {
    return runtime.raise_type(thread, place.is_boxed() ? "number" : name_of(place.kind),
                              place.is_boxed() ? load_place(place, order) : value);
  }
  uint64_t found = load_bits(place, std::memory_order_relaxed);
  for (;;) {
    Value sum;
    const Value operands[] = {Value::of_bits(place.kind, found), value};
    if (number_operation(Op::Add, place.kind, false, operands, sum) != NumberFault::None)
      return runtime.raise_type(thread, "number", value);
    uint64_t expected = found;
    if (exchange_bits(place, expected, sum.bits, order)) break;
    found = expected;
  }
  old = Value::of_bits(place.kind, found);
  return true;
}

bool exchange_place(gc::Thread& thread, Runtime& runtime, Place place, const Type* declared,
                    const Value& expected, const Value& fresh, std::memory_order order, bool& done) {
  if (!runtime.is(fresh, declared)) return runtime.raise_type(thread, declared->name, fresh);
  done = false;
  if (!place.is_boxed()) {
    if (expected.kind != place.kind) return true;  // never equal
    uint64_t found = expected.bits;
    done = exchange_bits(place, found, fresh.bits, order);
    return true;
  }
  const ValueFrame values(thread, {&expected, 1});
  gc::Object* boxed = nullptr;
  if (!box_for(thread, runtime, place, fresh, boxed)) return false;
  // Equal by `same`, so two boxes of one number are: exchange what was found equal, again if it was replaced
  // meanwhile.
  for (;;) {
    auto* found = reinterpret_cast<gc::Object*>(load_bits(place, std::memory_order_acquire));
    if (!Runtime::same(Runtime::unbox(found), values.values()[0])) return true;
    if (gc::Heap::exchange(place.object, static_cast<gc::Object**>(place.address), found, boxed, order))
      break;
  }
  done = true;
  return true;
}

namespace {

template <class Element>
void fill_with(char* elements, size_t length, uint64_t bits) {
  std::fill_n(reinterpret_cast<Element*>(elements), length, static_cast<Element>(bits));
}

void fill_elements(char* elements, size_t length, unsigned bytes, uint64_t bits) {
  switch (bytes) {
    case 1: return fill_with<uint8_t>(elements, length, bits);
    case 2: return fill_with<uint16_t>(elements, length, bits);
    case 4: return fill_with<uint32_t>(elements, length, bits);
    default: return fill_with<uint64_t>(elements, length, bits);
  }
}

}  // namespace

bool Runtime::array_new(gc::Thread& thread, const Leaf* array, int64_t length, const Value& fill,
                        gc::Object*& out) {
  if (length < 0) return raise(thread, "index", fmt::format("index {} of {}", length, 0));
  LeafKind kind{};
  const bool unboxed = is_unboxed(array->element, kind);
  if (unboxed ? fill.kind != kind : !is(fill, array->element))
    return raise_type(thread, array->element->name, fill);
  const auto make = [&] {
    out = static_cast<uint64_t>(length) >> 48
              ? nullptr
              : heap().allocate(thread, layout(array), static_cast<size_t>(length));
    return out || raise(thread, "memory", "out of memory");
  };
  if (unboxed) {
    if (!make()) return false;
    // Fresh memory is zero.
    if (fill.bits != 0)
      fill_elements(out->elements(), static_cast<size_t>(length), bytes_of(kind), fill.bits);
    return true;
  }
  gc::Rooted<1> roots(thread);
  if (!box(thread, fill, roots[0]) || !make()) return false;
  auto* slots = reinterpret_cast<gc::Object**>(out->elements());
  for (int64_t i = 0; roots[0] && i < length; ++i) gc::Heap::write(out, slots + i, roots[0]);
  return true;
}

bool Runtime::array_copy(gc::Thread& thread, gc::Object* array, gc::Object*& out) {
  gc::Rooted<1> roots(thread);
  roots[0] = array;
  out = heap().allocate(thread, array->type(), array->length());
  if (!out) return raise(thread, "memory", "out of memory");
  array = roots[0];
  if (array->type()->elements_are_references) {
    auto* from = reinterpret_cast<gc::Object**>(array->elements());
    auto* to = reinterpret_cast<gc::Object**>(out->elements());
    for (uint64_t i = 0; i < array->length(); ++i) {
      gc::Heap::write(out, to + i, std::atomic_ref<gc::Object*>(from[i]).load(std::memory_order_relaxed));
    }
    return true;
  }
  std::memcpy(out->elements(), array->elements(), array->length() * array->type()->element_bytes);
  return true;
}

bool Runtime::array_get(gc::Thread& thread, gc::Object* array, int64_t index, Value& out) {
  Place place;
  if (!array_place(thread, *this, array, index, place)) return false;
  out = load_place(place, std::memory_order_relaxed);
  return true;
}

bool Runtime::array_set(gc::Thread& thread, gc::Object* array, int64_t index, const Value& value) {
  Place place;
  return array_place(thread, *this, array, index, place) &&
         store_place(thread, *this, place, leaf_of(array)->element, value, std::memory_order_relaxed);
}

bool Runtime::struct_new(gc::Thread& thread, const StructType* type, std::span<const Value> fields,
                         gc::Object*& out) {
  if (fields.size() != type->fields.size()) {
    return raise(thread, "type",
                 fmt::format("type: expected {} fields of {}, got {}", type->fields.size(), type->name,
                             fields.size()));
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!is(fields[i], type->fields[i].type))
      return raise_type(thread, type->fields[i].type->name, fields[i]);
  }
  const ValueFrame values(thread, fields);
  gc::Rooted<1> roots(thread);
  roots[0] = heap().allocate(thread, layout(type->leaf));
  if (!roots[0]) return raise(thread, "memory", "out of memory");
  for (size_t i = 0; i < fields.size(); ++i) {
    LeafKind kind{};
    const Value& value = values.values()[i];
    if (is_unboxed(type->fields[i].type, kind)) {
      roots[0]->word(8 + 8 * i) = value.bits;
      continue;
    }
    gc::Object* boxed = nullptr;
    if (!box(thread, value, boxed)) return false;
    gc::Heap::write(roots[0], reinterpret_cast<gc::Object**>(roots[0]->at(8 + 8 * i)), boxed);
  }
  out = roots[0];
  return true;
}

bool Runtime::field_get(gc::Thread& thread, const Value& object, uint32_t index, const std::string* name,
                        Value& out) {
  Place place;
  const Type* declared = nullptr;
  if (!field_place(thread, *this, object, index, name, place, declared)) return false;
  out = load_place(place, std::memory_order_relaxed);
  return true;
}

bool Runtime::field_set(gc::Thread& thread, const Value& object, uint32_t index, const std::string* name,
                        const Value& value) {
  Place place;
  const Type* declared = nullptr;
  if (!mutable_field_place(thread, *this, object, index, name, place, declared)) return false;
  return store_place(thread, *this, place, declared, value, std::memory_order_relaxed);
}

bool mutable_field_place(gc::Thread& thread, Runtime& runtime, const Value& object, uint32_t hint,
                         const std::string* name, Place& place, const Type*& declared) {
  if (!field_place(thread, runtime, object, hint, name, place, declared)) return false;
  if (object.kind == LeafKind::Struct && leaf_of(object.object)->structure->is_mutable) return true;
  return runtime.raise_type(thread, "a mutable struct", object);
}

bool Runtime::tuple_new(gc::Thread& thread, std::span<const Value> items, gc::Object*& out) {
  const ValueFrame values(thread, items);
  gc::Rooted<1> roots(thread);
  const Leaf* leaf = program_.types().tuple_leaf(static_cast<uint32_t>(items.size()));
  roots[0] = heap().allocate(thread, layout(leaf), items.size());
  if (!roots[0]) return raise(thread, "memory", "out of memory");
  for (size_t i = 0; i < items.size(); ++i) {
    gc::Object* boxed = nullptr;
    if (!box(thread, values.values()[i], boxed)) return false;
    gc::Heap::write(roots[0], reinterpret_cast<gc::Object**>(roots[0]->elements()) + i, boxed);
  }
  out = roots[0];
  return true;
}

}  // namespace berth::inference
