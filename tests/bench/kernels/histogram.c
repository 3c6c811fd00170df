// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

#include "kernels.h"

BENCH_KERNEL void histogram(const uint8_t* bytes, int64_t n, int64_t* counts, int64_t values) {
  for (int64_t i = 0; i < values; ++i) counts[i] = 0;
  for (int64_t i = 0; i < n; ++i) counts[bytes[i]] = counts[bytes[i]] + 1;
  for (int64_t i = 1; i < values; ++i) counts[i] = counts[i] + counts[i - 1];
}

double bench_histogram(int64_t rounds) {
  const int64_t n = bench_unknown(16384);
  uint8_t* bytes = malloc(n);
  const int64_t values = bench_unknown(256);
  int64_t* counts = calloc(values, sizeof *counts);
  int64_t state = 42;
  for (int64_t i = 0; i < n; ++i) {
    state = (state * 3877 + 29573) % 139968;
    bytes[i] = (uint8_t)(state % 251);
  }
  for (int64_t round = 0; round < rounds; ++round) histogram(bytes, n, counts, values);
  const double result = (double)(counts[100] + counts[255]);
  free(bytes);
  free(counts);
  return result;
}
