// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "reservations", section 5: each row by its name.
#include <gtest/gtest.h>

#include "berth/thread.h"
#include "engine/handles.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/notifications.hpp"
#include "tests/support/stub_compiler.hpp"
#include "tests/support/test_engine.hpp"

namespace berth::test {
namespace {

using namespace std::chrono_literals;

// Passes by the clock's offset alone: no test takes as long.
constexpr int64_t kLongNs = 1'000'000'000'000;
const int kMethods[4096] = {};
Key key(int n, const void* owner = nullptr) { return {&kMethods[n], owner}; }
ReserveOptions trying() {
  ReserveOptions options;
  options.deadline = Deadline::in(0);
  return options;
}
ReserveOptions for_entry() {
  ReserveOptions options;
  options.need = Need::Entry;
  return options;
}
berth_code_t code_of(const auto& result) {
  return result.has_error() ? result.assume_error().code() : BERTH_OK;
}

TEST(Reservation, R1_at_most_one_lease_per_key) {
  TestEngine engine({}, 100s);
  std::atomic<int> inside{0}, most{0};
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  for (int i = 0; i < 4; ++i) {
    workers.push_back(engine.spawn([&](gc::Thread& thread) {
      for (int round = 0; round < 5000; ++round) {
        const Lease lease = engine.take(thread, key(0));
        const int now = inside.fetch_add(1) + 1;
        if (now > most) most = now;
        inside.fetch_sub(1);
        engine.release(thread, lease);
      }
    }));
  }
  workers.clear();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(engine.counts().reserved, 20000u);
  engine.expect_at_rest();
}

TEST(Reservation, R2_different_keys_do_not_exclude_each_other) {
  TestEngine engine;
  std::vector<Lease> leases;
  for (int i = 0; i < 1000; ++i) {
    auto got = engine.reserve(key(i), trying());
    ASSERT_TRUE(got.has_value());
    leases.push_back(got.assume_value().lease);
  }
  for (const Lease& lease : leases) engine.release(lease);
  engine.expect_at_rest();
}

TEST(Reservation, R3_owners_share_nothing) {
  TestEngine engine;
  const int owners[3] = {};
  Lease leases[3];
  for (int i = 0; i < 3; ++i) leases[i] = engine.take(key(1, &owners[i]), trying());
  engine.release(leases[0], native(entry_of(0)));
  EXPECT_EQ(engine->lookup_entry(key(1, &owners[0]), 0), entry_of(0));
  EXPECT_EQ(engine->lookup_entry(key(1, &owners[1]), 0), nullptr);
  ASSERT_TRUE(
      engine->release_error(engine.thread(), leases[1], make_error(BERTH_COMPILE_FAILED, "", "bad", ""), -1)
          .has_value());
  EXPECT_EQ(code_of(engine.reserve(key(1, &owners[1]))), BERTH_COMPILE_FAILED);
  EXPECT_EQ(engine->holds(engine.thread(), key(1, &owners[2])), 1);
  engine.release(leases[2]);
  engine.expect_at_rest();
}

TEST(Reservation, R4_a_token_is_no_result) {
  TestEngine engine;
  const Lease lease = engine.take(key(2));
  EXPECT_EQ(engine->lookup(key(2), 0), nullptr);
  EXPECT_EQ(engine->lookup_entry(key(2), 0), nullptr);
  EXPECT_EQ(engine::instance_code(*lease.instance), nullptr);
  EXPECT_EQ(engine::instance_payload(*lease.instance), nullptr);
  EXPECT_GT(engine::instance_min_world(*lease.instance), engine::instance_max_world(*lease.instance));
  engine.release(lease);
  EXPECT_EQ(engine->lookup(key(2), 0), nullptr);
}

TEST(Reservation, R5_one_works_all_others_get_its_instance) {
  TestEngine engine;
  const Lease lease = engine.take(key(3));
  std::atomic<engine::CodeInstance*> seen[16] = {};
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  for (auto& place : seen) {
    workers.push_back(engine.spawn([&](gc::Thread& thread) {
      auto got = engine->reserve(thread, key(3), {});
      if (got.has_value() && got.assume_value().outcome == Outcome::Published)
        place = got.assume_value().published.get();
    }));
  }
  for (auto& worker : workers) worker->until_waiting();
  engine.release(lease, native(entry_of(3)));
  workers.clear();
  for (auto& place : seen) EXPECT_EQ(place.load(), lease.instance);
  EXPECT_EQ(engine.counts().waits, 16u);
  EXPECT_EQ(engine.counts().published_on_recheck, 16u);
  engine.expect_at_rest();
}

TEST(Reservation, R6_looks_again_after_a_fast_take) {
  TestEngine engine;
  const Lease first = engine.take(key(4));
  Pause pause("look");
  std::atomic<bool> published{false};
  auto worker = engine.spawn([&](gc::Thread& thread) {
    auto got = engine->reserve(thread, key(4), {});
    published = got.has_value() && got.assume_value().outcome == Outcome::Published;
  });
  pause.until_reached();  // it has looked and found nothing
  engine.release(first, native(entry_of(4)));
  pause.release();
  worker->join();
  EXPECT_TRUE(published);
  engine.expect_at_rest();
}

TEST(Reservation, R6_looks_again_after_a_hand_over) {
  // A partner publishes between the hand-over and the wake.
  TestEngine engine;
  const Lease first = engine.take(key(5));
  const Lease inner = engine.take(key(5));  // re-entrant: can publish later
  Pause pause("wake");
  std::atomic<int> outcome{-1};
  auto worker = engine.spawn([&](gc::Thread& thread) {
    auto got = engine->reserve(thread, key(5), {});
    outcome = got.has_value() ? static_cast<int>(got.assume_value().outcome) : -2;
  });
  worker->until_waiting();
  engine.release(first);  // handed to the worker
  pause.until_reached();
  engine.release(inner, native(entry_of(5)));
  pause.release();
  worker->join();
  EXPECT_EQ(outcome, static_cast<int>(Outcome::Published));
  engine.expect_at_rest();
}

TEST(Reservation, R7_a_result_is_no_entry) {
  TestEngine engine;
  engine.release(engine.take(key(6)), result_only());
  ASSERT_TRUE(engine.reserve(key(6)).has_value());
  EXPECT_EQ(engine.reserve(key(6)).assume_value().outcome, Outcome::Published);
  const Lease again = engine.take(key(6), for_entry());  // without source: reserved anew
  engine.release(again, native(entry_of(6)));
  EXPECT_EQ(engine->lookup_entry(key(6), 0), entry_of(6));
  engine.expect_at_rest();
}

struct Compiled {
  explicit Compiled(bool has_thread = true, std::function<void(berth_job_t*)> work = {})
      : stub(has_thread, std::move(work)), engine(options()) {}
  EngineOptions options() {
    EngineOptions options;
    options.has_compiler_hooks = true;
    options.compiler_hooks = stub.hooks();
    options.compiler_context = &stub;
    return options;
  }
  static SourcePtr opaque(int n) {
    auto source = std::make_unique<engine::Source>();
    source->body = std::make_unique<engine::OpaqueBody>(entry_of(n), nullptr);
    return source;
  }
  StubCompiler stub;
  TestEngine engine;
};

TEST(Reservation, R7_a_compile_never_delays_a_need_for_the_result) {
  Compiled test;
  test.stub.close_gate();
  test.engine.release(test.engine.take(key(7)), Compiled::opaque(7));
  auto got = test.engine.reserve(key(7), trying());
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
  EXPECT_EQ(code_of(test.engine.reserve(key(7),
                                        [] {
                                          auto options = trying();
                                          options.need = Need::Entry;
                                          return options;
                                        }())),
            BERTH_TIMED_OUT);
  auto worker = test.engine.spawn([&](gc::Thread& thread) {
    auto entry = test.engine->reserve(thread, key(7), for_entry());
    ASSERT_TRUE(entry.has_value());
    EXPECT_EQ(engine::instance_code(*entry.assume_value().published)->entry, entry_of(7));
  });
  worker->until_waiting();
  test.stub.open_gate();
  worker->join();
  test.engine.expect_at_rest();
}

TEST(Reservation, R8_published_holds_a_reference) {
  TestEngine engine;
  static std::atomic<int> drops{0};
  drops = 0;
  int payload = 0;
  engine.release(engine.take(key(8)), result_only(&payload, [](void*) { ++drops; }));
  auto got = engine.reserve(key(8));
  ASSERT_TRUE(got.has_value());
  ASSERT_TRUE(engine->invalidate(*got.assume_value().published, 0).has_value());
  EXPECT_EQ(engine->lookup(key(8), 0), nullptr);
  EXPECT_EQ(engine::instance_payload(*got.assume_value().published), &payload);
  EXPECT_EQ(drops, 0);
  engine::Engine::release_reference(got.assume_value().published.detach());
  EXPECT_EQ(drops, 1);
}

TEST(Reservation, R9_timeout_0_takes_a_free_key_or_returns_with_the_chain) {
  TestEngine engine;
  Gate done;
  std::promise<void> held;
  auto holder = engine.spawn([&](gc::Thread& thread) {
    const Lease lease = engine.take(thread, key(9));
    held.set_value();
    const gc::SafeRegion region(thread);
    done.wait();
    engine.release(thread, lease);
  });
  held.get_future().wait();
  auto got = engine.reserve(key(9), trying());
  ASSERT_EQ(code_of(got), BERTH_TIMED_OUT);
  EXPECT_NE(got.assume_error().details().find("\"held_by\":\"" + holder->agent().name), std::string::npos);
  EXPECT_EQ(engine.counts().waits, 0u);  // it never parked
  done.open();
  holder->join();
  engine.release(engine.take(key(9), trying()));
  engine.expect_at_rest();
}

TEST(Reservation, R10_holds_counts_the_agents_leases_of_all_kinds) {
  TestEngine engine;
  EXPECT_EQ(engine->holds(engine.thread(), key(10)), 0);
  const Lease outer = engine.take(key(10)), inner = engine.take(key(10));
  EXPECT_EQ(engine->holds(engine.thread(), key(10)), 2);
  engine.spawn([&](gc::Thread& thread) { EXPECT_EQ(engine->holds(thread, key(10)), 0); })->join();
  engine.release(outer);
  EXPECT_EQ(engine->holds(engine.thread(), key(10)), 1);
  engine.release(inner);
  EXPECT_EQ(engine->holds(engine.thread(), key(10)), 0);
}

TEST(Reservation, R11_no_wake_up_is_lost_between_decision_and_park) {
  TestEngine engine;
  const Lease lease = engine.take(key(11));
  Pause pause("park");
  std::atomic<int> outcome{-1};
  auto worker = engine.spawn([&](gc::Thread& thread) {
    auto got = engine->reserve(thread, key(11), {});
    outcome = static_cast<int>(got.assume_value().outcome);
  });
  pause.until_reached();
  engine.release(lease, native(entry_of(11)));
  pause.release();
  worker->join();
  EXPECT_EQ(outcome, static_cast<int>(Outcome::Published));
  engine.expect_at_rest();
}

TEST(Reservation, R12_release_wakes_nobody_on_other_keys) {
  TestEngine engine;
  std::vector<Lease> held;
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  for (int i = 0; i < 16; ++i) {
    held.push_back(engine.take(key(100 + i)));
    workers.push_back(engine.spawn([&, i](gc::Thread& thread) {
      auto got = engine->reserve(thread, key(100 + i), {});
      EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
    }));
  }
  for (auto& worker : workers) worker->until_waiting();
  const Notifications sent;
  for (int i = 0; i < 1000; ++i) engine.release(engine.take(key(12)));
  engine.release(engine.take(key(12)), native(entry_of(12)));
  EXPECT_EQ(sent.count(), 0);
  for (int i = 0; i < 16; ++i) engine.release(held[i], native(entry_of(i)));
  workers.clear();
  EXPECT_EQ(sent.count(), 16);
  engine.expect_at_rest();
}

TEST(Reservation, R13_serves_whom_it_fits_the_first_of_the_others_gets_the_key) {
  TestEngine engine;
  engine->advance_world();  // world 2
  const Lease lease = engine.take(key(13));
  std::atomic<int> served{0}, reserved{0};
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  for (int i = 0; i < 8; ++i) {
    workers.push_back(engine.spawn([&, i](gc::Thread& thread) {
      ReserveOptions options;
      options.world = i % 2 ? 2 : 1;
      auto got = engine->reserve(thread, key(13), options);
      ASSERT_TRUE(got.has_value());
      if (got.assume_value().outcome == Outcome::Published) {
        ++served;
      } else {
        ++reserved;
        engine.release(thread, got.assume_value().lease, with_worlds(native(entry_of(1)), 1, 1));
      }
    }));
    workers.back()->until_waiting();
  }
  const Notifications sent;
  engine.release(lease, native(entry_of(2)));  // fits world 2 and later
  workers.clear();
  EXPECT_EQ(reserved, 1);
  EXPECT_EQ(served, 7);
  EXPECT_EQ(sent.count(), 8);
  EXPECT_EQ(engine->lookup_entry(key(13), 1), entry_of(1));
  EXPECT_EQ(engine->lookup_entry(key(13), 2), entry_of(2));
  engine.expect_at_rest();
}

TEST(Reservation, R14_release_without_result_hands_over_in_order) {
  TestEngine engine;
  const Lease lease = engine.take(key(14));
  std::vector<int> order;
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  for (int i = 0; i < 16; ++i) {
    workers.push_back(engine.spawn([&, i](gc::Thread& thread) {
      const Lease mine = engine.take(thread, key(14));
      order.push_back(i);  // the lease excludes the others
      engine.release(thread, mine);
    }));
    workers.back()->until_waiting();
  }
  const Notifications sent;
  engine.release(lease);
  workers.clear();
  ASSERT_EQ(order.size(), 16u);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(order[i], i);
  EXPECT_EQ(sent.count(), 16);
  engine.expect_at_rest();
}

TEST(Reservation, R15_hand_over_that_races_with_cancel_wins) {
  TestEngine engine;
  const Lease lease = engine.take(key(15));
  engine::Cancel cancel;
  Pause pause("wake");
  std::atomic<int> outcome{-1};
  auto worker = engine.spawn([&](gc::Thread& thread) {
    ReserveOptions options;
    options.cancel = &cancel;
    auto got = engine->reserve(thread, key(15), options);
    outcome = got.has_value() ? static_cast<int>(got.assume_value().outcome) : -2;
    if (got.has_value()) engine.release(thread, got.assume_value().lease);
  });
  worker->until_waiting();
  cancel.fire();
  pause.until_reached();  // woken by the cancel, not yet at the lock
  engine.release(lease);  // handed over to it
  pause.release();
  worker->join();
  EXPECT_EQ(outcome, static_cast<int>(Outcome::Reserved));
  engine.release(engine.take(key(15), trying()));
  engine.expect_at_rest();
}

TEST(Reservation, R16_nobody_overtakes_a_queued_waiter) {
  TestEngine engine;
  const Lease lease = engine.take(key(16));
  Pause pause("wake");
  auto worker =
      engine.spawn([&](gc::Thread& thread) { engine.release(thread, engine.take(thread, key(16))); });
  worker->until_waiting();
  engine.release(lease);
  pause.until_reached();  // the key is handed to the worker, which has not seen it
  EXPECT_EQ(code_of(engine.reserve(key(16), trying())), BERTH_TIMED_OUT);
  pause.release();
  worker->join();
  engine.expect_at_rest();
}

TEST(Reservation, R17_spurious_wakes_change_nothing) {
  TestEngine engine;
  const Lease lease = engine.take(key(17));
  Tally parks;
  std::atomic<bool> done{false};
  const latch::Hook hook("park", [&](const void* agent) {
    parks.add();
    static_cast<const engine::Agent*>(agent)->parker->notify(gc::Parker::kServed);
  });
  auto worker = engine.spawn([&](gc::Thread& thread) {
    engine.release(thread, engine.take(thread, key(17)));
    done = true;
  });
  parks.until(50);
  EXPECT_FALSE(done);
  engine.release(lease);
  worker->join();
  engine.expect_at_rest();
}

TEST(Reservation, R19_notified_without_engine_lock_parker_retained) {
  TestEngine engine;
  engine::Agent* agent = engine->new_agent("short").assume_value();
  const Lease lease = engine.take(key(19));
  Gate timed_out;
  auto worker = engine.spawn([&](gc::Thread& thread) {
    engine->set_agent(thread, agent).assume_value();
    ReserveOptions options;
    auto got = engine->reserve(thread, key(19), options);
    EXPECT_TRUE(got.has_value());
    engine.release(thread, got.assume_value().lease);
    engine->set_agent(thread, nullptr).assume_value();
    EXPECT_TRUE(engine->delete_agent(agent).has_value());
    timed_out.open();
  });
  for (;;) {
    const sync::Lock lock(engine.impl().graph.mutex());
    if (agent->waiting) break;
  }
  // Between the hand-over and the notification the waiter re-checks by itself, ends, and its agent goes.
  const latch::Hook hook("notify", [&](const void*) {
    rank::check_none_held(300, 399, "a notification");
    timed_out.wait();
  });
  engine.release(lease);
  worker->join();
}

TEST(Reservation, R20_publication_serves_waiters_though_the_key_is_held) {
  TestEngine engine;
  const Lease lease = engine.take(key(20));
  std::atomic<bool> served{false};
  auto worker = engine.spawn([&](gc::Thread& thread) {
    auto got = engine->reserve(thread, key(20), {});
    served = got.has_value() && got.assume_value().outcome == Outcome::Published;
  });
  worker->until_waiting();
  SourcePtr source = native(entry_of(20));
  ASSERT_TRUE(engine->publish(engine.thread(), {&lease, 1}, {&source, 1}).has_value());
  worker->join();
  EXPECT_TRUE(served);
  EXPECT_EQ(engine->holds(engine.thread(), key(20)), 1);
  engine.release(lease);
  engine.expect_at_rest();
}

// A ring of n: agent i holds key base+i and asks for the next; the last one closes it.
struct Ring {
  Ring(TestEngine& engine, int base, int n) : engine(engine), base(base), n(n) {
    for (int i = 1; i < n; ++i) {
      workers.push_back(engine.spawn([this, i](gc::Thread& thread) { run(thread, i); }));
      workers.back()->until_waiting();
    }
  }
  void run(gc::Thread& thread, int i) {
    const Lease mine = engine.take(thread, key(base + i));
    // The next key must be held before: agents start from the ring's end.
    auto got = engine->reserve(thread, key(base + (i - 1)), {});
    ++outcomes[static_cast<int>(got.assume_value().outcome)];
    if (got.assume_value().outcome != Outcome::Published)
      engine.release(thread, got.assume_value().lease, native(entry_of(i)));
    engine.release(thread, mine, native(entry_of(i)));
  }
  TestEngine& engine;
  const int base, n;
  std::atomic<int> outcomes[4] = {};
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
};

TEST(Reservation, R22_a_ring_gives_one_cycle_at_the_closing_agent) {
  for (const int n : {2, 3, 8, 64}) {
    TestEngine engine;
    const Lease first = engine.take(key(200));
    Ring ring(engine, 200, n);
    auto got = engine.reserve(key(200 + n - 1));  // closes it
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got.assume_value().outcome, Outcome::Cycle);
    engine.release(got.assume_value().lease, native(entry_of(99)));
    engine.release(first, native(entry_of(0)));
    ring.workers.clear();
    EXPECT_EQ(engine.counts().cycle, 1u);
    EXPECT_EQ(ring.outcomes[static_cast<int>(Outcome::Published)], n - 1);
    EXPECT_EQ(engine.counts().duplicates, 1u);  // the closed key's holder came second
    engine.expect_at_rest();
  }
}

// Nothing orders the holder's attach before the wait but the key's own word.
TEST(Reservation, R22_a_walk_sees_the_agent_of_a_holder_that_attached_meanwhile) {
  TestEngine engine;
  engine.release(engine.take(key(22)));  // it has a slot: the next take is one exchange
  std::atomic<bool> taken{false};        // orders nothing, on purpose: relaxed
  Gate walked;
  auto waiter = engine.spawn([&](gc::Thread& thread) {
    engine.release(thread, engine.take(thread, key(23)));  // it has tokens: no lock of the holder's
    while (!taken.load(std::memory_order_relaxed)) {
      thread.safepoint();  // under stress others collect
      std::this_thread::yield();
    }
    engine.release(thread, engine.take(thread, key(22)));
  });
  {
    const gc::SafeRegion region(engine.thread());
    waiter->agent();  // attached first
  }
  auto holder = engine.spawn([&](gc::Thread& thread) {
    const Lease lease = engine.take(thread, key(22));
    taken.store(true, std::memory_order_relaxed);
    {
      const gc::SafeRegion region(thread);
      walked.wait();
    }
    engine.release(thread, lease);
  });
  waiter->until_waiting();  // by this thread: what it locks the holder has not
  walked.open();
  waiter->join();
  holder->join();
  engine.expect_at_rest();
}

TEST(Reservation, R24_a_served_waiter_closes_no_ring) {
  TestEngine engine;
  const Lease a = engine.take(key(24));
  Pause pause("wake");
  auto worker = engine.spawn([&](gc::Thread& thread) {
    const Lease b = engine.take(thread, key(25));
    auto got = engine->reserve(thread, key(24), {});
    EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
    engine.release(thread, b, native(entry_of(25)));
  });
  worker->until_waiting();
  engine.release(a, native(entry_of(24)));
  pause.until_reached();  // served, asleep in the test: its edge is gone
  const Lease c = engine.take(key(26));
  EXPECT_EQ(code_of(engine.reserve(key(25), trying())), BERTH_TIMED_OUT);
  pause.release();
  auto got = engine.reserve(key(25));
  EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
  engine.release(c);
  worker->join();
  EXPECT_EQ(engine.counts().cycle, 0u);
  engine.expect_at_rest();
}

TEST(Reservation, R25_a_ring_through_an_entry_wait_is_an_error) {
  // The compile of key 25 runs on an attached thread whose agent waits for a key of the waiter.
  std::promise<berth_job_t*> job_promise;
  auto jobs = job_promise.get_future();
  Compiled test(true, [&](berth_job_t* job) { job_promise.set_value(job); });
  TestEngine& engine = test.engine;
  engine.release(engine.take(key(27)), Compiled::opaque(27));
  berth_job_t* job = jobs.get();
  const Lease mine = engine.take(key(28));
  auto compiler = engine.spawn([&](gc::Thread& thread) {
    berth_job_begin(job, reinterpret_cast<berth_thread_t*>(&thread));
    auto got = engine->reserve(thread, key(28), {});
    if (got.has_value() && got.assume_value().outcome != Outcome::Published)
      engine.release(thread, got.assume_value().lease);
    StubCompiler::publish(job);
  });
  compiler->until_waiting();
  auto instance = engine->lookup(key(27), 0);
  auto entry = engine->wait_entry(engine.thread(), *instance, Deadline::never());
  ASSERT_EQ(code_of(entry), BERTH_WOULD_DEADLOCK);
  EXPECT_NE(entry.assume_error().details().find("\"kind\":\"entry\""), std::string::npos);
  engine.release(mine);
  compiler->join();
  EXPECT_EQ(engine->wait_entry(engine.thread(), *instance, Deadline::never()).assume_value(), entry_of(27));
  engine.expect_at_rest();
}

TEST(Reservation, R26_share_first_publication_wins_second_is_a_duplicate) {
  for (const bool closer_first : {true, false}) {
    TestEngine engine;
    const Lease a = engine.take(key(30));
    Gate go;
    auto worker = engine.spawn([&](gc::Thread& thread) {
      const Lease b = engine.take(thread, key(31));
      auto got = engine->reserve(thread, key(30), {});
      if (got.assume_value().outcome != Outcome::Published)
        engine.release(thread, got.assume_value().lease, native(entry_of(2)));
      {
        const gc::SafeRegion region(thread);
        go.wait();
      }
      engine.release(thread, b, native(entry_of(1)));
    });
    worker->until_waiting();
    auto cycle = engine.reserve(key(31));
    ASSERT_EQ(cycle.assume_value().outcome, Outcome::Cycle);
    if (closer_first) engine.release(cycle.assume_value().lease, native(entry_of(3)));
    engine.release(a, native(entry_of(0)));
    go.open();
    worker->join();
    if (!closer_first) engine.release(cycle.assume_value().lease, native(entry_of(3)));
    EXPECT_EQ(engine->lookup_entry(key(31), 0), closer_first ? entry_of(3) : entry_of(1));
    EXPECT_EQ(engine.counts().duplicates, 1u);
    engine.expect_at_rest();
  }
}

TEST(Reservation, R26_a_cycle_lease_given_back_without_source_changes_nothing) {
  TestEngine engine;
  const Lease a = engine.take(key(32));
  auto worker = engine.spawn([&](gc::Thread& thread) {
    const Lease b = engine.take(thread, key(33));
    auto got = engine->reserve(thread, key(32), {});
    EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
    engine.release(thread, b, native(entry_of(33)));
  });
  worker->until_waiting();
  auto cycle = engine.reserve(key(33));
  ASSERT_EQ(cycle.assume_value().outcome, Outcome::Cycle);
  engine.release(cycle.assume_value().lease);
  EXPECT_EQ(code_of(engine.reserve(key(33), trying())), BERTH_TIMED_OUT);  // still the worker's
  engine.release(a, native(entry_of(32)));
  worker->join();
  EXPECT_EQ(engine->lookup_entry(key(33), 0), entry_of(33));
  EXPECT_EQ(engine.counts().duplicates, 0u);
  engine.expect_at_rest();
}

TEST(Reservation, R27_refuse_gives_the_chain_and_leaves_nothing_behind) {
  EngineOptions options;
  options.cycle_policy = BERTH_CYCLE_REFUSE;
  TestEngine engine(options);
  const Lease first = engine.take(key(200));
  Ring ring(engine, 200, 8);
  auto got = engine.reserve(key(207));
  ASSERT_EQ(code_of(got), BERTH_WOULD_DEADLOCK);
  const std::string& details = got.assume_error().details();
  size_t links = 0;
  for (size_t at = details.find("\"held_by\""); at != std::string::npos;
       at = details.find("\"held_by\"", at + 1))
    ++links;
  EXPECT_EQ(links, 8u);
  EXPECT_NE(details.find("\"held_by\":\"" + agent_of(engine.thread()).name + "\""), std::string::npos);
  EXPECT_EQ(engine->holds(engine.thread(), key(207)), 0);
  EXPECT_EQ(agent_of(engine.thread()).num_leases(), 1);
  engine.release(first, native(entry_of(0)));
  ring.workers.clear();
  engine.expect_at_rest();
}

TEST(Reservation, R29_reentry_never_parks_and_is_bounded) {
  EngineOptions options;
  options.reentry_limit = 3;
  TestEngine engine(options);
  std::vector<Lease> leases{engine.take(key(34))};
  for (uint32_t depth = 1; depth <= 3; ++depth) {
    auto got = engine.reserve(key(34));
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got.assume_value().outcome, Outcome::Reentrant);
    EXPECT_EQ(got.assume_value().depth, depth);
    leases.push_back(got.assume_value().lease);
  }
  auto refused = engine.reserve(key(34));
  ASSERT_EQ(code_of(refused), BERTH_RESOURCE_EXHAUSTED);
  EXPECT_NE(refused.assume_error().details().find("\"depth\":4"), std::string::npos);
  for (const Lease& lease : leases) engine.release(lease);
  EXPECT_EQ(engine.counts().waits, 0u);
  engine.expect_at_rest();
}

TEST(Reservation, R30_alternating_keys_are_bounded) {
  EngineOptions options;
  options.reentry_limit = 5;
  TestEngine engine(options);
  std::vector<Lease> leases;
  berth_code_t end = BERTH_OK;
  while (end == BERTH_OK && leases.size() < 100) {
    auto got = engine.reserve(key(35 + static_cast<int>(leases.size() % 2)));
    end = code_of(got);
    if (got.has_value()) leases.push_back(got.assume_value().lease);
  }
  EXPECT_EQ(end, BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(leases.size(), 12u);
  for (const Lease& lease : leases) engine.release(lease);
  engine.expect_at_rest();
}

TEST(Reservation, R31_inner_release_leaves_the_outer_inner_publication_wins) {
  TestEngine engine;
  const Lease outer = engine.take(key(37)), inner = engine.take(key(37));
  engine.release(inner, native(entry_of(2)));
  EXPECT_EQ(engine->holds(engine.thread(), key(37)), 1);
  engine.release(outer, native(entry_of(1)));
  EXPECT_EQ(engine->lookup_entry(key(37), 0), entry_of(2));
  EXPECT_EQ(engine.counts().duplicates, 1u);
  engine.expect_at_rest();
}

TEST(Reservation, R32_reentry_is_by_agent) {
  TestEngine engine;
  engine::Agent* other = engine->new_agent("other").assume_value();
  const Lease mine = engine.take(key(38));
  ASSERT_TRUE(engine->set_agent(engine.thread(), other).has_value());
  EXPECT_EQ(code_of(engine.reserve(key(38), trying())), BERTH_TIMED_OUT);
  ASSERT_TRUE(engine->set_agent(engine.thread(), nullptr).has_value());
  EXPECT_EQ(engine.reserve(key(38)).assume_value().outcome, Outcome::Reentrant);
  engine.release(mine);
  EXPECT_TRUE(engine->delete_agent(other).has_value());
}

TEST(Reservation, R33_a_thousand_leases_in_any_order) {
  TestEngine engine;
  std::vector<Lease> leases;
  for (int i = 0; i < 1000; ++i) leases.push_back(engine.take(key(i)));
  uint64_t state = 42;
  for (size_t i = leases.size(); i > 1; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(leases[i - 1], leases[(state >> 33) % i]);
  }
  for (const Lease& lease : leases) engine.release(lease);
  engine.expect_at_rest();
}

TEST(Reservation, R34_released_by_another_thread) {
  TestEngine engine;
  const Lease plain = engine.take(key(40)), result = engine.take(key(41)), inner = engine.take(key(40));
  engine
      .spawn([&](gc::Thread& thread) {
        engine.release(thread, plain);
        engine.release(thread, result, native(entry_of(41)));
        engine.release(thread, inner);
      })
      ->join();
  EXPECT_EQ(agent_of(engine.thread()).num_leases(), 0);
  EXPECT_EQ(engine->lookup_entry(key(41), 0), entry_of(41));
  engine.release(engine.take(key(40), trying()));
  engine.expect_at_rest();
}

TEST(Reservation, R35_of_two_releases_one_is_stale_and_changes_nothing) {
  TestEngine engine;
  const Lease lease = engine.take(key(42));
  engine.release(lease);
  EXPECT_EQ(code_of(engine->release(engine.thread(), lease, native(entry_of(42)))), BERTH_STALE_LEASE);
  EXPECT_EQ(engine->lookup(key(42), 0), nullptr);
  for (int round = 0; round < 500; ++round) {
    const Lease raced = engine.take(key(43));
    std::atomic<int> won{0};
    auto worker =
        engine.spawn([&](gc::Thread& thread) { won += engine->release(thread, raced, nullptr).has_value(); });
    won += engine->release(engine.thread(), raced, nullptr).has_value();
    worker->join();
    ASSERT_EQ(won, 1);
  }
  engine.expect_at_rest();
}

TEST(Reservation, R36_a_stale_lease_of_a_recycled_token_is_refused) {
  TestEngine engine;
  const Lease old = engine.take(key(44));
  engine.release(old);
  const Lease fresh = engine.take(key(45));
  EXPECT_EQ(fresh.instance, old.instance);  // the token serves another key now
  EXPECT_EQ(code_of(engine->release(engine.thread(), old, nullptr)), BERTH_STALE_LEASE);
  EXPECT_EQ(engine->holds(engine.thread(), key(45)), 1);
  engine.release(fresh);
}

TEST(Reservation, R37_source_is_consumed_and_payload_dropped_once_on_every_path) {
  static std::atomic<int> drops{0};
  const auto counted = [] { return result_only(entry_of(0), [](void*) { ++drops; }); };
  const auto dropped = [](auto&& run) {
    drops = 0;
    {
      TestEngine engine;
      run(engine);
    }
    return drops.load();
  };
  EXPECT_EQ(dropped([&](TestEngine& e) {  // stale
              const Lease lease = e.take(key(46));
              e.release(lease);
              EXPECT_EQ(code_of(e->release(e.thread(), lease, counted())), BERTH_STALE_LEASE);
              EXPECT_EQ(drops, 1);
            }),
            1);
  EXPECT_EQ(dropped([&](TestEngine& e) {  // duplicate
              const Lease outer = e.take(key(46)), inner = e.take(key(46));
              e.release(inner, counted());
              e.release(outer, counted());
              EXPECT_EQ(drops, 1);
            }),
            2);
  EXPECT_EQ(dropped([&](TestEngine& e) {  // shut down
              const Lease lease = e.take(key(46));
              EXPECT_TRUE(e->shutdown().has_value());
              EXPECT_EQ(code_of(e->release(e.thread(), lease, counted())), BERTH_SHUT_DOWN);
              EXPECT_EQ(drops, 1);
            }),
            1);
  EXPECT_EQ(dropped([&](TestEngine& e) {  // no compiler
              const Lease lease = e.take(key(46));
              SourcePtr source = Compiled::opaque(1);
              source->payload = entry_of(0);
              source->drop_payload = [](void*) { ++drops; };
              EXPECT_EQ(code_of(e->release(e.thread(), lease, std::move(source))), BERTH_UNSUPPORTED);
              EXPECT_EQ(drops, 1);
              EXPECT_EQ(e->holds(e.thread(), key(46)), 0);
            }),
            1);
}

// With the job's answer the instance goes: no other call of the engine is needed.
TEST(Reservation, R37_a_payload_goes_with_the_job_that_has_the_last_reference) {
  Watchdog watchdog{10s};
  Compiled test;
  test.stub.close_gate();
  Gate dropped;
  SourcePtr source = Compiled::opaque(47);
  source->payload = &dropped;
  source->drop_payload = [](void* gate) { static_cast<Gate*>(gate)->open(); };
  test.engine.release(test.engine.take(key(47)), std::move(source));
  ASSERT_TRUE(test.engine->invalidate(*test.engine->lookup(key(47), 0), 0).has_value());
  test.stub.open_gate();
  dropped.wait();
}

TEST(Reservation, R38_fibre_waits_with_hooks_and_resumes_on_another_thread) {
  // The agent parks on thread A by hook; the test resumes it on thread B, as a scheduler would.
  TestEngine engine;
  struct Scheduler {
    Gate unparked;
    gc::Thread* (*target)(void*) = nullptr;
    std::atomic<int> parks{0};
    static berth_thread_t* park(void* self, berth_thread_t* handle, int64_t) {
      auto* scheduler = static_cast<Scheduler*>(self);
      gc::Thread& thread = *engine::to_thread(handle);
      ++scheduler->parks;
      EXPECT_EQ(thread.state.load(), gc::State::Unsafe);  // the safe region is left before
      const gc::SafeRegion region(thread);
      scheduler->unparked.wait();
      return handle;
    }
    static void unpark(void* self) { static_cast<Scheduler*>(self)->unparked.open(); }
  } scheduler;
  engine::Agent* fibre = engine->new_agent("fibre").assume_value();
  const berth_park_hooks_t hooks{sizeof hooks, &Scheduler::park, &Scheduler::unpark};
  berth_agent_set_park_hooks(engine::to_handle(fibre), &hooks, &scheduler);
  const Lease lease = engine.take(key(47));
  auto worker = engine.spawn([&](gc::Thread& thread) {
    engine->set_agent(thread, fibre).assume_value();
    auto got = engine->reserve(thread, key(47), {});
    EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
    engine->set_agent(thread, nullptr).assume_value();
  });
  while (scheduler.parks == 0) std::this_thread::yield();
  engine.release(lease, native(entry_of(47)));
  worker->join();
  EXPECT_EQ(scheduler.parks, 1);
  EXPECT_TRUE(engine->delete_agent(fibre).has_value());
  engine.expect_at_rest();
}

TEST(Reservation, R43_agent_deletion_detach_and_exit_free_their_keys) {
  for (const int how : {0, 1, 2}) {
    TestEngine engine;
    std::promise<void> held, go;
    auto gone = go.get_future();
    std::thread holder([&] {
      gc::Thread* thread = engine->attach().assume_value();
      engine::Agent* agent = nullptr;
      if (how == 0) {
        agent = engine->new_agent("mortal").assume_value();
        engine->set_agent(*thread, agent).assume_value();
      }
      for (int i = 0; i < 10; ++i) engine.take(*thread, key(50 + i));
      const gc::State before = thread->safe_enter();
      held.set_value();
      gone.wait();
      thread->safe_leave(before);
      if (how == 0) {
        engine->set_agent(*thread, nullptr).assume_value();
        EXPECT_TRUE(engine->delete_agent(agent).has_value());
      }
      if (how != 2) engine->detach(*thread);  // 2: exits attached
    });
    held.get_future().wait();
    std::vector<std::unique_ptr<TestEngine::Worker>> workers;
    for (int i = 0; i < 10; ++i) {
      workers.push_back(engine.spawn(
          [&, i](gc::Thread& thread) { engine.release(thread, engine.take(thread, key(50 + i))); }));
      workers.back()->until_waiting();
    }
    go.set_value();
    {
      const gc::SafeRegion region(engine.thread());
      holder.join();
      workers.clear();
    }
    EXPECT_EQ(engine.counts().abandoned, 10u);
    engine.expect_at_rest();
  }
}

TEST(Reservation, R44_lease_timeout_frees_the_key_late_release_is_stale) {
  EngineOptions options;
  options.lease_timeout_ns = 30'000'000;
  constexpr int64_t kBoundNs = 90'000'000;  // well before a slice would have ended
  int64_t best_ns = INT64_MAX;              // the machine may be busy elsewhere
  for (int round = 0; round < 50 && best_ns >= kBoundNs; ++round) {
    TestEngine engine(options);
    const int64_t begin = engine::clock_ns();
    const Lease lease = engine.take(key(60));
    std::atomic<int64_t> waited_ns{0};
    engine
        .spawn([&](gc::Thread& thread) {
          const Lease mine = engine.take(thread, key(60));
          waited_ns = engine::clock_ns() - begin;
          engine.release(thread, mine);
        })
        ->join();
    EXPECT_GE(waited_ns, 29'000'000);
    best_ns = std::min(best_ns, waited_ns.load());
    EXPECT_EQ(code_of(engine->release(engine.thread(), lease, native(entry_of(1)))), BERTH_STALE_LEASE);
    EXPECT_EQ(engine->lookup(key(60), 0), nullptr);
    EXPECT_EQ(engine.counts().abandoned, 1u);
    engine.expect_at_rest();
  }
  EXPECT_LT(best_ns, kBoundNs);
}

TEST(Reservation, R44_the_next_arrival_frees_it_too) {
  EngineOptions options;
  options.lease_timeout_ns = kLongNs;
  TestEngine engine(options);
  engine.take(key(61));
  engine
      .spawn([&](gc::Thread& thread) {
        EXPECT_EQ(code_of(engine->reserve(thread, key(61), trying())), BERTH_TIMED_OUT);
        engine::detail::clock_offset_ns += 2 * kLongNs;
        engine.release(thread, engine.take(thread, key(61), trying()));
        engine::detail::clock_offset_ns -= 2 * kLongNs;
      })
      ->join();
  EXPECT_EQ(engine.counts().abandoned, 1u);
}

TEST(Reservation, R45_a_dead_guard_frees_its_key_in_that_collection) {
  TestEngine engine;
  const int alive = 0, dead = 0;
  ReserveOptions options;
  options.guard = &alive;
  const Lease kept = engine.take(key(62), options);
  options.guard = &dead;
  const Lease lost = engine.take(key(63), options);
  std::atomic<int> outcome{-1};
  auto worker = engine.spawn([&](gc::Thread& thread) {
    auto got = engine->reserve(thread, key(63), {});
    outcome = static_cast<int>(got.assume_value().outcome);
    engine.release(thread, got.assume_value().lease);
  });
  worker->until_waiting();
  engine->sweep([&](const void* object) { return object != &dead; });
  worker->join();
  EXPECT_EQ(outcome, static_cast<int>(Outcome::Reserved));
  EXPECT_EQ(code_of(engine->release(engine.thread(), lost, nullptr)), BERTH_STALE_LEASE);
  engine.release(kept);
  engine.expect_at_rest();
}

TEST(Reservation, R47_dead_keys_leave_nothing_behind) {
  static std::atomic<int> drops{0};
  drops = 0;
  TestEngine engine;
  const size_t slots = engine.impl().table.num_slots();
  for (int i = 0; i < 100; ++i)
    engine.release(engine.take(key(i)), result_only(entry_of(1), [](void*) { ++drops; }));
  const Lease failing = engine.take(key(100));
  ASSERT_TRUE(
      engine->release_error(engine.thread(), failing, make_error(BERTH_COMPILE_FAILED, "", "x", ""), -1)
          .has_value());
  EXPECT_EQ(engine.impl().table.num_slots(), slots + 101);
  engine->sweep([](const void*) { return false; });
  engine.impl().after_resume();
  EXPECT_EQ(drops, 100);
  EXPECT_EQ(engine.impl().table.num_slots(), slots);
  EXPECT_TRUE(engine.reserve(key(100), trying()).has_value());  // the failure is gone
}

TEST(Reservation, R48_clean_up_lowers_the_tokens_agents_count_once) {
  EngineOptions options;
  options.lease_timeout_ns = kLongNs;
  TestEngine engine(options);
  const Lease lease = engine.take(key(64));
  EXPECT_EQ(agent_of(engine.thread()).num_leases(), 1);
  engine
      .spawn([&](gc::Thread& thread) {
        engine::detail::clock_offset_ns += 2 * kLongNs;
        engine.release(thread, engine.take(thread, key(64)));
        engine::detail::clock_offset_ns -= 2 * kLongNs;
        EXPECT_EQ(agent_of(thread).num_leases(), 0);
      })
      ->join();
  EXPECT_EQ(agent_of(engine.thread()).num_leases(), 0);
  EXPECT_EQ(code_of(engine->release(engine.thread(), lease, nullptr)), BERTH_STALE_LEASE);
  EXPECT_EQ(agent_of(engine.thread()).num_leases(), 0);
  EXPECT_EQ(agent_of(engine.thread()).finalizer_inhibitions(), 0);
}

TEST(Reservation, R50_time_out_leaves_no_edge_and_a_result_wins) {
  TestEngine engine;
  const Lease lease = engine.take(key(65));
  constexpr int64_t kBoundNs = 40'000'000;
  std::atomic<int64_t> best_ns{INT64_MAX};
  engine
      .spawn([&](gc::Thread& thread) {
        // Again on a machine that was busy elsewhere.
        for (int i = 0; i < 3 || (i < 50 && best_ns >= kBoundNs); ++i) {
          ReserveOptions options;
          const int64_t begin = engine::clock_ns();
          options.deadline = Deadline::in(20'000'000);
          EXPECT_EQ(code_of(engine->reserve(thread, key(65), options)), BERTH_TIMED_OUT);
          best_ns = std::min(best_ns.load(), engine::clock_ns() - begin);
          const sync::Lock lock(engine.impl().graph.mutex());
          EXPECT_FALSE(agent_of(thread).waiting);
        }
      })
      ->join();
  EXPECT_GE(best_ns, 20'000'000);
  EXPECT_LT(best_ns, kBoundNs);
  Pause pause("wake");
  std::atomic<int> outcome{-1};
  auto worker = engine.spawn([&](gc::Thread& thread) {
    // Longer, if it had passed before this thread slept.
    for (int64_t timeout_ns = 1'000'000; !pause.is_reached(); timeout_ns *= 2) {
      ReserveOptions options;
      options.deadline = Deadline::in(timeout_ns);
      auto got = engine->reserve(thread, key(65), options);
      outcome = got.has_value() ? static_cast<int>(got.assume_value().outcome) : -2;
    }
  });
  pause.until_reached();  // by the deadline
  engine.release(lease, native(entry_of(65)));
  pause.release();
  worker->join();
  EXPECT_EQ(outcome, static_cast<int>(Outcome::Published));
  engine.expect_at_rest();
}

TEST(Reservation, R51_cancel_ends_its_own_waits_only) {
  TestEngine engine;
  const Lease lease = engine.take(key(66));
  engine::Cancel early, late, other;
  early.fire();
  std::atomic<int> cancelled{0};
  std::atomic<bool> other_done{false};
  const auto wait_with = [&](engine::Cancel& cancel) {
    return engine.spawn([&](gc::Thread& thread) {
      ReserveOptions options;
      options.cancel = &cancel;
      auto got = engine->reserve(thread, key(66), options);
      if (code_of(got) == BERTH_CANCELLED) ++cancelled;
      if (&cancel == &other) other_done = got.has_value();
    });
  };
  wait_with(early)->join();
  EXPECT_EQ(cancelled, 1);
  auto stays = wait_with(other);
  stays->until_waiting();
  auto goes = wait_with(late);
  goes->until_waiting();
  std::thread([&] { late.fire(); }).join();  // from a thread that is not attached
  goes->join();
  EXPECT_EQ(cancelled, 2);
  EXPECT_FALSE(other_done);
  {
    // Fired between the queue and the park.
    engine::Cancel between;
    Pause pause("park", [&](const void* agent) { return agent != &stays->agent(); });
    auto worker = wait_with(between);
    pause.until_reached();
    between.fire();
    pause.release();
    worker->join();
    EXPECT_EQ(cancelled, 3);
  }
  engine.release(lease, native(entry_of(66)));
  stays->join();
  EXPECT_TRUE(other_done);
  engine.expect_at_rest();
}

TEST(Reservation, R52_shutdown_serves_every_waiter_and_takes_leases_back) {
  TestEngine engine;
  std::vector<Lease> leases;
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  std::atomic<int> shut{0};
  for (int i = 0; i < 16; ++i) {
    leases.push_back(engine.take(key(70 + i)));
    workers.push_back(engine.spawn([&, i](gc::Thread& thread) {
      if (code_of(engine->reserve(thread, key(70 + i), {})) == BERTH_SHUT_DOWN) ++shut;
    }));
  }
  for (auto& worker : workers) worker->until_waiting();
  ASSERT_TRUE(engine->shutdown().has_value());
  workers.clear();
  EXPECT_EQ(shut, 16);
  EXPECT_EQ(code_of(engine.reserve(key(0))), BERTH_SHUT_DOWN);
  for (const Lease& lease : leases) engine.release(lease);
  engine.expect_at_rest();
}

TEST(Reservation, R55_a_failure_reaches_all_waiters_whatever_the_retry) {
  for (const int64_t retry : {int64_t{-1}, int64_t{0}, int64_t{3'600'000'000'000}}) {
    TestEngine engine;
    const Lease lease = engine.take(key(90));
    std::atomic<int> told{0};
    std::vector<std::unique_ptr<TestEngine::Worker>> workers;
    for (int i = 0; i < 8; ++i) {
      workers.push_back(engine.spawn([&](gc::Thread& thread) {
        auto got = engine->reserve(thread, key(90), {});
        if (code_of(got) == BERTH_COMPILE_FAILED &&
            got.assume_error().message().find("no such rule") != std::string::npos)
          ++told;
      }));
    }
    for (auto& worker : workers) worker->until_waiting();
    ASSERT_TRUE(engine
                    ->release_error(engine.thread(), lease,
                                    make_error(BERTH_COMPILE_FAILED, "", "no such rule", ""), retry)
                    .has_value());
    workers.clear();
    EXPECT_EQ(told, 8);
    auto later = engine.reserve(key(90), trying());
    EXPECT_EQ(later.has_error(), retry != 0);
    if (later.has_value()) engine.release(later.assume_value().lease);
    engine.expect_at_rest();
  }
}

TEST(Reservation, R56_a_stored_failure_ends_with_its_time_or_world) {
  TestEngine engine;
  const auto fail = [&](int n, int64_t retry) {
    ASSERT_TRUE(engine
                    ->release_error(engine.thread(), engine.take(key(n)),
                                    make_error(BERTH_COMPILE_FAILED, "", "x", ""), retry)
                    .has_value());
  };
  fail(91, kLongNs);
  EXPECT_TRUE(engine.reserve(key(91)).has_error());
  EXPECT_TRUE(engine.reserve(key(92), trying()).has_value());  // its key alone
  engine::detail::clock_offset_ns += 2 * kLongNs;
  EXPECT_TRUE(engine.reserve(key(91), trying()).has_value());
  engine::detail::clock_offset_ns -= 2 * kLongNs;
  fail(93, -1);
  EXPECT_TRUE(engine.reserve(key(93)).has_error());
  engine->advance_world();
  EXPECT_TRUE(engine.reserve(key(93), trying()).has_value());
  ReserveOptions old;
  old.world = 1;
}

TEST(Reservation, R57_compile_failure_gives_the_text_to_entry_waiters_the_result_stays) {
  Compiled test(true, [](berth_job_t* job) { berth_job_fail(job, "register pressure"); });
  test.stub.close_gate();
  test.engine.release(test.engine.take(key(94)), Compiled::opaque(94));
  std::atomic<int> told{0};
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  for (int i = 0; i < 4; ++i) {
    workers.push_back(test.engine.spawn([&](gc::Thread& thread) {
      auto got = test.engine->reserve(thread, key(94), for_entry());
      if (code_of(got) == BERTH_COMPILE_FAILED &&
          got.assume_error().message().find("register pressure") != std::string::npos)
        ++told;
    }));
    workers.back()->until_waiting();
  }
  test.stub.open_gate();
  workers.clear();
  EXPECT_EQ(told, 4);
  auto result = test.engine.reserve(key(94));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result.assume_value().outcome, Outcome::Published);
  EXPECT_EQ(code_of(test.engine->wait_entry(test.engine.thread(), *result.assume_value().published,
                                            Deadline::never())),
            BERTH_COMPILE_FAILED);
  EXPECT_EQ(test.engine.counts().compile_failures, 1u);
  test.engine.expect_at_rest();
}

TEST(Reservation, R58_a_compiler_that_throws_or_gives_no_entry_is_a_failure) {
  berth_compiler_hooks_t hooks{};
  hooks.struct_size = sizeof hooks;
  EngineOptions options;
  options.has_compiler_hooks = true;
  hooks.submit = [](void*, berth_job_t*) { throw 1; };
  options.compiler_hooks = hooks;
  {
    TestEngine engine(options);
    engine.release(engine.take(key(95)), Compiled::opaque(95));
    EXPECT_EQ(code_of(engine.reserve(key(95), for_entry())), BERTH_COMPILE_FAILED);
  }
  hooks.submit = [](void*, berth_job_t* job) { berth_job_publish(job, nullptr, nullptr); };
  options.compiler_hooks = hooks;
  TestEngine engine(options);
  engine.release(engine.take(key(95)), Compiled::opaque(95));
  EXPECT_EQ(code_of(engine.reserve(key(95), for_entry())), BERTH_COMPILE_FAILED);
}

TEST(Reservation, R59_a_result_for_older_worlds_is_no_hit) {
  TestEngine engine;
  const Lease lease = engine.take(key(96));
  engine->advance_world();  // during the work
  engine.release(lease, native(entry_of(1)));
  EXPECT_EQ(engine->lookup_entry(key(96), 1), entry_of(1));
  EXPECT_EQ(engine->lookup_entry(key(96), 2), nullptr);
  engine.release(engine.take(key(96)), native(entry_of(2)));  // reserved again
  EXPECT_EQ(engine->lookup_entry(key(96), 1), entry_of(1));
  EXPECT_EQ(engine->lookup_entry(key(96), 2), entry_of(2));
}

TEST(Reservation, R60_promotion_needs_the_validated_world) {
  TestEngine engine;
  const Lease lease = engine.take(key(97));
  engine->advance_world();
  engine.release(lease, native(entry_of(1)));
  auto instance = engine->lookup(key(97), 1);
  engine::CodeInstance* members[] = {instance.get()};
  const uint64_t validated = engine->world();
  engine->advance_world();  // between validation and promotion
  EXPECT_FALSE(engine->promote(members, validated).assume_value());
  EXPECT_EQ(engine::instance_max_world(*instance), 1u);
  EXPECT_TRUE(engine->promote(members, engine->world()).assume_value());
  EXPECT_EQ(engine->lookup_entry(key(97), 0), entry_of(1));
}

TEST(Reservation, R61_invalidation_closes_callers_transitively) {
  TestEngine engine;
  engine.release(engine.take(key(110)), native(entry_of(0)));
  auto leaf = engine->lookup(key(110), 0);
  engine.release(engine.take(key(111)), with_edge(native(entry_of(1)), leaf.get()));
  auto middle = engine->lookup(key(111), 0);
  engine.release(engine.take(key(112)), with_edge(native(entry_of(2)), middle.get()));
  engine.release(engine.take(key(113)), native(entry_of(3)));
  const uint64_t world =
      engine->advance_world_with([&](uint64_t now) { engine->lower_max_world(*leaf, now); });
  for (int i = 110; i <= 112; ++i) {
    EXPECT_EQ(engine->lookup_entry(key(i), world), nullptr);
    EXPECT_NE(engine->lookup_entry(key(i), world - 1), nullptr);
  }
  EXPECT_NE(engine->lookup_entry(key(113), world), nullptr);
  // A new caller of a closed instance is closed too.
  engine.release(engine.take(key(114)), with_edge(native(entry_of(4)), middle.get()));
  EXPECT_EQ(engine->lookup_entry(key(114), world), nullptr);
}

TEST(Reservation, R61_invalidate_races_publish_and_look_up) {
  TestEngine engine;
  std::atomic<bool> stop{false};
  auto reader = engine.spawn([&](gc::Thread&) {
    while (!stop) {
      const uint64_t world = engine->world();
      // Every result is for one world only: an entry found for a world carries that world's number.
      void* entry = engine->lookup_entry(key(115), world);
      EXPECT_TRUE(!entry || entry == entry_of(static_cast<int>(world % 4000)));
    }
  });
  for (int i = 0; i < 300; ++i) {  // old results stay linked for old worlds: the chain is as long
    const uint64_t world = engine->world();
    auto got = engine.reserve(key(115));
    if (got.has_value() && got.assume_value().outcome == Outcome::Reserved) {
      engine.release(got.assume_value().lease, native(entry_of(static_cast<int>(world % 4000))));
    }
    auto instance = engine->lookup(key(115), world);
    engine->advance_world_with([&](uint64_t now) {
      if (instance) engine->lower_max_world(*instance, now);
    });
  }
  stop = true;
  reader->join();
}

TEST(Reservation, R63_waiting_for_a_lazy_entry_drives_the_compile) {
  Compiled test(false);  // no compile thread
  SourcePtr source = Compiled::opaque(98);
  source->lazy = true;
  test.engine.release(test.engine.take(key(98)), std::move(source));
  EXPECT_EQ(test.stub.num_queued(), 0u);
  EXPECT_EQ(test.engine->lookup_entry(key(98), 0), nullptr);
  auto instance = test.engine->lookup(key(98), 0);
  EXPECT_EQ(test.engine->wait_entry(test.engine.thread(), *instance, Deadline::never()).assume_value(),
            entry_of(98));
  test.engine.release(test.engine.take(key(99)), Compiled::opaque(99));  // queued, not lazy
  EXPECT_TRUE(test.engine.reserve(key(99), for_entry()).has_value());
  EXPECT_EQ(test.engine->lookup_entry(key(99), 0), entry_of(99));
  EXPECT_EQ(test.stub.num_compiled(), 2);
}

TEST(Reservation, R63_a_queued_waiter_is_detached_to_compile) {
  Compiled test(false);
  const Lease lease = test.engine.take(key(98));
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  std::atomic<int> got_entry{0};
  for (int i = 0; i < 4; ++i) {
    workers.push_back(test.engine.spawn([&](gc::Thread& thread) {
      auto got = test.engine->reserve(thread, key(98), for_entry());
      got_entry +=
          got.has_value() && engine::instance_code(*got.assume_value().published)->entry == entry_of(98);
    }));
    workers.back()->until_waiting();
  }
  test.engine.release(lease, Compiled::opaque(98));
  workers.clear();
  EXPECT_EQ(got_entry, 4);
  EXPECT_EQ(test.stub.num_compiled(), 1);
  test.engine.expect_at_rest();
}

TEST(Reservation, R64_an_entry_is_replaced_only_by_a_better_one) {
  Compiled test;
  test.engine.release(test.engine.take(key(116)), Compiled::opaque(116));
  auto instance = test.engine->lookup(key(116), 0);
  ASSERT_TRUE(test.engine->wait_entry(test.engine.thread(), *instance, Deadline::never()).has_value());
  static engine::Code fast, better;
  fast.entry = entry_of(1);
  better.entry = entry_of(2);
  better.tier = BERTH_TIER_OPTIMIZED;
  const auto publish = [&](engine::Code& code) {
    engine::NewCode made{instance.get(), &code};
    test.engine.impl().published({&made, 1});
    return made.unused;
  };
  EXPECT_EQ(publish(fast), &fast);
  EXPECT_EQ(test.engine->lookup_entry(key(116), 0), entry_of(116));
  engine::Code* const first = engine::instance_code(*instance);
  EXPECT_EQ(publish(better), first);
  EXPECT_EQ(test.engine->lookup_entry(key(116), 0), entry_of(2));
}

TEST(Reservation, R65_a_group_is_seen_whole_or_not) {
  TestEngine engine;
  std::atomic<int> round{0};
  std::atomic<bool> stop{false};
  auto reader = engine.spawn([&](gc::Thread&) {
    while (!stop) {
      const int base = 1000 + 2 * round.load();
      EXPECT_TRUE(!engine->lookup_entry(key(base), 0) || engine->lookup_entry(key(base + 1), 0));
      EXPECT_TRUE(!engine->lookup_entry(key(base + 1), 0) || engine->lookup_entry(key(base), 0));
    }
  });
  for (int i = 0; i < 1000; ++i) {
    round = i;
    const Lease leases[] = {engine.take(key(1000 + 2 * i)), engine.take(key(1001 + 2 * i))};
    SourcePtr sources[] = {with_edge(native(entry_of(i)), leases[1].instance),
                           with_edge(native(entry_of(i)), leases[0].instance)};
    ASSERT_TRUE(engine->publish(engine.thread(), leases, sources).has_value());
    engine.release(leases[0]);
    engine.release(leases[1]);
  }
  stop = true;
  reader->join();
  engine.expect_at_rest();
}

TEST(Reservation, R66_lookup_is_safe_against_sweep_and_recycling) {
  TestEngine engine;
  std::atomic<bool> stop{false};
  std::thread reader([&] {  // not attached
    while (!stop) {
      for (int i = 0; i < 64; ++i) {
        void* entry = engine->lookup_entry(key(i), 0);
        EXPECT_TRUE(!entry || entry == entry_of(i));
        if (auto instance = engine->lookup(key(i), 0)) {
          engine::Code* code = engine::instance_code(*instance);
          EXPECT_EQ(code->entry, entry_of(i));
        }
      }
    }
  });
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 64; ++i) {
      auto got = engine.reserve(key(i));
      if (got.has_value() && got.assume_value().outcome == Outcome::Reserved)
        engine.release(got.assume_value().lease, native(entry_of(i)));
    }
    engine->sweep(
        [&](const void* object) { return (reinterpret_cast<uintptr_t>(object) / 4 + round) % 3 != 0; });
    engine.impl().after_resume();
  }
  stop = true;
  reader.join();
}

TEST(Reservation, R67_a_wait_lifts_the_whole_chain) {
  Compiled test;
  TestEngine& engine = test.engine;
  test.stub.close_gate();
  for (int i = 0; i < 100; ++i) engine.release(engine.take(key(300 + i)), Compiled::opaque(i));
  auto last = engine->lookup(key(399), 0);
  // A waits for B's key, B waits for the entry of the job at the end of the queue.
  Gate go;
  std::promise<void> held;
  auto b = engine.spawn([&](gc::Thread& thread) {
    const Lease mine = engine.take(thread, key(299));
    held.set_value();
    EXPECT_TRUE(engine->wait_entry(thread, *last, Deadline::never()).has_value());
    engine.release(thread, mine, native(entry_of(299)));
  });
  held.get_future().wait();
  b->until_waiting();
  auto a = engine.spawn(
      [&](gc::Thread& thread) { EXPECT_TRUE(engine->reserve(thread, key(299), {}).has_value()); });
  a->until_waiting();
  EXPECT_TRUE(b->agent().lifted.load());
  // The compiler hears of it when the waiter has left the locks.
  while (test.stub.lifted().empty()) std::this_thread::yield();
  test.stub.open_gate();
  a->join();
  b->join();
  ASSERT_FALSE(test.stub.order().empty());
  EXPECT_EQ(test.stub.order().front(), reinterpret_cast<berth_instance_t*>(last.get()));
}

TEST(Reservation, R68_equal_owners_exclude_and_share) {
  static std::atomic<int> calls{0};
  EngineOptions options;
  options.traits.struct_size = sizeof options.traits;
  options.traits.hash = [](void*, const void* owner) {
    ++calls;
    rank::check_none_held(300, 399, "a trait");
    return static_cast<uint64_t>(*static_cast<const int*>(owner));
  };
  options.traits.equal = [](void*, const void* a, const void* b) {
    rank::check_none_held(300, 399, "a trait");
    return static_cast<int>(*static_cast<const int*>(a) == *static_cast<const int*>(b));
  };
  TestEngine engine(options);
  const int a = 7, same = 7, different = 8;
  const Lease lease = engine.take(key(120, &a));
  engine
      .spawn([&](gc::Thread& thread) {
        EXPECT_EQ(code_of(engine->reserve(thread, key(120, &same), trying())), BERTH_TIMED_OUT);
        engine.release(thread, engine.take(thread, key(120, &different), trying()));
      })
      ->join();
  engine.release(lease, native(entry_of(120)));
  EXPECT_EQ(engine->lookup_entry(key(120, &same), 0), entry_of(120));
  EXPECT_GT(calls, 0);
}

TEST(Reservation, R69_explain_is_complete_at_rest) {
  TestEngine engine;
  ReserveOptions options;
  options.label = "area(Circle)";
  const Lease lease = engine.take(key(121), options);
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  for (int i = 0; i < 8; ++i) {
    workers.push_back(engine.spawn(
        [&](gc::Thread& thread) { EXPECT_TRUE(engine->reserve(thread, key(121), {}).has_value()); }));
    workers.back()->until_waiting();
  }
  const std::string text = engine->explain();
  EXPECT_NE(text.find("\"label\":\"area(Circle)\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"holder\":\"" + agent_of(engine.thread()).name + "\""), std::string::npos) << text;
  for (auto& worker : workers) {
    EXPECT_NE(text.find("{\"agent\":\"" + worker->agent().name + "\",\"waiting_ns\":"), std::string::npos)
        << text;
  }
  engine.release(lease, native(entry_of(121)));
  workers.clear();
  EXPECT_NE(engine->explain().find("\"reservations\":[]"), std::string::npos);
}

TEST(Reservation, R70_counters_conserve) {
  TestEngine engine;
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  for (int t = 0; t < 4; ++t) {
    workers.push_back(engine.spawn([&, t](gc::Thread& thread) {
      uint64_t state = static_cast<uint64_t>(t) + 1;
      for (int i = 0; i < 2000; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        auto got = engine->reserve(thread, key(500 + static_cast<int>((state >> 40) % 16)), {});
        if (!got.has_value() || got.assume_value().outcome == Outcome::Published) continue;
        engine.release(thread, got.assume_value().lease,
                       (state >> 20) % 50 == 0 ? native(entry_of(t)) : nullptr);
      }
    }));
  }
  workers.clear();
  const auto counts = engine.counts();
  EXPECT_EQ(counts.reserved + counts.published + counts.cycle + counts.reentrant, 8000u);
  engine.expect_at_rest();
}

TEST(Reservation, R21_agents_and_threads_made_while_others_wait_take_part) {
  TestEngine engine;
  const Lease lease = engine.take(key(130));
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  std::atomic<int> served{0};
  for (int i = 0; i < 100; ++i) {  // each attached while all before it wait
    workers.push_back(engine.spawn([&](gc::Thread& thread) {
      auto got = engine->reserve(thread, key(130), {});
      served += got.has_value() && got.assume_value().outcome == Outcome::Published;
    }));
    workers.back()->until_waiting();
  }
  engine.release(lease, native(entry_of(130)));
  workers.clear();
  EXPECT_EQ(served, 100);
  engine.expect_at_rest();
}

TEST(Reservation, R28_a_lock_outside_our_sight_is_reported_by_time_out) {
  TestEngine engine;
  std::mutex outside;
  std::promise<void> held;
  std::unique_lock mine(outside);
  auto worker = engine.spawn([&](gc::Thread& thread) {
    ReserveOptions options;
    options.label = "inner";
    const Lease lease = engine.take(thread, key(131), options);
    held.set_value();
    {
      const gc::SafeRegion region(thread);
      const std::lock_guard lock(outside);  // the other side of a deadlock that no walk can see
    }
    engine.release(thread, lease);
  });
  held.get_future().wait();
  ReserveOptions options;
  options.deadline = Deadline::in(5'000'000);
  auto got = engine.reserve(key(131), options);
  ASSERT_EQ(code_of(got), BERTH_TIMED_OUT);
  EXPECT_NE(got.assume_error().details().find("\"held_by\":\"" + worker->agent().name + "\""),
            std::string::npos);
  EXPECT_NE(got.assume_error().details().find("\"label\":\"inner\""), std::string::npos);
  mine.unlock();
  worker->join();
  engine.expect_at_rest();
}

TEST(Reservation, R49_abandonment_racing_release_has_one_winner) {
  TestEngine engine;
  for (int round = 0; round < 200; ++round) {
    engine::Agent* agent = engine->new_agent("raced").assume_value();
    ASSERT_TRUE(engine->set_agent(engine.thread(), agent).has_value());
    const Lease lease = engine.take(key(132));
    ASSERT_TRUE(engine->set_agent(engine.thread(), nullptr).has_value());
    std::atomic<int> released{0};
    const uint64_t before = engine.counts().abandoned;
    auto worker = engine.spawn(
        [&](gc::Thread& thread) { released = engine->release(thread, lease, nullptr).has_value(); });
    ASSERT_TRUE(engine->delete_agent(agent).has_value());
    worker->join();
    ASSERT_EQ(released + static_cast<int>(engine.counts().abandoned - before), 1);
    engine.release(engine.take(key(132), trying()));
  }
  engine.expect_at_rest();
}

TEST(Reservation, R62_embedder_code_may_call_the_engine) {
  static TestEngine* current = nullptr;
  static std::atomic<int> calls{0};
  calls = 0;
  EngineOptions options;
  options.traits.struct_size = sizeof options.traits;
  options.traits.hash = [](void*, const void* owner) {
    if (current && owner != nullptr) {
      ++calls;
      current->release(current->take(key(133)));  // reserves from inside a trait, under the NULL owner
    }
    return uint64_t{1};
  };
  options.traits.equal = [](void*, const void* a, const void* b) { return static_cast<int>(a == b); };
  TestEngine engine(options);
  current = &engine;
  const int owner = 0;
  const Lease outer = engine.take(key(134, &owner)), inner = engine.take(key(134, &owner));
  const auto reserving = [](void*) {
    ++calls;
    current->release(current->take(key(133)));
  };
  engine.release(inner, result_only(entry_of(0), reserving));
  const int before = calls;
  engine.release(outer,
                 result_only(entry_of(0), reserving));  // a duplicate: its payload is dropped in the release
  EXPECT_GT(calls, before);
  engine->sweep([&](const void* object) { return object != &owner; });
  engine.impl().after_resume();
  EXPECT_GE(calls, 4);
  current = nullptr;
  engine.expect_at_rest();
}

TEST(Reservation, R72_shared_words_are_aligned_and_lock_free) {
  static_assert(sync::Atomic<uint64_t>::is_always_lock_free && sync::Atomic<void*>::is_always_lock_free);
  static_assert(alignof(engine::Slot) == 64 && sizeof(engine::Slot) == 64);
  static_assert(alignof(engine::CodeInstance) >
                engine::Slot::kFlags);  // the flags of `hold` fit below a token's address
  SUCCEED();
}

TEST(Reservation, R73_index_grows_under_takes_and_lookups) {
  TestEngine engine;
  std::atomic<bool> stop{false};
  auto reader = engine.spawn([&](gc::Thread&) {
    while (!stop) {
      for (int i = 0; i < 4096; i += 7) {
        void* entry = engine->lookup_entry(key(i), 0);
        EXPECT_TRUE(!entry || entry == entry_of(i));
      }
    }
  });
  for (int i = 0; i < 4096; ++i) engine.release(engine.take(key(i)), native(entry_of(i)));
  stop = true;
  reader->join();
  for (int i = 0; i < 4096; ++i) ASSERT_EQ(engine->lookup_entry(key(i), 0), entry_of(i));
}

TEST(Reservation, R73_a_reader_on_a_replaced_array_finds_its_key) {
  TestEngine engine;
  using Table = engine::ReservationTable;
  const auto shard_of = [](int i) { return Table::hash(key(i)) >> (64 - Table::kShardBits); };
  engine.release(engine.take(key(0)), native(entry_of(0)));
  Pause pause("probe");
  std::thread reader([&] {
    EXPECT_EQ(engine->lookup_entry(key(0), 0), entry_of(0));
  });  // not attached: it holds up no collection
  pause.until_reached();
  int num_published = 1;
  for (int i = 1; i < 4096; ++i) {
    if (shard_of(i) != shard_of(0)) continue;
    engine.release(engine.take(key(i)), native(entry_of(i)));
    ++num_published;
  }
  EXPECT_GT(num_published, 32);  // the first array has 32 cells
  pause.release();
  reader.join();
}

TEST(Reservation, R73_idle_slots_are_recycled_before_the_index_grows) {
  TestEngine engine({}, 100s);
  static const char many[200'000] = {};
  for (const char& method : many) engine.release(engine.take({&method, nullptr}));
  EXPECT_LT(engine.impl().table.num_slots(), 1024u);
}

}  // namespace
}  // namespace berth::test
