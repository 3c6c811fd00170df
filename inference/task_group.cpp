// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/task_group.hpp"

#include <system_error>

namespace berth::inference {

Result<void> TaskGroup::start(std::function<void()> body) {
  reap();
  sync::Lock lock(mutex_);
  const uint64_t id = next_++;
  try {
    // Under the lock, so that a body that ends at once finds its entry.
    running_[id] = std::thread([this, id, body = std::move(body)] {
      body();
      sync::Lock ending(mutex_);
      finished_.push_back(std::move(running_.extract(id).mapped()));
      ended_.notify_all();
    });
  } catch (const std::system_error& error) {
    running_.erase(id);
    return make_error(BERTH_RESOURCE_EXHAUSTED, "spawn", error.what(), "join tasks before spawning more");
  }
  return success();
}

void TaskGroup::reap() {
  std::vector<std::thread> finished;
  {
    sync::Lock lock(mutex_);
    finished.swap(finished_);
  }
  for (std::thread& thread : finished) thread.join();  // has left its body: returns at once
}

void TaskGroup::wait() {
  for (bool empty = false; !empty;) {
    {
      sync::Lock lock(mutex_);
      while (!running_.empty()) ended_.wait_until(lock, sync::Clock::now() + std::chrono::milliseconds(100));
      empty = finished_.empty();
    }
    reap();
  }
}

}  // namespace berth::inference
