// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: deep and mutual recursion, tail calls, memory of variable size on the stack, back-tracking.
#include <stdint.h>
#include <stdio.h>

static int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

static int queens(int n, int row, unsigned columns, unsigned left, unsigned right) {
  if (row == n) return 1;
  int found = 0;
  for (unsigned free = ((1u << n) - 1) & ~(columns | left | right); free; free &= free - 1) {
    const unsigned bit = free & -free;
    found += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}

static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

static uint64_t deep(unsigned n, uint64_t sum) {
  volatile uint64_t kept = n;
  if (n == 0) return sum;
  const uint64_t below = deep(n - 1, sum + n);
  return below + kept % 2;
}

static int64_t with_arrays(int n) {
  int64_t items[n + 1];
  for (int i = 0; i <= n; ++i) items[i] = i * n;
  int64_t sum = 0;
  for (int i = 0; i <= n; ++i) {
    char* const block = __builtin_alloca((size_t)(i + 1));
    block[i] = (char)i;
    sum += items[i] + block[i];
  }
  return n == 0 ? sum : sum + with_arrays(n - 1);
}

static int permutations;
static void permute(int* items, int n, int at) {
  if (at == n) {
    if (items[0] < items[n - 1]) ++permutations;
    return;
  }
  for (int i = at; i < n; ++i) {
    int kept = items[at];
    items[at] = items[i];
    items[i] = kept;
    permute(items, n, at + 1);
    kept = items[at];
    items[at] = items[i];
    items[i] = kept;
  }
}

static void hanoi(int n, int from, int to, int by, unsigned* moves) {
  if (n == 0) return;
  hanoi(n - 1, from, by, to, moves);
  *moves = *moves * 7 + (unsigned)(from * 3 + to);
  hanoi(n - 1, by, to, from, moves);
}

int main(void) {
  printf("%d %d\n", ackermann(2, 9), ackermann(3, 4));
  printf("%d %d\n", queens(6, 0, 0, 0, 0), queens(8, 0, 0, 0, 0));
  printf("%d %d\n", is_even(1000), is_odd(1001));
  printf("%llu %lld\n", (unsigned long long)deep(5000, 0), (long long)with_arrays(40));
  int items[7] = {0, 1, 2, 3, 4, 5, 6};
  permute(items, 7, 0);
  unsigned moves = 0;
  hanoi(10, 0, 2, 1, &moves);
  printf("%d %08x\n", permutations, moves);
  return 0;
}
