// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CompilePool: the queue of compile jobs and the threads that run them, by file:
//   compile_pool.cpp              the compiler's functions, a job's way to its answer
//   compile_pool_threads.cpp      threads: starting, waking, stopping
//   compile_pool_supervision.cpp  relief, budgets, threads that do not come back
// The order of the jobs is CompileQueue's.
//
//   job      | take, help | cancel               | stop(Drop) | stop(Drain) | generated      | fatal error
//   Queued   | Running    | Dropped              | Dropped    | Running     | -              | -
//   Running  | -          | marked, then Dropped | waits      | waits       | Done or Failed | thread parked
//   Done, Failed, Dropped: final, one sink call. With a fatal error a job is Failed; those of a batch are
//   Queued, alone. Out of time a running job goes as with a fatal error.
//
// A thread of the pool takes FAST jobs in batches of what is queued, never waiting for more; they are
// generated together and answered one by one. If a batch fails as a whole each of its jobs is compiled alone.
//
// A worker never reserves and never waits for another job. A job that somebody waits for is started at once:
// by an idle worker, else by a relief worker. One supervisor thread, asleep while nothing is compiled (it
// looks once more when the last compile's time would have been over), starts relief workers for FAST jobs
// that nobody waits for while long ones hold all workers, and takes the place from a thread whose compile
// does not end in its time: such a thread is lost, and touches nothing of the pool any more. Without threads
// a job is compiled in place by whoever needs it.
//
// Rank: kRankCompilePool, a leaf: no sink, no generator call under it. Cost: one lock per submit and per
// claim.
#pragma once
#include <atomic>
#include <boost/thread/thread.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/compiler.hpp"
#include "jit/code_generator.hpp"
#include "jit/compile_queue.hpp"
#include "support/fork.hpp"
#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankCompilePool{500, "compile pool"};

class CompilePool final : public engine::Compiler {
 public:
  struct Limits : CompileQueue::Limits {
    unsigned parked_threads = 8;
    unsigned awaited_relief = 256;
    engine::Budgets budgets = engine::kDefaultBudgets;
    std::chrono::nanoseconds unused_time = std::chrono::seconds(60);  // then an idle pool frees what it keeps
  };
  struct Stats {
    uint64_t submitted, run, in_place, found, dropped, failed, batches;
    unsigned threads, relief, parked, lost, queued;
  };

  CompilePool(engine::CompileSink& sink, std::unique_ptr<CodeGenerator> generator, unsigned threads,
              const Limits& limits);
  CompilePool(engine::CompileSink& sink, std::unique_ptr<CodeGenerator> generator, unsigned threads)
      : CompilePool(sink, std::move(generator), threads, Limits{}) {}
  ~CompilePool() override;

  /// Errors: SHUT_DOWN after stop; FORKED in a child; RESOURCE_EXHAUSTED if no thread can be started.
  Result<void> submit(engine::CompileJob job) override { return submit_together({&job, 1}); }
  Result<void> submit_together(std::span<engine::CompileJob> jobs) override;
  /// Without threads: compiles here. With threads: sees that a thread of the pool has the job at once, and
  /// answers false.
  bool help(engine::CodeInstance& instance, const Deadline& deadline) override;
  void lift(engine::CodeInstance& instance, engine::Priority priority) override;
  void cancel(engine::CodeInstance& instance) override;
  void retire(engine::Code* code) override { generator_->retire(code); }
  void stop(engine::StopMode mode) override;
  Result<void> define_symbol(const char* name, void* address) override {
    return generator_->define_symbol(name, address);
  }
  bool has_threads() const noexcept override { return max_workers_ != 0; }
  Result<void> set_observers(uint32_t flags) override { return generator_->set_observers(flags); }

  Stats stats() const;
  CodeGenerator& generator() noexcept { return *generator_; }

 private:
  using Job = CompileQueue::Job;
  struct Run;  // what one thread compiles now
  struct Worker;
  using JobPtr = CompileQueue::JobPtr;

  bool in_child() const noexcept { return home_.is_forked(); }
  bool wake_idle_worker(const JobPtr& assigned, bool fast) BERTH_REQUIRES(mutex_);
  bool start_worker(bool relief, const JobPtr& assigned) BERTH_REQUIRES(mutex_);
  void assign(Worker& worker, const JobPtr& job) BERTH_REQUIRES(mutex_);
  void wake_supervisor(sync::TimePoint due) BERTH_REQUIRES(mutex_);
  sync::TimePoint relief_due() const BERTH_REQUIRES(mutex_);
  JobPtr replace_lost(sync::TimePoint& next) BERTH_REQUIRES(mutex_);
  JobPtr replace(Worker& worker) BERTH_REQUIRES(mutex_);
  void compile_alone(std::span<const JobPtr> jobs) noexcept BERTH_REQUIRES(mutex_);
  void remove(Worker& worker) BERTH_REQUIRES(mutex_);
  void see_to_queued(bool fast) BERTH_REQUIRES(mutex_);

  void abandon_threads() BERTH_NO_ANALYSIS;
  void worker_loop(std::shared_ptr<Worker> worker);
  void supervise();
  bool take_jobs(Worker& worker);
  void run_on_pool_thread(Worker& worker);
  std::vector<JobPtr> take_in_place();
  void run_in_place(std::vector<JobPtr> jobs);
  bool find_in_place(const JobPtr& job);
  void look_up(Run& run);
  engine::Code* find(Job& job);
  bool hand_over(const JobPtr& job);
  bool give_to_thread(const JobPtr& job) BERTH_REQUIRES(mutex_);
  void set_due(Worker& worker, const Job& first) BERTH_REQUIRES(mutex_);
  void begin_unit(Worker& worker, Run& run);
  static void end_unit(Worker& worker);
  void relieve_queue();
  void run(Run& run);
  void compile_unit(Run& run);
  Result<CodeGenerator::Answers> generate(std::span<const CompileRequest> requests);
  bool claim(Job& job);
  void answer(Job& job, Error error);
  void publish(std::span<engine::NewCode> unit);
  void drop(Job& job);
  static Error no_memory(const Job& job);
  void finish(std::span<const JobPtr> jobs);
  [[noreturn]] void park(Run& run, const char* text);

  engine::CompileSink& sink_;
  std::unique_ptr<CodeGenerator> generator_;  // kept for ever if lost threads may be inside
  const unsigned max_workers_;
  const Limits limits_;
  const HomeProcess home_;  // in a forked child nothing is joined

  mutable sync::Mutex mutex_{kRankCompilePool};
  sync::Condition supervisor_wake_, quiet_;
  CompileQueue queue_ BERTH_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Worker>> workers_ BERTH_GUARDED_BY(mutex_);
  // The last one in is woken first: fewest threads awake.
  std::vector<Worker*> idle_ BERTH_GUARDED_BY(mutex_);
  std::vector<boost::thread> ended_ BERTH_GUARDED_BY(mutex_);
  boost::thread supervisor_ BERTH_GUARDED_BY(mutex_);
  sync::TimePoint last_relief_ BERTH_GUARDED_BY(mutex_){};  // when the supervisor last started one
  unsigned regular_ BERTH_GUARDED_BY(mutex_) = 0, relief_ BERTH_GUARDED_BY(mutex_) = 0;
  unsigned lost_ BERTH_GUARDED_BY(mutex_) = 0;
  // Written under the lock, which also orders it for whoever takes a job afterwards: relaxed.
  sync::Atomic<unsigned> parked_{0};
  // Parked threads that have left the pool for good: it must not go before. Release when they do, acquire by
  // stop; shared, since its notification may come after the pool is gone.
  const std::shared_ptr<std::atomic<unsigned>> left_ = std::make_shared<std::atomic<unsigned>>(0);
  // When the supervisor looks again by itself.
  sync::TimePoint supervisor_due_ BERTH_GUARDED_BY(mutex_) = sync::TimePoint::max();
  bool stopping_ BERTH_GUARDED_BY(mutex_) = false, stopped_ BERTH_GUARDED_BY(mutex_) = false;
  std::once_flag opened_;
  uint64_t submitted_ BERTH_GUARDED_BY(mutex_) = 0, run_ BERTH_GUARDED_BY(mutex_) = 0;
  uint64_t in_place_ BERTH_GUARDED_BY(mutex_) = 0;
  sync::Atomic<uint64_t> found_{0}, dropped_{0}, failed_{0}, batches_{0};  // counters, order nothing: relaxed
};

}  // namespace berth::jit
