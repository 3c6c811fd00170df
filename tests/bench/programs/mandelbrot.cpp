// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <string_view>
#include <vector>

namespace berth::bench::twins {
namespace {

bool is_inside(double cr, double ci) {
  double zr = 0, zi = 0, tr = 0, ti = 0;
  for (int i = 0; i < 50; ++i) {
    zi = 2 * zr * zi + ci;
    zr = tr - ti + cr;
    tr = zr * zr;
    ti = zi * zi;
    if (tr + ti > 4) return false;
  }
  return true;
}

std::vector<uint32_t> crc_table() {
  std::vector<uint32_t> table(256);
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}

uint32_t crc_of(const std::vector<uint8_t>& bytes, const std::vector<uint32_t>& table) {
  uint32_t crc = 0xffffffffu;
  for (const uint8_t byte : bytes) crc = table[(crc ^ byte) & 0xff] ^ (crc >> 8);
  return ~crc;
}

}  // namespace

std::string mandelbrot() {
  const int64_t n = 200;
  const std::string_view head = "P4\n200 200\n";
  std::vector<uint8_t> file(head.size() + n * n / 8);
  for (size_t i = 0; i < head.size(); ++i) file[i] = static_cast<uint8_t>(head[i]);
  int64_t inside = 0;
  for (int64_t y = 0; y < n; ++y) {
    const double ci = 2.0 * static_cast<double>(y) / static_cast<double>(n) - 1.0;
    for (int64_t x = 0; x < n; ++x) {
      if (!is_inside(2.0 * static_cast<double>(x) / static_cast<double>(n) - 1.5, ci)) continue;
      file[head.size() + (y * n + x) / 8] |= static_cast<uint8_t>(128 >> (x % 8));
      ++inside;
    }
  }
  return text_of(inside) + " points inside\nCRC-32 " + hex(crc_of(file, crc_table())) + "\n";
}

}  // namespace berth::bench::twins
