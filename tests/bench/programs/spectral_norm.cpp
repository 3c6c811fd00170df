// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <cmath>
#include <vector>

namespace berth::bench::twins {
namespace {

using Vector = std::vector<double>;

double element(int64_t i, int64_t j) { return 1.0 / static_cast<double>((i + j) * (i + j + 1) / 2 + i + 1); }

void times(const Vector& v, Vector& out) {
  const auto n = static_cast<int64_t>(v.size());
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum = sum + element(i, j) * v[j];
    out[i] = sum;
  }
}

void times_transposed(const Vector& v, Vector& out) {
  const auto n = static_cast<int64_t>(v.size());
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum = sum + element(j, i) * v[j];
    out[i] = sum;
  }
}

void times_both(const Vector& v, Vector& out, Vector& between) {
  times(v, between);
  times_transposed(between, out);
}

}  // namespace

std::string spectral_norm() {
  const size_t n = 100;
  Vector u(n, 1.0), v(n), between(n);
  for (int i = 0; i < 10; ++i) {
    times_both(u, v, between);
    times_both(v, u, between);
  }
  double uv = 0, vv = 0;
  for (size_t i = 0; i < n; ++i) {
    uv = uv + u[i] * v[i];
    vv = vv + v[i] * v[i];
  }
  return fixed(std::sqrt(uv / vv), 9) + "\n";
}

}  // namespace berth::bench::twins
