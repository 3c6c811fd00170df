// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HookCompiler: an embedder's code generator (berth/compiler.h) as a Compiler, for sources of kind opaque;
// others go to `next`.
//
//   job       | berth_job_publish  | berth_job_fail  | hooks return it never
//   Submitted | published, freed   | failed, freed   | waiters time out; shutdown waits for the answer
//
// Rank: 500, the count of unanswered jobs. Cost: one lock per submit and answer.
#pragma once
#include <memory>
#include <unordered_set>

#include "berth/compiler.h"
#include "engine/engine.hpp"

namespace berth::engine {

class HookCompiler final : public Compiler, public Subsystem {
 public:
  static constexpr uint32_t kConvention = 0x686f6f6b;  // marks code records of hooks
  using MakeCode = std::function<Code*(void* entry, void* backend)>;
  /// `next` may be null. `make_code` gives records of this convention that live as long as the engine.
  HookCompiler(const berth_compiler_hooks_t& hooks, void* context, CompileSink& sink, MakeCode make_code,
               std::unique_ptr<Compiler> next);

  Result<void> submit(CompileJob job) override;
  Result<void> submit_together(std::span<CompileJob> jobs) override;
  bool help(CodeInstance& instance, const Deadline& deadline) override;
  void lift(CodeInstance& instance, Priority priority) override;
  void cancel(CodeInstance& instance) override;
  void retire(Code* code) override;
  void stop(StopMode mode) override;
  Result<void> define_symbol(const char* name, void* address) override;
  bool has_threads() const noexcept override;
  Result<void> set_observers(uint32_t flags) override {
    return next_ ? next_->set_observers(flags) : Compiler::set_observers(flags);
  }
  void add_counts(berth_engine_counts_t& counts) override {
    counts.compiled_fast += compiled_.load(std::memory_order_relaxed);
  }

  /// What an embedder's answer to a job does; both free it.
  void publish(berth_job_t* job, void* entry, void* code) noexcept;
  void fail(berth_job_t* job, const char* message) noexcept;

 private:
  const berth_compiler_hooks_t hooks_;
  void* const context_;
  CompileSink& sink_;
  const MakeCode make_code_;
  const std::unique_ptr<Compiler> next_;
  void end(berth_job_t* job);
  void answered(uint64_t number);
  bool is_unanswered(uint64_t number);

  sync::Atomic<uint64_t> compiled_{0};  // a counter: relaxed
  sync::Mutex mutex_{Rank{500, "hook compiler"}};
  sync::Condition all_answered_;
  uint64_t next_job_ BERTH_GUARDED_BY(mutex_) = 0;
  std::unordered_set<uint64_t> unanswered_
      BERTH_GUARDED_BY(mutex_);  // by number: an answered job's memory may be another's
};

}  // namespace berth::engine

struct berth_job {
  berth::engine::CompileJob job;
  berth::engine::HookCompiler& compiler;
  const uint64_t number;
};
