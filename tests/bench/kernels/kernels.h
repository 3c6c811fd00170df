// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of bench run in C: each does `rounds` rounds of what the .bth of its name does, and gives the
// same number.
#ifndef BERTH_TESTS_BENCH_KERNELS_KERNELS_H
#define BERTH_TESTS_BENCH_KERNELS_KERNELS_H
#include <stdint.h>

#define BENCH_KERNEL static __attribute__((noinline))

// The number, which the compiler does not know: the length of an array is no constant of the program in the
// language either.
static inline int64_t bench_unknown(int64_t number) {
  __asm__("" : "+r"(number));
  return number;
}

#if defined(__cplusplus)
extern "C" {
#endif
double bench_saxpy(int64_t rounds);
double bench_dot(int64_t rounds);
double bench_sum(int64_t rounds);
double bench_stencil(int64_t rounds);
double bench_matmul(int64_t rounds);
double bench_mandelbrot(int64_t rounds);
double bench_nbody(int64_t rounds);
double bench_sieve(int64_t rounds);
double bench_histogram(int64_t rounds);
double bench_fannkuch(int64_t rounds);
double bench_collatz(int64_t rounds);
double bench_crc(int64_t rounds);
#if defined(__cplusplus)
}
#endif

#endif
