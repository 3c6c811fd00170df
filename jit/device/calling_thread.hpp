// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CallingThread, wait_safe: device calls take no thread; they find the attached one of this native thread
// themselves.
#pragma once
#include "engine/engine.hpp"
#include "gc/thread.hpp"

namespace berth::jit {

/// Runs `part`, which blocks, in a safe region if this native thread is attached. `kind`: a literal, for the
/// wait record.
template <class Part>
void wait_safe(const gc::Collector& collector, const char* kind, Part&& part) {
  gc::Thread* const thread = gc::current_thread(&collector);
  if (!thread) return part();
  thread->waiting.since_ns.store(sync::Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  thread->waiting.kind.store(kind, std::memory_order_release);
  gc::in_safe(*thread, part);
  thread->waiting.kind.store(nullptr, std::memory_order_release);
}

/// The attached thread for calls into the engine; attaches one for its life if there is none.
class CallingThread {
 public:
  static Result<CallingThread> of(engine::Engine& engine) {
    if (gc::Thread* thread = gc::current_thread(&engine.collector()))
      return CallingThread(engine, *thread, false);
    BERTH_TRY(gc::Thread * thread, engine.attach());
    return CallingThread(engine, *thread, true);
  }
  CallingThread(CallingThread&& other) noexcept
      : engine_(other.engine_), thread_(other.thread_), attached_(std::exchange(other.attached_, false)) {}
  ~CallingThread() {
    if (attached_) engine_->detach(*thread_);
  }
  gc::Thread& operator*() const noexcept { return *thread_; }

 private:
  CallingThread(engine::Engine& engine, gc::Thread& thread, bool attached) noexcept
      : engine_(&engine), thread_(&thread), attached_(attached) {}
  engine::Engine* engine_;
  gc::Thread* thread_;
  bool attached_;
};

}  // namespace berth::jit
