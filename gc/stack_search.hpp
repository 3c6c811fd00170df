// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StackSearch: finds out in which ranges of code a frame may lie, without a stop and without waiting. For
// code that nobody can enter any more: it is in no slot, and who got its entry by a look-up has polled since,
// or holds a reference, which its owner asks about.
//
//   state      | advance(): all asked have shown their stacks | some have not | a stack is unknown
//   Pending    | Complete                                     | Pending       | Incomplete
//   Complete, Incomplete: final. An incomplete search says nothing; a later one may do better
//
// A running thread shows its stack at its next poll or safe_enter, to whoever advances the search if it is
// safe; agents that are on no thread show the stack they were left on. Words are compared one by one: return
// addresses lie where only unwind tables know, and a word that looks like one only keeps the code a little
// longer. One at a time per collector: of two, both may end incomplete. Cost: each thread looks once through
// its own stack.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "gc/collector.hpp"

namespace berth::gc {

class StackSearch {
 public:
  /// A return address lies strictly between, so that pointers to the start, which are many, hold nothing: a
  /// call is not the last instruction.
  struct Range {
    uintptr_t low, high;
    bool is_held = false;
  };
  enum class State : uint8_t { Pending, Complete, Incomplete };

  /// The ranges do not overlap. Threads: any. Blocks: never. GC: any, kept. Owns: ranges consumed.
  StackSearch(Collector& collector, std::vector<Range> ranges);
  /// Takes its requests back. Threads: one at a time. Blocks: may wait, for a stop. GC: must be safe, or not
  /// attached. As advance.
  ~StackSearch();
  StackSearch(const StackSearch&) = delete;
  StackSearch& operator=(const StackSearch&) = delete;

  /// The first call asks all threads. As above.
  State advance();
  /// By address. Once the search has ended.
  const std::vector<Range>& ranges() const noexcept { return ranges_; }

 private:
  struct Requests;
  void ask();
  void show(Thread& thread);
  void scan(uintptr_t low, uintptr_t high) noexcept;

  Collector& collector_;
  std::vector<Range> ranges_;  // is_held: under the collector's list of agents
  std::unique_ptr<Requests> requests_;
};

}  // namespace berth::gc
