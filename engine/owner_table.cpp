// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/owner_table.hpp"

#include <memory>

namespace berth::engine {

OwnerTable::~OwnerTable() {
  for (auto& bucket : buckets_) {
    for (Node* node = bucket.load(std::memory_order_relaxed); node;) delete std::exchange(node, node->next);
  }
}

const void* OwnerTable::intern_by_traits(const void* owner) {
  const uint64_t hash = traits_.hash(traits_.context, owner);
  auto& bucket = buckets_[(hash * 0x9e3779b97f4a7c15u) >> 56];
  std::unique_ptr<Node> fresh;
  const Node* seen = nullptr;  // nodes from here on were compared already
  for (;;) {
    Node* const head = bucket.load(std::memory_order_acquire);
    for (Node* node = head; node != seen; node = node->next) {
      const void* known = node->owner.load(std::memory_order_acquire);
      if (known && node->hash == hash && (known == owner || traits_.equal(traits_.context, known, owner)))
        return known;
    }
    seen = head;
    if (!fresh) fresh.reset(new Node{{owner}, hash, nullptr});
    fresh->next = head;
    Node* expected = head;
    if (bucket.compare_exchange_strong(expected, fresh.get(), std::memory_order_release,
                                       std::memory_order_relaxed)) {
      fresh.release();
      return owner;
    }
  }
}

void OwnerTable::sweep(const std::function<bool(const void*)>& is_live) {
  for (auto& bucket : buckets_) {
    for (Node* node = bucket.load(std::memory_order_acquire); node; node = node->next) {
      const void* owner = node->owner.load(std::memory_order_relaxed);
      if (owner && !is_live(owner)) node->owner.store(nullptr, std::memory_order_release);
    }
  }
}

}  // namespace berth::engine
