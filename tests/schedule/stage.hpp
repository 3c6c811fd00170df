// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage: the engine of one schedule and the threads that race in it. Setting up and taking down are quiet:
// only what lies between go() and the end of a body is explored.
//
//   Stage stage;
//   stage.thread("holder", [&](gc::Thread& self) { Lease lease = ...; stage.go(); ... });
//   stage.run();    // attaches each, runs the bodies to go(), explores, detaches, checks for rests
//
// explore_target(): runs it with the counts of CI or of the night, and fails the test with what replays the
// schedule.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "berth/schedule.hpp"
#include "engine/engine_impl.hpp"
#include "gc/thread.hpp"

namespace berth::test {

using engine::Engine;
using engine::EngineOptions;
using engine::Key;
using engine::Lease;
using engine::Need;
using engine::Outcome;
using engine::Reservation;
using engine::ReserveOptions;
using engine::SourcePtr;
using schedule::check;

/// A key of that shard. Made-up addresses: the same in each process, as a schedule that is replayed needs.
inline Key key_in(unsigned shard, unsigned n = 0) {
  for (uintptr_t method = 0x1000;; method += 16) {
    const Key key{reinterpret_cast<const void*>(method), nullptr};
    if (engine::ReservationTable::hash(key) >> (64 - engine::ReservationTable::kShardBits) == shard &&
        n-- == 0)
      return key;
  }
}
inline void* entry_of(uintptr_t n) { return reinterpret_cast<void*>(0x100000 + n); }
inline SourcePtr native(void* entry) {
  auto source = std::make_unique<engine::Source>();
  source->body = std::make_unique<engine::NativeBody>(entry);
  return source;
}

class Stage {
 public:
  using Body = std::function<void(gc::Thread&)>;

  explicit Stage(EngineOptions options = {}) {
    options.compile_threads = 0;
    options.compile_threads_set = true;
    if (options.collector.mark_threads == 0) options.collector.mark_threads = 1;
    engine_ = Engine::make(options).assume_value();
  }

  Engine* operator->() { return engine_.get(); }
  Engine& operator*() { return *engine_; }
  engine::Engine::Impl& impl() { return engine_->impl(); }
  gc::Collector& collector() { return engine_->collector(); }

  /// Attached. The body calls go() once.
  void thread(std::string name, Body body) { actors_.push_back({std::move(name), std::move(body), true}); }
  /// Not attached; the body gets no record.
  void stranger(std::string name, std::function<void()> body) {
    actors_.push_back({std::move(name), [body = std::move(body)](gc::Thread&) { body(); }, false});
  }
  /// Returns when all threads are here.
  void go() {
    schedule::Scheduler& scheduler = *schedule::Scheduler::current();
    if (++ready_ == actors_.size()) {
      quiet_.reset();
      scheduler.wake(&ready_, true);
    } else {
      scheduler.block(&ready_, schedule::TimePoint::max(), "go", schedule::Where::current());
    }
  }
  void run() {
    {
      std::vector<schedule::Thread> threads;
      for (const Actor& actor : actors_) threads.emplace_back([&] { play(actor); }, actor.name);
    }
    check(ready_ == actors_.size(), "a body of the test does not call go()");
    check_rest();
  }

  // What bodies do. All check that a key has one registered holder.
  Lease take(gc::Thread& self, Key key, const ReserveOptions& options = {}) {
    Result<Reservation> got = engine_->reserve(self, key, options);
    check(got.has_value(), "a reserve fails");
    check(got.assume_value().outcome != Outcome::Published, "a result where there is none");
    return note(key, got.assume_value());
  }
  /// Null: TIMED_OUT, CANCELLED or SHUT_DOWN, as `code` says.
  Result<Reservation> try_take(gc::Thread& self, Key key, const ReserveOptions& options) {
    Result<Reservation> got = engine_->reserve(self, key, options);
    if (got.has_value()) note(key, got.assume_value());
    return got;
  }
  void give(gc::Thread& self, Lease lease, SourcePtr source = nullptr) {
    check(try_give(self, lease, std::move(source)), "a release fails");
  }
  /// False: the lease was stale.
  bool try_give(gc::Thread& self, Lease lease, SourcePtr source = nullptr) {
    forget(lease);
    const Result<void> released = engine_->release(self, lease, std::move(source));
    if (released.has_value()) return true;
    check(released.assume_error().code() == BERTH_STALE_LEASE, "a release fails otherwise than as stale");
    return false;
  }
  /// The lease may end elsewhere from now on: by its time-out, a sweep, another thread.
  void forget(Lease lease) {
    std::erase_if(holders_, [&](const auto& each) { return each.second.instance == lease.instance; });
  }
  static std::string code_of(const Result<Reservation>& got) {
    return std::to_string(got.assume_error().code());
  }

 private:
  struct Actor {
    std::string name;
    Body body;
    bool attached;
  };

  void play(const Actor& actor) {
    gc::Thread* self = nullptr;
    if (actor.attached) {
      self = engine_->attach().assume_value();
      self->agent->name = actor.name;
    }
    gc::Thread none;
    actor.body(self ? *self : none);
    // Safe until the others have ended, or a stop would wait for this thread.
    const gc::State state = self ? self->safe_enter() : gc::State::Safe;
    schedule::Scheduler& scheduler = *schedule::Scheduler::current();
    if (++done_ == actors_.size()) {
      quiet_.emplace();
      scheduler.wake(&done_, true);
    } else {
      scheduler.block(&done_, schedule::TimePoint::max(), "the others' end", schedule::Where::current());
    }
    if (!self) return;
    self->safe_leave(state);
    engine_->detach(*self);
  }
  Lease note(Key key, const Reservation& reservation) {
    if (reservation.outcome != Outcome::Reserved) return reservation.lease;
    check(!holders_.contains(key.method), "two registered holders of one key");
    holders_[key.method] = reservation.lease;
    return reservation.lease;
  }
  void check_rest() {
    engine::Engine::Impl& impl = engine_->impl();
    impl.bury();
    const auto totals = impl.agents.totals();
    berth_engine_counts_t counts{};
    counts.struct_size = sizeof counts;
    engine_->counts(counts);
    check(totals.leases == 0, "a lease is left");
    check(impl.num_waiting.load() == 0, "a waiter is left");
    check(counts.reserved + counts.cycle + counts.reentrant == totals.released + counts.abandoned,
          "leases are not conserved");
    check(counts.recovered == 0, "a notification was lost and recovered");
    check(schedule::Clock::now() - begin_ < gc::kParkSlice,
          "a wait lasted for a whole slice: a wake-up was lost");
    check(collector().is_idle(), "a word of the collector is not idle");
    for (unsigned i = 0; i < engine::ReservationTable::kShards; ++i) {
      impl.table.for_each_slot(impl.table.shard_at(i), [](engine::Slot& slot, size_t) {
        check(slot.hold.load() == 0, "a key is still held");
        check(!slot.queue, "a queue is not empty");
      });
    }
  }

  std::optional<schedule::Quiet> quiet_{std::in_place};
  const schedule::TimePoint begin_ = schedule::Clock::now();
  std::unique_ptr<Engine> engine_;
  std::vector<Actor> actors_;
  size_t ready_ = 0, done_ = 0;
  std::map<const void*, Lease> holders_;
};

inline bool is_nightly() { return std::getenv("BERTH_NIGHTLY") != nullptr; }

/// One target. Priorities and RandomWalk: 10^5 schedules at night, a share of them in CI; Exhaustive: one
/// preemption more at night. Less under AddressSanitizer, which maps memory for each fibre.
inline void explore_target(schedule::Options options, const std::function<void()>& body) {
#if defined(BERTH_SCHEDULE_ASAN)
  constexpr bool kSlow = true;
#else
  constexpr bool kSlow = false;
#endif
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  options.name = test.name();
  const bool exhaustive = options.search == schedule::Search::Exhaustive;
  if (exhaustive) {
    if (is_nightly()) ++options.preemptions;
    if (kSlow) options.preemptions = 1;
    options.schedules = 0;
  } else {
    options.schedules = 100'000 / (kSlow ? 200 : is_nightly() ? 1 : 10);
  }
  // A thread of its own: the collector asks for the native stack at each attach, which costs a file to read
  // on the main one.
  schedule::Report report;
  std::thread([&] { report = schedule::explore(options, body); }).join();
  std::printf(
      "%s: %llu schedules%s, at most %llu decisions in one\n", test.name(),
      static_cast<unsigned long long>(report.schedules),
      exhaustive ? (", all with up to " + std::to_string(options.preemptions) + " preemptions").c_str() : "",
      static_cast<unsigned long long>(report.decisions));
  if (report.failure) ADD_FAILURE() << report.failure->text;
  if (exhaustive && !report.failure) {
    EXPECT_TRUE(report.exhausted || std::getenv("BERTH_SCHEDULE_REPLAY"));
  }
}

}  // namespace berth::test
