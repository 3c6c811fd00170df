// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WaitGraph: who waits for whom. One lock, taken on the slow path only, inside at most one shard lock.
//
// Edges and queues change only under this lock; a word that someone waits for changes only under its shard
// lock and this one, so a walk reads words that stand still, and a reported ring was real. The walk takes one
// step per waiting agent at most.
//
// Rank: 320.
#pragma once
#include <string>
#include <vector>

#include "engine/waiter.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

inline constexpr Rank kRankGraph{320, "wait graph"};

/// One edge, as data: `agent` waits for `key`, which `held_by` has.
struct ChainLink {
  std::string agent;
  Key key{};
  std::string label;
  bool is_entry = false;
  std::string held_by;
  int64_t held_ns = 0;
  const char* holder_state = "running";
};

class WaitGraph {
 public:
  struct Walk {
    bool reaches_start = false;
    std::vector<ChainLink> chain;
  };

  sync::Mutex& mutex() noexcept { return mutex_; }

  // The following: with the lock held.
  /// Follows holders from `target`. With `collect` the chain is copied. Lifts nothing.
  Walk walk(const Agent& start, WaitTarget target, bool collect) const;
  /// Marks every agent on the chain, and hands each compile on it to `compile`.
  template <class Function>
  void lift(WaitTarget target, Function&& compile) const;
  void set_edge(Waiter& waiter, WaitTarget target) noexcept;
  /// Out of its queue, without an edge.
  void detach(Waiter& waiter) noexcept;

  static Waiter*& queue_of(WaitTarget target) noexcept;
  /// Null: nobody with an agent.
  static Agent* holder_of(WaitTarget target) noexcept;

 private:
  mutable sync::Mutex mutex_{kRankGraph};
};

template <class Function>
void WaitGraph::lift(WaitTarget target, Function&& compile) const {
  for (;;) {
    if (target.instance) compile(*target.instance);
    Agent* holder = holder_of(target);
    if (!holder) return;
    if (!mutant::is_on("R67_no_lift")) holder->lifted.store(true, std::memory_order_relaxed);
    if (!holder->waiting) return;
    target = holder->edge;
  }
}

/// {"chain":[...]}; closes on the caller if it is a ring.
std::string to_json(const std::vector<ChainLink>& chain);

}  // namespace berth::engine
