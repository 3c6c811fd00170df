// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiler: what the engine hands source to. jit/ implements it over LLVM, HookCompiler over an embedder's hooks; tests use a stub.
// CompileSink: what a compiler answers to; the engine implements it.
//
// Every accepted job ends in exactly one sink call, made while no pool, context or link lock is held.
#pragma once
#include <functional>
#include <memory>
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

struct CompileJob {
  CodeInstanceRef instance;
  std::shared_ptr<Source> source;  // shared: kept for a later tier
  berth_tier_t tier = BERTH_TIER_FAST;
  Priority priority = Priority::Fast;
  std::string label;
  sync::TimePoint submitted = sync::Clock::now();
};

class CompileSink {
 public:
  /// The instance goes to Compiling; false: invalid or unreferenced, answer `dropped`. Called once per first compile.
  virtual bool claim(CodeInstance& instance) noexcept = 0;
  /// Publishes the entry by compare-and-swap and serves this key's entry waiters. Takes `code`; false: a better one was there.
  virtual bool published(CodeInstance& instance, Code* code) noexcept = 0;
  /// `may_pass`: the failure may pass (memory, budget); the instance goes back to Fulfilled.
  virtual void failed(CodeInstance& instance, Error error, bool may_pass = false) noexcept = 0;
  virtual void dropped(CodeInstance& instance) noexcept = 0;

 protected:
  ~CompileSink() = default;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Takes ownership; never waits for a reservation or another job. Threads: any. Blocks: short (back-pressure: compiles).
  virtual Result<void> submit(CompileJob job) = 0;
  /// Compiles here what this instance needs, if it is still queued; false: nothing to run. GC: must be safe.
  virtual bool help(CodeInstance& instance, const Deadline& deadline) = 0;
  virtual void lift(CodeInstance& instance, Priority priority) = 0;
  virtual void cancel(CodeInstance& instance) = 0;
  /// Code is unreachable; freed once no frame is inside.
  virtual void retire(Code* code) = 0;
  virtual void stop(StopMode mode) = 0;
  /// Makes `name` known to sources. INVALID_ARGUMENT if it is defined at another address.
  virtual Result<void> define_symbol(const char* name, void* address) = 0;
  virtual bool has_threads() const noexcept = 0;
  /// Turns exactly these on (berth_observer_t). UNSUPPORTED if this compiler has nothing to show; INVALID_ARGUMENT.
  virtual Result<void> set_observers(uint32_t flags);
};

/// What a compiler without observers, or none, answers to set_observers.
Result<void> no_observers(uint32_t flags);
inline Result<void> Compiler::set_observers(uint32_t flags) { return no_observers(flags); }

struct CompilerOptions {
  unsigned threads = 0;  // resolved: 0 means none
  std::string cache_directory;
};

/// Link-time factory: libberth's makes the LLVM compiler, libberth_engine's gives null (sources with LLVM bodies do not exist there).
std::unique_ptr<Compiler> make_compiler(Engine& engine, CompileSink& sink, const CompilerOptions& options);

}  // namespace berth::engine
