// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agents of oneTBB tasks: a task that waits for a key or an entry is suspended, and its worker takes other
// tasks meanwhile. Header-only over berth/thread.h; needs oneTBB 2021 or later with resumable tasks.
//
//   berth::TbbTasks tasks(engine);
//   group.run([&] {
//     berth::TbbTask task(tasks, "infer f");
//     berth_reservation_t reservation;
//     berth::check(berth_reserve(task.thread(), key, nullptr, &reservation));  // may go on on another worker
//     ...
//     berth::check(berth_release(task.thread(), reservation.lease, source));
//   });
//
// A worker is attached when a task first needs it, and is safe outside of tasks, so that an idle one delays
// no collection; it is detached when it ends, or with the engine. A thread that the embedder attached is used
// as it is: it is safe while it waits for tasks.
#ifndef BERTH_TBB_HPP
#define BERTH_TBB_HPP

#include <tbb/task.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "berth/berth.hpp"

namespace berth {

/// Wakes suspended tasks that have waited long enough: oneTBB has no timed suspension. One helper thread.
/// Deleted after its tasks and before the engine.
class TbbTasks {
 public:
  explicit TbbTasks(berth_engine_t* engine) : engine_(engine), thread_([this] { run(); }) {}
  ~TbbTasks() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  TbbTasks(const TbbTasks&) = delete;
  TbbTasks& operator=(const TbbTasks&) = delete;

 private:
  friend class TbbTask;
  using Clock = std::chrono::steady_clock;
  using Alarms = std::multimap<Clock::time_point, class TbbTask*>;

  /// Record of the calling thread, attached if it is not yet. Throws ApiError.
  berth_thread_t* worker() const {
    if (berth_thread_t* thread = berth_thread_current(engine_)) return thread;
    berth_thread_t* thread = nullptr;
    check(berth_thread_attach(engine_, &thread));
    berth_thread_safe_enter(thread);
    return thread;
  }
  Alarms::iterator add(Clock::time_point time, TbbTask* task) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto alarm = alarms_.emplace(time, task);
    if (alarm == alarms_.begin()) changed_.notify_all();
    return alarm;
  }
  void remove(Alarms::iterator alarm) {
    const std::lock_guard<std::mutex> lock(mutex_);
    alarms_.erase(alarm);
  }
  inline void run();

  berth_engine_t* const engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Alarms alarms_;
  bool stopped_ = false;
  std::thread thread_;  // last: started when the rest is ready
};

/// The agent of one oneTBB task; lives on the task's stack, current on the task's worker while the task runs,
/// in place of the worker's own. In its scope the task waits for no other oneTBB work (a worker that takes
/// strangers' tasks meanwhile runs them above this agent). It runs safe; to touch managed objects it leaves
/// with berth_thread_safe_leave(task.thread(), BERTH_GC_UNSAFE) and enters again before it ends.
class TbbTask {
 public:
  /// Threads: any that may run tasks. Blocks: may wait, for a collection if it attaches. GC: any, kept.
  /// Errors: throws ApiError.
  TbbTask(TbbTasks& tasks, const char* name) : tasks_(tasks) {
    berth_thread_t* thread = tasks_.worker();
    check(berth_agent_new(tasks_.engine_, name, &agent_));
    const berth_park_hooks_t hooks{sizeof hooks, &park, &unpark};
    berth_agent_set_park_hooks(agent_, &hooks, this);
    berth_error_t* error = berth_thread_set_agent(thread, agent_, nullptr);
    if (error) berth_agent_delete(agent_);
    check(error);
  }
  ~TbbTask() {
    berth_error_delete(berth_thread_set_agent(thread(), nullptr, nullptr));
    berth_agent_delete(agent_);  // gives its leases back; no unpark is under way afterwards
  }
  TbbTask(const TbbTask&) = delete;
  TbbTask& operator=(const TbbTask&) = delete;

  /// The worker that the task is on; a call that may wait can change it. Threads: the task's. Blocks: never.
  berth_thread_t* thread() const noexcept { return berth_thread_current(tasks_.engine_); }
  berth_agent_t* agent() const noexcept { return agent_; }

 private:
  friend class TbbTasks;

  static berth_thread_t* park(void* self, berth_thread_t* thread, int64_t timeout_ns) {
    return static_cast<TbbTask*>(self)->suspend(thread, timeout_ns);
  }
  static void unpark(void* self) { static_cast<TbbTask*>(self)->wake(); }

  berth_thread_t* suspend(berth_thread_t* thread, int64_t timeout_ns) {
    if (exchange_state(nullptr)) return thread;
    const berth_gc_state_t state = berth_thread_safe_enter(thread);
    // Its worker runs other agents meanwhile. Before the alarm: an error leaves nothing behind.
    check(berth_thread_set_agent(thread, nullptr, nullptr));
    const auto alarm = tasks_.add(TbbTasks::Clock::now() + std::chrono::nanoseconds(timeout_ns), this);
    tbb::task::suspend([this](tbb::task::suspend_point point) {
      // Once the point is seen, the task may go on: nothing of it is touched any more.
      void* none = nullptr;
      if (!state_.compare_exchange_strong(none, point, std::memory_order_acq_rel)) tbb::task::resume(point);
    });
    tasks_.remove(alarm);
    exchange_state(nullptr);
    berth_thread_t* now = tasks_.worker();
    check(berth_thread_set_agent(now, agent_, nullptr));
    if (state == BERTH_GC_UNSAFE) berth_thread_safe_leave(now, state);
    return now;
  }
  void wake() noexcept {
    void* point = exchange_state(&state_);
    if (point && point != &state_) tbb::task::resume(static_cast<tbb::task::suspend_point>(point));
  }
  void* exchange_state(void* to) noexcept { return state_.exchange(to, std::memory_order_acq_rel); }

  TbbTasks& tasks_;
  berth_agent_t* agent_ = nullptr;
  // Null: runs; its own address: woken before it was suspended; else its suspend point, which whoever
  // exchanges it resumes. acq_rel: the task sees what its waker did.
  std::atomic<void*> state_{nullptr};
};

inline void TbbTasks::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopped_) {
    const auto now = Clock::now();
    const auto later = alarms_.upper_bound(now);
    // Under the mutex: a task that goes on removes its alarm before it ends.
    for (auto due = alarms_.begin(); due != later; ++due) due->second->wake();
    // Sliced, as glibc 2.36 can lose a notification (bug 25847).
    const auto slice = now + std::chrono::milliseconds(100);
    changed_.wait_until(lock, later == alarms_.end() ? slice : std::min(slice, later->first));
  }
}

}  // namespace berth

#endif
