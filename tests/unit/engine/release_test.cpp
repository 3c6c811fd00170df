// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Broken contracts of agents in a build without checks: refused, counted, and deferred (with checks they are
// fatal).
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "berth/berth.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::test {
namespace {

using namespace std::chrono_literals;

const int kMethods[4] = {};
berth_key_t key(int i) { return {&kMethods[i], nullptr}; }

class ReleaseBuild : public ::testing::Test {
 protected:
  berth_agent_t* make(const char* name) {
    berth_agent_t* agent = nullptr;
    check(berth_agent_new(engine_.get(), name, &agent));
    return agent;
  }
  bool is_free(int i) {
    berth_reserve_options_t options{};
    options.struct_size = sizeof options;
    berth_reservation_t got{};
    berth_error_t* error = berth_reserve(thread_.get(), key(i), &options, &got);
    if (!error) check(berth_release(thread_.get(), got.lease, nullptr));
    const bool free = !error && got.outcome == BERTH_RESERVED;
    berth_error_delete(error);
    return free;
  }
  uint64_t misuses() {
    const std::string text = engine_.metrics();
    const size_t at = text.find("\nberth_gc_misuses_total ");
    return std::stoull(text.substr(at + 24));
  }
  Watchdog watchdog_{20s};
  EngineOwner engine_;
  ThreadOwner thread_{engine_};
};

TEST_F(ReleaseBuild, R41_a_current_agent_is_deleted_once_it_is_not) {
  berth_agent_t* agent = make("current");
  check(berth_thread_set_agent(thread_.get(), agent, nullptr));
  berth_reservation_t got{};
  check(berth_reserve(thread_.get(), key(0), nullptr, &got));
  berth_agent_delete(agent);
  EXPECT_EQ(misuses(), 1u);
  EXPECT_EQ(berth_holds(thread_.get(), key(0)), 1);  // it works on
  berth_agent_t* previous = agent;
  check(berth_thread_set_agent(thread_.get(), nullptr, &previous));
  EXPECT_EQ(previous, nullptr);  // gone
  EXPECT_TRUE(is_free(0));
  berth_error_t* error = berth_release(thread_.get(), got.lease, nullptr);
  EXPECT_EQ(berth_error_code(error), BERTH_STALE_LEASE);
  berth_error_delete(error);
}

TEST_F(ReleaseBuild, R41_a_waiting_agent_is_deleted_once_its_wait_is_over) {
  struct Parked {
    berth_agent_t* agent;  // null: deleted
    berth_agent_t* own;
    static berth_thread_t* park(void* self, berth_thread_t* thread, int64_t) {
      auto* parked = static_cast<Parked*>(self);
      check(berth_thread_set_agent(thread, nullptr, nullptr));
      if (parked->agent)
        berth_agent_delete(std::exchange(parked->agent, nullptr));  // while it waits, current nowhere
      check(berth_thread_set_agent(thread, parked->own, nullptr));
      return thread;
    }
    static void unpark(void*) {}
  } parked{make("waiting"), nullptr};
  parked.own = parked.agent;
  const berth_park_hooks_t hooks{sizeof hooks, &Parked::park, &Parked::unpark};
  berth_agent_set_park_hooks(parked.agent, &hooks, &parked);
  auto held = thread_.reserve(key(1));
  check(berth_thread_set_agent(thread_.get(), parked.own, nullptr));
  berth_reserve_options_t options{};
  options.struct_size = sizeof options;
  options.timeout_ns = 1'000'000;
  berth_reservation_t got{};
  berth_error_t* error = berth_reserve(thread_.get(), key(1), &options, &got);
  EXPECT_EQ(berth_error_code(error), BERTH_TIMED_OUT);
  berth_error_delete(error);
  EXPECT_EQ(misuses(), 1u);
  berth_agent_t* previous = parked.own;
  check(berth_thread_set_agent(thread_.get(), nullptr, &previous));
  EXPECT_EQ(previous, nullptr);
}

TEST_F(ReleaseBuild, R41_a_second_thread_is_refused) {
  berth_agent_t* agent = make("taken");
  check(berth_thread_set_agent(thread_.get(), agent, nullptr));
  {
    const SafeScope safe(thread_.get());
    std::thread([&] {
      ThreadOwner other(engine_);
      berth_error_t* error = berth_thread_set_agent(other.get(), agent, nullptr);
      EXPECT_EQ(berth_error_code(error), BERTH_INVALID_ARGUMENT);
      berth_error_delete(error);
    }).join();
  }
  check(berth_thread_set_agent(thread_.get(), nullptr, nullptr));
  berth_agent_delete(agent);
}

TEST_F(ReleaseBuild, attach_works_after_shutdown_to_give_leases_back) {
  berth_reservation_t got{};
  check(berth_reserve(thread_.get(), key(2), nullptr, &got));
  check(berth_engine_shutdown(engine_.get()));
  std::thread([&] {
    ThreadOwner other(engine_);
    check(berth_release(other.get(), got.lease, nullptr));
  }).join();
  EXPECT_EQ(berth_holds(thread_.get(), key(2)), 0);
}

}  // namespace
}  // namespace berth::test
