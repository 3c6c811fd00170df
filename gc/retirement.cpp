// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/retirement.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::gc {

void Retirement::retire(Thread& thread, uintptr_t low, uintptr_t high, std::function<void()> free) {
  const SafeMutex::Guard guard(thread, mutex_);
  limbo_.push_back({low, high, std::move(free)});
}

size_t Retirement::num_limbo(Thread& thread) {
  const SafeMutex::Guard guard(thread, mutex_);
  return limbo_.size();
}

// Other code's frames: padding and, in sanitizer builds, words that are not ours to read; of a Safe thread words that it writes now,
// in frames that are not generated code's. An old or torn one of those says nothing about generated code.
__attribute__((no_sanitize("address", "thread"), noinline))
void Retirement::scan(uintptr_t low, uintptr_t high, std::vector<Range>& ranges) noexcept {
  constexpr uintptr_t kWord = sizeof(uintptr_t);
  for (uintptr_t at = (low + kWord - 1) & ~(kWord - 1); at + kWord <= high; at += kWord) {
    const uintptr_t word = *reinterpret_cast<const uintptr_t*>(at);
    for (size_t i = 0; i < ranges.size(); ++i) {
      Range& range = ranges.data()[i];
      if (range.low < word && word < range.high) range.is_held = true;
    }
  }
}

size_t Retirement::reclaim(Thread& thread) {
  std::vector<Range> candidates;
  {
    // Only what was retired before the pass began: a frame in another may be on a stack that has been passed.
    const SafeMutex::Guard guard(thread, mutex_);
    candidates.swap(limbo_);
  }
  if (candidates.empty()) return 0;
  for (Range& range : candidates) range.is_held = false;
  const bool all_seen =
      collector_.for_each_stack(thread, [&](uintptr_t low, uintptr_t high) { scan(low, high, candidates); });
  const auto held = all_seen ? std::partition(candidates.begin(), candidates.end(), [](const Range& range) { return !range.is_held; })
                             : candidates.begin();
  const auto freed = static_cast<size_t>(held - candidates.begin());
  if (held != candidates.end()) {
    const SafeMutex::Guard guard(thread, mutex_);
    limbo_.insert(limbo_.end(), std::make_move_iterator(held), std::make_move_iterator(candidates.end()));
  }
  for (auto range = candidates.begin(); range != held; ++range) range->free();
  return freed;
}

}  // namespace berth::gc
