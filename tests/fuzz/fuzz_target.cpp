// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer's entry; see interpreter.hpp.
#include "tests/fuzz/interpreter.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  berth::fuzz::interpret(bytes, size);
  return 0;
}
