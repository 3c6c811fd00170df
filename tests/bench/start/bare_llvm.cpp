// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What bench run compares the start of `berth run` with: a process that loads LLVM, registers this machine's
// target, and says hello.
#include <llvm/Support/TargetSelect.h>

#include <cstdio>

int main() {
  if (llvm::InitializeNativeTarget() || llvm::InitializeNativeTargetAsmPrinter() ||
      llvm::InitializeNativeTargetAsmParser())
    return 1;
  std::puts("hello");
}
