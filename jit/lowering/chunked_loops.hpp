// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ChunkedLoops: innermost loops run in chunks with the poll between two of them, so that nothing in the inner
// loop keeps a reference from staying in a register, or the loop from being vectorised. Two kinds:
//
//   counted: up by one to an end that stands still              any other, in optimised code only
//   entry:  limit = min(end, index + chunk)                     entry:  left = chunk
//   header: while index < limit        the loop as written      header: left == 0? poll, entry
//   over:   index < end? poll, entry : what follows             the loop as written; left - 1 at a back edge
//
// A counted header runs again after a poll, with the same parameters; so it may hold only what can be done
// twice. Linear in statements.
//
// Accesses whose index a test before the chunk can prove are found too, so optimised code has a second copy
// of the loop without those checks (loop_versions.cpp): a line in the counter, whose first and last value
// decide for all between; one that its bits bound; one that the loop's own test keeps between two values, of
// which the lower only rises and the upper only falls.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "jit/lowering/root_analysis.hpp"

namespace berth::jit {

/// What a step may be, in either direction, and the scale of a line: below that nothing wraps within a chunk,
/// which is shorter than 2^16.
inline constexpr uint64_t kLargestStep = uint64_t{1} << 31;

inline constexpr uint64_t kChunkNs = 50'000;  // that a chunk takes at most, by what its statements cost

struct ChunkedLoop {
  std::vector<bool> contains;  // per block
  std::vector<bool> makes;     // per value: by its blocks; all others are the same in every round
  uint64_t chunk = 0;          // rounds between two polls: about 50 us, 0.2 ms at the very most
  bool is_counted = false;
  bool is_never_negative = false;              // counted: its counter, by what it starts at
  bool is_one_chunk = false;                   // counted: between literals that lie no further apart
  size_t index = 0;                            // counted: which parameter of the header counts
  const inference::Statement* test = nullptr;  // of the header; counted: `lt`: index, end
  const inference::Statement* length =
      nullptr;  // counted: of the header, if it makes the end: of an array or string from outside
  // Accesses of arrays and strings from outside whose index is a line in the counter, or does not exceed
  // `largest`:
  std::vector<const inference::Statement*> linear;
  struct Bounded {
    const inference::Statement* statement;
    uint64_t largest;
  };
  std::vector<Bounded> bounded;
  // Not counted, but `test` is `low < high` or `low <= high`: what they are at the chunk's start encloses
  // both from then on.
  struct Enclosed {
    const inference::Statement* statement;
    bool by_low;  // its index is low, else high, and something that stands still
  };
  std::vector<Enclosed> enclosed;
  std::vector<inference::Operand> steps;  // which must not be negative, nor large
};

/// How an operand of the loop's blocks depends on the counter, wrapping: sums, differences and multiples by
/// what stands still.
enum class Linearity : uint8_t { Still, Counter, Sum, Difference, Product, Other };
struct LinearForm {
  Linearity kind = Linearity::Other;
  const inference::Statement* statement =
      nullptr;  // Sum, Difference, Product; Counter if a conversion widens it
};

/// Definitions by value, for LinearForm. Threads: any. Blocks: never. GC: any, kept.
class LinearForms {
 public:
  /// `counter`: of the header's parameters, of the kind that loop.test compares; kNone: none.
  LinearForms(const inference::Body& body, const ChunkedLoop& loop, inference::ValueId counter);
  LinearForm of(const inference::Operand& operand) const;
  /// All the way down; Other nowhere. Bounded: a sum of many terms is none.
  bool is_linear(const inference::Operand& operand, unsigned depth = 8) const;
  bool stands_still(const inference::Operand& operand) const;
  /// The counter, and something that stands still.
  bool is_offset(const inference::Operand& operand, unsigned depth = 8) const;
  /// What its bits bound it to, as it is seldom more than a few steps back; UINT64_MAX: nothing.
  uint64_t largest(const inference::Operand& operand, unsigned depth = 4) const;

 private:
  const ChunkedLoop& loop_;
  const inference::ValueId counter_;
  std::vector<const inference::Statement*> definitions_;  // by value; those in the loop only
};

using ChunkedLoops = std::vector<std::unique_ptr<ChunkedLoop>>;  // by header; null: another loop, or none

/// A counted loop around counted loops whose ends stand still in it (loop_nests.cpp).
struct LoopNest {
  ChunkedLoop loop;                       // blocks, values and test of the outer one
  std::vector<inference::BlockId> inner;  // headers of those inside
  uint64_t cost = 0;  // of one round of the outer loop beside the rounds of inner ones, in ns
};

/// `only_counted`: not the second kind. Threads: any. Blocks: never. GC: any, kept.
ChunkedLoops find_chunked_loops(const inference::Body& body, const Roots& roots,
                                const RootQuestions& questions, bool only_counted);
/// By header. As above.
std::vector<std::unique_ptr<LoopNest>> find_loop_nests(const inference::Body& body, const Roots& roots,
                                                       const RootQuestions& questions,
                                                       const ChunkedLoops& chunked);

}  // namespace berth::jit
