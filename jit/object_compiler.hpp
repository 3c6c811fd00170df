// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ObjectCompiler: the sources of a batch become one object: read, check, merge, generate. Knows no engine, no
// memory of code and no address.
//
// One fresh context per batch, target machines from a pool, names local to a source: nothing but the entry
// and the edges' slots is seen outside. In a batch each member's names get its number at their end. A source
// goes into a unit of its own if another could tell that they share one: assembly of the module, aliases,
// other module flags, a name declared in two ways. What LLVM leaves in the middle of a fatal error is kept
// for ever, never destroyed.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "jit/code_generator.hpp"
#include "jit/object_unit.hpp"
#include "support/sync.hpp"

namespace berth::jit {

struct HostTarget;

/// A point of the compile, before the step named; for tests. Called with no lock held, for each member of a
/// batch.
using StepHook = std::function<void(const char* step, const engine::CompileJob& job)>;

/// More are not compiled together: the others wait too long for the first.
inline constexpr size_t kMostUnitInstructions = 4000;

/// A typed method as bitcode. The member has entries, convention, addresses and record; the rest is not known
/// yet.
struct LoweredMethod {
  ObjectMember member;
  std::string bitcode;
};

/// What became of the requests that were taken, in their order: an error, or none for the next member of the
/// unit.
struct CompiledBatch {
  ObjectUnit unit;  // without members: no object
  std::vector<std::optional<Error>> errors;
};

/// The tier a job is compiled at. Threads: any. Blocks: never.
berth_tier_t tier_of(const engine::CompileJob& job) noexcept;
bool is_typed(const engine::CompileJob& job) noexcept;
/// Runs the hook, names the step for error texts. Errors: CANCELLED; RESOURCE_EXHAUSTED after the request's
/// time.
Result<void> enter_step(const StepHook& hook, const CompileRequest& request, const char* step);

class ObjectCompiler {
 public:
  struct Options {
    StepHook hook;          // or empty
    bool pre_check = true;  // off only in tests of the containment
    bool count = false;     // FAST code of adaptive sources counts its calls and asks for a better tier
    engine::TargetChoice target;
  };
  explicit ObjectCompiler(Options options);
  ~ObjectCompiler();
  ObjectCompiler(const ObjectCompiler&) = delete;
  ObjectCompiler& operator=(const ObjectCompiler&) = delete;

  /// Requests of one tier, typed IR or not. Takes the first n >= 1 of them; what does not go with them is for
  /// a unit of its own. Threads: any. Blocks: compiles. GC: must be safe. Errors: COMPILE_FAILED,
  /// UNSUPPORTED, INVALID_ARGUMENT, CANCELLED of one request; of the whole, nobody knows whose if there are
  /// several; as exceptions FatalEscape.
  Result<CompiledBatch> compile(std::span<const CompileRequest> requests);
  /// The read step of one request with typed IR, alone. As above.
  Result<LoweredMethod> lower(const CompileRequest& request);
  /// Errors: UNSUPPORTED. Threads: any. Blocks: short.
  Result<const HostTarget*> host();
  /// Whether the code of a job counts its calls. Threads: any. Blocks: never.
  bool counts(const engine::CompileJob& job) const noexcept {
    return options_.count && job.source->tier == BERTH_TIER_ADAPTIVE && tier_of(job) == BERTH_TIER_FAST;
  }
  /// Frees machines that were not used for `unused`. Threads: any. Blocks: short.
  void trim(std::chrono::nanoseconds unused);
  size_t num_contexts() const noexcept { return contexts_.load(std::memory_order_relaxed); }
  size_t num_machines() const noexcept;

 private:
  struct Target;       // host triple, CPU, features; pooled tools
  struct Compilation;  // what one compile owns; leaked if LLVM must not be returned to
  struct Reading;      // one member on its way into the unit

  enum class Added { Yes, Last, Cut };  // cut: for a unit of its own

  template <class Work>
  auto in_compilation(std::span<const CompileRequest> requests, Work&& work)
      -> decltype(work(std::declval<Compilation&>()));
  Result<CompiledBatch> run(Compilation& compilation);
  Result<Added> add(Compilation& compilation, const CompileRequest& request);
  Result<void> read(Compilation& compilation, Reading& reading);
  Result<void> check(Compilation& compilation, Reading& reading);
  Result<void> make_local(Compilation& compilation, Reading& reading);
  Result<void> generate(Compilation& compilation);
  Result<Target*> target();

  const Options options_;
  std::unique_ptr<Target> target_;  // made by the first compile; call_once below
  std::once_flag target_once_;
  std::unique_ptr<berth_error> target_error_;
  sync::Atomic<size_t> contexts_{0};  // a counter, orders nothing: relaxed
};

}  // namespace berth::jit
