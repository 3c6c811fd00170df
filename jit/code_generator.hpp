// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CodeGenerator: what the compile pool runs for a claimed job. HostBackend implements it over LLVM; tests use
// a stub.
#pragma once
#include <span>
#include <vector>

#include "engine/compiler.hpp"
#include "support/sync.hpp"

namespace berth::jit {

struct LoweredMethod;

struct CompileRequest {
  const engine::CompileJob& job;
  const sync::Atomic<bool>& cancelled;     // looked at between steps
  const LoweredMethod* lowered = nullptr;  // of typed IR, where the read step is done already
  // From when on optional passes are skipped, and the compile is given up between steps.
  sync::TimePoint half = sync::TimePoint::max(), until = sync::TimePoint::max();
};

class CodeGenerator {
 public:
  using Answers = std::vector<Result<engine::Code*>>;

  virtual ~CodeGenerator() = default;
  /// Sources to linked code, not yet published. Answers the first n >= 1 requests, in their order; the others
  /// are to be asked for again. An error of the whole: of one request, its own; of several, nobody knows
  /// whose: ask for each alone. Threads: any. Blocks: compiles; never for another job or a reservation. GC:
  /// must be safe. Owns: the code stays the generator's. Errors: COMPILE_FAILED, LINK_FAILED, UNSUPPORTED;
  /// CANCELLED; OUT_OF_MEMORY and RESOURCE_EXHAUSTED may pass.
  virtual Result<Answers> generate(std::span<const CompileRequest> requests) = 0;
  /// Code that was kept from an earlier compile, linked and not yet published; null: generate it.
  /// Threads: any; never ends one, as a compiler may. Blocks: reads a file. GC: must be safe. Owns: as above.
  /// Errors: none.
  virtual engine::Code* find(const CompileRequest&) { return nullptr; }
  /// Whether it keeps code at all. Threads: any. Blocks: never.
  virtual bool may_find() const noexcept { return false; }
  /// The instance has new code: calls to it go there from now on. Threads: any. Blocks: short. Errors: none.
  virtual void bind(engine::CodeInstance& instance) noexcept = 0;
  /// Code that nobody is given any more; of replaced code its callers were led on by bind(). As above.
  virtual void retire(engine::Code* code) noexcept = 0;
  /// An instance has left the cache: code may have become unreachable. As above.
  virtual void unlinked() noexcept {}
  virtual Result<void> define_symbol(const char* name, void* address) = 0;
  /// A promotion of the instance was given up before it began: to be asked for again. As above.
  virtual void not_promoted(engine::CodeInstance&) noexcept {}
  /// Frees what was not used for `unused`. Threads: any. Blocks: short.
  virtual void trim(std::chrono::nanoseconds unused) { static_cast<void>(unused); }

  virtual Result<void> set_observers(uint32_t flags) { return engine::no_observers(flags); }
  /// Called before the first job is run, from the submitting thread.
  virtual void open() {}
  /// No job runs any more: lets go of instances. Code stays callable until the generator is deleted.
  virtual void close() noexcept = 0;
};

}  // namespace berth::jit
