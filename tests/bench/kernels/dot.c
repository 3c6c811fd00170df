// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

#include "kernels.h"

BENCH_KERNEL double dot(const double* x, const double* y, int64_t n) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

double bench_dot(int64_t rounds) {
  const int64_t n = bench_unknown(4096);
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  for (int64_t i = 0; i < n; ++i) {
    x[i] = (double)i;
    y[i] = 0.5;
  }
  double total = 0.0;
  for (int64_t round = 0; round < rounds; ++round) {
    y[0] = (double)round;
    total += dot(x, y, n);
  }
  free(x);
  free(y);
  return total;
}
