// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/compile_queue.hpp"

#include <algorithm>
#include <new>

#include "engine/code_instance.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

using engine::Priority;

constexpr auto kAgeStep = std::chrono::seconds(1);
constexpr size_t kMostRemembered = 4096;

const engine::SourceBody* body_of(const engine::CompileJob& job) {
  return job.source ? job.source->body.get() : nullptr;
}

/// About as many as the source has, from its size.
size_t estimate_instructions(const engine::SourceBody* body) {
  if (!body) return 0;
  return body->size() / (body->kind() == engine::BodyKind::LlvmIr ? 24 : 8);
}

}  // namespace

CompileQueue::Job::Job(engine::CompileJob compile_job, sync::TimePoint since)
    : job(std::move(compile_job)),
      bytes(body_of(job) ? body_of(job)->size() : 0),
      instructions(estimate_instructions(body_of(job))),
      is_typed(body_of(job) && body_of(job)->kind() == engine::BodyKind::TypedIr),
      is_shareable(job.tier == BERTH_TIER_FAST && !(job.source && job.source->isolated)),
      since(since) {}

std::shared_ptr<CompileQueue::Job> CompileQueue::Job::alone_again() const {
  auto fresh = std::make_shared<Job>(job, since);
  fresh->alone = true;
  fresh->claimed = claimed;
  fresh->cancelled.store(cancelled.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return fresh;
}

// --- in

void CompileQueue::add(std::span<const JobPtr> jobs) {
  if (jobs.size() == 1) return add_one(jobs.front());
  auto group = std::make_shared<std::vector<const engine::CodeInstance*>>();
  group->reserve(jobs.size());
  for (const JobPtr& job : jobs) group->push_back(job->job.instance.get());
  size_t added = 0;
  try {
    for (; added < jobs.size(); ++added) add_one(jobs[added]);
  } catch (...) {
    for (const JobPtr& job : jobs.first(added)) take(job);
    finish(jobs.first(added));
    throw;
  }
  for (const JobPtr& job : jobs) job->group = group;
}

void CompileQueue::add_one(const JobPtr& job) {
  if (const auto lifted = lifts_.find(job->job.instance.get()); lifted != lifts_.end()) {
    job->job.priority = std::max(job->job.priority, lifted->second);
    lifts_.erase(lifted);
  }
  const auto entry = jobs_.emplace(job->job.instance.get(), job);
  JobList& queue = queue_of(job->job.priority);
  try {
    job->place = queue.insert(queue.end(), job);
  } catch (...) {
    jobs_.erase(entry);
    throw;
  }
  job->queued = true;
  ++queued_;
  queued_bytes_ += job->bytes;
}

void CompileQueue::put_back(const JobPtr& job) noexcept {
  JobList& queue = queue_of(job->job.priority);
  queue.splice(queue.begin(), running_, job->place);
  job->queued = true;
  ++queued_;
  queued_bytes_ += job->bytes;
}

void CompileQueue::hand_over(const Job& job, const JobPtr& fresh) noexcept {
  fresh->place = job.place;
  *fresh->place = fresh;
  entry_of(job)->second = fresh;
}

void CompileQueue::raise(Job& job, Priority priority) {
  if (!job.queued || priority <= job.job.priority) return;
  JobList& to = queue_of(priority);
  to.splice(to.end(), queue_of(job.job.priority), job.place);
  job.job.priority = priority;
}

void CompileQueue::lift(const engine::CodeInstance& instance, Priority priority) noexcept {
  const auto [first, last] = jobs_.equal_range(&instance);
  for (auto entry = first; entry != last; ++entry) raise(*entry->second, priority);
  if (first != last) return;
  if (lifts_.size() >= kMostRemembered) lifts_.clear();
  try {
    Priority& remembered = lifts_[&instance];
    remembered = std::max(remembered, priority);
  } catch (const std::bad_alloc&) {  // its job comes later than it could
  }
}

void CompileQueue::remember_awaited(const engine::CodeInstance& instance) {
  if (awaited_.size() >= kMostRemembered) awaited_.clear();
  awaited_.insert(&instance);
}

// --- out

void CompileQueue::take(const JobPtr& job) {
  running_.splice(running_.end(), queue_of(job->job.priority), job->place);
  job->queued = false;
  --queued_;
  queued_bytes_ -= job->bytes;
  last_take_ = sync::Clock::now();
}

CompileQueue::JobPtr CompileQueue::take_best(bool fast_only) {
  const auto now = limits_.now();
  const auto age = [&](const Job& job) {
    return mutant::is_on("J17_no_ageing") ? 0 : (now - job.since) / kAgeStep;
  };
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
  if (best) take(best);
  return best;
}

void CompileQueue::take_batch(bool fast_only, std::vector<JobPtr>& batch) noexcept {
  const JobPtr best = take_best(fast_only);
  if (!best) return;
  batch.push_back(best);
  size_t instructions = take_group(batch);
  const Priority priority = best->job.priority;
  if (priority < Priority::Fast || !best->may_share()) return;
  const bool lifted = priority == Priority::Lifted;
  const size_t mates = lifted ? queue_of(Priority::Lifted).size()
                              : queue_of(Priority::FastAsked).size() + queue_of(Priority::Fast).size();
  const size_t limit = std::min({limits_.batch_jobs, batch.capacity(), mates / std::max(1u, workers_) + 1});
  if (lifted) return take_mates(batch, Priority::Lifted, limit, instructions);
  take_mates(batch, Priority::FastAsked, limit, instructions);
  take_mates(batch, Priority::Fast, limit, instructions);
}

void CompileQueue::take_look_ups(std::vector<JobPtr>& batch) noexcept {
  const JobPtr first = batch.front();
  const auto is_like = [&](const Job& job) { return !job.may_share() && !job.is_typed && !job.group; };
  if (!is_like(*first)) return;
  const JobList& queue = queue_of(first->job.priority);
  const size_t limit =
      std::min({limits_.look_up_jobs, batch.capacity(), queue.size() / std::max(1u, workers_) + 1});
  for (auto place = queue.begin(); place != queue.end() && batch.size() < limit && is_like(**place);) {
    const JobPtr job = *place++;
    take(job);
    batch.push_back(job);
  }
}

size_t CompileQueue::take_group(std::vector<JobPtr>& batch) noexcept {
  const JobPtr first = batch.front();
  size_t instructions = first->instructions;
  if (first->group && first->may_share() && !mutant::is_on("J47_group_cut"))
    join(batch, first, batch.capacity(), instructions, false);
  return instructions;
}

// What is queued of a job's group and may share the batch's unit. `whole`: all of it; false: there is no
// room, and none joins.
bool CompileQueue::join(std::vector<JobPtr>& batch, const JobPtr& job, size_t limit, size_t& instructions,
                        bool whole) noexcept {
  const auto for_each = [&](auto&& act) {
    for (const engine::CodeInstance* instance : *job->group) {
      const JobPtr mate = find_queued(*instance);
      if (mate && mate->group == job->group && mate->goes_with(*batch.front())) act(mate);
    }
  };
  const auto has_room = [&](size_t jobs, size_t more) {
    return batch.size() + jobs <= limit && instructions + more <= limits_.batch_instructions;
  };
  if (whole) {
    size_t jobs = 0, more = 0;
    for_each([&](const JobPtr& mate) {
      ++jobs;
      more += mate->instructions;
    });
    if (!has_room(jobs, more)) return false;
  }
  for_each([&](const JobPtr& mate) {
    if (!has_room(1, mate->instructions)) return;
    instructions += mate->instructions;
    take(mate);
    batch.push_back(mate);
  });
  return true;
}

void CompileQueue::take_mates(std::vector<JobPtr>& batch, Priority priority, size_t limit,
                              size_t& instructions) noexcept {
  const JobList& queue = queue_of(priority);
  size_t looked_at = 0;
  for (auto place = queue.begin(); place != queue.end() && batch.size() < limit && looked_at < 2 * limit;
       ++looked_at) {
    const JobPtr job = *place++;
    if (!job->goes_with(*batch.front())) continue;
    if (job->group) {
      if (join(batch, job, limit, instructions, true))
        place = queue.begin();  // the next one may have gone with it
      continue;
    }
    instructions += job->instructions;
    if (instructions > limits_.batch_instructions) return;
    take(job);
    batch.push_back(job);
  }
}

CompileQueue::JobPtr CompileQueue::take_droppable() {
  JobPtr job;
  if (const JobList& speculative = queue_of(Priority::Speculative); !speculative.empty()) {
    job = speculative.front();
  } else if (const JobList& optimized = queue_of(Priority::Optimized); !optimized.empty()) {
    if (engine::instance_code(*optimized.front()->job.instance)) job = optimized.front();
  }
  if (job) take(job);
  return job;
}

CompileQueue::JobPtr CompileQueue::take_cancelled(const engine::CodeInstance& instance) noexcept {
  lifts_.erase(&instance);
  const auto [first, last] = jobs_.equal_range(&instance);
  for (auto entry = first; entry != last; ++entry)
    entry->second->cancelled.store(true, std::memory_order_relaxed);
  JobPtr job = find_queued(instance);
  if (job) take(job);
  return job;
}

CompileQueue::JobMap::iterator CompileQueue::entry_of(const Job& job) {
  const auto [first, last] = jobs_.equal_range(job.job.instance.get());
  return std::find_if(first, last, [&](const auto& entry) { return entry.second.get() == &job; });
}

void CompileQueue::finish(std::span<const JobPtr> jobs) noexcept {
  for (const JobPtr& job : jobs) {
    jobs_.erase(entry_of(*job));
    running_.erase(job->place);
  }
}

// --- observers

CompileQueue::JobPtr CompileQueue::find_queued(const engine::CodeInstance& instance) const {
  const auto [first, last] = jobs_.equal_range(&instance);
  const auto found = std::find_if(first, last, [](const auto& entry) { return entry.second->queued; });
  return found == last ? nullptr : found->second;
}

sync::TimePoint CompileQueue::oldest_fast() const {
  sync::TimePoint oldest = sync::TimePoint::max();
  for (size_t i = static_cast<size_t>(Priority::Fast); i < queues_.size(); ++i) {
    if (!queues_[i].empty()) oldest = std::min(oldest, queues_[i].front()->since);
  }
  return oldest;
}

}  // namespace berth::jit
