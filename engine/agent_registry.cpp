// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/agent_registry.hpp"

namespace berth::engine {
namespace {

void add_counts(AgentRegistry::Totals& totals, const Agent& agent) noexcept {
  totals.reserved += agent.counts.reserved.load(std::memory_order_relaxed);
  totals.published += agent.counts.published.load(std::memory_order_relaxed);
  totals.released += agent.counts.released.load(std::memory_order_relaxed);
}

}  // namespace

AgentRegistry::~AgentRegistry() {
  for (Agent* agent : agents_) delete agent;
}

Agent* AgentRegistry::add(std::unique_ptr<Agent> agent) {
  const sync::Lock lock(mutex_);
  agents_.insert(agent.get());
  return agent.release();
}

std::unique_ptr<Agent> AgentRegistry::take_out(Agent& agent) noexcept {
  add_counts(gone_, agent);
  agents_.erase(&agent);
  return std::unique_ptr<Agent>(&agent);
}

void AgentRegistry::remove(Agent* agent) noexcept {
  std::unique_ptr<Agent> gone;
  const sync::Lock lock(mutex_);
  agent->is_zombie = true;
  // A thread that claimed a lease is about to lower the count: it frees the agent.
  if (agent->num_leases() == 0) gone = take_out(*agent);
}

bool AgentRegistry::defer(Agent& agent) noexcept {
  // Under the lock: of this and a switch that asks is_due after it has cleared `current`, one sees the other.
  const sync::Lock lock(mutex_);
  if (!agent.current.load(std::memory_order_acquire) && !agent.in_wait.load(std::memory_order_relaxed))
    return false;
  agent.is_doomed = true;
  return true;
}

bool AgentRegistry::is_due(const Agent& agent) noexcept {
  const sync::Lock lock(mutex_);
  return agent.is_doomed && !agent.in_wait.load(std::memory_order_relaxed);
}

void AgentRegistry::lease_ended_elsewhere(Agent& agent) noexcept {
  std::unique_ptr<Agent> gone;
  const sync::Lock lock(mutex_);
  // Under the lock: the agent cannot go between the count and the look for its thread.
  agent.give_lease(nullptr);
  if (agent.num_leases() == 0) agent.lifted.store(false, std::memory_order_relaxed);
  if (agent.is_zombie && agent.num_leases() == 0) gone = take_out(agent);
}

AgentRegistry::Totals AgentRegistry::totals() {
  const sync::Lock lock(mutex_);
  Totals totals = gone_;
  for (const Agent* agent : agents_) {
    add_counts(totals, *agent);
    totals.leases += agent->num_leases();
  }
  return totals;
}

}  // namespace berth::engine
