// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CallGraph: a random program: which method calls which, rings included. The same seed gives the same graph.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

namespace berth::stress {

/// splitmix64: small, and the same on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t n) { return next() % n; }
  bool one_in(uint64_t n) { return below(n) == 0; }

 private:
  uint64_t state_;
};

struct Node {
  uint32_t number = 0;
  std::vector<uint32_t> callees;
  // Counters of one round, read when all threads have met: relaxed.
  std::atomic<uint32_t> compiles{0};
  std::atomic<bool> cycle_broken{false};
};

class CallGraph {
 public:
  CallGraph(uint32_t keys, uint64_t seed) : nodes_(keys) {
    Random random(seed);
    for (uint32_t i = 0; i < keys; ++i) {
      nodes_[i].number = i;
      const uint64_t calls = random.below(4);
      for (uint64_t c = 0; c < calls; ++c) {
        // Mostly near, so that rings are short; a few anywhere.
        const uint32_t callee = random.one_in(8)
                                    ? static_cast<uint32_t>(random.below(keys))
                                    : static_cast<uint32_t>((i + keys + random.below(16) - 5) % keys);
        nodes_[i].callees.push_back(callee);
      }
    }
  }
  Node& operator[](size_t i) { return nodes_[i]; }
  size_t size() const { return nodes_.size(); }
  void begin_round() {
    for (Node& node : nodes_) {
      node.compiles.store(0, std::memory_order_relaxed);
      node.cycle_broken.store(false, std::memory_order_relaxed);
    }
  }

 private:
  std::vector<Node> nodes_;
};

}  // namespace berth::stress
