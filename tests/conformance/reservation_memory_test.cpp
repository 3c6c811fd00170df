// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract rows R54, R69 and R71: operator new fails or is watched. Each case runs until no allocation is
// left to fail, once with only the n-th failing and once with all from it on.
#include <gtest/gtest.h>

#include "berth/berth.hpp"
#include "engine/handles.hpp"
#include "tests/support/failing_new.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/test_engine.hpp"

namespace berth::test {
namespace {

using namespace std::chrono_literals;

const char kMethods[16] = {};
berth_key_t key(int i) { return {&kMethods[i], nullptr}; }
int entry() { return 54; }

berth_source_t* native() { return SourceOwner::from_native(reinterpret_cast<void*>(&entry)).consume(); }
berth_code_t consume(berth_error_t* error) {
  const berth_code_t code = berth_error_code(error);
  berth_error_delete(error);
  return code;
}

/// An engine of the C API whose counts can be asked.
struct Fixture {
  explicit Fixture(const berth_config_t* config = nullptr) : engine(config), thread(engine) {}
  engine::Engine::Impl& impl() { return engine::to_engine(engine.get())->impl(); }
  int64_t num_leases() { return impl().agents.totals().leases; }
  berth_lease_t take(int i) {
    berth_reservation_t got{};
    check(berth_reserve(thread.get(), key(i), nullptr, &got));
    return got.lease;
  }
  void give_back(berth_lease_t lease) { check(berth_release(thread.get(), lease, nullptr)); }
  /// Nothing is left of the key, and the engine works.
  void expect_free(int i) {
    EXPECT_EQ(berth_holds(thread.get(), key(i)), 0);
    EXPECT_EQ(berth_lookup_entry(engine.get(), key(i), 0), nullptr);
    berth_reservation_t got{};
    berth_reserve_options_t options{};
    options.struct_size = sizeof options;
    options.timeout_ns = 0;
    EXPECT_EQ(consume(berth_reserve(thread.get(), key(i), &options, &got)), BERTH_OK);
    EXPECT_EQ(got.outcome, BERTH_RESERVED);
    give_back(got.lease);
  }
  EngineOwner engine;
  ThreadOwner thread;
};

/// Calls `run(arm)` with one more allocation before the failure each time, until none fails. `run` prepares,
/// makes a FailingNew by arm(), and returns the code of the call under it.
void fail_each(
    const std::function<void(const std::function<berth_code_t(const std::function<berth_error_t*()>&)>&)>&
        run) {
  for (const FailingNew::Mode mode : {FailingNew::Mode::Once, FailingNew::Mode::FromThenOn}) {
    int64_t failures = 0;
    for (int64_t n = 1;; ++n) {
      ASSERT_LT(n, 1000);
      SCOPED_TRACE("allocation " + std::to_string(n) + (mode == FailingNew::Mode::Once ? "" : " and later"));
      bool failed = false;
      run([&](const std::function<berth_error_t*()>& call) {
        berth_error_t* error = nullptr;
        {
          const FailingNew failing(n, mode);
          error = call();
          failed = failing.has_failed();
        }
        return consume(error);
      });
      if (::testing::Test::HasFailure()) return;
      if (!failed) break;
      ++failures;
    }
    EXPECT_GT(failures, 0) << "the call allocates nothing: it proves nothing here";
  }
}

class NoMemory : public ::testing::Test {
  Watchdog watchdog_{60s};
};

TEST_F(NoMemory, R54_reserve) {
  fail_each([](const auto& call) {
    Fixture f;
    berth_reservation_t got{};
    const berth_code_t code = call([&] { return berth_reserve(f.thread.get(), key(0), nullptr, &got); });
    if (code == BERTH_OK) return f.give_back(got.lease);
    EXPECT_EQ(code, BERTH_OUT_OF_MEMORY);
    EXPECT_EQ(f.num_leases(), 0);
    f.expect_free(0);
  });
}

TEST_F(NoMemory, R54_reserve_again_by_the_same_agent) {
  fail_each([](const auto& call) {
    Fixture f;
    const berth_lease_t outer = f.take(0);
    berth_reservation_t got{};
    const berth_code_t code = call([&] { return berth_reserve(f.thread.get(), key(0), nullptr, &got); });
    EXPECT_EQ(f.num_leases(), code == BERTH_OK ? 2 : 1);
    if (code == BERTH_OK) f.give_back(got.lease);
    f.give_back(outer);
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_OUT_OF_MEMORY);
    f.expect_free(0);
  });
}

TEST_F(NoMemory, R54_time_out_with_its_chain) {
  fail_each([](const auto& call) {
    Fixture f;
    berth_agent_t* other = nullptr;
    check(berth_agent_new(f.engine.get(), "other", &other));
    const AgentOwner owner(other);
    check(berth_thread_set_agent(f.thread.get(), other, nullptr));
    const berth_lease_t held = f.take(0);
    check(berth_thread_set_agent(f.thread.get(), nullptr, nullptr));
    berth_reserve_options_t options{};
    options.struct_size = sizeof options;
    berth_reservation_t got{};
    const berth_code_t code = call([&] { return berth_reserve(f.thread.get(), key(0), &options, &got); });
    EXPECT_TRUE(code == BERTH_TIMED_OUT || code == BERTH_OUT_OF_MEMORY) << code;
    EXPECT_EQ(f.num_leases(), 1);
    EXPECT_EQ(f.impl().num_waiting.load(), 0);
    f.give_back(held);
    f.expect_free(0);
  });
}

TEST_F(NoMemory, R54_release_ends_its_lease) {
  fail_each([](const auto& call) {
    Fixture f;
    f.give_back(f.take(1));
    berth_instance_t* callee = nullptr;
    {
      const berth_lease_t lease = f.take(2);
      callee = lease.instance;
      berth_instance_retain(callee);
      check(berth_release(f.thread.get(), lease, native()));
    }
    const berth_lease_t lease = f.take(0);
    berth_source_t* source = native();
    berth_source_add_edge(source, callee, "callee");
    static int drops = 0;
    drops = 0;
    berth_source_set_payload(source, &drops, [](void*) { ++drops; });
    const berth_code_t code = call([&] { return berth_release(f.thread.get(), lease, source); });
    EXPECT_EQ(f.num_leases(), 0);
    berth_instance_release(callee);
    if (code == BERTH_OK) {
      EXPECT_NE(berth_lookup_entry(f.engine.get(), key(0), 0), nullptr);
      EXPECT_EQ(drops, 0);
      return;
    }
    EXPECT_EQ(code, BERTH_OUT_OF_MEMORY);
    EXPECT_EQ(drops, 1);
    f.expect_free(0);
  });
}

TEST_F(NoMemory, R54_release_error_ends_its_lease) {
  fail_each([](const auto& call) {
    Fixture f;
    const berth_lease_t lease = f.take(0);
    const berth_code_t code = call([&] {
      return berth_release_error(f.thread.get(), lease, "a text that is longer than a string's own room", -1);
    });
    EXPECT_EQ(f.num_leases(), 0);
    if (code == BERTH_OK) return;
    EXPECT_EQ(code, BERTH_OUT_OF_MEMORY);
    f.expect_free(0);  // no failure is kept
  });
}

TEST_F(NoMemory, R54_publish_makes_all_or_none_visible) {
  fail_each([](const auto& call) {
    Fixture f;
    const berth_lease_t leases[] = {f.take(0), f.take(1)};
    berth_source_t* sources[] = {native(), native()};
    berth_source_add_edge(sources[0], leases[1].instance, "b");
    berth_source_add_edge(sources[1], leases[0].instance, "a");
    const berth_code_t code = call([&] { return berth_publish(f.thread.get(), leases, sources, 2); });
    EXPECT_EQ(f.num_leases(), 2);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(berth_lookup_entry(f.engine.get(), key(i), 0) != nullptr, code == BERTH_OK);
    for (const berth_lease_t& lease : leases) f.give_back(lease);
    if (code == BERTH_OK) return;
    EXPECT_EQ(code, BERTH_OUT_OF_MEMORY);
    for (int i = 0; i < 2; ++i) f.expect_free(i);
  });
}

// Eight wait, in two worlds: each is served whatever memory the releaser lacks.
TEST_F(NoMemory, R54_release_with_waiters_loses_none) {
  fail_each([](const auto& call) {
    TestEngine engine;
    const auto thread = engine::to_handle(&engine.thread());
    berth_reservation_t held{};
    check(berth_reserve(thread, key(0), nullptr, &held));
    std::atomic<int> served{0};
    std::vector<std::unique_ptr<TestEngine::Worker>> workers;
    for (int i = 0; i < 8; ++i) {
      workers.push_back(engine.spawn([&](gc::Thread& own) {
        auto got = engine->reserve(own, key(0), {});
        ASSERT_TRUE(got.has_value());
        ++served;
        if (got.assume_value().outcome != Outcome::Published) engine.release(own, got.assume_value().lease);
      }));
      workers.back()->until_waiting();
    }
    berth_source_t* source = native();
    const berth_code_t code = call([&] { return berth_release(thread, held.lease, source); });
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_OUT_OF_MEMORY) << code;
    workers.clear();
    EXPECT_EQ(served, 8);
    engine.expect_at_rest();
  });
}

// The waiter lacks memory in its wait: it leaves no entry, edge or key behind, and the holder's release
// serves the others.
TEST_F(NoMemory, R54_wait_and_cycle) {
  for (const bool refuse : {false, true}) {
    fail_each([refuse](const auto& call) {
      EngineOptions options;
      options.cycle_policy = refuse ? BERTH_CYCLE_REFUSE : BERTH_CYCLE_SHARE;
      TestEngine engine(options);
      const auto thread = engine::to_handle(&engine.thread());
      const Lease mine = engine.take(key(0));
      auto worker = engine.spawn([&](gc::Thread& own) {
        const Lease theirs = engine.take(own, key(1));
        auto got = engine->reserve(own, key(0), {});
        ASSERT_TRUE(got.has_value());
        engine.release(own, got.assume_value().lease);
        engine.release(own, theirs);
      });
      worker->until_waiting();
      berth_reservation_t got{};
      const berth_code_t code = call([&] { return berth_reserve(thread, key(1), nullptr, &got); });
      EXPECT_TRUE(code == (refuse ? BERTH_WOULD_DEADLOCK : BERTH_OK) || code == BERTH_OUT_OF_MEMORY) << code;
      EXPECT_EQ(agent_of(engine.thread()).num_leases(), code == BERTH_OK ? 2 : 1);
      if (code == BERTH_OK) check(berth_release(thread, got.lease, nullptr));
      engine.release(mine);
      worker->join();
      engine.expect_at_rest();
    });
  }
}

TEST_F(NoMemory, R54_compile) {
  berth_compiler_hooks_t hooks{};
  hooks.struct_size = sizeof hooks;
  hooks.submit = [](void*, berth_job_t* job) { berth_job_publish(job, berth_job_source(job), nullptr); };
  fail_each([&](const auto& call) {
    ConfigOwner config(berth_config_new());
    berth_config_set_compiler_hooks(config.get(), &hooks, nullptr);
    Fixture f(config.get());
    const berth_lease_t lease = f.take(0);
    berth_instance_retain(lease.instance);
    const InstanceRef instance(lease.instance);
    berth_source_t* source = nullptr;
    check(berth_source_from_opaque(reinterpret_cast<void*>(&entry), nullptr, &source));
    const berth_code_t code = call([&] { return berth_release(f.thread.get(), lease, source); });
    EXPECT_EQ(f.num_leases(), 0);
    if (code != BERTH_OK) {
      EXPECT_EQ(code, BERTH_OUT_OF_MEMORY);
      return f.expect_free(0);
    }
    // A compile that lacked memory is asked for again by who needs the entry.
    void* found = nullptr;
    EXPECT_EQ(consume(berth_instance_wait_entry(f.thread.get(), instance.get(), -1, &found)), BERTH_OK);
    EXPECT_EQ(found, reinterpret_cast<void*>(&entry));
  });
}

TEST_F(NoMemory, R54_what_is_made) {
  Fixture f;
  const auto made = [&](const char* name, const std::function<berth_error_t*()>& make,
                        const std::function<void()>& drop) {
    SCOPED_TRACE(name);
    fail_each([&](const auto& call) {
      const berth_code_t code = call(make);
      if (code == BERTH_OK) return drop();
      EXPECT_EQ(code, BERTH_OUT_OF_MEMORY);
    });
  };
  berth_engine_t* engine = nullptr;
  berth_agent_t* agent = nullptr;
  berth_cancel_t* cancel = nullptr;
  berth_source_t* source = nullptr;
  made("engine", [&] { return berth_engine_new(nullptr, &engine); }, [&] { berth_engine_delete(engine); });
  made(
      "agent",
      [&] {
        return berth_agent_new(f.engine.get(), "a name that is longer than a string's own room", &agent);
      },
      [&] { berth_agent_delete(agent); });
  made(
      "cancel", [&] { return berth_cancel_new(f.engine.get(), &cancel); },
      [&] { berth_cancel_delete(cancel); });
  made(
      "native", [&] { return berth_source_from_native(reinterpret_cast<void*>(&entry), &source); },
      [&] { berth_source_delete(source); });
  made(
      "constant", [&] { return berth_source_from_constant("54", 2, &source); },
      [&] { berth_source_delete(source); });
  made(
      "opaque", [&] { return berth_source_from_opaque(&f, nullptr, &source); },
      [&] { berth_source_delete(source); });
  made("result", [&] { return berth_source_new(&source); }, [&] { berth_source_delete(source); });
  std::thread([&] {
    berth_thread_t* thread = nullptr;
    made(
        "thread", [&] { return berth_thread_attach(f.engine.get(), &thread); },
        [&] { berth_thread_detach(thread); });
  }).join();
  EXPECT_EQ(f.num_leases(), 0);
}

TEST_F(NoMemory, R54_a_source_whose_edge_was_lost_is_not_published) {
  Fixture f;
  const berth_lease_t callee = f.take(1), lease = f.take(0);
  berth_source_t* source = native();
  {
    const FailingNew failing(1, FailingNew::Mode::FromThenOn);
    berth_source_add_edge(source, callee.instance, "a symbol that is longer than a string's own room");
  }
  EXPECT_EQ(consume(berth_release(f.thread.get(), lease, source)), BERTH_OUT_OF_MEMORY);
  f.expect_free(0);
  f.give_back(callee);
}

// Between lock and unlock of a wait nothing is allocated, and no transition is made (the checked build dies):
// on every way through it but the errors that carry a chain.
TEST_F(NoMemory, R71_waits_allocate_nothing_under_a_lock) {
  enum class Way { Result, HandOver, Failure, Cancel, Entry };
  for (const Way way : {Way::Result, Way::HandOver, Way::Failure, Way::Cancel}) {
    TestEngine engine;
    engine::Cancel cancel;
    const Lease held = engine.take(key(0));
    std::atomic<int64_t> allocations{-1};
    auto worker = engine.spawn([&](gc::Thread& thread) {
      ReserveOptions options;
      options.cancel = &cancel;
      engine.release(thread,
                     engine.take(thread, key(2)));  // its list of leases and its spare tokens are there
      const int64_t before = num_allocations_under_lock();
      auto got = engine->reserve(thread, key(0), options);
      allocations = num_allocations_under_lock() - before;
      if (got.has_value() && got.assume_value().outcome == Outcome::Reserved)
        engine.release(thread, got.assume_value().lease);
    });
    worker->until_waiting();
    SourcePtr source = test::native(entry_of(0));
    const int64_t before = num_allocations_under_lock();
    if (way == Way::Result) engine.release(held, std::move(source));
    if (way == Way::HandOver) engine.release(held);
    if (way == Way::Failure) {
      ASSERT_TRUE(
          engine->release_error(engine.thread(), held, make_error(BERTH_COMPILE_FAILED, "", "x", ""), 0)
              .has_value());
    }
    if (way == Way::Cancel) cancel.fire();
    EXPECT_EQ(num_allocations_under_lock() - before, 0) << "way " << static_cast<int>(way);
    worker->join();
    EXPECT_EQ(allocations, 0) << "way " << static_cast<int>(way);
    if (way == Way::Cancel) engine.release(held);
    engine.expect_at_rest();
  }
}

// However much there is to copy: the room for it is made between two tries.
TEST_F(NoMemory, R69_explain_allocates_nothing_under_a_lock) {
  TestEngine engine;
  static const char methods[200] = {};
  const std::string label(5000, 'x');
  ReserveOptions options;
  options.label = label.c_str();
  std::vector<Lease> leases;
  for (const char& method : methods) leases.push_back(engine.take({&method, nullptr}, options));
  std::vector<std::unique_ptr<TestEngine::Worker>> workers;
  for (int i = 0; i < 3; ++i) {
    workers.push_back(engine.spawn(
        [&](gc::Thread& thread) { engine.release(thread, engine.take(thread, {&methods[0], nullptr})); }));
    workers.back()->until_waiting();
  }
  const int64_t before = num_allocations_under_lock();
  const std::string text = engine->explain();
  EXPECT_EQ(num_allocations_under_lock() - before, 0);
  const auto count = [&](const std::string& part) {
    int n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
    return n;
  };
  EXPECT_EQ(count("{\"key\":"), 200);
  EXPECT_EQ(count("\"label\":\"" + label + "\""), 200);
  EXPECT_EQ(count("\"waiting_ns\":"), 3);
  for (const Lease& lease : leases) engine.release(lease);
  workers.clear();
  engine.expect_at_rest();
}

}  // namespace
}  // namespace berth::test
