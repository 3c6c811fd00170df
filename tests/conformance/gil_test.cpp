// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract G49: the engine behind a global lock, through the adapter of examples/gil.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "berth/berth.h"
#include "berth_gil.h"
#include "engine/clock.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/watchdog.hpp"

namespace berth {
namespace {

using namespace test;
using namespace std::chrono_literals;

constexpr int64_t kLeaseTimeoutNs = 1'000'000'000'000;  // passes by the clock's offset alone
const char methods[64] = {};
berth_key_t key(int n) { return {&methods[n], nullptr}; }

berth_code_t take(berth_error_t* error) {
  const berth_code_t code = berth_error_code(error);
  berth_error_delete(error);
  return code;
}
void succeed(berth_error_t* error) {
  EXPECT_EQ(error, nullptr) << berth_error_message(error);
  berth_error_delete(error);
}

/// A runtime with a global lock, which this thread has; threads that it starts take it, attach, and end
/// without it.
class Gil : public ::testing::Test {
 protected:
  Gil() {
    gil_init(&gil_);
    berth_config_t* config = berth_config_new();
    gil_configure(&gil_, config);
    berth_config_set_lease_timeout(config, kLeaseTimeoutNs);
    succeed(berth_engine_new(config, &engine_));
    berth_config_delete(config);
    gil_take(&gil_);
    succeed(berth_thread_attach(engine_, &thread_));
  }
  ~Gil() override {
    berth_thread_detach(thread_);
    gil_give(&gil_);
    berth_engine_delete(engine_);
  }
  std::thread spawn(std::function<void(berth_thread_t*)> body) {
    return std::thread([this, body = std::move(body)] {
      gil_take(&gil_);
      berth_thread_t* thread = nullptr;
      succeed(berth_thread_attach(engine_, &thread));
      body(thread);
      berth_thread_detach(thread);
      gil_give(&gil_);
    });
  }
  berth_lease_t lease_of(berth_thread_t* thread, int n) {
    berth_reservation_t got{};
    succeed(berth_reserve(thread, key(n), nullptr, &got));
    EXPECT_EQ(got.outcome, BERTH_RESERVED);
    return got.lease;
  }
  void release(berth_thread_t* thread, berth_lease_t lease) {
    berth_source_t* source = nullptr;
    succeed(berth_source_new(&source));
    succeed(berth_release(thread, lease, source));
  }
  /// Lets others run, and asks the engine, until somebody waits for a key.
  void until_waiting() {
    for (;;) {
      char* text = berth_engine_metrics(engine_);
      const bool waits = std::string(text).find("\nberth_waiters 1\n") != std::string::npos;
      berth_string_delete(text);
      if (waits) return;
      berth_thread_safepoint(thread_);
      std::this_thread::yield();
    }
  }
  /// The same for the number of threads that wait for the lock.
  void until_wanted() {
    for (bool is_wanted = false; !is_wanted; std::this_thread::yield()) {
      pthread_mutex_lock(&gil_.mutex);
      is_wanted = gil_.next_turn - gil_.turn > 1;
      pthread_mutex_unlock(&gil_.mutex);
    }
  }
  std::string explain() {
    char* text = berth_engine_explain(engine_);
    std::string copy = text;
    berth_string_delete(text);
    return copy;
  }

  Watchdog watchdog_{20s};
  gil_t gil_;
  berth_engine_t* engine_ = nullptr;
  berth_thread_t* thread_ = nullptr;
};

TEST_F(Gil, G49_a_waiter_gives_the_lock_up_and_has_it_again_afterwards) {
  const berth_lease_t held = lease_of(thread_, 0);
  bool has_run = false;  // the lock
  std::thread waiter = spawn([&](berth_thread_t* thread) {
    berth_reservation_t got{};
    succeed(berth_reserve(thread, key(0), nullptr, &got));
    EXPECT_EQ(got.outcome, BERTH_PUBLISHED);
    EXPECT_FALSE(std::exchange(has_run, true));
    berth_instance_release(got.published);
  });
  until_waiting();  // it waits, and this thread runs
  release(thread_, held);
  until_wanted();  // served, it waits for the lock: that is no wait for a key
  EXPECT_EQ(explain().find("waiting_ns"), std::string::npos);
  EXPECT_FALSE(has_run);
  const int previous = static_cast<int>(berth_thread_safe_enter(thread_));
  waiter.join();
  berth_thread_safe_leave(thread_, static_cast<berth_gc_state_t>(previous));
  EXPECT_TRUE(has_run);
}

TEST_F(Gil, G49_a_safepoint_lets_the_others_go_first) {
  int turn = 0;  // the lock
  std::thread other = spawn([&](berth_thread_t* thread) {
    for (int i = 0; i < 100; ++i) {
      while (turn % 2 == 0) berth_thread_safepoint(thread);
      ++turn;
    }
  });
  for (int i = 0; i < 100; ++i) {
    while (turn % 2 == 1) berth_thread_safepoint(thread_);
    ++turn;
  }
  const berth_gc_state_t previous = berth_thread_safe_enter(thread_);
  other.join();
  berth_thread_safe_leave(thread_, previous);
  EXPECT_EQ(turn, 200);
}

TEST_F(Gil, G49_others_go_on_though_a_safe_leave_never_returns_and_its_lease_times_out) {
  const berth_lease_t held = lease_of(thread_, 0);
  std::thread lost = spawn([&](berth_thread_t* thread) {
    const berth_lease_t mine = lease_of(thread, 1);
    berth_reservation_t got{};
    succeed(
        berth_reserve(thread, key(0), nullptr, &got));  // does not come back while the runtime is finalized
    berth_instance_release(got.published);
    EXPECT_EQ(take(berth_release(thread, mine, nullptr)), BERTH_STALE_LEASE);
  });
  until_waiting();
  gil_finalize(&gil_);
  release(thread_, held);  // serves it: it leaves its safe region, and hangs there
  until_wanted();
  const unsigned long turn_of_lost = gil_.next_turn - 1;

  // All that this thread asks for comes, also what the lost one holds, once its lease has timed out.
  berth_reserve_options_t trying{};
  trying.struct_size = sizeof trying;
  berth_reservation_t got{};
  EXPECT_EQ(take(berth_reserve(thread_, key(1), &trying, &got)), BERTH_TIMED_OUT);
  for (int i = 2; i < 64; ++i) release(thread_, lease_of(thread_, i));
  engine::detail::clock_offset_ns += 2 * kLeaseTimeoutNs;
  release(thread_, lease_of(thread_, 1));
  engine::detail::clock_offset_ns -= 2 * kLeaseTimeoutNs;
  EXPECT_EQ(explain().find("\"holder\""), std::string::npos);
  berth_engine_sweep(engine_);

  // For this test's sake it comes back at last, to find its lease gone.
  pthread_mutex_lock(&gil_.mutex);
  gil_.is_finalizing = 0;
  gil_.turn = turn_of_lost - 1;  // this thread has the lock, the lost one is next
  gil_.next_turn = turn_of_lost + 1;
  pthread_mutex_unlock(&gil_.mutex);
  const berth_gc_state_t previous = berth_thread_safe_enter(thread_);
  lost.join();
  berth_thread_safe_leave(thread_, previous);
}

}  // namespace
}  // namespace berth
