// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GcWorld: a collector with types for tests; AttachedThread: this native thread attached to it. gc_engine.cpp
// defines the engine floor's part of gc/'s C functions: an engine handle is a Collector.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gc/collector.hpp"
#include "gc/gc_api.hpp"
#include "gc/handle.hpp"
#include "gc/heap.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::test {

using namespace std::chrono_literals;

class AttachedThread {
 public:
  explicit AttachedThread(gc::Collector& collector) : collector_(collector) {
    auto attached = collector.attach(thread_, agent_);
    if (attached.has_error()) throw std::runtime_error(attached.assume_error().message());
  }
  ~AttachedThread() {
    if (thread_.collector) collector_.detach(thread_);
  }
  gc::Thread& operator*() noexcept { return thread_; }
  gc::Thread* operator->() noexcept { return &thread_; }
  gc::Agent& agent() noexcept { return agent_; }

 private:
  gc::Collector& collector_;
  gc::Agent agent_{"test"};
  gc::Thread thread_;
};

class GcWorld {
 public:
  explicit GcWorld(const gc::CollectorOptions& options = {}) : collector(options) {
    gc::Type node_type;
    node_type.name = "node";  // 8: left, 16: right, 24: number
    node_type.bytes = 32;
    node_type.reference_offsets = {8, 16};
    node = collector.heap().add_type(node_type);
    gc::Type leaf_type;
    leaf_type.name = "leaf";  // 8: number
    leaf_type.bytes = 16;
    leaf = collector.heap().add_type(leaf_type);
    gc::Type array_type;
    array_type.name = "array";
    array_type.bytes = 16;
    array_type.element_bytes = 8;
    array_type.elements_are_references = true;
    array = collector.heap().add_type(array_type);
    gc::Type bytes_type;
    bytes_type.name = "bytes";
    bytes_type.bytes = 16;
    bytes_type.element_bytes = 1;
    bytes = collector.heap().add_type(bytes_type);
  }
  gc::Heap& heap() { return collector.heap(); }

  gc::Collector collector;
  const gc::Type* node;
  const gc::Type* leaf;
  const gc::Type* array;
  const gc::Type* bytes;
};

inline gc::Object*& left(gc::Object* node) { return *reinterpret_cast<gc::Object**>(node->at(8)); }
inline gc::Object*& right(gc::Object* node) { return *reinterpret_cast<gc::Object**>(node->at(16)); }
inline gc::Object*& element(gc::Object* array, size_t i) {
  return reinterpret_cast<gc::Object**>(array->elements())[i];
}
inline void set(gc::Object* object, gc::Object*& slot, gc::Object* value) {
  gc::Heap::write(object, &slot, value);
}

}  // namespace berth::test
