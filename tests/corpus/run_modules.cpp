// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// berth-corpus: runs the main of LLVM modules with C signature in one engine and prints what they print.
//   berth-corpus fast|optimized|adaptive FILE.ll|FILE.bc...
// Exit code 1 with one line on the error stream if a module cannot be run.
#include <cstdio>
#include <cstring>
#include <exception>

#include "tests/corpus/module_runner.hpp"

int main(int argc, char** argv) {
  constexpr struct {
    const char* name;
    berth_tier_t tier;
  } kTiers[] = {
      {"fast", BERTH_TIER_FAST}, {"optimized", BERTH_TIER_OPTIMIZED}, {"adaptive", BERTH_TIER_ADAPTIVE}};
  for (const auto& [name, tier] : kTiers) {
    if (argc < 3 || std::strcmp(argv[1], name) != 0) continue;
    try {
      berth::test::ModuleRunner runner(2);
      for (int i = 2; i < argc; ++i) {
        const std::string output = runner.run(berth::test::read_module(argv[i]), tier);
        std::fwrite(output.data(), 1, output.size(), stdout);
      }
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "berth-corpus: %s\n", error.what());
      return 1;
    }
  }
  std::fprintf(stderr, "usage: berth-corpus fast|optimized|adaptive FILE.ll|FILE.bc...\n");
  return 2;
}
