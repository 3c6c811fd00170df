// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/typed_lowering.hpp"

#include "gc/collector.hpp"
#include "inference/inference.hpp"
#include "jit/lowering/kernel_lowering.hpp"
#include "jit/lowering/method_lowering.hpp"

namespace berth::jit {

Result<std::unique_ptr<llvm::Module>> lower_typed(llvm::LLVMContext& context, const inference::TypedMethod& method,
                                                  inference::Program& program, berth_tier_t tier, bool adaptive, LoweredNames& names) {
  return MethodLowering(context, method, program, tier, adaptive, names).run();
}

Result<std::unique_ptr<llvm::Module>> lower_kernel(llvm::LLVMContext& context, inference::Program& program,
                                                   const inference::Method& kernel, std::span<const inference::Type* const> arguments,
                                                   bool checked) {
  engine::Engine& engine = program.engine();
  gc::Thread* thread = gc::current_thread(&engine.collector());
  if (!thread)
    return make_error(BERTH_INVALID_ARGUMENT, "kernel \"" + kernel.name + "\"", "this thread is not attached", "attach it first");
  BERTH_TRY(auto typed, inference::infer_kernel(*thread, program, kernel, arguments, engine.world()));
  return KernelLowering(context, program, checked).run(typed, arguments);
}

}  // namespace berth::jit
