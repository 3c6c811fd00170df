// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * Reservations: who infers a key, who waits, and what a finished one leaves behind.
 *
 * A lease is the right to release; it ends exactly once: by berth_release or berth_release_error on any
 * attached thread, or by abandonment (its agent is deleted, its thread detaches or ends, the lease timeout
 * passes, or a sweep finds its guard, method or owner dead). A world is an age: an instance answers for the
 * worlds of its range, 0 in a call means the current one.
 */
#ifndef BERTH_RESERVATION_H
#define BERTH_RESERVATION_H

#include "berth/error.h"

BERTH_BEGIN

/**
 * What is reserved: a method (not NULL) for an owner (NULL allowed), by identity or by the engine's key
 * traits. Both are the embedder's pointers, never followed; they stay valid while the engine knows the key.
 */
typedef struct berth_key {
  const void* method;
  const void* owner;
} berth_key_t;
/**
 * A lease, by value. `instance` is borrowed until the lease ends; `generation` tells a later lease from this
 * one.
 */
typedef struct berth_lease {
  berth_instance_t* instance;
  uint64_t generation;
} berth_lease_t;
/** What berth_reserve gave. */
typedef enum berth_outcome {
  BERTH_PUBLISHED, /**< a result, with a reference, and no lease */
  BERTH_RESERVED,  /**< the key is ours: infer, then release */
  /** waiting would close a ring: a lease beside the holder's; the first to publish wins */
  BERTH_RESERVED_CYCLE,
  BERTH_RESERVED_REENTRANT /**< this agent holds the key already: another lease on it, see `depth` */
} berth_outcome_t;
/** What counts as a result. */
typedef enum berth_need {
  BERTH_NEED_RESULT, /**< inferred is enough */
  BERTH_NEED_ENTRY   /**< must be callable: drives the compile and waits for it */
} berth_need_t;

/**
 * How to reserve. NULL in its place: current world, BERTH_NEED_RESULT, for ever, no cancel, label or guard.
 */
typedef struct berth_reserve_options {
  size_t struct_size; /**< sizeof this struct */
  uint64_t world;     /**< the result must hold in it; 0: the engine's, read once at entry */
  berth_need_t need;
  int64_t timeout_ns;     /**< -1 for ever, 0 try, else nanoseconds */
  berth_cancel_t* cancel; /**< borrowed for the call; NULL: none */
  const char* label;      /**< for explanations and messages; borrowed until the lease ends; NULL: none */
  /** managed object held weakly: found dead by a sweep, the key is freed; NULL: none */
  const void* guard;
} berth_reserve_options_t;

/** What berth_reserve returns. */
typedef struct berth_reservation {
  berth_outcome_t outcome;
  berth_lease_t lease;         /**< of every outcome but PUBLISHED; else zero */
  berth_instance_t* published; /**< PUBLISHED: a reference, release with berth_instance_release; else NULL */
  uint32_t depth;              /**< REENTRANT: leases that the agent had on the key before; else 0 */
} berth_reservation_t;

/**
 * Looks for a result of `key`; else reserves it, or waits until somebody else's lease ends. A result that
 * comes while it waits is returned. While the agent holds leases, no finalizer runs on its thread.
 * Threads: owner of thread. Blocks: may wait, for the key's holder or its compile. GC: any, kept; polls if
 * unsafe, safe while waiting. With park hooks it may return on another thread. Owns: all borrowed; label
 * until the lease ends; out->lease given back by one release, out->published released with
 * berth_instance_release.
 * Errors: TIMED_OUT and WOULD_DEADLOCK, with the chain; WOULD_DEADLOCK under BERTH_CYCLE_REFUSE, and under
 * either policy if the ring goes through an entry; CANCELLED; RESOURCE_EXHAUSTED above the re-entry limit;
 * UNSUPPORTED if an entry is wanted of a constant; the stored failure of the key or its compile;
 * INVALID_ARGUMENT if an argument or the method is NULL, or the agent waits already; SHUT_DOWN; FORKED.
 */
BERTH_API berth_error_t* berth_reserve(berth_thread_t* thread, berth_key_t key,
                                       const berth_reserve_options_t* options, berth_reservation_t* out);
/**
 * Ends the lease. With `source` its result is published, unless it was by berth_publish or another covers it
 * (then a duplicate, counted, and a success); waiters that it fits get it and its compile is queued. NULL: no
 * result, the first waiter gets the key.
 * Threads: owner of thread; any attached thread may end any lease. Blocks: short; drop functions and park
 * hooks' unpark run; if the queue of compiles is full, compiles here. GC: any, kept. Owns: thread borrowed;
 * lease and source consumed.
 * Errors: STALE_LEASE, nothing changed. With a source, the lease ended without result: SHUT_DOWN;
 * OUT_OF_MEMORY; UNSUPPORTED if this engine has no compiler for it. INVALID_ARGUMENT for a lease without
 * instance; FORKED, where the source is left undropped.
 */
BERTH_API berth_error_t* berth_release(berth_thread_t* thread, berth_lease_t lease, berth_source_t* source);
/**
 * Ends the lease with a failure: COMPILE_FAILED with `message` (NULL: a general text) goes to every waiter
 * whose world it covers (the lease's to the current), then is kept for later reserves: `retry_after_ns` -1
 * for ever, 0 not, n for n ns. A lease that was published, or is of a cycle or re-entry, just ends.
 * Threads: owner of thread. Blocks: short. GC: any, kept. Owns: thread and message borrowed; lease consumed.
 * Errors: STALE_LEASE; INVALID_ARGUMENT for a lease without instance; FORKED.
 */
BERTH_API berth_error_t* berth_release_error(berth_thread_t* thread, berth_lease_t lease, const char* message,
                                             int64_t retry_after_ns);
/**
 * How many leases the thread's current agent has on the key; 0 in a forked child.
 * Threads: owner of thread. Blocks: never (key traits as they do). GC: any, kept. Owns: borrowed. Errors:
 * none.
 */
BERTH_API int berth_holds(berth_thread_t* thread, berth_key_t key);
/**
 * Makes a switch that ends waits. One may serve many calls and threads.
 * Threads: any. Blocks: never. GC: any, kept. Owns: engine borrowed; *out returned, release with
 * berth_cancel_delete.
 * Errors: INVALID_ARGUMENT if engine is NULL.
 */
BERTH_API berth_error_t* berth_cancel_new(berth_engine_t* engine, berth_cancel_t** out);
/**
 * Ends, with CANCELLED, the waits that use it, now and later: sticky. A key that is handed over at the same
 * time wins.
 * Threads: any. Blocks: short. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_cancel_fire(berth_cancel_t* cancel);
/**
 * Deletes; no call may use it any more. NULL is nothing. Threads: one at a time. Owns: consumed. Else as
 * above.
 */
BERTH_API void berth_cancel_delete(berth_cancel_t* cancel);
/**
 * The entry of the key in `world` (0: current), or NULL if nothing is callable. Asks for no compile. Works in
 * a forked child.
 * Threads: any. Blocks: never: lock-free (key traits as they do). GC: any, kept. Owns: engine borrowed; the
 * result borrowed until this attached thread's next safepoint or safe-enter; who is safe or not attached
 * holds a reference to the instance.
 * Errors: none.
 */
BERTH_API void* berth_lookup_entry(berth_engine_t* engine, berth_key_t key, uint64_t world);
/**
 * The result of the key in `world`, or NULL. Owns: engine borrowed; the result released with
 * berth_instance_release. As above.
 */
BERTH_API berth_instance_t* berth_lookup(berth_engine_t* engine, berth_key_t key, uint64_t world);
/**
 * One more reference. Threads: any. Blocks: never. GC: any, kept. Owns: borrowed, by whoever has a reference.
 * Errors: none.
 */
BERTH_API void berth_instance_retain(berth_instance_t* instance);
/**
 * One reference less; the last frees the instance, its payload and source. NULL is nothing; nothing is done
 * in a forked child.
 * Threads: any. Blocks: short; drop functions and the `retire` hook run. GC: any, kept. Owns: one reference
 * consumed. Errors: none.
 */
BERTH_API void berth_instance_release(berth_instance_t* instance);
/**
 * The entry, NULL until callable; a later tier may replace it, both stay callable while the instance is
 * referred to.
 * Threads: any. Blocks: never. GC: any, kept. Owns: borrowed; the result as long as the instance. Errors:
 * none.
 */
BERTH_API void* berth_instance_entry(const berth_instance_t* instance);
/**
 * Waits for the entry: asks for the compile, helps it, or sleeps. `entry` may be NULL. An entry that is there
 * is returned also after shutdown and in a forked child.
 * Threads: owner of thread. Blocks: may wait, for the compile. GC: any, kept; polls if unsafe, safe while
 * waiting; with park hooks it may return on another thread. Owns: all borrowed; *entry as long as the
 * instance.
 * Errors: the compile's failure; TIMED_OUT, WOULD_DEADLOCK, with the chain; UNSUPPORTED for a constant;
 * NOT_FOUND for what has no source, is retired or not published; INVALID_ARGUMENT if NULL or the agent waits
 * already; SHUT_DOWN; FORKED.
 */
BERTH_API berth_error_t* berth_instance_wait_entry(berth_thread_t* thread, berth_instance_t* instance,
                                                   int64_t timeout_ns, void** entry);
/**
 * The instance and all that call it, by edges, hold no longer than `max_world`: their ranges are lowered,
 * never raised; an empty range retires. Does not advance the world.
 * Threads: any. Blocks: short, in proportion to the callers; drop functions run. GC: any, kept. Owns:
 * borrowed. Errors: FORKED.
 */
BERTH_API berth_error_t* berth_instance_invalidate(berth_engine_t* engine, berth_instance_t* instance,
                                                   uint64_t max_world);
/**
 * Results of a recursive group become visible together, before their leases are released (later, with source
 * NULL). The leases stay. On error nothing was published.
 * Threads: owner of thread. Blocks: short, as berth_release. GC: any, kept. Owns: leases borrowed;
 * sources[0..n) consumed.
 * Errors: INVALID_ARGUMENT for a member without lease or source, or published before; STALE_LEASE;
 * UNSUPPORTED; SHUT_DOWN; FORKED.
 */
BERTH_API berth_error_t* berth_publish(berth_thread_t* thread, const berth_lease_t* leases,
                                       berth_source_t* const* sources, size_t n);
/**
 * Opens the ranges of all of them (max world UINT64_MAX) if the world is still `validated`, else of none.
 * Also of none if one is retired, was invalidated or promoted before, or calls what is not open and no
 * member. *promoted (may be NULL) says which.
 * Threads: any. Blocks: short. GC: any, kept. Owns: borrowed. Errors: SHUT_DOWN; FORKED.
 */
BERTH_API berth_error_t* berth_instance_promote(berth_engine_t* engine, berth_instance_t* const* instances,
                                                size_t n, uint64_t validated, int* promoted);

BERTH_END

#endif
