// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CompileQueue: the jobs of a compile pool, queued and running, and which is next.
//
//   job     | take...                   | put_back | finish
//   Queued  | Running                   | invalid  | invalid
//   Running | invalid                   | Queued   | gone
//
// Only `add`, the hints and a hand-over's fresh job need memory: what is queued can always be taken, put back
// and finished. Priority: by class, one class up per second waited, among equals the older. A FAST job is
// taken with a fair share of those that are queued like it. Knows no threads: its pool's lock guards it.
// Cost: constant per job, but for the look at a batch's mates.
#pragma once
#include <array>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/compiler.hpp"
#include "support/sync.hpp"

namespace berth::jit {

class CompileQueue {
 public:
  struct Limits {
    size_t queued_jobs = 64 * 1024;
    size_t queued_bytes = size_t{256} << 20;
    size_t batch_jobs = 64;
    size_t batch_instructions = 4000;  // by the size of their sources
    size_t look_up_jobs = 8;           // that are compiled alone, but may be kept: looked for in one go
    std::function<sync::TimePoint()> now = &sync::Clock::now;  // of priorities
  };
  struct Job;
  using JobPtr = std::shared_ptr<Job>;

  /// A batch is a fair share for each of `workers`.
  CompileQueue(const Limits& limits, unsigned workers) : limits_(limits), workers_(workers) {}

  // All functions. Threads: one at a time. Blocks: never. GC: any, kept. Owns: as the pointers say.
  /// Several: released together, so they make one unit as far as the limits allow. Throws std::bad_alloc:
  /// nothing has changed.
  void add(std::span<const JobPtr> jobs);
  /// This job, which is queued.
  void take(const JobPtr& job);
  /// The best job; null: none.
  JobPtr take_best(bool fast_only);
  /// The best job and, of a FAST one, a fair share of those that wait like it, never more than there are, nor
  /// than there is room for in `batch`, which is empty and has room; none: it stays so.
  void take_batch(bool fast_only, std::vector<JobPtr>& batch) noexcept;
  /// More jobs like the batch's only one, which is compiled alone: a fair share of them, as the limits allow.
  void take_look_ups(std::vector<JobPtr>& batch) noexcept;
  /// What is queued of those that the batch's only job, which was taken, was added with; as the limits allow.
  /// Returns the instructions of all.
  size_t take_group(std::vector<JobPtr>& batch) noexcept;
  /// The instance's job was asked for before it came. Forgets it.
  bool was_awaited(const engine::CodeInstance& instance) noexcept { return awaited_.erase(&instance) != 0; }
  /// What nobody would miss: speculation, or a promotion, whose instance has code; null: none.
  JobPtr take_droppable();
  /// Marks the instance's jobs as cancelled, and takes one that is queued; null: none.
  JobPtr take_cancelled(const engine::CodeInstance& instance) noexcept;
  /// A job that was taken: to the head of its queue.
  void put_back(const JobPtr& job) noexcept;
  /// Running jobs in another's hands: `fresh`, the copy, has the place of `job`, at which its thread may
  /// still look.
  void hand_over(const Job& job, const JobPtr& fresh) noexcept;
  void finish(std::span<const JobPtr> jobs) noexcept;
  /// Raises the instance's jobs; if there are none, remembered for them if there is memory for that.
  void lift(const engine::CodeInstance& instance, engine::Priority priority) noexcept;
  /// Throws std::bad_alloc.
  void remember_awaited(const engine::CodeInstance& instance);

  JobPtr find_queued(const engine::CodeInstance& instance) const;
  bool contains(const engine::CodeInstance& instance) const { return jobs_.contains(&instance); }
  bool is_over_limit() const { return queued_ > limits_.queued_jobs || queued_bytes_ > limits_.queued_bytes; }
  bool has_fast() const { return oldest_fast() != sync::TimePoint::max(); }
  /// When the oldest FAST job came; max: there is none.
  sync::TimePoint oldest_fast() const;
  sync::TimePoint last_take() const { return last_take_; }
  size_t num_queued() const { return queued_; }
  size_t num_running() const { return running_.size(); }

 private:
  using JobList = std::list<JobPtr>;
  using JobMap = std::unordered_multimap<const engine::CodeInstance*, JobPtr>;

  JobList& queue_of(engine::Priority priority) { return queues_[static_cast<size_t>(priority)]; }
  void add_one(const JobPtr& job);
  bool join(std::vector<JobPtr>& batch, const JobPtr& job, size_t limit, size_t& instructions,
            bool whole) noexcept;
  void take_mates(std::vector<JobPtr>& batch, engine::Priority priority, size_t limit,
                  size_t& instructions) noexcept;
  void raise(Job& job, engine::Priority priority);
  JobMap::iterator entry_of(const Job& job);

  const Limits limits_;
  const unsigned workers_;
  std::array<JobList, 5> queues_;  // by priority, each oldest first
  JobList running_;                // nodes go to and fro
  JobMap jobs_;                    // queued and running
  // Lifts that came before their job. A hint: bounded, a stale entry only makes some job early.
  std::unordered_map<const engine::CodeInstance*, engine::Priority> lifts_;
  // Without threads: asked for before the job was there; its submitter then compiles it at once. A hint,
  // bounded.
  std::unordered_set<const engine::CodeInstance*> awaited_;
  sync::TimePoint last_take_{};
  size_t queued_ = 0, queued_bytes_ = 0;
};

struct CompileQueue::Job {
  Job(engine::CompileJob compile_job, sync::TimePoint since);
  /// The same, to be compiled alone, claimed if it is.
  std::shared_ptr<Job> alone_again() const;

  bool may_share() const { return !alone && is_shareable; }
  bool goes_with(const Job& other) const { return may_share() && is_typed == other.is_typed; }

  engine::CompileJob job;
  // Those that it was added with, and itself; the pool's lock
  std::shared_ptr<const std::vector<const engine::CodeInstance*>> group;
  // Of the source, which has long left the caches when its job's turn is near, and is not looked at under the
  // lock.
  const size_t bytes, instructions;
  const bool is_typed, is_shareable;
  const sync::TimePoint since;
  JobList::iterator place;  // in the queue of its priority, or among those that run; the pool's lock
  bool queued = false;      // the pool's lock
  bool alone = false;       // LLVM ended a batch that it was in; the pool's lock
  bool claimed = false;     // by whoever runs it
  // Written by cancel, read between steps of the compile; only asks to stop early, the sink decides: relaxed.
  sync::Atomic<bool> cancelled{false};
};

}  // namespace berth::jit
