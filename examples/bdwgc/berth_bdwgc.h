// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Berth behind bdwgc (the Boehm-Demers-Weiser collector): the hooks, and how dead methods, owners and guards
// reach the engine.
//
// bdwgc stops threads by signal, at any instruction, and its safe region is a function call. So all that
// blocks or takes a lock in Berth runs inside GC_do_blocking, through the hook call_safe. Keys are in Berth's
// memory, which bdwgc does not scan: they keep nothing alive. bdwgc keeps a tracked object until its
// finalizer has run; the finalizer keeps it until the sweep that follows, so the engine forgets a key before
// the memory behind it is used again.
//
//   object  | unreachable, collected | finalizers run  | sweep
//   Tracked | Ready                  | -               | live
//   Ready   | -                      | Dead            | live
//   Dead    | kept                   | -               | its keys and leases go; then free for bdwgc
//
// Finalizers run on a thread of the adapter, since all others may be parked or hold leases, and at safepoints
// of threads that may. Payloads are in Berth's memory too: allocate them with GC_MALLOC_UNCOLLECTABLE and
// free them in their drop function, which may run inside GC_do_blocking: there it may free, but not look at
// collectable objects unless through bdwgc_active.
#ifndef BERTH_BDWGC_H
#define BERTH_BDWGC_H

#include "berth/engine.h"
#include "berth/gc.h"
#include "berth/thread.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The hooks; their context is NULL. */
const berth_gc_hooks_t* bdwgc_hooks(void);
/**
 * Gives `config` the hooks. Call GC_INIT first; threads are made through gc.h with GC_THREADS, or registered.
 * Threads: one at a time; one engine a process, as finalizers are the process's.
 */
void bdwgc_configure(berth_config_t* config);
/** Starts the thread that runs finalizers, attached to the engine. As above. Errors: of berth_thread_attach.
 */
berth_error_t* bdwgc_start(berth_engine_t* engine);
/** Ends it; before the engine's delete. What dies later is not swept. As above. Blocks: may wait, for a
 * finalizer. */
void bdwgc_stop(void);
/**
 * The engine shall forget `object`, a method, owner or guard allocated by bdwgc, once it is unreachable. The
 * object has no other finalizer. Threads: registered with bdwgc. Blocks: short.
 */
void bdwgc_track(void* object);
/** Calls function(argument) blocking, as Berth does: use it instead of GC_do_blocking, which does not nest.
 */
void bdwgc_blocking(void (*function)(void* argument), void* argument);
/** Inside it: calls function(argument) as a thread that may use the heap again. */
void bdwgc_active(void (*function)(void* argument), void* argument);
/** Number of sweeps that were asked for. */
unsigned long bdwgc_num_sweeps(void);

#ifdef __cplusplus
}
#endif

#endif
