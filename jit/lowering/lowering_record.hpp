// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LoweringRecord: what the code of one lowered method refers to by address. Made by the lowering, kept with
// the code (LoweredNames::record).
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "gc/frame.hpp"
#include "inference/ir.hpp"

namespace berth::jit {

/// One call of another method. `slot` in the module holds the callee's specialised entry once it is found.
struct CallSite {
  const inference::Specialisation* callee;
  uint32_t convention;  // that the call was compiled for: another one is never bound
};

struct LoweringRecord {
  std::deque<inference::Statement> statements;  // deques: elements stay where they are
  std::deque<inference::Position> positions;    // of terminators and the method
  std::vector<std::shared_ptr<const inference::InlineSite>>
      inline_sites;  // of positions, where the lowering took in calls
  std::deque<CallSite> sites;
  std::deque<gc::FrameKind> frames;  // one for each function
  gc::FrameKind bridge{&gc::Frame::scan_slots, 0,
                       nullptr};  // of the boxed entry's arguments; not in stack traces
};

}  // namespace berth::jit
