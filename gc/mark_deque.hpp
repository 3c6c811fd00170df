// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MarkDeque: one marker's work that other markers may steal. Chase and Lev, "Dynamic circular work-stealing
// deque", SPAA 2005, with a fixed array: what does not fit stays on the owner's private stack. Where Lê et
// al., PPoPP 2013, place fences, `top` and `bottom` are seq_cst here: of an owner that takes the last entry
// and a thief, one sees the other.
//
//   operation | by    | end    | result
//   push      | owner | bottom | false: full
//   take      | owner | bottom | 0: empty
//   steal     | any   | top    | 0: empty, or another was faster
#pragma once
#include <array>
#include <cstdint>

#include "support/sync.hpp"

namespace berth::gc {

class MarkDeque {
 public:
  static constexpr int64_t kEntries = 256;

  /// Empties it. Threads: the owner, nobody steals.
  void reset() noexcept {
    top_.store(0, std::memory_order_relaxed);
    bottom_.store(0, std::memory_order_relaxed);
  }
  bool is_empty() const noexcept {
    return top_.load(std::memory_order_seq_cst) >= bottom_.load(std::memory_order_seq_cst);
  }

  bool push(uint64_t entry) noexcept {
    const int64_t bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom - top_.load(std::memory_order_seq_cst) >= kEntries) return false;
    cell(bottom).store(entry, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_seq_cst);  // publishes the entry, too
    return true;
  }
  uint64_t take() noexcept {
    const int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(bottom, std::memory_order_seq_cst);
    int64_t top = top_.load(std::memory_order_seq_cst);
    uint64_t entry = 0;
    if (top <= bottom) entry = cell(bottom).load(std::memory_order_relaxed);
    if (top < bottom) return entry;
    // The last one goes to who advances top.
    if (top == bottom && !top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst)) entry = 0;
    bottom_.store(bottom + 1, std::memory_order_seq_cst);
    return entry;
  }
  uint64_t steal() noexcept {
    int64_t top = top_.load(std::memory_order_seq_cst);
    if (top >= bottom_.load(std::memory_order_seq_cst)) return 0;
    const uint64_t entry =
        cell(top).load(std::memory_order_relaxed);  // stale only if top has moved: then the exchange fails
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst) ? entry : 0;
  }

 private:
  sync::Atomic<uint64_t>& cell(int64_t index) noexcept {
    return cells_[static_cast<uint64_t>(index) % kEntries];
  }

  alignas(64) sync::Atomic<int64_t> top_{0};     // moved by thieves and by the owner's take of the last entry
  alignas(64) sync::Atomic<int64_t> bottom_{0};  // written by the owner only
  std::array<sync::Atomic<uint64_t>, kEntries> cells_{};  // relaxed: published by bottom, claimed by top
};

}  // namespace berth::gc
