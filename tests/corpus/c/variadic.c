// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: variable arguments: functions of its own that take them, copies of lists, and the host's printf
// family.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

struct pair {
  int64_t first, second;
};
struct point {
  double x, y, z;
};

static double sum(int n, ...) {
  va_list list;
  va_start(list, n);
  double total = 0;
  for (int i = 0; i < n; ++i) total += i % 2 ? va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return total;
}

static int64_t by_kind(const char* kinds, ...) {
  va_list list, again;
  va_start(list, kinds);
  va_copy(again, list);
  int64_t total = 0;
  for (const char* kind = kinds; *kind; ++kind) {
    switch (*kind) {
      case 'i': total += va_arg(list, int); break;
      case 'l': total += va_arg(list, int64_t); break;
      case 'd': total += (int64_t)va_arg(list, double); break;
      case 's':
        for (const char* s = va_arg(list, const char*); *s; ++s) total += *s;
        break;
      case 'p': {
        const struct pair p = va_arg(list, struct pair);
        total += p.first * p.second;
        break;
      }
      case 'x': {
        const struct point p = va_arg(list, struct point);
        total += (int64_t)(p.x + p.y + p.z);
        break;
      }
      default: return -1;
    }
  }
  va_end(list);
  total = total * 1000 + (*kinds == 'i' ? va_arg(again, int) : 0);
  va_end(again);
  return total;
}

static int format(char* to, size_t size, const char* text, ...) {
  va_list list;
  va_start(list, text);
  const int n = vsnprintf(to, size, text, list);
  va_end(list);
  return n;
}

int main(void) {
  printf("%a %a\n", sum(4, 1, 0.5, 2, 0.25), sum(12, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5));
  printf("%lld\n", (long long)by_kind("iilds", 7, 8, INT64_C(1) << 40, 2.75, "abc"));
  printf("%lld\n", (long long)by_kind("pppixd", (struct pair){2, 3}, (struct pair){4, 5}, (struct pair){6, 7},
                                      9, (struct point){1, 2, 3}, 4.0));
  printf("%lld\n", (long long)by_kind("q"));
  char buffer[80];
  const int n = format(buffer, sizeof buffer, "%d %s %.2f %c %llu %hhd %p", -5, "text", 2.5, 'z', 1ull << 50,
                       300, (void*)0);
  printf("%d %s\n", n, buffer);
  printf("%d\n", format(buffer, 8, "%s", "longer than the buffer"));
  printf("%s\n", buffer);
  printf("%d %d %d %d %d %d %d %d %a %a %a %a %a %a %a %a %a %a\n", 1, 2, 3, 4, 5, 6, 7, 8, 1.0, 2.0, 3.0,
         4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0);
  return 0;
}
