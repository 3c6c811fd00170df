// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of examples/lang/programs in C++: each does what the .bth of its name does with the same data
// structures, and gives what it prints. Compiled by clang -O2, whatever compiler builds the rest.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace berth::bench::twins {

inline std::string fixed(double x, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

inline std::string hex(uint32_t x) {
  const char* const digits = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < 8; ++i) text += digits[x >> (28 - 4 * i) & 15];
  return text;
}

inline std::string text_of(int64_t x) { return std::to_string(x); }

std::string binary_trees();
std::string collatz();
std::string even_odd();
std::string fannkuch10();
std::string hashes();
std::string hofstadter();
std::string k_nucleotide();
std::string mandelbrot();
std::string matrix();
std::string nbody();
std::string primes();
std::string queens12();
std::string recursion();
std::string richards10000();
std::string spectral_norm();
std::string wave();

inline constexpr int64_t kNumShapes = 1024;
/// That of dispatch.bth, beside this file: the sum over so many objects of two types, `rounds` times.
double dispatch(int64_t rounds);

}  // namespace berth::bench::twins
