// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StepClock: which step of a compile this thread is in, since when: for the times of the instance and for the
// trace. One per compile, on its thread's stack. While a trace runs, a step's span holds LLVM's own spans
// (its TimeProfiler), converted when the step ends: so memory is bounded by one step's, and switching the
// trace needs no word with other threads.
//
// Cost: with neither times nor trace, nothing but one relaxed load per step.
#pragma once
#include <string_view>

#include "engine/compile_times.hpp"
#include "engine/compiler.hpp"
#include "support/sync.hpp"

namespace berth {
class Trace;
}

namespace berth::jit {

class StepClock {
 public:
  /// `trace` may be null.
  StepClock(Trace* trace, bool timed);
  ~StepClock();
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;

  /// This thread's compile, if it has a clock, goes to another phase; `job` names the span in the trace.
  /// Threads: any. Blocks: never; with a trace short. GC: any, kept. Errors: none.
  static void enter(engine::CompilePhase phase) noexcept;
  static void enter(engine::CompilePhase phase, const engine::CompileJob& job) noexcept;

  /// Ends the last phase. The share of each of `members`. As above.
  engine::CompileTimes stop(size_t members = 1) noexcept;

 private:
  void change(engine::CompilePhase phase) noexcept;
  void begin_passes() noexcept;
  void end_passes(sync::TimePoint end) noexcept;

  Trace* const trace_;
  const bool timed_;
  StepClock* const outer_;  // of a compile that this one interrupts on the thread
  const engine::CompileJob* job_ = nullptr;
  engine::CompilePhase phase_ = engine::CompilePhase::Wait;
  sync::TimePoint since_{};
  bool profiles_ = false;  // LLVM's profiler of this thread is ours
  engine::CompileTimes times_;
};

/// The phase of a step of object_compiler.hpp; Wait if it has none.
engine::CompilePhase phase_of(std::string_view step) noexcept;

}  // namespace berth::jit
