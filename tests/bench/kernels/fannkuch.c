// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdbool.h>

#include "kernels.h"

BENCH_KERNEL int64_t flips_of(const int64_t* source, int64_t* work, int64_t n) {
  for (int64_t i = 0; i < n; ++i) work[i] = source[i];
  int64_t flips = 0, first = work[0];
  while (first != 0) {
    for (int64_t low = 1, high = first - 1; low < high; ++low, --high) {
      const int64_t held = work[low];
      work[low] = work[high];
      work[high] = held;
    }
    const int64_t next = work[first];
    work[first] = first;
    first = next;
    ++flips;
  }
  return flips;
}

BENCH_KERNEL bool step(int64_t* p, int64_t* count, int64_t n) {
  for (int64_t r = 1; r < n; ++r) {
    const int64_t first = p[0];
    for (int64_t i = 0; i < r; ++i) p[i] = p[i + 1];
    p[r] = first;
    if (--count[r] > 0) return true;
    count[r] = r + 1;
  }
  return false;
}

BENCH_KERNEL int64_t fannkuch(int64_t* p, int64_t* work, int64_t* count, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    p[i] = i;
    count[i] = i + 1;
  }
  int64_t checksum = 0;
  bool is_even = true;
  do {
    const int64_t flips = flips_of(p, work, n);
    checksum += is_even ? flips : -flips;
    is_even = !is_even;
  } while (step(p, count, n));
  return checksum;
}

double bench_fannkuch(int64_t rounds) {
  const int64_t n = bench_unknown(7);
  int64_t p[7], work[7], count[7], total = 0;
  for (int64_t round = 0; round < rounds; ++round) total += fannkuch(p, work, count, n);
  return (double)total;
}
