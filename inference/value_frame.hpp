// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ValueFrame: roots the objects in an array of values for a scope.
#pragma once
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <span>

#include "gc/thread.hpp"
#include "inference/value.hpp"

namespace berth::inference {

inline void visit_value(Value& value, gc::SlotVisitor& visitor) {
  if (value.is_object()) visitor.visit(&value.object);
}

/// A copy of `values`, rooted. Threads: the attached one. Blocks: never. GC: unsafe.
class ValueFrame {
 public:
  ValueFrame(gc::Thread& thread, std::span<const Value> values)
      : thread_(thread), values_(values.begin(), values.end()) {
    record_ = {{thread.frames, &kKind, 0}, this};
    thread.frames = &record_.frame;
  }
  ~ValueFrame() { thread_.frames = record_.frame.previous; }
  ValueFrame(const ValueFrame&) = delete;
  ValueFrame& operator=(const ValueFrame&) = delete;
  Value& operator[](size_t i) noexcept { return values_[i]; }
  std::span<const Value> values() const noexcept { return {values_.data(), values_.size()}; }

 private:
  struct Record {
    gc::Frame frame;
    ValueFrame* owner;
  };
  static void scan(gc::Frame& frame, gc::SlotVisitor& visitor) {
    for (Value& value : reinterpret_cast<Record&>(frame).owner->values_) visit_value(value, visitor);
  }
  static constexpr gc::FrameKind kKind{&ValueFrame::scan, 0, nullptr};

  gc::Thread& thread_;
  Record record_{};
  boost::container::small_vector<Value, 8> values_;
};

}  // namespace berth::inference
