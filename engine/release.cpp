// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Releasing: claim, the pass over the queue (2.2), abandonment (2.6), and what is done once no lock is held.
#include <fmt/format.h>

#include <optional>

#include "engine/plain_pair.hpp"
#include "gc/thread.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

Error Engine::Impl::stale_lease(const char* asked) {
  return make_error(BERTH_STALE_LEASE, asked, "the lease was given back already, or abandoned",
                    "give each lease back once");
}

void Engine::Impl::trace_hold(const CodeInstance& token) {
  const auto begin =
      sync::TimePoint(std::chrono::nanoseconds(token.held_since_ns.load(std::memory_order_relaxed)));
  // Leases of one thread end in any order, and begin inside the reserve that waited for them.
  trace.overlapping("engine", "hold", reinterpret_cast<uintptr_t>(&token), begin,
                    fmt::format("\"method\":\"0x{:x}\"",
                                reinterpret_cast<uintptr_t>(token.method.load(std::memory_order_relaxed))));
}

// The lease is claimed and its key given back: the count of the token's agent goes, and the lease's
// reference.
void Engine::Impl::end_lease(CodeInstance& token, Agent* self, bool is_release) {
  Agent* agent = token.agent.load(std::memory_order_relaxed);
  if (mutant::is_on("R48_own_count") && self) agent = self;
  if (mutant::is_on("R48_lowered_twice") && !is_release) agents.lease_ended_elsewhere(*agent);
  if (trace.is_on()) [[unlikely]]
    trace_hold(token);
  if (agent == self) {
    if (!self->leases.empty() && self->leases.back().instance == &token) self->leases.pop_back();
    if (is_release) bump(self->counts.released);
    count_lease(*self);
  } else {
    if (is_release && self && !mutant::is_on("R70_release_uncounted")) bump(self->counts.released);
    shielded([&] { agents.lease_ended_elsewhere(*agent); });
  }
  drop_lease_reference(token, self);
}

Result<void> Engine::Impl::release(gc::Thread& thread, Lease lease, SourcePtr source) {
  if (is_forked()) {
    static_cast<void>(source.release());  // its drop functions may wait for what the fork left locked
    return check_usable("berth_release");
  }
  if (!lease.instance)
    return make_error(BERTH_INVALID_ARGUMENT, "berth_release", "the lease has no instance",
                      "pass a lease of berth_reserve");
  if (source)
    return shielded([&] { return release_with_source(agent_of(thread), lease, std::move(source)); });
  return give_back(thread, lease) ? Result<void>(success()) : stale_lease("berth_release");
}

void Engine::Impl::give_awaited(CodeInstance& token, Agent& self) {
  shielded([&] {
    Aftermath after;
    give(*token.slot.load(std::memory_order_relaxed), token, nullptr, false, after);
    settle(after, &self);
  });
}

Result<void> Engine::Impl::release_with_source(Agent& self, Lease lease, SourcePtr source) {
  CodeInstance& token = *lease.instance;
  Aftermath after;
  const bool running = lifecycle.load(std::memory_order_acquire) == Lifecycle::Running;
  // A release ends its lease whatever comes: also when there is no memory for its result.
  std::optional<Result<Publication>> prepared;
  if (running) {
    try {
      prepared.emplace(prepare(token, lease.generation, std::move(source)));
    } catch (const std::bad_alloc&) {}
  }
  const bool has_result = prepared && prepared->has_value();
  if (!claim_lease(token, lease.generation, has_result)) {
    if (has_result && mutant::is_on("R37_leak_on_stale"))
      static_cast<void>(prepared->assume_value().detail.release());
    return stale_lease("berth_release");
  }
  latch::reach("claim", &token);
  if (has_result && token.state() == InstanceState::Reserved) {
    publish_all({&prepared->assume_value(), 1}, true, after);
  } else {
    if (has_result) counters.duplicates.add();  // published before; the first result stays
    give(*token.slot.load(std::memory_order_relaxed), token, nullptr, false, after);
  }
  after.ended.push_back(&token);
  settle(after, &self);
  if (has_result) return success();
  if (prepared) return std::move(*prepared).assume_error();
  if (running) throw std::bad_alloc();
  return make_error(BERTH_SHUT_DOWN, "berth_release", "the engine is shut down; the source was dropped", "");
}

Result<void> Engine::Impl::release_error(gc::Thread& thread, Lease lease, Error error,
                                         int64_t retry_after_ns) {
  BERTH_TRYV(is_forked() ? check_usable("berth_release_error") : success());
  if (!lease.instance) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_release_error", "the lease has no instance",
                      "pass a lease of berth_reserve");
  }
  CodeInstance& token = *lease.instance;
  const uint64_t world = token.lease_world();
  const int64_t expires =
      retry_after_ns < 0 || mutant::is_on("R56_no_expiry") ? -1 : clock_ns() + retry_after_ns;
  FailureRef failure;
  try {
    failure = new StoredFailure(std::move(error), world, std::max(world, worlds.now()), expires);
  } catch (const std::bad_alloc&) {  // the lease ends all the same
  }
  const bool was_published = token.state() != InstanceState::Reserved;
  if (!claim_lease(token, lease.generation, false)) return stale_lease("berth_release_error");
  latch::reach("claim", &token);
  Aftermath after;
  // A token that was published has its result, or was a duplicate: there is no failure to keep.
  bool fails = !was_published && token.state() == InstanceState::Rejected;
  if (mutant::is_on("R55_0_not_delivered") && retry_after_ns == 0) fails = false;
  give(*token.slot.load(std::memory_order_relaxed), token, fails ? failure : nullptr, retry_after_ns != 0,
       after);
  after.ended.push_back(&token);
  settle(after, &agent_of(thread));
  if (!failure) throw std::bad_alloc();
  return success();
}

// False: somebody waits, or looked on, and the graph's lock is needed.
bool Engine::Impl::give_unawaited(Slot& slot, CodeInstance& token) noexcept {
  uintptr_t hold = reinterpret_cast<uintptr_t>(&token);
  return slot.hold.compare_exchange_strong(hold, 0, std::memory_order_release, std::memory_order_relaxed) ||
         Slot::token_of(hold) != &token;  // unregistered: a cycle or re-entrant lease
}

void Engine::Impl::give(Slot& slot, CodeInstance& token, const FailureRef& failure, bool keep_failure,
                        Aftermath& after) {
  if (!failure && give_unawaited(slot, token)) return;
  const Key key = instance_key(token);
  const sync::Lock lock(table.shard(ReservationTable::hash(key)).mutex);
  if (Slot::token_of(slot.hold.load(std::memory_order_relaxed)) != &token) return;
  if (failure && keep_failure) {
    if (const StoredFailure* old = slot.failure.load(std::memory_order_relaxed))
      after.failures.emplace_back(old, false);
    intrusive_ptr_add_ref(failure.get());
    slot.failure.store(failure.get(), std::memory_order_release);
  }
  const sync::Lock graph_lock(graph.mutex());
  pass(slot, &token, failure, false, after);
}

void Engine::Impl::serve(Waiter& waiter, Service service, CodeInstance* result, const FailureRef& failure,
                         Aftermath& after) {
  graph.detach(waiter);
  num_waiting.fetch_sub(1, std::memory_order_relaxed);
  waiter.service = service;
  waiter.result = result;
  waiter.failure = failure;
  waiter.served_ns = clock_ns();
  after.wakes.add(*waiter.agent->parker);
  if (mutant::is_on("R19_notify_under_lock")) after.wakes.notify();
}

// Shard and graph lock held. Whom the news fits is served, who needs the entry moves to the instance's queue;
// if `giving` holds the key, the first of the others gets it.
void Engine::Impl::pass(Slot& slot, CodeInstance* giving, const FailureRef& failure, bool has_result,
                        Aftermath& after) {
  if (mutant::is_on("R20_serve_on_give_only") && (!giving || Slot::token_of(slot.hold.load()) != giving))
    return;
  bool wakes_compiler = engine.compiler() && !engine.compiler()->has_threads();
  Waiter* waiter = slot.queue;
  for (Waiter* last = waiter ? waiter->previous : nullptr; waiter && (has_result || failure);) {
    Waiter* const current = waiter;
    waiter = current == last ? nullptr : current->next;
    const Look look = has_result ? ReservationTable::look(slot, current->world, current->need) : Look{};
    if (look.find == Find::Hit) {
      serve(*current, Service::Result, look.instance, nullptr, after);
      if (mutant::is_on("R13_wake_one")) break;
    } else if (mutant::is_on("R13_serve_all")) {
      serve(*current, Service::LookAgain, nullptr, nullptr, after);
    } else if (look.find == Find::Failed || look.find == Find::NoEntry) {
      serve(*current, Service::LookAgain, nullptr, nullptr, after);
    } else if (look.find == Find::Target) {
      const WaitTarget target{nullptr, look.instance};
      if (wakes_compiler || !mark_awaited(target)) {
        wakes_compiler = false;
        serve(*current, Service::LookAgain, nullptr, nullptr, after);
      } else {
        graph.detach(*current);
        graph.set_edge(*current, target);
        const uint64_t before =
            look.instance->word.fetch_or(CodeInstance::kSubmitted, std::memory_order_acq_rel);
        if (!(before & CodeInstance::kSubmitted)) after.submits.emplace_back(look.instance);
        if (after.lifts.empty() || after.lifts.back() != look.instance)
          after.lifts.emplace_back(look.instance);
      }
    } else if (failure && failure->covers(current->world)) {
      counters.failures_delivered.add();
      serve(*current, Service::Failed, nullptr, failure, after);
    }
  }
  if (!giving || Slot::token_of(slot.hold.load(std::memory_order_relaxed)) != giving) return;
  Waiter* next = slot.queue;
  if (!next) {
    slot.hold.store(0, std::memory_order_release);
    return;
  }
  // Lifted agents first, then in order of arrival.
  for (Waiter* each = next; !next->agent->lifted.load(std::memory_order_relaxed); next = each) {
    each = each->next;
    if (each == slot.queue) {
      next = each;
      break;
    }
  }
  if (mutant::is_on("R14_lifo")) next = slot.queue->previous;
  if (mutant::is_on("R16_arrival_takes_first")) {
    serve(*next, Service::LookAgain, nullptr, nullptr, after);
    return slot.hold.store(0, std::memory_order_release);
  }
  for (Waiter* each = next->next; mutant::is_on("R14_wake_all") && each != next; each = each->next)
    after.wakes.add(*each->agent->parker);
  serve(*next, Service::Handed, nullptr, nullptr, after);
  next->token->held_since_ns.store(clock_ns(), std::memory_order_relaxed);
  slot.hold.store(reinterpret_cast<uintptr_t>(next->token) | (slot.queue ? Slot::kWaiters : 0),
                  std::memory_order_release);
  counters.handed.add();
  latch::reach("hand", next->agent);
}

// The shard's lock is not held; see abandon_locked.
void Engine::Impl::abandon(CodeInstance& token, uint64_t generation, AbandonCause cause, Aftermath& after) {
  Slot& slot = *token.slot.load(std::memory_order_acquire);
  const sync::Lock lock(table.shard(ReservationTable::hash(instance_key(token))).mutex);
  if (!claim_lease(token, generation, false) && !mutant::is_on("R49_abandon_without_claim")) return;
  abandon_locked(slot, token, cause, after);
}

// The lease is claimed, its shard locked.
void Engine::Impl::abandon_locked(Slot& slot, CodeInstance& token, AbandonCause cause, Aftermath& after) {
  {
    const sync::Lock graph_lock(graph.mutex());
    pass(slot, &token, nullptr, false, after);
  }
  if (!mutant::is_on("R70_abandoned_uncounted")) counters.abandoned[static_cast<int>(cause)].add();
  after.abandoned.push_back(&token);
}

void Engine::Impl::abandon_all(Agent& agent) {
  if (agent.num_leases() == 0) return;
  Aftermath after;
  for (const LeaseRecord& record : agent.leases) {
    abandon(*record.instance, record.generation, AbandonCause::Agent, after);
    if (mutant::is_on("R43_first_key_only")) break;
  }
  settle(after, nullptr);
}

void Engine::Impl::settle(Aftermath& after, Agent* self) {
  if (kDebugChecks && !after.wakes.empty()) engine.collector().collect_at_handover();
  for (unsigned i = 0; i < ReservationTable::kShards && mutant::is_on("R12_broadcast"); ++i) {
    const sync::Lock lock(table.shard_at(i).mutex);
    table.for_each_slot(table.shard_at(i), [&](Slot& slot, size_t) {
      if (slot.queue) after.wakes.add(*slot.queue->agent->parker);
    });
  }
  after.wakes.notify();
  const bool lifted = self && self->lifted.load(std::memory_order_relaxed);
  submit_first({after.submits.data(), after.submits.size()}, lifted ? Priority::Lifted : Priority::Fast);
  if (Compiler* compiler = engine.compiler()) {
    for (const CodeInstanceRef& instance : after.lifts) compiler->lift(*instance, Priority::Lifted);
    for (const CodeInstanceRef& instance : after.cancels) compiler->cancel(*instance);
  }
  for (CodeInstance* token : after.ended) end_lease(*token, self);
  for (CodeInstance* token : after.abandoned) {
    if (trace.is_on()) trace.instant("engine", "abandoned");
    end_lease(*token, self, false);
  }
  after.clear();
  if (has_dead()) bury();
}

}  // namespace berth::engine
