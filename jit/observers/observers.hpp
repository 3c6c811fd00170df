// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Observers: the debuggers and profilers of one engine, switched while it runs. One that fails is turned off
// and its text kept; no compile hears of it.
//
// Rank: kRankObservers; call it with no lock of rank 490 or more held. Cost when off: one relaxed load per
// unit.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jit/observers/observer.hpp"
#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankObservers{490, "observers"};
inline constexpr Rank kRankProcessObservers{495, "the process's debugger and profiler files"};

class Observers {
 public:
  /// Exactly these (berth_observer_t) are on afterwards; on error nothing has changed.
  /// Threads: any. Blocks: short, with file access. GC: any, kept. Errors: INVALID_ARGUMENT.
  Result<void> set(uint32_t flags);
  /// Whether units are to be described and told. Threads: any. Blocks: never.
  bool wants_units() const noexcept { return flags_.load(std::memory_order_relaxed) & kUnitObservers; }
  bool wants_times() const noexcept;
  /// Tells all; the number names the unit until its retirement, 0 if nobody was told.
  /// Threads: any. Blocks: short, with file access. GC: any, kept. Errors: none, see above.
  uint64_t linked(const LoadedUnit& unit) noexcept;
  /// As above. 0 is nothing.
  void retired(uint64_t number) noexcept;
  /// One text per observer that failed. As above.
  std::vector<std::string> faults() const;
  void metrics(std::string& prometheus) const;

 private:
  static constexpr size_t kKinds = 3;
  static const uint32_t kUnitObservers;
  static Result<std::unique_ptr<Observer>> make(size_t kind);
  void fail(size_t kind, std::string_view text) noexcept BERTH_REQUIRES(mutex_);

  mutable sync::Mutex mutex_{kRankObservers};
  std::array<std::unique_ptr<Observer>, kKinds> observers_ BERTH_GUARDED_BY(mutex_);
  std::array<uint64_t, kKinds> told_ BERTH_GUARDED_BY(mutex_){}, failed_ BERTH_GUARDED_BY(mutex_){};
  std::vector<std::string> faults_ BERTH_GUARDED_BY(mutex_);
  uint64_t next_ BERTH_GUARDED_BY(mutex_) = 1;
  // Written under the mutex. A hint to who compiles: a unit that is linked meanwhile may be missed or
  // described for nothing: relaxed.
  sync::Atomic<uint32_t> flags_{0};
};

}  // namespace berth::jit
