// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fuzzer's checks without libFuzzer: the corpus, then pseudo-random sequences.
//
//   berth-fuzz-driver CORPUS [COUNT [SEED]]      FILE as CORPUS: that input alone
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/interpreter.hpp"
#include "tests/stress/call_graph.hpp"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: berth-fuzz-driver CORPUS [COUNT [SEED]]\n");
    return 3;
  }
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(argv[1])) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  } else {
    files.emplace_back(argv[1]);
  }
  size_t calls = 0;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "berth-fuzz-driver: cannot read %s\n", path.c_str());
      return 3;
    }
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::fprintf(stderr, "%s\n", path.c_str());
    calls += berth::fuzz::interpret(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  for (uint64_t i = 0; i < count; ++i) {
    berth::stress::Random random(seed + i);
    std::vector<uint8_t> bytes(32 + random.below(1000));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next() >> 32);
    // Printed before, so that a difference, which aborts, can be run again: COUNT 1 and this seed.
    if (i % 1000 == 0) std::fprintf(stderr, "seeds from %llu\n", static_cast<unsigned long long>(seed + i));
    calls += berth::fuzz::interpret(bytes.data(), bytes.size());
  }
  std::printf("%zu corpus files, %llu random sequences, %zu calls, no difference\n", files.size(),
              static_cast<unsigned long long>(count), calls);
  return 0;
}
