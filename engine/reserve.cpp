// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reserving: look, take (2.1), cycles and re-entry (2.4); and asking for an entry.
#include <fmt/format.h>

#include <optional>

#include "engine/plain_pair.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {
namespace {

std::string key_text(Key key, const char* label) {
  const auto method = reinterpret_cast<uintptr_t>(key.method), owner = reinterpret_cast<uintptr_t>(key.owner);
  if (label) return fmt::format("\"{}\" (method 0x{:x}, owner 0x{:x})", label, method, owner);
  return fmt::format("(method 0x{:x}, owner 0x{:x})", method, owner);
}

std::string chain_text(const std::vector<ChainLink>& chain) {
  std::string text;
  for (const ChainLink& link : chain) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} waits for {} {} of {}", link.agent, link.is_entry ? "the entry" : "the lease",
                        key_text(link.key, link.label.empty() ? nullptr : link.label.c_str()), link.held_by);
  }
  return text;
}

Error wait_error(const Wait& wait, const char* asked, const char* label) {
  const std::string what = fmt::format("{} {}", asked, key_text(wait.key, label));
  switch (wait.end) {
    case Wait::End::TimedOut:
      return make_error(BERTH_TIMED_OUT, what, "the deadline passed: " + chain_text(wait.chain),
                        "wait longer, or see in the details who holds what", to_json(wait.chain));
    case Wait::End::Cycle:
      return make_error(BERTH_WOULD_DEADLOCK, what, "waiting would close a ring: " + chain_text(wait.chain),
                        "work without this result, or give a lease of the ring back", to_json(wait.chain));
    case Wait::End::Cancelled: return make_error(BERTH_CANCELLED, what, "the wait was cancelled", "");
    case Wait::End::ShutDown:
      return make_error(BERTH_SHUT_DOWN, what, "the engine is shut down", "make a new engine");
    case Wait::End::NoEntry:
      return make_error(BERTH_UNSUPPORTED, what, "the result is a constant, which has no entry",
                        "read it with berth_instance_constant");
    case Wait::End::Gone:
      return make_error(BERTH_NOT_FOUND, what, "the instance has no entry and no source that would give one",
                        "reserve the key with BERTH_NEED_ENTRY");
    case Wait::End::Failed: return wait.failure->error.clone();
    default:
      return make_error(BERTH_INTERNAL, what, "a wait ended without a reason",
                        "report this as a defect of Berth");
  }
}

}  // namespace

/// The count that forbids finalizers, raised before anything can allocate, and the token: both go unless the
/// lease is confirmed.
class Engine::Impl::Attempt {
 public:
  Attempt(Impl& impl, gc::Thread& thread, Agent& agent) : impl_(impl), agent_(agent) {
    impl_.raise(thread, agent);
  }
  ~Attempt() {
    if (token) impl_.put_token(*token, &agent_);
    if (!confirmed_ && !mutant::is_on("R54_count_kept")) impl_.count_lease(agent_);
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  CodeInstance* confirm() noexcept {
    confirmed_ = true;
    return std::exchange(token, nullptr);
  }
  CodeInstance* token = nullptr;
  uint64_t generation = 0;  // of the lease that the token stands for: it may end, and the token be recycled,
                            // before we hear of it

 private:
  Impl& impl_;
  Agent& agent_;
  bool confirmed_ = false;
};

void Engine::Impl::undo_take(Agent& agent, CodeInstance* token) noexcept {
  if (token) put_token(*token, &agent);
  count_lease(agent);
}

// Gives a hold back that we should not have: the token is ours again. False: the lease was abandoned
// meanwhile, its end is counted, and the token may serve another one already.
bool Engine::Impl::retract(Agent& agent, Slot& slot, CodeInstance& token, uint64_t generation) {
  if (!claim_lease(token, generation, false)) return false;
  shielded([&] {
    Aftermath after;
    give(slot, token, nullptr, false, after);
    settle(after, &agent);
  });
  return true;
}

Result<Reservation> Engine::Impl::reserve(gc::Thread& first_thread, Key key,
                                          const ReserveOptions& options_in) {
  Lease got;
  switch (reserve_at_once(first_thread, key, options_in, got)) {
    case AtOnce::Lease: return Reservation{Outcome::Reserved, got, nullptr, 0};
    case AtOnce::Hit: return Reservation{Outcome::Published, {}, CodeInstanceRef(got.instance, false), 0};
    default: return reserve_by_steps(first_thread, key, options_in);
  }
}

Result<Reservation> Engine::Impl::reserve_by_steps(gc::Thread& first_thread, Key key,
                                                   const ReserveOptions& options_in) {
  BERTH_TRYV(check_usable("berth_reserve"));
  gc::Thread* thread = &first_thread;
  Agent& agent = agent_of(*thread);
  if (agent.in_wait.load(std::memory_order_relaxed)) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_reserve",
                      "the agent \"" + agent.name + "\" is already waiting",
                      "give each logical thread an agent of its own");
  }
  if (thread->state.load(std::memory_order_relaxed) == gc::State::Unsafe) thread->safepoint();
  const uint64_t world = options_in.world ? options_in.world : worlds.now();
  key.owner = owners.intern(key.owner);
  const uint64_t hash = ReservationTable::hash(key);
  const Need need = options_in.need;

  Attempt attempt(*this, *thread, agent);
  const bool exact_clock = options.lease_timeout_ns > 0;
  const auto lease_of = [&](Outcome outcome, uint32_t depth) {
    if (outcome != Outcome::Reserved) record_unregistered({attempt.token, attempt.generation});
    CodeInstance* token = attempt.confirm();
    agent.record(*token, attempt.generation);
    return Reservation{outcome, Lease{token, attempt.generation}, nullptr, depth};
  };
  const auto drop_hold = [&](Slot& slot) {
    CodeInstance& token = *std::exchange(attempt.token, nullptr);
    if (retract(agent, slot, token, attempt.generation)) {
      put_token(token, &agent);
    } else {
      raise(*thread, agent);
    }
  };
  const auto published = [&](CodeInstanceRef instance) {
    bump(agent.counts.published);
    return Reservation{Outcome::Published, {}, std::move(instance), 0};
  };

  for (;;) {
    ReservationTable::Found found = table.find(key, hash);
    if (!found.slot) {
      shielded([&] {
        ReservationTable::Shard& shard = table.shard(hash);
        const sync::Lock lock(shard.mutex);
        if (mutant::is_on("G11_transition_under_shard")) const gc::SafeRegion region(*thread);
        found.slot = &table.ensure(shard, key, hash);
        found.version = found.slot->version.load(std::memory_order_relaxed);
      });
    }
    Look look = ReservationTable::look(*found.slot, world, need);
    if (look.find == Find::Hit) {
      if (CodeInstanceRef instance = retain_hit(found, look)) return published(std::move(instance));
      continue;
    }
    latch::reach("look", &agent);
    agent.reserve_record();
    if (!attempt.token) attempt.token = take_token(agent);
    attempt.generation = fill_token(*attempt.token, key, agent, world, options_in, exact_clock);
    attempt.token->slot.store(found.slot, std::memory_order_release);
    const auto mine = reinterpret_cast<uintptr_t>(attempt.token);

    if (look.find == Find::Nothing) {
      uintptr_t hold = 0;
      if (found.slot->hold.compare_exchange_strong(hold, mine, std::memory_order_acq_rel,
                                                   std::memory_order_relaxed)) {
        latch::reach("take", &agent);
        if (!ReservationTable::is_current(found)) {
          drop_hold(*found.slot);
          continue;
        }
        // Someone may have published, or failed, between the look and the take.
        if (found.slot->head.load(std::memory_order_acquire)) {
          look = ReservationTable::look(*found.slot, world, need);
          if (look.find != Find::Nothing && !mutant::is_on("R6_no_look_after_take")) {
            CodeInstanceRef instance = look.find == Find::Hit ? retain_hit(found, look) : nullptr;
            drop_hold(*found.slot);
            if (!instance) continue;
            counters.recheck.add();
            return published(std::move(instance));
          }
        }
        FailureRef failure;
        if (found.slot->failure.load(std::memory_order_acquire)) {
          shielded([&] {
            const sync::Lock lock(table.shard(hash).mutex);
            const StoredFailure* stored = found.slot->failure.load(std::memory_order_relaxed);
            if (stored && stored->covers(world) &&
                (stored->expires_ns < 0 || clock_ns() < stored->expires_ns))
              failure = stored;
          });
        }
        if (failure) {
          drop_hold(*found.slot);
          return failure->error.clone();
        }
        bump(agent.counts.reserved);
        return lease_of(Outcome::Reserved, 0);
      }
      if (hold == Slot::kRecycled) continue;
      const auto& holder = mutant::is_on("R32_by_thread") ? static_cast<Agent&>(*thread->own_agent) : agent;
      if (const uint32_t depth = holder.num_leases_on(key.method, key.owner)) {
        if (depth > options.reentry_limit && !mutant::is_on("R29_no_limit")) {
          return make_error(
              BERTH_RESOURCE_EXHAUSTED, "berth_reserve " + key_text(key, options_in.label),
              fmt::format("this agent already holds {} leases on the key, the re-entry limit is {}", depth,
                          options.reentry_limit),
              "break the recursion, or raise the limit with berth_config_set_reentry_limit",
              fmt::format("{{\"key\":{{\"method\":\"0x{:x}\",\"owner\":\"0x{:x}\"}},\"depth\":{}}}",
                          reinterpret_cast<uintptr_t>(key.method), reinterpret_cast<uintptr_t>(key.owner),
                          depth));
        }
        Reservation reservation = lease_of(Outcome::Reentrant, depth);
        counters.reentrant.add();
        return reservation;
      }
    }

    Wait wait;
    wait.key = key;
    wait.hash = hash;
    wait.slot = found.slot;
    wait.deadline = options_in.deadline;
    wait.cancel = options_in.cancel;
    wait.waiter.agent = &agent;
    wait.waiter.token = attempt.token;
    wait.waiter.need = need;
    wait.waiter.world = world;
    this->wait(thread, wait);
    switch (wait.end) {
      case Wait::End::Hit: counters.recheck.add(); return published(std::move(wait.result));
      case Wait::End::Handed: {
        found = {wait.slot, wait.slot->version.load(std::memory_order_relaxed)};
        look = ReservationTable::look(*wait.slot, world, need);
        if (look.find != Find::Nothing && !mutant::is_on("R6_no_look_after_hand_over")) {
          CodeInstanceRef instance = look.find == Find::Hit ? retain_hit(found, look) : nullptr;
          // Abandoned before we came, the slot may be another key's: what was found there counts only if we
          // still had it.
          if (retract(agent, *wait.slot, *attempt.token, attempt.generation)) {
            put_token(*std::exchange(attempt.token, nullptr), &agent);
            if (!instance) continue;
            counters.recheck.add();
            return published(std::move(instance));
          }
        }
        bump(agent.counts.reserved);
        return lease_of(Outcome::Reserved, 0);
      }
      case Wait::End::Took: bump(agent.counts.reserved); return lease_of(Outcome::Reserved, 0);
      case Wait::End::Cycle:
        if (options.cycle_policy == BERTH_CYCLE_SHARE && !wait.chain.empty() &&
            !wait.chain.front().is_entry) {
          if (mutant::is_on("R26_cycle_takes_hold"))
            wait.slot->hold.store(reinterpret_cast<uintptr_t>(attempt.token) | Slot::kWaiters);
          if (trace.is_on())
            trace.instant("engine", "cycle", fmt::format("\"chain\":{}", json_quote(chain_text(wait.chain))));
          Reservation reservation = lease_of(Outcome::Cycle, 0);
          counters.cycle.add();
          return reservation;
        }
        counters.cycles_refused.add();
        return wait_error(wait, "berth_reserve", options_in.label);
      default: return wait_error(wait, "berth_reserve", options_in.label);
    }
  }
}

void Engine::Impl::record_unregistered(LeaseRecord lease) {
  shielded([&] {
    const sync::Lock lock(unregistered_mutex);
    if (unregistered.size() == unregistered.capacity()) {
      std::erase_if(unregistered, [](const LeaseRecord& record) { return !record.is_outstanding(); });
      // Growing while half is in use keeps the cost per lease constant.
      if (unregistered.size() * 2 >= unregistered.capacity())
        unregistered.reserve(std::max<size_t>(16, unregistered.capacity() * 2));
    }
    unregistered.push_back(lease);
  });
}

int Engine::Impl::holds(gc::Thread& thread, Key key) {
  if (is_forked()) return 0;
  const auto& agent =
      mutant::is_on("R10_by_thread") ? static_cast<Agent&>(*thread.own_agent) : agent_of(thread);
  return static_cast<int>(agent.num_leases_on(key.method, owners.intern(key.owner)));
}

Result<void*> Engine::Impl::wait_entry(gc::Thread& first_thread, CodeInstance& instance,
                                       const Deadline& deadline) {
  if (is_forked()) {
    if (Code* code = instance_code(instance)) return code->entry;
  }
  if (Code* code = announced_code(instance)) return code->entry;
  BERTH_TRYV(check_usable("berth_instance_wait_entry"));
  gc::Thread* thread = &first_thread;
  Agent& agent = agent_of(*thread);
  if (agent.in_wait.load(std::memory_order_relaxed)) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_instance_wait_entry",
                      "the agent \"" + agent.name + "\" is already waiting",
                      "give each logical thread an agent of its own");
  }
  if (thread->state.load(std::memory_order_relaxed) == gc::State::Unsafe) thread->safepoint();
  Wait wait;
  wait.key = instance_key(instance);
  wait.hash = ReservationTable::hash(wait.key);
  wait.instance = &instance;
  wait.deadline = deadline;
  wait.waiter.agent = &agent;
  wait.waiter.need = Need::Entry;
  this->wait(thread, wait);
  if (wait.end == Wait::End::Entry || wait.end == Wait::End::Hit) return instance_code(instance)->entry;
  if (wait.end == Wait::End::Cycle) counters.cycles_refused.add();
  const InstanceDetail* detail = instance.detail.load(std::memory_order_acquire);
  const std::string label = detail ? detail->label : std::string();
  return wait_error(wait, "berth_instance_wait_entry", label.empty() ? nullptr : label.c_str());
}

}  // namespace berth::engine
