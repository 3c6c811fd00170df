// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimiser: from a flow at its fixed point to the body, effects and inlining verdict of a TypedMethod.
// Deterministic: depends on the flow, the calls that inference resolved, and the finished results of callees.
#pragma once
#include "inference/optimiser/passes.hpp"

namespace berth::inference {

class Optimiser {
 public:
  Optimiser(Transfer& transfer, const CallSites& sites, Callees callees, uint64_t world)
      : transfer_(transfer), sites_(sites), callees_(std::move(callees)), world_(world) {}

  /// Fills body, result, effects and is_inlinable; is_recursive is set before.
  /// Threads: one at a time. Blocks: short (interning). GC: any, kept. Errors: none.
  void run(Flow& flow, TypedMethod& method);

 private:
  Body inferred_again(Body body, const TypedMethod& method);
  void clean(Body& body);
  uint8_t effects(const TypedMethod& method);

  Transfer& transfer_;
  const CallSites& sites_;
  const Callees callees_;
  const uint64_t world_;
};

}  // namespace berth::inference
