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
constexpr auto kTryAgain = std::chrono::milliseconds(50);  // when there was no memory, or nothing to replace

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
    if (const JobPtr overdue = replace_lost(next_loss)) {
      lock.unlock();
      answer(*overdue, over_time_error(overdue->job, "generate"));
      finish({&overdue, 1});
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

// Threads whose time is over lose their place. The job of one, to be failed; null: none. Of a batch nobody
// knows whose fault it is: other threads compile them all.
CompilePool::JobPtr CompilePool::replace_lost(sync::TimePoint& next) {
  const auto now = sync::Clock::now();
  for (size_t i = workers_.size(); i-- > 0;) {
    const std::shared_ptr<Worker> worker = workers_[i];
    if (worker->until > now) {
      next = std::min(next, worker->until);
      continue;
    }
    worker->until = sync::TimePoint::max();
    auto state = Worker::State::Generating;
    if (!worker->state.compare_exchange_strong(state, Worker::State::Lost, std::memory_order_acq_rel,
                                               std::memory_order_relaxed) &&
        state != Worker::State::Lost) {
      worker->until = now + kTryAgain;  // it may be about to begin
      next = std::min(next, worker->until);
      continue;
    }
    try {
      if (JobPtr overdue = replace(*worker)) return overdue;
    } catch (const std::bad_alloc&) {
      worker->until = now + kTryAgain;
      next = std::min(next, worker->until);
    }
  }
  return nullptr;
}

// A lost thread's jobs go on as copies, since it may still look at them.
CompilePool::JobPtr CompilePool::replace(Worker& worker) {
  const std::span<const JobPtr> unit = worker.run->unit();
  const auto unanswered = std::span(worker.run->jobs).subspan(worker.run->answered);
  std::vector<JobPtr> fresh;
  fresh.reserve(unanswered.size());
  for (const JobPtr& job : unanswered) fresh.push_back(job->alone_again());
  for (size_t i = 0; i < fresh.size(); ++i) queue_.hand_over(*unanswered[i], fresh[i]);
  // The thread ends at its next step, if it has one.
  for (const JobPtr& job : unit) job->cancelled.store(true, std::memory_order_relaxed);
  ++lost_;
  remove(worker);
  const bool is_one = unit.size() == 1;
  compile_alone(std::span(fresh).subspan(is_one));
  return is_one ? fresh.front() : nullptr;
}

// Claimed jobs whose thread will not come back: for other threads, in the same order.
void CompilePool::compile_alone(std::span<const JobPtr> jobs) noexcept {
  for (size_t i = jobs.size(); i-- > 0;) queue_.put_back(jobs[i]);
  const size_t wanted = std::min<size_t>(queue_.num_queued(), max_workers_);
  for (size_t i = 0; i < wanted; ++i) see_to_queued(queue_.has_fast());
}

// Its thread goes on without the pool.
void CompilePool::remove(Worker& worker) {
  if (worker.thread.joinable()) worker.thread.detach();
  --(worker.relief ? relief_ : regular_);
  std::erase_if(workers_, [&](const auto& other) { return other.get() == &worker; });
}

// When the worker is lost, should it be at the unit of `first` still.
void CompilePool::set_due(Worker& worker, const Job& first) {
  const std::chrono::nanoseconds time(first.job.budget.time_ns);
  worker.until = time.count() == 0 ? sync::TimePoint::max() : sync::Clock::now() + time;
  wake_supervisor(worker.until);
}

void CompilePool::begin_unit(Worker& worker, Run& run) {
  if (run.answered != 0 || run.alone) {  // the first one's time runs since it was taken
    const sync::Lock lock(mutex_);
    set_due(worker, *run.unit().front());
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
void CompilePool::park(Run& run, const char* text) {
  end_unit(*run.worker);
  JobPtr failed;
  if (run.unit().size() == 1) {
    failed = run.unit().front();
    ++run.answered;
    answer(*failed, compile_error(failed->job, compile_step(), fatal_code(), text,
                                  "change what the compiler cannot handle"));
  }
  {
    sync::Lock lock(mutex_);
    parked_.fetch_add(1, std::memory_order_relaxed);
    remove(*run.worker);
    const auto unanswered = std::span(run.jobs).subspan(run.answered);
    for (const JobPtr& job : unanswered) job->alone = true;
    compile_alone(unanswered);
  }
  run.jobs.clear();
  const auto left = left_;
  if (failed) finish({&failed, 1});
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
