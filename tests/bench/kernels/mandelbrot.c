// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdbool.h>

#include "kernels.h"

BENCH_KERNEL bool is_inside(double cr, double ci) {
  double zr = 0.0, zi = 0.0, tr = 0.0, ti = 0.0;
  for (int64_t i = 0; i < 50; ++i) {
    zi = 2.0 * zr * zi + ci;
    zr = tr - ti + cr;
    tr = zr * zr;
    ti = zi * zi;
    if (tr + ti > 4.0) return false;
  }
  return true;
}

double bench_mandelbrot(int64_t rounds) {
  const int64_t n = 64;
  int64_t inside = 0;
  for (int64_t round = 0; round < rounds; ++round) {
    for (int64_t y = 0; y < n; ++y) {
      const double ci = 2.0 * (double)y / (double)n - 1.0;
      for (int64_t x = 0; x < n; ++x) {
        if (is_inside(2.0 * (double)x / (double)n - 1.5, ci)) ++inside;
      }
    }
  }
  return (double)inside;
}
