// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets of the schedule explorer over the engine: section 7 of the contract page "reservations".
#include <chrono>

#include "engine/cancel.hpp"
#include "tests/schedule/stage.hpp"

namespace berth::test {
namespace {

using namespace std::chrono_literals;
using schedule::Search;

const Key kKey = key_in(0);

/// The usual path needs a spare token and room for a lease: both come with a first reserve.
void warm(Stage& stage, gc::Thread& self) {
  const Key own{reinterpret_cast<const void*>(0x10 + 16 * self.id), nullptr};
  stage.give(self, stage.take(self, own));
}

/// Time-outs of the targets, shorter than the slice of a park: up to here time passes whenever the strategy
/// likes.
constexpr auto kTimeout = 50ms;
schedule::Options with_time() { return {.limits = {.horizon = kTimeout + 10ms}}; }
ReserveOptions with_deadline() {
  ReserveOptions options;
  options.deadline = Deadline::in(std::chrono::nanoseconds(kTimeout).count());
  return options;
}

// Take and queue

void three_take(bool warmed) {
  Stage stage;
  for (const char* name : {"first", "second", "third"}) {
    stage.thread(name, [&](gc::Thread& self) {
      if (warmed) warm(stage, self);
      stage.go();
      const Lease lease = stage.take(self, kKey);
      schedule::hook("work");
      stage.give(self, lease);
    });
  }
  stage.run();
}

TEST(Schedule, R1_three_take_one_key) {
  explore_target({}, [] { three_take(true); });
}

TEST(Schedule, R1_three_make_one_key) {
  explore_target({}, [] { three_take(false); });
}

// Give and W

void give_meets_waiter() {
  Stage stage;
  stage.thread("holder", [&](gc::Thread& self) {
    const Lease lease = stage.take(self, kKey);
    stage.go();
    stage.give(self, lease);
  });
  stage.thread("waiter", [&](gc::Thread& self) {
    warm(stage, self);
    stage.go();
    stage.give(self, stage.take(self, kKey));
  });
  stage.run();
}

TEST(Schedule, R11_give_meets_waiter) {
  explore_target({.search = Search::Exhaustive, .preemptions = 3}, give_meets_waiter);
}

// A waiter finds the result, whatever it meets first: the link, the end of the lease, or the hand-over.
TEST(Schedule, R6_result_meets_waiter) {
  explore_target({.search = Search::Exhaustive, .preemptions = 2}, [] {
    Stage stage;
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease lease = stage.take(self, kKey);
      stage.go();
      stage.give(self, lease, native(entry_of(1)));
    });
    for (const char* name : {"first", "second"}) {
      stage.thread(name, [&](gc::Thread& self) {
        warm(stage, self);
        stage.go();
        const auto got = stage->reserve(self, kKey, {});
        check(got.has_value() && got.assume_value().outcome == Outcome::Published,
              "a result was there, or on its way");
        check(stage->lookup_entry(kKey, 0) == entry_of(1), "another entry");
      });
    }
    stage.run();
  });
}

// Hand-over against time-out, cancel, abandonment, shutdown

TEST(Schedule, R15_hand_over_meets_time_out) {
  explore_target(with_time(), [] {
    Stage stage;
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease lease = stage.take(self, kKey);
      stage.go();
      stage.give(self, lease);
    });
    stage.thread("impatient", [&](gc::Thread& self) {
      const ReserveOptions options = with_deadline();
      stage.go();
      const auto got = stage.try_take(self, kKey, options);
      if (got.has_value()) return stage.give(self, got.assume_value().lease);
      check(got.assume_error().code() == BERTH_TIMED_OUT, "another error than TIMED_OUT");
    });
    stage.thread("patient", [&](gc::Thread& self) {
      stage.go();
      stage.give(self, stage.take(self, kKey));
    });
    stage.run();
  });
}

// The holder keeps the key for longer than the waiter waits: no entry, edge or count of the waiter is left.
TEST(Schedule, R50_time_out_leaves_nothing) {
  explore_target({.search = Search::Exhaustive, .preemptions = 2, .limits = {.horizon = kTimeout + 10ms}},
                 [] {
                   Stage stage;
                   stage.thread("holder", [&](gc::Thread& self) {
                     const Lease lease = stage.take(self, kKey);
                     stage.go();
                     stage.give(self, lease, native(entry_of(1)));
                   });
                   stage.thread("impatient", [&](gc::Thread& self) {
                     const ReserveOptions options = with_deadline();
                     stage.go();
                     const auto got = stage.try_take(self, kKey, options);
                     check(got.has_value() ? got.assume_value().outcome == Outcome::Published
                                           : got.assume_error().code() == BERTH_TIMED_OUT,
                           "neither the result nor TIMED_OUT");
                     check(!stage->impl().agent_of(self).waiting, "an edge is left");
                   });
                   stage.run();
                 });
}

TEST(Schedule, R51_hand_over_meets_cancel) {
  explore_target({}, [] {
    Stage stage;
    engine::Cancel cancel;
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease lease = stage.take(self, kKey);
      stage.go();
      stage.give(self, lease);
    });
    stage.thread("cancelled", [&](gc::Thread& self) {
      ReserveOptions options;
      options.cancel = &cancel;
      stage.go();
      const auto got = stage.try_take(self, kKey, options);
      if (got.has_value()) return stage.give(self, got.assume_value().lease);
      check(got.assume_error().code() == BERTH_CANCELLED, "another error than CANCELLED");
    });
    stage.thread("patient", [&](gc::Thread& self) {
      stage.go();
      stage.give(self, stage.take(self, kKey));
    });
    stage.stranger("canceller", [&] {
      stage.go();
      cancel.fire();
    });
    stage.run();
  });
}

// Nobody gives the key back: only the cancel can end the wait, whether it comes before, while or after the
// waiter queues.
TEST(Schedule, R51_cancel_alone_ends_the_wait) {
  explore_target({.search = Search::Exhaustive, .preemptions = 3}, [] {
    Stage stage;
    engine::Cancel cancel;
    bool cancelled = false;
    Lease lease;
    stage.thread("holder", [&](gc::Thread& self) {
      lease = stage.take(self, kKey);
      stage.go();
    });
    stage.thread("cancelled", [&](gc::Thread& self) {
      ReserveOptions options;
      options.cancel = &cancel;
      stage.go();
      const auto got = stage.try_take(self, kKey, options);
      check(got.has_error() && got.assume_error().code() == BERTH_CANCELLED, "not CANCELLED");
      cancelled = true;
      stage.give(self, lease);  // for the holder
    });
    stage.stranger("canceller", [&] {
      stage.go();
      cancel.fire();
    });
    stage.run();
    check(cancelled, "the wait went on");
  });
}

TEST(Schedule, R49_abandonment_meets_release) {
  explore_target({}, [] {
    Stage stage;
    engine::Agent* agent = nullptr;
    Lease lease;
    stage.thread("deleter", [&](gc::Thread& self) {
      agent = stage->new_agent("borrowed").assume_value();
      (void)stage->set_agent(self, agent).assume_value();
      lease = stage.take(self, kKey);
      stage.forget(lease);
      (void)stage->set_agent(self, nullptr).assume_value();
      stage.go();
      check(stage->delete_agent(agent).has_value(), "the agent cannot be deleted");
    });
    stage.thread("releaser", [&](gc::Thread& self) {
      stage.go();
      (void)stage.try_give(self, lease);
    });
    stage.thread("waiter", [&](gc::Thread& self) {
      stage.go();
      stage.give(self, stage.take(self, kKey));
    });
    stage.run();
  });
}

TEST(Schedule, R52_shutdown_meets_waiters) {
  explore_target({}, [] {
    Stage stage;
    const Key other = key_in(7);
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease first = stage.take(self, kKey), second = stage.take(self, other);
      stage.go();
      stage.give(self, first);
      stage.give(self, second, nullptr);
    });
    for (const Key key : {kKey, other}) {
      stage.thread("waiter", [&stage, key](gc::Thread& self) {
        stage.go();
        const auto got = stage.try_take(self, key, {});
        if (got.has_value()) return stage.give(self, got.assume_value().lease);
        check(got.assume_error().code() == BERTH_SHUT_DOWN, "another error than SHUT_DOWN");
      });
    }
    stage.stranger("closer", [&] {
      stage.go();
      check(stage->shutdown().has_value(), "shutdown fails");
    });
    stage.run();
  });
}

// Rings

struct Ring {
  unsigned agents;
  bool same_shard;
  Key key(unsigned i) const { return same_shard ? key_in(0, i) : key_in(i); }
};

// Each holds its key and asks for the next one's: exactly one closes the ring.
void close_ring(Ring ring) {
  Stage stage;
  unsigned cycles = 0;
  for (unsigned i = 0; i < ring.agents; ++i) {
    stage.thread("agent " + std::to_string(i), [&, i](gc::Thread& self) {
      const Lease own = stage.take(self, ring.key(i));
      stage.go();
      const auto got = stage.try_take(self, ring.key((i + 1) % ring.agents), {});
      check(got.has_value(), "a ring is an error, though sharing is allowed");
      cycles += got.assume_value().outcome == Outcome::Cycle;
      stage.give(self, got.assume_value().lease);
      stage.give(self, own);
    });
  }
  stage.run();
  check(cycles == 1, "a ring gives one cycle, and no other");
}

TEST(Schedule, R23_ring_of_two_in_one_shard) {
  explore_target({.search = Search::Exhaustive, .preemptions = 3}, [] { close_ring({2, true}); });
}
TEST(Schedule, R23_ring_of_two_in_two_shards) {
  explore_target({.search = Search::Exhaustive, .preemptions = 3}, [] { close_ring({2, false}); });
}
TEST(Schedule, R23_ring_of_three_in_one_shard) {
  explore_target({.search = Search::Exhaustive, .preemptions = 2}, [] { close_ring({3, true}); });
}
TEST(Schedule, R23_ring_of_three_in_three_shards) {
  explore_target({.search = Search::Exhaustive, .preemptions = 2}, [] { close_ring({3, false}); });
}

// Two rings through one agent, which waits once in each.
void two_rings(bool same_shard) {
  const auto key = [&](unsigned i) { return same_shard ? key_in(0, i) : key_in(i); };
  Stage stage;
  unsigned cycles = 0;
  const auto ask = [&](gc::Thread& self, Key wanted) {
    const auto got = stage.try_take(self, wanted, {});
    check(got.has_value(), "a ring is an error, though sharing is allowed");
    cycles += got.assume_value().outcome == Outcome::Cycle;
    stage.give(self, got.assume_value().lease);
  };
  stage.thread("common", [&](gc::Thread& self) {
    const Lease first = stage.take(self, key(0)), second = stage.take(self, key(1));
    stage.go();
    ask(self, key(2));
    ask(self, key(3));
    stage.give(self, first);
    stage.give(self, second);
  });
  for (unsigned i = 0; i < 2; ++i) {
    stage.thread("partner " + std::to_string(i), [&, i](gc::Thread& self) {
      const Lease own = stage.take(self, key(2 + i));
      stage.go();
      ask(self, key(i));
      stage.give(self, own);
    });
  }
  stage.run();
  check(cycles == 2, "each of the two rings gives one cycle");
}

TEST(Schedule, R23_two_rings_in_one_shard) {
  explore_target({.search = Search::Exhaustive, .preemptions = 2}, [] { two_rings(true); });
}
TEST(Schedule, R23_two_rings_in_four_shards) {
  explore_target({.search = Search::Exhaustive, .preemptions = 2}, [] { two_rings(false); });
}

// A partner's publication and the holder's give

TEST(Schedule, R20_publication_meets_give) {
  explore_target({}, [] {
    Stage stage;
    Lease partner;
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease lease = stage.take(self, kKey);
      partner = stage.take(self, kKey);  // re-entrant: unregistered
      stage.go();
      stage.give(self, lease);
    });
    stage.thread("partner", [&](gc::Thread& self) {
      stage.go();
      stage.give(self, partner, native(entry_of(1)));
    });
    stage.thread("waiter", [&](gc::Thread& self) {
      stage.go();
      const auto got = stage.try_take(self, kKey, {});
      check(got.has_value(), "a wait fails");
      if (got.assume_value().outcome == Outcome::Reserved) stage.give(self, got.assume_value().lease);
    });
    stage.run();
    check(stage->lookup_entry(kKey, 0) == entry_of(1), "the partner's result is lost");
  });
}

TEST(Schedule, R26_first_publication_wins) {
  explore_target({}, [] {
    Stage stage;
    Lease partner;
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease lease = stage.take(self, kKey);
      partner = stage.take(self, kKey);
      stage.go();
      stage.give(self, lease, native(entry_of(1)));
      const auto seen = reinterpret_cast<uintptr_t>(stage->lookup_entry(kKey, 0));
      check(seen != 0, "published, but not found");
    });
    stage.thread("partner", [&](gc::Thread& self) {
      stage.go();
      stage.give(self, partner, native(entry_of(2)));
    });
    stage.thread("waiter", [&](gc::Thread& self) {
      stage.go();
      const auto got = stage.try_take(self, kKey, {});
      check(got.has_value() && got.assume_value().outcome == Outcome::Published,
            "no result, though both bring one");
      const void* const entry = engine::instance_code(*got.assume_value().published)->entry;
      check(stage->lookup_entry(kKey, 0) == entry, "a later result replaced the first");
    });
    stage.run();
    check(stage.impl().counters.duplicates.value() == 1, "one of two results is a duplicate");
  });
}

// Expiry and release

TEST(Schedule, R44_expiry_meets_release) {
  explore_target(with_time(), [] {
    EngineOptions options;
    options.lease_timeout_ns = std::chrono::nanoseconds(kTimeout).count();
    Stage stage(options);
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease lease = stage.take(self, kKey);
      stage.forget(lease);
      stage.go();
      (void)stage.try_give(self, lease, native(entry_of(1)));
    });
    for (const char* name : {"first", "second"}) {
      stage.thread(name, [&](gc::Thread& self) {
        stage.go();
        const auto got = stage->reserve(self, kKey, {});
        check(got.has_value(), "a wait fails");
        if (got.assume_value().outcome == Outcome::Reserved)
          (void)stage.try_give(self, got.assume_value().lease);
      });
    }
    stage.run();
  });
}

// Growth and take

TEST(Schedule, R73_growth_meets_take_and_look_up) {
  explore_target({}, [] {
    Stage stage;
    constexpr unsigned kFull = 8;  // keys that a shard's first index holds
    stage.thread("grower", [&](gc::Thread& self) {
      for (unsigned i = 0; i < kFull; ++i)
        stage.give(self, stage.take(self, key_in(0, i)), native(entry_of(i)));
      stage.go();
      stage.give(self, stage.take(self, key_in(0, kFull)));
    });
    stage.thread("taker", [&](gc::Thread& self) {
      warm(stage, self);
      stage.go();
      stage.give(self, stage.take(self, key_in(0, kFull + 1)));
      stage.give(self, stage.take(self, key_in(0, kFull)));
    });
    stage.stranger("reader", [&] {
      stage.go();
      for (unsigned i = 0; i < kFull; i += 3)
        check(stage->lookup_entry(key_in(0, i), 0) == entry_of(i), "an entry is not found");
    });
    stage.run();
  });
}

// Sweep and wake

TEST(Schedule, R47_sweep_meets_release_and_wake) {
  explore_target({}, [] {
    Stage stage;
    static const char guard = 0;
    stage.thread("holder", [&](gc::Thread& self) {
      ReserveOptions options;
      options.guard = &guard;
      const Lease lease = stage.take(self, kKey, options);
      stage.forget(lease);
      stage.go();
      (void)stage.try_give(self, lease);
    });
    for (const char* name : {"first", "second"}) {
      stage.thread(name, [&](gc::Thread& self) {
        warm(stage, self);
        stage.go();
        stage.give(self, stage.take(self, kKey));
      });
    }
    stage.stranger("sweeper", [&] {
      stage.go();
      stage->sweep([](const void* pointer) { return pointer != &guard; });
    });
    stage.run();
  });
}

// Two releases of one lease

TEST(Schedule, R35_one_of_two_releases_wins) {
  explore_target({.search = Search::Exhaustive, .preemptions = 2}, [] {
    Stage stage;
    Lease lease;
    unsigned won = 0;
    stage.thread("holder", [&](gc::Thread& self) {
      lease = stage.take(self, kKey);
      stage.go();
      won += stage.try_give(self, lease);
    });
    stage.thread("other", [&](gc::Thread& self) {
      stage.go();
      won += stage.try_give(self, lease);
    });
    stage.thread("waiter", [&](gc::Thread& self) {
      stage.go();
      stage.give(self, stage.take(self, kKey));
    });
    stage.run();
    check(won == 1, "one of two releases wins");
  });
}

// Invalidation

TEST(Schedule, R61_newer_worlds_never_hit) {
  explore_target({}, [] {
    Stage stage;
    const Key caller_key = key_in(2);
    engine::CodeInstanceRef callee;
    uint64_t closed_at = UINT64_MAX;
    Lease caller;
    stage.thread("publisher", [&](gc::Thread& self) {
      stage.give(self, stage.take(self, kKey), native(entry_of(1)));
      callee = stage->lookup(kKey, 0);
      caller = stage.take(self, caller_key);
      stage.go();
      SourcePtr source = native(entry_of(2));
      source->edges.push_back({callee, ""});
      stage.give(self, caller, std::move(source));
    });
    stage.stranger("redefiner", [&] {
      stage.go();
      stage->advance_world_with([&](uint64_t world) {
        stage->lower_max_world(*callee, world);
        closed_at = world;
      });
    });
    stage.stranger("reader", [&] {
      stage.go();
      for (int i = 0; i < 2; ++i) {
        const uint64_t world = stage->world();
        const bool is_newer = world > closed_at;
        const bool hits = stage->lookup_entry(kKey, world) || stage->lookup_entry(caller_key, world);
        check(!(is_newer && hits), "a hit in a world after the redefinition");
      }
    });
    stage.run();
    check(!stage->lookup_entry(kKey, 0) && !stage->lookup_entry(caller_key, 0), "a hit in the newest world");
    callee = nullptr;
  });
}

}  // namespace
}  // namespace berth::test
