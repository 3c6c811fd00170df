// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inference: from a Specialisation to its TypedMethod, through the engine's reservations, so that many
// threads share the work.
//
// Whatever it takes it gives back: every lease of a stack ends by publication, by release, or by RAII on an
// error.
#pragma once
#include "engine/engine.hpp"
#include "inference/ir.hpp"
#include "support/result.hpp"

namespace berth::gc {
class Thread;
}

namespace berth::inference {

class Program;

struct InferenceCounters {
  uint64_t methods = 0, limited = 0, statements_evaluated = 0;
};

/// The instance whose payload is the TypedMethod of `root` at `world`; infers what is missing. Results carry
/// typed IR for the compiler where the engine has one: compiled when asked for (wait for the entry);
/// `with_source`: at once, but for small inlined methods. Threads: attached. Blocks: may wait, for
/// reservations. GC: unsafe; safe while waiting. Errors: those of reserve.
Result<engine::CodeInstanceRef> infer(gc::Thread& thread, Program& program, const Specialisation& root,
                                      uint64_t world, bool with_source,
                                      const engine::ReserveOptions& options = {});

inline const TypedMethod& typed_method(const engine::CodeInstance& instance) {
  return *static_cast<const TypedMethod*>(engine::instance_payload(instance));
}

/// Keeps the program's memory while a source of it waits or compiles; null if the program is not shared.
std::shared_ptr<Program> retain(Program& program) noexcept;

/// Typed IR as a source body: the lowering makes an LLVM module of it on the compile thread.
class TypedIrBody final : public engine::SourceBody {
 public:
  TypedIrBody(Program& program, std::shared_ptr<const TypedMethod> method)
      : program(program), method(std::move(method)), retained_(retain(program)) {}
  engine::BodyKind kind() const noexcept override { return engine::BodyKind::TypedIr; }
  Program& program;
  const std::shared_ptr<const TypedMethod> method;

 private:
  const std::shared_ptr<Program> retained_;
};

/// A kernel's body at these argument types, for code generation: not published. Calls are resolved and
/// inlined; what cannot be (recursion) stays an invoke. Threads: attached. Blocks: may wait, for reservations
/// of callees. GC: unsafe; safe while waiting. Errors: TYPE_ERROR naming the call that is not resolved by
/// type; those of reserve.
Result<TypedMethod> infer_kernel(gc::Thread& thread, Program& program, const Method& kernel,
                                 std::span<const Type* const> arguments, uint64_t world);

InferenceCounters counters(Program& program);

}  // namespace berth::inference
