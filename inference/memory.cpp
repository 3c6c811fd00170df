// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/memory.hpp"

namespace berth::inference {
namespace {

// Runs `function` with a word type of the place's size: signed where the kind extends its sign.
template <class Function>
auto with_word(const Place& place, Function&& function) {
  switch (place.bytes) {
    case 1: return place.kind == LeafKind::I8 ? function(int8_t{}) : function(uint8_t{});
    case 2: return place.kind == LeafKind::I16 ? function(int16_t{}) : function(uint16_t{});
    case 4: return place.kind == LeafKind::I32 ? function(int32_t{}) : function(uint32_t{});
    default: return function(uint64_t{});
  }
}

constexpr std::memory_order load_order(std::memory_order order) noexcept {
  if (order == std::memory_order_release) return std::memory_order_relaxed;
  return order == std::memory_order_acq_rel ? std::memory_order_acquire : order;
}

}  // namespace

uint64_t load_bits(const Place& place, std::memory_order order) noexcept {
  return with_word(place, [&]<class Word>(Word) {
    return static_cast<uint64_t>(
        std::atomic_ref<Word>(*static_cast<Word*>(place.address)).load(load_order(order)));
  });
}

void store_bits(const Place& place, uint64_t bits, std::memory_order order) noexcept {
  with_word(place, [&]<class Word>(Word) {
    std::atomic_ref<Word>(*static_cast<Word*>(place.address))
        .store(static_cast<Word>(bits), store_order(order));
  });
}

bool exchange_bits(const Place& place, uint64_t& expected, uint64_t bits, std::memory_order order) noexcept {
  return with_word(place, [&]<class Word>(Word) {
    auto found = static_cast<Word>(expected);
    const bool done = std::atomic_ref<Word>(*static_cast<Word*>(place.address))
                          .compare_exchange_strong(found, static_cast<Word>(bits), order, load_order(order));
    expected = static_cast<uint64_t>(found);
    return done;
  });
}

}  // namespace berth::inference
