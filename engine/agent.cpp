// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/agent.hpp"

#include <algorithm>

#include "engine/slot.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

void Agent::make_room() {
  // Compacting only when half of a full list has ended keeps the cost per lease constant.
  const auto ended =
      std::remove_if(leases.begin(), leases.end(), [](const LeaseRecord& r) { return !r.is_outstanding(); });
  leases.erase(ended, leases.end());
  if (leases.size() * 2 >= leases.capacity())
    leases.reserve(leases.capacity() < 8 ? 16 : leases.capacity() * 2);
}

uint32_t Agent::num_leases_on(const void* method, const void* owner) const noexcept {
  return static_cast<uint32_t>(std::count_if(leases.begin(), leases.end(), [&](const LeaseRecord& record) {
    const bool counts = !mutant::is_on("R30_registered_only") ||
                        Slot::token_of(record.instance->slot.load()->hold.load()) == record.instance;
    return counts && record.is_outstanding() &&
           record.instance->method.load(std::memory_order_relaxed) == method &&
           record.instance->owner.load(std::memory_order_relaxed) == owner;
  }));
}

}  // namespace berth::engine
