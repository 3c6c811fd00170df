// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a compile pool, and what one of them compiles now. Only for the pool's own sources.
#pragma once
#include <boost/thread/thread.hpp>
#include <span>
#include <vector>

#include "jit/compile_pool.hpp"

namespace berth::jit {

/// Bytes left on this thread's stack; all of the world if it cannot be found out, as on a fibre's.
/// Threads: any. Blocks: never.
size_t stack_left() noexcept;

/// Threads: one at a time; of a lost thread's the supervisor's.
struct CompilePool::Run {
  Worker* worker = nullptr;  // null: in place
  std::vector<JobPtr> jobs;
  size_t answered = 0;  // the first ones
  bool alone = false;   // one by one
  std::span<const JobPtr> unit() const {
    return std::span(jobs).subspan(answered, alone ? 1 : jobs.size() - answered);
  }
};

struct CompilePool::Worker {
  boost::thread thread;
  sync::Condition wake;  // one waiter ever, so a notification cannot be stolen
  // What it compiles next, by whoever wakes it or by itself; has room, so that taking needs no memory. The
  // pool's lock.
  std::vector<JobPtr> batch;
  bool relief = false;
  bool idle = false;  // the pool's lock
  enum class State : uint8_t { Resting, Generating, Lost };
  // By the worker around each unit; Generating -> Lost by the supervisor, which then owns the run's answers:
  // release and acquire, so that it sees the run, and a worker that finds itself lost touches nothing that
  // the supervisor may have freed since.
  sync::Atomic<State> state{State::Resting};
  Run* run = nullptr;                              // before Generating
  sync::TimePoint until = sync::TimePoint::max();  // the pool's lock
};

}  // namespace berth::jit
