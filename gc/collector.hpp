// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collector: the registry of attached threads and the stop-the-world protocol; owns the Heap.
//
//   state      | request            | raise                | all stopped | resume
//   Idle       | Stopping (one CAS) | -                    | -           | -
//   Stopping   | waits, own ticket  | Stopping             | Stopped     | -
//   Stopped    | waits              | -                    | -           | Idle; tickets complete
//
// Ranks: 200 registry (held for the whole stop), 205 handshakes, 210 stop wait.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/gc.h"
#include "gc/thread.hpp"
#include "support/result.hpp"
#include "support/trace.hpp"

namespace berth::gc {

class Heap;
class Parker;

inline constexpr Rank kRankRegistry{200, "thread registry"};
inline constexpr Rank kRankHandshake{205, "handshake"};
inline constexpr Rank kRankStop{210, "stop"};

/// What the engine does in a collection. Called with the world stopped; allocates nothing managed, calls no
/// embedder code.
class CollectionClient {
 public:
  /// Ephemerons: visits what instances refer to whose method and owner are marked. Returns whether it visited
  /// anything new.
  virtual bool visit_ephemerons(const std::function<bool(const void*)>& is_marked, SlotVisitor& visitor) = 0;
  /// Strong roots of the floors above (globals, code constants, sources not yet compiled).
  virtual void visit_roots(SlotVisitor& visitor) = 0;
  /// Forgets keys whose method or owner is dead, frees leases whose guard is dead. After weak references are
  /// cleared.
  virtual void sweep(const std::function<bool(const void*)>& is_live) = 0;
  /// After the resume, on the collecting thread: drops payloads of what died.
  virtual void after_resume() = 0;

 protected:
  ~CollectionClient() = default;
};

/// A foreign collector's hooks; see berth_gc_hooks_t for states. All null: Berth's own collector.
struct Hooks {
  berth_gc_hooks_t table{};
  void* context = nullptr;
  bool foreign = false;
};

struct CollectorOptions {
  Hooks hooks;
  unsigned mark_threads = 0;    // 0: cores
  size_t heap_limit_bytes = 0;  // 0: none
  size_t mark_stack_limit = 0;  // entries per marker; 0: none
  Trace* trace = nullptr;       // may be null
};

/// One stop, in nanoseconds.
struct StopRecord {
  uint64_t asked_to_raised = 0, raised_to_stopped = 0, stopped_to_resumed = 0;
  uint64_t mark = 0, weak = 0, sweep = 0;
  uint64_t last_thread = 0;  // id of the thread that stopped last; 0: none had to be waited for
  uint64_t live_bytes = 0;
};

class Collector {
 public:
  explicit Collector(const CollectorOptions& options);
  ~Collector();

  /// Links `thread`, running `agent`. Threads: the one to attach. Blocks: may wait, for a stop. Unsafe
  /// afterwards. Errors: INVALID_ARGUMENT if this native thread is attached already.
  Result<void> attach(Thread& thread, Agent& agent);
  /// Threads: the attached one. Blocks: may wait, for a stop. GC: any. The record is unlinked when this
  /// returns.
  void detach(Thread& thread);
  /// Makes `agent` current on `thread` (null: the thread's own); returns the previous one.
  Result<Agent*> set_agent(Thread& thread, Agent* agent);

  void add_client(CollectionClient* client);
  void remove_client(CollectionClient* client);
  /// Returns when a collection that began after the call is complete. Threads: any attached. Blocks: may
  /// wait. GC: unsafe. Errors: std::bad_alloc and what trace functions and clients throw: nothing was freed,
  /// all words are idle, the next one works.
  void collect(Thread& thread);
  /// The same; false: it failed, which is counted.
  bool try_collect(Thread& thread) noexcept;
  /// Runs `function` for every attached thread with the world stopped. For tests.
  void for_each_thread_stopped(Thread& thread, const std::function<void(Thread&)>& function);
  /// Runs `function` once for the thread of that id: that thread itself at its next poll, or this one while
  /// that thread is Safe and kept from leaving. It is short, takes no lock below the leaves (400), and throws
  /// nothing. False: not attached (any more), or a foreign collector's thread, whose states are unknown here.
  /// Threads: `self`, attached. Blocks: may wait, for the other's next poll or safe_enter. GC: any, kept;
  /// safe while waiting.
  bool handshake(Thread& self, uint64_t id, const std::function<void(Thread&)>& function);

  Heap& heap() noexcept { return *heap_; }
  const Hooks& hooks() const noexcept { return options_.hooks; }
  uint64_t num_collections() const noexcept;
  size_t num_threads() const;
  /// Broken contracts that a release build ignored.
  uint64_t num_misuses() const noexcept;
  void count_misuse() noexcept;
  /// The last stops, at most 16, oldest first. Threads: any, not unsafe. Blocks: may wait, for a stop.
  std::vector<StopRecord> recent_stops() const;
  /// Appends Prometheus text. As above.
  void metrics(std::string& out) const;
  /// Every word and counter of the protocol is at its idle value. For tests, with no collection running.
  bool is_idle() const;

  /// For an agent that ends: takes it off the list of agents. Threads: any. Blocks: short.
  void forget(Agent& agent);
  /// Steps of Thread: of an unsafe thread that found the stop raised: waits for its end in `state` (Waiting:
  /// poll; Safe: leave), returns unsafe.
  void hold(Thread& thread, State state);
  void poll_slow(Thread& thread, uint32_t bits);
  void collect_for_stress(Thread& thread);
  /// Stress mode `handover`: for the engine, between the service of a waiter and its wake-up, no lock held.
  /// Not a poll: runs no finalizer. Threads: any. Blocks: may wait, for a stop. GC: any, kept.
  void collect_at_handover();
  /// Helps to mark, if a phase is open: Safe, Waiting, Safe. Threads: the attached one. GC: must be safe.
  void help_mark(Thread& thread);
  /// Wakes up to `n` parked waiters with kRecruit. Threads: any. Blocks: short. Returns how many.
  size_t recruit(size_t n);
  void link_parker(Parker& parker);
  void unlink_parker(Parker& parker);
  /// For Heap: collects unless a collection began and ended since `seen` (num_collections) was read, or it
  /// fails.
  void collect_after(Thread& thread, uint64_t seen) noexcept;

 private:
  friend class StackSearch;
  template <class Done, class Body>
  void stop_until(Thread& thread, Done done, Body body);
  template <class Done>
  void collect_until(Thread& thread, Done done);
  void after_resume(Thread& thread);
  void serve_handshakes(Thread& thread);
  static void suspend(Thread& thread, Agent& agent) noexcept;
  CollectorOptions options_;
  std::unique_ptr<Heap> heap_;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::gc
