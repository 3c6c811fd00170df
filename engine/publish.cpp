// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Publishing results: what is prepared without a lock, the worlds of a group, links into the cache, edges.
#include <fmt/format.h>

#include "engine/engine_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

Result<void> Engine::Impl::publish(gc::Thread& thread, std::span<const Lease> leases,
                                   std::span<SourcePtr> sources) {
  BERTH_TRYV(check_usable("berth_publish"));
  std::vector<Publication> group;
  group.reserve(leases.size());
  for (size_t i = 0; i < leases.size(); ++i) {
    if (!leases[i].instance || !sources[i]) {
      return make_error(BERTH_INVALID_ARGUMENT, "berth_publish",
                        fmt::format("member {} has no lease or no source", i),
                        "pass a lease and a source for each member");
    }
    const uint64_t word = leases[i].instance->word.load(std::memory_order_acquire);
    if (CodeInstance::generation_of(word) != leases[i].generation || !(word & CodeInstance::kLeased)) {
      return stale_lease("berth_publish");
    }
    if (CodeInstance::state_of(word) != InstanceState::Reserved) {
      return make_error(BERTH_INVALID_ARGUMENT, "berth_publish",
                        fmt::format("member {} is published already", i), "publish once");
    }
    BERTH_TRY(auto publication, prepare(*leases[i].instance, leases[i].generation, std::move(sources[i])));
    group.push_back(std::move(publication));
  }
  Aftermath after;
  publish_all(group, false, after);
  settle(after, &agent_of(thread));
  return success();
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
    return detail && detail->forward ? detail->forward->max_world.load(std::memory_order_acquire)
                                     : UINT64_MAX;
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
  for (CodeInstance* other = slot.head.load(std::memory_order_relaxed); other;
       other = other->next.load(std::memory_order_relaxed)) {
    const uint64_t word = other->word.load(std::memory_order_acquire);
    if (!CodeInstance::is_linked(word) || CodeInstance::state_of(word) == InstanceState::Failed) continue;
    const bool other_has_code = other->code.load(std::memory_order_acquire) ||
                                (word & (CodeInstance::kHasSource | CodeInstance::kConstant));
    if ((other_has_code || !has_code) &&
        other->min_world.load(std::memory_order_relaxed) <= publication.min_world &&
        other->max_world.load(std::memory_order_relaxed) >= publication.max_world &&
        !mutant::is_on("R26_last_wins")) {
      covering = other;
      break;
    }
  }
  const bool is_empty = publication.max_world < publication.min_world;
  uint64_t word = instance.word.load(std::memory_order_acquire);
  const auto change_state = [&](uint64_t flags, InstanceState state) {
    do {
      if (CodeInstance::generation_of(word) != publication.generation ||
          CodeInstance::state_of(word) != InstanceState::Reserved) {
        return false;  // abandoned while it was prepared
      }
    } while (!instance.word.compare_exchange_weak(word, CodeInstance::with_state(word | flags, state),
                                                  std::memory_order_acq_rel, std::memory_order_acquire));
    return true;
  };
  if (covering || is_empty) {
    if (!change_state(0, InstanceState::Rejected)) return false;
    if (covering) {
      publication.duplicate = true;
      if (mutant::is_on("R37_drop_under_lock") && detail->drop_payload)
        detail->drop_payload(std::exchange(detail->payload, nullptr));
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
  if (const StoredFailure* old = slot.failure.load(std::memory_order_relaxed);
      old && old->max_world >= publication.min_world) {
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

}  // namespace berth::engine
