// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: reading and writing one value in an object or buffer, whole, with an order. Racing threads see some
// value that was written: plain accesses are relaxed atomics here, `unordered` in compiled code.
#pragma once
#include <atomic>

#include "inference/ir.hpp"
#include "inference/value.hpp"

namespace berth::inference {

/// A place that holds plain bits of `kind`, or (Nothing) a reference.
struct Place {
  void* address = nullptr;
  LeafKind kind = LeafKind::Nothing;  // unboxed kind; Nothing: boxed
  unsigned bytes = 8;
  gc::Object* object = nullptr;  // that contains it; null: a buffer's memory
  bool is_boxed() const noexcept { return kind == LeafKind::Nothing; }
};

constexpr std::memory_order memory_order_of(Order order) noexcept {
  switch (order) {
    case Order::Acquire: return std::memory_order_acquire;
    case Order::Release: return std::memory_order_release;
    case Order::AcqRel: return std::memory_order_acq_rel;
    case Order::SeqCst: return std::memory_order_seq_cst;
    default: return std::memory_order_relaxed;
  }
}

constexpr std::memory_order store_order(std::memory_order order) noexcept {
  if (order == std::memory_order_acquire) return std::memory_order_relaxed;
  return order == std::memory_order_acq_rel ? std::memory_order_release : order;
}

/// Bits read at `place`, extended as Value holds them.
uint64_t load_bits(const Place& place, std::memory_order order) noexcept;
void store_bits(const Place& place, uint64_t bits, std::memory_order order) noexcept;
/// Compare and exchange; `expected` gets what was found.
bool exchange_bits(const Place& place, uint64_t& expected, uint64_t bits, std::memory_order order) noexcept;

}  // namespace berth::inference
