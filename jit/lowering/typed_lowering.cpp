// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/typed_lowering.hpp"

#include "jit/lowering/method_lowering.hpp"

namespace berth::jit {

Result<std::unique_ptr<llvm::Module>> lower_typed(llvm::LLVMContext& context, const inference::TypedMethod& method,
                                                  inference::Program& program, berth_tier_t, LoweredNames& names) {
  return MethodLowering(context, method, program, names).run();
}

}  // namespace berth::jit
