// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <vector>

namespace berth::bench::twins {
namespace {

std::vector<char> sieve(int64_t limit) {  // bytes, as the language's array of bool
  std::vector<char> composite(limit + 1);
  composite[0] = composite[1] = 1;
  for (int64_t p = 2; p * p <= limit; ++p) {
    if (composite[p] != 0) continue;
    for (int64_t multiple = p * p; multiple <= limit; multiple += p) composite[multiple] = 1;
  }
  return composite;
}

}  // namespace

std::string primes() {
  const std::vector<char> composite = sieve(1999999);
  int64_t count = 0, sum = 0;
  for (int64_t n = 0, size = static_cast<int64_t>(composite.size()); n < size; ++n) {
    if (composite[n] != 0) continue;
    sum += n;
    if (n <= 1000000) ++count;
  }
  return text_of(count) + " primes up to 1000000\nsum below 2000000: " + text_of(sum) + "\n";
}

}  // namespace berth::bench::twins
