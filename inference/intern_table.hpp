// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InternTable: an open-addressing set of pointers that is read without a lock and filled under its owner's.
//
// Elements are never removed; outgrown arrays are kept until the table dies, so a reader never meets freed
// memory. Cost: one probe sequence per call; growth doubles.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace berth::inference {

template <class T>
class InternTable {
 public:
  InternTable() { grow(64); }

  /// The element of this hash for which `equal` holds, or null. Threads: any. Blocks: never.
  template <class Equal>
  T* find(size_t hash, const Equal& equal) const {
    const Array& array = *current_.load(std::memory_order_acquire);
    for (size_t i = hash & array.mask;; i = (i + 1) & array.mask) {
      T* element = array.slots[i].element.load(std::memory_order_acquire);
      if (!element) return nullptr;
      if (array.slots[i].hash == hash && equal(*element)) return element;
    }
  }
  /// Adds an element that `find` does not have. Threads: one at a time, under the owner's lock.
  void insert(size_t hash, T* element) {
    Array* array = arrays_.back().get();
    if ((size_ + 1) * 2 > array->mask) array = grow((array->mask + 1) * 2);
    ++size_;
    place(*array, hash, element);
  }
  size_t size() const noexcept { return size_; }

 private:
  struct Slot {
    std::atomic<T*> element{
        nullptr};  // release when filled, acquire by readers: the element and the hash are complete
    size_t hash = 0;
  };
  struct Array {
    explicit Array(size_t capacity) : mask(capacity - 1), slots(new Slot[capacity]) {}
    size_t mask;
    std::unique_ptr<Slot[]> slots;
  };

  static void place(Array& array, size_t hash, T* element) {
    size_t i = hash & array.mask;
    while (array.slots[i].element.load(std::memory_order_relaxed)) i = (i + 1) & array.mask;
    array.slots[i].hash = hash;
    array.slots[i].element.store(element, std::memory_order_release);
  }
  Array* grow(size_t capacity) {
    auto array = std::make_unique<Array>(capacity);
    if (!arrays_.empty()) {
      const Array& old = *arrays_.back();
      for (size_t i = 0; i <= old.mask; ++i) {
        if (T* element = old.slots[i].element.load(std::memory_order_relaxed))
          place(*array, old.slots[i].hash, element);
      }
    }
    arrays_.push_back(std::move(array));
    current_.store(arrays_.back().get(),
                   std::memory_order_release);  // readers acquire: the copied slots are visible
    return arrays_.back().get();
  }

  std::atomic<Array*> current_{nullptr};
  std::vector<std::unique_ptr<Array>> arrays_;
  size_t size_ = 0;
};

inline size_t mix(size_t seed, size_t value) noexcept {
  seed ^= value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2);
  seed *= 0xff51afd7ed558ccdu;
  return seed ^ (seed >> 32);
}

}  // namespace berth::inference
