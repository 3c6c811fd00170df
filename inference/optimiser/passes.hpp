// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes over typed bodies. Each keeps value numbers (but for compact), so that what is known by number stays
// known; each leaves a body that the verifier accepts. Results depend on the body alone.
#pragma once
#include <functional>
#include <unordered_map>

#include "inference/call_resolution.hpp"
#include "inference/flow.hpp"
#include "inference/ir.hpp"

namespace berth::inference {

/// The finished result of a callee; null: not known, or on the caller's cycle.
using Callees = std::function<const TypedMethod*(const Specialisation&)>;
/// What calls of the method reach, by the value of their result.
using CallSites = std::unordered_map<ValueId, ResolvedCall>;

/// Effects and failures of statements of a typed body.
class BodyEffects {
 public:
  BodyEffects(Transfer& transfer, const Callees& callees) : transfer_(transfer), callees_(callees) {}
  Transferred of(const Body& body, const Statement& statement);
  /// Whether it can go if nobody reads its result: memory that is not asked for cannot be missing.
  bool is_removable(const Body& body, const Statement& statement);
  bool may_raise(const Body& body, const Statement& statement) {
    return !(of(body, statement).effects & kNoRaise);
  }
  /// Whether the terminator raises: a throw, or a condition that may be no bool.
  bool may_raise(const Body& body, const Terminator& terminator);
  const Type* type_of(const Body& body, const Operand& operand);

 private:
  Transfer& transfer_;
  const Callees& callees_;
  std::vector<const Type*> operands_;
};

/// What a flow found, as a body: reached blocks in reverse postorder, constants in place, decided branches,
/// types on all values.
Body simplify(Flow& flow);
/// Calls that reach one method become invokes. True if any did.
bool devirtualise(Body& body, Transfer& transfer, const CallSites& sites, uint64_t world);
/// Calls that reach a few methods test which one it is, and invoke that. True if any does.
bool split_calls(Body& body, Transfer& transfer, const CallSites& sites, uint64_t world);
/// Splices in the bodies of small callees. True if any was.
bool inline_calls(Body& body, const Callees& callees, bool is_kernel);
/// For the code generator alone: calls among methods that call each other take in what they call, level by
/// level, as long as the body stays within kUnrolledCost. Values and blocks keep their numbers. True if any
/// did.
bool unroll_recursion(Body& body, const Callees& callees);
/// Reads of what was put into a tuple or immutable struct in this method take it from there.
void forward_fields(Body& body, Transfer& transfer);
/// Removes statements and block parameters that nothing needs.
void remove_dead_code(Body& body, BodyEffects& effects);
/// Joins blocks with their only successor where that has no other predecessor.
void merge_blocks(Body& body);
/// Drops unreached blocks and undefined values; numbers both in reverse postorder.
void compact(Body& body);

/// Replaces uses of values; chains are followed.
void replace_uses(Body& body, std::vector<Operand>& replacements);
Operand operand_of(ValueId value);
inline constexpr uint32_t kInlineCost = 100;
inline constexpr uint32_t kUnrolledCost = 600;
uint32_t inline_cost(const Body& body);

}  // namespace berth::inference
