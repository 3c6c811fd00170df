// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AgentRegistry: owns the engine's agents, and keeps one alive while another thread ends its last lease.
//
//   state  | remove, no lease left | remove, leases being ended | last lease ended elsewhere
//   Live   | freed                 | Zombie                     | Live
//   Zombie | invalid               | invalid                    | freed
//
// Rank: 340, a leaf. Cost: one lock per call; a lease ended by its own agent does not come here.
#pragma once
#include <memory>
#include <unordered_set>

#include "engine/agent.hpp"

namespace berth::engine {

inline constexpr Rank kRankAgents{340, "agents"};

class AgentRegistry {
 public:
  struct Totals {
    uint64_t reserved = 0, published = 0, released = 0;
    int64_t leases = 0;
  };

  ~AgentRegistry();
  /// Threads: any. Blocks: short. GC: any, kept. Owns: returned, freed by remove. Errors: std::bad_alloc.
  Agent* add(std::unique_ptr<Agent> agent);
  /// The agent's leases are abandoned, it is current nowhere. As above.
  void remove(Agent* agent) noexcept;
  /// True, and remembered: it waits or is current, so that it cannot be deleted now. As above.
  bool defer(Agent& agent) noexcept;
  /// Whether an agent that was just switched away from was deleted before. As above.
  bool is_due(const Agent& agent) noexcept;
  /// Lowers the count of a lease that another thread ended. As above.
  void lease_ended_elsewhere(Agent& agent) noexcept;
  Totals totals();

 private:
  /// Out of the set; the caller deletes it once the lock is released, as its end takes the collector's locks.
  std::unique_ptr<Agent> take_out(Agent& agent) noexcept BERTH_REQUIRES(mutex_);

  sync::Mutex mutex_{kRankAgents};
  std::unordered_set<Agent*> agents_ BERTH_GUARDED_BY(mutex_);
  Totals gone_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::engine
