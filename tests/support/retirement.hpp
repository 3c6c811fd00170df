// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Retirement: what a code generator does with gc::StackSearch, as small as it gets: ranges in limbo, freed
// when no stack holds them.
#pragma once
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "gc/stack_search.hpp"
#include "gc/thread.hpp"

namespace berth::test {

class Retirement {
 public:
  explicit Retirement(gc::Collector& collector) : collector_(collector) {}

  void retire(uintptr_t low, uintptr_t high, std::function<void()> free) {
    limbo_.push_back({low, high, std::move(free)});
  }
  /// How many were freed. Waits for the other threads' polls.
  size_t reclaim(gc::Thread& thread) {
    std::vector<gc::StackSearch::Range> ranges;
    for (const Range& range : limbo_) ranges.push_back({range.low, range.high});
    std::vector<std::function<void()>> freed;
    const gc::SafeRegion region(thread);
    gc::StackSearch search(collector_, std::move(ranges));
    gc::StackSearch::State state;
    while ((state = search.advance()) == gc::StackSearch::State::Pending) std::this_thread::yield();
    if (state == gc::StackSearch::State::Incomplete) return 0;
    std::erase_if(limbo_, [&](Range& range) {
      const auto found = std::ranges::find(search.ranges(), range.low, &gc::StackSearch::Range::low);
      if (found->is_held) return false;
      freed.push_back(std::move(range.free));
      return true;
    });
    for (const auto& free : freed) free();
    return freed.size();
  }
  size_t num_limbo() const { return limbo_.size(); }

 private:
  struct Range {
    uintptr_t low, high;
    std::function<void()> free;
  };
  gc::Collector& collector_;
  std::vector<Range> limbo_;
};

}  // namespace berth::test
