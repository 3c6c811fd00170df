// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiler: what the engine hands source to. jit/ implements it over LLVM, HookCompiler over an embedder's
// hooks; tests use a stub. CompileSink: what a compiler answers to; the engine implements it.
//
// Every accepted job ends in exactly one sink call, made while no pool, context or link lock is held.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/source.hpp"
#include "support/deadline.hpp"
#include "support/result.hpp"
#include "support/sync.hpp"

namespace berth::gc {
class Thread;
}

namespace berth::engine {

class Engine;

enum class Priority : uint8_t { Speculative, Optimized, Fast, FastAsked, Lifted };
enum class StopMode : uint8_t { Drain, Drop };

/// What one compile may use; 0: no bound. At half its time what is optional is left out.
struct Budget {
  int64_t time_ns = 0;
  uint64_t instructions = 0;
  uint64_t object_bytes = 0;
};
/// By tier: FAST, OPTIMIZED.
using Budgets = std::array<Budget, 2>;
inline constexpr Budgets kDefaultBudgets = {Budget{10'000'000'000, 1'000'000, uint64_t{256} << 20},
                                            Budget{60'000'000'000, 1'000'000, uint64_t{256} << 20}};
constexpr size_t budget_index(berth_tier_t tier) noexcept { return tier == BERTH_TIER_OPTIMIZED ? 1 : 0; }

struct CompileJob {
  CodeInstanceRef instance;
  std::shared_ptr<Source> source;  // shared: kept for a later tier
  berth_tier_t tier = BERTH_TIER_FAST;
  Priority priority = Priority::Fast;
  Budget budget;  // given by the compiler
  std::string label;
  sync::TimePoint submitted = sync::Clock::now();
};

/// Code on its way out.
struct NewCode {
  CodeInstance* instance;
  Code* code;
  // By the sink. What nobody is given any more, for the compiler to retire once its own callers are led on:
  // the code that was replaced, or `code` itself if a better one was there or the instance has gone; null:
  // none.
  Code* unused = nullptr;
  std::shared_ptr<Source> source{};  // that no tier needs any more
};

class CompileSink {
 public:
  /// The instance goes to Compiling; false: invalid or unreferenced, answer `dropped`. Called once per first
  /// compile.
  virtual bool claim(CodeInstance& instance) noexcept = 0;
  /// Publishes what was made together: each entry by compare-and-swap, and when all are there serves the
  /// waiters of all.
  virtual void published(std::span<NewCode> unit) noexcept = 0;
  /// `may_pass`: the failure may pass (memory, budget); the instance goes back to Fulfilled.
  virtual void failed(CodeInstance& instance, Error error, bool may_pass = false) noexcept = 0;
  virtual void dropped(CodeInstance& instance) noexcept = 0;
  /// The instance of a job that is answered, or another thread's now. If this was its last reference, what
  /// hung on it goes. Owns: consumed.
  virtual void release(CodeInstanceRef instance) noexcept = 0;

 protected:
  ~CompileSink() = default;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Takes ownership; never waits for a reservation or another job. Threads: any. Blocks: short
  /// (back-pressure: compiles).
  virtual Result<void> submit(CompileJob job) = 0;
  /// First compiles of a group that was published together: one unit as far as its limits allow. On an error
  /// none is accepted, and each may be submitted by itself. As submit. Owns: consumed in either case.
  virtual Result<void> submit_together(std::span<CompileJob> jobs);
  /// Compiles here what this instance needs, if it is still queued; false: nothing to run. GC: must be safe.
  virtual bool help(CodeInstance& instance, const Deadline& deadline) = 0;
  virtual void lift(CodeInstance& instance, Priority priority) = 0;
  virtual void cancel(CodeInstance& instance) = 0;
  /// The code of an instance that has gone: unreachable; freed once no frame is inside.
  virtual void retire(Code* code) = 0;
  virtual void stop(StopMode mode) = 0;
  /// Makes `name` known to sources. INVALID_ARGUMENT if it is defined at another address.
  virtual Result<void> define_symbol(const char* name, void* address) = 0;
  virtual bool has_threads() const noexcept = 0;
  /// Turns exactly these on (berth_observer_t). UNSUPPORTED if this compiler has nothing to show;
  /// INVALID_ARGUMENT.
  virtual Result<void> set_observers(uint32_t flags);
};

/// What host code is made for, where it is not this host as it is. Empty: the host's own; features: "+a,-b".
struct TargetChoice {
  std::string triple, cpu, features;
  bool is_default() const noexcept { return triple.empty() && cpu.empty() && features.empty(); }
};

/// What a compiler without units answers to submit_together.
Result<void> no_units();
inline Result<void> Compiler::submit_together(std::span<CompileJob>) { return no_units(); }

/// What a compiler without observers, or none, answers to set_observers.
Result<void> no_observers(uint32_t flags);
inline Result<void> Compiler::set_observers(uint32_t flags) { return no_observers(flags); }

struct CompilerOptions {
  unsigned threads = 0;  // resolved: 0 means none
  std::string cache_directory;
  Budgets budgets = kDefaultBudgets;
  TargetChoice target;
  size_t code_limit_bytes = 0;  // 0: none
  berth_containment_t containment = BERTH_CONTAINMENT_HANDLER;
  std::string compile_worker;  // program of isolated compiles; empty: found beside the library
};

/// Link-time factory: libberth's makes the LLVM compiler, libberth_engine's gives null (sources with LLVM
/// bodies do not exist there). Threads: any. Errors: INVALID_ARGUMENT, UNSUPPORTED for a target that is
/// unknown or does not run here.
Result<void> check_target(const TargetChoice& target);
std::unique_ptr<Compiler> make_compiler(Engine& engine, CompileSink& sink, const CompilerOptions& options);

}  // namespace berth::engine
