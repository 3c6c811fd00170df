// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worlds: advancing, closing instances and their callers, promotion (2.7).
#include "engine/engine_impl.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

uint64_t Engine::Impl::advance_world_with(const std::function<void(uint64_t)>& change) {
  Aftermath after;
  uint64_t world = 0;
  {
    const sync::Lock lock(worlds.mutex());
    world_aftermath = &after;
    if (mutant::is_on("R61_world_moves_first")) worlds.advance();
    if (change) change(worlds.now());
    world_aftermath = nullptr;
    world = worlds.advance();
  }
  settle(after, nullptr);
  return world;
}

// World lock held. Closes the instance and its transitive callers; a loop, since call chains have any length.
void Engine::Impl::lower_max_world(CodeInstance& instance, uint64_t max_world, Aftermath& after) {
  std::vector<CodeInstance*> open{&instance};
  while (!open.empty()) {
    CodeInstance& each = *open.back();
    open.pop_back();
    if (!CodeInstance::is_linked(each.word.load(std::memory_order_acquire))) continue;
    if (each.max_world.load(std::memory_order_relaxed) <= max_world) continue;
    lower_one(each, max_world, after);
    InstanceDetail* detail = each.detail.load(std::memory_order_relaxed);
    detail->invalidated = true;
    for (const CallEdge& edge : detail->callers) open.push_back(edge.caller);
  }
}

void Engine::Impl::lower_one(CodeInstance& instance, uint64_t max_world, Aftermath& after) {
  const sync::Lock lock(table.shard(ReservationTable::hash(instance_key(instance))).mutex);
  instance.max_world.store(max_world, std::memory_order_release);
  if (max_world < instance.min_world.load(std::memory_order_relaxed)) return retire_locked(instance, after);
  // Who waits for its entry in a world where it holds no more looks again; who waits for the instance stays.
  const sync::Lock graph_lock(graph.mutex());
  Waiter* waiter = instance.detail.load(std::memory_order_relaxed)->entry_queue;
  for (Waiter* last = waiter ? waiter->previous : nullptr; waiter;) {
    Waiter* const current = waiter;
    waiter = current == last ? nullptr : current->next;
    if (current->token && current->world > max_world)
      serve(*current, Service::LookAgain, nullptr, nullptr, after);
  }
}

// Shard lock held (and the world lock, or the world is stopped). Unlinked, never found again; whoever waits
// for its entry looks again.
void Engine::Impl::retire_locked(CodeInstance& instance, Aftermath& after) {
  uint64_t word = instance.word.load(std::memory_order_acquire);
  do {
    if (!CodeInstance::is_linked(word)) return;
  } while (!instance.word.compare_exchange_weak(word, CodeInstance::with_state(word, InstanceState::Retired),
                                                std::memory_order_acq_rel, std::memory_order_acquire));
  sync::Atomic<CodeInstance*>* link = &instance.slot.load(std::memory_order_relaxed)->head;
  while (link->load(std::memory_order_relaxed) != &instance)
    link = &link->load(std::memory_order_relaxed)->next;
  link->store(instance.next.load(std::memory_order_relaxed), std::memory_order_release);
  InstanceDetail* detail = instance.detail.load(std::memory_order_relaxed);
  {
    const sync::Lock graph_lock(graph.mutex());
    serve_entry_queue(instance, Service::LookAgain, nullptr, after);
  }
  // Sources refer to callees: kept longer, a retired ring of calls would never be freed.
  if (detail->source) after.sources.push_back(std::move(detail->source));
  if (word & CodeInstance::kHasSource) after.cancels.emplace_back(&instance);
  after.references.emplace_back(&instance, false);  // the cache's
}

Result<void> Engine::Impl::invalidate(CodeInstance& instance, uint64_t max_world) {
  BERTH_TRYV(is_forked() ? check_usable("berth_instance_invalidate") : success());
  Aftermath after;
  {
    const sync::Lock lock(worlds.mutex());
    lower_max_world(instance, max_world, after);
  }
  settle(after, nullptr);
  return success();
}

Result<bool> Engine::Impl::promote(std::span<CodeInstance* const> instances, uint64_t validated) {
  BERTH_TRYV(check_usable("berth_instance_promote"));
  const sync::Lock lock(worlds.mutex());
  if (worlds.now() != validated && !mutant::is_on("R60_world_not_read_again")) return false;
  const auto is_member = [&](const CodeInstance* instance) {
    for (const CodeInstance* member : instances) {
      if (member == instance) return true;
    }
    return false;
  };
  for (CodeInstance* instance : instances) {
    if (!instance || !CodeInstance::is_linked(instance->word.load(std::memory_order_acquire))) return false;
    InstanceDetail* detail = instance->detail.load(std::memory_order_relaxed);
    const bool is_open = instance->max_world.load(std::memory_order_relaxed) == UINT64_MAX;
    if (!is_open && (detail->promoted || detail->invalidated)) return false;
    for (const CallEdge& edge : detail->callees) {
      if (edge.callee->max_world.load(std::memory_order_relaxed) != UINT64_MAX && !is_member(edge.callee))
        return false;
    }
  }
  for (CodeInstance* instance : instances) {
    const sync::Lock shard_lock(table.shard(ReservationTable::hash(instance_key(*instance))).mutex);
    if (!CodeInstance::is_linked(instance->word.load(std::memory_order_acquire))) continue;  // swept
    instance->detail.load(std::memory_order_relaxed)->promoted = true;
    instance->max_world.store(UINT64_MAX, std::memory_order_release);
  }
  return true;
}

}  // namespace berth::engine
