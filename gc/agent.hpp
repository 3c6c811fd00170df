// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agent: a logical thread of control: its roots, its parker, its counts that forbid finalizers. A fibre's
// moves between threads. The engine derives its own agent with leases and the wait edge.
//
//   state     | set on a thread | suspended       | deleted
//   Suspended | Current         | -               | freed
//   Current   | refused         | Suspended       | refused (release: deferred)
#pragma once
#include <memory>
#include <string>

#include "gc/frame.hpp"
#include "gc/parker.hpp"
#include "support/sync.hpp"

namespace berth::gc {

class Collector;
class Thread;
class HandleBlock;

/// How a fibre's agent sleeps; its parker has the other half, `unpark`.
struct ParkHooks {
  Thread* (*park)(void* context, Thread*, int64_t timeout_ns) = nullptr;
  void* context = nullptr;
};

class Agent {
 public:
  explicit Agent(std::string name);
  virtual ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  std::string name;
  ParkerRef parker;      // retained by whoever notifies it after unlocking
  ParkHooks park_hooks;  // park == null: block the thread on `parker`
  /// Threads: one at a time, agent not waiting. Blocks: short. GC: any, kept.
  void set_park_hooks(Thread* (*park)(void*, Thread*, int64_t), void (*unpark)(void*),
                      void* context) noexcept {
    park_hooks = {park, context};
    parker->set_unpark(unpark, context);
  }
  Frame* frames = nullptr;                  // while suspended; while current the thread has the head
  HandleBlock* handles = nullptr;           // newest block of the handle scopes; see gc/handle.hpp
  uintptr_t stack_low = 0, stack_high = 0;  // of the stack that it runs on; 0: not told, the thread's
  /// Where its frames lie while it is suspended, for whoever looks for return addresses. Guarded by the
  /// collector's list of agents.
  struct {
    uintptr_t low = 0, high = 0;
    bool is_known = true;  // also if it never ran
  } suspended;
  uint64_t shown = 0;  // the pass over all stacks that saw its own; as above

  // Leases that forbid finalizers: taken by the running thread (relaxed: only it reads its own), given back
  // by anyone (release; read acquire at a safe point so that finalizers run after the giver's writes).
  sync::Atomic<uint64_t> leases_taken{0};
  sync::Atomic<uint64_t> leases_given{0};
  int32_t explicit_inhibitions = 0;  // by the running thread
  int64_t finalizer_inhibitions() const noexcept {
    return static_cast<int64_t>(leases_taken.load(std::memory_order_relaxed) -
                                leases_given.load(std::memory_order_acquire)) +
           explicit_inhibitions;
  }
  /// Raises the count before a reserve can allocate or poll. Threads: the one that runs the agent. Blocks:
  /// never.
  void take_lease(Thread& thread) noexcept;
  /// Lowers it, and sets the poll bit of the thread that runs the agent; runs no finalizer. `self`: the
  /// calling thread, null if it is not attached. Thread records are type-stable, so a thread that detaches
  /// meanwhile is harmless. Threads: any. Blocks: never.
  void give_lease(Thread* self) noexcept;
  /// Explicit inhibitions. Threads: the one that runs the agent. Never below 0: death in debug, clamped and
  /// counted in release.
  void inhibit_finalizers(Thread& thread, int32_t delta);

  // The thread it runs on, null while suspended. Written by set_agent, read by anyone who ends a lease:
  // acq_rel.
  sync::Atomic<Thread*> current{nullptr};
  // The collector whose list of agents it is in; set by its first attach or set_agent, under that list's
  // lock.
  Collector* collector = nullptr;
};

}  // namespace berth::gc
