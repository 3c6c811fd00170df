// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/optimiser/optimiser.hpp"

#include <algorithm>

#include "inference/control_flow.hpp"
#include "inference/program.hpp"

namespace berth::inference {
namespace {

constexpr int kRounds = 2;  // a second one inlines what the first made known

/// Calls keep the types that inference gave them: the flow meets this with what the body has.
class KnownCalls final : public CallOracle {
 public:
  explicit KnownCalls(const Type* any) : any_(any) {}
  CallAnswer call(Flow&, BlockId, const Statement&, std::span<const Type* const>) override {
    return {any_, nullptr};
  }

 private:
  const Type* any_;
};

}  // namespace

Body Optimiser::inferred_again(Body body, const TypedMethod& method) {
  merge_blocks(body);  // so that a condition inlined from a callee is seen at its branch
  Flow flow(transfer_, with_refines(std::move(body)), method.specialisation->arguments);
  KnownCalls calls(transfer_.program().types().any());
  flow.run(calls);
  return simplify(flow);
}

void Optimiser::clean(Body& body) {
  BodyEffects effects(transfer_, callees_);
  for (int i = 0; i < 2; ++i) {  // merging leaves names behind that the second time are dead
    forward_fields(body, transfer_);
    remove_dead_code(body, effects);
    compact(body);
    merge_blocks(body);
    compact(body);
  }
}

void Optimiser::run(Flow& flow, TypedMethod& method) {
  method.result = flow.result();
  method.body = simplify(flow);
  devirtualise(method.body, transfer_, sites_, world_);
  if (!transfer_.is_kernel() && split_calls(method.body, transfer_, sites_, world_))
    method.body = inferred_again(std::move(method.body), method);
  for (int round = 0; round < kRounds; ++round) {
    devirtualise(method.body, transfer_, sites_, world_);
    if (!inline_calls(method.body, callees_, transfer_.is_kernel())) break;
    method.body = inferred_again(std::move(method.body), method);
  }
  devirtualise(method.body, transfer_, sites_, world_);
  clean(method.body);
  method.effects = effects(method);
  method.is_inlinable = !method.is_recursive && !method.limited && inline_cost(method.body) <= kInlineCost;
}

uint8_t Optimiser::effects(const TypedMethod& method) {
  BodyEffects of(transfer_, callees_);
  uint8_t all = kPure;
  const auto drop = [&](uint8_t dropped) { all &= static_cast<uint8_t>(~dropped); };
  if (method.is_recursive || has_loop(method.body)) drop(kTerminates | kNoSafepoint);
  for (const Block& block : method.body.blocks) {
    for (const Statement& statement : block.statements) {
      const uint8_t effects = of.of(method.body, statement).effects;
      all &= static_cast<uint8_t>(effects | (block.handler != kNone ? kNoRaise : 0));
    }
    if (block.handler == kNone && of.may_raise(method.body, block.terminator)) drop(kNoRaise);
    if (block.terminator.kind == Terminator::Kind::Throw) drop(kNoSafepoint | kSameResult);  // makes an error
  }
  return all;
}

}  // namespace berth::inference
