// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

#include "kernels.h"

BENCH_KERNEL void saxpy(double a, const double* x, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

double bench_saxpy(int64_t rounds) {
  const int64_t n = bench_unknown(4096);
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  for (int64_t i = 0; i < n; ++i) {
    x[i] = (double)i;
    y[i] = 0.5;
  }
  for (int64_t round = 0; round < rounds; ++round) saxpy(0.001, x, y, n);
  const double result = y[17] + y[n - 1];
  free(x);
  free(y);
  return result;
}
