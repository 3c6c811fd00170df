// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/device/semaphore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gc/parker.hpp"
#include "jit/device/calling_thread.hpp"

namespace berth::jit {
namespace {

// Callbacks caused by callbacks wait here until the outermost one on this thread is done.
thread_local std::vector<std::shared_ptr<Timepoint>>* firing = nullptr;

void run_all(std::vector<std::shared_ptr<Timepoint>>& decided) {
  if (firing) {
    firing->insert(firing->end(), decided.begin(), decided.end());
    return;
  }
  firing = &decided;
  for (size_t i = 0; i < decided.size(); ++i) {
    const auto timepoint = std::move(decided[i]);  // by value: the vector may grow
    timepoint->fire();
  }
  firing = nullptr;
}

Error timed_out(std::span<const Point> points) {
  std::string json = "{\"points\":[";
  for (size_t i = 0; i < points.size(); ++i) {
    json += fmt::format("{}{{\"value\":{},\"current\":{}}}", i == 0 ? "" : ",", points[i].value,
                        points[i].semaphore->value());
  }
  return make_error(BERTH_TIMED_OUT, "waiting for a semaphore",
                    fmt::format("value {} of {} not reached in time, it is {}", points.front().value,
                                points.size(), points.front().semaphore->value()),
                    "wait longer, or see that the work which signals it was submitted", json + "]}");
}

// Sleeps until `decided` gives a result. Every point notifies one parker; the whole list is looked at on each
// wake.
template <class T, class Decided>
Result<T> wait_until_decided(std::span<const Point> points, const Deadline& deadline, Decided decided) {
  if (points.empty()) return std::move(*decided());
  if (std::optional<Result<T>> now = decided()) return std::move(*now);
  if (deadline.has_passed()) return timed_out(points);
  const gc::ParkerRef parker(new gc::Parker);
  std::vector<std::shared_ptr<Timepoint>> timepoints;
  for (const Point& point : points) {
    auto timepoint = std::make_shared<Timepoint>();
    timepoint->value = point.value;
    timepoint->fire = [parker] { parker->notify(gc::Parker::kServed); };
    timepoints.push_back(std::move(timepoint));
  }
  std::optional<Result<T>> result;
  wait_safe(points.front().semaphore->collector(), "semaphore", [&] {
    for (size_t i = 0; i < points.size(); ++i) points[i].semaphore->notify(timepoints[i]);
    while (!(result = decided())) {
      if (deadline.has_passed()) break;
      parker->park(deadline.time());
    }
    for (size_t i = 0; i < points.size(); ++i) points[i].semaphore->cancel(*timepoints[i]);
    if (!result) result = decided();  // a point decided at the deadline wins
  });
  return result ? std::move(*result) : Result<T>(timed_out(points));
}

}  // namespace

TimelineSemaphore::~TimelineSemaphore() { delete failure_.load(std::memory_order_acquire); }

Result<void> TimelineSemaphore::signal(uint64_t value) {
  uint64_t word = word_.load(std::memory_order_acquire);
  do {
    if (word & kFailedBit) return failure();
    if (value <= word || value > kValueMask) {
      return make_error(BERTH_INVALID_ARGUMENT, "semaphore",
                        fmt::format("signal to {} refused, value is {}", value, word),
                        fmt::format("signal a value above {} and below 2^63", word));
    }
  } while (!word_.compare_exchange_weak(word, value, std::memory_order_acq_rel, std::memory_order_acquire));
  fire_decided();
  return success();
}

void TimelineSemaphore::fail(Error error) {
  berth_error* expected = nullptr;
  berth_error* const mine = error.release();
  if (!failure_.compare_exchange_strong(expected, mine, std::memory_order_acq_rel, std::memory_order_acquire))
    delete mine;
  word_.fetch_or(kFailedBit, std::memory_order_acq_rel);  // losers too: the bit must be set when they return
  fire_decided();
}

TimelineSemaphore::PointState TimelineSemaphore::state_of(uint64_t value) const noexcept {
  const uint64_t word = word_.load(std::memory_order_acquire);
  if ((word & kValueMask) >= value) return PointState::Reached;
  return word & kFailedBit ? PointState::Failed : PointState::Pending;
}

Error TimelineSemaphore::failure() const {
  const berth_error* failure = failure_.load(std::memory_order_acquire);
  return make_error(failure->code, failure->message, "", "", fmt::format("{{\"value\":{}}}", value()));
}

void TimelineSemaphore::notify(std::shared_ptr<Timepoint> timepoint) {
  if (state_of(timepoint->value) == PointState::Pending) {
    sync::Lock lock(mutex_);
    timepoint->self = timepoint;
    timepoint->linked = true;
    timepoint->next = first_;
    if (first_) first_->previous = timepoint.get();
    first_ = timepoint.get();
    // Read again: a signal between the first look and the link has already passed over the list.
    if (state_of(timepoint->value) == PointState::Pending) return;
    unlink(*timepoint);
  }
  std::vector<std::shared_ptr<Timepoint>> decided{std::move(timepoint)};
  run_all(decided);
}

bool TimelineSemaphore::cancel(Timepoint& timepoint) {
  std::shared_ptr<Timepoint> keep;
  sync::Lock lock(mutex_);
  if (!timepoint.linked) return false;
  keep = timepoint.self;
  unlink(timepoint);
  return true;
}

void TimelineSemaphore::drop_signaller() {
  if (signallers_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  fail(make_error(BERTH_CANCELLED, "semaphore", "the last who could signal it is gone",
                  "keep a handle, or submit the work that signals it, until its points are reached"));
}

void TimelineSemaphore::fire_decided() {
  std::vector<std::shared_ptr<Timepoint>> decided;
  Timepoint* detached = nullptr;
  {
    sync::Lock lock(mutex_);
    for (Timepoint* timepoint = first_; timepoint;) {
      Timepoint* const next = timepoint->next;
      if (state_of(timepoint->value) != PointState::Pending) {
        std::shared_ptr<Timepoint> keep = timepoint->self;
        unlink(*timepoint);
        timepoint->self = std::move(keep);
        timepoint->next = detached;  // the list is newest first: this reverses it to order of registration
        detached = timepoint;
      }
      timepoint = next;
    }
  }
  while (detached) {
    Timepoint* const next = detached->next;
    // By value, then by registration.
    const auto place =
        std::upper_bound(decided.begin(), decided.end(), detached->value,
                         [](uint64_t value, const auto& other) { return value < other->value; });
    decided.insert(place, std::move(detached->self));
    detached = next;
  }
  if (!decided.empty()) run_all(decided);
}

void TimelineSemaphore::unlink(Timepoint& timepoint) {
  if (timepoint.previous)
    timepoint.previous->next = timepoint.next;
  else
    first_ = timepoint.next;
  if (timepoint.next) timepoint.next->previous = timepoint.previous;
  timepoint.previous = timepoint.next = nullptr;
  timepoint.linked = false;
  timepoint.self.reset();
}

Result<void> wait_all(std::span<const Point> points, const Deadline& deadline) {
  return wait_until_decided<void>(points, deadline, [&]() -> std::optional<Result<void>> {
    bool all = true;
    for (const Point& point : points) {
      const auto state = point.semaphore->state_of(point.value);
      if (state == TimelineSemaphore::PointState::Failed) return Result<void>(point.semaphore->failure());
      all = all && state == TimelineSemaphore::PointState::Reached;
    }
    if (all) return Result<void>(success());
    return std::nullopt;
  });
}

Result<size_t> wait_any(std::span<const Point> points, const Deadline& deadline) {
  if (points.empty()) return SIZE_MAX;
  return wait_until_decided<size_t>(points, deadline, [&]() -> std::optional<Result<size_t>> {
    const Point* failed = nullptr;
    for (size_t i = 0; i < points.size(); ++i) {
      const auto state = points[i].semaphore->state_of(points[i].value);
      if (state == TimelineSemaphore::PointState::Reached) return Result<size_t>(i);
      if (state == TimelineSemaphore::PointState::Failed && !failed) failed = &points[i];
    }
    if (failed) return Result<size_t>(failed->semaphore->failure());
    return std::nullopt;
  });
}

}  // namespace berth::jit
