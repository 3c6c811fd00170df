// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CompilePool: its supervisor, and the threads that do not come back: lost to a compile without end, or
// parked by a fatal error.
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "jit/compile_error.hpp"
#include "jit/compile_pool_worker.hpp"
#include "jit/containment.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

constexpr auto kLeftBehind = std::chrono::milliseconds(1);

// Reachable, so that a leak checker tells it from a mistake.
void keep_for_ever(void* kept) {
  static std::mutex mutex;
  static auto* const all = new std::vector<void*>;
  const std::lock_guard lock(mutex);
  all->push_back(kept);
}

}  // namespace

// The supervisor is to look at `due`, or before.
void CompilePool::wake_supervisor(sync::TimePoint due) {
  if (due >= supervisor_due_ || stopped_) return;
  if (!supervisor_.joinable()) {
    try {
      supervisor_ = boost::thread([this] { supervise(); });
    } catch (const std::exception&) {
      return;  // no thread to be had: the next job asks again
    }
  }
  supervisor_due_ = due;
  supervisor_wake_.notify_one();
}

// A FAST job that nobody awaits gets relief when it is 1 ms old and the pool has claimed nothing for as long.
sync::TimePoint CompilePool::relief_due() const {
  if (relief_ >= max_workers_ || mutant::is_on("J15_no_relief")) return sync::TimePoint::max();
  const sync::TimePoint oldest = queue_.oldest_fast();
  return oldest == sync::TimePoint::max()
             ? oldest
             : std::max({oldest, queue_.last_take(), last_relief_}) + kLeftBehind;
}

void CompilePool::supervise() {
  sync::Lock lock(mutex_);
  while (!stopped_) {
    sync::TimePoint next_loss = sync::TimePoint::max();
    if (const auto overdue = replace_lost(next_loss); !overdue.empty()) {
      lock.unlock();
      for (const JobPtr& job : overdue) answer(*job, over_time_error(job->job, "generate"));
      finish(overdue);
      lock.lock();
      continue;
    }
    if (relief_due() <= sync::Clock::now()) {
      start_worker(true, nullptr);
      last_relief_ = sync::Clock::now();
    }
    supervisor_due_ = std::min(relief_due(), next_loss);
    if (supervisor_due_ == sync::TimePoint::max()) {
      supervisor_wake_.wait(lock);
    } else {
      supervisor_wake_.wait_until(lock, supervisor_due_);
    }
  }
}

// Threads whose time is over lose their place. Returns the jobs to be failed; of a batch nobody knows whose
// fault it is.
std::vector<CompilePool::JobPtr> CompilePool::replace_lost(sync::TimePoint& next) {
  const auto now = sync::Clock::now();
  std::vector<JobPtr> overdue;
  const auto workers = workers_;
  for (const auto& worker : workers) {
    if (worker->until > now) {
      next = std::min(next, worker->until);
      continue;
    }
    worker->until = sync::TimePoint::max();
    auto generating = Worker::State::Generating;
    if (!worker->state.compare_exchange_strong(generating, Worker::State::Lost, std::memory_order_acq_rel,
                                               std::memory_order_relaxed)) {
      continue;
    }
    ++lost_;
    remove(*worker);
    const std::span<const JobPtr> unit = worker->run->unit();
    std::span<const JobPtr> rest = std::span(worker->run->jobs).subspan(worker->run->answered);
    if (unit.size() == 1) {
      overdue.push_back(queue_.hand_over(*unit.front()));
      rest = rest.subspan(1);
    }
    compile_alone(rest);
    // The thread ends at its next step, if it has one.
    for (const JobPtr& job : unit) job->cancelled.store(true, std::memory_order_relaxed);
  }
  return overdue;
}

// Claimed jobs whose thread will not come back: for other threads, in the same order.
void CompilePool::compile_alone(std::span<const JobPtr> jobs) {
  for (size_t i = jobs.size(); i-- > 0;) queue_.put_back(queue_.hand_over(*jobs[i]));
  const size_t wanted = std::min<size_t>(queue_.num_queued(), max_workers_);
  for (size_t i = 0; i < wanted; ++i) see_to_queued(queue_.has_fast());
}

// Its thread goes on without the pool.
void CompilePool::remove(Worker& worker) {
  if (worker.thread.joinable()) worker.thread.detach();
  --(worker.relief ? relief_ : regular_);
  std::erase_if(workers_, [&](const auto& other) { return other.get() == &worker; });
}

void CompilePool::begin_unit(Worker& worker, Run& run, sync::TimePoint until) {
  {
    sync::Lock lock(mutex_);
    worker.until = until;
    wake_supervisor(until);
  }
  worker.run = &run;
  worker.state.store(Worker::State::Generating, std::memory_order_release);
}

// A lost thread stays here: the pool, its generator and its engine may be gone, and its jobs are not
// released.
void CompilePool::end_unit(Worker& worker) {
  if (worker.state.exchange(Worker::State::Resting, std::memory_order_acq_rel) != Worker::State::Lost) return;
  stay_out_of_compiler();
  while (true) pause();
}

// LLVM must not be returned to: the thread answers its job, hands its place to another, and never runs again.
// Of a batch nobody knows which job it was: each is compiled alone, on other threads.
void CompilePool::park(Worker& worker, Run& run, const char* text) {
  end_unit(worker);
  const std::span<const JobPtr> unit = run.unit();
  size_t answered = 0;
  if (unit.size() == 1) {
    answer(*unit[answered++], compile_error(unit.front()->job, compile_step(), fatal_code(), text,
                                            "change what the compiler cannot handle"));
  }
  run.answered += answered;
  {
    sync::Lock lock(mutex_);
    ++parked_;
    remove(worker);
    compile_alone(std::span(run.jobs).subspan(run.answered));
  }
  const auto left = left_;
  finish(unit.first(answered));
  let_go(std::span(run.jobs).subspan(run.answered));  // others have them
  left->fetch_add(1, std::memory_order_release);
  left->notify_all();
  stay_out_of_compiler();
  while (true) pause();
}

CompilePool::~CompilePool() {
  stop(engine::StopMode::Drop);
  sync::Lock lock(mutex_);
  if (lost_ != 0) keep_for_ever(generator_.release());
}

}  // namespace berth::jit
