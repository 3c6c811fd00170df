// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of agents, and the pass over their stacks.
#include <algorithm>

#include "gc/collector_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::gc {

// Frames of generated code lie above the call that switches agents. Told bounds hold all of them, whoever's stack makes the call.
void Collector::suspend(Thread& thread, Agent& agent) noexcept {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (agent.stack_low != 0) {
    agent.suspended = {agent.stack_low, agent.stack_high, true};
  } else if (&agent == thread.own_agent && thread.native_low <= here && here < thread.native_high) {
    agent.suspended = {here, thread.native_high, true};
  } else {
    agent.suspended = {0, 0, false};
  }
}

bool Collector::for_each_stack(Thread& self, const std::function<void(uintptr_t, uintptr_t)>& visit) {
  if (self.foreign) return false;
  const SafeMutex::Guard one_pass(self, impl_->stacks_mutex);
  std::vector<uint64_t> ids;
  uint64_t pass = 0;
  {
    const SafeRegion region(self);
    const sync::Lock registry(impl_->registry);
    for (const Thread* thread : impl_->threads) ids.push_back(thread->id);
    const sync::Lock lock(impl_->agents_mutex);
    pass = ++impl_->stack_pass;
  }
  for (const uint64_t id : ids) {
    handshake(self, id, [&](Thread& thread) {
      const sync::Lock lock(impl_->agents_mutex);
      Agent& agent = *thread.agent;
      const bool runs_it = current_thread(this) == &thread;
      const uintptr_t low = runs_it ? reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) : thread.anchor.load(std::memory_order_relaxed);
      const uintptr_t bottom = agent.stack_low != 0 ? agent.stack_low : thread.native_low;
      const uintptr_t high = agent.stack_low != 0 ? agent.stack_high : thread.native_high;
      if (low < bottom || high <= low) return;  // on some other stack
      visit(low, high);
      agent.shown = pass;
    });
  }
  latch::reach("gc-stacks-asked", &self);
  // Whose agent is on no thread, or went to one that was asked already. The list's lock keeps a deleter, and with it the stack.
  bool all_seen = true;
  const sync::Lock lock(impl_->agents_mutex);
  for (Agent* agent : impl_->agents) {
    if (agent->shown == pass) continue;
    const bool is_known = !agent->current.load(std::memory_order_acquire) && agent->suspended.is_known;
    if (!is_known) all_seen = false;
    if (is_known && !mutant::is_on("G50_agents_not_scanned")) visit(agent->suspended.low, agent->suspended.high);
  }
  return all_seen;
}

void Collector::Impl::register_agent(Collector& collector, Agent& agent) {
  const sync::Lock lock(agents_mutex);
  if (agent.collector) return;
  agent.collector = &collector;
  agent.shown = stack_pass;  // it has not run: no frame of its own is older than this
  agents.push_back(&agent);
}

void Collector::forget(Agent& agent) {
  const sync::Lock lock(impl_->agents_mutex);
  std::erase(impl_->agents, &agent);
  agent.collector = nullptr;
}

}  // namespace berth::gc
