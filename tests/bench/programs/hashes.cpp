// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <string_view>
#include <vector>

namespace berth::bench::twins {
namespace {

void twist(std::vector<uint32_t>& state) {
  for (size_t i = 0; i < 624; ++i) {
    const uint32_t y = (state[i] & 0x80000000u) | (state[(i + 1) % 624] & 0x7fffffffu);
    uint32_t next = state[(i + 397) % 624] ^ (y >> 1);
    if ((y & 1) != 0) next ^= 0x9908b0dfu;
    state[i] = next;
  }
}

uint32_t mersenne(uint32_t seed, int64_t draws) {
  std::vector<uint32_t> state(624, seed);
  for (uint32_t i = 1; i < 624; ++i) state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
  uint32_t y = 0;
  for (int64_t i = 0; i < draws; ++i) {
    if (i % 624 == 0) twist(state);
    y = state[i % 624];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    y ^= y >> 18;
  }
  return y;
}

uint32_t rotate(uint32_t x, uint32_t n) { return x >> n | x << (32 - n); }

std::vector<uint32_t> round_constants() {
  return {
      0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
      0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
      0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
      0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
      0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
      0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
      0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
      0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u};
}

// One block: texts of up to 55 bytes.
std::vector<uint32_t> sha256(std::string_view text) {
  std::vector<uint32_t> w(64);
  for (size_t i = 0; i < text.size(); ++i)
    w[i / 4] |= static_cast<uint32_t>(static_cast<uint8_t>(text[i])) << (24 - 8 * (i % 4));
  w[text.size() / 4] |= 0x80u << (24 - 8 * (text.size() % 4));
  w[15] = static_cast<uint32_t>(8 * text.size());
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  std::vector<uint32_t> h{0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                          0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
  const std::vector<uint32_t> k = round_constants();
  std::vector<uint32_t> s = h;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t e = s[4], a = s[0];
    const uint32_t big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25),
                   big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const uint32_t t1 = s[7] + big1 + ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
    const uint32_t t2 = big0 + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    for (size_t at = 7; at > 0; --at) s[at] = s[at - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (size_t i = 0; i < 8; ++i) h[i] += s[i];
  return h;
}

uint32_t crc32(std::string_view text) {
  uint32_t crc = 0xffffffffu;
  for (const char byte : text) {
    crc ^= static_cast<uint8_t>(byte);
    for (int k = 0; k < 8; ++k) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

}  // namespace

std::string hashes() {
  std::string out = "MT19937 " + text_of(mersenne(5489, 10000)) + "\nSHA-256";
  for (const uint32_t word : sha256("abc")) out += " " + hex(word);
  return out + "\nCRC-32 " + hex(crc32("123456789")) + "\n";
}

}  // namespace berth::bench::twins
