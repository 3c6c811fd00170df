// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

#include "kernels.h"

BENCH_KERNEL uint32_t crc(const uint8_t* bytes, int64_t n, const uint32_t* table) {
  uint32_t sum = 0xffffffff;
  for (int64_t i = 0; i < n; ++i) sum = table[(sum ^ bytes[i]) & 0xff] ^ (sum >> 8);
  return ~sum;
}

double bench_crc(int64_t rounds) {
  const int64_t n = bench_unknown(16384);
  uint32_t* table = malloc(256 * sizeof *table);
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320 ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  uint8_t* bytes = malloc(n);
  for (int64_t i = 0; i < n; ++i) bytes[i] = (uint8_t)(i & 255);
  int64_t total = 0;
  for (int64_t round = 0; round < rounds; ++round) {
    bytes[0] = (uint8_t)(round & 255);
    total ^= (int64_t)crc(bytes, n, table);
  }
  free(table);
  free(bytes);
  return (double)total;
}
