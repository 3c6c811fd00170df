// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/device/host_arena.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "jit/device/launch.hpp"

namespace berth::jit {
namespace {

// Jobs reach oneTBB's tasks through this mutex: a sanitizer that does not see into the library sees the
// hand-over.
struct Process {
  sync::Mutex mutex{Rank{168, "host arena"}};
  std::deque<std::shared_ptr<Launch>> offered BERTH_GUARDED_BY(mutex);
  std::unique_ptr<tbb::global_control> control BERTH_GUARDED_BY(mutex);
  std::shared_ptr<tbb::task_arena> arena BERTH_GUARDED_BY(mutex);
  unsigned width BERTH_GUARDED_BY(mutex) = 0;
};

// Never destroyed: oneTBB's workers may outlive static destruction.
Process& process() {
  static Process& process = *new Process;
  return process;
}

void help_one() {
  std::shared_ptr<Launch> launch;
  {
    Process& p = process();
    sync::Lock lock(p.mutex);
    if (p.offered.empty()) return;
    launch = std::move(p.offered.front());
    p.offered.pop_front();
  }
  launch->help();
}

}  // namespace

void HostArena::reserve(unsigned threads) {
  Process& p = process();
  sync::Lock lock(p.mutex);
  const unsigned wanted = std::max({2u, threads, std::thread::hardware_concurrency()});
  if (wanted <= p.width) return;
  // The limit counts a thread of the caller's, the arena's slots are workers alone: one more, or oneTBB warns
  // on stderr. The smallest limit wins, so the larger one is made before the old goes.
  auto control =
      std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, wanted + 1);
  p.control = std::move(control);
  p.arena = std::make_shared<tbb::task_arena>(static_cast<int>(wanted), 0);
  p.width = wanted;
}

void HostArena::offer(const std::shared_ptr<Launch>& launch, unsigned helpers) {
  Process& p = process();
  std::shared_ptr<tbb::task_arena> arena;
  {
    sync::Lock lock(p.mutex);
    helpers = std::min(helpers, p.width);
    for (unsigned i = 0; i < helpers; ++i) p.offered.push_back(launch);
    arena = p.arena;
  }
  for (unsigned i = 0; i < helpers; ++i) arena->enqueue(help_one);
}

}  // namespace berth::jit
