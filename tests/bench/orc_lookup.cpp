// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the look-up bench is held against where LLVM is there: an ORC session's look-up of a symbol that is
// ready.
#include <fmt/format.h>
#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>

#include "tests/bench/harness.hpp"

namespace berth::bench {

std::function<double(const std::vector<int>& order)> orc_lookups(int keys) {
  using namespace llvm;
  using namespace llvm::orc;
  struct Session {
    ExecutionSession session{cantFail(SelfExecutorProcessControl::Create())};
    JITDylib& dylib = session.createBareJITDylib("main");
    std::vector<SymbolStringPtr> names;
    ~Session() {
      names.clear();
      cantFail(session.endSession());
    }
  };
  auto owned = std::make_shared<Session>();
  SymbolMap symbols;
  static char addresses[4096];
  for (int i = 0; i < keys; ++i) {
    owned->names.push_back(owned->session.intern(fmt::format("f{}", i)));
    symbols[owned->names.back()] = {ExecutorAddr::fromPtr(&addresses[i]), JITSymbolFlags::Exported};
  }
  cantFail(owned->dylib.define(absoluteSymbols(std::move(symbols))));
  return [owned](const std::vector<int>& order) {
    const auto search = makeJITDylibSearchOrder(&owned->dylib);
    uint64_t sum = 0;
    const double ns = time_ns([&] {
      for (const int i : order)
        sum += cantFail(owned->session.lookup(search, owned->names[static_cast<size_t>(i)]))
                   .getAddress()
                   .getValue();
    });
    return sum == 1 ? 0 : ns;
  };
}

}  // namespace berth::bench
