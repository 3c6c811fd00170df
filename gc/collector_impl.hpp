// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collector::Impl: the collector's state, by file:
//   collector.cpp   attach, detach, collect, mark, sweep   stop.cpp    raise, wait for all, resume; being
//   held handshake.cpp   a function run for one thread          stacks.cpp  the list of agents;
//   stack_search.cpp
//                                                                      looks through their stacks
#pragma once
#include <array>
#include <string>
#include <unordered_set>
#include <vector>

#include "gc/collector.hpp"
#include "gc/heap_impl.hpp"
#include "gc/safe_mutex.hpp"
#include "gc/stress.hpp"
#include "support/metrics.hpp"

namespace berth::gc {

inline constexpr Rank kRankAgents{440, "agent list"};
inline constexpr Rank kRankParkerList{410, "parker list"};
inline constexpr Rank kRankHistory{500, "stop history"};
inline constexpr size_t kHistory = 16;
inline constexpr auto kWaitSlice =
    std::chrono::milliseconds(100);  // glibc 2.36 can lose a wake-up (bug 25847)

inline uint64_t since_ns(sync::TimePoint begin) noexcept {
  return static_cast<uint64_t>(std::chrono::nanoseconds(sync::Clock::now() - begin).count());
}

/// One asker's request; it lives on that thread's stack. Everything is guarded by the handshake mutex.
///
///   state   | the target polls | the asker finds it Safe | the target detaches
///   Pending | Done             | Done                    | Gone
struct Handshake {
  const std::function<void(Thread&)>& function;
  enum class State : uint8_t { Pending, Done, Gone } state = State::Pending;
  Handshake* next = nullptr;

  /// Ends all requests of `target`.
  static void end_all(Thread& target, State state) noexcept {
    while (Handshake* request = target.handshakes) {
      target.handshakes = request->next;
      if (state == State::Done) request->function(target);
      request->state = state;
    }
  }
};

/// A thread that a stop waits for since more than a second.
struct LateThread {
  uint64_t id = 0;
  const char* last_transition = nullptr;
  uint64_t late_ns = 0;
};

struct Collector::Impl {
  explicit Impl(const CollectorOptions& options);

  mutable sync::Mutex registry{kRankRegistry};
  std::vector<Thread*> threads BERTH_GUARDED_BY(registry);
  std::vector<CollectionClient*> clients BERTH_GUARDED_BY(registry);
  uint64_t next_id BERTH_GUARDED_BY(registry) = 1;

  // Raised and lowered seq_cst under stop_mutex; leave reads seq_cst (store-buffer pattern with the thread's
  // state).
  sync::Atomic<uint32_t> stop{0};
  // The thread that collects. CAS acq_rel, read acquire: the next owner sees the last one's heap.
  sync::Atomic<Thread*> owner{nullptr};
  // Tickets. acq_rel, read acquire: a requester sees the swept heap.
  sync::Atomic<uint64_t> requested{0}, completed{0};
  sync::Atomic<uint64_t> collections{0};

  sync::Mutex stop_mutex{kRankStop};
  sync::Condition arrived;  // for the collector: threads that stopped, or went on
  sync::Condition resumed;  // for all others: the stop ended, help is wanted, ownership is free
  // Threads held at a poll or leave that have not gone on; a new stop waits for 0.
  sync::Atomic<uint32_t> held{
      0};  // raised before the thread counts as stopped, lowered under stop_mutex: acq_rel
  bool help_wanted BERTH_GUARDED_BY(stop_mutex) = false;

  sync::Mutex handshake_mutex{kRankHandshake};
  sync::Condition handshaken;

  sync::Mutex agents_mutex{kRankAgents};
  std::vector<Agent*> agents BERTH_GUARDED_BY(agents_mutex);
  uint64_t stack_pass BERTH_GUARDED_BY(agents_mutex) = 0;
  sync::Mutex parkers_mutex{kRankParkerList};
  Parker* parkers BERTH_GUARDED_BY(parkers_mutex) = nullptr;

  MarkPhase mark;
  std::unordered_set<const void*> pinned;  // in this collection, under stress mode `move`; the collector's

  metrics::Counter misuses, late, recruited, recovered, failed;
  metrics::Histogram asked_to_raised, time_to_safepoint, stopped_to_resumed;
  mutable sync::Mutex history_mutex{kRankHistory};
  std::array<StopRecord, kHistory> history BERTH_GUARDED_BY(history_mutex);
  uint64_t num_stops BERTH_GUARDED_BY(history_mutex) = 0;
  std::vector<LateThread> late_threads BERTH_GUARDED_BY(history_mutex);  // of the stop that waits now

  /// Waits for a notification, at most a slice. Of `done`, which the lock guards, a whole slice without one
  /// is a lost one.
  template <class Done>
  void wait_slice(sync::Condition& condition, sync::Lock& lock, Done done) {
    if (!condition.wait_until(lock, sync::Clock::now() + kWaitSlice) && done()) recovered.add();
  }
  static void notify(sync::Condition& condition) noexcept {
    if (!stress::is_due(stress::Mode::LoseNotify)) condition.notify_all();
  }
  bool try_own(Thread& thread) {
    Thread* none = nullptr;
    return owner.compare_exchange_strong(none, &thread, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  void register_agent(Collector& collector, Agent& agent);
  void collect_stopped(Collector& collector, StopRecord& record) BERTH_REQUIRES(registry);
  void mark_and_process(Collector& collector, StopRecord& record) BERTH_REQUIRES(registry);
  void visit_ephemerons(Heap::Impl& heap, Marker& marker) BERTH_REQUIRES(registry);
  void drain(Heap::Impl& heap, Marker& marker) {
    mark.drain(marker, [&](const std::function<void(Object*)>& visit) { heap.walk_marked(visit); });
  }
  void visit_roots(SlotVisitor& visitor) BERTH_REQUIRES(registry);
  void sweep_clients(const Heap::Impl& heap) BERTH_REQUIRES(registry);
  bool asked_live(const Heap::Impl& heap, const void* pointer);
  void ask_for_help(Collector& collector, unsigned n);
  void record(const StopRecord& stop, Trace* trace, sync::TimePoint asked);

  class Ownership;
  class Stop;
};

/// Being the collector: step 2 to 6.
class Collector::Impl::Ownership {
 public:
  explicit Ownership(Impl& impl) noexcept : impl_(impl) {}
  ~Ownership() {
    impl_.owner.store(nullptr, std::memory_order_release);
    const sync::Lock lock(impl_.stop_mutex);  // who looked at the owner before is asleep by now
    notify(impl_.resumed);
  }
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

 private:
  Impl& impl_;
};

/// Steps 2 to 4, and 6 when it ends: all threads of the registry, which the caller has locked, are stopped
/// meanwhile.
class Collector::Impl::Stop {
 public:
  Stop(Impl& impl, Trace* trace, sync::TimePoint asked, StopRecord& record) BERTH_REQUIRES(impl.registry);
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;
  /// The collection that began after these tickets is complete.
  void complete(uint64_t ticket) noexcept { ticket_ = ticket; }

 private:
  void raise();
  void wait_for(std::vector<Thread*>& pending);
  void name_late(const std::vector<Thread*>& pending) noexcept;

  Impl& impl_;
  Trace* trace_;
  StopRecord& record_;
  uint64_t ticket_ = 0;
  sync::TimePoint asked_, stopped_{};
};

}  // namespace berth::gc
