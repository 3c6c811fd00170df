// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: integers of 128 bits, bit operations, checked arithmetic, atomics, odd widths, shifts at their
// limits.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

static void print(u128 x) { printf("%016llx%016llx ", (unsigned long long)(x >> 64), (unsigned long long)x); }

static void print_decimal(u128 x) {
  char text[48], *at = text + sizeof text;
  *--at = 0;
  do {
    *--at = (char)('0' + (int)(x % 10));
    x /= 10;
  } while (x);
  printf("%s ", at);
}

static u128 factorial(int n) { return n < 2 ? 1 : (u128)n * factorial(n - 1); }
static i128 signed_mix(i128 a, i128 b) { return (a / b) * 7 - (a % b) + (a >> 3) - (b << 2); }

static _Atomic uint32_t atomic_counter;
static _Atomic uint64_t atomic_word = 5;
static atomic_flag flag = ATOMIC_FLAG_INIT;

static int checked(int a, int b) {
  int out;
  if (__builtin_add_overflow(a, b, &out)) return -1;
  if (__builtin_mul_overflow(a, b, &out)) return -2;
  if (__builtin_sub_overflow(a, b, &out)) return -3;
  return out;
}

int main(void) {
  print_decimal(factorial(33));
  print(factorial(34));
  print((u128)signed_mix(-((i128)1 << 100), 12345678901234567));
  printf("\n");
  volatile unsigned shift = 0;
  u128 rotated = (u128)0x123456789abcdef << 60;
  for (int i = 0; i < 5; ++i, shift = shift * 2 + 13)
    rotated = shift % 128 ? rotated << shift % 128 | rotated >> (128 - shift % 128) : rotated;
  print(rotated);
  int64_t low;
  i128 big;
  printf("%d %d\n", __builtin_mul_overflow((int64_t)shift << 40, (int64_t)shift << 30, &low),
         __builtin_mul_overflow((i128)1 << 126, (i128)shift, &big));
  printf("%a %a %lld\n", (double)factorial(30), (double)(float)(i128)-factorial(25), (long long)(i128)1.5e18);
  print((u128)(i128)-1e30);
  print((u128)3e38);
  printf("\n");
  const uint64_t x = UINT64_C(0x00f0123400000000) ^ shift;
  printf("%d %d %d %d\n", __builtin_popcountll(x), __builtin_clzll(x), __builtin_ctzll(x),
         __builtin_parityll(x));
  printf("%llx %x %x\n", (unsigned long long)__builtin_bswap64(x), __builtin_bswap32((uint32_t)shift),
         __builtin_bswap16(0x1234));
  printf("%d %d %d %d\n", checked(INT32_MAX, 1), checked(1 << 20, 1 << 20), checked(-5, 7),
         checked(INT32_MIN + 5, 0));
  for (int i = 0; i < 100; ++i) {
    atomic_fetch_add_explicit(&atomic_counter, 3, memory_order_relaxed);
    atomic_fetch_xor(&atomic_word, (uint64_t)i << 7);
  }
  uint64_t expected = 1;
  const int swapped = atomic_compare_exchange_strong(&atomic_word, &expected, 99);
  atomic_thread_fence(memory_order_seq_cst);
  const int first = atomic_flag_test_and_set(&flag), second = atomic_flag_test_and_set(&flag);
  printf("%u %llu %d %d %d\n", atomic_load(&atomic_counter), (unsigned long long)expected, swapped, first,
         second);
  int64_t negative = -(int64_t)shift;
  printf("%lld %lld %lld %lld\n", (long long)(negative / 16), (long long)(negative % 16),
         (long long)(negative >> 4), (long long)((uint64_t)negative >> 60));
  return 0;
}
