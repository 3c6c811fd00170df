// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench jit: what a compile costs through the engine. Bursts here; single compiles, tiers and calls in
// jit_calls_bench.cpp; what grows with the number of methods in jit_scale_bench.cpp.
//
// A burst is 1,000 sources of one function of about 70 instructions at FAST, 2 compile threads. Ours includes
// reservation, release and wait; stock LLJIT parses on the calling thread, as its callers do, and looks all
// symbols up at once; the limit is RawCompiler on two threads, in batches of the size that the engine takes.
#include "tests/bench/jit_bench.hpp"

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

#include <array>

#include "tests/bench/count.hpp"
#include "tests/bench/raw_compiler.hpp"

namespace berth::bench {
namespace {

constexpr int kFunctions = 1000;
constexpr int kBatch = 50;

std::vector<std::string> burst_sources() {
  std::vector<std::string> texts;
  for (int i = 0; i < kFunctions; ++i) texts.push_back(burst_source(i));
  return texts;
}

double ours(const std::vector<std::string>& texts) {
  JitEngine engine(2);
  return time_ns([&] { engine.compile_all(texts, BERTH_TIER_FAST); });
}

double stock(const std::vector<std::string>& texts) {
  using namespace llvm;
  using namespace llvm::orc;
  auto builder = cantFail(JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(CodeGenOptLevel::None);
  auto jit = cantFail(LLJITBuilder().setJITTargetMachineBuilder(builder).setNumCompileThreads(2).create());
  return time_ns([&] {
    SymbolLookupSet symbols;
    for (size_t i = 0; i < texts.size(); ++i) {
      auto context = std::make_unique<LLVMContext>();
      SMDiagnostic diagnostic;
      auto module = parseIR(MemoryBufferRef(texts[i], "source"), diagnostic, *context);
      cantFail(jit->addIRModule(ThreadSafeModule(std::move(module), std::move(context))));
      symbols.add(jit->mangleAndIntern(fmt::format("f{}", i)));
    }
    cantFail(jit->getExecutionSession().lookup(makeJITDylibSearchOrder(&jit->getMainJITDylib()),
                                               std::move(symbols)));
  });
}

double limit(const std::vector<std::string>& texts) {
  std::array<RawCompiler, 2> compilers = {RawCompiler(RawCompiler::Tier::Fast),
                                          RawCompiler(RawCompiler::Tier::Fast)};
  std::atomic<int> next{0};
  return time_threads_ns(2, [&](unsigned thread) {
    for (int start; (start = next.fetch_add(kBatch)) < kFunctions;) {
      compilers[thread].compile(std::span(texts).subspan(static_cast<size_t>(start), kBatch),
                                fmt::format("f{}", start));
    }
  });
}

}  // namespace

void add_to(std::vector<Figure>& all, std::vector<Figure> more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<Figure> jit_figures() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  const std::vector<std::string> texts = burst_sources();
  std::vector<Figure> figures;
  if (is_wanted("jit/burst/functions:1000")) {
    figures.push_back(compare(
        "jit/burst/functions:1000", "stock LLJIT, 2 compile threads", 8, kFunctions,
        [&] { return ours(texts); }, [&] { return stock(texts); }, 5));
  }
  if (is_wanted("jit/burst/limit")) {
    figures.push_back(void_without_two_cores(compare(
        "jit/burst/limit", "RawCompiler on 2 threads", 0.8, kFunctions, [&] { return ours(texts); },
        [&] { return limit(texts); }, 7)));
  }
  if (is_wanted("jit/burst/system_calls")) {
    const int64_t calls = count_system_calls([&](Region& region) {
      {
        JitEngine warm(2);
        warm.compile_all(std::span(texts).first(100), BERTH_TIER_FAST);
      }
      JitEngine engine(2);
      region.begin();
      engine.compile_all(texts, BERTH_TIER_FAST);
      region.end();
    });
    figures.push_back(
        bounded("jit/burst/system_calls", static_cast<double>(calls) / kFunctions, 0.5, "calls/function"));
  }
  add_to(figures, jit_calls_figures());
  add_to(figures, jit_scale_figures());
  return figures;
}

}  // namespace berth::bench
