// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Execution: for a specialisation at a world, what runs it: interpreter code or compiled code, by the
// program's tier.
//
//   tier       | first call                                   | later
//   INTERPRET  | inferred, its typed IR interpreted           | same
//   FAST       | inferred, compiled, waited for               | its code, the best there is
//   OPTIMIZED  | same                                         | same
//   ADAPTIVE   | interpreted; one with a loop as FAST, since a | after kCallsUntilOptimized calls OPTIMIZED
//              | running loop does not change its tier         | code is asked for, and used once it is there
// What cannot be inferred or compiled is interpreted, and counted. Inside constant evaluation
// (RuntimeThread::raw) methods are interpreted as defined.
//
// A resolution holds a reference to its instance, so its code outlives every call through it. Resolutions
// live until the program ends.
#pragma once
#include <atomic>

#include "engine/engine.hpp"
#include "inference/interpreter_code.hpp"
#include "inference/runtime.hpp"

namespace berth::inference {

/// What Program::specialise makes.
struct SpecialisationState : Specialisation {
  struct Resolution {
    engine::CodeInstanceRef instance;              // null: interpreted as defined
    std::unique_ptr<const InterpreterCode> typed;  // of the instance's typed IR, if it is interpreted
    const InterpreterCode* interpreted = nullptr;  // typed, or the method's own; null: compiled code
    berth_tier_t tier = BERTH_TIER_INTERPRET;      // asked for
    std::unique_ptr<Resolution> previous;
  };
  // Release when a resolution is put, acquire when read; replaced under Execution's lock, never freed before
  // the program.
  mutable std::atomic<Resolution*> resolution{nullptr};
  mutable std::atomic<uint32_t> calls{0};  // a counter for tiers, lost counts allowed: relaxed
  ~SpecialisationState() { delete resolution.load(std::memory_order_relaxed); }
};

class Execution {
 public:
  explicit Execution(Runtime& runtime) noexcept : runtime_(runtime) {}
  ~Execution();

  static constexpr uint32_t kCallsUntilOptimized = 1000;

  struct Target {
    const InterpreterCode* interpreted = nullptr;
    BoxedEntry entry = nullptr;  // null: interpreted
  };
  /// Threads: attached. Blocks: may wait, for inference and compilation. GC: unsafe; safe while waiting.
  /// False: raised.
  bool resolve(gc::Thread& thread, const Specialisation& specialisation, Target& target);
  /// Code of a method as defined. Threads: any. Blocks: short. GC: any, kept.
  const InterpreterCode& raw_code(const Method& method);
  /// Gives up references to instances. Nothing runs any more. Threads: one at a time.
  void close();

  uint64_t num_fallbacks() const noexcept { return fallbacks_.load(std::memory_order_relaxed); }
  /// Why the last one was interpreted: the error's text; empty if none was. Threads: any. Blocks: short. GC:
  /// any, kept.
  std::string last_fallback();

 private:
  using Resolution = SpecialisationState::Resolution;
  void use(const SpecialisationState& state, Resolution& resolution, berth_tier_t tier, Target& target);
  Result<std::unique_ptr<Resolution>> make(gc::Thread& thread, const SpecialisationState& state,
                                           berth_tier_t tier, uint64_t world);
  std::unique_ptr<Resolution> interpret_raw(const SpecialisationState& state, berth_tier_t tier);
  Resolution& put(const SpecialisationState& state, std::unique_ptr<Resolution> resolution);
  void count_fallback(const Error& error);
  bool is_valid(const Resolution& resolution, uint64_t world) const noexcept;

  Runtime& runtime_;
  sync::Mutex mutex_{Rank{161, "interpreter code"}};
  std::unordered_map<const Method*, std::unique_ptr<const InterpreterCode>> raw_ BERTH_GUARDED_BY(mutex_);
  std::vector<const SpecialisationState*> resolved_ BERTH_GUARDED_BY(mutex_);
  std::string last_fallback_ BERTH_GUARDED_BY(mutex_);
  std::atomic<uint64_t> fallbacks_{0};  // a counter: relaxed
};

}  // namespace berth::inference
