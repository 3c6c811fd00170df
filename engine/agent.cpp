// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/agent.hpp"

#include <algorithm>

namespace berth::engine {
namespace {

bool is_outstanding(const LeaseRecord& record) noexcept {
  const uint64_t word = record.instance->word.load(std::memory_order_acquire);
  return CodeInstance::generation_of(word) == record.generation && (word & CodeInstance::kLeased);
}

}  // namespace

void Agent::make_room() {
  // Compacting only when half of a full list has ended keeps the cost per lease constant.
  const auto ended = std::remove_if(leases.begin(), leases.end(), [](const LeaseRecord& r) { return !is_outstanding(r); });
  leases.erase(ended, leases.end());
  if (leases.size() * 2 >= leases.capacity()) leases.reserve(leases.capacity() < 8 ? 16 : leases.capacity() * 2);
}

uint32_t Agent::num_leases_on(const void* method, const void* owner) const noexcept {
  return static_cast<uint32_t>(std::count_if(leases.begin(), leases.end(), [&](const LeaseRecord& record) {
    return is_outstanding(record) && record.instance->method.load(std::memory_order_relaxed) == method &&
           record.instance->owner.load(std::memory_order_relaxed) == owner;
  }));
}

}  // namespace berth::engine
