// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench jit: a burst of one-function sources at FAST on 2 threads, against stock LLJIT with its concurrent compiler on the same sources.
//
// Ours includes reservation, release and wait; the baseline parses on one thread, as its callers do, and looks each symbol up.
#include <fmt/format.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

#include "berth/berth.hpp"
#include "tests/bench/harness.hpp"

namespace berth::bench {
namespace {

constexpr int kFunctions = 200;

// About 70 instructions.
std::string source_text(int index) {
  std::string text = fmt::format("define i64 @f{}(i64 %x0) {{\n", index);
  for (int i = 0; i < 68; ++i) {
    constexpr const char* kOps[] = {"add", "xor", "mul", "sub"};
    text += fmt::format("  %x{} = {} i64 %x{}, {}\n", i + 1, kOps[i % 4], i, index + i);
  }
  return text + "  ret i64 %x68\n}\n";
}

double ours() {
  ConfigOwner config(berth_config_new());
  berth_config_set_compile_threads(config.get(), 2);
  EngineOwner engine(config.get());
  ThreadOwner thread(engine);
  std::vector<std::string> texts;
  for (int i = 0; i < kFunctions; ++i) texts.push_back(source_text(i));
  static char keys[kFunctions];
  return time_ns([&] {
    std::vector<InstanceRef> instances;
    for (int i = 0; i < kFunctions; ++i) {
      auto reservation = thread.reserve({&keys[i], nullptr});
      instances.push_back(reservation.lease.instance());
      SourceOwner source = SourceOwner::from_ir(texts[static_cast<size_t>(i)], fmt::format("f{}", i).c_str());
      berth_source_set_tier(source.get(), BERTH_TIER_FAST);
      reservation.lease.release(std::move(source));
    }
    for (const InstanceRef& instance : instances) thread.wait_entry(instance);
  });
}

double stock() {
  using namespace llvm;
  using namespace llvm::orc;
  auto builder = cantFail(JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(CodeGenOptLevel::None);
  auto jit = cantFail(LLJITBuilder()
                          .setJITTargetMachineBuilder(builder)
                          .setNumCompileThreads(2)
                          .create());
  std::vector<std::string> texts;
  for (int i = 0; i < kFunctions; ++i) texts.push_back(source_text(i));
  return time_ns([&] {
    SymbolLookupSet symbols;
    for (int i = 0; i < kFunctions; ++i) {
      auto context = std::make_unique<LLVMContext>();
      SMDiagnostic diagnostic;
      auto module = parseIR(MemoryBufferRef(texts[static_cast<size_t>(i)], "source"), diagnostic, *context);
      cantFail(jit->addIRModule(ThreadSafeModule(std::move(module), std::move(context))));
      symbols.add(jit->mangleAndIntern(fmt::format("f{}", i)));
    }
    cantFail(jit->getExecutionSession().lookup(makeJITDylibSearchOrder(&jit->getMainJITDylib()), std::move(symbols)));
  });
}

}  // namespace

std::vector<Figure> jit_figures() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  Figure burst = compare("jit/burst/functions:200", "stock LLJIT, 2 compile threads", std::nullopt, kFunctions, ours, stock, 5);
  return {burst};
}

}  // namespace berth::bench
