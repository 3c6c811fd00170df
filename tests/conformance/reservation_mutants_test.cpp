// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "reservations": interleavings and paths that mutants.tsv asks for and reservation_test.cpp
// does not take.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "tests/support/gate.hpp"
#include "tests/support/notifications.hpp"
#include "tests/support/stub_compiler.hpp"
#include "tests/support/test_engine.hpp"

namespace berth::test {
namespace {

const int kMethods[4096] = {};
Key key(int n, const void* owner = nullptr) { return {&kMethods[n], owner}; }
ReserveOptions within(std::chrono::milliseconds time) {
  ReserveOptions options;
  options.deadline = Deadline::in(std::chrono::nanoseconds(time).count());
  return options;
}
ReserveOptions trying() { return within({}); }
berth_code_t code_of(const auto& result) {
  return result.has_error() ? result.assume_error().code() : BERTH_OK;
}

TEST(Reservation, R5_what_is_published_after_the_first_look_is_found_under_the_lock) {
  TestEngine engine;
  const Lease lease = engine.take(key(0));
  Pause pause("look");
  auto worker = engine.spawn([&](gc::Thread& thread) {
    auto got = engine->reserve(thread, key(0), {});
    EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
  });
  pause.until_reached();
  SourcePtr source = native(entry_of(0));
  ASSERT_TRUE(engine->publish(engine.thread(), {&lease, 1}, {&source, 1}).has_value());
  pause.release();
  worker->join();  // though the key is held
  EXPECT_EQ(engine.counts().waits, 0u);
  engine.release(lease);
  engine.expect_at_rest();
}

TEST(Reservation, R6_looks_again_after_a_take_at_once) {
  TestEngine engine;
  engine.release(engine.take(key(0)));  // the slot is there, free and plain
  Gate looks;
  Pause pause("look", [&](const void*) { return looks.is_open(); });
  auto worker = engine.spawn([&](gc::Thread& thread) {
    engine.release(thread, engine.take(thread, key(1)));  // so that this agent has a spare token
    looks.open();
    auto got = engine->reserve(thread, key(0), {});
    EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
  });
  pause.until_reached();
  engine.release(engine.take(key(0)), native(entry_of(0)));
  pause.release();
  worker->join();
  engine.expect_at_rest();
}

TEST(Reservation, R10_holds_asks_the_current_agent) {
  TestEngine engine;
  engine::Agent* fibre = engine->new_agent("fibre").assume_value();
  engine->set_agent(engine.thread(), fibre).assume_value();
  const Lease lease = engine.take(key(0));
  EXPECT_EQ(engine->holds(engine.thread(), key(0)), 1);
  engine->set_agent(engine.thread(), nullptr).assume_value();
  EXPECT_EQ(engine->holds(engine.thread(), key(0)), 0);
  engine.release(lease);
  ASSERT_TRUE(engine->delete_agent(fibre).has_value());
}

TEST(Reservation, R13_a_publication_notifies_whom_it_fits_and_nobody_else) {
  TestEngine engine;
  engine->advance_world();
  const Lease lease = engine.take(key(0));
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  std::atomic<int> published{0};
  for (int i = 0; i < 8; ++i) {
    workers.push_back(engine.spawn([&, i](gc::Thread& thread) {
      ReserveOptions options;
      options.world = i % 2 + 1;
      auto got = engine->reserve(thread, key(0), options);
      if (got.assume_value().outcome == Outcome::Published) {
        ++published;
      } else {
        engine.release(thread, got.assume_value().lease);
      }
    }));
    workers.back()->until_waiting();
  }
  {
    const Notifications sent;
    SourcePtr source = with_worlds(native(entry_of(0)), 1, 1);
    ASSERT_TRUE(engine->publish(engine.thread(), {&lease, 1}, {&source, 1}).has_value());
    EXPECT_EQ(sent.count(), 4);
  }
  engine.release(lease);
  workers.clear();
  EXPECT_EQ(published, 4);
  engine.expect_at_rest();
}

TEST(Reservation, R20_publication_and_a_partners_release_notify_though_the_key_is_held) {
  for (const bool by_partner : {false, true}) {
    TestEngine engine;
    const Lease mine = engine.take(key(0));
    Gate partner_holds;
    auto partner = engine.spawn([&](gc::Thread& thread) {
      const Lease theirs = engine.take(thread, key(1));
      partner_holds.open();
      auto got = engine->reserve(thread, key(0), {});
      EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
      engine.release(thread, theirs);
    });
    partner_holds.wait();
    partner->until_waiting();
    if (by_partner) {
      auto ring = engine.reserve(key(1));
      ASSERT_EQ(ring.assume_value().outcome, Outcome::Cycle);
      auto waiter = engine.spawn([&](gc::Thread& thread) {
        auto got = engine->reserve(thread, key(1), {});
        EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
      });
      waiter->until_waiting();
      {
        const Notifications sent;
        engine.release(ring.assume_value().lease, native(entry_of(1)));  // key 1 stays the partner's
        EXPECT_EQ(sent.count(), 1);
      }
      waiter->join();
    }
    const Notifications sent;
    SourcePtr source = native(entry_of(0));
    ASSERT_TRUE(engine->publish(engine.thread(), {&mine, 1}, {&source, 1}).has_value());
    EXPECT_EQ(sent.count(), 1);
    partner->join();
    engine.release(mine);
    engine.expect_at_rest();
  }
}

TEST(Reservation, R24_a_served_waiter_that_has_not_woken_is_on_no_ring) {
  TestEngine engine;
  const Lease mine = engine.take(key(0));
  Gate holds;
  auto worker = engine.spawn([&](gc::Thread& thread) {
    const Lease theirs = engine.take(thread, key(1));
    holds.open();
    auto got = engine->reserve(thread, key(0), {});
    EXPECT_EQ(got.assume_value().outcome, Outcome::Published);
    engine.release(thread, theirs);
  });
  holds.wait();
  worker->until_waiting();
  Pause pause("wake");
  SourcePtr source = native(entry_of(0));
  ASSERT_TRUE(engine->publish(engine.thread(), {&mine, 1}, {&source, 1}).has_value());
  pause.until_reached();  // served, and still in its wait; we hold its key
  EXPECT_EQ(code_of(engine.reserve(key(1), within(std::chrono::milliseconds(30)))), BERTH_TIMED_OUT);
  pause.release();
  worker->join();
  engine.release(mine);
  engine.expect_at_rest();
}

TEST(Reservation, R31_an_inner_lease_given_back_without_source_leaves_the_key_held) {
  TestEngine engine;
  const Lease outer = engine.take(key(0)), inner = engine.take(key(0));
  engine.release(inner);
  engine
      .spawn([&](gc::Thread& thread) {
        EXPECT_EQ(code_of(engine->reserve(thread, key(0), trying())), BERTH_TIMED_OUT);
      })
      ->join();
  engine.release(outer);
  engine.expect_at_rest();
}

TEST(Reservation, R37_payloads_are_dropped_without_a_lock) {
  static std::atomic<int> drops{0};
  drops = 0;
  const auto checked = [] {
    return result_only(entry_of(0), [](void*) {
      rank::check_none_held(200, 499, "a drop function");
      ++drops;
    });
  };
  {
    TestEngine engine;
    const Lease outer = engine.take(key(0)), inner = engine.take(key(0));
    engine.release(inner, checked());
    engine.release(outer, checked());  // a duplicate
    EXPECT_EQ(code_of(engine->release(engine.thread(), outer, checked())), BERTH_STALE_LEASE);
    engine->sweep([](const void*) { return false; });
    engine.impl().after_resume();
    const Lease late = engine.take(key(1));
    ASSERT_TRUE(engine->shutdown().has_value());
    EXPECT_EQ(code_of(engine->release(engine.thread(), late, checked())), BERTH_SHUT_DOWN);
  }
  EXPECT_EQ(drops, 4);
}

TEST(Reservation, R47_a_dead_owner_is_compared_with_nothing) {
  struct Owner {
    int number;
    bool is_dead = false;
  };
  EngineOptions options;
  options.traits.struct_size = sizeof options.traits;
  options.traits.hash = [](void*, const void* owner) {
    return static_cast<uint64_t>(static_cast<const Owner*>(owner)->number);
  };
  options.traits.equal = [](void*, const void* a, const void* b) {
    EXPECT_FALSE(static_cast<const Owner*>(a)->is_dead || static_cast<const Owner*>(b)->is_dead);
    return static_cast<int>(static_cast<const Owner*>(a)->number == static_cast<const Owner*>(b)->number);
  };
  TestEngine engine(options);
  Owner first{7}, second{7};
  engine.release(engine.take(key(0, &first)), native(entry_of(0)));
  engine->sweep([&](const void* object) { return object != &first; });
  engine.impl().after_resume();
  first.is_dead = true;
  engine.release(engine.take(key(0, &second)));
}

TEST(Reservation, R52_shutdown_serves_the_waiters_of_every_shard) {
  TestEngine engine({}, std::chrono::seconds(60));
  std::set<unsigned> shards;
  std::vector<Lease> leases;
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  std::atomic<int> shut{0};
  // None is at the end of a slice, where it would see for itself that the engine is shut down.
  Tally queued;
  Gate may_sleep;
  const latch::Hook hook("park", [&](const void*) {
    queued.add();
    may_sleep.wait();
  });
  for (int i = 0; i < 4096 && shards.size() < engine::ReservationTable::kShards; ++i) {
    const auto shard = static_cast<unsigned>(engine::ReservationTable::hash(key(i)) >>
                                             (64 - engine::ReservationTable::kShardBits));
    if (!shards.insert(shard).second) continue;
    leases.push_back(engine.take(key(i)));
    workers.push_back(engine.spawn([&, i](gc::Thread& thread) {
      if (code_of(engine->reserve(thread, key(i), {})) == BERTH_SHUT_DOWN) ++shut;
    }));
  }
  ASSERT_EQ(shards.size(), engine::ReservationTable::kShards);
  queued.until(static_cast<int>(shards.size()));
  {
    const Notifications sent;
    ASSERT_TRUE(engine->shutdown().has_value());
    EXPECT_EQ(sent.count(), static_cast<int>(shards.size()));
  }
  may_sleep.open();
  workers.clear();
  EXPECT_EQ(shut, static_cast<int>(shards.size()));
  for (const Lease& lease : leases) engine.release(lease);
  engine.expect_at_rest();
}

TEST(Reservation, R53_forked_child_needs_no_lock_that_another_thread_held) {
  TestEngine engine;
  const Lease lease = engine.take(key(1));
  engine.release(engine.take(key(0)), native(entry_of(0)));
  Gate locked, forked;
  std::thread other([&] {
    auto& impl = engine.impl();
    const sync::Lock world(impl.worlds.mutex());
    const sync::Lock shard(impl.table.shard(engine::ReservationTable::hash(key(0))).mutex);
    const sync::Lock graph(impl.graph.mutex());
    locked.open();
    forked.wait();
  });
  locked.wait();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // a child that waits for a lock dies
    bool right = code_of(engine.reserve(key(0))) == BERTH_FORKED;
    right = right && engine->lookup_entry(key(0), 0) == entry_of(0);
    right = right && code_of(engine->release(engine.thread(), lease, native(entry_of(1)))) == BERTH_FORKED;
    right = right && engine->holds(engine.thread(), key(1)) == 0;
    ::_exit(right ? 0 : 1);
  }
  forked.open();
  other.join();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  engine.release(lease);
}

TEST(Reservation, R61_the_world_moves_after_the_ranges_were_lowered) {
  TestEngine engine;
  engine.release(engine.take(key(0)), native(entry_of(0)));
  auto instance = engine->lookup(key(0), 0);
  const uint64_t before = engine->world();
  const uint64_t after = engine->advance_world_with([&](uint64_t now) {
    EXPECT_EQ(now, before);
    EXPECT_EQ(engine->world(), before);
    engine->lower_max_world(*instance, now);
  });
  EXPECT_EQ(after, before + 1);
  EXPECT_EQ(engine->lookup_entry(key(0), 0), nullptr);
}

TEST(Reservation, R65_no_member_of_a_group_is_found_before_the_last_is_linked) {
  TestEngine engine;
  const Lease leases[] = {engine.take(key(0)), engine.take(key(1)), engine.take(key(2))};
  SourcePtr sources[] = {native(entry_of(0)), native(entry_of(1)), native(entry_of(2))};
  int links = 0;
  const latch::Hook hook("link", [&](const void*) {
    ++links;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(engine->lookup_entry(key(i), 0), nullptr);
  });
  ASSERT_TRUE(engine->publish(engine.thread(), leases, sources).has_value());
  EXPECT_EQ(links, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(engine->lookup_entry(key(i), 0), entry_of(i));
  for (const Lease& lease : leases) engine.release(lease);
}

// The reader has nothing but the pointer to the code: under ThreadSanitizer only its order makes the read of
// the entry safe.
TEST(Reservation, R65_who_sees_the_code_sees_the_entry_behind_it) {
  StubCompiler stub;
  EngineOptions options;
  options.has_compiler_hooks = true;
  options.compiler_hooks = stub.hooks();
  options.compiler_context = &stub;
  TestEngine engine(options);
  for (int i = 0; i < 20; ++i) {
    stub.close_gate();
    auto source = std::make_unique<engine::Source>();
    source->body = std::make_unique<engine::OpaqueBody>(entry_of(i), nullptr);
    engine.release(engine.take(key(i)), std::move(source));
    auto instance = engine->lookup(key(i), 0);
    std::atomic<bool> reads{false};
    std::thread reader([&, raw = instance.get()] {
      reads.store(true, std::memory_order_relaxed);
      const engine::Code* code = nullptr;
      while (!(code = engine::instance_code(*raw))) std::this_thread::yield();
      EXPECT_EQ(code->entry, entry_of(i));
    });
    while (!reads.load(std::memory_order_relaxed)) std::this_thread::yield();
    stub.open_gate();
    reader.join();
  }
}

TEST(Reservation, R66_a_slot_recycled_between_look_and_take_is_given_back) {
  TestEngine engine;
  engine.release(engine.take(key(0)));
  const auto* before = engine.impl().table.find(key(0), engine::ReservationTable::hash(key(0))).slot;
  Gate looks;
  Pause pause("look", [&](const void*) { return looks.is_open(); });
  Lease theirs;
  Gate taken, done;
  auto worker = engine.spawn([&](gc::Thread& thread) {
    engine.release(thread, engine.take(thread, key(1)));  // so that this agent has a spare token
    looks.open();
    theirs = engine.take(thread, key(0));
    taken.open();
    const gc::SafeRegion region(thread);
    done.wait();
  });
  pause.until_reached();
  engine->sweep([](const void* object) { return object != &kMethods[0]; });
  engine.impl().after_resume();
  engine.release(engine.take(key(2)));
  ASSERT_EQ(engine.impl().table.find(key(2), engine::ReservationTable::hash(key(2))).slot, before);
  pause.release();
  taken.wait();
  EXPECT_EQ(code_of(engine.reserve(key(0), trying())), BERTH_TIMED_OUT);
  engine.release(engine.take(key(2), trying()));  // not the worker's
  engine.release(theirs);
  done.open();
  worker->join();
  engine.expect_at_rest();
}

TEST(Reservation, R69_explain_under_load_reads_only_leases_that_are_out) {
  TestEngine engine;
  // With W a lease cannot be given back without the lock that explain holds.
  const latch::Hook hook("explain", [](const void* slot) {
    EXPECT_NE(static_cast<const engine::Slot*>(slot)->hold.load() & engine::Slot::kWaiters, 0u);
  });
  const Lease held = engine.take(key(2));
  std::atomic<bool> stop{false};
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  for (int i = 0; i < 2; ++i) {
    workers.push_back(engine.spawn([&, i](gc::Thread& thread) {
      while (!stop) {
        // Borrowed until the lease ends: a later read finds freed memory or another text.
        const std::unique_ptr<char[]> label(new char[16]);
        std::strcpy(label.get(), "whole");
        ReserveOptions options;
        options.label = label.get();
        engine.release(thread, engine.take(thread, key(i), options));
        std::memset(label.get(), 'x', 15);
      }
    }));
  }
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(engine->explain().find("xx"), std::string::npos);
  stop = true;
  workers.clear();
  engine.release(held);
  engine.expect_at_rest();
}

TEST(Reservation, R70_leases_ended_by_others_are_counted) {
  TestEngine engine;
  engine::Agent* agent = engine->new_agent("gone").assume_value();
  engine->set_agent(engine.thread(), agent).assume_value();
  engine.take(key(0));
  const Lease second = engine.take(key(1));
  engine->set_agent(engine.thread(), nullptr).assume_value();
  engine.spawn([&](gc::Thread& thread) { engine.release(thread, second); })->join();
  ASSERT_TRUE(engine->delete_agent(agent).has_value());
  EXPECT_EQ(engine.counts().abandoned, 1u);
  engine.expect_at_rest();
}

}  // namespace
}  // namespace berth::test
