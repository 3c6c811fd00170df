// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * Threads and agents: attaching, safepoints, safe regions, and fibres that carry leases.
 *
 * A thread record belongs to the native thread that attached it. An agent is the logical thread of control
 * that holds leases and waits for at most one key or entry; each attached thread has one of its own, a fibre
 * or task may have another, which moves with it from thread to thread.
 */
#ifndef BERTH_THREAD_H
#define BERTH_THREAD_H

#include "berth/error.h"

BERTH_BEGIN

/** What a collection may expect of a thread. */
typedef enum berth_gc_state {
  BERTH_GC_UNSAFE,  /**< may touch managed objects: a collection waits for its next poll */
  BERTH_GC_WAITING, /**< held by a collection, inside Berth; never seen by a caller */
  BERTH_GC_SAFE     /**< touches no managed object: a collection does not wait for it */
} berth_gc_state_t;

/** How an agent sleeps, for fibres. Both functions, or the default is used. */
typedef struct berth_park_hooks {
  size_t struct_size; /**< sizeof this struct */
  /**
   * Suspends the fibre until unpark, or `timeout_ns` (0 to 100 ms: Berth looks again after it); returning
   * early is allowed, an unpark that came first makes it return at once. Returns the attached thread that the
   * fibre goes on on, whose current agent must be this one. Called on the waiting thread, in the state in
   * which it called Berth, no engine lock held.
   */
  berth_thread_t* (*park)(void* context, berth_thread_t* thread, int64_t timeout_ns);
  /**
   * Ends a park, now or to come. Called on any thread, also while the world is stopped: must not wait, poll
   * or call Berth.
   */
  void (*unpark)(void* context);
} berth_park_hooks_t;

/**
 * Attaches the calling native thread, which is unsafe afterwards, with an agent of its own. A thread that
 * ends while attached is detached.
 * Threads: any. Blocks: may wait, for a collection. GC: not attached before, and safe in the other engines
 * that it is attached to (fatal with checks); unsafe afterwards.
 * Owns: engine borrowed until detach; *out returned, release with berth_thread_detach.
 * Errors: INVALID_ARGUMENT if it is attached to this engine already; FORKED. Works after shutdown, so that
 * leases can be given back.
 */
BERTH_API berth_error_t* berth_thread_attach(berth_engine_t* engine, berth_thread_t** out);
/**
 * The calling thread's record of this engine, or NULL if it is not attached.
 * Threads: any. Blocks: never. GC: any, kept. Owns: engine borrowed; the result borrowed until the detach.
 * Errors: none.
 */
BERTH_API berth_thread_t* berth_thread_current(berth_engine_t* engine);
/**
 * Detaches. Leases of the thread's own agent are abandoned (their keys go to the next waiters) and its
 * handles dropped; another agent that is current keeps its own. NULL is nothing; nothing is done in a forked
 * child.
 * Threads: owner. Blocks: may wait, for a collection. GC: any; not attached afterwards. Owns: consumed.
 * Errors: none.
 */
BERTH_API void berth_thread_detach(berth_thread_t* thread);
/**
 * Polls: takes part in a collection that asks for it, then runs ready finalizers if the current agent forbids
 * none. With a foreign collector calls its `safepoint` hook. Keeps errno. One load and a branch while nobody
 * asks. Ends the life of pointers that berth_lookup_entry gave.
 * Threads: owner. Blocks: may wait, for a collection. GC: unsafe, kept. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_thread_safepoint(berth_thread_t* thread);
/**
 * Begins a safe region, in which the thread touches no managed object and may block; nests. Returns what
 * safe_leave takes; with a foreign collector that is what its `safe_enter` hook returned.
 * Threads: owner. Blocks: never (a hook as it does). GC: any; safe afterwards. Owns: borrowed. Errors: none.
 */
BERTH_API berth_gc_state_t berth_thread_safe_enter(berth_thread_t* thread);
/**
 * Ends the safe region whose safe_enter returned `previous`. The outermost one polls. Leaving what was not
 * entered is a broken contract: fatal with checks, else ignored and counted.
 * Threads: owner. Blocks: may wait, for a collection. GC: safe; `previous` afterwards. Owns: borrowed.
 * Errors: none.
 */
BERTH_API void berth_thread_safe_leave(berth_thread_t* thread, berth_gc_state_t previous);
/**
 * Makes an agent that is current nowhere. `name` shows in explanations; copied, NULL is "agent".
 * Threads: any. Blocks: short. GC: any, kept. Owns: name borrowed; *out returned, release with
 * berth_agent_delete.
 * Errors: SHUT_DOWN; FORKED.
 */
BERTH_API berth_error_t* berth_agent_new(berth_engine_t* engine, const char* name, berth_agent_t** out);
/**
 * Abandons the agent's leases, drops its handles, deletes it. Its park hooks are not called afterwards. NULL
 * is nothing. An agent that waits or is current on a thread is a broken contract: fatal with checks, else the
 * call is counted and the agent deleted when it is neither any more.
 * Threads: one at a time, per agent. Blocks: short. GC: any, kept. Owns: consumed. Errors: none.
 */
BERTH_API void berth_agent_delete(berth_agent_t* agent);
/**
 * Makes `agent` current on `thread`; NULL: the thread's own. Leases, handles, frames and the ban on
 * finalizers go with the agent. `previous`, if not NULL, gets the agent that was current, which may be the
 * thread's own and can be given back here; NULL if it was deleted meanwhile.
 * Threads: owner. Blocks: short. GC: any, kept. Owns: all borrowed; agent until it is current no more.
 * Errors: INVALID_ARGUMENT if it is current on another thread (fatal with checks); FORKED.
 */
BERTH_API berth_error_t* berth_thread_set_agent(berth_thread_t* thread, berth_agent_t* agent,
                                                berth_agent_t** previous);
/**
 * The bounds of the stack that the agent runs on, `low` below `high`; NULL, NULL: the thread's. Programs and
 * generated code raise "stack overflow" near `low`. Takes effect when the agent next becomes current.
 * Threads: one at a time, agent not current. Blocks: never. GC: any, kept. Owns: all borrowed, the memory
 * until the agent's delete. Errors: none.
 */
BERTH_API void berth_agent_set_stack(berth_agent_t* agent, const void* low, const void* high);
/**
 * How the agent sleeps when it waits for a key or an entry. NULL, or hooks without both functions: the thread
 * blocks (default).
 * Threads: one at a time, agent not waiting. Blocks: never. GC: any, kept.
 * Owns: hooks borrowed (copied); context borrowed until the agent's delete. Errors: none.
 */
BERTH_API void berth_agent_set_park_hooks(berth_agent_t* agent, const berth_park_hooks_t* hooks,
                                          void* context);

BERTH_END

#endif
