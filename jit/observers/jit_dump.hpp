// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JitDump: the file `jit-PID.dump` that `perf inject --jit` reads: code, lines and unwind records of each
// function. One per process and folder, made by the first engine that wants it, open to the end.
//
// LLVM's writers are not used: theirs end the process when the disk is full, and write no or wrong unwind
// records for all but a unit's first function. Rank: kRankProcessObservers.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "jit/observers/observers.hpp"

namespace berth::jit {

class JitDump {
 public:
  /// In `directory`. Errors: INVALID_ARGUMENT if it cannot be written.
  static Result<JitDump*> of_process(const std::string& directory);
  /// Threads: any. Blocks: short, with file access. GC: any, kept. Errors: RESOURCE_EXHAUSTED if it could not
  /// be written whole.
  Result<void> write(const LoadedUnit& unit);

 private:
  explicit JitDump(int file) : file_(file) {}
  Result<void> append(const std::string& bytes) BERTH_REQUIRES(mutex_);

  sync::Mutex mutex_{kRankProcessObservers};
  const int file_;
  uint64_t next_index_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::jit
