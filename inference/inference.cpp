// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/inference.hpp"

#include "inference/inference_stack.hpp"
#include "inference/method_table.hpp"
#include "inference/program.hpp"

namespace berth::inference {

Result<engine::CodeInstanceRef> infer(gc::Thread& thread, Program& program, const Specialisation& root,
                                      uint64_t world, bool with_source,
                                      const engine::ReserveOptions& options) {
  return InferenceStack(thread, program, world, with_source, options).run(root);
}

Result<TypedMethod> infer_kernel(gc::Thread& thread, Program& program, const Method& kernel,
                                 std::span<const Type* const> arguments, uint64_t world) {
  const Specialisation* root = program.specialise(kernel, arguments);
  InferenceStack stack(thread, program, world, false, {});
  BERTH_TRY(TypedMethod typed, stack.run_kernel(*root));
  for (const Block& block : typed.body.blocks) {
    for (const Statement& statement : block.statements) {
      if (statement.op != Op::Call && statement.op != Op::CallLatest) continue;
      const Operand& function = statement.operands[0];
      const bool is_named = function.kind == Operand::Kind::Literal && function.literal.function;
      const std::string at = statement.position.file
                                 ? *statement.position.file + ":" + std::to_string(statement.position.line)
                                 : kernel.name;
      return make_error(BERTH_TYPE_ERROR, "kernel " + root->name,
                        at + ": the call of " + (is_named ? function.literal.function->name : "a value") +
                            " is not resolved by type",
                        "give its arguments types for which exactly one method applies");
    }
    if (block.terminator.kind == Terminator::Kind::Throw) {
      return make_error(BERTH_TYPE_ERROR, "kernel " + root->name, "a function that it calls can throw",
                        "use fault instead");
    }
  }
  return typed;
}

InferenceCounters counters(Program& program) {
  const InferenceTotals& totals = program.methods().totals();
  return {totals.methods.load(std::memory_order_relaxed), totals.limited.load(std::memory_order_relaxed),
          totals.statements_evaluated.load(std::memory_order_relaxed)};
}

}  // namespace berth::inference
