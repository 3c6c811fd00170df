// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

#include "kernels.h"

BENCH_KERNEL void step(const double* from, double* to, int64_t n) {
  for (int64_t i = 1; i < n - 1; ++i) to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}

double bench_stencil(int64_t rounds) {
  const int64_t n = bench_unknown(4096);
  double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
  a[n / 2] = 1000.0;
  for (int64_t round = 0; round < rounds; ++round) {
    step(a, b, n);
    step(b, a, n);
  }
  const double result = a[n / 2] + a[n / 2 + 3];
  free(a);
  free(b);
  return result;
}
