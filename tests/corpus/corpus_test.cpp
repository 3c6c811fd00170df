// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: C programs, compiled to LLVM IR by clang, give through the engine what their ahead-of-time binaries
// print: at every tier, from text and bitcode, on eight threads at once. Modules from clang -O0 are in the
// repository (modules/, made by regenerate.sh) and always run; where clang is installed, the build makes the
// others and the binaries.
#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/corpus/module_runner.hpp"
#include "tests/support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using berth::test::Module;
using berth::test::ModuleRunner;
using berth::test::Watchdog;

constexpr berth_tier_t kTiers[] = {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED, BERTH_TIER_ADAPTIVE};
constexpr const char* kPrograms[] = {"digest",        "floats",   "hash_table", "machine", "matrix",
                                     "recursion",     "sort",     "strings",    "structs", "symbols",
                                     "thread_locals", "variadic", "vectors",    "wide"};

std::string expected_of(const std::string& program) {
  return berth::test::read_text(std::string(BERTH_CORPUS) + "/expected/" + program + ".out") +
         "main gives 0\n";
}

/// Every thread compiles the module for itself, so each has its own static data.
void expect_on_threads(ModuleRunner& runner, const Module& module, berth_tier_t tier, int num_threads,
                       const std::string& expected) {
  std::vector<std::thread> threads;
  for (int t = 0; t < num_threads; ++t) {
    threads.emplace_back([&] {
      try {
        EXPECT_EQ(runner.run(module, tier), expected);
      } catch (const std::runtime_error& error) { ADD_FAILURE() << error.what(); }
    });
  }
  for (auto& thread : threads) thread.join();
}

class Corpus : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(C, Corpus, testing::ValuesIn(kPrograms),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Corpus, prints_at_each_tier_what_its_binary_prints) {
  Watchdog watchdog{100s};
  ModuleRunner runner(2);
  const Module module =
      berth::test::read_module(std::string(BERTH_CORPUS) + "/modules/" + GetParam() + ".ll");
  for (const berth_tier_t tier : kTiers) {
    SCOPED_TRACE(tier);
    expect_on_threads(runner, module, tier, tier == BERTH_TIER_FAST ? 8 : 2, expected_of(GetParam()));
  }
}

#if defined(BERTH_CORPUS_BUILT)

/// What the program prints, compiled ahead of time.
std::string output_of_binary(const std::string& path) {
  FILE* const pipe = popen(path.c_str(), "r");
  if (!pipe) throw std::runtime_error(path + " cannot be started");
  std::string output;
  char part[4096];
  while (const size_t n = std::fread(part, 1, sizeof part, pipe)) output.append(part, n);
  const int status = pclose(pipe);
  return output + "main gives " + std::to_string(status) + "\n";
}

TEST_P(Corpus, prints_in_each_form_what_its_binary_prints) {
  Watchdog watchdog{110s};
  ModuleRunner runner(2);
  const std::string stem = std::string(BERTH_CORPUS_BUILT) + "/" + GetParam();
  const std::string expected = output_of_binary(stem);
  EXPECT_EQ(expected, expected_of(GetParam()));
  for (const char* form : {".O0.ll", ".O0.bc", ".O2.ll", ".O2.bc"}) {
    SCOPED_TRACE(form);
    const Module module = berth::test::read_module(stem + form);
    for (const berth_tier_t tier : kTiers) {
      SCOPED_TRACE(tier);
      expect_on_threads(runner, module, tier, tier == BERTH_TIER_OPTIMIZED ? 8 : 2, expected);
    }
  }
}

#endif

}  // namespace
