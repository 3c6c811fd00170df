// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HostBackend::drive: a call over an edge to a callee without code. It waits for the code on the calling
// thread, its arguments being roots.
#include <fmt/format.h>

#include "engine/handles.hpp"
#include "gc/heap.hpp"
#include "gc/thread.hpp"
#include "jit/host_backend.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

/// The arguments of a call that waits for its callee's code: roots, as nobody else may have them any more. A
/// pointer that is no object of the heap is left alone.
struct StubFrame {
  gc::Frame frame;
  StubArguments arguments;
  const gc::Heap& heap;
  const char* inside;  // the caller's trampoline: on the stack it keeps the caller's code, of which a tail
                       // call leaves no frame

  static void scan(gc::Frame& frame, gc::SlotVisitor& visitor) {
    const auto& self = reinterpret_cast<StubFrame&>(frame);
    for (const int32_t offset : self.arguments.references) {
      auto** slot = reinterpret_cast<gc::Object**>(self.arguments.base + offset);
      if (!mutant::is_on("J38_arguments_no_roots") && self.heap.contains(*slot)) visitor.visit(slot);
    }
  }
  static constexpr gc::FrameKind kKind{&StubFrame::scan, 0, nullptr};
};

/// The calling thread, attached for the time if it was not.
class Caller {
 public:
  static Result<Caller> of(engine::Engine& engine) {
    if (gc::Thread* const thread = gc::current_thread(&engine.collector()))
      return Caller(engine, thread, false);
    BERTH_TRY(gc::Thread* const thread, engine.attach());
    return Caller(engine, thread, true);
  }
  Caller(Caller&& other) noexcept
      : engine_(other.engine_), thread_(other.thread_), ends_(std::exchange(other.ends_, false)) {}
  ~Caller() {
    if (ends_) engine_.detach(*thread_);
  }
  gc::Thread& thread() const noexcept { return *thread_; }

 private:
  Caller(engine::Engine& engine, gc::Thread* thread, bool ends)
      : engine_(engine), thread_(thread), ends_(ends) {}
  engine::Engine& engine_;
  gc::Thread* const thread_;
  bool ends_;
};

Error has_no_code(engine::CodeInstance& callee) {
  const char* const label = engine::instance_label(callee);
  return make_error(BERTH_NOT_FOUND, fmt::format("calling \"{}\" over an edge", label ? label : ""),
                    "it has no code", "release its lease with source");
}

/// `callee`: becomes the instance whose entry it is.
Result<void*> wait_entry(engine::Engine& engine, gc::Thread& thread, engine::CodeInstanceRef& callee) {
  auto entry = engine.wait_entry(thread, *callee, Deadline::never());
  if (!entry.has_error() || entry.assume_error().code() != BERTH_NOT_FOUND) return entry;
  // A token that became a duplicate or was rejected: the edge follows its key.
  engine::CodeInstanceRef winner = engine.lookup(engine::instance_key(*callee), 0);
  const engine::Code* const code = winner ? engine::instance_code(*winner) : nullptr;
  if (!code || !code->entry) return has_no_code(*callee);
  callee = std::move(winner);
  return code->entry;
}

/// What the embedder wants called instead of a callee that failed, or null.
void* instead_of(engine::Engine& engine, engine::CodeInstance& callee, const Error& found) {
  const engine::EngineOptions& options = engine.options();
  if (!options.call_error) return nullptr;
  const Error::Pointer error(found.clone().release());
  return options.call_error(options.call_error_context, engine::to_handle(&callee), error.get());
}

}  // namespace

// Called by the stub of an edge, on the thread that calls.
Result<void*> HostBackend::drive(engine::CodeInstanceRef& asked, StubArguments arguments) {
  engine::CodeInstance& callee = *asked;
  if (const engine::Code* code = engine::instance_code(callee); code && code->entry) return code->entry;
  if (!engine_) return has_no_code(callee);
  BERTH_TRY(const Caller caller, Caller::of(*engine_));
  StubFrame stub{{nullptr, &StubFrame::kKind, 0},
                 arguments,
                 engine_->collector().heap(),
                 static_cast<const char*>(arguments.trampoline) + 1};
  const gc::FrameScope scope(caller.thread(), stub.frame);
  auto entry = wait_entry(*engine_, caller.thread(), asked);
  if (!entry.has_error()) return entry;
  if (void* const instead = instead_of(*engine_, callee, entry.assume_error())) return instead;
  return entry;
}

}  // namespace berth::jit
