// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "inference/optimiser/passes.hpp"
#include "inference/program.hpp"

namespace berth::inference {
namespace {

/// Only what inference took for a candidate of this call: so the result does not depend on what else happens
/// to be cached.
const Specialisation* only_callee(const ResolvedCall& call, const ResolvedCall& site) {
  if (call.is_open || !call.covers || call.candidates.size() != 1) return nullptr;
  const auto known = std::find(site.candidates.begin(), site.candidates.end(), call.candidates[0]);
  return known == site.candidates.end() ? nullptr : *known;
}

}  // namespace

bool devirtualise(Body& body, Transfer& transfer, const CallSites& sites, uint64_t world) {
  bool has_changed = false;
  for (Block& block : body.blocks) {
    for (Statement& statement : block.statements) {
      const auto site =
          is_call(statement.op) && !statement.callee ? sites.find(statement.result) : sites.end();
      if (site == sites.end()) continue;
      std::vector<const Type*> operands;
      for (const Operand& operand : statement.operands) {
        operands.push_back(operand.kind == Operand::Kind::Value ? body.values[operand.value].inferred
                                                                : transfer.type_of(operand.literal));
      }
      if (statement.op == Op::Invoke) {
        // A fixed method; arguments that may not fit are left to the check at run time.
        bool fits = site->second.candidates.size() == 1 && operands.size() == statement.signature.size();
        for (size_t i = 0; fits && i < operands.size(); ++i)
          fits = transfer.lattice().is_subtype(operands[i], statement.signature[i]);
        if (!fits) continue;
        statement.callee = site->second.candidates[0];
        has_changed = true;
        continue;
      }
      const ResolvedCall call =
          resolve_call(transfer.program(), operands[0], std::span(operands).subspan(1), world);
      const Specialisation* callee = only_callee(call, site->second);
      if (!callee) continue;
      statement.op = Op::Invoke;
      statement.callee = callee;
      statement.name = transfer.program().types().string(
          callee->method->function ? callee->method->function->name : callee->method->name);
      statement.signature = callee->method->signature;
      statement.operands.erase(statement.operands.begin());
      has_changed = true;
    }
  }
  return has_changed;
}

}  // namespace berth::inference
