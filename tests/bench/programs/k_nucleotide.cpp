// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace berth::bench::twins {
namespace {

int64_t draw(int64_t seed) { return (seed * 3877 + 29573) % 139968; }

std::vector<int64_t> sequence() {
  int64_t seed = 42;
  for (int i = 0; i < 75000; ++i) seed = draw(seed);
  std::vector<int64_t> letters(125000);
  for (int64_t& letter : letters) {
    seed = draw(seed);
    const double r = static_cast<double>(seed) / 139968.0;
    if (r < 0.3029549426680) {
      letter = 0;
    } else if (r < 0.3029549426680 + 0.1979883004921) {
      letter = 1;
    } else if (r < 0.3029549426680 + 0.1979883004921 + 0.1975473066391) {
      letter = 2;
    } else {
      letter = 3;
    }
  }
  return letters;
}

int64_t code(char letter) {
  const std::string_view names = "ACGT";
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == letter) return static_cast<int64_t>(i);
  throw std::runtime_error("not a nucleotide");
}

int64_t occurrences(const std::vector<int64_t>& letters, std::string_view word) {
  int64_t wanted = 0;
  for (const char letter : word) wanted = wanted * 4 + code(letter);
  const auto length = static_cast<int64_t>(word.size()), n = static_cast<int64_t>(letters.size());
  const int64_t mask = (int64_t{1} << (2 * length)) - 1;
  int64_t found = 0, present = 0;
  for (int64_t i = 0; i < n; ++i) {
    present = (present << 2 | letters[i]) & mask;
    if (present == wanted && i >= length - 1) ++found;
  }
  return found;
}

int64_t distinct(const std::vector<int64_t>& letters, int64_t length) {
  const int64_t slots = 262144, mask = (int64_t{1} << (2 * length)) - 1;
  std::vector<int64_t> table(slots, -1);
  const auto size = static_cast<int64_t>(letters.size());
  int64_t present = 0, n = 0;
  for (int64_t i = 0; i < size; ++i) {
    present = (present << 2 | letters[i]) & mask;
    if (i < length - 1) continue;
    int64_t at = (present * 40503 >> 7) & (slots - 1);
    while (table[at] != -1 && table[at] != present) at = (at + 1) & (slots - 1);
    if (table[at] == -1) {
      table[at] = present;
      ++n;
    }
  }
  return n;
}

}  // namespace

std::string k_nucleotide() {
  const std::vector<int64_t> letters = sequence();
  std::string out;
  for (const char* word : {"A", "C", "G", "T", "GGT", "GGTA", "GGTATT", "GGTATTTTAATT", "GGTATTTTAATTTATAGT"})
    out += std::string(word) + " " + text_of(occurrences(letters, word)) + "\n";
  return out + text_of(distinct(letters, 12)) + " distinct 12-mers\n";
}

}  // namespace berth::bench::twins
