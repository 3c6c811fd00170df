// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: SHA-256 as FIPS 180-4 defines it. Rotations, constant tables computed at start, byte order.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct digest {
  uint32_t words[8];
  uint8_t block[64];
  uint64_t length;
};

static uint32_t round_constants[64], first_words[8];

static uint32_t rotate(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

// The first 32 bits of the fractional part of a root of n, by search in wide integers.
static uint32_t root_bits(unsigned n, int is_cube) {
  typedef unsigned __int128 wide;
  uint64_t low = 0, high = UINT64_C(1) << 36;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    const wide square = (wide)middle * middle;
    const int below = is_cube ? square * middle <= (wide)n << 96 : square <= (wide)n << 64;
    if (below) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (uint32_t)low;
}

static void make_constants(void) {
  unsigned n = 0;
  for (unsigned candidate = 2; n < 64; ++candidate) {
    int is_prime = 1;
    for (unsigned d = 2; d * d <= candidate; ++d) is_prime &= candidate % d != 0;
    if (!is_prime) continue;
    if (n < 8) first_words[n] = root_bits(candidate, 0);
    round_constants[n++] = root_bits(candidate, 1);
  }
}

static void mix(struct digest* digest) {
  uint32_t schedule[64], w[8];
  for (int i = 0; i < 16; ++i) {
    const uint8_t* const at = digest->block + 4 * i;
    schedule[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  }
  for (int i = 16; i < 64; ++i) {
    const uint32_t a = schedule[i - 15], b = schedule[i - 2];
    schedule[i] = schedule[i - 16] + schedule[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
                  (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  memcpy(w, digest->words, sizeof w);
  for (int i = 0; i < 64; ++i) {
    const uint32_t choice = (w[4] & w[5]) ^ (~w[4] & w[6]),
                   majority = (w[0] & w[1]) ^ (w[0] & w[2]) ^ (w[1] & w[2]);
    const uint32_t one = w[7] + (rotate(w[4], 6) ^ rotate(w[4], 11) ^ rotate(w[4], 25)) + choice +
                         round_constants[i] + schedule[i];
    const uint32_t two = (rotate(w[0], 2) ^ rotate(w[0], 13) ^ rotate(w[0], 22)) + majority;
    memmove(w + 1, w, 7 * sizeof *w);
    w[4] += one;
    w[0] = one + two;
  }
  for (int i = 0; i < 8; ++i) digest->words[i] += w[i];
}

static void add(struct digest* digest, const void* bytes, size_t n) {
  for (const uint8_t* at = bytes; n-- > 0; ++at) {
    digest->block[digest->length++ % 64] = *at;
    if (digest->length % 64 == 0) mix(digest);
  }
}

static void finish(struct digest* digest) {
  const uint64_t bits = digest->length * 8;
  add(digest, "\x80", 1);
  while (digest->length % 64 != 56) add(digest, "", 1);
  uint8_t tail[8];
  for (int i = 0; i < 8; ++i) tail[i] = (uint8_t)(bits >> (56 - 8 * i));
  add(digest, tail, 8);
}

static void print(const char* label, struct digest* digest) {
  finish(digest);
  printf("%s ", label);
  for (int i = 0; i < 8; ++i) printf("%08x", digest->words[i]);
  printf("\n");
}

static struct digest start(void) {
  struct digest digest;
  memset(&digest, 0, sizeof digest);
  memcpy(digest.words, first_words, sizeof digest.words);
  return digest;
}

int main(void) {
  make_constants();
  struct digest digest = start();
  print("empty", &digest);
  digest = start();
  add(&digest, "abc", 3);
  print("abc", &digest);
  digest = start();
  for (int i = 0; i < 10000; ++i) add(&digest, "a", 1);
  print("many", &digest);
  return 0;
}
