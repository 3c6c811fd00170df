// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread: the record of one attached thread: its GC state, its poll word, the agent that it runs.
//
//   state   | safe_enter | safe_leave(Unsafe)     | safe_leave(Safe) | poll, stop raised
//   Unsafe  | Safe       | invalid                | invalid          | Waiting, then Unsafe
//   Safe    | Safe       | waits for the stop, Unsafe | Safe         | invalid
//   Waiting | invalid    | invalid                | invalid          | -
//
// Owned by the Collector's registry; used by the attached thread, read by the collector. Generated code reads
// `poll`, `frames`, `pending_error`, `stack_limit` and `allocation` at fixed offsets.
#pragma once
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "gc/agent.hpp"
#include "gc/block.hpp"
#include "support/sync.hpp"

namespace berth::gc {

class Collector;
struct Attachment;
struct Handshake;
struct Hooks;

enum class State : uint32_t { Unsafe, Waiting, Safe };

enum PollBit : uint32_t {
  kPollStop = 1,
  kPollHandshake = 2,
  kPollFinalizers = 4,
  kPollCancel = 8,
  kPollAlways = 0x8000'0000
};  // a foreign collector's safepoint, or stress: never cleared

/// For what a thread waits, if not for a key or entry; shown by explain. Set before blocking, cleared after.
struct WaitRecord {
  sync::Atomic<const char*> kind{nullptr};  // a literal; release when set, acquire when read
  sync::Atomic<int64_t> since_ns{0};
};

class Thread {
 public:
  // Poll bits. fetch_or/fetch_and acq_rel by askers; polled relaxed, the slow path re-reads `stop` with
  // acquire.
  sync::Atomic<uint32_t> poll{0};
  // Enter: release. Leave: seq_cst, against the collector's seq_cst load after raising `stop` (store-buffer
  // pattern).
  sync::Atomic<State> state{State::Safe};
  Frame* frames = nullptr;          // shadow stack of the current agent
  Object* pending_error = nullptr;  // the error value behind a raised error flag; a root
  uintptr_t stack_limit = 0;        // generated code raises "stack overflow" below it
  void* language = nullptr;         // the floor above: inference::RuntimeThread
  Agent* agent = nullptr;
  Collector* collector = nullptr;
  void* engine = nullptr;  // engine::Engine
  WaitRecord waiting;
  uint64_t id = 0;  // small number, for names and traces

  // Generated code may allocate as Heap::try_bump does, from the range of the type's bump_class: the cell at
  // `next` is zeroed and needs its header word, the Type, only. Where next == end it calls the runtime.
  AllocationBuffers allocation;

  // Not read by generated code.
  Agent* own_agent = nullptr;                                // the one it was attached with
  const sync::Atomic<uint32_t>* stop_word = nullptr;         // the collector's; null while detached
  const sync::Atomic<uint64_t>* ready_finalizers = nullptr;  // the heap's count
  const Hooks* foreign = nullptr;                            // a foreign collector's hooks, else null
  /// Called by the thread-local destructor of a native thread that exits attached; null: Collector::detach.
  void (*detach_at_exit)(Thread&) = nullptr;
  std::shared_ptr<Attachment> attachment;     // the native thread's link to this record
  uintptr_t native_low = 0, native_high = 0;  // the native thread's stack; 0: unknown
  // Stack pointer at the last safe_enter: frames of generated code lie above. Written before the state, read
  // after it: relaxed.
  sync::Atomic<uintptr_t> anchor{0};
  uint32_t safe_mutexes_held = 0;  // SafeMutex: no finalizer runs under one
  bool in_finalizer = false;
  bool in_stress = false;           // a collection that a stress mode asked for does not ask for another
  int64_t applied_inhibitions = 0;  // what a foreign collector was told for this thread
  // How it last became unsafe, a literal; written by the thread, read by a collector that names late threads:
  // a hint, relaxed.
  sync::Atomic<const char*> last_transition{"attach"};
  Handshake* handshakes = nullptr;  // pending requests; guarded by the collector's handshake mutex

  /// Polls: stop, handshakes, finalizers. Threads: this one. Blocks: may wait, for a stop. GC: unsafe, kept.
  /// Errors: none.
  void safepoint() {
    if (poll.load(std::memory_order_relaxed) != 0) [[unlikely]]
      poll_slow();
  }
  void poll_slow();
  /// Threads: this one. Blocks: never. GC: any; safe afterwards. Returns what it found.
  State safe_enter() noexcept;
  /// Threads: this one. Blocks: may wait, for a stop. Restores `previous`; misuse dies in debug, is ignored
  /// in release.
  void safe_leave(State previous);
  /// Sets the poll bit if finalizers are ready. Threads: any. Blocks: never.
  void ask_for_finalizers() noexcept {
    if (ready_finalizers && ready_finalizers->load(std::memory_order_seq_cst) != 0) {
      poll.fetch_or(kPollFinalizers, std::memory_order_acq_rel);
    }
  }
  /// Tells a foreign collector what the current agent's count of inhibitions has become. Threads: this one.
  void apply_inhibitions();

 private:
  void leave_outermost();
  void check_owner(const char* call) const;
};

/// The attached thread of this native thread for this collector, or null.
Thread* current_thread(const Collector* collector) noexcept;

/// Debug builds die if this native thread is unsafe in any collector: what blocks must be safe in all.
/// Nothing in release. `during` is the name of the wait; tests list all names.
void check_all_safe(const char* during);

/// Scope in which the thread touches no managed object and may block. Any state before; restored after.
class SafeRegion {
 public:
  explicit SafeRegion(Thread& thread) noexcept : thread_(thread), previous_(thread.safe_enter()) {}
  ~SafeRegion() { thread_.safe_leave(previous_); }
  SafeRegion(const SafeRegion&) = delete;
  SafeRegion& operator=(const SafeRegion&) = delete;

 private:
  Thread& thread_;
  State previous_;
};

/// Runs `part` through the hook of a call-shaped collector, which has one. What it throws is carried past the
/// hook's frames. Threads: any. Blocks: as the part does. GC: any; safe inside.
void call_hook(const Hooks& hooks, void (*part)(void*), void* argument);
template <class Part>
void through_hook(const Hooks& hooks, Part&& part) {
  struct Call {
    std::remove_reference_t<Part>& part;
    std::exception_ptr thrown;
  } call{part, nullptr};
  call_hook(
      hooks,
      [](void* argument) {
        auto& self = *static_cast<Call*>(argument);
        try {
          self.part();
        } catch (...) { self.thrown = std::current_exception(); }
      },
      &call);
  if (call.thrown) std::rethrow_exception(call.thrown);
}

bool is_call_shaped(const Thread& thread) noexcept;
/// Runs a blocking part: in a safe region, or through the foreign collector's call-shaped hook.
/// Threads: the attached one. Blocks: as the part does. GC: any; safe inside.
template <class Part>
void in_safe(Thread& thread, Part&& part) {
  if (is_call_shaped(thread)) return through_hook(*thread.foreign, part);
  const SafeRegion region(thread);
  part();
}

/// Sleeps on the current agent's parker until a flag is set, `deadline` or one slice; meanwhile it can be
/// recruited for marking. Returns the flags; kRecruit only with a foreign collector: the caller then leaves
/// safe, polls, and parks again. Threads: the attached one. Blocks: may wait. GC: must be safe.
uint32_t park(Thread& thread, Parker& parker, sync::TimePoint deadline);

/// Scope in a callback of a safe region that needs the heap.
class UnsafeRegion {
 public:
  explicit UnsafeRegion(Thread& thread)
      : thread_(thread), was_safe_(thread.state.load(std::memory_order_relaxed) == State::Safe) {
    if (was_safe_) thread_.safe_leave(State::Unsafe);
  }
  ~UnsafeRegion() {
    if (was_safe_) thread_.safe_enter();
  }
  UnsafeRegion(const UnsafeRegion&) = delete;
  UnsafeRegion& operator=(const UnsafeRegion&) = delete;

 private:
  Thread& thread_;
  bool was_safe_;
};

/// RAII link of a frame into the thread's shadow stack.
class FrameScope {
 public:
  FrameScope(Thread& thread, Frame& frame) noexcept : thread_(thread), frame_(frame) {
    frame.previous = thread.frames;
    thread.frames = &frame;
  }
  ~FrameScope() { thread_.frames = frame_.previous; }
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;

 private:
  Thread& thread_;
  Frame& frame_;
};

/// N references rooted for a scope.
template <uint32_t N>
class Rooted {
 public:
  explicit Rooted(Thread& thread) noexcept : thread_(thread) {
    record_.frame = {thread.frames, &kKind, 0};
    thread.frames = &record_.frame;
  }
  ~Rooted() { thread_.frames = record_.frame.previous; }
  Rooted(const Rooted&) = delete;
  Rooted& operator=(const Rooted&) = delete;
  Object*& operator[](uint32_t i) noexcept { return record_.slots[i]; }

 private:
  static constexpr FrameKind kKind{&Frame::scan_slots, N, nullptr};
  struct {
    Frame frame;
    Object* slots[N] = {};
  } record_;
  Thread& thread_;
};

}  // namespace berth::gc
