// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Berth behind a global interpreter lock: who holds it runs managed code. The hooks give it up around
// everything that blocks in Berth and take it again afterwards; waiting for it is no wait for a key.
//
//   state      | gil_take, own turn | gil_take, other has it | gil_give | gil_switch          | gil_finalize
//   Free       | Held               | -                      | invalid  | invalid             | Finalizing
//   Held       | -                  | waits                  | Free     | Held (others first) | Finalizing
//   Finalizing | the finalizing thread: Held; all others: never returns
//
// A thread that never returns from gil_take keeps what it holds: its leases end by the lease timeout, its
// frames never.
#ifndef BERTH_GIL_H
#define BERTH_GIL_H

#include <pthread.h>

#include "berth/engine.h"
#include "berth/gc.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A lock that passes in the order of arrival. Members are the functions' own. */
typedef struct gil {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  unsigned long next_turn, turn; /* turn < next_turn: held */
  int is_finalizing;
  pthread_t finalizer;
  unsigned long switches; /* turns that a safepoint gave away */
} gil_t;

/** Threads: one at a time. Blocks: never. */
void gil_init(gil_t* gil);
/** Takes the lock; returns at once on a thread that has it (no nesting is counted). Blocks: may wait, for
 * ever once another finalizes. */
void gil_take(gil_t* gil);
/** Gives the lock up. Threads: the one that has it. Blocks: short. */
void gil_give(gil_t* gil);
/** Lets the threads that wait for the lock go first, if any. Threads: the one that has it. Blocks: may wait,
 * as gil_take. */
void gil_switch(gil_t* gil);
/** From here on only the calling thread, which has the lock, gets it. Blocks: short. */
void gil_finalize(gil_t* gil);
/** Gives `config` the hooks of this lock, which outlives the engine. */
void gil_configure(gil_t* gil, berth_config_t* config);

#ifdef __cplusplus
}
#endif

#endif
