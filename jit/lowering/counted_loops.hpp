// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CountedLoops: innermost loops that count up by one to an end that stands still. They run in chunks with the poll between two of them, so
// that nothing in the inner loop keeps a reference from staying in a register, or the loop from being vectorised.
//
//   entry:  limit = min(end, index + chunk)
//   header: while index < limit        the loop as written
//   over:   index < end? poll, entry : what follows the loop
//
// The header runs again after a poll, with the same parameters; so it may hold only what can be done twice. Linear in statements.
//
// Accesses whose index is a line in the counter are found too: that the first and the last index of a chunk lie within the array proves
// all between, so optimised code has a second copy of the loop without those checks (loop_versions.cpp).
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
  std::vector<const inference::Statement*> linear;  // accesses of arrays and strings from outside, their index a line in the counter
};

/// How an operand of the loop's blocks depends on the counter, wrapping: sums, differences and multiples by what stands still.
enum class Linearity : uint8_t { Still, Counter, Sum, Difference, Product, Other };
struct LinearForm {
  Linearity kind = Linearity::Other;
  const inference::Statement* statement = nullptr;  // Sum, Difference, Product; Counter where a conversion widens it
};

/// Definitions by value, for LinearForm. Threads: any. Blocks: never. GC: any, kept.
class LinearForms {
 public:
  LinearForms(const inference::Body& body, const CountedLoop& loop, inference::ValueId counter);
  LinearForm of(const inference::Operand& operand) const;
  /// All the way down; Other nowhere. Bounded: a sum of many terms is none.
  bool is_linear(const inference::Operand& operand, unsigned depth = 8) const;
  bool stands_still(const inference::Operand& operand) const;

 private:
  const CountedLoop& loop_;
  const inference::ValueId counter_;
  std::vector<const inference::Statement*> definitions_;  // by value; those in the loop only
};

/// By header; null: another loop, or none. Threads: any. Blocks: never. GC: any, kept.
std::vector<std::unique_ptr<CountedLoop>> find_counted_loops(const inference::Body& body, const Roots& roots, const RootQuestions& questions);

}  // namespace berth::jit
