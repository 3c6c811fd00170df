// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <vector>

namespace berth::bench::twins {

std::string collatz() {
  const int64_t limit = 1000000;
  std::vector<int64_t> lengths(limit);
  lengths[1] = 1;
  int64_t longest = 1;
  for (int64_t start = 2; start < limit; ++start) {
    int64_t n = start, steps = 0;
    while (n >= start) {
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      ++steps;
    }
    lengths[start] = steps + lengths[n];
    if (lengths[start] > lengths[longest]) longest = start;
  }
  return "longest Collatz start " + text_of(longest) + " (" + text_of(lengths[longest]) + " terms)\n";
}

}  // namespace berth::bench::twins
