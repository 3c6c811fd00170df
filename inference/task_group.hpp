// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TaskGroup: the native threads of a program's spawned calls, so that the program can wait for their end.
//
//   state   | start                  | body ends | wait
//   Open    | a thread runs the body | reaped by the next start or wait | joins all
//
// Rank: 170. Cost of a start: one thread.
#pragma once
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "support/result.hpp"
#include "support/sync.hpp"

namespace berth::inference {

class TaskGroup {
 public:
  TaskGroup() = default;
  ~TaskGroup() { wait(); }
  /// Runs `body` on a thread of its own. Threads: any. Blocks: short. GC: any, kept. Errors:
  /// RESOURCE_EXHAUSTED.
  Result<void> start(std::function<void()> body);
  /// Returns when every started body has ended and its thread is joined. Threads: any but the group's own.
  /// Blocks: may wait. GC: must be safe or unattached.
  void wait();

 private:
  void reap();
  sync::Mutex mutex_{Rank{170, "task group"}};
  sync::Condition ended_;
  uint64_t next_ BERTH_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::thread> running_ BERTH_GUARDED_BY(mutex_);
  std::vector<std::thread> finished_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::inference
