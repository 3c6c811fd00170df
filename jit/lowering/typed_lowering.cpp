// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/typed_lowering.hpp"

#include "gc/collector.hpp"
#include "inference/inference.hpp"
#include "jit/lowering/kernel_lowering.hpp"
#include "jit/lowering/method_lowering.hpp"

namespace berth::jit {

Result<std::unique_ptr<llvm::Module>> lower_typed(llvm::LLVMContext& context,
                                                  const inference::TypedMethod& method,
                                                  std::span<const engine::Edge> edges,
                                                  inference::Program& program, berth_tier_t tier,
                                                  bool adaptive, LoweredNames& names) {
  const auto callee_at = [&](const inference::Specialisation& callee) -> const inference::TypedMethod* {
    for (const engine::Edge& edge : edges) {
      if (!engine::instance_payload(*edge.callee)) continue;  // its result was a duplicate
      const inference::TypedMethod& typed = inference::typed_method(*edge.callee);
      if (typed.specialisation == &callee) return &typed;
    }
    return nullptr;
  };
  return MethodLowering(context, method, callee_at, program, tier, adaptive, names).run();
}

Result<std::unique_ptr<llvm::Module>> lower_kernel(llvm::LLVMContext& context, inference::Program& program,
                                                   const inference::Method& kernel,
                                                   std::span<const inference::Type* const> arguments,
                                                   bool checked) {
  engine::Engine& engine = program.engine();
  gc::Thread* thread = gc::current_thread(&engine.collector());
  if (!thread)
    return make_error(BERTH_INVALID_ARGUMENT, "kernel \"" + kernel.name + "\"", "this thread is not attached",
                      "attach it first");
  BERTH_TRY(auto typed, inference::infer_kernel(*thread, program, kernel, arguments, engine.world()));
  return KernelLowering(context, program, checked).run(typed, arguments);
}

}  // namespace berth::jit
