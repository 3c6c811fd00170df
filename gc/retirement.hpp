// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Retirement: frees code once no frame lies in it, without a stop. For code that nobody can enter any more: it is in no slot, and who
// got its entry by a look-up has polled since, or holds a reference, which its owner asks about before it retires the code.
//
//   range | retire | reclaim: no stack holds an address of it | reclaim: some does, or a stack is unknown
//   -     | Limbo  | -                                        | -
//   Limbo | -      | freed                                    | Limbo
//
// Stacks are scanned word by word (Collector::for_each_stack): return addresses lie at addresses that only unwind tables know, and
// a word that looks like one only keeps the code a little longer.
// Rank: 90, a SafeMutex. Cost: retire a push; reclaim one pass over all stacks, for all ranges together, nothing while none is in limbo.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "gc/collector.hpp"
#include "gc/safe_mutex.hpp"

namespace berth::gc {

inline constexpr Rank kRankRetirement{90, "code retirement"};

class Retirement {
 public:
  explicit Retirement(Collector& collector) noexcept : collector_(collector) {}
  Retirement(const Retirement&) = delete;
  Retirement& operator=(const Retirement&) = delete;

  /// Puts [low, high) into limbo; a return address lies strictly between, so that pointers to the start, which are many, hold nothing: a
  /// call is not the range's last instruction. `free` runs once, in some reclaim, with no lock held but `thread` as it is there; not at all if
  /// this object ends before. Threads: attached. Blocks: short. GC: any, kept.
  void retire(Thread& thread, uintptr_t low, uintptr_t high, std::function<void()> free);
  /// Frees what no stack holds; how many. Threads: attached. Blocks: may wait, for each other thread's next poll or safe_enter. GC: any,
  /// kept; safe while waiting.
  size_t reclaim(Thread& thread);
  /// Threads: attached. Blocks: short. GC: any, kept.
  size_t num_limbo(Thread& thread);

 private:
  struct Range {
    uintptr_t low, high;
    std::function<void()> free;
    bool is_held = false;  // in the pass that runs
  };
  static void scan(uintptr_t low, uintptr_t high, std::vector<Range>& ranges) noexcept;

  Collector& collector_;
  SafeMutex mutex_{kRankRetirement};
  std::vector<Range> limbo_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::gc
