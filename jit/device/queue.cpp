// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/device/queue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jit/device/calling_thread.hpp"
#include "jit/device/device.hpp"

namespace berth::jit {
namespace {

Error caused_by(const Error& error, const char* operation) {
  return make_error(error.code(), fmt::format("submission \"{}\"", operation), error.message(), "",
                    error.details());
}

}  // namespace

struct Queue::Accepted : Submission {
  Accepted(Submission submission, std::shared_ptr<Queue> queue)
      : Submission(std::move(submission)), queue(std::move(queue)) {}
  const std::shared_ptr<Queue> queue;
  // Waits not yet decided, plus 1 while submit registers them. fetch_sub acq_rel: the last decrement owns the
  // submission and sees what every reached point ordered before it.
  sync::Atomic<size_t> waits_left{0};
  sync::TimePoint since = sync::Clock::now();
};

Queue::Queue(std::shared_ptr<Device> device) : device_(std::move(device)), thread_([this] { issue_loop(); }) {
  device_->add_queue(this);
}

Queue::~Queue() = default;

void Queue::stop() {
  close(BERTH_CANCELLED);
  device_->remove_queue(this);
  thread_.join();
}

Result<void> Queue::submit(Submission submission) {
  const auto accepted = std::make_shared<Accepted>(std::move(submission), shared_from_this());
  for (const BufferRef& buffer : accepted->buffers) buffer->begin_use();
  {
    sync::Lock lock(mutex_);
    if (!closing_) {
      ++outstanding_;
      parked_.push_back(accepted);
      accepted->waits_left.store(accepted->waits.size() + 1, std::memory_order_relaxed);
    } else {
      lock.unlock();
      const Result<void> refused =
          make_error(BERTH_SHUT_DOWN, fmt::format("submission \"{}\"", accepted->name), "the queue is closed",
                     "submit before the queue or engine shuts down");
      decide(*accepted, refused);
      return refused.assume_error().clone();
    }
  }
  for (const Point& point : accepted->waits) {
    auto timepoint = std::make_shared<Timepoint>();
    timepoint->value = point.value;
    timepoint->fire = [weak = std::weak_ptr<Accepted>(accepted)] {
      if (const AcceptedRef strong = weak.lock()) strong->queue->wait_reached(strong);
    };
    point.semaphore->notify(std::move(timepoint));
  }
  wait_reached(accepted);
  return success();
}

void Queue::wait_reached(const AcceptedRef& accepted) {
  if (accepted->waits_left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  sync::Lock lock(mutex_);
  const auto found = std::find(parked_.begin(), parked_.end(), accepted);
  if (found == parked_.end()) return;  // closed meanwhile: its signals are failed
  *found = std::move(parked_.back());
  parked_.pop_back();
  ready_.push_back(accepted);
  ready_changed_.notify_one();
}

// The issue thread is not attached: nothing it does touches a managed object.
void Queue::issue_loop() {
  for (;;) {
    AcceptedRef accepted;
    {
      sync::Lock lock(mutex_);
      // One waiter and a flag under the mutex: not the pattern of glibc bug 25847, and an idle queue must not
      // wake up.
      while (ready_.empty() && !(closing_ && outstanding_ == 0)) ready_changed_.wait(lock);
      if (ready_.empty()) return;
      accepted = std::move(ready_.front());
      ready_.pop_front();
    }
    run(*accepted);
    accepted.reset();  // references go before the count that drain and close wait for
    sync::Lock lock(mutex_);
    --outstanding_;
    idle_.notify_all();
  }
}

void Queue::run(Accepted& accepted) {
  for (const Point& wait : accepted.waits) {
    if (wait.semaphore->state_of(wait.value) != TimelineSemaphore::PointState::Failed) continue;
    const Error failure = wait.semaphore->failure();
    return decide(accepted,
                  make_error(failure.code(), fmt::format("submission \"{}\" not run", accepted.name),
                             "caused by " + failure.message(), ""));
  }
  Result<void> outcome = success();
  if (accepted.operation) {
    try {
      outcome = accepted.operation();
    } catch (const std::exception& exception) {
      outcome = make_error(BERTH_RUNTIME_ERROR, fmt::format("submission \"{}\"", accepted.name),
                           exception.what(), "");
    }
  }
  decide(accepted, outcome);
}

void Queue::decide(Accepted& accepted, const Result<void>& outcome) {
  for (const BufferRef& buffer : accepted.buffers) buffer->end_use();
  for (auto& [signaller, value] : accepted.signals) {
    if (outcome.has_error()) {
      (*signaller)->fail(caused_by(outcome.assume_error(), accepted.name));
      continue;
    }
    Result<void> signalled = (*signaller)->signal(value);
    if (signalled.has_error() && !(*signaller)->has_failed()) {
      (*signaller)
          ->fail(
              make_error(BERTH_INVALID_ARGUMENT, fmt::format("submission \"{}\"", accepted.name),
                         fmt::format("out of order signal to {}, value is {}", value, (*signaller)->value()),
                         "order submissions that signal one semaphore"));
    }
  }
  accepted.signals.clear();
  accepted.operation = nullptr;
  accepted.buffers.clear();
}

Result<void> Queue::drain(const Deadline& deadline) {
  bool empty = false;
  wait_safe(device_->engine().collector(), "queue drain", [&] {
    sync::Lock lock(mutex_);
    while (outstanding_ != 0 && !deadline.has_passed()) {
      idle_.wait_until(lock, std::min(deadline.time(), sync::Clock::now() + std::chrono::milliseconds(100)));
    }
    empty = outstanding_ == 0;
  });
  if (empty) return success();
  return make_error(BERTH_TIMED_OUT, "berth_queue_drain", "submissions are not done in time",
                    "wait longer, or see berth_engine_explain");
}

void Queue::close(berth_code_t code) {
  std::vector<AcceptedRef> dropped;
  {
    sync::Lock lock(mutex_);
    closing_ = true;
    dropped.swap(parked_);
    dropped.insert(dropped.end(), ready_.begin(), ready_.end());
    ready_.clear();
  }
  for (const AcceptedRef& accepted : dropped) {
    decide(*accepted,
           make_error(code, fmt::format("submission \"{}\"", accepted->name),
                      "its queue was closed before it began", "drain the queue before it is deleted"));
  }
  const size_t num_dropped = dropped.size();
  dropped.clear();
  wait_safe(device_->engine().collector(), "queue close", [&] {
    sync::Lock lock(mutex_);
    outstanding_ -= num_dropped;
    ready_changed_.notify_one();
    idle_.notify_all();
    while (outstanding_ != 0) idle_.wait_until(lock, sync::Clock::now() + std::chrono::milliseconds(100));
  });
}

void Queue::explain(engine::Explanation& explanation) {
  std::vector<AcceptedRef> parked;
  {
    sync::Lock lock(mutex_);
    parked = parked_;
  }
  for (const AcceptedRef& accepted : parked) {
    const auto waiting = std::chrono::nanoseconds(sync::Clock::now() - accepted->since).count();
    std::string item =
        fmt::format("{{\"device\":{},\"op\":\"{}\",\"state\":\"parked\",\"waiting_ns\":{},\"waiting_for\":[",
                    device_->id(), accepted->name, waiting);
    for (size_t i = 0; i < accepted->waits.size(); ++i) {
      item += fmt::format("{}{{\"value\":{},\"current\":{}}}", i == 0 ? "" : ",", accepted->waits[i].value,
                          accepted->waits[i].semaphore->value());
    }
    engine::add_item(explanation, "submissions", item + "]}");
  }
}

}  // namespace berth::jit
