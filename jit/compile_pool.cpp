// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/compile_pool.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <tuple>

#include "jit/compile_error.hpp"
#include "jit/containment.hpp"
#include "support/mutant.hpp"

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

// Reachable, so that a leak checker tells it from a mistake.
void keep_for_ever(void* kept) {
  static std::mutex mutex;
  static auto* const all = new std::vector<void*>;
  const std::lock_guard lock(mutex);
  all->push_back(kept);
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

namespace {

const engine::SourceBody* body_of(const engine::CompileJob& job) { return job.source ? job.source->body.get() : nullptr; }

/// About as many as the source has, from its size.
size_t estimate_instructions(const engine::SourceBody* body) {
  if (!body) return 0;
  return body->size() / (body->kind() == engine::BodyKind::LlvmIr ? 24 : 8);
}

}  // namespace

struct CompilePool::Job {
  Job(engine::CompileJob compile_job, sync::TimePoint since)
      : job(std::move(compile_job)), bytes(body_of(job) ? body_of(job)->size() : 0), instructions(estimate_instructions(body_of(job))), since(since) {}

  bool may_share() const { return !alone && job.tier == BERTH_TIER_FAST && !(job.source && job.source->isolated); }
  bool goes_with(const Job& other) const { return may_share() && is_typed() == other.is_typed(); }
  bool is_typed() const { return body_of(job) && body_of(job)->kind() == engine::BodyKind::TypedIr; }

  engine::CompileJob job;
  const size_t bytes, instructions;
  const sync::TimePoint since;
  JobList::iterator place;  // in the queue of its priority, while queued; the pool's lock
  bool queued = false;      // the pool's lock
  bool alone = false;       // LLVM ended a batch that it was in; the pool's lock
  bool claimed = false;     // by whoever runs it
  // Written by cancel, read between steps of the compile; only asks to stop early, the sink decides: relaxed.
  sync::Atomic<bool> cancelled{false};
};

struct CompilePool::Run {
  Worker* worker = nullptr;  // null: in place
  std::vector<JobPtr> jobs;
  size_t answered = 0;  // the first ones
  bool alone = false;   // one by one
  std::span<const JobPtr> unit() const { return std::span(jobs).subspan(answered, alone ? 1 : jobs.size() - answered); }
};

// The same job, claimed as it is, for another thread: the first one may still look at its own.
std::shared_ptr<CompilePool::Job> CompilePool::again(const Job& job) {
  auto fresh = std::make_shared<Job>(job.job, job.since);
  fresh->alone = true;
  fresh->claimed = job.claimed;
  fresh->cancelled.store(job.cancelled.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return fresh;
}

struct CompilePool::Worker {
  boost::thread thread;
  sync::Condition wake;  // one waiter ever, so a notification cannot be stolen
  JobPtr assigned;       // the pool's lock
  bool relief = false;
  bool idle = false;     // the pool's lock
  enum class State : uint8_t { Resting, Generating, Lost };
  // By the worker around each unit; Generating -> Lost by the supervisor, which then owns the run's answers: release and acquire, so that it
  // sees the run, and a worker that finds itself lost touches nothing that the supervisor may have freed since.
  sync::Atomic<State> state{State::Resting};
  Run* run = nullptr;                             // before Generating
  sync::TimePoint until = sync::TimePoint::max();  // the pool's lock
};

CompilePool::CompilePool(engine::CompileSink& sink, std::unique_ptr<CodeGenerator> generator, unsigned threads, const Limits& limits)
    : sink_(sink), generator_(std::move(generator)), max_workers_(threads), limits_(limits), process_(getpid()) {}

CompilePool::~CompilePool() {
  stop(engine::StopMode::Drop);
  sync::Lock lock(mutex_);
  if (lost_ != 0) keep_for_ever(generator_.release());
}

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
  const auto now = limits_.now();
  const auto age = [&](const Job& job) { return mutant::is_on("J17_no_ageing") ? 0 : (now - job.since) / kAgeStep; };
  JobPtr best;
  int64_t best_class = -1;
  for (size_t i = queues_.size(); i-- > 0;) {
    if (queues_[i].empty() || (fast_only && i < static_cast<size_t>(Priority::Fast))) continue;
    const JobPtr& head = queues_[i].front();
    const int64_t effective = static_cast<int64_t>(i) + age(*head);
    if (effective > best_class || (effective == best_class && head->since < best->since)) {
      best = head;
      best_class = effective;
    }
  }
  if (best) mark_running(best);
  return best;
}

// To the head of its queue.
void CompilePool::put_back(const JobPtr& job) {
  JobList& queue = queues_[static_cast<size_t>(job->job.priority)];
  job->place = queue.insert(queue.begin(), job);
  job->queued = true;
  ++queued_;
  queued_bytes_ += job->bytes;
  --running_;
}

// The best job and, of a FAST one, a fair share of those that wait like it.
std::vector<CompilePool::JobPtr> CompilePool::take_batch(bool fast_only) {
  std::vector<JobPtr> batch;
  const JobPtr best = take_best(fast_only);
  if (!best) return batch;
  batch.push_back(best);
  const Priority priority = best->job.priority;
  if (priority < Priority::Fast || !best->may_share()) return batch;
  const auto num_queued = [&](Priority of) BERTH_NO_ANALYSIS { return queues_[static_cast<size_t>(of)].size(); };
  const size_t mates = priority == Priority::Lifted ? num_queued(Priority::Lifted) : num_queued(Priority::FastAsked) + num_queued(Priority::Fast);
  const size_t limit = std::min(limits_.batch_jobs, mates / std::max(1u, max_workers_) + 1);
  size_t instructions = best->instructions;
  if (priority == Priority::Lifted) {
    take_mates(batch, Priority::Lifted, limit, instructions);
  } else {
    take_mates(batch, Priority::FastAsked, limit, instructions);
    take_mates(batch, Priority::Fast, limit, instructions);
  }
  return batch;
}

void CompilePool::take_mates(std::vector<JobPtr>& batch, Priority priority, size_t limit, size_t& instructions) {
  const JobList& queue = queues_[static_cast<size_t>(priority)];
  size_t looked_at = 0;
  for (auto place = queue.begin(); place != queue.end() && batch.size() < limit && looked_at < 2 * limit; ++looked_at) {
    const JobPtr job = *place++;
    if (!job->goes_with(*batch.front())) continue;
    instructions += job->instructions;
    if (instructions > limits_.batch_instructions) return;
    mark_running(job);
    batch.push_back(job);
  }
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
  compile_job.budget = limits_.budgets[engine::budget_index(compile_job.tier)];
  auto job = std::make_shared<Job>(std::move(compile_job), limits_.now());
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
    if (max_workers_ != 0) see_to_queued(fast);
  }
  if (awaited) run_in_place(awaited);
  if (crowded) relieve_queue();
  return success();
}

// Back-pressure: the queue is bounded, and a release neither fails nor sleeps for it; it works. What nobody would miss is given up first.
void CompilePool::relieve_queue() {
  while (true) {
    JobPtr dropped, next;
    {
      sync::Lock lock(mutex_);
      if (!over_limit()) return;
      dropped = take_droppable();
      if (!dropped) next = take_best(false);
    }
    if (dropped) {
      drop(*dropped);
      generator_->not_promoted(*dropped->job.instance);
      finish({&dropped, 1});
    } else if (next) {
      run_in_place(next);
    } else {
      return;
    }
  }
}

// Speculation, or a promotion: its instance has code.
CompilePool::JobPtr CompilePool::take_droppable() {
  JobPtr job;
  if (const JobList& speculative = queues_[static_cast<size_t>(Priority::Speculative)]; !speculative.empty()) {
    job = speculative.front();
  } else if (const JobList& optimized = queues_[static_cast<size_t>(Priority::Optimized)]; !optimized.empty()) {
    if (engine::instance_code(*optimized.front()->job.instance)) job = optimized.front();
  }
  if (job) mark_running(job);
  return job;
}

bool CompilePool::help(engine::CodeInstance& instance, const Deadline&) {
  if (in_child()) return false;
  const ErrnoKept kept;
  if (mutant::is_on("J13_queue_only")) return false;
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
      if (relief_ < limits_.awaited_relief && !mutant::is_on("J12_block_a_worker") && start_worker(true, job)) return false;
      job->job.priority = Priority::Lifted;  // no thread to be had
      put_back(job);
      return false;
    }
    mark_running(job);
  }
  run_in_place(job);
  return true;
}

void CompilePool::lift(engine::CodeInstance& instance, Priority priority) {
  if (in_child() || mutant::is_on("J16_no_lift")) return;
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
    finish({&job, 1});
  }
  generator_->unlinked();
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
      finish({&job, 1});
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
          batches_.load(std::memory_order_relaxed), regular_, relief_, parked_, lost_, static_cast<unsigned>(queued_)};
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

// A job was queued: somebody will take it.
void CompilePool::see_to_queued(bool fast) {
  if (wake_idle_worker(nullptr, fast)) return;
  const bool started = regular_ < max_workers_ && start_worker(false, nullptr);
  if (!started) wake_supervisor(relief_due());
}

std::vector<CompilePool::JobPtr> CompilePool::next_jobs(Worker& worker) {
  sync::Lock lock(mutex_);
  const auto idle_since = sync::Clock::now();
  const auto idle_until = idle_since + kReliefIdle, trim_at = idle_since + limits_.unused_time;
  bool trimmed = worker.relief;
  worker.until = sync::TimePoint::max();
  if (mutant::is_on("J28_timer")) worker.wake.wait_until(lock, idle_since + std::chrono::milliseconds(50));
  while (true) {
    std::vector<JobPtr> jobs;
    if (worker.assigned) {
      jobs.push_back(std::move(worker.assigned));
    } else {
      jobs = take_batch(worker.relief);
    }
    if (!jobs.empty()) {
      if (worker.idle) std::erase(idle_, &worker);
      worker.idle = false;
      return jobs;
    }
    const bool expired = worker.relief && sync::Clock::now() >= idle_until;
    if (stopping_ || expired) {
      if (worker.idle) std::erase(idle_, &worker);
      worker.idle = false;
      return {};
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
    // A wake-up without a call of wake_idle_worker (spurious, or time): still in the idle list, which is right.
  }
}

void CompilePool::worker_loop(std::shared_ptr<Worker> worker) {
  for (auto jobs = next_jobs(*worker); !jobs.empty(); jobs = next_jobs(*worker)) run_on_pool_thread(*worker, std::move(jobs));
  sync::Lock lock(mutex_);
  if (!worker->relief || stopped_) return;  // stop joins by the handle it took
  --relief_;
  if (worker->thread.joinable()) ended_.push_back(std::move(worker->thread));
  std::erase(workers_, worker);
}

// A FAST job that nobody awaits gets relief when it is 1 ms old and the pool has claimed nothing for as long.
sync::TimePoint CompilePool::relief_due() const {
  if (relief_ >= max_workers_ || mutant::is_on("J15_no_relief")) return sync::TimePoint::max();
  sync::TimePoint oldest = sync::TimePoint::max();
  for (size_t i = static_cast<size_t>(Priority::Fast); i < queues_.size(); ++i) {
    if (!queues_[i].empty()) oldest = std::min(oldest, queues_[i].front()->since);
  }
  return oldest == sync::TimePoint::max() ? oldest : std::max(oldest, last_claim_) + kLeftBehind;
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
      last_claim_ = sync::Clock::now();
    }
    supervisor_due_ = std::min(relief_due(), next_loss);
    if (supervisor_due_ == sync::TimePoint::max()) {
      supervisor_wake_.wait(lock);
    } else {
      supervisor_wake_.wait_until(lock, supervisor_due_);
    }
  }
}

// Threads whose time is over lose their place. Returns the jobs to be failed; of a batch nobody knows whose fault it is.
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
    if (!worker->state.compare_exchange_strong(generating, Worker::State::Lost, std::memory_order_acq_rel, std::memory_order_relaxed)) continue;
    ++lost_;
    remove(*worker);
    const std::span<const JobPtr> unit = worker->run->unit();
    std::span<const JobPtr> rest = std::span(worker->run->jobs).subspan(worker->run->answered);
    if (unit.size() == 1) {
      overdue.push_back(again(*unit.front()));
      rest = rest.subspan(1);
      forget(*unit.front());
      jobs_.emplace(overdue.back()->job.instance.get(), overdue.back());
    }
    compile_alone(rest);
    for (const JobPtr& job : unit) job->cancelled.store(true, std::memory_order_relaxed);  // the thread ends at its next step, if it has one
  }
  return overdue;
}

// Claimed jobs whose thread will not come back: for other threads, in the same order.
void CompilePool::compile_alone(std::span<const JobPtr> jobs) {
  for (size_t i = jobs.size(); i-- > 0;) {
    const JobPtr job = again(*jobs[i]);
    forget(*jobs[i]);
    jobs_.emplace(job->job.instance.get(), job);
    put_back(job);
  }
  for (size_t i = 0; i < std::min<size_t>(queued_, max_workers_); ++i) see_to_queued(has_fast_queued());
}

// Its thread goes on without the pool.
void CompilePool::remove(Worker& worker) {
  if (worker.thread.joinable()) worker.thread.detach();
  --(worker.relief ? relief_ : regular_);
  std::erase_if(workers_, [&](const auto& other) { return other.get() == &worker; });
}

// --- compiling -----------------------------------------------------------------------------------------------------

void CompilePool::run_on_pool_thread(Worker& worker, std::vector<JobPtr> jobs) {
  Run work{&worker, std::move(jobs)};
  const ContainmentScope scope([&](const char* text) { park(worker, work, text); });
  run(work);
}

Error CompilePool::no_memory(const Job& job) {
  return compile_error(job.job, "start", BERTH_OUT_OF_MEMORY, "memory allocation failed", "free memory and ask again");
}

void CompilePool::run_in_place(const JobPtr& job) {
  {
    sync::Lock lock(mutex_);
    ++in_place_;
  }
  const auto compile = [&] {
    Run work;
    try {
      work.jobs.push_back(job);
    } catch (const std::bad_alloc&) {
      answer(*job, no_memory(*job));
      return finish({&job, 1});
    }
    const ContainmentScope scope([](const char* text) { throw FatalEscape{text}; });
    run(work);
  };
  if (stack_left() >= kNeededStackBytes) return compile();
  try {
    boost::thread thread(thread_attributes(), compile);
    thread.join();
  } catch (const boost::thread_resource_error&) {
    answer(*job, compile_error(job->job, "start", BERTH_RESOURCE_EXHAUSTED, "less than 1 MiB of stack and no thread to be had",
                               "compile on a thread with more stack"));
    finish({&job, 1});
  }
}

void CompilePool::run(Run& run) {
  bool exhausted = false;
  {
    sync::Lock lock(mutex_);
    run_ += run.jobs.size();
    exhausted = parked_ >= limits_.parked_threads;
  }
  std::erase_if(run.jobs, [&](const JobPtr& job) {
    if (claim(*job)) return false;
    drop(*job);
    finish({&job, 1});
    return true;
  });
  if (exhausted) {
    for (const JobPtr& job : run.jobs) {
      answer(*job, compile_error(job->job, "start", BERTH_RESOURCE_EXHAUSTED, "too many compile threads were lost to fatal errors of the compiler",
                                 "make a new engine, and isolate the sources that fail"));
    }
    return finish(run.jobs);
  }
  batches_.fetch_add(run.jobs.size() > 1 ? 1 : 0, std::memory_order_relaxed);
  while (run.answered < run.jobs.size()) compile_unit(run);
}

// A promotion finds code; its instance is Callable and is not claimed.
bool CompilePool::claim(Job& job) {
  if (job.cancelled.load(std::memory_order_relaxed)) return false;
  job.claimed = job.claimed || engine::instance_code(*job.job.instance) || sink_.claim(*job.job.instance);
  return job.claimed;
}

void CompilePool::compile_unit(Run& run) {
  const std::span<const JobPtr> unit = run.unit();
  const std::chrono::nanoseconds time(unit.front()->job.budget.time_ns);
  const auto now = sync::Clock::now();
  const bool bounded = time.count() != 0;
  const auto guarded = [&](auto&& body) -> Result<CodeGenerator::Answers> {
    try {
      return body();
    } catch (const std::bad_alloc&) {
      return no_memory(*unit.front());
    }
  };
  auto generated = guarded([&] {
    std::vector<CompileRequest> requests;
    requests.reserve(unit.size());
    for (const JobPtr& job : unit) {
      requests.push_back({job->job, job->cancelled});
      if (bounded && unit.size() == 1) std::tie(requests.back().half, requests.back().until) = std::pair(now + time / 2, now + time);
    }
    if (run.worker) begin_unit(*run.worker, run, bounded ? now + time : sync::TimePoint::max());
    auto answers = guarded([&] { return generate(requests); });
    if (run.worker) end_unit(*run.worker);
    return answers;
  });
  size_t answered = 0;
  if (!generated.has_error()) {
    for (Result<engine::Code*>& result : generated.assume_value()) answer(*unit[answered++], std::move(result));
  } else if (unit.size() == 1) {
    answer(*unit[answered++], std::move(generated).assume_error());
  } else if (mutant::is_on("J29_fail_the_batch")) {
    for (const JobPtr& job : unit) answer(*job, generated.assume_error().clone());
    answered = unit.size();
  } else {
    run.alone = true;  // one of them is guilty
  }
  run.answered += answered;
  finish(unit.first(answered));
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

// A lost thread stays here: the pool, its generator and its engine may be gone, and its jobs are not released.
void CompilePool::end_unit(Worker& worker) {
  if (worker.state.exchange(Worker::State::Resting, std::memory_order_acq_rel) != Worker::State::Lost) return;
  stay_out_of_compiler();
  while (true) pause();
}

Result<CodeGenerator::Answers> CompilePool::generate(std::span<const CompileRequest> requests) {
  const engine::CompileJob& job = requests.front().job;
  set_compile_step("start");
  try {
    return generator_->generate(requests);
  } catch (const FatalEscape& escape) {
    return compile_error(job, compile_step(), fatal_code(), escape.text, "change what the compiler cannot handle");
  } catch (const std::bad_alloc&) {
    return compile_error(job, compile_step(), BERTH_OUT_OF_MEMORY, "memory allocation failed", "free memory and ask again");
  } catch (const std::exception& exception) {
    return compile_error(job, compile_step(), BERTH_INTERNAL, exception.what(), "report this as a defect of Berth");
  }
}

void CompilePool::answer(Job& job, Result<engine::Code*> result) {
  engine::CodeInstance& instance = *job.job.instance;
  if (result.has_error()) {
    Error error = std::move(result).assume_error();
    if (error.code() == BERTH_OUT_OF_MEMORY && mutant::is_on("J1_early_return")) return;
    if (error.code() == BERTH_CANCELLED || job.cancelled.load(std::memory_order_relaxed)) return drop(job);
    failed_.fetch_add(1, std::memory_order_relaxed);
    if (engine::instance_code(instance)) return drop(job);  // a failed promotion leaves the lower tier
    const bool passes = may_pass(error);
    return sink_.failed(instance, std::move(error), passes);
  }
  engine::Code* const code = result.assume_value();
  if (job.cancelled.load(std::memory_order_relaxed)) {
    generator_->retire(code);
    return drop(job);
  }
  const auto publish = [&] {
    sink_.published(instance, code);
    generator_->bind(instance);
  };
  if (mutant::is_on("J2_call_under_lock")) {
    sync::Lock lock(mutex_);
    return publish();
  }
  publish();
}

void CompilePool::drop(Job& job) {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  sink_.dropped(*job.job.instance);
}

void CompilePool::finish(std::span<const JobPtr> jobs) {
  if (jobs.empty()) return;
  sync::Lock lock(mutex_);
  for (const JobPtr& job : jobs) forget(*job);
  running_ -= jobs.size();
  if (stopping_ && running_ == 0) quiet_.notify_all();
}

// LLVM must not be returned to: the thread answers its job, hands its place to another, and never runs again. Of a batch nobody knows
// which job it was: each is compiled alone, on other threads.
void CompilePool::park(Worker& worker, Run& run, const char* text) {
  end_unit(worker);
  const std::span<const JobPtr> unit = run.unit();
  size_t answered = 0;
  if (unit.size() == 1) {
    answer(*unit[answered++], compile_error(unit.front()->job, compile_step(), fatal_code(), text, "change what the compiler cannot handle"));
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
  left->fetch_add(1, std::memory_order_release);
  left->notify_all();
  stay_out_of_compiler();
  while (true) pause();
}

}  // namespace berth::jit
