// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

#include "kernels.h"

BENCH_KERNEL int64_t squares(const int32_t* x, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t wide = x[i];
    sum += wide * wide;
  }
  return sum;
}

double bench_sum(int64_t rounds) {
  const int64_t n = bench_unknown(8192);
  int32_t* x = malloc(n * sizeof *x);
  for (int64_t i = 0; i < n; ++i) x[i] = (int32_t)i;
  int64_t total = 0;
  for (int64_t round = 0; round < rounds; ++round) {
    x[0] = (int32_t)(round & 1023);
    total += squares(x, n);
  }
  free(x);
  return (double)(total & 0xffffffffff);
}
