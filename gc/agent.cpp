// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/agent.hpp"

#include <utility>

#include "gc/collector.hpp"
#include "gc/handle.hpp"
#include "gc/thread.hpp"
#include "support/mutant.hpp"

namespace berth::gc {

Agent::Agent(std::string name) : name(std::move(name)), parker(new Parker) {}

Agent::~Agent() {
  if (collector) collector->forget(*this);
  HandleBlock::close(*this, 0);
}

void Agent::take_lease(Thread& thread) noexcept {
  leases_taken.fetch_add(1, std::memory_order_relaxed);
  thread.apply_inhibitions();
}

void Agent::give_lease(Thread* self) noexcept {
  // seq_cst here and at the two loads: of a runner that finds itself inhibited and a giver that looks for
  // ready finalizers, one sees the other.
  leases_given.fetch_add(mutant::is_on("G44_lowered_twice") ? 2 : 1, std::memory_order_seq_cst);
  Thread* runner = current.load(std::memory_order_acquire);
  if (!runner) return;  // whoever makes it current sets the bit, if due
  if (runner == self) {
    runner->apply_inhibitions();
  } else if (runner->foreign) {
    runner->poll.fetch_or(kPollFinalizers,
                          std::memory_order_acq_rel);  // it posts the difference at its next poll
  }
  runner->ask_for_finalizers();
  if (mutant::is_on("G43_run_in_release") && runner == self) runner->safepoint();
}

void Agent::inhibit_finalizers(Thread& thread, int32_t delta) {
  if (explicit_inhibitions + delta < 0) {
    if constexpr (kDebugChecks) die("finalizers are released more often than inhibited");
    delta = -explicit_inhibitions;
    thread.collector->count_misuse();
  }
  explicit_inhibitions += delta;
  thread.apply_inhibitions();
  if (explicit_inhibitions == 0) thread.ask_for_finalizers();
}

}  // namespace berth::gc
