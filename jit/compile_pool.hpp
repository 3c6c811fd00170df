// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CompilePool: the queue of compile jobs and the threads that run them.
//
//   job      | take, help | cancel               | stop(Drop) | stop(Drain) | generated        | fatal error
//   Queued   | Running    | Dropped              | Dropped    | Running     | -                | -
//   Running  | -          | marked, then Dropped | waits      | waits       | Done or Failed   | Failed (of a batch: Queued, alone), thread parked
//   Done, Failed, Dropped: final, one sink call
//
// A thread of the pool takes FAST jobs in batches of what is queued, never waiting for more; they are generated together and answered one
// by one. If a batch fails as a whole each of its jobs is compiled alone.
//
// A worker never reserves and never waits for another job. A job that somebody waits for is started at once: by an idle worker, else
// by a relief worker. One supervisor thread, asleep while no FAST job is left behind, starts relief workers for FAST jobs that nobody
// waits for while long ones hold all workers. Without threads a job is compiled in place by whoever needs it.
//
// Rank: kRankCompilePool, a leaf: no sink, no generator call under it. Cost: one lock per submit and per claim.
#pragma once
#include <array>
#include <atomic>
#include <boost/thread/thread.hpp>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/compiler.hpp"
#include "jit/code_generator.hpp"
#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankCompilePool{500, "compile pool"};

class CompilePool final : public engine::Compiler {
 public:
  struct Limits {
    size_t queued_jobs = 64 * 1024;
    size_t queued_bytes = size_t{256} << 20;
    unsigned parked_threads = 8;
    unsigned awaited_relief = 256;
    size_t batch_jobs = 64;
    size_t batch_instructions = 4000;  // by the size of their sources
  };
  struct Stats {
    uint64_t submitted, run, in_place, dropped, failed, batches;
    unsigned threads, relief, parked, queued;
  };

  CompilePool(engine::CompileSink& sink, std::unique_ptr<CodeGenerator> generator, unsigned threads, const Limits& limits);
  CompilePool(engine::CompileSink& sink, std::unique_ptr<CodeGenerator> generator, unsigned threads)
      : CompilePool(sink, std::move(generator), threads, Limits{}) {}
  ~CompilePool() override;

  /// Errors: SHUT_DOWN after stop; FORKED in a child; RESOURCE_EXHAUSTED if no thread can be started.
  Result<void> submit(engine::CompileJob job) override;
  /// Without threads: compiles here. With threads: sees that a thread of the pool has the job at once, and answers false.
  bool help(engine::CodeInstance& instance, const Deadline& deadline) override;
  void lift(engine::CodeInstance& instance, engine::Priority priority) override;
  void cancel(engine::CodeInstance& instance) override;
  void retire(engine::Code* code) override { generator_->retire(code); }
  void stop(engine::StopMode mode) override;
  Result<void> define_symbol(const char* name, void* address) override { return generator_->define_symbol(name, address); }
  bool has_threads() const noexcept override { return max_workers_ != 0; }
  Result<void> set_observers(uint32_t flags) override { return generator_->set_observers(flags); }

  Stats stats() const;
  CodeGenerator& generator() noexcept { return *generator_; }

 private:
  struct Job;
  struct Run;  // what one thread compiles now
  struct Worker;
  using JobPtr = std::shared_ptr<Job>;
  using JobList = std::list<JobPtr>;

  bool in_child() const noexcept;
  void enqueue(JobPtr job) BERTH_REQUIRES(mutex_);
  void put_back(const JobPtr& job) BERTH_REQUIRES(mutex_);
  JobPtr take_best(bool fast_only) BERTH_REQUIRES(mutex_);
  std::vector<JobPtr> take_batch(bool fast_only) BERTH_REQUIRES(mutex_);
  void take_mates(std::vector<JobPtr>& batch, engine::Priority priority, size_t limit, size_t& instructions) BERTH_REQUIRES(mutex_);
  void mark_running(const JobPtr& job) BERTH_REQUIRES(mutex_);
  JobPtr find_queued(const engine::CodeInstance& instance) BERTH_REQUIRES(mutex_);
  void raise(Job& job, engine::Priority priority) BERTH_REQUIRES(mutex_);
  void forget(const Job& job) BERTH_REQUIRES(mutex_);
  bool over_limit() const BERTH_REQUIRES(mutex_);
  bool wake_idle_worker(JobPtr assigned, bool fast) BERTH_REQUIRES(mutex_);
  bool start_worker(bool relief, JobPtr assigned) BERTH_REQUIRES(mutex_);
  JobPtr take_awaited(const engine::CodeInstance& instance) BERTH_REQUIRES(mutex_);
  bool start_supervisor() BERTH_REQUIRES(mutex_);
  void see_to_queued(bool fast) BERTH_REQUIRES(mutex_);
  bool has_fast_queued() const BERTH_REQUIRES(mutex_);

  void abandon_threads() BERTH_NO_ANALYSIS;
  void worker_loop(std::shared_ptr<Worker> worker);
  void supervise();
  std::vector<JobPtr> next_jobs(Worker& worker);
  void run_on_pool_thread(Worker& worker, std::vector<JobPtr> jobs);
  void run_in_place(const JobPtr& job);
  void run(Run& run);
  void compile_unit(Run& run);
  Result<CodeGenerator::Answers> generate(std::span<const CompileRequest> requests);
  bool claim(Job& job);
  void answer(Job& job, Result<engine::Code*> result);
  void drop(Job& job);
  void finish(std::span<const JobPtr> jobs);
  [[noreturn]] void park(Worker& worker, Run& run, const char* text);

  engine::CompileSink& sink_;
  const std::unique_ptr<CodeGenerator> generator_;
  const unsigned max_workers_;
  const Limits limits_;
  const int process_;  // of the constructor: in a forked child nothing is joined

  mutable sync::Mutex mutex_{kRankCompilePool};
  sync::Condition supervisor_wake_, quiet_;
  std::array<JobList, 5> queues_ BERTH_GUARDED_BY(mutex_);  // by priority, each oldest first
  std::unordered_multimap<const engine::CodeInstance*, JobPtr> jobs_ BERTH_GUARDED_BY(mutex_);  // queued and running
  // Lifts that came before their job. A hint: bounded, a stale entry only makes some job early.
  std::unordered_map<const engine::CodeInstance*, engine::Priority> lifts_ BERTH_GUARDED_BY(mutex_);
  // Without threads: asked for before the job was there; its submitter then compiles it at once. A hint, bounded.
  std::unordered_set<const engine::CodeInstance*> awaited_ BERTH_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Worker>> workers_ BERTH_GUARDED_BY(mutex_);
  std::vector<Worker*> idle_ BERTH_GUARDED_BY(mutex_);  // the last one in is woken first: fewest threads awake
  std::vector<boost::thread> ended_ BERTH_GUARDED_BY(mutex_);
  boost::thread supervisor_ BERTH_GUARDED_BY(mutex_);
  sync::TimePoint last_claim_ BERTH_GUARDED_BY(mutex_){};
  size_t queued_ BERTH_GUARDED_BY(mutex_) = 0, queued_bytes_ BERTH_GUARDED_BY(mutex_) = 0;
  unsigned regular_ BERTH_GUARDED_BY(mutex_) = 0, relief_ BERTH_GUARDED_BY(mutex_) = 0, parked_ BERTH_GUARDED_BY(mutex_) = 0;
  size_t running_ BERTH_GUARDED_BY(mutex_) = 0;
  // Parked threads that have left the pool for good: it must not go before. Release when they do, acquire by stop; shared, since its
  // notification may come after the pool is gone.
  const std::shared_ptr<std::atomic<unsigned>> left_ = std::make_shared<std::atomic<unsigned>>(0);
  bool supervisor_armed_ BERTH_GUARDED_BY(mutex_) = false;
  bool stopping_ BERTH_GUARDED_BY(mutex_) = false, stopped_ BERTH_GUARDED_BY(mutex_) = false;
  std::once_flag opened_;
  uint64_t submitted_ BERTH_GUARDED_BY(mutex_) = 0, run_ BERTH_GUARDED_BY(mutex_) = 0, in_place_ BERTH_GUARDED_BY(mutex_) = 0;
  sync::Atomic<uint64_t> dropped_{0}, failed_{0}, batches_{0};  // counters, order nothing: relaxed
};

}  // namespace berth::jit
