// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: thread-local variables: zero, initialised, aligned, an array, a static of a function, one whose
// address is taken.
#include <stdint.h>
#include <stdio.h>

_Thread_local int counter;
static _Thread_local int64_t seeded = 41;
static _Thread_local _Alignas(64) char aligned[128] = "aligned";
static _Thread_local struct {
  int first;
  double second;
  const char* third;
} record = {1, 2.5, "three"};
static int shared = 5;

static int next(void) {
  static _Thread_local int calls = 100;
  return calls++;
}

static int* where(void) { return &counter; }

static void fill(char* to, int n) {
  for (int i = 0; i < n; ++i) to[i] = (char)('a' + i);
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    *where() += i;
    seeded += next();
  }
  record.first += counter;
  record.second *= 2;
  printf("%d %lld %d %a %s\n", counter, (long long)seeded, record.first, record.second, record.third);
  printf("%s %d %d\n", aligned, (int)((uintptr_t)aligned % 64), shared);
  fill(aligned, 10);
  printf("%.10s %d %d\n", aligned, aligned[11], where() == &counter);
  return 0;
}
