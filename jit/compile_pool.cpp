// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/compile_pool.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cerrno>
#include <exception>
#include <new>
#include <tuple>

#include "jit/compile_error.hpp"
#include "jit/compile_pool_worker.hpp"
#include "jit/containment.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

using engine::Priority;

// As long as finding code takes, and less than a thread needs to fall asleep and wake.
constexpr auto kBriefly = std::chrono::microseconds(20);
constexpr size_t kNeededToFind = size_t{128} << 10;  // bytes of stack

class ErrnoKept {
 public:
  ErrnoKept() : value_(errno) {}
  ~ErrnoKept() { errno = value_; }
  ErrnoKept(const ErrnoKept&) = delete;
  ErrnoKept& operator=(const ErrnoKept&) = delete;

 private:
  int value_;
};

void wait_briefly(const engine::CodeInstance& instance) noexcept {
  const auto until = sync::Clock::now() + kBriefly;
  while (!engine::instance_code(instance) && sync::Clock::now() < until) sync::pause();
}

}  // namespace

CompilePool::CompilePool(engine::CompileSink& sink, std::unique_ptr<CodeGenerator> generator,
                         unsigned threads, const Limits& limits)
    : sink_(sink),
      generator_(std::move(generator)),
      max_workers_(threads),
      limits_(limits),
      queue_(limits, threads) {}

// --- Compiler

Result<void> CompilePool::submit_together(std::span<engine::CompileJob> compile_jobs) {
  if (in_child())
    return make_error(BERTH_FORKED, "submitting a compile", "the process was forked",
                      "make a new engine in the child");
  std::call_once(opened_, [this] { generator_->open(); });
  boost::container::small_vector<JobPtr, 1> jobs;
  for (engine::CompileJob& job : compile_jobs) {
    job.budget = limits_.budgets[engine::budget_index(job.tier)];
    jobs.push_back(std::make_shared<Job>(std::move(job), limits_.now()));
  }
  std::vector<JobPtr> awaited;
  if (max_workers_ == 0) awaited.reserve(limits_.batch_jobs);
  bool crowded = false;
  {
    sync::Lock lock(mutex_);
    if (stopping_) {
      return make_error(BERTH_SHUT_DOWN, "submitting a compile", "the engine is shut down",
                        "submit before the shutdown");
    }
    queue_.add({jobs.data(), jobs.size()});
    submitted_ += jobs.size();
    for (const JobPtr& job : jobs) {
      if (!queue_.was_awaited(*job->job.instance) || !awaited.empty()) continue;
      queue_.take(job);
      awaited.push_back(job);
      queue_.take_group(awaited);
    }
    crowded = queue_.is_over_limit();
    if (max_workers_ != 0) see_to_queued(jobs.front()->job.priority >= Priority::Fast);
  }
  if (!awaited.empty()) run_in_place(std::move(awaited));
  try {
    if (crowded) relieve_queue();
  } catch (const std::bad_alloc&) {  // the next one relieves it
  }
  return success();
}

// Back-pressure: the queue is bounded, and a release neither fails nor sleeps for it; it works. What nobody
// would miss is given up first.
void CompilePool::relieve_queue() {
  while (true) {
    JobPtr dropped;
    {
      sync::Lock lock(mutex_);
      if (!queue_.is_over_limit()) return;
      dropped = queue_.take_droppable();
    }
    if (dropped) {
      drop(*dropped);
      generator_->not_promoted(*dropped->job.instance);
      finish({&dropped, 1});
    } else if (auto next = take_in_place(); !next.empty()) {
      run_in_place(std::move(next));
    } else {
      return;
    }
  }
}

bool CompilePool::help(engine::CodeInstance& instance, const Deadline&) {
  if (in_child()) return false;
  const ErrnoKept kept;
  if (mutant::is_on("J13_queue_only")) return false;
  std::vector<JobPtr> mine;
  if (max_workers_ == 0) mine.reserve(limits_.batch_jobs);  // before anything is taken
  JobPtr job;
  bool runs = false;
  {
    sync::Lock lock(mutex_);
    if ((job = queue_.find_queued(instance))) {
      queue_.take(job);
      if (max_workers_ == 0) {
        mine.push_back(job);
        queue_.take_group(mine);
      } else if (job->group && give_to_thread(job)) {
        return false;
      }
    } else {
      runs = queue_.contains(instance);
      if (max_workers_ == 0 && !runs) queue_.remember_awaited(instance);
    }
  }
  if (!job) {
    if (runs && generator_->may_find()) wait_briefly(instance);
    return false;
  }
  if (max_workers_ == 0) {
    run_in_place(std::move(mine));
    return true;
  }
  return find_in_place(job) || !hand_over(job);
}

// What needs no compiler is done sooner than another thread wakes.
bool CompilePool::find_in_place(const JobPtr& job) {
  if (!generator_->may_find() || job->group || stack_left() < kNeededToFind) return false;
  const bool claimed = claim(*job);
  engine::Code* const code = claimed ? find(*job) : nullptr;
  if (!code && claimed) return false;
  if (code && !job->cancelled.load(std::memory_order_relaxed)) {
    found_.fetch_add(1, std::memory_order_relaxed);
    engine::NewCode made{job->job.instance.get(), code};
    publish({&made, 1});
  } else {
    if (code) generator_->retire(code);
    drop(*job);
  }
  finish({&job, 1});
  return true;
}

engine::Code* CompilePool::find(Job& job) {
  try {
    return generator_->find({job.job, job.cancelled});
  } catch (const std::bad_alloc&) {  // the compile says so
    return nullptr;
  }
}

// Of jobs that are compiled alone those whose code is kept, all seen at once: their waiters would else sleep
// and wake for each. The others but the first, which is compiled next, go back.
void CompilePool::look_up(Run& run) {
  std::vector<JobPtr> found, absent;
  std::vector<engine::NewCode> made;
  try {
    found.reserve(run.jobs.size());
    absent.reserve(run.jobs.size());
    made.reserve(run.jobs.size());
  } catch (const std::bad_alloc&) {
    run.alone = true;
    return;
  }
  for (const JobPtr& job : run.jobs) {
    engine::Code* const code = claim(*job) ? find(*job) : nullptr;
    if (code && !job->cancelled.load(std::memory_order_relaxed)) {
      made.push_back({job->job.instance.get(), code});
      found.push_back(job);
    } else {
      if (code) generator_->retire(code);
      absent.push_back(job);  // what is cancelled is dropped by run
    }
  }
  found_.fetch_add(found.size(), std::memory_order_relaxed);
  publish(made);
  finish(found);
  run.jobs.assign(absent.begin(), absent.begin() + std::min<size_t>(absent.size(), 1));
  if (absent.size() < 2) return;
  const sync::Lock lock(mutex_);
  run_ -= absent.size() - 1;
  compile_alone(std::span(absent).subspan(1));
}

// To a thread of the pool: should LLVM end it with a fatal error, it parks for ever, and a waiter must not.
// False: it was answered here.
bool CompilePool::hand_over(const JobPtr& job) {
  bool stops = false;
  {
    const sync::Lock lock(mutex_);
    if (give_to_thread(job)) return true;
    stops = stopping_;
  }
  if (!stops) {
    try {
      run_in_place({job});
      return false;
    } catch (const std::bad_alloc&) { answer(*job, no_memory(*job)); }
  } else {  // the threads that there were may have left
    drop(*job);
  }
  finish({&job, 1});
  return false;
}

// False: there is no thread, and none to be had.
bool CompilePool::give_to_thread(const JobPtr& job) {
  if (wake_idle_worker(job, true)) return true;
  if (regular_ < max_workers_ && start_worker(false, job)) return true;
  if (relief_ < limits_.awaited_relief && !mutant::is_on("J12_block_a_worker") && start_worker(true, job))
    return true;
  if (stopping_ || (workers_.empty() && !mutant::is_on("J60_waits_for_no_thread"))) return false;
  job->job.priority = Priority::Lifted;
  queue_.put_back(job);
  return true;
}

void CompilePool::lift(engine::CodeInstance& instance, Priority priority) {
  if (in_child() || mutant::is_on("J16_no_lift")) return;
  sync::Lock lock(mutex_);
  queue_.lift(instance, priority);
}

void CompilePool::cancel(engine::CodeInstance& instance) {
  if (in_child()) return;
  const auto next = [&] {
    sync::Lock lock(mutex_);
    return queue_.take_cancelled(instance);
  };
  while (const JobPtr job = next()) {
    drop(*job);
    finish({&job, 1});
  }
  generator_->unlinked();
}

CompilePool::Stats CompilePool::stats() const {
  sync::Lock lock(mutex_);
  return {submitted_,
          run_,
          in_place_,
          found_.load(std::memory_order_relaxed),
          dropped_.load(std::memory_order_relaxed),
          failed_.load(std::memory_order_relaxed),
          batches_.load(std::memory_order_relaxed),
          regular_,
          relief_,
          parked_.load(std::memory_order_relaxed),
          lost_,
          static_cast<unsigned>(queue_.num_queued())};
}

// --- compiling

Error CompilePool::no_memory(const Job& job) {
  return compile_error(job.job, "start", BERTH_OUT_OF_MEMORY, "memory allocation failed",
                       "free memory and ask again");
}

void CompilePool::run(Run& run) {
  const bool exhausted = parked_.load(std::memory_order_relaxed) >= limits_.parked_threads;
  std::erase_if(run.jobs, [&](const JobPtr& job) {
    if (claim(*job)) return false;
    drop(*job);
    finish({&job, 1});
    return true;
  });
  if (exhausted) {
    for (const JobPtr& job : run.jobs) {
      answer(*job, compile_error(job->job, "start", BERTH_RESOURCE_EXHAUSTED,
                                 "too many compile threads were lost to fatal errors of the compiler",
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
    } catch (const std::bad_alloc&) { return no_memory(*unit.front()); }
  };
  std::vector<engine::NewCode> made;
  auto generated = guarded([&] {
    std::vector<CompileRequest> requests;
    requests.reserve(unit.size());
    made.reserve(unit.size());
    for (const JobPtr& job : unit) {
      requests.push_back({job->job, job->cancelled});
      if (!bounded || unit.size() != 1) continue;
      std::tie(requests.back().half, requests.back().until) = std::pair(now + time / 2, now + time);
    }
    if (run.worker) begin_unit(*run.worker, run);
    auto answers = guarded([&] { return generate(requests); });
    if (run.worker) end_unit(*run.worker);
    return answers;
  });
  size_t answered = 0;
  if (!generated.has_error()) {
    for (Result<engine::Code*>& result : generated.assume_value()) {
      Job& job = *unit[answered++];
      if (result.has_error()) {
        answer(job, std::move(result).assume_error());
      } else if (job.cancelled.load(std::memory_order_relaxed)) {
        generator_->retire(result.assume_value());
        drop(job);
      } else {
        made.push_back({job.job.instance.get(), result.assume_value()});
      }
    }
    publish(made);
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

Result<CodeGenerator::Answers> CompilePool::generate(std::span<const CompileRequest> requests) {
  const engine::CompileJob& job = requests.front().job;
  set_compile_step("start");
  try {
    return generator_->generate(requests);
  } catch (const FatalEscape& escape) {
    return compile_error(job, compile_step(), fatal_code(), escape.text,
                         "change what the compiler cannot handle");
  } catch (const std::bad_alloc&) {
    return compile_error(job, compile_step(), BERTH_OUT_OF_MEMORY, "memory allocation failed",
                         "free memory and ask again");
  } catch (const std::exception& exception) {
    return compile_error(job, compile_step(), BERTH_INTERNAL, exception.what(),
                         "report this as a defect of Berth");
  }
}

void CompilePool::answer(Job& job, Error error) {
  engine::CodeInstance& instance = *job.job.instance;
  if (error.code() == BERTH_OUT_OF_MEMORY && mutant::is_on("J1_early_return")) return;
  if (error.code() == BERTH_CANCELLED || job.cancelled.load(std::memory_order_relaxed)) return drop(job);
  failed_.fetch_add(1, std::memory_order_relaxed);
  if (engine::instance_code(instance)) return drop(job);  // a failed promotion leaves the lower tier
  const bool passes = may_pass(error);
  sink_.failed(instance, std::move(error), passes);
}

// What was replaced goes last, so that callers have been led on from it.
void CompilePool::publish(std::span<engine::NewCode> unit) {
  if (unit.empty()) return;
  if (mutant::is_on("J2_call_under_lock")) {
    const sync::Lock lock(mutex_);
    sink_.published(unit);
  } else {
    sink_.published(unit);
  }
  const auto retire = [&] {
    for (const engine::NewCode& made : unit) {
      if (made.unused) generator_->retire(made.unused);
    }
  };
  const bool retires_first = mutant::is_on("J34_retire_before_bind");
  if (retires_first) retire();
  for (const engine::NewCode& made : unit) generator_->bind(*made.instance);
  if (!retires_first) retire();
}

void CompilePool::drop(Job& job) {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  sink_.dropped(*job.job.instance);
}

void CompilePool::finish(std::span<const JobPtr> jobs) {
  if (jobs.empty()) return;
  {
    sync::Lock lock(mutex_);
    queue_.finish(jobs);
    if (stopping_ && queue_.num_running() == 0) quiet_.notify_all();
  }
  // The source first: its edges refer to instances too, of which the engine hears with the job's.
  for (const JobPtr& job : jobs) {
    job->job.source.reset();
    sink_.release(std::move(job->job.instance));
  }
}

}  // namespace berth::jit
