// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract row R39: a oneTBB worker never blocks. In an arena of one thread a task that blocked would keep
// from running what it waits for.
#include <gtest/gtest.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "berth/tbb.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::test {
namespace {

using namespace std::chrono_literals;

int entry() { return 39; }
const char kMethods[64] = {};
berth_key_t key(int i) { return {&kMethods[i], nullptr}; }

berth_source_t* native() { return SourceOwner::from_native(reinterpret_cast<void*>(&entry)).consume(); }

class TbbWait : public ::testing::Test {
 protected:
  /// The group's work, run and waited for in the arena of one.
  template <class Body>
  void run(EngineOwner& engine, Body&& body) {
    berth_thread_t* own = berth_thread_current(engine.get());
    const SafeScope safe(own);
    arena_.execute([&] {
      body();
      group_.wait();
    });
  }
  static uint64_t waits(EngineOwner& engine) {
    berth_engine_counts_t counts{};
    counts.struct_size = sizeof counts;
    berth_engine_counts(engine.get(), &counts);
    return counts.waits;
  }

  Watchdog watchdog_{20s};
  tbb::task_arena arena_{1, 1};
  std::unique_ptr<tbb::task_group> owner_ =
      std::make_unique<tbb::task_group>();  // its destructor may throw, a fixture's may not
  tbb::task_group& group_ = *owner_;
};

TEST_F(TbbWait, R39_a_task_waits_for_the_lease_of_a_task_of_its_arena) {
  EngineOwner engine;
  ThreadOwner thread(engine);
  TbbTasks tasks(engine.get());
  berth_reservation_t outside{};
  check(berth_reserve(thread.get(), key(1), nullptr, &outside));
  int published = 0;
  run(engine, [&] {
    group_.run([&] {
      TbbTask holder(tasks, "holder");
      berth_reservation_t held{};
      check(berth_reserve(holder.thread(), key(0), nullptr, &held));
      group_.run([&] { check(berth_release(berth_thread_current(engine.get()), outside.lease, nullptr)); });
      group_.run([&] {
        TbbTask waiter(tasks, "waiter");
        berth_reservation_t got{};
        check(berth_reserve(waiter.thread(), key(0), nullptr, &got));
        published += got.outcome == BERTH_PUBLISHED;
        berth_instance_release(got.published);
      });
      // The thread takes its newest task first: the holder waits here, then the waiter, then the key is given
      // back.
      berth_reservation_t second{};
      check(berth_reserve(holder.thread(), key(1), nullptr, &second));
      check(berth_release(holder.thread(), second.lease, nullptr));
      check(berth_release(holder.thread(), held.lease, native()));
    });
  });
  EXPECT_EQ(published, 1);
  EXPECT_EQ(waits(engine), 2u);
}

TEST_F(TbbWait, R39_a_task_waits_for_a_compile_that_is_a_task_of_its_arena) {
  struct Compiler {
    tbb::task_group* group;
    static void submit(void* self, berth_job_t* job) {
      static_cast<Compiler*>(self)->group->run(
          [job] { berth_job_publish(job, berth_job_source(job), nullptr); });
    }
  } compiler{&group_};
  berth_compiler_hooks_t hooks{};
  hooks.struct_size = sizeof hooks;
  hooks.submit = &Compiler::submit;
  ConfigOwner config(berth_config_new());
  berth_config_set_compiler_hooks(config.get(), &hooks, &compiler);
  EngineOwner engine(config.get());
  ThreadOwner thread(engine);
  TbbTasks tasks(engine.get());
  void* found = nullptr;
  run(engine, [&] {
    group_.run([&] {
      TbbTask task(tasks, "caller");
      berth_reservation_t reserved{};
      check(berth_reserve(task.thread(), key(2), nullptr, &reserved));
      berth_source_t* source = nullptr;
      check(berth_source_from_opaque(reinterpret_cast<void*>(&entry), nullptr, &source));
      berth_instance_t* instance = reserved.lease.instance;
      berth_instance_retain(instance);
      check(berth_release(task.thread(), reserved.lease, source));
      check(berth_instance_wait_entry(task.thread(), instance, -1, &found));
      berth_instance_release(instance);
    });
  });
  EXPECT_EQ(found, reinterpret_cast<void*>(&entry));
  EXPECT_EQ(waits(engine), 1u);
}

TEST_F(TbbWait, R39_a_suspended_wait_keeps_its_deadline) {
  EngineOwner engine;
  ThreadOwner thread(engine);
  TbbTasks tasks(engine.get());
  auto held = thread.reserve(key(3));
  berth_code_t code = BERTH_OK;
  int others = 0;
  run(engine, [&] {
    group_.run([&] {
      TbbTask task(tasks, "hurried");
      group_.run([&] { ++others; });
      // The worker runs that one meanwhile. Longer, if the time had passed before it came to it.
      for (int64_t timeout_ns = 5'000'000; others == 0; timeout_ns *= 2) {
        berth_reserve_options_t options{};
        options.struct_size = sizeof options;
        options.timeout_ns = timeout_ns;
        berth_reservation_t got{};
        berth_error_t* error = berth_reserve(task.thread(), key(3), &options, &got);
        code = berth_error_code(error);
        berth_error_delete(error);
      }
    });
  });
  EXPECT_EQ(code, BERTH_TIMED_OUT);
}

TEST_F(TbbWait, R39_shutdown_reaches_a_suspended_task) {
  EngineOwner engine;
  ThreadOwner thread(engine);
  TbbTasks tasks(engine.get());
  auto held = thread.reserve(key(4));
  berth_code_t code = BERTH_OK;
  run(engine, [&] {
    group_.run([&] {
      TbbTask task(tasks, "caller");
      group_.run([&] { check(berth_engine_shutdown(engine.get())); });
      berth_reservation_t got{};
      berth_error_t* error = berth_reserve(task.thread(), key(4), nullptr, &got);
      code = berth_error_code(error);
      berth_error_delete(error);
    });
  });
  EXPECT_EQ(code, BERTH_SHUT_DOWN);
}

// Tasks of two workers hold and ask for keys in orders of their own; each result is worked out once.
TEST_F(TbbWait, R39_tasks_of_two_workers_share_their_results) {
  constexpr int kTasks = 200, kKeys = 8;
  EngineOwner engine;
  ThreadOwner thread(engine);
  TbbTasks tasks(engine.get());
  tbb::task_arena arena(2, 1);
  std::atomic<int> worked{0};
  {
    const SafeScope safe(thread.get());
    arena.execute([&] {
      for (int t = 0; t < kTasks; ++t) {
        group_.run([&, t] {
          TbbTask task(tasks, "task");
          for (int i = 0; i < kKeys; ++i) {
            berth_reservation_t got{};
            check(berth_reserve(task.thread(), key(8 + (t + i) % kKeys), nullptr, &got));
            if (got.outcome == BERTH_PUBLISHED) {
              berth_instance_release(got.published);
            } else {
              ++worked;
              check(berth_release(task.thread(), got.lease, native()));
            }
          }
        });
      }
      group_.wait();
    });
  }
  EXPECT_EQ(worked, kKeys);
}

}  // namespace
}  // namespace berth::test
