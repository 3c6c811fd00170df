// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

#include "kernels.h"

BENCH_KERNEL int64_t sieve(uint8_t* composite, int64_t n) {
  for (int64_t i = 0; i < n; ++i) composite[i] = 0;
  for (int64_t p = 2; p * p < n; ++p) {
    if (composite[p] != 0) continue;
    for (int64_t multiple = p * p; multiple < n; multiple += p) composite[multiple] = 1;
  }
  int64_t count = 0;
  for (int64_t i = 2; i < n; ++i) {
    if (composite[i] == 0) ++count;
  }
  return count;
}

double bench_sieve(int64_t rounds) {
  const int64_t n = bench_unknown(65536);
  uint8_t* composite = malloc(n);
  int64_t total = 0;
  for (int64_t round = 0; round < rounds; ++round) total += sieve(composite, n);
  free(composite);
  return (double)total;
}
