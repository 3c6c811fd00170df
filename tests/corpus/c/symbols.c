// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: what an object may hold: function pointers in static data, addresses into it, aliases, weak
// definitions and references, common symbols, sections of its own, names of library functions that are its
// own, constants merged with others.
#include <stdint.h>
#include <stdio.h>

typedef int (*operation)(int, int);

int common_number;
int common_array[100];

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int apply(operation f, int a, int b) { return f(a, b); }

static const struct {
  const char* name;
  operation run;
} operations[] = {{"add", add}, {"sub", sub}, {"mul", mul}};

static int numbers[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static int* const middle = &numbers[5];
static const char* const tail = "a long constant" + 7;

int original(int x) { return x * 3; }
extern __typeof__(original) other_name __attribute__((alias("original")));
extern int aliased_number __attribute__((alias("common_source")));
int common_source = 77;

__attribute__((weak)) int weak_function(int x) { return x + 1000; }
__attribute__((weak)) int weak_number = 12;
extern int nowhere(int) __attribute__((weak));

__attribute__((section("corpus_data"))) static int placed = 31;
__attribute__((section("corpus_text"), noinline)) static int placed_function(int x) { return x ^ placed; }
__attribute__((visibility("hidden"))) int hidden_number = 8;
__attribute__((used)) static int kept_without_use = 3;

// Not the library's: the source's own come first, and only here.
__attribute__((noinline)) double cbrt(double x) { return x + 1; }
__attribute__((noinline)) int abs(int x) { return x * 2; }

static int depth;
static int visit(int n, int (*again)(int)) { return n == 0 ? depth : (++depth, again(n - 1)); }
static int visit_again(int n) { return visit(n, visit_again); }

static void* next_of(void* unused) { return (char*)unused + 1; }

int main(void) {
  for (unsigned i = 0; i < 3; ++i) printf("%s %d ", operations[i].name, apply(operations[i].run, 7, 5));
  printf("\n%d %d %s %s\n", *middle, middle[-2], tail, tail + 2);
  common_number += 4;
  common_array[99] = common_number;
  printf("%d %d %d\n", common_array[0], common_array[99], original == other_name);
  printf("%d %d %d\n", other_name(5), aliased_number, weak_function(weak_number));
  printf("%d\n", nowhere ? nowhere(1) : -1);
  placed += 1;
  printf("%d %d %d\n", placed_function(64), hidden_number, visit(20, visit_again));
  volatile double eight = 8;
  volatile int minus = -4;
  printf("%a %d\n", cbrt(eight), abs(minus));
  void* (*const step)(void*) = next_of;
  char byte;
  printf("%d\n", step(&byte) == &byte + 1);
  return 0;
}
