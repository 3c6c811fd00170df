// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/compile_pool.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>

#include "jit/compile_error.hpp"
#include "jit/containment.hpp"

namespace berth::jit {
namespace {

using engine::Priority;

constexpr size_t kStackBytes = size_t{16} << 20;
constexpr size_t kNeededStackBytes = size_t{1} << 20;
constexpr auto kLeftBehind = std::chrono::milliseconds(1);
constexpr auto kReliefIdle = std::chrono::milliseconds(100);
constexpr auto kAgeStep = std::chrono::seconds(1);
constexpr size_t kMostRememberedLifts = 4096;

boost::thread::attributes thread_attributes() {
  boost::thread::attributes attributes;
  attributes.set_stack_size(kStackBytes);
  return attributes;
}

/// Bytes left on this thread's stack; all of the world if it cannot be found out.
size_t stack_left() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return SIZE_MAX;
  void* low = nullptr;
  size_t size = 0;
  const int failed = pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  const auto here = reinterpret_cast<uintptr_t>(&attributes);
  const auto bottom = reinterpret_cast<uintptr_t>(low);
  return failed || here < bottom || here >= bottom + size ? SIZE_MAX : here - bottom;  // elsewhere: a fibre's stack, unknown
}

class ErrnoKept {
 public:
  ErrnoKept() : value_(errno) {}
  ~ErrnoKept() { errno = value_; }
  ErrnoKept(const ErrnoKept&) = delete;
  ErrnoKept& operator=(const ErrnoKept&) = delete;

 private:
  int value_;
};

}  // namespace

struct CompilePool::Job {
  explicit Job(engine::CompileJob job) : job(std::move(job)), bytes(this->job.source && this->job.source->body ? this->job.source->body->size() : 0) {}
  engine::CompileJob job;
  const size_t bytes;
  const sync::TimePoint since = sync::Clock::now();
  JobList::iterator place;  // in the queue of its priority, while queued; the pool's lock
  bool queued = false;      // the pool's lock
  // Written by cancel, read between steps of the compile; only asks to stop early, the sink decides: relaxed.
  sync::Atomic<bool> cancelled{false};
};

struct CompilePool::Worker {
  boost::thread thread;
  sync::Condition wake;  // one waiter ever, so a notification cannot be stolen
  JobPtr assigned;       // the pool's lock
  bool relief = false;
  bool idle = false;     // the pool's lock
};

CompilePool::CompilePool(engine::CompileSink& sink, std::unique_ptr<CodeGenerator> generator, unsigned threads, const Limits& limits)
    : sink_(sink), generator_(std::move(generator)), max_workers_(threads), limits_(limits), process_(getpid()) {}

CompilePool::~CompilePool() { stop(engine::StopMode::Drop); }

bool CompilePool::in_child() const noexcept { return getpid() != process_; }

// --- the queue -----------------------------------------------------------------------------------------------------

void CompilePool::enqueue(JobPtr job) {
  if (const auto lifted = lifts_.find(job->job.instance.get()); lifted != lifts_.end()) {
    job->job.priority = std::max(job->job.priority, lifted->second);
    lifts_.erase(lifted);
  }
  JobList& queue = queues_[static_cast<size_t>(job->job.priority)];
  job->place = queue.insert(queue.end(), job);
  job->queued = true;
  ++queued_;
  queued_bytes_ += job->bytes;
  ++submitted_;
  jobs_.emplace(job->job.instance.get(), std::move(job));
}

void CompilePool::mark_running(const JobPtr& job) {
  queues_[static_cast<size_t>(job->job.priority)].erase(job->place);
  job->queued = false;
  --queued_;
  queued_bytes_ -= job->bytes;
  ++running_;
  last_claim_ = sync::Clock::now();
}

// One class up per second waited; among equals the older.
CompilePool::JobPtr CompilePool::take_best(bool fast_only) {
  const auto now = sync::Clock::now();
  JobPtr best;
  int64_t best_class = -1;
  for (size_t i = queues_.size(); i-- > 0;) {
    if (queues_[i].empty() || (fast_only && i < static_cast<size_t>(Priority::Fast))) continue;
    const JobPtr& head = queues_[i].front();
    const int64_t effective = static_cast<int64_t>(i) + (now - head->since) / kAgeStep;
    if (effective > best_class || (effective == best_class && head->since < best->since)) {
      best = head;
      best_class = effective;
    }
  }
  if (best) mark_running(best);
  return best;
}

CompilePool::JobPtr CompilePool::find_queued(const engine::CodeInstance& instance) {
  const auto [first, last] = jobs_.equal_range(&instance);
  const auto found = std::find_if(first, last, [](const auto& entry) { return entry.second->queued; });
  return found == last ? nullptr : found->second;
}

CompilePool::JobPtr CompilePool::take_awaited(const engine::CodeInstance& instance) {
  if (awaited_.erase(&instance) == 0) return nullptr;
  JobPtr job = find_queued(instance);
  if (job) mark_running(job);
  return job;
}

void CompilePool::raise(Job& job, Priority priority) {
  if (!job.queued || priority <= job.job.priority) return;
  JobList& to = queues_[static_cast<size_t>(priority)];
  to.splice(to.end(), queues_[static_cast<size_t>(job.job.priority)], job.place);
  job.job.priority = priority;
}

void CompilePool::forget(const Job& job) {
  const auto [first, last] = jobs_.equal_range(job.job.instance.get());
  const auto found = std::find_if(first, last, [&](const auto& entry) { return entry.second.get() == &job; });
  if (found != last) jobs_.erase(found);
}

bool CompilePool::over_limit() const { return queued_ > limits_.queued_jobs || queued_bytes_ > limits_.queued_bytes; }

bool CompilePool::has_fast_queued() const {
  return std::any_of(queues_.begin() + static_cast<int>(Priority::Fast), queues_.end(), [](const JobList& q) { return !q.empty(); });
}

// --- Compiler ------------------------------------------------------------------------------------------------------

Result<void> CompilePool::submit(engine::CompileJob compile_job) {
  if (in_child()) return make_error(BERTH_FORKED, "submitting a compile", "the process was forked", "make a new engine in the child");
  std::call_once(opened_, [this] { generator_->open(); });
  auto job = std::make_shared<Job>(std::move(compile_job));
  const bool fast = job->job.priority >= Priority::Fast;
  const engine::CodeInstance& instance = *job->job.instance;
  bool crowded = false;
  JobPtr awaited;
  {
    sync::Lock lock(mutex_);
    if (stopping_) {
      return make_error(BERTH_SHUT_DOWN, "submitting a compile", "the engine is shut down", "submit before the shutdown");
    }
    enqueue(std::move(job));
    awaited = take_awaited(instance);
    crowded = over_limit();
    if (max_workers_ != 0 && !wake_idle_worker(nullptr, fast)) {
      const bool started = regular_ < max_workers_ && start_worker(false, nullptr);
      if (!started && !supervisor_armed_ && has_fast_queued() && start_supervisor()) {
        supervisor_armed_ = true;
        supervisor_wake_.notify_one();
      }
    }
  }
  if (awaited) run_in_place(awaited);
  // Back-pressure: the queue is bounded, and a release neither fails nor sleeps for it; it works.
  while (crowded) {
    JobPtr next;
    {
      sync::Lock lock(mutex_);
      if (over_limit()) next = take_best(false);
    }
    if (!next) break;
    run_in_place(next);
  }
  return success();
}

bool CompilePool::help(engine::CodeInstance& instance, const Deadline&) {
  if (in_child()) return false;
  const ErrnoKept kept;
  JobPtr job;
  {
    sync::Lock lock(mutex_);
    job = find_queued(instance);
    if (!job) {
      if (max_workers_ == 0 && !jobs_.contains(&instance)) {
        if (awaited_.size() >= kMostRememberedLifts) awaited_.clear();
        awaited_.insert(&instance);
      }
      return false;
    }
    if (max_workers_ != 0) {
      // A thread of the pool, not this one: should LLVM end it with a fatal error, it parks for ever, and a waiter must not.
      mark_running(job);
      if (wake_idle_worker(job, true)) return false;
      if (regular_ < max_workers_ && start_worker(false, job)) return false;
      if (relief_ < limits_.awaited_relief && start_worker(true, job)) return false;
      --running_;  // no thread to be had: back to the head of the queue
      JobList& queue = queues_[static_cast<size_t>(Priority::Lifted)];
      job->job.priority = Priority::Lifted;
      job->place = queue.insert(queue.begin(), job);
      job->queued = true;
      ++queued_;
      queued_bytes_ += job->bytes;
      return false;
    }
    mark_running(job);
  }
  run_in_place(job);
  return true;
}

void CompilePool::lift(engine::CodeInstance& instance, Priority priority) {
  if (in_child()) return;
  sync::Lock lock(mutex_);
  const auto [first, last] = jobs_.equal_range(&instance);
  if (first == last) {
    if (lifts_.size() >= kMostRememberedLifts) lifts_.clear();
    Priority& remembered = lifts_[&instance];
    remembered = std::max(remembered, priority);
    return;
  }
  for (auto entry = first; entry != last; ++entry) raise(*entry->second, priority);
}

void CompilePool::cancel(engine::CodeInstance& instance) {
  if (in_child()) return;
  std::vector<JobPtr> to_drop;
  {
    sync::Lock lock(mutex_);
    lifts_.erase(&instance);
    const auto [first, last] = jobs_.equal_range(&instance);
    for (auto entry = first; entry != last; ++entry) {
      const JobPtr& job = entry->second;
      job->cancelled.store(true, std::memory_order_relaxed);
      if (!job->queued) continue;
      mark_running(job);
      to_drop.push_back(job);
    }
  }
  for (const JobPtr& job : to_drop) {
    drop(*job);
    finish(job);
  }
}

void CompilePool::stop(engine::StopMode mode) {
  if (in_child()) return abandon_threads();
  std::vector<JobPtr> to_run;
  std::vector<boost::thread> to_join;
  unsigned parked = 0;
  {
    sync::Lock lock(mutex_);
    if (stopped_) return;
    stopping_ = true;
    if (mode == engine::StopMode::Drop || regular_ == 0) {
      while (JobPtr job = take_best(false)) to_run.push_back(std::move(job));
    }
  }
  for (const JobPtr& job : to_run) {
    if (mode == engine::StopMode::Drop) {
      drop(*job);
      finish(job);
    } else {
      run_in_place(job);
    }
  }
  {
    sync::Lock lock(mutex_);
    for (const auto& worker : workers_) worker->wake.notify_one();
    supervisor_wake_.notify_one();
    while (queued_ != 0 || running_ != 0) quiet_.wait(lock);
    for (const auto& worker : workers_) {
      worker->wake.notify_one();
      to_join.push_back(std::move(worker->thread));
    }
    supervisor_wake_.notify_one();
    to_join.push_back(std::move(supervisor_));
    for (auto& thread : ended_) to_join.push_back(std::move(thread));
    ended_.clear();
    parked = parked_;
    stopped_ = true;
  }
  for (auto& thread : to_join) {
    if (thread.joinable()) thread.join();
  }
  for (unsigned left; (left = left_->load(std::memory_order_acquire)) < parked;) left_->wait(left);
  generator_->close();
}

// In a forked child: the threads are not here, and the lock may be held for ever. Nothing is joined, their records leak.
void CompilePool::abandon_threads() {
  for (const auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.detach();
  }
  if (supervisor_.joinable()) supervisor_.detach();
}

CompilePool::Stats CompilePool::stats() const {
  sync::Lock lock(mutex_);
  return {submitted_, run_, in_place_, dropped_.load(std::memory_order_relaxed), failed_.load(std::memory_order_relaxed),
          regular_,   relief_, parked_, static_cast<unsigned>(queued_)};
}

// --- threads -------------------------------------------------------------------------------------------------------

// With `assigned` (claimed already) any idle worker will do; without, it takes the best job itself.
// Relief workers take only FAST jobs by themselves.
bool CompilePool::wake_idle_worker(JobPtr assigned, bool fast) {
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Worker* worker) { return fast || !worker->relief; });
  if (found == idle_.rend()) return false;
  Worker* const worker = *found;
  idle_.erase(std::next(found).base());
  worker->idle = false;
  worker->assigned = std::move(assigned);
  worker->wake.notify_one();
  return true;
}

bool CompilePool::start_worker(bool relief, JobPtr assigned) {
  if (stopped_) return false;
  for (auto& thread : ended_) thread.join();  // they have left the lock for the last time: no wait worth the name
  ended_.clear();
  auto worker = std::make_shared<Worker>();
  worker->relief = relief;
  worker->assigned = std::move(assigned);
  try {
    workers_.push_back(worker);
    worker->thread = boost::thread(thread_attributes(), [this, worker] { worker_loop(worker); });
  } catch (const std::exception&) {  // no thread to be had: the job stays queued for those that there are
    std::erase(workers_, worker);
    return false;
  }
  ++(relief ? relief_ : regular_);
  return true;
}

bool CompilePool::start_supervisor() {
  if (supervisor_.joinable()) return true;
  try {
    supervisor_ = boost::thread([this] { supervise(); });
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

CompilePool::JobPtr CompilePool::next_job(Worker& worker) {
  sync::Lock lock(mutex_);
  const auto idle_until = sync::Clock::now() + kReliefIdle;
  while (true) {
    if (worker.assigned) return std::move(worker.assigned);
    if (JobPtr job = take_best(worker.relief)) return job;
    const bool expired = worker.relief && sync::Clock::now() >= idle_until;
    if (stopping_ || expired) {
      if (worker.idle) std::erase(idle_, &worker);
      worker.idle = false;
      return nullptr;
    }
    if (!worker.idle) {
      worker.idle = true;
      idle_.push_back(&worker);
    }
    if (worker.relief) {
      worker.wake.wait_until(lock, idle_until);
    } else {
      worker.wake.wait(lock);
    }
    // A wake-up without a call of wake_idle_worker (spurious, or time): still in the idle list, which is right.
  }
}

void CompilePool::worker_loop(std::shared_ptr<Worker> worker) {
  while (JobPtr job = next_job(*worker)) {
    {
      sync::Lock lock(mutex_);
      if (worker->idle) std::erase(idle_, worker.get());
      worker->idle = false;
    }
    run_on_pool_thread(*worker, job);
  }
  sync::Lock lock(mutex_);
  if (!worker->relief || stopped_) return;  // stop joins by the handle it took
  --relief_;
  if (worker->thread.joinable()) ended_.push_back(std::move(worker->thread));
  std::erase(workers_, worker);
  if (supervisor_armed_) supervisor_wake_.notify_one();
}

// Relief for FAST jobs that nobody awaits: the pool has claimed nothing for 1 ms while one of them is as old.
void CompilePool::supervise() {
  sync::Lock lock(mutex_);
  while (!stopping_) {
    if (!has_fast_queued()) {
      supervisor_armed_ = false;
      supervisor_wake_.wait(lock);
      continue;
    }
    sync::TimePoint oldest = sync::TimePoint::max();
    for (size_t i = static_cast<size_t>(Priority::Fast); i < queues_.size(); ++i) {
      if (!queues_[i].empty()) oldest = std::min(oldest, queues_[i].front()->since);
    }
    const auto due = std::max(oldest, last_claim_) + kLeftBehind;
    if (sync::Clock::now() < due) {
      supervisor_wake_.wait_until(lock, due);
    } else if (relief_ < max_workers_ && start_worker(true, nullptr)) {
      last_claim_ = sync::Clock::now();
    } else {
      supervisor_wake_.wait(lock);  // until a relief worker ends; those there are take FAST jobs as they get free
    }
  }
}

// --- one job -------------------------------------------------------------------------------------------------------

void CompilePool::run_on_pool_thread(Worker& worker, const JobPtr& job) {
  const ContainmentScope scope([&](const char* text) { park(worker, job, text); });
  run(job);
  finish(job);
}

void CompilePool::run_in_place(const JobPtr& job) {
  {
    sync::Lock lock(mutex_);
    ++in_place_;
  }
  const auto compile = [&] {
    const ContainmentScope scope([](const char* text) { throw FatalEscape{text}; });
    run(job);
  };
  if (stack_left() >= kNeededStackBytes) {
    compile();
  } else {
    try {
      boost::thread thread(thread_attributes(), compile);
      thread.join();
    } catch (const boost::thread_resource_error&) {
      answer(*job, compile_error(job->job, "start", BERTH_RESOURCE_EXHAUSTED, "less than 1 MiB of stack and no thread to be had",
                                 "compile on a thread with more stack"));
    }
  }
  finish(job);
}

void CompilePool::run(const JobPtr& job) {
  engine::CodeInstance& instance = *job->job.instance;
  bool exhausted = false;
  {
    sync::Lock lock(mutex_);
    ++run_;
    exhausted = parked_ >= limits_.parked_threads;
  }
  // A promotion finds code; its instance is Callable and is not claimed again.
  const bool promotion = engine::instance_code(instance) != nullptr;
  if (job->cancelled.load(std::memory_order_relaxed) || (!promotion && !sink_.claim(instance))) return drop(*job);
  if (exhausted) {
    return answer(*job, compile_error(job->job, "start", BERTH_RESOURCE_EXHAUSTED,
                                      "too many compile threads were lost to fatal errors of the compiler",
                                      "make a new engine, and isolate the sources that fail"));
  }
  set_compile_step("start");
  try {
    answer(*job, generator_->generate(job->job, job->cancelled));
  } catch (const FatalEscape& escape) {
    answer(*job, compile_error(job->job, compile_step(), BERTH_COMPILE_FAILED, escape.text, "change what the compiler cannot handle"));
  } catch (const std::bad_alloc&) {
    answer(*job, compile_error(job->job, compile_step(), BERTH_OUT_OF_MEMORY, "memory allocation failed", "free memory and ask again"));
  } catch (const std::exception& exception) {
    answer(*job, compile_error(job->job, compile_step(), BERTH_INTERNAL, exception.what(), "report this as a defect of Berth"));
  }
}

void CompilePool::answer(Job& job, Result<engine::Code*> result) {
  engine::CodeInstance& instance = *job.job.instance;
  if (result.has_error()) {
    Error error = std::move(result).assume_error();
    if (error.code() == BERTH_CANCELLED || job.cancelled.load(std::memory_order_relaxed)) return drop(job);
    failed_.fetch_add(1, std::memory_order_relaxed);
    if (engine::instance_code(instance)) return drop(job);  // a failed promotion leaves the lower tier
    const bool may_pass = error.code() == BERTH_OUT_OF_MEMORY || error.code() == BERTH_RESOURCE_EXHAUSTED;
    return sink_.failed(instance, std::move(error), may_pass);
  }
  engine::Code* const code = result.assume_value();
  if (job.cancelled.load(std::memory_order_relaxed)) {
    generator_->retire(code);
    return drop(job);
  }
  sink_.published(instance, code);
  generator_->bind(instance);
}

void CompilePool::drop(Job& job) {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  sink_.dropped(*job.job.instance);
}

void CompilePool::finish(const JobPtr& job) {
  sync::Lock lock(mutex_);
  forget(*job);
  --running_;
  if (stopping_ && running_ == 0) quiet_.notify_all();
}

// LLVM must not be returned to: the thread answers its job, hands its place to another, and never runs again.
void CompilePool::park(Worker& worker, const JobPtr& job, const char* text) {
  answer(*job, compile_error(job->job, compile_step(), BERTH_COMPILE_FAILED, text, "change what the compiler cannot handle"));
  {
    sync::Lock lock(mutex_);
    ++parked_;
    if (worker.thread.joinable()) worker.thread.detach();
    --(worker.relief ? relief_ : regular_);
    std::erase_if(workers_, [&](const auto& other) { return other.get() == &worker; });
    if (queued_ != 0 && !wake_idle_worker(nullptr, false) && regular_ < max_workers_) start_worker(false, nullptr);
  }
  const auto left = left_;
  finish(job);
  left->fetch_add(1, std::memory_order_release);
  left->notify_all();
  while (true) pause();
}

}  // namespace berth::jit
