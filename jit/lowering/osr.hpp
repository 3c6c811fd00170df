// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OSR: where a running loop goes over to better code, and which values go with it.
//
// At a point, the header of a loop, counting code calls the better code's function of that point with the
// header's parameters and all that is live from before it, and returns what it returns. That function is the
// method lowered with the header as its start. Both tiers find the same points of one typed body, so a point
// is known by its place in the list.
#pragma once
#include <vector>

#include "jit/lowering/root_analysis.hpp"

namespace berth::jit {

struct OsrPoint {
  inference::BlockId header;
  std::vector<inference::ValueId> live;  // without the header's parameters; ascending
};

/// Outer loops first; none of a body that is too large for it: each point is another copy of the method.
/// Linear in blocks times values per round. Threads: any. Blocks: never. GC: any, kept.
std::vector<OsrPoint> find_osr_points(const inference::Body& body, const Roots& roots);
/// Blocks reached from `start`, in the order of `roots`. As above.
std::vector<inference::BlockId> order_from(const inference::Body& body, const Roots& roots,
                                           inference::BlockId start);

}  // namespace berth::jit
