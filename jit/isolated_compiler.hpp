// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IsolatedCompiler: what ObjectCompiler does, done by compile workers: bytes in, object or text out.
// Untrusted bitcode is read there only.
//
//   worker   | order            | answer | fatal error, crash, nonsense | time is up | no longer wanted
//   (none)   | started, Busy    |        |                              |            |
//   Idle     | Busy             |        | ended, another is taken      |            |
//   Busy     |                  | Idle   | ended                        | ended      | ended
//
// As many workers as compiles at once; idle ones are kept up to Options::kept. It guards against a failing
// compiler, not against the code that then runs. Rank: kRankWorkers, a leaf. Cost: starting a worker, once;
// then a message each way per compile.
#pragma once
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "jit/object_compiler.hpp"
#include "jit/worker_process.hpp"
#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankWorkers{500, "compile workers"};

class IsolatedCompiler {
 public:
  struct Options {
    WorkerProcess::Options worker;
    std::chrono::nanoseconds fast_limit = std::chrono::seconds(10),
                             optimized_limit = std::chrono::seconds(60);
    unsigned kept = 0;  // 0: the machine's cores
  };
  struct Stats {
    uint64_t started, ended;  // ended: not because they were too many
    size_t idle;
  };
  /// `lowering` turns typed IR into bitcode, here: it refers to this process. Owns: borrowed. `hook` as
  /// ObjectCompiler's.
  IsolatedCompiler(ObjectCompiler& lowering, StepHook hook, Options options);
  ~IsolatedCompiler();
  IsolatedCompiler(const IsolatedCompiler&) = delete;
  IsolatedCompiler& operator=(const IsolatedCompiler&) = delete;

  /// Threads: any. Blocks: compiles, at most as long as the tier's limit. GC: must be safe.
  /// Errors: as ObjectCompiler's; UNSUPPORTED without a worker program; RESOURCE_EXHAUSTED; what a lost
  /// worker fails, may pass.
  Result<ObjectUnit> compile(const CompileRequest& request);
  Stats stats() const;

 private:
  std::chrono::nanoseconds limit_of(const CompileRequest& request) const noexcept;
  using WorkerPtr = std::unique_ptr<WorkerProcess>;
  Result<WorkerPtr> take();
  void give_back(WorkerPtr worker);
  Result<ObjectUnit> answer(const CompileRequest& request, WorkerPtr worker, const Deadline& deadline);
  Error lost(const CompileRequest& request, WorkerProcess& worker, const Error& why, const char* step);

  ObjectCompiler& lowering_;
  const StepHook hook_;
  const Options options_;
  const size_t kept_;
  mutable sync::Mutex mutex_{kRankWorkers};
  std::vector<WorkerPtr> idle_ BERTH_GUARDED_BY(mutex_);
  sync::Atomic<uint64_t> started_{0}, ended_{0};  // counters, order nothing: relaxed
};

}  // namespace berth::jit
