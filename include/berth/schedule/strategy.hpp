// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strategies: how a search of schedules chooses.
//
//   Priorities    random priorities with a few random points of change; finds a fault of depth d in n threads
//                 and k decisions with a probability of at least 1 / (n k^(d-1)) per schedule: Burckhardt,
//                 Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic guarantees of
//                 finding bugs", ASPLOS 2010
//   RandomWalk    each choice at random
//   Exhaustive    every schedule with at most c preemptions, fewest first: Musuvathi, Qadeer, "Iterative
//                 context bounding for systematic testing of multithreaded programs", PLDI 2007; a state that
//                 was seen with the same happens-before relation and no fewer preemptions left is not
//                 searched again (same authors, "Partial-order reduction for context-bounded state
//                 exploration", 2007), and nothing is decided at places where no threads meet
//   Replay        the schedule of a failure
#pragma once
#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "berth/schedule/scheduler.hpp"

namespace berth::schedule {

/// SplitMix64: small, and the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) noexcept : state_(seed) {}
  uint64_t next() noexcept {
    uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  uint64_t below(uint64_t bound) noexcept { return next() % bound; }

 private:
  uint64_t state_;
};

class RandomWalk final : public Strategy {
 public:
  RandomWalk(uint64_t seed, uint64_t schedules) noexcept : random_(seed), left_(schedules) {}
  bool begin() override { return left_-- != 0; }
  unsigned choose(const Decision& decision) override {
    uint32_t options = decision.options;
    for (uint64_t skipped = random_.below(static_cast<uint64_t>(std::popcount(options))); skipped > 0;
         --skipped)
      options &= options - 1;
    return static_cast<unsigned>(std::countr_zero(options));
  }

 private:
  Random random_;
  uint64_t left_;
};

class Priorities final : public Strategy {
 public:
  /// `changes`: at most so many points of change, the depth of a fault less 1.
  Priorities(uint64_t seed, uint64_t schedules, unsigned changes) noexcept
      : random_(seed), left_(schedules), max_changes_(changes) {}
  bool begin() override {
    if (left_-- == 0) return false;
    // The fewer changes the likelier is each place of them: all depths are tried.
    changes_.resize(random_.below(max_changes_ + 1));
    for (uint64_t& change : changes_) change = random_.below(longest_);
    std::iota(priorities_.begin(), priorities_.end(), 1);
    for (size_t i = priorities_.size(); i > 1; --i)
      std::swap(priorities_[i - 1], priorities_[random_.below(i)]);
    lowest_ = 0;
    return true;
  }
  unsigned choose(const Decision& decision) override {
    longest_ = std::max(longest_, decision.number + 1);
    const bool changes = std::ranges::find(changes_, decision.number) != changes_.end();
    if ((changes || decision.gives_way) && decision.current != kNobody)
      priorities_[decision.current] = --lowest_;
    unsigned best = kNobody;
    for (uint32_t options = decision.options; options; options &= options - 1) {
      const auto each = static_cast<unsigned>(std::countr_zero(options));
      if (best == kNobody || priorities_[each] > priorities_[best]) best = each;
    }
    if (best == kTime) priorities_[kTime] = --lowest_;  // else time would pass up to the horizon at once
    return best;
  }

 private:
  Random random_;
  uint64_t left_;
  const unsigned max_changes_;
  uint64_t longest_ = 16;  // decisions of the longest schedule so far
  std::vector<uint64_t> changes_;
  std::array<int, 32> priorities_{};
  int lowest_ = 0;
};

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(unsigned preemptions, uint64_t schedules = UINT64_MAX) noexcept
      : bound_(preemptions), left_(schedules) {}
  bool begin() override {
    if (places_.has_grown()) {
      path_.clear();
      seen_.clear();
    } else if (started_ && !backtrack()) {
      if (preemptions_ == bound_) {
        complete_ = true;
        return false;
      }
      ++preemptions_;
      seen_.clear();
    }
    started_ = true;
    depth_ = 0;
    is_known_ = false;
    return left_-- != 0;
  }
  unsigned choose(const Decision& decision) override {
    if (depth_ < path_.size()) return path_[depth_++].chosen;
    if (is_known_) return decision.usual;
    const unsigned spent = path_.empty() ? 0 : path_.back().spent + cost(path_.back(), path_.back().chosen);
    // All that can follow has been, or is being, explored with as many preemptions left.
    const auto [known, is_new] = seen_.try_emplace(decision.state, spent);
    if (!is_new && known->second <= spent) {
      is_known_ = true;
      return decision.usual;
    }
    known->second = spent;
    const uint32_t others = decision.options & ~(uint32_t{1} << decision.usual);
    path_.push_back(
        {others, decision.current != kNobody && !decision.gives_way, decision.usual, decision.usual, spent});
    ++depth_;
    return decision.usual;
  }
  Places* places() override { return &places_; }
  /// Every schedule within the bound has been explored.
  bool is_complete() const noexcept { return complete_; }

 private:
  struct Node {
    uint32_t others;   // not tried yet
    bool could_go_on;  // so that another choice preempts
    unsigned usual, chosen;
    unsigned spent;  // preemptions before
  };
  static unsigned cost(const Node& node, unsigned choice) noexcept {
    return choice != node.usual && (node.could_go_on || choice == kTime) ? 1 : 0;
  }
  /// To the last decision that has another choice within the bound.
  bool backtrack() {
    while (!path_.empty()) {
      Node& node = path_.back();
      while (node.others) {
        node.chosen = static_cast<unsigned>(std::countr_zero(node.others));
        node.others &= node.others - 1;
        if (node.spent + cost(node, node.chosen) <= preemptions_) return true;
      }
      path_.pop_back();
    }
    return false;
  }

  const unsigned bound_;
  uint64_t left_;
  unsigned preemptions_ = 0;
  bool started_ = false, complete_ = false, is_known_ = false;
  Places places_;
  std::vector<Node> path_;
  size_t depth_ = 0;
  std::unordered_map<uint64_t, unsigned> seen_;
};

class Replay final : public Strategy {
 public:
  explicit Replay(Deviations deviations) noexcept : deviations_(std::move(deviations)) {}
  bool begin() override { return !std::exchange(done_, true); }
  unsigned choose(const Decision& decision) override {
    if (next_ == deviations_.size() || deviations_[next_].number != decision.number) return decision.usual;
    const unsigned choice = deviations_[next_++].choice;
    return choice < 32 && (decision.options >> choice & 1) ? choice : decision.usual;
  }

 private:
  const Deviations deviations_;
  size_t next_ = 0;
  bool done_ = false;
};

}  // namespace berth::schedule
