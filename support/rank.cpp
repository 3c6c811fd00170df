// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/rank.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "support/latch.hpp"
#include "support/sync.hpp"

namespace berth {
namespace {

// A thread holds few locks at once: a fixed list needs no allocation and no destructor at thread exit.
constexpr size_t kMaxHeld = 32;
struct HeldRanks {
  std::array<Rank, kMaxHeld> held;
  size_t num_held = 0;
};

}  // namespace

namespace rank {

void push(Rank rank) {
  auto& [held, num_held] = sync::local<HeldRanks>();
  for (size_t i = 0; i < num_held; ++i) {
    // SafeMutexes (below 100) of the same rank belong to the embedder's order; the others go strictly
    // upwards.
    if (held[i].value > rank.value || (held[i].value == rank.value && rank.value >= 100)) {
      std::fprintf(stderr,
                   "berth: lock order: '%s' (rank %u) taken while '%s' (rank %u) is held. Remedy: take the "
                   "lower rank first\n",
                   rank.name, unsigned{rank.value}, held[i].name, unsigned{held[i].value});
      std::fflush(stderr);
      std::abort();
    }
  }
  if (num_held == kMaxHeld) die("more than 32 locks are held by one thread");
  held[num_held++] = rank;
#if !defined(BERTH_CONTROLLED_SYNC)  // there the lock is a point by itself
  latch::reach("lock", &rank);
#endif
}

void pop(Rank rank) noexcept {
  auto& [held, num_held] = sync::local<HeldRanks>();
  for (size_t i = num_held; i-- > 0;) {
    if (held[i].value != rank.value || held[i].name != rank.name) continue;
    for (size_t k = i + 1; k < num_held; ++k) held[k - 1] = held[k];
    --num_held;
    return;
  }
  die("a lock is unlocked by a thread that does not hold it");
}

bool is_held(uint16_t low, uint16_t high) noexcept {
  const auto& [held, num_held] = sync::local<HeldRanks>();
  return std::any_of(held.begin(), held.begin() + num_held,
                     [&](Rank each) { return low <= each.value && each.value <= high; });
}

void check_none_held(uint16_t low, uint16_t high, const char* during, std::source_location where) {
  if constexpr (!kDebugChecks) return;
  const auto& [held, num_held] = sync::local<HeldRanks>();
  for (size_t i = 0; i < num_held; ++i) {
    if (held[i].value < low || held[i].value > high) continue;
    std::fprintf(stderr, "berth: %s:%u: %s while lock '%s' (rank %u) is held. Remedy: unlock before\n",
                 where.file_name(), static_cast<unsigned>(where.line()), during, held[i].name,
                 unsigned{held[i].value});
    std::fflush(stderr);
    std::abort();
  }
}

}  // namespace rank

void die(const char* what, std::source_location where) {
  std::fprintf(stderr, "berth: %s:%u: %s: %s\n", where.file_name(), static_cast<unsigned>(where.line()),
               where.function_name(), what);
  std::fflush(stderr);
  std::abort();
}

}  // namespace berth
