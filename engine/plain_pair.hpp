// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain pair: taking a key that has a slot, nothing stored and no holder, and giving it back without
// result; and a key whose result is there. Inline at the C boundary, as nearly all calls are these;
// everything else goes through reserve.cpp and release.cpp.
//
// Cost: of a pair three read-modify-writes, of a hit one; no lock, no system call.
#pragma once
#include "engine/engine_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

/// Returns the lease's generation.
inline uint64_t fill_token(CodeInstance& token, Key key, Agent& agent, uint64_t world,
                           const ReserveOptions& options, bool exact_clock) noexcept {
  token.method.store(key.method, std::memory_order_relaxed);
  token.owner.store(key.owner, std::memory_order_relaxed);
  token.agent.store(&agent, std::memory_order_relaxed);
  token.label.store(options.label, std::memory_order_relaxed);
  token.guard.store(options.guard, std::memory_order_relaxed);
  token.min_world.store(world, std::memory_order_release);
  if (mutant::is_on("R4_worlds_open")) token.max_world.store(UINT64_MAX, std::memory_order_release);
  token.held_since_ns.store(exact_clock ? clock_ns() : coarse_clock_ns(), std::memory_order_relaxed);
  const uint64_t generation = CodeInstance::generation_of(token.word.load(std::memory_order_relaxed));
  token.word.store((generation << CodeInstance::kGenerationShift) | CodeInstance::kLeased |
                       static_cast<uint64_t>(InstanceState::Reserved),
                   std::memory_order_release);
  return generation;
}

// Steps 1 to 5 and 10. No: the key is not plain, or not any more. Nothing is allocated and nothing polls, so
// the count is raised only once the key looks free.
[[gnu::always_inline]] inline Engine::Impl::AtOnce Engine::Impl::reserve_at_once(
    gc::Thread& thread, Key key, const ReserveOptions& options_in, Lease& got) {
  Agent& agent = agent_of(thread);
  if (!is_usable() || thread.poll.load(std::memory_order_relaxed) != 0 ||
      agent.in_wait.load(std::memory_order_relaxed) || (key.owner && owners.has_traits())) [[unlikely]] {
    return AtOnce::No;
  }
  const ReservationTable::Found found = table.find(key, ReservationTable::hash(key));
  if (!found.slot) [[unlikely]]
    return AtOnce::No;
  Slot& slot = *found.slot;
  const uint64_t world = options_in.world ? options_in.world : worlds.now();
  if (slot.head.load(std::memory_order_acquire)) {
    got.instance = hit_at_once(agent, found, world, options_in.need);
    return got.instance ? AtOnce::Hit : AtOnce::No;
  }
  const auto is_plain = [&] {
    return !slot.head.load(std::memory_order_acquire) && !slot.failure.load(std::memory_order_acquire);
  };
  CodeInstance* const token = agent.spare_tokens;
  if (slot.hold.load(std::memory_order_relaxed) != 0 || !is_plain() || !token ||
      agent.leases.size() == agent.leases.capacity()) [[unlikely]] {
    return AtOnce::No;
  }
  raise(thread, agent);
  latch::reach("look", &agent);
  agent.spare_tokens = token->next_free();
  --agent.num_spare;
  const uint64_t generation = fill_token(*token, key, agent, world, options_in, options.lease_timeout_ns > 0);
  token->slot.store(&slot, std::memory_order_release);
  if (mutant::is_on("R1_plain_take")) slot.hold.store(0, std::memory_order_relaxed);
  uintptr_t hold = 0;
  if (!slot.hold.compare_exchange_strong(hold, reinterpret_cast<uintptr_t>(token), std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) [[unlikely]] {
    undo_take(agent, token);
    return AtOnce::No;
  }
  latch::reach("take", &agent);
  // Someone may have published, or failed, or recycled the slot, between the look and the take.
  if (!ReservationTable::is_current(found) ||
      (!is_plain() && !mutant::is_on("R6_no_look_after_take_at_once"))) [[unlikely]] {
    if (ReservationTable::look(slot, world, options_in.need).find == Find::Hit) counters.recheck.add();
    if (retract(agent, slot, *token, generation))
      undo_take(agent, token);  // else it was abandoned, and its end counted
    return AtOnce::No;
  }
  bump(agent.counts.reserved);
  agent.record(*token, generation);
  got = {token, generation};
  return AtOnce::Lease;
}

inline void Engine::Impl::drop_lease_reference(CodeInstance& token, Agent* self) {
  if (token.references.load(std::memory_order_acquire) != 0) [[unlikely]] {
    intrusive_ptr_release(&token);
  } else if (token.detail.load(std::memory_order_relaxed)) [[unlikely]] {
    unreferenced(token);
  } else {
    put_token(token, self);
  }
}

[[gnu::always_inline]] inline bool Engine::Impl::give_back(gc::Thread& thread, Lease lease) {
  if (is_forked()) [[unlikely]]
    return false;
  Agent& self = agent_of(thread);
  CodeInstance& token = *lease.instance;
  if (mutant::is_on("R33_lifo_only") && !self.leases.empty() && self.leases.back().instance != &token)
    return false;
  if (mutant::is_on("R34_thread_check") && token.agent.load(std::memory_order_relaxed) != &self) return false;
  if (!claim_lease(token, lease.generation, false)) [[unlikely]]
    return false;
  latch::reach("claim", &token);
  uintptr_t hold = reinterpret_cast<uintptr_t>(&token);
  if (!token.slot.load(std::memory_order_relaxed)
           ->hold.compare_exchange_strong(hold, 0, std::memory_order_release, std::memory_order_relaxed))
      [[unlikely]] {
    if (mutant::is_on("R26_gives_hold") || mutant::is_on("R31_frees_hold")) token.slot.load()->hold.store(0);
    // Else unregistered: a cycle or re-entrant lease.
    if (Slot::token_of(hold) == &token && !mutant::is_on("R11_give_ignores_w")) give_awaited(token, self);
  }
  if (token.agent.load(std::memory_order_relaxed) != &self || trace.is_on()) [[unlikely]] {
    end_lease(token, &self);
  } else {
    // The same for the usual case.
    if (!self.leases.empty() && self.leases.back().instance == &token) self.leases.pop_back();
    bump(self.counts.released);
    count_lease(self);
    drop_lease_reference(token, &self);
  }
  if (has_dead()) [[unlikely]]
    bury();
  return true;
}

}  // namespace berth::engine
