// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ObjectCompiler: a job's source becomes an object: read, check, generate. Knows no engine, no memory of code and no address.
//
// One fresh context per compile, target machines from a pool, names local to a source: nothing but the entry and the edges' slots is
// seen outside. What LLVM leaves in the middle of a fatal error is kept for ever, never destroyed.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "engine/compiler.hpp"
#include "jit/object_unit.hpp"
#include "support/sync.hpp"

namespace berth::jit {

struct HostTarget;

/// A point of the compile, before the step named; for tests. Called with no lock held.
using StepHook = std::function<void(const char* step, const engine::CompileJob& job)>;

struct CompileRequest {
  const engine::CompileJob& job;
  const sync::Atomic<bool>& cancelled;  // looked at between steps
  bool counted = false;                 // the code counts its calls and asks for a better tier
};

/// The tier a job is compiled at. Threads: any. Blocks: never.
berth_tier_t tier_of(const engine::CompileJob& job) noexcept;
bool is_typed(const engine::CompileJob& job) noexcept;
/// Runs the hook, names the step for error texts. Errors: CANCELLED.
Result<void> enter_step(const StepHook& hook, const CompileRequest& request, const char* step);

class ObjectCompiler {
 public:
  struct Options {
    StepHook hook;          // or empty
    bool pre_check = true;  // off only in tests of the containment
  };
  explicit ObjectCompiler(Options options);
  ~ObjectCompiler();
  ObjectCompiler(const ObjectCompiler&) = delete;
  ObjectCompiler& operator=(const ObjectCompiler&) = delete;

  /// Threads: any. Blocks: compiles. GC: must be safe. Errors: COMPILE_FAILED, UNSUPPORTED, INVALID_ARGUMENT, CANCELLED; as exceptions FatalEscape.
  Result<ObjectUnit> compile(const CompileRequest& request);
  size_t num_contexts() const noexcept { return contexts_.load(std::memory_order_relaxed); }
  size_t num_machines() const noexcept;

 private:
  struct Target;       // host triple, CPU, features; pooled tools
  struct Compilation;  // what one compile owns; leaked if LLVM must not be returned to

  Result<ObjectUnit> run(Compilation& compilation);
  Result<void> read(Compilation& compilation);
  Result<void> check(Compilation& compilation);
  Result<void> generate(Compilation& compilation);
  Result<Target*> target();

  const Options options_;
  std::unique_ptr<Target> target_;  // made by the first compile; call_once below
  std::once_flag target_once_;
  std::unique_ptr<berth_error> target_error_;
  sync::Atomic<size_t> contexts_{0};  // a counter, orders nothing: relaxed
};

}  // namespace berth::jit
