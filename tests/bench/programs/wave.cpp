// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace berth::bench::twins {
namespace {

int64_t start(int64_t i) { return i < 8 || i > 24 ? 0 : 4 * std::min(i - 8, 24 - i); }

std::string report(int64_t step, const std::vector<int64_t>& u) {
  int64_t sum = 0, least = 0, most = 0;
  bool mirrored = true, as_first = true;
  const int64_t n = static_cast<int64_t>(u.size()) - 1;
  for (int64_t i = 0; i <= n; ++i) {
    sum += u[i];
    least = std::min(least, u[i]);
    most = std::max(most, u[i]);
    mirrored = mirrored && u[i] == -start(n - i);
    as_first = as_first && u[i] == start(i);
  }
  std::string out = "step " + text_of(step) + ": sum " + text_of(sum) + ", max " + text_of(most) + ", min " +
                    text_of(least) + "\n";
  if (mirrored) out += "  the first one, negative and mirrored\n";
  if (as_first) out += "  the first one\n";
  return out;
}

}  // namespace

std::string wave() {
  const int64_t n = 64;
  std::vector<int64_t> old(n + 1), now(n + 1);
  for (int64_t i = 0; i <= n; ++i) old[i] = start(i);
  for (int64_t i = 1; i < n; ++i) now[i] = (old[i - 1] + old[i + 1]) / 2;
  std::string out;
  for (int64_t step = 2; step < 129; ++step) {
    std::vector<int64_t> next(n + 1);
    for (int64_t i = 1; i < n; ++i) next[i] = now[i - 1] + now[i + 1] - old[i];
    old = std::move(now);
    now = std::move(next);
    if (step == 32 || step == 64 || step == 128) out += report(step, now);
  }
  int64_t squares = 0;
  for (const int64_t x : now) squares += x * x;
  return out + "sum of squares " + text_of(squares) + "\n";
}

}  // namespace berth::bench::twins
