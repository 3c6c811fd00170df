// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reserving: look, take, wait (2.1), cycles and re-entry (2.4).
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
    case Wait::End::Cancelled:
      return make_error(BERTH_CANCELLED, what, "the wait was cancelled", "");
    case Wait::End::ShutDown:
      return make_error(BERTH_SHUT_DOWN, what, "the engine is shut down", "make a new engine");
    case Wait::End::NoEntry:
      return make_error(BERTH_UNSUPPORTED, what, "the result is a constant, which has no entry",
                        "read it with berth_instance_constant");
    case Wait::End::Gone:
      return make_error(BERTH_NOT_FOUND, what, "the instance has no entry and no source that would give one",
                        "reserve the key with BERTH_NEED_ENTRY");
    case Wait::End::Failed:
      return wait.failure->error.clone();
    default:
      return make_error(BERTH_INTERNAL, what, "a wait ended without a reason", "report this as a defect of Berth");
  }
}

}  // namespace

/// The waiter's entry in its cancel, made and ended where locks may be taken.
class Engine::Impl::CancelScope {
 public:
  CancelScope(Impl& impl, Cancel* cancel, const Agent& agent) : impl_(impl) {
    if (cancel) impl_.shielded([&] { entry_.emplace(cancel, agent); });
  }
  ~CancelScope() {
    if (entry_) impl_.shielded([&] { entry_.reset(); });
  }
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  Impl& impl_;
  std::optional<Cancel::Entry> entry_;
};

/// The count that forbids finalizers, raised before anything can allocate, and the token: both go unless the lease is confirmed.
class Engine::Impl::Attempt {
 public:
  Attempt(Impl& impl, gc::Thread& thread, Agent& agent) : impl_(impl), agent_(agent) { impl_.raise(thread, agent); }
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
  uint64_t generation = 0;  // of the lease that the token stands for: it may end, and the token be recycled, before we hear of it

 private:
  Impl& impl_;
  Agent& agent_;
  bool confirmed_ = false;
};

void Engine::Impl::undo_take(Agent& agent, CodeInstance* token) noexcept {
  if (token) put_token(*token, &agent);
  count_lease(agent);
}

// Gives a hold back that we should not have: the token is ours again. False: the lease was abandoned meanwhile, its end is counted, and
// the token may serve another one already.
bool Engine::Impl::retract(Agent& agent, Slot& slot, CodeInstance& token, uint64_t generation) {
  if (!claim_lease(token, generation, false)) return false;
  shielded([&] {
    Aftermath after;
    give(slot, token, nullptr, false, after);
    settle(after, &agent);
  });
  return true;
}

Result<Reservation> Engine::Impl::reserve(gc::Thread& first_thread, Key key, const ReserveOptions& options_in) {
  Lease got;
  switch (reserve_at_once(first_thread, key, options_in, got)) {
    case AtOnce::Lease: return Reservation{Outcome::Reserved, got, nullptr, 0};
    case AtOnce::Hit: return Reservation{Outcome::Published, {}, CodeInstanceRef(got.instance, false), 0};
    default: return reserve_by_steps(first_thread, key, options_in);
  }
}

Result<Reservation> Engine::Impl::reserve_by_steps(gc::Thread& first_thread, Key key, const ReserveOptions& options_in) {
  BERTH_TRYV(check_usable("berth_reserve"));
  gc::Thread* thread = &first_thread;
  Agent& agent = agent_of(*thread);
  if (agent.in_wait.load(std::memory_order_relaxed)) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_reserve", "the agent \"" + agent.name + "\" is already waiting",
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
      if (found.slot->hold.compare_exchange_strong(hold, mine, std::memory_order_acquire, std::memory_order_relaxed)) {
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
            if (stored && stored->covers(world) && (stored->expires_ns < 0 || clock_ns() < stored->expires_ns)) failure = stored;
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
          return make_error(BERTH_RESOURCE_EXHAUSTED, "berth_reserve " + key_text(key, options_in.label),
                            fmt::format("this agent already holds {} leases on the key, the re-entry limit is {}", depth,
                                        options.reentry_limit),
                            "break the recursion, or raise the limit with berth_config_set_reentry_limit",
                            fmt::format("{{\"key\":{{\"method\":\"0x{:x}\",\"owner\":\"0x{:x}\"}},\"depth\":{}}}",
                                        reinterpret_cast<uintptr_t>(key.method), reinterpret_cast<uintptr_t>(key.owner), depth));
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
      case Wait::End::Hit:
        counters.recheck.add();
        return published(std::move(wait.result));
      case Wait::End::Handed: {
        found = {wait.slot, wait.slot->version.load(std::memory_order_relaxed)};
        look = ReservationTable::look(*wait.slot, world, need);
        if (look.find != Find::Nothing && !mutant::is_on("R6_no_look_after_hand_over")) {
          CodeInstanceRef instance = look.find == Find::Hit ? retain_hit(found, look) : nullptr;
          // Abandoned before we came, the slot may be another key's: what was found there counts only if we still had it.
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
      case Wait::End::Took:
        bump(agent.counts.reserved);
        return lease_of(Outcome::Reserved, 0);
      case Wait::End::Cycle:
        if (options.cycle_policy == BERTH_CYCLE_SHARE && !wait.chain.empty() && !wait.chain.front().is_entry) {
          if (mutant::is_on("R26_cycle_takes_hold")) wait.slot->hold.store(reinterpret_cast<uintptr_t>(attempt.token) | Slot::kWaiters);
          if (trace.is_on()) trace.instant("engine", "cycle", fmt::format("\"chain\":{}", json_quote(chain_text(wait.chain))));
          Reservation reservation = lease_of(Outcome::Cycle, 0);
          counters.cycle.add();
          return reservation;
        }
        counters.cycles_refused.add();
        return wait_error(wait, "berth_reserve", options_in.label);
      default:
        return wait_error(wait, "berth_reserve", options_in.label);
    }
  }
}

void Engine::Impl::record_unregistered(LeaseRecord lease) {
  shielded([&] {
    const sync::Lock lock(unregistered_mutex);
    if (unregistered.size() == unregistered.capacity()) {
      std::erase_if(unregistered, [](const LeaseRecord& record) { return !record.is_outstanding(); });
      // Growing while half is in use keeps the cost per lease constant.
      if (unregistered.size() * 2 >= unregistered.capacity()) unregistered.reserve(std::max<size_t>(16, unregistered.capacity() * 2));
    }
    unregistered.push_back(lease);
  });
}

int Engine::Impl::holds(gc::Thread& thread, Key key) {
  if (is_forked()) return 0;
  const auto& agent = mutant::is_on("R10_by_thread") ? static_cast<Agent&>(*thread.own_agent) : agent_of(thread);
  return static_cast<int>(agent.num_leases_on(key.method, owners.intern(key.owner)));
}

Result<void*> Engine::Impl::wait_entry(gc::Thread& first_thread, CodeInstance& instance, const Deadline& deadline) {
  if (is_forked()) {
    if (Code* code = instance_code(instance)) return code->entry;
  }
  if (Code* code = announced_code(instance)) return code->entry;
  BERTH_TRYV(check_usable("berth_instance_wait_entry"));
  gc::Thread* thread = &first_thread;
  Agent& agent = agent_of(*thread);
  if (agent.in_wait.load(std::memory_order_relaxed)) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_instance_wait_entry", "the agent \"" + agent.name + "\" is already waiting",
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

void Engine::Impl::wait(gc::Thread*& thread, Wait& wait) {
  Agent& agent = *wait.waiter.agent;
  agent.in_wait.store(true, std::memory_order_relaxed);
  const sync::TimePoint begin = sync::Clock::now();
  wait.waiter.since_ns = clock_ns();
  agent.parker->reset();
  try {
    const CancelScope entry(*this, wait.cancel, agent);
    for (;;) {
      Pause pause = Pause::None;
      gc::in_safe(*thread, [&] { pause = wait_safely(*thread, wait); });
      if (pause == Pause::None) break;
      if (pause == Pause::Safepoint) {
        thread->safepoint();
        continue;
      }
      // The safe region is left before the fibre parks and entered on the thread that it continues on.
      gc::Thread* const resumed = agent.park_hooks.park(agent.park_hooks.context, thread, park_limit_ns(wait));
      if (!mutant::is_on("R38_old_thread_kept")) thread = resumed;
    }
  } catch (...) {
    leave_queue(wait);
    agent.in_wait.store(false, std::memory_order_relaxed);
    throw;
  }
  agent.in_wait.store(false, std::memory_order_relaxed);
  if (wait.was_queued) counters.wait_ns.add(static_cast<uint64_t>(clock_ns() - wait.waiter.since_ns));
  if (wait.was_queued && trace.is_on()) {
    trace.complete("engine", wait.slot ? "reserve" : "wait entry", begin,
                   fmt::format("\"method\":\"0x{:x}\",\"end\":{}", reinterpret_cast<uintptr_t>(wait.key.method),
                               static_cast<int>(wait.end)));
  }
}

// Out of memory in a wait: no entry, no edge, and no key is left behind.
void Engine::Impl::leave_queue(Wait& wait) {
  shielded([&] {
    {
      const sync::Lock lock(table.shard(wait.hash).mutex);
      unqueue(wait);
    }
    if (!wait.waiter.token) return;
    Aftermath after;
    give(*wait.slot, *wait.waiter.token, nullptr, false, after);
    settle(after, wait.waiter.agent);
  });
}

Engine::Impl::Pause Engine::Impl::wait_safely(gc::Thread& thread, Wait& wait) {
  for (;;) {
    switch (step(wait)) {
      case Step::Done:
        return Pause::None;
      case Step::Help: {
        std::optional<gc::UnsafeRegion> fault;
        if (mutant::is_on("G15_unsafe_compile")) fault.emplace(thread);
        wait.helped = wait.target.get();
        if (engine.compiler() && engine.compiler()->help(*wait.target, wait.deadline)) {
          counters.helped.add();
          wait.helped = nullptr;
        }
        wait.target.reset();
        break;
      }
      case Step::Park:
        if (wait.weak_since_ns && clock_ns() - wait.weak_since_ns > kWeakPatienceNs && !mutant::is_on("R46_no_request")) {
          wait.weak_since_ns = clock_ns();
          ask_for_collection(thread);
        }
        latch::reach("queue", wait.waiter.agent);
        if (mutant::is_on("R11_w_after_unlock") && wait.slot) mark_awaited({wait.slot, nullptr});
        if (wait.waiter.agent->park_hooks.park && !mutant::is_on("R39_blocking_park")) return Pause::ParkHook;
        park(thread, wait);
        if (mutant::is_on("R17_if_for_while")) return Pause::None;
        if (std::exchange(wait.is_recruited, false)) return Pause::Safepoint;
        break;
    }
  }
}

int64_t Engine::Impl::park_limit_ns(const Wait& wait) const {
  int64_t limit = std::chrono::nanoseconds(gc::kParkSlice).count();
  const int64_t now = clock_ns();
  if (wait.expires_ns != INT64_MAX) limit = std::min(limit, std::max<int64_t>(wait.expires_ns - now, 0));
  if (!wait.deadline.is_never()) {
    const auto left = std::chrono::nanoseconds(wait.deadline.time() - sync::Clock::now()).count();
    limit = std::min<int64_t>(limit, std::max<int64_t>(left, 0));
  }
  return limit;
}

void Engine::Impl::park(gc::Thread& thread, Wait& wait) {
  latch::reach("park", wait.waiter.agent);
  if (mutant::is_on("R11_reset_after_queueing")) wait.waiter.agent->parker->reset();
  const sync::TimePoint until = sync::Clock::now() + std::chrono::nanoseconds(park_limit_ns(wait));
  gc::Parker& parker = *wait.waiter.agent->parker;
  // A lease can end within microseconds, a compile does not; and with as many waiters as processors, another thread has use for this one.
  const bool may_spin = wait.awaits_lease && num_waiting.load(std::memory_order_relaxed) < num_processors;
  const uint32_t woken = may_spin && parker.spin() ? parker.park(until) : gc::park(thread, parker, until);
  latch::reach("wake", wait.waiter.agent);
  wait.is_recruited = (woken & gc::Parker::kRecruit) != 0;
  const uint32_t flags = woken & ~uint32_t{gc::Parker::kRecruit};
  wait.woke_by_time = flags == 0;
  if (flags == 0) {
    wait.helped = nullptr;  // a job that was taken back in between is tried again
    counters.wakes_time.add();
  } else {
    counters.wakes_served.add();
    if (flags & gc::Parker::kRecovered) counters.recovered.add();
  }
}

// Safe, no lock held. The lease's guard may be dead already, and nothing else may be allocating.
void Engine::Impl::ask_for_collection(gc::Thread& thread) {
  if (is_foreign()) {
    const gc::Hooks& hooks = options.collector.hooks;
    if (hooks.table.request_collection) hooks.table.request_collection(hooks.context);
    return;
  }
  const gc::UnsafeRegion unsafe(thread);
  engine.collector().collect(thread);
}

Engine::Impl::Step Engine::Impl::step(Wait& wait) {
  Aftermath after;
  Step result;
  {
    ReservationTable::Shard& shard = table.shard(wait.hash);
    const sync::Lock lock(shard.mutex);
    if (mutant::is_on("R71_leave_under_shard")) const gc::UnsafeRegion region(*wait.waiter.agent->current.load());
    if (mutant::is_on("R71_token_made_in_loop")) ::operator delete(::operator new(sizeof(CodeInstance)));
    result = step_locked(wait, shard, after);
  }
  settle(after, wait.waiter.agent);
  return result;
}

Engine::Impl::Step Engine::Impl::step_locked(Wait& wait, ReservationTable::Shard& shard, Aftermath& after) {
  Waiter& waiter = wait.waiter;
  for (;;) {
    const auto leave = [&](Wait::End end) {
      unqueue(wait);
      wait.end = end;
      return Step::Done;
    };
    const bool drops = mutant::is_on("R15_leaver_drops_hand_over") && wait.deadline.has_passed();
    if (waiter.service != Service::None && !drops) {
      // Served a whole slice ago and not woken by it: the notification was lost. A woken thread may come late for other reasons.
      if (wait.woke_by_time && clock_ns() - waiter.served_ns >= std::chrono::nanoseconds(gc::kParkSlice).count()) counters.recovered.add();
      wait.result = std::move(waiter.result);
      wait.failure = std::move(waiter.failure);
      switch (std::exchange(waiter.service, Service::None)) {
        case Service::Handed: wait.end = Wait::End::Handed; return Step::Done;
        case Service::Result: wait.end = wait.slot ? Wait::End::Hit : Wait::End::Entry; return Step::Done;
        case Service::Failed: wait.end = Wait::End::Failed; return Step::Done;
        case Service::ShutDown: wait.end = Wait::End::ShutDown; return Step::Done;
        default: wait.helped = nullptr; break;
      }
    }
    if (wait.slot && !waiter.queued.slot) {
      wait.slot = &table.ensure(shard, wait.key, wait.hash);  // it may have been recycled before we came
      waiter.token->slot.store(wait.slot, std::memory_order_release);
    }
    WaitTarget target;
    if (wait.slot ? serve_key(wait, target, after) : serve_entry(wait, target)) {
      unqueue(wait);
      return Step::Done;
    }
    if (lifecycle.load(std::memory_order_acquire) != Lifecycle::Running) return leave(Wait::End::ShutDown);
    if (wait.cancel && wait.cancel->is_fired() && !(mutant::is_on("R51_fired_read_once") && wait.was_queued)) {
      counters.cancels.add();
      return leave(Wait::End::Cancelled);
    }
    wait.expires_ns = INT64_MAX;
    wait.awaits_lease = target.slot != nullptr;
    if (target.slot) {
      bool again = false;
      if (take_or_expire(wait, shard, after, again)) {
        unqueue(wait);  // of an entry: its instance does not hold any more, and the key was free
        return Step::Done;
      }
      if (again) continue;
    } else {
      // Who helps is in no queue: it hears here of a compile that failed meanwhile, and does not try again.
      const InstanceDetail& detail = *target.instance->detail.load(std::memory_order_acquire);
      if (wait.watched != target.instance) {
        wait.watched = target.instance;
        wait.failures_before = detail.passing_failures;
      } else if (detail.passing_failures > wait.failures_before && !mutant::is_on("J58_helper_not_told")) {
        wait.failure = detail.passing_failure;
        return leave(Wait::End::Failed);
      }
      const uint64_t word = target.instance->word.load(std::memory_order_acquire);
      if (!(word & CodeInstance::kSubmitted) && !mutant::is_on("R63_no_demand")) {
        uint64_t expected = word;
        if (!target.instance->word.compare_exchange_strong(expected, word | CodeInstance::kSubmitted, std::memory_order_acq_rel,
                                                           std::memory_order_relaxed)) {
          continue;
        }
        after.submits.emplace_back(target.instance);
      }
      if (wait.helped != target.instance && !wait.deadline.has_passed() && !(waiter.queued == target && engine.compiler() && engine.compiler()->has_threads())) {
        if (!mutant::is_on("R40_help_with_edge")) unqueue(wait);
        wait.target = target.instance;
        return Step::Help;
      }
    }
    const bool timed_out = wait.deadline.has_passed() && (wait.was_queued || !mutant::is_on("R9_parks_once"));
    if (mutant::is_on("G28_queue_left") && wait.woke_by_time) unqueue(wait);
    if (waiter.queued == target && !timed_out) return Step::Park;
    if (!mutant::is_on("R11_w_after_unlock") && !mark_awaited(target)) continue;
    if (timed_out) {
      {
        const sync::Lock graph_lock(graph.mutex());
        wait.chain = graph.walk(*waiter.agent, target, true).chain;
      }
      counters.timeouts.add();
      return leave(Wait::End::TimedOut);
    }
    unqueue(wait);
    return enqueue(wait, target, after);
  }
}

// Whether the key has an answer already; if not, for what to wait.
bool Engine::Impl::serve_key(Wait& wait, WaitTarget& target, Aftermath& after) {
  const bool looks = !mutant::is_on("R5_no_look_under_lock");
  const Look look = looks ? ReservationTable::look(*wait.slot, wait.waiter.world, wait.waiter.need) : Look{};
  switch (look.find) {
    case Find::Hit:
      wait.result = look.instance;
      wait.end = Wait::End::Hit;
      return true;
    case Find::Failed:
      wait.failure = look.instance->detail.load(std::memory_order_acquire)->failure;
      wait.end = Wait::End::Failed;
      return true;
    case Find::NoEntry:
      wait.end = Wait::End::NoEntry;
      return true;
    case Find::Target:
      target.instance = look.instance;
      return false;
    case Find::Nothing:
      break;
  }
  if (const StoredFailure* stored = wait.slot->failure.load(std::memory_order_relaxed)) {
    if (stored->expires_ns >= 0 && clock_ns() >= stored->expires_ns) {
      wait.slot->failure.store(nullptr, std::memory_order_release);
      after.failures.emplace_back(stored, false);
    } else if (stored->covers(wait.waiter.world)) {
      wait.failure = stored;
      wait.end = Wait::End::Failed;
      return true;
    }
  }
  target.slot = wait.slot;
  return false;
}

bool Engine::Impl::serve_entry(Wait& wait, WaitTarget& target) {
  CodeInstance& instance = *wait.instance;
  if (announced_code(instance)) {
    wait.end = Wait::End::Entry;
    return true;
  }
  const uint64_t word = instance.word.load(std::memory_order_acquire);
  const InstanceState state = CodeInstance::state_of(word);
  if (state == InstanceState::Failed) {
    wait.failure = instance.detail.load(std::memory_order_acquire)->failure;
    wait.end = Wait::End::Failed;
    return true;
  }
  if (word & CodeInstance::kConstant) {
    wait.end = Wait::End::NoEntry;
    return true;
  }
  if (!(word & CodeInstance::kHasSource) || !CodeInstance::is_linked(word)) {
    wait.end = Wait::End::Gone;
    return true;
  }
  target.instance = &instance;
  return false;
}

// True: the key is ours. `again`: something changed.
bool Engine::Impl::take_or_expire(Wait& wait, ReservationTable::Shard&, Aftermath& after, bool& again) {
  Slot& slot = *wait.slot;
  uintptr_t hold = slot.hold.load(std::memory_order_acquire);
  if (hold == 0) {
    if (slot.hold.compare_exchange_strong(hold, reinterpret_cast<uintptr_t>(wait.waiter.token), std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
      wait.waiter.token->held_since_ns.store(clock_ns(), std::memory_order_relaxed);
      wait.end = Wait::End::Took;
      return true;
    }
    again = true;
    return false;
  }
  // With W the token cannot be given back without our shard lock, so its fields are those of this lease.
  if (!mutant::is_on("R11_w_after_unlock") && !mark_awaited({&slot, nullptr})) {
    again = true;
    return false;
  }
  CodeInstance& token = *Slot::token_of(hold);
  if (!token.guard.load(std::memory_order_relaxed)) {
    wait.weak_since_ns = 0;
  } else if (!wait.weak_since_ns) {
    wait.weak_since_ns = clock_ns();
  }
  if (options.lease_timeout_ns <= 0) return false;
  const int64_t expires = token.held_since_ns.load(std::memory_order_relaxed) + options.lease_timeout_ns;
  if (clock_ns() >= expires && !(wait.was_queued && mutant::is_on("R44_at_arrival_only"))) {
    const uint64_t word = token.word.load(std::memory_order_acquire);
    if (claim_lease(token, CodeInstance::generation_of(word), false)) {
      abandon_locked(slot, token, AbandonCause::Timeout, after);
      again = true;
      return false;
    }
    // Its release is under way and will serve us.
    return false;
  }
  wait.expires_ns = expires;
  return false;
}

void Engine::Impl::unqueue(Wait& wait) {
  if (wait.waiter.queued == WaitTarget{}) return;
  const sync::Lock lock(graph.mutex());
  graph.detach(wait.waiter);
  if (mutant::is_on("R50_edge_left")) wait.waiter.agent->waiting = true;
  num_waiting.fetch_sub(1, std::memory_order_relaxed);
}

bool Engine::Impl::mark_awaited(WaitTarget target) {
  if (target.slot) {
    uintptr_t hold = target.slot->hold.load(std::memory_order_relaxed);
    if (!Slot::token_of(hold)) return false;
    return (hold & Slot::kWaiters) ||
           target.slot->hold.compare_exchange_strong(hold, hold | Slot::kWaiters, std::memory_order_relaxed);
  }
  uint64_t word = target.instance->word.load(std::memory_order_acquire);
  const InstanceState state = CodeInstance::state_of(word);
  if (state != InstanceState::Fulfilled && state != InstanceState::Compiling) return false;
  return (word & CodeInstance::kEntryWaiters) ||
         target.instance->word.compare_exchange_strong(word, word | CodeInstance::kEntryWaiters, std::memory_order_acq_rel,
                                                       std::memory_order_relaxed);
}

Engine::Impl::Step Engine::Impl::enqueue(Wait& wait, WaitTarget target, Aftermath& after) {
  Waiter& waiter = wait.waiter;
  const bool walks_unlocked = mutant::is_on("R23_walk_without_graph_lock");
  const bool reached = walks_unlocked && graph.walk(*waiter.agent, target, false).reaches_start;
  sync::Lock lock(graph.mutex());
  if ((reached || (!walks_unlocked && graph.walk(*waiter.agent, target, false).reaches_start)) && !mutant::is_on("R22_no_walk")) {
    wait.chain = graph.walk(*waiter.agent, target, true).chain;
    wait.end = Wait::End::Cycle;
    return Step::Done;
  }
  mutant::open_gap("R23_edge_after_unlock", lock);
  waiter.agent->waiting_since_ns = waiter.since_ns;
  graph.set_edge(waiter, target);
  num_waiting.fetch_add(1, std::memory_order_relaxed);
  graph.lift(target, [&](CodeInstance& compiled) { after.lifts.emplace_back(&compiled); });
  if (!wait.was_queued) counters.waits.add();
  wait.was_queued = true;
  return Step::Park;
}

}  // namespace berth::engine
