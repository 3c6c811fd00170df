// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RootAnalysis: which references of a method must lie in its shadow frame, because they are live where a
// collection can happen.
//
// The frame begins where it is first needed: a method that tests for its base case first returns from there
// without one.
//
// Backward liveness over the blocks to a fixed point: linear in statements per round, rounds bounded by loop
// nesting in practice.
#pragma once
#include <functional>
#include <vector>

#include "inference/ir.hpp"

namespace berth::jit {

/// What a statement or terminator can do to the heap.
///   Quiet  never leaves the code
///   Cold   calls the runtime only to raise, or to judge a rare case that allocates nothing
///   Hot    may collect and go on
enum class Safepoint : uint8_t { Quiet, Cold, Hot };

struct RootQuestions {
  std::function<bool(inference::ValueId)> is_reference;
  std::function<Safepoint(const inference::Statement&)> statement;
  std::function<Safepoint(const inference::Block&)> terminator;
};

struct Roots {
  std::vector<bool> rooted;  // per value
  // Per block: a poll stands there, or on the edges that come back to it, or between chunks of the loop
  // (chunked_loops.hpp).
  std::vector<bool> is_loop_header;
  std::vector<inference::BlockId> order;  // reachable blocks, reverse postorder
  inference::BlockId frame_block =
      0;                        // at its start the frame is linked, and polled if there is anything Hot
  std::vector<bool> is_hot;     // per block: some statement or the terminator is
  std::vector<bool> is_framed;  // per block: entered with the frame linked, or begins it
  bool has_loops = false;
  bool has_hot = false;  // some statement or terminator is Hot
  bool has_rooted = false;
};

/// Its handler too. Threads: any. Blocks: never. GC: any, kept.
std::vector<inference::BlockId> successors(const inference::Block& block);
/// As above.
Roots find_roots(const inference::Body& body, const RootQuestions& questions);

}  // namespace berth::jit
