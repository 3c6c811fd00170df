// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MarkPhase: parallel marking. Marker: one participant, with a private stack and a deque that others steal
// from.
//
//   word                  | join            | open        | close
//   closed, none joined   | refused         | open        | -
//   open, n joined        | open, n + 1     | -           | closed, n joined
//   closed, n joined      | refused         | -           | waits until each has left
//
// The collector starts alone; others join by a compare-and-swap on (phase, busy, joined, open). While
// somebody has joined, a marker keeps entries of its stack in its deque. A marker that may have work is
// counted as busy: before it looks for some elsewhere it has emptied its stack and deque, and it counts as
// busy again before it steals; so nothing is left once none is busy. A full stack sets a flag and the heap is
// scanned again for marked objects. No recursion. Rank: 460, what idle markers sleep on, a leaf of the
// collector.
#pragma once
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "gc/mark_deque.hpp"
#include "gc/type.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"
#include "support/sync.hpp"

namespace berth::gc {

inline constexpr Rank kRankMarkIdle{460, "idle markers"};

class MarkPhase;

class Marker final : public SlotVisitor {
 public:
  /// `index` is the number of its deque: 0 the collector's.
  explicit Marker(MarkPhase& phase, unsigned index = 0);
  ~Marker();
  /// Marks what the slot refers to, soon: until then its header is on the way into the cache.
  void visit(Object** slot) override {
    // The world is stopped; atomic, since the mutator's barrier stores atomically.
    Object* object = std::atomic_ref<Object*>(*slot).load(std::memory_order_relaxed);
    if (!object) return;
    __builtin_prefetch(object, 1);
    if (num_visited_ - num_marked_ == ahead_.size()) mark_oldest();
    ahead_[num_visited_++ % ahead_.size()] = object;
  }
  void mark(Object* object) {
    if (!object) return;
    const uint64_t seen = object->header.load(std::memory_order_relaxed);
    if (seen & (Object::kMark | Object::kPermanent)) return;
    latch::reach("gc-mark-object", object);
    if (!set_mark(object, seen)) return;
    count(object, seen);
    if (reinterpret_cast<const Type*>(seen & Object::kTypeMask)->has_references) push(Entry::of(object, 0));
  }
  /// Marks the object alone, not what it refers to.
  void mark_alone(Object* object) {
    const uint64_t seen = object->header.load(std::memory_order_relaxed);
    if (set_mark(object, seen)) count(object, seen);
  }
  /// Pushes what the object refers to.
  void scan(Object* object) { scan(Entry::of(object, 0)); }
  /// Until all that was visited is marked, and the own stack and deque are empty.
  void run();

 private:
  friend class MarkPhase;
  /// An object and the piece of its elements at which to go on: one word, so that a deque holds it in an
  /// atomic.
  struct Entry {
    uint64_t word = 0;
    static Entry of(Object* object, uint64_t piece) noexcept {
      return {reinterpret_cast<uint64_t>(object) | piece << 48};
    }
    Object* object() const noexcept { return reinterpret_cast<Object*>(word & 0x0000'ffff'ffff'ffff); }
    uint64_t piece() const noexcept { return word >> 48; }
  };
  /// True for the one marker that set it.
  static bool set_mark(Object* object, uint64_t seen) noexcept {
    if (mutant::is_on("G31_plain_mark_bit")) {
      object->header.store(seen | Object::kMark, std::memory_order_relaxed);
      return true;
    }
    // Relaxed read-modify-write: each object is pushed by one marker; the phase publishes.
    return (object->header.fetch_or(Object::kMark, std::memory_order_relaxed) & Object::kMark) == 0;
  }
  void push(Entry entry);
  void scan(Entry entry);
  void scan_elements(Object* object, const Type* type, uint64_t piece);
  void count(Object* object, uint64_t header);
  void share();
  void mark_oldest() { mark(ahead_[num_marked_++ % ahead_.size()]); }
  void drop_all() noexcept;

  MarkPhase& phase_;
  MarkDeque& deque_;
  // A queue of what was visited and not yet marked. Without it each mark waits for a miss (Cher, Hosking and
  // Vitek, "Software prefetching for mark-sweep garbage collection", ASPLOS 2004).
  std::array<Object*, 16> ahead_{};
  size_t num_visited_ = 0, num_marked_ = 0;
  std::vector<Entry> stack_;
  size_t base_ = 0;  // entries below it were moved to the deque
  uint64_t live_bytes_ = 0;
};

class MarkPhase {
 public:
  MarkPhase(unsigned max_markers, size_t stack_limit);

  /// Threads: the collector, world stopped. `ask_for_help` is called once, as soon as over 1,024 objects wait
  /// to be marked.
  void open(std::function<void(unsigned)> ask_for_help);
  /// Until nothing is left to mark, by whoever marks; `walk` calls its argument for every marked object of
  /// the heap. Throws what a trace function threw, on whichever thread.
  void drain(Marker& marker, const std::function<void(const std::function<void(Object*)>&)>& walk);
  /// Refuses joins and waits for those that joined.
  void close();
  /// Joins the open phase and marks until it closes. False if none is open or enough joined.
  /// Threads: any, stopped (Waiting). Blocks: may wait, for the end of the phase.
  bool help();

  uint64_t live_bytes() const noexcept { return live_bytes_.load(std::memory_order_relaxed); }
  bool is_idle() const noexcept {
    return (word_.load(std::memory_order_acquire) & (kOpen | kJoinedMask)) == 0;
  }
  uint64_t num_helped() const noexcept { return helped_.load(std::memory_order_relaxed); }
  /// Waits whose notification was lost.
  uint64_t num_recovered() const noexcept { return recovered_.load(std::memory_order_relaxed); }

 private:
  friend class Marker;
  static constexpr uint64_t kOpen = 1, kJoined = 2, kJoinedMask = 0xfffe, kBusy = 0x1'0000,
                            kBusyMask = 0xffff'0000, kPhase = 0x1'0000'0000;
  static unsigned joined(uint64_t word) noexcept {
    return static_cast<unsigned>((word & kJoinedMask) / kJoined);
  }

  unsigned join() noexcept;
  bool find_work(Marker& marker);
  bool steal_into(Marker& marker);
  bool has_work() const noexcept;
  bool is_over(const Marker& marker) const noexcept;
  bool has_helpers() const noexcept { return joined(word_.load(std::memory_order_relaxed)) != 0; }
  void ask_for_help(size_t waiting);
  void leave_busy() noexcept;
  void wake_idle() noexcept;
  void sleep(const Marker& marker);
  template <class Done>
  void wait(sync::Lock& lock, Done done);
  void notify_idle() noexcept;

  const unsigned max_markers_;
  const size_t stack_limit_;
  const std::unique_ptr<MarkDeque[]> deques_;  // of the collector, then of those that joined, in that order
  std::function<void(unsigned)> ask_for_help_;
  // (phase, busy, joined, open). CAS and read-modify-writes seq_cst: who joins sees the mark state, who finds
  // none busy sees all marks, and of a marker that goes to sleep and one that leaves it nothing to wait for,
  // one sees the other (with `idle_`).
  sync::Atomic<uint64_t> word_{0};
  sync::Atomic<unsigned> idle_{0};      // markers asleep, or about to: seq_cst, as above
  sync::Atomic<bool> asked_{false};     // in this phase: once, relaxed
  sync::Atomic<bool> overflow_{false};  // set by markers, read by the collector after they are idle: relaxed
  sync::Atomic<uint64_t> live_bytes_{0}, helped_{0}, recovered_{0};  // sums: relaxed
  sync::Mutex mutex_{kRankMarkIdle};
  sync::Condition changed_;
  std::exception_ptr failure_ BERTH_GUARDED_BY(mutex_);  // the first one of those that joined
};

}  // namespace berth::gc
