// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: vector types of the compiler: arithmetic, comparisons, shuffles, conversion, passing and returning
// by value.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef int64_t i64x2 __attribute__((vector_size(16)));
typedef double f64x2 __attribute__((vector_size(16)));

static f32x4 blend(f32x4 a, f32x4 b, i32x4 mask) { return (f32x4)((mask & (i32x4)a) | (~mask & (i32x4)b)); }
static i32x4 clamp(i32x4 x, int32_t low, int32_t high) {
  const i32x4 l = {low, low, low, low}, h = {high, high, high, high};
  x = ((x < l) & l) | (~(x < l) & x);
  return ((x > h) & h) | (~(x > h) & x);
}
static u8x16 reverse(u8x16 x) {
  return __builtin_shufflevector(x, x, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}
static float sum(f32x4 x) { return x[0] + x[1] + x[2] + x[3]; }

int main(void) {
  f32x4 a = {1, 2, 3, 4}, b = {0.5f, -1, 8, 2};
  const f32x4 c = a * b - a / b, d = blend(a, b, a > b);
  for (int i = 0; i < 4; ++i) printf("%a %a ", (double)c[i], (double)d[i]);
  printf("%a\n", (double)sum(c));
  const i32x4 clamped = clamp((i32x4){-100, 5, 100, 42}, -8, 50);
  printf("%d %d %d %d\n", clamped[0], clamped[1], clamped[2], clamped[3]);
  u8x16 bytes;
  for (int i = 0; i < 16; ++i) bytes[i] = (uint8_t)(i * 17);
  bytes = reverse(bytes) + (uint8_t)3;
  uint32_t mixed = 0;
  for (int i = 0; i < 16; ++i) mixed = mixed * 33 + bytes[i];
  printf("%08x\n", mixed);
  i64x2 wide = {INT64_C(1) << 40, -7};
  wide = (wide << 3) ^ (wide >> 1);
  const f64x2 real = __builtin_convertvector(wide, f64x2);
  printf("%lld %lld %a %a\n", (long long)wide[0], (long long)wide[1], real[0], real[1]);
  f32x4 total = {0, 0, 0, 0};
  for (int i = 0; i < 1000; ++i) {
    total += a * (float)(i % 7);
    a = __builtin_shufflevector(a, a, 1, 2, 3, 0);
  }
  printf("%a %a\n", (double)total[0], (double)sum(total));
  return 0;
}
