// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StubCompiler: a code generator behind berth/compiler.h, without code: its entry is the source pointer
// itself.
//
// With a thread, jobs run there, in order; without, in `help` only. A gate may hold jobs, a plan makes them
// fail.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "berth/compiler.h"
#include "berth/reservation.h"

namespace berth::test {

class StubCompiler {
 public:
  /// `work` runs per job and answers it; default: publishes the source pointer as entry.
  /// Without history, lifted() and order() stay empty: for runs of any length.
  explicit StubCompiler(bool has_thread = true, std::function<void(berth_job_t*)> work = {},
                        bool has_history = true)
      : has_thread_(has_thread), has_history_(has_history), work_(work ? std::move(work) : publish) {
    if (has_thread_) thread_ = std::thread([this] { run(); });
  }
  ~StubCompiler() {
    stop();
    if (thread_.joinable()) thread_.join();
  }

  static void publish(berth_job_t* job) { berth_job_publish(job, berth_job_source(job), nullptr); }

  berth_compiler_hooks_t hooks() const {
    berth_compiler_hooks_t hooks{};
    hooks.struct_size = sizeof hooks;
    hooks.submit = [](void* self, berth_job_t* job) { static_cast<StubCompiler*>(self)->submit(job); };
    if (!has_thread_) {
      hooks.help = [](void* self, berth_instance_t* instance, int64_t) {
        return static_cast<StubCompiler*>(self)->help(instance);
      };
    }
    hooks.lift = [](void* self, berth_instance_t* instance, uint32_t) {
      static_cast<StubCompiler*>(self)->lift(instance);
    };
    hooks.stop = [](void* self, int) { static_cast<StubCompiler*>(self)->stop(); };
    return hooks;
  }

  /// Jobs wait at the gate while it is closed.
  void close_gate() {
    const std::lock_guard lock(mutex_);
    gate_open_ = false;
  }
  void open_gate() {
    const std::lock_guard lock(mutex_);
    gate_open_ = true;
    changed_.notify_all();
  }
  int num_compiled() const { return compiled_.load(); }
  size_t num_queued() {
    const std::lock_guard lock(mutex_);
    return queue_.size();
  }
  std::vector<berth_instance_t*> lifted() {
    const std::lock_guard lock(mutex_);
    return lifted_;
  }
  std::vector<berth_instance_t*> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  void submit(berth_job_t* job) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(job);
    changed_.notify_all();
  }
  void lift(berth_instance_t* instance) {
    const std::lock_guard lock(mutex_);
    if (has_history_) lifted_.push_back(instance);
    for (auto job = queue_.begin(); job != queue_.end(); ++job) {
      if (berth_job_instance(*job) != instance) continue;
      berth_job_t* found = *job;
      queue_.erase(job);
      queue_.push_front(found);
      break;
    }
  }
  int help(berth_instance_t* instance) {
    berth_job_t* found = nullptr;
    {
      const std::lock_guard lock(mutex_);
      for (auto job = queue_.begin(); job != queue_.end() && !found; ++job) {
        if (berth_job_instance(*job) != instance) continue;
        found = *job;
        queue_.erase(job);
        break;
      }
      if (!found) return 0;
      if (has_history_) order_.push_back(instance);
    }
    compiled_.fetch_add(1);
    work_(found);
    return 1;
  }
  void run() {
    for (;;) {
      berth_job_t* job = nullptr;
      {
        std::unique_lock lock(mutex_);
        // Sliced, as glibc 2.36 can lose a notification.
        while (!((gate_open_ && !queue_.empty()) || stopped_))
          changed_.wait_for(lock, std::chrono::milliseconds(50));
        if (queue_.empty()) return;
        job = queue_.front();
        queue_.pop_front();
        if (has_history_) order_.push_back(berth_job_instance(job));
      }
      compiled_.fetch_add(1);
      work_(job);
    }
  }
  void stop() {
    std::deque<berth_job_t*> left;
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      if (!has_thread_) left.swap(queue_);
      changed_.notify_all();
    }
    for (berth_job_t* job : left) berth_job_fail(job, "the compiler stopped");
  }

  const bool has_thread_, has_history_;
  const std::function<void(berth_job_t*)> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<berth_job_t*> queue_;
  std::vector<berth_instance_t*> lifted_, order_;
  bool gate_open_ = true, stopped_ = false;
  std::atomic<int> compiled_{0};
  std::thread thread_;
};

}  // namespace berth::test
