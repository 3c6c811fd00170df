// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queue: accepts submissions; its issue thread runs those whose waits are reached, oldest first, then decides
// their signals.
//
//   submission | last wait reached | a wait failed        | issued   | done            | queue closed
//   Parked     | Ready             | Ready (not run)      | -        | -               | signals failed
//   Ready      | -                 | -                    | Issued   | -               | signals failed
//   Issued     | -                 | -                    | -        | Signalled       | finishes first
//
// Only semaphores order: a parked submission blocks no later one. Every accepted submission has its signals
// decided exactly once. Rank: 120. Cost: one lock per submission and one wake of the issue thread.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "jit/device/buffer.hpp"
#include "jit/device/semaphore.hpp"

namespace berth::jit {

class Device;

struct Submission {
  std::function<Result<void>()> operation;  // null: a barrier
  std::vector<BufferRef> buffers;           // busy until the signals are decided
  std::vector<Point> waits;
  std::vector<std::pair<Signaller, uint64_t>> signals;
  const char* name = "";
};

/// Shared: by its handle and by every accepted submission, whose waits may fire while the handle goes.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  explicit Queue(std::shared_ptr<Device> device);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Errors: SHUT_DOWN (signals are failed with it). Threads: any. Blocks: short.
  Result<void> submit(Submission submission);
  /// Errors: TIMED_OUT. Threads: any. Blocks: may wait. GC: any; safe while waiting.
  Result<void> drain(const Deadline& deadline);
  /// Refuses new work and fails what has not begun with `code`; returns when the rest is done.
  void close(berth_code_t code);
  /// close, then ends the issue thread. Once, by the owner of the handle; not from a submission.
  void stop();
  Device& device() noexcept { return *device_; }
  /// One item per parked submission.
  void explain(engine::Explanation& explanation);

 private:
  struct Accepted;
  using AcceptedRef = std::shared_ptr<Accepted>;
  void issue_loop();
  void run(Accepted& accepted);
  void decide(Accepted& accepted, const Result<void>& outcome);
  void wait_reached(const AcceptedRef& accepted);

  const std::shared_ptr<Device> device_;
  sync::Mutex mutex_{Rank{120, "queue"}};
  sync::Condition ready_changed_;  // one waiter: the issue thread
  sync::Condition idle_;           // drain, close
  std::deque<AcceptedRef> ready_ BERTH_GUARDED_BY(mutex_);
  std::vector<AcceptedRef> parked_ BERTH_GUARDED_BY(mutex_);
  size_t outstanding_ BERTH_GUARDED_BY(mutex_) = 0;
  bool closing_ BERTH_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace berth::jit
