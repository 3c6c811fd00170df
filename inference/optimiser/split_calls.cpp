// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatch by tests: a call that may reach a few methods asks by its arguments' types which one it is, and
// invokes that.
//
//   %r = call f(%x)        becomes        is %x T1?  yes: invoke f(T1)(%x)
//                                         is %x T2?  yes: invoke f(T2)(%x)      all go on with their result
//                                         as %r else call f(%x)
//
// The last call stays for values of which inference knows no method (of a type that is defined later, or an
// error); where the tests leave no value it is found unreached. Tests go from the more to the less specific
// method, or between methods that no value is of both.
#include <algorithm>

#include "inference/optimiser/passes.hpp"
#include "inference/program.hpp"
#include "support/mutant.hpp"

namespace berth::inference {
namespace {

/// One comparison of the object's header per part.
bool is_quick_to_test(const Type& type) {
  constexpr size_t kMaxParts = 2;
  return type.kind == Type::Kind::Parts && type.parts.size() <= kMaxParts &&
         std::all_of(type.parts.begin(), type.parts.end(),
                     [](const Part& part) { return part.precision == Part::Precision::Whole; });
}

class CallSplitter {
 public:
  CallSplitter(Body& body, Transfer& transfer, const CallSites& sites, uint64_t world)
      : body_(body), transfer_(transfer), lattice_(transfer.lattice()), sites_(sites), world_(world) {}

  bool run() {
    bool is_any_split = false;
    const auto num_blocks = static_cast<BlockId>(body_.blocks.size());
    for (BlockId first = 0; first < num_blocks; ++first) {
      BlockId b = first;
      for (size_t i = 0; i < body_.blocks[b].statements.size(); ++i) {
        const std::vector<const Specialisation*> candidates = candidates_of(body_.blocks[b].statements[i]);
        if (candidates.empty()) continue;
        b = split(b, i, candidates);
        i = static_cast<size_t>(-1);  // on with the continuation, from its start
        is_any_split = true;
      }
    }
    return is_any_split;
  }

 private:
  const Type* type_of(const Operand& operand) const {
    return operand.kind == Operand::Kind::Value ? body_.values[operand.value].inferred
                                                : transfer_.type_of(operand.literal);
  }

  /// In the order of the tests; empty: the call is left as it is.
  std::vector<const Specialisation*> candidates_of(const Statement& statement) {
    const auto site = statement.op == Op::Call ? sites_.find(statement.result) : sites_.end();
    if (site == sites_.end()) return {};
    std::vector<const Type*> operands;
    for (const Operand& operand : statement.operands) operands.push_back(type_of(operand));
    const ResolvedCall call =
        resolve_call(transfer_.program(), operands[0], std::span(operands).subspan(1), world_);
    if (call.is_open) return {};
    const std::span arguments = std::span(operands).subspan(1);
    for (const Specialisation* candidate : call.candidates) {
      // As devirtualise: only what inference took for one.
      if (std::find(site->second.candidates.begin(), site->second.candidates.end(), candidate) ==
          site->second.candidates.end())
        return {};
      for (size_t i = 0; i < arguments.size(); ++i)
        if (is_tested(*candidate, arguments, i) && !is_quick_to_test(*candidate->arguments[i])) return {};
    }
    return is_ordered(call.candidates) ? call.candidates : std::vector<const Specialisation*>{};
  }

  bool is_tested(const Specialisation& candidate, std::span<const Type* const> arguments, size_t i) const {
    return !lattice_.is_subtype(arguments[i], candidate.arguments[i]);
  }

  /// Whether the first whose tests hold is what dispatch finds.
  bool is_ordered(const std::vector<const Specialisation*>& candidates) const {
    if (mutant::is_on("I25_tests_in_any_order")) return true;
    for (size_t i = 0; i < candidates.size(); ++i)
      for (size_t j = i + 1; j < candidates.size(); ++j)
        if (!are_disjoint(*candidates[i], *candidates[j]) &&
            !is_below(*candidates[i]->method, *candidates[j]->method))
          return false;
    return true;
  }
  bool are_disjoint(const Specialisation& a, const Specialisation& b) const {
    for (size_t i = 0; i < a.arguments.size(); ++i)
      if (!lattice_.overlaps(a.arguments[i], b.arguments[i])) return true;
    return false;
  }
  bool is_below(const Method& a, const Method& b) const {
    for (size_t i = 0; i < a.signature.size(); ++i)
      if (!lattice_.is_subtype(a.signature[i], b.signature[i])) return false;
    return true;
  }

  /// Returns the block that continues after the call.
  BlockId split(BlockId b, size_t index, const std::vector<const Specialisation*>& candidates) {
    Statement call = body_.blocks[b].statements[index];
    const BlockId handler = body_.blocks[b].handler;
    const BlockId continuation = add_block(handler);
    Block& rest = body_.blocks[continuation];
    auto& statements = body_.blocks[b].statements;
    rest.parameters.push_back(call.result);
    rest.statements.assign(std::make_move_iterator(statements.begin() + static_cast<ptrdiff_t>(index) + 1),
                           std::make_move_iterator(statements.end()));
    statements.resize(index);
    rest.terminator = std::move(body_.blocks[b].terminator);
    body_.blocks[b].terminator = {};

    BlockId at = b;
    for (const Specialisation* candidate : candidates) {
      const BlockId otherwise = add_block(handler);
      at = add_tests(at, call, *candidate, otherwise);
      finish(at, invoke(call, *candidate), call.result, continuation);
      at = otherwise;
    }
    finish(at, call, call.result, continuation);
    return continuation;
  }

  BlockId add_block(BlockId handler) {
    body_.blocks.emplace_back().handler = handler;
    return static_cast<BlockId>(body_.blocks.size() - 1);
  }

  ValueId add_value(const Type* type) {
    body_.values.push_back({{}, nullptr, type});
    return static_cast<ValueId>(body_.values.size() - 1);
  }

  /// From block `at` on; returns the block where all hold.
  BlockId add_tests(BlockId at, const Statement& call, const Specialisation& candidate, BlockId otherwise) {
    for (size_t i = 0; i < candidate.arguments.size(); ++i) {
      const Operand& argument = call.operands[i + 1];
      if (lattice_.is_subtype(type_of(argument), candidate.arguments[i])) continue;
      Statement test;
      test.op = Op::Is;
      test.type = candidate.arguments[i];
      test.operands.push_back(argument);
      test.position = call.position;
      test.result = add_value(transfer_.program().types().kind(LeafKind::Bool));
      const BlockId next = add_block(body_.blocks[at].handler);
      Terminator& terminator = body_.blocks[at].terminator;
      terminator.kind = Terminator::Kind::Condition;
      terminator.value = operand_of(test.result);
      terminator.targets = {{next, {}}, {otherwise, {}}};
      terminator.position = call.position;
      body_.blocks[at].statements.push_back(std::move(test));
      at = next;
    }
    return at;
  }

  Statement invoke(const Statement& call, const Specialisation& candidate) {
    Statement made = call;
    made.op = Op::Invoke;
    made.callee = &candidate;
    made.name = transfer_.program().types().string(candidate.method->function->name);
    made.signature = candidate.method->signature;
    made.operands.erase(made.operands.begin());
    return made;
  }

  /// The block's end: the statement, whose result goes to the continuation.
  void finish(BlockId b, Statement statement, ValueId result, BlockId continuation) {
    statement.result = add_value(body_.values[result].inferred);
    Terminator& terminator = body_.blocks[b].terminator;
    terminator.kind = Terminator::Kind::Branch;
    terminator.position = statement.position;
    terminator.targets.push_back({continuation, {operand_of(statement.result)}});
    body_.blocks[b].statements.push_back(std::move(statement));
  }

  Body& body_;
  Transfer& transfer_;
  TypeLattice& lattice_;
  const CallSites& sites_;
  const uint64_t world_;
};

}  // namespace

bool split_calls(Body& body, Transfer& transfer, const CallSites& sites, uint64_t world) {
  return CallSplitter(body, transfer, sites, world).run();
}

}  // namespace berth::inference
