// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Releasing: claim, publication, the pass over the queue (2.2), abandonment (2.6).
#include <fmt/format.h>

#include <optional>

#include "engine/plain_pair.hpp"
#include "gc/thread.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {
namespace {

Error stale_lease(const char* asked) {
  return make_error(BERTH_STALE_LEASE, asked, "the lease was given back already, or abandoned", "give each lease back once");
}

}  // namespace

void Engine::Impl::trace_hold(const CodeInstance& token) {
  const auto begin = sync::TimePoint(std::chrono::nanoseconds(token.held_since_ns.load(std::memory_order_relaxed)));
  // Leases of one thread end in any order, and begin inside the reserve that waited for them.
  trace.overlapping("engine", "hold", reinterpret_cast<uintptr_t>(&token), begin,
                    fmt::format("\"method\":\"0x{:x}\"", reinterpret_cast<uintptr_t>(token.method.load(std::memory_order_relaxed))));
}

// The lease is claimed and its key given back: the count of the token's agent goes, and the lease's reference.
void Engine::Impl::end_lease(CodeInstance& token, Agent* self, bool is_release) {
  Agent* agent = token.agent.load(std::memory_order_relaxed);
  if (mutant::is_on("R48_own_count") && self) agent = self;
  if (mutant::is_on("R48_lowered_twice") && !is_release) agents.lease_ended_elsewhere(*agent);
  if (trace.is_on()) [[unlikely]] trace_hold(token);
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
  if (!lease.instance) return make_error(BERTH_INVALID_ARGUMENT, "berth_release", "the lease has no instance", "pass a lease of berth_reserve");
  if (source) return shielded([&] { return release_with_source(agent_of(thread), lease, std::move(source)); });
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
    } catch (const std::bad_alloc&) {
    }
  }
  const bool has_result = prepared && prepared->has_value();
  if (!claim_lease(token, lease.generation, has_result)) {
    if (has_result && mutant::is_on("R37_leak_on_stale")) static_cast<void>(prepared->assume_value().detail.release());
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

Result<void> Engine::Impl::release_error(gc::Thread& thread, Lease lease, Error error, int64_t retry_after_ns) {
  BERTH_TRYV(is_forked() ? check_usable("berth_release_error") : success());
  if (!lease.instance) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_release_error", "the lease has no instance", "pass a lease of berth_reserve");
  }
  CodeInstance& token = *lease.instance;
  const uint64_t world = token.lease_world();
  const int64_t expires = retry_after_ns < 0 || mutant::is_on("R56_no_expiry") ? -1 : clock_ns() + retry_after_ns;
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
  give(*token.slot.load(std::memory_order_relaxed), token, fails ? failure : nullptr, retry_after_ns != 0, after);
  after.ended.push_back(&token);
  settle(after, &agent_of(thread));
  if (!failure) throw std::bad_alloc();
  return success();
}

Result<void> Engine::Impl::publish(gc::Thread& thread, std::span<const Lease> leases, std::span<SourcePtr> sources) {
  BERTH_TRYV(check_usable("berth_publish"));
  std::vector<Publication> group;
  group.reserve(leases.size());
  for (size_t i = 0; i < leases.size(); ++i) {
    if (!leases[i].instance || !sources[i]) {
      return make_error(BERTH_INVALID_ARGUMENT, "berth_publish", fmt::format("member {} has no lease or no source", i),
                        "pass a lease and a source for each member");
    }
    const uint64_t word = leases[i].instance->word.load(std::memory_order_acquire);
    if (CodeInstance::generation_of(word) != leases[i].generation || !(word & CodeInstance::kLeased)) {
      return stale_lease("berth_publish");
    }
    if (CodeInstance::state_of(word) != InstanceState::Reserved) {
      return make_error(BERTH_INVALID_ARGUMENT, "berth_publish", fmt::format("member {} is published already", i), "publish once");
    }
    BERTH_TRY(auto publication, prepare(*leases[i].instance, leases[i].generation, std::move(sources[i])));
    group.push_back(std::move(publication));
  }
  Aftermath after;
  publish_all(group, false, after);
  settle(after, &agent_of(thread));
  return success();
}

// False: somebody waits, or looked on, and the graph's lock is needed.
bool Engine::Impl::give_unawaited(Slot& slot, CodeInstance& token) noexcept {
  uintptr_t hold = reinterpret_cast<uintptr_t>(&token);
  return slot.hold.compare_exchange_strong(hold, 0, std::memory_order_release, std::memory_order_relaxed) ||
         Slot::token_of(hold) != &token;  // unregistered: a cycle or re-entrant lease
}

void Engine::Impl::give(Slot& slot, CodeInstance& token, const FailureRef& failure, bool keep_failure, Aftermath& after) {
  if (!failure && give_unawaited(slot, token)) return;
  const Key key = instance_key(token);
  const sync::Lock lock(table.shard(ReservationTable::hash(key)).mutex);
  if (Slot::token_of(slot.hold.load(std::memory_order_relaxed)) != &token) return;
  if (failure && keep_failure) {
    if (const StoredFailure* old = slot.failure.load(std::memory_order_relaxed)) after.failures.emplace_back(old, false);
    intrusive_ptr_add_ref(failure.get());
    slot.failure.store(failure.get(), std::memory_order_release);
  }
  const sync::Lock graph_lock(graph.mutex());
  pass(slot, &token, failure, false, after);
}

void Engine::Impl::serve(Waiter& waiter, Service service, CodeInstance* result, const FailureRef& failure, Aftermath& after) {
  graph.detach(waiter);
  num_waiting.fetch_sub(1, std::memory_order_relaxed);
  waiter.service = service;
  waiter.result = result;
  waiter.failure = failure;
  waiter.served_ns = clock_ns();
  after.wakes.add(*waiter.agent->parker);
  if (mutant::is_on("R19_notify_under_lock")) after.wakes.notify();
}

// Shard and graph lock held. Whom the news fits is served, who needs the entry moves to the instance's queue; if `giving` holds the
// key, the first of the others gets it.
void Engine::Impl::pass(Slot& slot, CodeInstance* giving, const FailureRef& failure, bool has_result, Aftermath& after) {
  if (mutant::is_on("R20_serve_on_give_only") && (!giving || Slot::token_of(slot.hold.load()) != giving)) return;
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
        const uint64_t before = look.instance->word.fetch_or(CodeInstance::kSubmitted, std::memory_order_acq_rel);
        if (!(before & CodeInstance::kSubmitted)) after.submits.emplace_back(look.instance);
        if (after.lifts.empty() || after.lifts.back() != look.instance) after.lifts.emplace_back(look.instance);
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
  for (Waiter* each = next->next; mutant::is_on("R14_wake_all") && each != next; each = each->next) after.wakes.add(*each->agent->parker);
  serve(*next, Service::Handed, nullptr, nullptr, after);
  next->token->held_since_ns.store(clock_ns(), std::memory_order_relaxed);
  slot.hold.store(reinterpret_cast<uintptr_t>(next->token) | (slot.queue ? Slot::kWaiters : 0), std::memory_order_release);
  counters.handed.add();
  latch::reach("hand", next->agent);
}

bool Engine::Impl::needs_compiler(const Source& source) const noexcept {
  return source.body && source.body->kind() != BodyKind::Native && source.body->kind() != BodyKind::Constant;
}

Result<Publication> Engine::Impl::prepare(CodeInstance& instance, uint64_t generation, SourcePtr source) {
  if (source->is_incomplete) throw std::bad_alloc();
  Publication publication;
  publication.instance = &instance;
  publication.generation = generation;
  publication.is_compilable = needs_compiler(*source);
  if (publication.is_compilable) {
    const bool opaque = source->body->kind() == BodyKind::Opaque;
    if (!engine.compiler() || (opaque && !options.has_compiler_hooks)) {
      return make_error(BERTH_UNSUPPORTED, "berth_release", "this engine has no compiler for the source",
                        "link libberth for LLVM sources, or set hooks with berth_config_set_compiler_hooks");
    }
  }
  publication.detail = std::make_unique<InstanceDetail>();
  if (const char* label = instance_label(instance)) publication.detail->label = label;
  publication.detail->payload = std::exchange(source->payload, nullptr);
  publication.detail->drop_payload = source->drop_payload;
  if (source->body && source->body->kind() == BodyKind::Native) {
    publication.native = make_code(static_cast<NativeBody&>(*source->body).entry, nullptr, 0);
  } else if (source->body && source->body->kind() == BodyKind::Constant) {
    publication.detail->constant = std::move(source->body);
  }
  for (const Edge& edge : source->edges) {
    publication.edges.push_back(std::make_unique<CallEdge>());
    publication.edges.back()->callee = edge.callee.get();
    publication.spare_details.push_back(
        edge.callee->detail.load(std::memory_order_acquire) ? nullptr : std::make_unique<InstanceDetail>());
  }
  publication.source = std::move(source);
  return publication;
}

void Engine::Impl::publish_all(std::span<Publication> group, bool give_hold, Aftermath& after) {
  const sync::Lock world_lock(worlds.mutex());
  choose_worlds(group);
  CodeInstance* const leader = group.size() > 1 ? group.front().instance : nullptr;
  if (leader) leader->group_open.store(mutant::is_on("R65_group_open_early"), std::memory_order_relaxed);
  const auto in_shard = [&](Publication& publication, auto&& function) {
    const Key key = instance_key(*publication.instance);
    const uint64_t hash = ReservationTable::hash(key);
    ReservationTable::Shard& shard = table.shard(hash);
    const sync::Lock lock(shard.mutex);
    function(table.ensure(shard, key, hash));
  };
  for (Publication& publication : group) {
    in_shard(publication, [&](Slot& slot) {
      publication.linked = link(publication, slot, leader, after);
      latch::reach("link", publication.instance);
      if (leader || (!slot.queue && (!give_hold || give_unawaited(slot, *publication.instance)))) return;
      const sync::Lock graph_lock(graph.mutex());
      pass(slot, give_hold ? publication.instance : nullptr, nullptr, true, after);
    });
    register_edges(publication, after);
  }
  if (!leader) return;
  // One store makes the whole group visible; then each member's waiters are served.
  leader->group_open.store(CodeInstance::kResultsOpen, std::memory_order_release);
  for (Publication& publication : group) {
    in_shard(publication, [&](Slot& slot) {
      const sync::Lock graph_lock(graph.mutex());
      pass(slot, give_hold ? publication.instance : nullptr, nullptr, true, after);
    });
  }
}

// World lock held. Open holds only if the world has not moved since the lease's and all edges are open.
void Engine::Impl::choose_worlds(std::span<Publication> group) {
  const uint64_t now = worlds.now();
  const auto limit_of = [&](const CodeInstance& callee) -> uint64_t {
    for (const Publication& member : group) {
      if (member.instance == &callee) return member.max_world;
    }
    const InstanceState state = callee.state();
    if (state == InstanceState::Reserved) return UINT64_MAX;  // closed later, if its result turns out to be
    if (state != InstanceState::Rejected) return callee.max_world.load(std::memory_order_acquire);
    const InstanceDetail* detail = callee.detail.load(std::memory_order_acquire);
    return detail && detail->forward ? detail->forward->max_world.load(std::memory_order_acquire) : UINT64_MAX;
  };
  for (Publication& publication : group) {
    const Source& source = *publication.source;
    const uint64_t lease_world = publication.instance->lease_world();
    publication.min_world = source.has_worlds ? source.min_world : lease_world;
    publication.max_world = source.has_worlds ? source.max_world : UINT64_MAX;
    if (publication.max_world == UINT64_MAX && now != lease_world) publication.max_world = lease_world;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Publication& publication : group) {
      uint64_t limit = UINT64_MAX;
      for (const Edge& edge : publication.source->edges) limit = std::min(limit, limit_of(*edge.callee));
      const uint64_t lease_world = publication.instance->lease_world();
      const uint64_t bound = publication.max_world == UINT64_MAX ? std::min(lease_world, limit) : limit;
      if (limit != UINT64_MAX && bound < publication.max_world) {
        publication.max_world = bound;
        changed = true;
      }
    }
  }
}

// World and shard lock held. False: a duplicate, or valid nowhere.
bool Engine::Impl::link(Publication& publication, Slot& slot, CodeInstance* leader, Aftermath& after) {
  CodeInstance& instance = *publication.instance;
  InstanceDetail* detail = instance.detail.load(std::memory_order_relaxed);
  if (detail) {
    // Edges to the token came first and made its detail.
    detail->payload = std::exchange(publication.detail->payload, nullptr);
    detail->drop_payload = publication.detail->drop_payload;
    detail->constant = std::move(publication.detail->constant);
    detail->label = std::move(publication.detail->label);
  } else {
    detail = publication.detail.release();
    instance.detail.store(detail, std::memory_order_release);
  }
  // From here on the label is ours: the embedder's ends with the lease.
  instance.label.store(detail->label.empty() ? nullptr : detail->label.c_str(), std::memory_order_relaxed);

  const bool has_code = publication.native || publication.is_compilable || detail->constant;
  CodeInstance* covering = nullptr;
  for (CodeInstance* other = slot.head.load(std::memory_order_relaxed); other; other = other->next.load(std::memory_order_relaxed)) {
    const uint64_t word = other->word.load(std::memory_order_acquire);
    if (!CodeInstance::is_linked(word) || CodeInstance::state_of(word) == InstanceState::Failed) continue;
    const bool other_has_code = other->code.load(std::memory_order_acquire) || (word & (CodeInstance::kHasSource | CodeInstance::kConstant));
    if ((other_has_code || !has_code) && other->min_world.load(std::memory_order_relaxed) <= publication.min_world &&
        other->max_world.load(std::memory_order_relaxed) >= publication.max_world && !mutant::is_on("R26_last_wins")) {
      covering = other;
      break;
    }
  }
  const bool is_empty = publication.max_world < publication.min_world;
  uint64_t word = instance.word.load(std::memory_order_acquire);
  const auto change_state = [&](uint64_t flags, InstanceState state) {
    do {
      if (CodeInstance::generation_of(word) != publication.generation || CodeInstance::state_of(word) != InstanceState::Reserved) {
        return false;  // abandoned while it was prepared
      }
    } while (!instance.word.compare_exchange_weak(word, CodeInstance::with_state(word | flags, state), std::memory_order_acq_rel,
                                                  std::memory_order_acquire));
    return true;
  };
  if (covering || is_empty) {
    if (!change_state(0, InstanceState::Rejected)) return false;
    if (covering) {
      publication.duplicate = true;
      if (mutant::is_on("R37_drop_under_lock") && detail->drop_payload) detail->drop_payload(std::exchange(detail->payload, nullptr));
      detail->forward = covering;
      counters.duplicates.add();
      counters.duplicate_ns.add(static_cast<uint64_t>(
          std::max<int64_t>(0, clock_ns() - instance.held_since_ns.load(std::memory_order_relaxed))));
    } else {
      counters.rejected.add();
    }
    after.sources.push_back(std::move(publication.source));
    return false;
  }

  if (leader && leader != &instance) detail->leader = leader;
  instance.leader.store(leader, std::memory_order_release);
  instance.slot.store(&slot, std::memory_order_release);
  instance.min_world.store(publication.min_world, std::memory_order_relaxed);
  instance.max_world.store(publication.max_world, std::memory_order_release);
  if (publication.native) instance.code.store(publication.native, std::memory_order_release);
  uint64_t flags = 0;
  if (detail->constant) flags |= CodeInstance::kConstant;
  if (publication.is_compilable) {
    detail->source = publication.source;
    flags |= CodeInstance::kHasSource;
    if (!publication.source->lazy) flags |= CodeInstance::kSubmitted;
  }
  intrusive_ptr_add_ref(&instance);  // the cache's
  if (!change_state(flags, publication.native ? InstanceState::Callable : InstanceState::Fulfilled)) {
    after.references.emplace_back(&instance, false);
    after.sources.push_back(std::move(detail->source));
    return false;
  }
  instance.next.store(slot.head.load(std::memory_order_relaxed), std::memory_order_release);
  slot.head.store(&instance, std::memory_order_release);
  if (const StoredFailure* old = slot.failure.load(std::memory_order_relaxed); old && old->max_world >= publication.min_world) {
    slot.failure.store(nullptr, std::memory_order_release);
    after.failures.emplace_back(old, false);
  }
  if (flags & CodeInstance::kSubmitted) after.submits.emplace_back(&instance);
  counters.published.add();
  return true;
}

// World lock held.
void Engine::Impl::register_edges(Publication& publication, Aftermath& after) {
  CodeInstance& instance = *publication.instance;
  InstanceDetail* detail = instance.detail.load(std::memory_order_relaxed);
  if (publication.linked) {
    for (size_t i = 0; i < publication.edges.size(); ++i) {
      CallEdge& edge = *publication.edges[i];
      CodeInstance* callee = edge.callee;
      InstanceDetail* known = callee->detail.load(std::memory_order_relaxed);
      if (known && known->forward) {
        callee = known->forward.get();
        known = callee->detail.load(std::memory_order_relaxed);
      }
      if (!known) {
        known = publication.spare_details[i] ? publication.spare_details[i].release() : new InstanceDetail;
        callee->detail.store(known, std::memory_order_release);
      }
      edge.callee = callee;
      edge.caller = &instance;
      detail->callees.push_back(edge);
      known->callers.push_back(edge);
      publication.edges[i].release();
    }
  }
  if (detail->callers.empty()) return;
  // Callers that were published with an edge to the token follow its key.
  CodeInstance& result = detail->forward ? *detail->forward : instance;
  if (detail->forward) {
    InstanceDetail* winner = result.detail.load(std::memory_order_relaxed);
    while (!detail->callers.empty()) {
      CallEdge& edge = detail->callers.front();
      detail->callers.pop_front();
      edge.callee = &result;
      winner->callers.push_back(edge);
    }
    detail = winner;
  } else if (!publication.linked) {
    return;
  }
  const uint64_t max_world = result.max_world.load(std::memory_order_relaxed);
  if (max_world == UINT64_MAX) return;
  std::vector<CodeInstance*> callers;
  for (const CallEdge& edge : detail->callers) callers.push_back(edge.caller);
  for (CodeInstance* caller : callers) lower_max_world(*caller, max_world, after);
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
