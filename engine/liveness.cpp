// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lives: instances whose last reference has gone, and what a collection sees of the table, keeps, and
// sweeps.
#include "engine/engine_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

// Memory of instances

void Engine::Impl::unreferenced(CodeInstance& instance) noexcept {
  if (tearing_down_) return;
  CodeInstance* head = dead_.load(std::memory_order_relaxed);
  do {
    instance.set_next_free(head);
  } while (
      !dead_.compare_exchange_weak(head, &instance, std::memory_order_release, std::memory_order_relaxed));
}

void Engine::Impl::bury() {
  if (tearing_down_) return;
  std::vector<Aftermath> swept;
  if (has_swept_.load(std::memory_order_relaxed)) {
    shielded([&] {
      const sync::Lock lock(swept_mutex_);
      swept.swap(swept_);
      has_swept_.store(false, std::memory_order_relaxed);
    });
  }
  for (Aftermath& after : swept) settle(after, nullptr);
  while (CodeInstance* dead = dead_.exchange(nullptr, std::memory_order_acquire)) free_dead(dead);
}

void Engine::Impl::free_dead(CodeInstance* dead) {
  shielded([&] {
    const sync::Lock lock(worlds.mutex());
    for (CodeInstance* each = dead; each; each = each->next_free()) {
      InstanceDetail* detail = each->detail.load(std::memory_order_acquire);
      if (!detail) continue;
      const auto free_edge = [](CallEdge* edge) { delete edge; };  // leaves both lists
      while (!detail->callees.empty()) free_edge(&detail->callees.front());
      while (!detail->callers.empty()) free_edge(&detail->callers.front());
    }
  });
  while (dead) {
    CodeInstance& instance = *std::exchange(dead, dead->next_free());
    const std::unique_ptr<InstanceDetail> detail(instance.detail.load(std::memory_order_acquire));
    const uint64_t word = instance.word.load(std::memory_order_acquire);
    Code* code = instance.code.load(std::memory_order_acquire);
    put_token(instance, nullptr);
    if (code && (word & CodeInstance::kHasSource)) engine.compiler()->retire(code);
    // `detail` ends here, without a lock: it calls the payload's drop function.
  }
}

CodeInstance* Engine::Impl::new_token() {
  CodeInstance* token = shielded([&] { return instances.take(); });
  token->recycler = this;
  return token;
}

void Engine::Impl::clear_result(CodeInstance& token) noexcept {
  token.detail.store(nullptr, std::memory_order_release);
  token.code.store(nullptr, std::memory_order_release);
  token.next.store(nullptr, std::memory_order_release);
  token.leader.store(nullptr, std::memory_order_release);
  token.group_open.store(0, std::memory_order_release);
  token.max_world.store(0, std::memory_order_release);
}

// Collection

// A payload in the managed heap lives as long as method and owner do; one that names its own method does not
// keep it.
bool Engine::Impl::visit_ephemerons(const std::function<bool(const void*)>& is_marked,
                                    gc::SlotVisitor& visitor) {
  bool found = false;
  const auto is_live = [&](const void* object) {
    return !object || is_marked(object) || mutant::is_on("G36_payload_strong");
  };
  for (unsigned i = 0; i < ReservationTable::kShards; ++i) {
    ReservationTable::Shard& shard = table.shard_at(i);
    const sync::Lock lock(shard.mutex);
    table.for_each_slot(shard, [&](Slot& slot, size_t) {
      if (!is_live(slot.method.load(std::memory_order_relaxed)) ||
          !is_live(slot.owner.load(std::memory_order_relaxed)))
        return;
      for (CodeInstance* instance = slot.head.load(std::memory_order_relaxed); instance;
           instance = instance->next.load(std::memory_order_relaxed)) {
        void*& payload = instance->detail.load(std::memory_order_relaxed)->payload;
        if (!payload || is_marked(payload)) continue;  // or not in the heap
        visitor.visit(reinterpret_cast<gc::Object**>(&payload));
        found = true;
      }
    });
  }
  return found;
}

void Engine::Impl::visit_roots(gc::SlotVisitor& visitor) {
  for (Subsystem* subsystem : subsystems_copy()) subsystem->visit_roots(visitor);
  for (unsigned i = 0; i < ReservationTable::kShards; ++i) {
    ReservationTable::Shard& shard = table.shard_at(i);
    const sync::Lock lock(shard.mutex);
    table.for_each_slot(shard, [&](Slot& slot, size_t) {
      for (CodeInstance* instance = slot.head.load(std::memory_order_relaxed); instance;
           instance = instance->next.load(std::memory_order_relaxed)) {
        const InstanceDetail* detail = instance->detail.load(std::memory_order_relaxed);
        if (detail->source && detail->source->body) detail->source->body->visit_roots(visitor);
      }
    });
  }
}

void Engine::Impl::sweep(const std::function<bool(const void*)>& is_live) {
  counters.sweeps.add();
  const auto leave_for_later = [&](Aftermath after) {
    after.wakes.notify();
    const sync::Lock lock(swept_mutex_);
    swept_.push_back(std::move(after));
    has_swept_.store(true, std::memory_order_relaxed);
  };
  for (unsigned i = 0; i < ReservationTable::kShards; ++i) {
    Aftermath after;
    {
      ReservationTable::Shard& shard = table.shard_at(i);
      const sync::Lock lock(
          table.shard_at(mutant::is_on("G38_another_shards_lock") ? (i + 1) % ReservationTable::kShards : i)
              .mutex);
      table.for_each_slot(shard,
                          [&](Slot& slot, size_t cell) { sweep_slot(shard, slot, cell, is_live, after); });
    }
    leave_for_later(std::move(after));
  }
  Aftermath after;
  sweep_unregistered(is_live, after);
  leave_for_later(std::move(after));
  if (!mutant::is_on("R47_owner_kept")) owners.sweep(is_live);
}

void Engine::Impl::sweep_unregistered(const std::function<bool(const void*)>& is_live, Aftermath& after) {
  const sync::Lock lock(unregistered_mutex);
  for (const LeaseRecord& lease : unregistered) {
    CodeInstance& token = *lease.instance;
    // Acquire, so that the generation is read after them: a later lease's are not taken for this one's.
    const void* const parts[] = {token.method.load(std::memory_order_acquire),
                                 token.owner.load(std::memory_order_acquire),
                                 token.guard.load(std::memory_order_acquire)};
    if (!lease.is_outstanding()) continue;
    const auto is_dead = [&](const void* part) { return part && !is_live(part); };
    const bool key_dead = is_dead(parts[0]) || is_dead(parts[1]);
    if (!key_dead && !is_dead(parts[2])) continue;
    if (!claim_lease(token, lease.generation, false)) continue;
    counters.abandoned[static_cast<int>(key_dead ? AbandonCause::Key : AbandonCause::Guard)].add();
    after.abandoned.push_back(&token);
  }
}

// Shard lock held, world stopped (or right after).
void Engine::Impl::sweep_slot(ReservationTable::Shard& shard, Slot& slot, size_t cell,
                              const std::function<bool(const void*)>& is_live, Aftermath& after) {
  latch::reach("sweep-slot", &slot);
  const Key key{slot.method.load(std::memory_order_relaxed), slot.owner.load(std::memory_order_relaxed)};
  const bool key_dead = (key.method && !is_live(key.method)) || (key.owner && !is_live(key.owner));
  if (mark_awaited({&slot, nullptr})) {
    CodeInstance& token = *Slot::token_of(slot.hold.load(std::memory_order_acquire));
    const void* guard = token.guard.load(std::memory_order_relaxed);
    if (key_dead || (guard && !is_live(guard) && !mutant::is_on("R45_no_token_sweep"))) {
      const uint64_t word = token.word.load(std::memory_order_acquire);
      if (claim_lease(token, CodeInstance::generation_of(word), false)) {
        abandon_locked(slot, token, key_dead ? AbandonCause::Key : AbandonCause::Guard, after);
      }
    }
  }
  if (!key_dead) return;
  while (CodeInstance* instance = slot.head.load(std::memory_order_relaxed)) retire_locked(*instance, after);
  if (const StoredFailure* failure = slot.failure.load(std::memory_order_relaxed);
      failure && !mutant::is_on("R47_failure_kept")) {
    slot.failure.store(nullptr, std::memory_order_release);
    after.failures.emplace_back(failure, false);
  }
  table.recycle(shard, cell);
}

void Engine::Impl::after_resume() {
  if (has_dead()) bury();
}

}  // namespace berth::engine
