// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TimelineSemaphore: a value that only rises, and the points (semaphore, value) that are decided once:
// reached or failed.
//
//   state    | signal(v > value) | signal(v <= value) | fail         | last signaller gone
//   Open     | value = v         | INVALID_ARGUMENT   | Failed       | Failed (CANCELLED)
//   Failed   | the failure       | the failure        | dropped      | -
//
// No lost wake: registering reads the state, links, and reads it again; signalling publishes, then takes the
// lock and detaches what is decided. Callbacks run under no lock, from a list of the thread, so that chains
// of any length use constant stack.
//
// Rank: 150, one at a time; nothing is allocated and no callback runs under it. Cost: one CAS and one lock
// per signal.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "support/deadline.hpp"
#include "support/result.hpp"
#include "support/sync.hpp"

namespace berth::gc {
class Collector;
}

namespace berth::jit {

inline constexpr Rank kRankSemaphore{150, "semaphore"};

class TimelineSemaphore;
using SemaphoreRef = std::shared_ptr<TimelineSemaphore>;

/// A registration: `fire` runs exactly once, unless it is unlinked first.
struct Timepoint {
  uint64_t value = 0;
  std::function<void()> fire;
  Timepoint* previous = nullptr;  // links: under the semaphore's lock
  Timepoint* next = nullptr;
  bool linked = false;
  std::shared_ptr<Timepoint> self;  // keeps a linked one alive
};

class TimelineSemaphore {
 public:
  enum class PointState { Pending, Reached, Failed };

  TimelineSemaphore(gc::Collector& collector, uint64_t initial) noexcept
      : collector_(collector), word_(initial) {}
  ~TimelineSemaphore();
  TimelineSemaphore(const TimelineSemaphore&) = delete;
  TimelineSemaphore& operator=(const TimelineSemaphore&) = delete;

  /// Threads: any. Blocks: short. GC: any, kept. Errors: INVALID_ARGUMENT; the failure.
  Result<void> signal(uint64_t value);
  /// The first failure stays. As above.
  void fail(Error error);
  /// Threads: any. Blocks: never.
  PointState state_of(uint64_t value) const noexcept;
  uint64_t value() const noexcept { return word_.load(std::memory_order_acquire) & kValueMask; }
  bool has_failed() const noexcept { return (word_.load(std::memory_order_acquire) & kFailedBit) != 0; }
  /// A copy of the failure; only if has_failed().
  Error failure() const;
  /// Runs `timepoint->fire` once the point is decided, perhaps inside this call. Threads: any. Blocks: short.
  void notify(std::shared_ptr<Timepoint> timepoint);
  /// Unlinks; false: it has fired or is firing.
  bool cancel(Timepoint& timepoint);

  gc::Collector& collector() const noexcept { return collector_; }

  void add_signaller() noexcept { signallers_.fetch_add(1, std::memory_order_relaxed); }
  void drop_signaller();

 private:
  static constexpr uint64_t kFailedBit = uint64_t{1} << 63, kValueMask = kFailedBit - 1;
  void fire_decided();
  void unlink(Timepoint& timepoint) BERTH_REQUIRES(mutex_);

  gc::Collector& collector_;  // of the engine: host waits are safe in it
  // Bit 63 failed, the rest the last value. Read-modify-writes only, release, so that earlier signallers stay
  // in the release sequence; reads acquire: who sees a point reached sees all writes before the signal.
  sync::Atomic<uint64_t> word_;
  // Set by CAS from null (release) before the bit; read (acquire) after it.
  sync::Atomic<berth_error*> failure_{nullptr};
  sync::Atomic<uint32_t> signallers_{0};  // relaxed up: the adder holds one; acq_rel down
  sync::Mutex mutex_{kRankSemaphore};
  Timepoint* first_ BERTH_GUARDED_BY(mutex_) = nullptr;
};

/// One who may still signal: a handle, or the signal list of an accepted submission.
class Signaller {
 public:
  Signaller() = default;
  explicit Signaller(SemaphoreRef semaphore) : semaphore_(std::move(semaphore)) {
    semaphore_->add_signaller();
  }
  Signaller(Signaller&& other) noexcept : semaphore_(std::move(other.semaphore_)) {}
  Signaller& operator=(Signaller&& other) noexcept {
    std::swap(semaphore_, other.semaphore_);
    return *this;
  }
  ~Signaller() {
    if (semaphore_) semaphore_->drop_signaller();
  }
  const SemaphoreRef& operator*() const noexcept { return semaphore_; }

 private:
  SemaphoreRef semaphore_;
};

struct Point {
  SemaphoreRef semaphore;
  uint64_t value = 0;
};

/// Waits until all points are reached, or one failed (lowest failed index). Threads: any. Blocks: may wait.
/// GC: any; safe while waiting.
Result<void> wait_all(std::span<const Point> points, const Deadline& deadline);
/// The lowest reached index; with none reached, a failure ends the wait. Empty: SIZE_MAX.
Result<size_t> wait_any(std::span<const Point> points, const Deadline& deadline);

}  // namespace berth::jit
