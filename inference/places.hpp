// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of values in objects: an array's item or a struct's field, found, read and written by their declared
// type. Each raises (false) as Runtime does. Threads: attached. GC: unsafe.
#pragma once
#include "inference/arithmetic.hpp"
#include "inference/memory.hpp"
#include "inference/runtime.hpp"

namespace berth::inference {

bool array_place(gc::Thread& thread, Runtime& runtime, gc::Object* array, int64_t index, Place& place);
bool field_place(gc::Thread& thread, Runtime& runtime, const Value& object, uint32_t hint,
                 const std::string* name, Place& place, const Type*& declared);
bool mutable_field_place(gc::Thread& thread, Runtime& runtime, const Value& object, uint32_t hint,
                         const std::string* name, Place& place, const Type*& declared);

Value load_place(const Place& place, std::memory_order order);
/// Allocates for a number in a boxed place.
bool store_place(gc::Thread& thread, Runtime& runtime, Place place, const Type* declared, const Value& value,
                 std::memory_order order);
bool add_place(gc::Thread& thread, Runtime& runtime, const Place& place, const Value& value,
               std::memory_order order, Value& old);
bool exchange_place(gc::Thread& thread, Runtime& runtime, Place place, const Type* declared,
                    const Value& expected, const Value& fresh, std::memory_order order, bool& done);

}  // namespace berth::inference
