// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of agents, and where the stacks of suspended ones lie.
#include <algorithm>

#include "gc/collector_impl.hpp"

namespace berth::gc {

// Frames of generated code lie above the call that switches agents. Told bounds hold all of them, whoever's
// stack makes the call.
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
