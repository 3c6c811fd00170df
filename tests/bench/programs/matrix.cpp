// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <vector>

namespace berth::bench::twins {
namespace {

template <class T>
std::string product(int64_t n) {
  std::vector<T> a(n * n), b(n * n), c(n * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      a[i * n + k] = static_cast<T>(i + k);
      b[i * n + k] = static_cast<T>(i - k);
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t k = 0; k < n; ++k) sum = sum + a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
  int64_t sum = 0, wrong = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const auto found = static_cast<int64_t>(c[i * n + j]);
      sum += found;
      if (found != 328350 + 4950 * (i - j) - 100 * i * j) ++wrong;
    }
  }
  return "C(10, 20) = " + text_of(static_cast<int64_t>(c[10 * n + 20])) + ", sum " + text_of(sum) + ", " +
         text_of(wrong) + " wrong\n";
}

}  // namespace

std::string matrix() { return product<int64_t>(100) + product<double>(100); }

}  // namespace berth::bench::twins
