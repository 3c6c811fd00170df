// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

// Wraps where the language wraps.
BENCH_KERNEL int64_t longest(int64_t limit) {
  int64_t most = 0, best = 0;
  for (int64_t start = 1; start < limit; ++start) {
    int64_t x = start, terms = 1;
    while (x != 1) {
      x = (x & 1) == 0 ? x >> 1 : (int64_t)(3 * (uint64_t)x + 1);
      ++terms;
    }
    if (terms > most) {
      most = terms;
      best = start;
    }
  }
  return best;
}

double bench_collatz(int64_t rounds) {
  int64_t total = 0;
  for (int64_t round = 0; round < rounds; ++round) total += longest(3000 - (round & 1));
  return (double)total;
}
