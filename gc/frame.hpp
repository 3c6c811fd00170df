// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frame: one record of the shadow stack: the roots of one activation, native or interpreted.
//
// Frames are linked from the thread while it runs the agent, and from the agent while it is suspended.
// Generated code builds them in its native frame: {previous, kind, position, slots...}. Layout is fixed;
// jit/lowering asserts it. On every exceptional edge the head is restored to the catching frame.
#pragma once
#include <cstdint>

#include "gc/type.hpp"

namespace berth::gc {

struct Frame;

/// What a frame is: how to find its roots. Statically allocated, or owned by the code that builds such
/// frames.
struct FrameKind {
  void (*scan)(Frame&, SlotVisitor&);  // visits every root slot of the frame
  uint32_t slots = 0;                  // for scan_slots: references that follow the record
  const void* method = nullptr;        // the language's description, for stack traces; may be null
};

struct Frame {
  Frame* previous;
  const FrameKind* kind;
  uint64_t position;  // source position last passed; stored before calls

  Object** slots() noexcept { return reinterpret_cast<Object**>(this + 1); }
  static void scan_slots(Frame& frame, SlotVisitor& visitor) {
    for (uint32_t i = 0; i < frame.kind->slots; ++i) visitor.visit(frame.slots() + i);
  }
};
static_assert(sizeof(Frame) == 24);

}  // namespace berth::gc
