// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MarkPhase: parallel marking. Marker: one participant, with a stack of its own.
//
//   word                  | join            | leave      | open        | close
//   closed, none joined   | refused         | -          | open        | -
//   open, n joined        | open, n + 1     | open, n-1  | -           | closed, n joined
//   closed, n joined      | refused         | closed,n-1 | -           | waits for n = 0
//
// The collector starts alone. Others join by a compare-and-swap on (phase, joined); work is shared as chunks in one pool, and a
// marker shares only while somebody is hungry. A full stack sets a flag and the heap is scanned again for marked objects.
// Rank: 460 pool, a leaf of the collector.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "gc/type.hpp"
#include "support/sync.hpp"

namespace berth::gc {

inline constexpr Rank kRankMarkPool{460, "mark pool"};

class MarkPhase;

class Marker final : public SlotVisitor {
 public:
  explicit Marker(MarkPhase& phase);
  ~Marker();
  void visit(Object** slot) override {
    // The world is stopped; atomic, since the mutator's barrier stores atomically.
    mark(std::atomic_ref<Object*>(*slot).load(std::memory_order_relaxed));
  }
  void mark(Object* object) {
    if (!object) return;
    if (object->header.load(std::memory_order_relaxed) & (Object::kMark | Object::kPermanent)) return;
    // Relaxed read-modify-write: each object is pushed by one marker; the phase publishes.
    const uint64_t before = object->header.fetch_or(Object::kMark, std::memory_order_relaxed);
    if (before & Object::kMark) return;
    count(object);
    if (reinterpret_cast<const Type*>(before & Object::kTypeMask)->has_references) push({object, 0});
  }
  /// Marks the object alone, not what it refers to.
  void mark_alone(Object* object) {
    object->header.fetch_or(Object::kMark, std::memory_order_relaxed);
    count(object);
  }
  /// Pushes what the object refers to.
  void scan(Object* object) { scan(Entry{object, 0}); }
  /// Until the own stack is empty.
  void run();

 private:
  friend class MarkPhase;
  struct Entry {
    Object* object;
    uint64_t first;  // element at which to go on
  };
  void push(Entry entry);
  void scan(Entry entry);
  void count(Object* object);
  void share();

  MarkPhase& phase_;
  std::vector<Entry> stack_;
  uint64_t live_bytes_ = 0;
  bool asked_for_help_ = false;
};

class MarkPhase {
 public:
  MarkPhase(unsigned max_markers, size_t stack_limit) noexcept : max_markers_(max_markers), stack_limit_(stack_limit) {}

  /// Threads: the collector, world stopped. `ask_for_help` is called (often) when work could be shared.
  void open(std::function<void(unsigned)> ask_for_help);
  /// Until nothing is left to mark, by whoever marks; `walk` calls its argument for every marked object of the heap.
  void drain(Marker& marker, const std::function<void(const std::function<void(Object*)>&)>& walk);
  /// Refuses joins and waits for those that joined.
  void close();
  /// Joins the open phase and marks until it closes. False if none is open or enough joined.
  /// Threads: any, stopped (Waiting). Blocks: may wait, for the end of the phase.
  bool help();

  uint64_t live_bytes() const noexcept { return live_bytes_.load(std::memory_order_relaxed); }
  bool is_idle() const noexcept { return (word_.load(std::memory_order_acquire) & (kOpen | kJoinedMask)) == 0; }
  uint64_t num_helped() const noexcept { return helped_.load(std::memory_order_relaxed); }

 private:
  friend class Marker;
  static constexpr uint64_t kOpen = 1, kJoined = 2, kJoinedMask = 0xfffe, kPhase = 0x10000;
  using Chunk = std::vector<Marker::Entry>;

  bool join() noexcept;
  bool wants_help() const noexcept { return (word_.load(std::memory_order_relaxed) & kJoinedMask) / kJoined + 1 < max_markers_; }
  void wait(sync::Lock& lock);

  const unsigned max_markers_;
  const size_t stack_limit_;
  std::function<void(unsigned)> ask_for_help_;
  // (phase, joined, open): CAS acq_rel, read acquire: who joins sees the mark state.
  sync::Atomic<uint64_t> word_{0};
  sync::Atomic<unsigned> hungry_{0};    // helpers without work: a hint, relaxed
  sync::Atomic<bool> overflow_{false};  // set by markers, read by the collector after they are idle: relaxed
  sync::Atomic<uint64_t> live_bytes_{0}, helped_{0};  // sums: relaxed
  sync::Mutex mutex_{kRankMarkPool};
  sync::Condition changed_;
  std::vector<Chunk> pool_ BERTH_GUARDED_BY(mutex_);
  unsigned active_ BERTH_GUARDED_BY(mutex_) = 0;  // markers with work of their own
  bool closed_ BERTH_GUARDED_BY(mutex_) = true;
};

}  // namespace berth::gc
