// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CountedLoops: innermost loops that count up by one to an end that stands still. They run in chunks with the poll between two of them, so
// that nothing in the inner loop keeps a reference from staying in a register, or the loop from being vectorised.
//
//   entry:  limit = min(end, index + chunk)
//   header: while index < limit        the loop as written
//   over:   index < end? poll, entry : what follows the loop
//
// The header runs again after a poll, with the same parameters; so it may hold only what can be done twice. Linear in statements.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "jit/lowering/root_analysis.hpp"

namespace berth::jit {

struct CountedLoop {
  std::vector<bool> contains;         // per block
  std::vector<bool> makes;            // per value: by its blocks; all others are the same in every round
  size_t index = 0;                   // which parameter of the header counts
  const inference::Statement* test = nullptr;    // `lt`, of the header: index, end
  const inference::Statement* length = nullptr;  // of the header, if it makes the end: of an array or string from outside
  uint64_t chunk = 0;                 // iterations between two polls: about 50 us, 0.2 ms at the very most
};

/// By header; null: another loop, or none. Threads: any. Blocks: never. GC: any, kept.
std::vector<std::unique_ptr<CountedLoop>> find_counted_loops(const inference::Body& body, const Roots& roots, const RootQuestions& questions);

}  // namespace berth::jit
