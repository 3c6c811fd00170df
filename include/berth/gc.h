// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * Garbage collection: hooks for a foreign collector, and Berth's own heap.
 *
 * An engine has one collector: Berth's, or the embedder's, through berth_config_set_gc_hooks; then Berth's
 * heap is off and its functions are UNSUPPORTED or do nothing. Raw object pointers are good until the
 * thread's next poll or safe-enter, unless a root, a handle or another live object holds the object. Using
 * the heap on a thread that is not unsafe is a broken contract.
 */
#ifndef BERTH_GC_H
#define BERTH_GC_H

#include "berth/config.h"

BERTH_BEGIN

/**
 * A foreign collector; any may be NULL, which does nothing unless said. No engine lock is held in any of them
 * but is_live. They are called on attached threads, several at once; none may throw.
 */
typedef struct berth_gc_hooks {
  size_t struct_size; /**< sizeof this struct */
  /**
   * Before a part that blocks, and by berth_thread_safe_enter: from here the world may be stopped without
   * this thread. Nests.
   */
  int (*safe_enter)(void* context);
  /** After it, with what enter returned; may wait for the collector, for ever if it must. */
  void (*safe_leave)(void* context, int previous);
  /** By berth_thread_safepoint, and by calls that poll: may wait for the collector. */
  void (*safepoint)(void* context);
  /**
   * In berth_engine_sweep only: 0 if the object (a method, owner or guard) is dead. May not block. NULL: all
   * live.
   */
  int (*is_live)(void* context, const void* object);
  /**
   * On the thread that runs an agent: finalizers are forbidden `delta` times more (less, if negative) on this
   * thread.
   */
  void (*inhibit_finalizers)(void* context, int delta);
  /**
   * For call-shaped collectors, which may stop a thread at any instruction: calls function(argument) safe.
   * Replaces safe_enter and safe_leave around Berth's own waits; besides, whatever takes a lock of the engine
   * runs inside it, so that no stopped thread holds one, and with it drop functions and compiler hooks may.
   * May be called inside itself, and on a thread that is not attached.
   */
  void (*call_safe)(void* context, void (*function)(void* argument), void* argument);
  /**
   * By a waiter, safe, that has been behind a lease with a guard for over 1 s, once a second: the guard may
   * be dead. Also by berth_gc_collect.
   */
  void (*request_collection)(void* context);
} berth_gc_hooks_t;

/**
 * Asks the `is_live` hook about every key and guard: drops dead keys with their results, failures and
 * reservations, frees leases whose guard is dead, wakes whom that serves. Drop functions run at a later call,
 * not here. Does nothing with Berth's collector, or without `is_live`.
 * Threads: one at a time, any. Blocks: short, a shard at a time. GC: collector only: the world stopped, or
 * right after, before what is dead is reused. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_engine_sweep(berth_engine_t* engine);
/**
 * Wakes up to `n` waiters that Berth has parked, to help a mark phase of Berth's collector; with a foreign
 * collector they leave safe and call its `safepoint`. They go on waiting afterwards, in their place.
 * Threads: any. Blocks: short. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_engine_recruit(berth_engine_t* engine, size_t n);
/**
 * Returns when a collection of Berth's collector that began after the call is complete. With a foreign
 * collector: calls its `request_collection` hook and returns. NULL is nothing.
 * Threads: owner. Blocks: may wait, for the stop and the collection. GC: unsafe (foreign: any, kept).
 * Owns: borrowed. Errors: none.
 */
BERTH_API void berth_gc_collect(berth_thread_t* thread);
/**
 * Calls finalizer(object, context) once after `object` became unreachable: at a safepoint of any attached
 * thread, unsafe, whose agent holds no lease and forbids none. It may allocate, reserve and revive the
 * object. Not called for what lives when the engine ends. Nothing happens if an argument but context is NULL,
 * or with a foreign collector.
 * Threads: owner. Blocks: short. GC: unsafe, kept. Owns: thread and object borrowed; context borrowed until
 * the call. Errors: none.
 */
BERTH_API void berth_gc_add_finalizer(berth_thread_t* thread, void* object,
                                      void (*finalizer)(void* object, void* context), void* context);

/**
 * The heap. A type describes its objects to the collector. An object pointer addresses the header word, which
 * is the collector's; fields begin at byte 8. `bytes` and offsets count from the object pointer. With
 * elements, the 8 bytes at offset 8 hold their count, which is Berth's, and they begin at byte 16, or at
 * `bytes` if that is more. Objects do not move, but in the
 * stress mode `move` of a build with checks: keep no raw pointer across a poll.
 */
typedef struct berth_gc_type berth_gc_type_t; /**< layout of objects; lives as long as the engine */
typedef struct berth_gc_root berth_gc_root_t; /**< a variable outside the heap that keeps its object alive */
typedef struct berth_gc_weak berth_gc_weak_t; /**< a variable that is cleared when its object dies */
/** A type. */
typedef struct berth_gc_type_options {
  size_t struct_size; /**< sizeof this struct; less is refused */
  const char* name;   /**< copied; NULL: "" */
  /** of the fixed part with the header: at least 8, a multiple of 8, below 4 GiB */
  size_t bytes;
  /** of the references in it: bytes from the object's start, each 8-aligned, from 8 (16) */
  const uint32_t* reference_offsets;
  size_t reference_count;
  size_t element_bytes;        /**< of one element, below 4 GiB; 0: no elements */
  int elements_are_references; /**< not 0: they are, and element_bytes is 8 */
} berth_gc_type_options_t;

/**
 * Makes a type.
 * Threads: any. Blocks: short. GC: any, kept. Owns: options borrowed (copied); *out borrowed until the
 * engine's delete.
 * Errors: INVALID_ARGUMENT for NULL, a struct_size that is too small, and sizes or offsets that do not fit.
 */
BERTH_API berth_error_t* berth_gc_type_new(berth_engine_t* engine, const berth_gc_type_options_t* options,
                                           berth_gc_type_t** out);
/**
 * A new object, zeroed, with `elements` elements (0 for types without). Polls and may collect.
 * Threads: owner. Blocks: may wait, for a collection. GC: unsafe. Owns: thread and type borrowed; *object the
 * collector's.
 * Errors: OUT_OF_MEMORY after a collection, or a size too large; INVALID_ARGUMENT for NULL, or a thread that
 * is safe (fatal with checks); UNSUPPORTED with a foreign collector.
 */
BERTH_API berth_error_t* berth_gc_allocate(berth_thread_t* thread, const berth_gc_type_t* type,
                                           size_t elements, void** object);
/**
 * The write barrier: stores `value`, which may be NULL, to `slot` in `object`. Every store of a reference
 * into an object goes through it. `thread` may be NULL, then its state is not checked; the store is dropped
 * if the thread is safe.
 * Threads: owner. Blocks: never. GC: unsafe, kept. Owns: borrowed; object keeps value alive. Errors: none.
 */
BERTH_API void berth_gc_write(berth_thread_t* thread, void* object, void** slot, void* value);
/**
 * Makes a root that holds `object` (may be NULL) until its delete.
 * Threads: owner. Blocks: short. GC: unsafe, kept. Owns: borrowed; *out returned, release with
 * berth_gc_root_delete.
 * Errors: INVALID_ARGUMENT for NULL, or a thread that is safe (fatal with checks); UNSUPPORTED with a foreign
 * collector.
 */
BERTH_API berth_error_t* berth_gc_root_new(berth_thread_t* thread, void* object, berth_gc_root_t** out);
/**
 * The root's object; NULL for NULL. Threads: one at a time. Blocks: never. GC: unsafe, kept. Owns: borrowed.
 * Errors: none.
 */
BERTH_API void* berth_gc_root_get(const berth_gc_root_t* root);
/** Makes the root hold `object` instead; nothing for a NULL root. As above. */
BERTH_API void berth_gc_root_set(berth_gc_root_t* root, void* object);
/**
 * Deletes; NULL is nothing. Blocks: short. GC: any, kept. Owns: consumed; before the engine's delete. Else as
 * above.
 */
BERTH_API void berth_gc_root_delete(berth_gc_root_t* root);
/**
 * Handle scopes: roots of the thread's current agent, last in first out; they move with the agent. Open
 * returns the mark that close takes.
 * Threads: owner. Blocks: never. GC: unsafe, kept. Owns: borrowed. Errors: none.
 */
BERTH_API size_t berth_gc_scope_open(berth_thread_t* thread);
/**
 * A handle for `object` (may be NULL) in the innermost scope; without one, until detach. Read and write the
 * reference through *handle. Allowed with a foreign collector, which does not see it.
 * Owns: thread and object borrowed; *handle until its scope closes.
 * Errors: OUT_OF_MEMORY; INVALID_ARGUMENT for NULL, or a thread that is safe (fatal with checks). Else as
 * above.
 */
BERTH_API berth_error_t* berth_gc_scope_handle(berth_thread_t* thread, void* object, void*** handle);
/**
 * Drops all handles since `mark`. Out of order, the mark being gone: fatal with checks, else counted. As
 * scope_open.
 */
BERTH_API void berth_gc_scope_close(berth_thread_t* thread, size_t mark);
/**
 * Makes a weak reference: it is cleared in the collection that finds `object` unreachable, before any
 * finalizer runs.
 * Threads: owner. Blocks: short. GC: unsafe, kept. Owns: borrowed; *out returned, release with
 * berth_gc_weak_delete.
 * Errors: as berth_gc_root_new.
 */
BERTH_API berth_error_t* berth_gc_weak_new(berth_thread_t* thread, void* object, berth_gc_weak_t** out);
/**
 * The object, or NULL once cleared. Threads: owner of thread. Blocks: never. GC: unsafe, kept. Owns:
 * borrowed. Errors: none.
 */
BERTH_API void* berth_gc_weak_get(berth_thread_t* thread, const berth_gc_weak_t* weak);
/**
 * Deletes; NULL is nothing. Threads: one at a time. Blocks: short. GC: any, kept. Owns: consumed. Errors:
 * none.
 */
BERTH_API void berth_gc_weak_delete(berth_gc_weak_t* weak);
/**
 * Forbids finalizers on the thread's current agent `delta` times more (1), or allows again (-1); leases
 * forbid them besides. With a foreign collector tells its `inhibit_finalizers` hook. Below 0: fatal with
 * checks, else clamped and counted.
 * Threads: owner. Blocks: never. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_gc_inhibit_finalizers(berth_thread_t* thread, int delta);

BERTH_END

#endif
