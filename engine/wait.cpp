// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for a key, its result or an entry: one wait, step by step (2.1), and its end by time, cancel, cycle
// or shutdown.
#include <fmt/format.h>

#include <optional>

#include "engine/engine_impl.hpp"
#include "engine/handles.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

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
      // By the type that it was made with, C's: a call by another one is undefined.
      const auto park =
          reinterpret_cast<berth_thread_t* (*)(void*, berth_thread_t*, int64_t)>(agent.park_hooks.park);
      gc::Thread* const resumed =
          to_thread(park(agent.park_hooks.context, to_handle(thread), park_limit_ns(wait)));
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
                   fmt::format("\"method\":\"0x{:x}\",\"end\":{}",
                               reinterpret_cast<uintptr_t>(wait.key.method), static_cast<int>(wait.end)));
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
      case Step::Done: return Pause::None;
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
        if (wait.weak_since_ns && clock_ns() - wait.weak_since_ns > kWeakPatienceNs &&
            !mutant::is_on("R46_no_request")) {
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
  // A lease can end within microseconds, a compile does not; and with as many waiters as processors, another
  // thread has use for this one.
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
    if (mutant::is_on("R71_leave_under_shard"))
      const gc::UnsafeRegion region(*wait.waiter.agent->current.load());
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
      // Served a whole slice ago and not woken by it: the notification was lost. A woken thread may come late
      // for other reasons.
      if (wait.woke_by_time &&
          clock_ns() - waiter.served_ns >= std::chrono::nanoseconds(gc::kParkSlice).count())
        counters.recovered.add();
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
    if (wait.cancel && wait.cancel->is_fired() &&
        !(mutant::is_on("R51_fired_read_once") && wait.was_queued)) {
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
        if (!target.instance->word.compare_exchange_strong(expected, word | CodeInstance::kSubmitted,
                                                           std::memory_order_acq_rel,
                                                           std::memory_order_relaxed)) {
          continue;
        }
        after.submits.emplace_back(target.instance);
      }
      if (wait.helped != target.instance && !wait.deadline.has_passed() &&
          !(waiter.queued == target && engine.compiler() && engine.compiler()->has_threads())) {
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
    case Find::NoEntry: wait.end = Wait::End::NoEntry; return true;
    case Find::Target: target.instance = look.instance; return false;
    case Find::Nothing: break;
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
    if (slot.hold.compare_exchange_strong(hold, reinterpret_cast<uintptr_t>(wait.waiter.token),
                                          std::memory_order_acq_rel, std::memory_order_relaxed)) {
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
         target.instance->word.compare_exchange_strong(word, word | CodeInstance::kEntryWaiters,
                                                       std::memory_order_acq_rel, std::memory_order_relaxed);
}

Engine::Impl::Step Engine::Impl::enqueue(Wait& wait, WaitTarget target, Aftermath& after) {
  Waiter& waiter = wait.waiter;
  const bool walks_unlocked = mutant::is_on("R23_walk_without_graph_lock");
  const bool reached = walks_unlocked && graph.walk(*waiter.agent, target, false).reaches_start;
  sync::Lock lock(graph.mutex());
  if ((reached || (!walks_unlocked && graph.walk(*waiter.agent, target, false).reaches_start)) &&
      !mutant::is_on("R22_no_walk")) {
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
