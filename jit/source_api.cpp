// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "berth/source.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>

#include <memory>
#include <string>

#include "berth/llvm.h"
#include "jit/llvm_body.hpp"
#include "support/api.hpp"

namespace {

using berth::engine::BodyKind;

berth::Result<void> make_source(const char* function, BodyKind kind, std::string bytes,
                                const char* entry_symbol, berth_source_t** out) {
  if (!entry_symbol || !*entry_symbol) {
    return berth::make_error(BERTH_INVALID_ARGUMENT, function, "no entry symbol",
                             "name the function that is to be called");
  }
  auto source = std::make_unique<berth_source>();
  source->body = std::make_unique<berth::jit::LlvmBody>(kind, std::move(bytes));
  source->entry_symbol = entry_symbol;
  *out = source.release();
  return berth::success();
}

berth::Result<void> check_bytes(const char* function, const void* bytes, size_t length,
                                berth_source_t** out) {
  if ((bytes || length == 0) && out) return berth::success();
  return berth::make_error(BERTH_INVALID_ARGUMENT, function, bytes ? "out is NULL" : "no text", "give both");
}

}  // namespace

berth_error_t* berth_source_from_ir(const char* llvm_ir, size_t length, const char* entry_symbol,
                                    berth_source_t** out) {
  return berth::at_boundary("berth_source_from_ir", [&]() -> berth::Result<void> {
    BERTH_TRYV(check_bytes("berth_source_from_ir", llvm_ir, length, out));
    return make_source("berth_source_from_ir", BodyKind::LlvmIr, std::string(llvm_ir ? llvm_ir : "", length),
                       entry_symbol, out);
  });
}

berth_error_t* berth_source_from_bitcode(const void* bitcode, size_t length, const char* entry_symbol,
                                         berth_source_t** out) {
  return berth::at_boundary("berth_source_from_bitcode", [&]() -> berth::Result<void> {
    BERTH_TRYV(check_bytes("berth_source_from_bitcode", bitcode, length, out));
    const auto* const bytes = bitcode ? static_cast<const char*>(bitcode) : "";
    return make_source("berth_source_from_bitcode", BodyKind::Bitcode, std::string(bytes, length),
                       entry_symbol, out);
  });
}

berth_error_t* berth_source_from_llvm_module(LLVMOrcThreadSafeModuleRef module, const char* entry_symbol,
                                             berth_source_t** out) {
  return berth::at_boundary("berth_source_from_llvm_module", [&]() -> berth::Result<void> {
    BERTH_TRYV(check_bytes("berth_source_from_llvm_module", module, 1, out));
    std::string bitcode;
    const auto write = [](void* context, LLVMModuleRef inner) -> LLVMErrorRef {
      LLVMMemoryBufferRef const buffer = LLVMWriteBitcodeToMemoryBuffer(inner);
      static_cast<std::string*>(context)->assign(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
      LLVMDisposeMemoryBuffer(buffer);
      return LLVMErrorSuccess;
    };
    if (LLVMErrorRef const failed = LLVMOrcThreadSafeModuleWithModuleDo(module, write, &bitcode))
      LLVMConsumeError(failed);
    return make_source("berth_source_from_llvm_module", BodyKind::Bitcode, std::move(bitcode), entry_symbol,
                       out);
  });
}
