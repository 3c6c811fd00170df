// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <algorithm>
#include <vector>

namespace berth::bench::twins {
namespace {

int64_t flips_of(const std::vector<int64_t>& source, std::vector<int64_t>& work) {
  for (size_t i = 0; i < source.size(); ++i) work[i] = source[i];
  int64_t flips = 0, first = work[0];
  while (first != 0) {
    for (int64_t low = 1, high = first - 1; low < high; ++low, --high) std::swap(work[low], work[high]);
    const int64_t next = work[first];
    work[first] = first;
    first = next;
    ++flips;
  }
  return flips;
}

bool step(std::vector<int64_t>& p, std::vector<int64_t>& count) {
  const auto n = static_cast<int64_t>(p.size());
  for (int64_t r = 1; r < n; ++r) {
    const int64_t first = p[0];
    for (int64_t i = 0; i < r; ++i) p[i] = p[i + 1];
    p[r] = first;
    if (--count[r] > 0) return true;
    count[r] = r + 1;
  }
  return false;
}

}  // namespace

std::string fannkuch10() {
  const int64_t n = 10;
  std::vector<int64_t> p(n), work(n), count(n);
  for (int64_t i = 0; i < n; ++i) {
    p[i] = i;
    count[i] = i + 1;
  }
  int64_t most = 0, checksum = 0;
  bool is_even = true;
  do {
    const int64_t flips = flips_of(p, work);
    most = std::max(most, flips);
    checksum += is_even ? flips : -flips;
    is_even = !is_even;
  } while (step(p, count));
  return text_of(checksum) + "\nPfannkuchen(" + text_of(n) + ") = " + text_of(most) + "\n";
}

}  // namespace berth::bench::twins
