// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CompilePool: its threads: starting, waking, what each does next, and the end of all.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <new>

#include "jit/compile_error.hpp"
#include "jit/compile_pool_worker.hpp"
#include "jit/containment.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

constexpr size_t kStackBytes = size_t{16} << 20;
constexpr size_t kNeededStackBytes = size_t{1} << 20;
constexpr auto kReliefIdle = std::chrono::milliseconds(100);

boost::thread::attributes thread_attributes() {
  boost::thread::attributes attributes;
  attributes.set_stack_size(kStackBytes);
  return attributes;
}

// A thread's heap of glibc's grows by one page per system call, each of which stops all page faults of the
// process: a compile's few MiB at once cost a tenth of that. What is freed keeps its place.
void extend_heap() noexcept {
  constexpr size_t kBlockBytes = size_t{96} << 10;  // below what is mapped alone
  std::array<void*, 24> blocks;
  for (void*& block : blocks) block = std::malloc(kBlockBytes);
  for (void* block : blocks) std::free(block);
}

}  // namespace

// glibc finds the main thread's by reading /proc/self/maps (100 us): once per thread. Nothing in here changes
// threads under a fibre.
size_t stack_left() noexcept {
  struct Bounds {
    uintptr_t low = 0, high = 0;
    Bounds() noexcept {
      pthread_attr_t attributes;
      if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
      void* start = nullptr;
      size_t size = 0;
      if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
        low = reinterpret_cast<uintptr_t>(start);
        high = low + size;
      }
      pthread_attr_destroy(&attributes);
    }
  };
  thread_local const Bounds stack;
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here < stack.low || here >= stack.high ? SIZE_MAX : here - stack.low;
}

// With `assigned` (taken already) any idle worker will do; without, it takes the best job itself.
// Relief workers take only FAST jobs by themselves.
bool CompilePool::wake_idle_worker(const JobPtr& assigned, bool fast) {
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                  [&](const Worker* worker) { return fast || !worker->relief; });
  if (found == idle_.rend()) return false;
  Worker* const worker = *found;
  idle_.erase(std::next(found).base());
  worker->idle = false;
  assign(*worker, assigned);
  worker->wake.notify_one();
  return true;
}

void CompilePool::assign(Worker& worker, const JobPtr& job) {
  if (!job) return;
  worker.batch.push_back(job);
  queue_.take_group(worker.batch);
}

bool CompilePool::start_worker(bool relief, const JobPtr& assigned) {
  if (stopped_) return false;
  for (auto& thread : ended_)
    thread.join();  // they have left the lock for the last time: no wait worth the name
  ended_.clear();
  std::shared_ptr<Worker> worker;
  try {
    worker = std::make_shared<Worker>();
    worker->relief = relief;
    if (!mutant::is_on("J60_batch_without_room")) worker->batch.reserve(limits_.batch_jobs);
    workers_.push_back(worker);
    idle_.reserve(workers_.size());
    ended_.reserve(workers_.size());
    worker->thread = boost::thread(thread_attributes(), [this, worker] { worker_loop(worker); });
  } catch (const std::exception&) {  // no thread to be had: the job stays queued for those that there are
    std::erase(workers_, worker);
    return false;
  }
  assign(*worker, assigned);  // it waits for the lock
  ++(relief ? relief_ : regular_);
  return true;
}

// A job was queued: somebody will take it.
void CompilePool::see_to_queued(bool fast) {
  if (wake_idle_worker(nullptr, fast)) return;
  const bool started = regular_ < max_workers_ && start_worker(false, nullptr);
  if (!started) wake_supervisor(relief_due());
}

// Into the worker's batch; false: the thread's end.
bool CompilePool::take_jobs(Worker& worker) {
  sync::Lock lock(mutex_);
  const auto idle_since = sync::Clock::now();
  const auto idle_until = idle_since + kReliefIdle, trim_at = idle_since + limits_.unused_time;
  bool trimmed = worker.relief;
  worker.until = sync::TimePoint::max();
  if (mutant::is_on("J28_timer")) worker.wake.wait_until(lock, idle_since + std::chrono::milliseconds(50));
  while (true) {
    if (worker.batch.empty()) {
      queue_.take_batch(worker.relief, worker.batch);
      if (worker.batch.size() == 1 && !stopping_ && generator_->may_find())
        queue_.take_look_ups(worker.batch);
    }
    const bool expired = worker.relief && sync::Clock::now() >= idle_until;
    if (const bool has_jobs = !worker.batch.empty(); has_jobs || stopping_ || expired) {
      if (worker.idle) std::erase(idle_, &worker);
      worker.idle = false;
      if (!has_jobs) return false;
      run_ += worker.batch.size();
      set_due(worker, *worker.batch.front());
      return true;
    }
    if (!worker.idle) {
      worker.idle = true;
      idle_.push_back(&worker);
    }
    if (!trimmed && sync::Clock::now() >= trim_at) {
      trimmed = true;
      lock.unlock();
      generator_->trim(limits_.unused_time);
      lock.lock();
    } else if (worker.relief) {
      worker.wake.wait_until(lock, idle_until);
    } else if (!trimmed) {
      worker.wake.wait_until(lock, trim_at);
    } else {
      worker.wake.wait(lock);
    }
    // A wake-up without a call of wake_idle_worker (spurious, or time): still in the idle list, which is
    // right.
  }
}

void CompilePool::worker_loop(std::shared_ptr<Worker> worker) {
  extend_heap();
  while (take_jobs(*worker)) run_on_pool_thread(*worker);
  sync::Lock lock(mutex_);
  if (!worker->relief || stopped_) return;  // stop joins by the handle it took
  --relief_;
  if (worker->thread.joinable()) ended_.push_back(std::move(worker->thread));
  std::erase(workers_, worker);
}

void CompilePool::run_on_pool_thread(Worker& worker) {
  Run work{&worker, std::move(worker.batch)};
  {
    // Two words: std::function needs no memory for them.
    const ContainmentScope scope([this, &work](const char* text) { park(work, text); });
    if (work.jobs.size() > 1 && !work.jobs.front()->may_share()) look_up(work);
    run(work);
  }
  work.jobs.clear();
  worker.batch = std::move(work.jobs);
}

// The best job and its group, for this thread.
std::vector<CompilePool::JobPtr> CompilePool::take_in_place() {
  std::vector<JobPtr> jobs;
  jobs.reserve(limits_.batch_jobs);
  const sync::Lock lock(mutex_);
  if (JobPtr best = queue_.take_best(false)) {
    jobs.push_back(std::move(best));
    queue_.take_group(jobs);
  }
  return jobs;
}

// Jobs that were taken.
void CompilePool::run_in_place(std::vector<JobPtr> jobs) {
  {
    sync::Lock lock(mutex_);
    in_place_ += jobs.size();
    run_ += jobs.size();
  }
  Run work{nullptr, std::move(jobs)};
  const auto compile = [&] {
    const ContainmentScope scope([](const char* text) { throw FatalEscape{text}; });
    run(work);
  };
  if (stack_left() >= kNeededStackBytes) return compile();
  try {
    boost::thread thread(thread_attributes(), compile);
    thread.join();
  } catch (const std::exception&) {
    for (const JobPtr& job : work.jobs) {
      answer(*job, compile_error(job->job, "start", BERTH_RESOURCE_EXHAUSTED,
                                 "less than 1 MiB of stack, and no thread to be had",
                                 "compile on a thread with more stack"));
    }
    finish(work.jobs);
  }
}

void CompilePool::stop(engine::StopMode mode) {
  if (in_child()) return abandon_threads();
  std::vector<boost::thread> to_join;
  unsigned parked = 0;
  bool has_threads = false;
  {
    sync::Lock lock(mutex_);
    if (stopped_) return;
    stopping_ = true;
    has_threads = regular_ != 0;
  }
  if (mode == engine::StopMode::Drop || !has_threads) {
    for (auto jobs = take_in_place(); !jobs.empty(); jobs = take_in_place()) {
      if (mode == engine::StopMode::Drop) {
        for (const JobPtr& job : jobs) drop(*job);
        finish(jobs);
      } else {
        run_in_place(std::move(jobs));
      }
    }
  }
  {
    sync::Lock lock(mutex_);
    for (const auto& worker : workers_) worker->wake.notify_one();
    supervisor_wake_.notify_one();
    if (mutant::is_on("J21_free_before_join")) generator_->close();
    while (queue_.num_queued() != 0 || queue_.num_running() != 0) quiet_.wait(lock);
    for (const auto& worker : workers_) {
      worker->wake.notify_one();
      to_join.push_back(std::move(worker->thread));
    }
    supervisor_wake_.notify_one();
    to_join.push_back(std::move(supervisor_));
    for (auto& thread : ended_) to_join.push_back(std::move(thread));
    ended_.clear();
    parked = parked_.load(std::memory_order_relaxed);
    stopped_ = true;
  }
  for (auto& thread : to_join) {
    if (thread.joinable()) thread.join();
  }
  for (unsigned left; (left = left_->load(std::memory_order_acquire)) < parked;) left_->wait(left);
  generator_->close();
}

// In a forked child: the threads are not here, and the lock may be held for ever. Nothing is joined, their
// records leak.
void CompilePool::abandon_threads() {
  for (const auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.detach();
  }
  if (supervisor_.joinable()) supervisor_.detach();
}

}  // namespace berth::jit
