// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WorkerPool: threads that serve channels round robin: take the next ticket, run its stages, finish it.
//
// Each worker is attached to the engine, unsafe in a stage, safe while it sleeps. Rank: 178. Cost: one lock
// per wake.
#pragma once
#include <thread>
#include <vector>

#include "jit/channel/channel.hpp"

namespace berth::jit {

class WorkerPool {
 public:
  /// Errors: RESOURCE_EXHAUSTED if a thread cannot start.
  static Result<std::unique_ptr<WorkerPool>> make(engine::Engine& engine, uint32_t threads);
  ~WorkerPool();  // its channels are gone

  void add(Channel& channel);
  /// Returns when no worker looks at the channel any more. Threads: any but a worker. Blocks: may wait, for a
  /// stage.
  void remove(Channel& channel);
  void wake();

 private:
  explicit WorkerPool(engine::Engine& engine) : engine_(engine) {}
  void work();
  bool serve_one(gc::Thread& thread);
  void run_stages(gc::Thread& thread, Channel& channel, const Channel::Taken& taken);

  engine::Engine& engine_;
  sync::Mutex mutex_{Rank{178, "worker pool"}};
  sync::Condition changed_;
  sync::Condition released_;
  std::vector<Channel*> channels_ BERTH_GUARDED_BY(mutex_);
  std::vector<Channel*> in_use_ BERTH_GUARDED_BY(mutex_);  // one entry per worker that looks at it
  uint64_t published_ BERTH_GUARDED_BY(mutex_) = 0;
  size_t next_ BERTH_GUARDED_BY(mutex_) = 0;
  bool stopping_ BERTH_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace berth::jit
