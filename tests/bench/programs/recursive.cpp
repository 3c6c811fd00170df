// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

// The programs that are nothing but calls.
namespace berth::bench::twins {
namespace {

int64_t ackermann(int64_t m, int64_t n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

int64_t tak(int64_t x, int64_t y, int64_t z) {
  if (y >= x) return z;
  return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y));
}

int64_t fib(int64_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

// 10,000 calls deep, which is what the program is: clang would make both one loop, and the loop a constant.
[[gnu::noinline, clang::not_tail_called]] bool odd(int64_t n);
[[gnu::noinline, clang::not_tail_called]] bool even(int64_t n) { return n == 0 ? true : odd(n - 1); }
bool odd(int64_t n) { return n == 0 ? false : even(n - 1); }

int64_t male(int64_t n);
int64_t female(int64_t n) { return n == 0 ? 1 : n - male(female(n - 1)); }
int64_t male(int64_t n) { return n == 0 ? 0 : n - female(male(n - 1)); }

std::string line(int64_t (*f)(int64_t)) {
  std::string text = text_of(f(0));
  for (int64_t n = 1; n < 21; ++n) text += " " + text_of(f(n));
  return text + "\n";
}

int64_t place(int64_t n, int64_t row, int64_t columns, int64_t left, int64_t right) {
  if (row == n) return 1;
  int64_t free = ((int64_t{1} << n) - 1) & ~(columns | left | right), found = 0;
  while (free != 0) {
    const int64_t bit = free & -free;
    free ^= bit;
    found += place(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}

std::string word(bool is_true) { return is_true ? "true" : "false"; }

}  // namespace

std::string recursion() {
  return "ackermann " + text_of(ackermann(2, 3)) + " " + text_of(ackermann(3, 6)) + " " +
         text_of(ackermann(3, 7)) + "\ntak " + text_of(tak(18, 12, 6)) + "\nfib " + text_of(fib(27)) + "\n";
}

std::string even_odd() {
  return "even(10000) " + word(even(10000)) + "\nodd(9999) " + word(odd(9999)) + "\n";
}

std::string hofstadter() { return line(female) + line(male); }

std::string queens12() { return "queens(12) = " + text_of(place(12, 0, 0, 0, 0)) + "\n"; }

}  // namespace berth::bench::twins
