// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

#include "kernels.h"

BENCH_KERNEL void multiply(const double* a, const double* b, double* c, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      const double factor = a[i * n + k];
      for (int64_t j = 0; j < n; ++j) c[i * n + j] = c[i * n + j] + factor * b[k * n + j];
    }
  }
}

double bench_matmul(int64_t rounds) {
  const int64_t n = bench_unknown(96);
  double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b), *c = calloc(n * n, sizeof *c);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      a[i * n + k] = (double)(i + k) * 0.001;
      b[i * n + k] = (double)(i - k) * 0.001;
    }
  }
  for (int64_t round = 0; round < rounds; ++round) multiply(a, b, c, n);
  const double result = c[5 * n + 7];
  free(a);
  free(b);
  free(c);
  return result;
}
