// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/wait_graph.hpp"

#include <fmt/format.h>

#include "engine/clock.hpp"
#include "engine/slot.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

void WaitQueue::push(Waiter*& head, Waiter& waiter) noexcept {
  if (!head) {
    waiter.next = waiter.previous = &waiter;
    head = &waiter;
    return;
  }
  waiter.next = head;
  waiter.previous = head->previous;
  head->previous->next = &waiter;
  head->previous = &waiter;
}

void WaitQueue::remove(Waiter*& head, Waiter& waiter) noexcept {
  if (waiter.next == &waiter) {
    head = nullptr;
  } else {
    waiter.previous->next = waiter.next;
    waiter.next->previous = waiter.previous;
    if (head == &waiter) head = waiter.next;
  }
  waiter.next = waiter.previous = nullptr;
}

Waiter*& WaitGraph::queue_of(WaitTarget target) noexcept {
  return target.slot ? target.slot->queue
                     : target.instance->detail.load(std::memory_order_relaxed)->entry_queue;
}

Agent* WaitGraph::holder_of(WaitTarget target) noexcept {
  if (target.slot) {
    CodeInstance* token = Slot::token_of(target.slot->hold.load(std::memory_order_acquire));
    return token ? token->agent.load(std::memory_order_relaxed) : nullptr;
  }
  if (mutant::is_on("R25_walk_ends_at_compile")) return nullptr;
  return target.instance->detail.load(std::memory_order_relaxed)->compiling_agent;
}

namespace {

ChainLink make_link(const Agent& agent, WaitTarget target, const Agent* holder, int64_t now_ns) {
  ChainLink link;
  link.agent = agent.name;
  const CodeInstance* instance =
      target.slot ? Slot::token_of(target.slot->hold.load(std::memory_order_acquire)) : target.instance;
  link.is_entry = target.slot == nullptr;
  if (instance) {
    link.key = instance_key(*instance);
    if (const char* label = instance_label(*instance)) link.label = label;
    link.held_ns = now_ns - instance->held_since_ns.load(std::memory_order_relaxed);
  }
  if (!holder) {
    link.held_by = "compiler";
  } else {
    link.held_by = holder->name;
    link.holder_state = holder->waiting                                   ? "waiting"
                        : holder->current.load(std::memory_order_acquire) ? "running"
                                                                          : "off_thread";
  }
  return link;
}

}  // namespace

WaitGraph::Walk WaitGraph::walk(const Agent& start, WaitTarget target, bool collect) const {
  Walk walk;
  const int64_t now_ns = collect ? clock_ns() : 0;
  const Agent* agent = &start;
  for (;;) {
    const Agent* holder = holder_of(target);
    if (collect) walk.chain.push_back(make_link(*agent, target, holder, now_ns));
    if (!holder || (collect && mutant::is_on("R27_chain_cut"))) return walk;
    if (holder == &start) {
      walk.reaches_start = true;
      return walk;
    }
    if (!holder->waiting) return walk;
    agent = holder;
    target = holder->edge;
  }
}

void WaitGraph::set_edge(Waiter& waiter, WaitTarget target) noexcept {
  waiter.queued = target;
  waiter.agent->waiting = true;
  waiter.agent->edge = target;
  WaitQueue::push(queue_of(target), waiter);
}

void WaitGraph::detach(Waiter& waiter) noexcept {
  WaitQueue::remove(queue_of(waiter.queued), waiter);
  waiter.queued = {};
  if (mutant::is_on("R24_edge_kept")) return;
  waiter.agent->waiting = false;
  waiter.agent->edge = {};
}

std::string to_json(const std::vector<ChainLink>& chain) {
  std::string json = "{\"chain\":[";
  for (const ChainLink& link : chain) {
    if (&link != &chain.front()) json += ',';
    json += fmt::format(
        "{{\"agent\":{},\"waits_for\":{{\"method\":\"0x{:x}\",\"owner\":\"0x{:x}\",\"label\":{}}},\"kind\":"
        "\"{}\",\"held_by\":{},"
        "\"held_ns\":{},\"holder_state\":\"{}\"}}",
        json_quote(link.agent), reinterpret_cast<uintptr_t>(link.key.method),
        reinterpret_cast<uintptr_t>(link.key.owner), json_quote(link.label),
        link.is_entry ? "entry" : "lease", json_quote(link.held_by), link.held_ns, link.holder_state);
  }
  return json + "]}";
}

}  // namespace berth::engine
