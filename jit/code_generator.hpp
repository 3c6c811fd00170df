// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CodeGenerator: what the compile pool runs for a claimed job. HostBackend implements it over LLVM; tests use a stub.
#pragma once
#include "engine/compiler.hpp"
#include "support/sync.hpp"

namespace berth::jit {

class CodeGenerator {
 public:
  virtual ~CodeGenerator() = default;
  /// Source to linked code, not yet published. `cancelled` is looked at between steps.
  /// Threads: any. Blocks: compiles; never for another job or a reservation. GC: must be safe. Owns: the code stays the generator's.
  /// Errors: COMPILE_FAILED, LINK_FAILED, UNSUPPORTED; CANCELLED; OUT_OF_MEMORY and RESOURCE_EXHAUSTED may pass.
  virtual Result<engine::Code*> generate(const engine::CompileJob& job, const sync::Atomic<bool>& cancelled) = 0;
  /// The instance has new code: calls to it go there from now on. Threads: any. Blocks: short. Errors: none.
  virtual void bind(engine::CodeInstance& instance) noexcept = 0;
  /// Code that is unreachable. As above.
  virtual void retire(engine::Code* code) noexcept = 0;
  virtual Result<void> define_symbol(const char* name, void* address) = 0;
  /// Called before the first job is run, from the submitting thread.
  virtual void open() {}
  /// No job runs any more: lets go of instances. Code stays callable until the generator is deleted.
  virtual void close() noexcept = 0;
};

}  // namespace berth::jit
