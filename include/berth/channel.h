// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * Channels: the ticket protocol by which a compute thread hands slots of data to helper threads, and gets
 * them back.
 *
 * Exactly one thread computes per channel (wait_writable, publish, wait_readable, drain); any number work
 * (take, snap, finish). Ticket s, from 0, uses slot s mod `slots`. Out: compute fills the slot, publishes,
 * workers persist it. In: compute publishes a request, workers fill the slot, compute reads it. Timeouts: -1
 * for ever, 0 do not wait, else nanoseconds.
 */
#ifndef BERTH_CHANNEL_H
#define BERTH_CHANNEL_H

#include "berth/device.h"

BERTH_BEGIN

typedef struct berth_channel berth_channel_t;         /**< slots, and who has them */
typedef struct berth_worker_pool berth_worker_pool_t; /**< threads that serve channels */

/** Which way the data goes. */
typedef enum berth_direction {
  BERTH_DIRECTION_OUT, /**< compute writes slots, workers read them */
  BERTH_DIRECTION_IN   /**< workers write slots, compute reads them */
} berth_direction_t;
/** How slots are handed over. */
typedef enum berth_protocol {
  BERTH_PROTOCOL_TICKET, /**< counts of tickets */
  BERTH_PROTOCOL_COMPAT  /**< lock and flag words of older generated code: not in this build */
} berth_protocol_t;
/** Who must see the hand-over. Channels of this build are between host threads; the value is not read. */
typedef enum berth_scope {
  BERTH_SCOPE_HOST,  /**< threads of this process */
  BERTH_SCOPE_SYSTEM /**< devices too */
} berth_scope_t;
/** How a wait passes the time. */
typedef enum berth_channel_wait {
  BERTH_CHANNEL_WAIT_PARK, /**< spins 4 us, then sleeps */
  BERTH_CHANNEL_WAIT_SPIN  /**< spins until the end */
} berth_channel_wait_t;

/** One step of what a pool's worker does with a ticket; steps run in order, on one worker. */
typedef struct berth_stage {
  const char* name; /**< for messages; borrowed until the channel's delete; NULL: none */
  /**
   * Called attached and unsafe, on a worker of the pool. `slot`: the ticket's memory; `args`: what publish
   * copied, until the ticket ends; `*state`: one pointer a ticket, NULL at first, for later stages. Returns
   * NULL, or an error, which is consumed, ends the ticket and fails the channel.
   */
  berth_error_t* (*run)(void* context, berth_thread_t* thread, void* slot, const void* args, void** state);
  void* context;          /**< of run; borrowed until the channel's delete */
  berth_kernel_t* kernel; /**< instead of run; must be NULL: not in this build */
  int last_reader;        /**< out: the slot may be overwritten after this stage (none: after the last) */
} berth_stage_t;

/** How a channel is made; zero is the default of every field. */
typedef struct berth_channel_options {
  size_t struct_size; /**< sizeof this struct */
  berth_direction_t direction;
  /** slots: at most 65536; 0: 2. ahead: at most slots, else refused; not used otherwise */
  uint32_t slots, ahead;
  size_t slot_bytes, args_bytes; /**< bytes of a slot; bytes that publish copies, at most 120 */
  berth_protocol_t protocol;
  berth_scope_t scope;
  berth_channel_wait_t wait;
  berth_worker_pool_t* pool;   /**< runs the stages; NULL: the embedder's own threads call take */
  const berth_stage_t* stages; /**< copied; at least one with a pool; not run without */
  size_t stage_count;
  const char* label; /**< for messages; copied; NULL: "" */
} berth_channel_options_t;

/**
 * Starts `threads` threads (0: one), attached to the engine, that run the stages of their channels.
 * Threads: any. Blocks: short. GC: any, kept. Owns: engine borrowed until the delete; *out returned, release
 * with berth_worker_pool_delete, after its channels and before the engine. Errors: RESOURCE_EXHAUSTED if a
 * thread does not start.
 */
BERTH_API berth_error_t* berth_worker_pool_new(berth_engine_t* engine, uint32_t threads,
                                               berth_worker_pool_t** out);
/**
 * Ends the threads and deletes. NULL is nothing.
 * Threads: one at a time, none of its own. Blocks: may wait, for stages that run. GC: any, kept; safe while
 * waiting.
 * Owns: consumed. Errors: none.
 */
BERTH_API void berth_worker_pool_delete(berth_worker_pool_t* pool);
/**
 * Makes a channel, its slots zeroed and adjacent.
 * Threads: any. Blocks: short. GC: any, kept. Owns: options borrowed (copied), pool until the delete; *out
 * returned, release with berth_channel_delete, before the engine. Errors: INVALID_ARGUMENT for NULL, slots,
 * ahead, args_bytes, a stage without run, a pool without stages; UNSUPPORTED for the compat protocol and
 * kernel stages.
 */
BERTH_API berth_error_t* berth_channel_new(berth_engine_t* engine, const berth_channel_options_t* options,
                                           berth_channel_t** out);
/**
 * Closes, waits until no worker holds a ticket and no call waits, and deletes. NULL is nothing.
 * Threads: one at a time, no worker that holds a ticket. Blocks: may wait, for taken tickets. GC: any, kept;
 * safe while waiting.
 * Owns: consumed. Errors: none.
 */
BERTH_API void berth_channel_delete(berth_channel_t* channel);

/**
 * Compute: the slot of the next ticket, once it may be overwritten (out: read by its last user; in: its
 * ticket is done).
 * Threads: owner of thread; one computes. Blocks: may wait, for workers. GC: any, kept; safe while waiting.
 * Owns: borrowed; *slot until its publish. Errors: TIMED_OUT; the channel's first failure; INVALID_ARGUMENT
 * once closed.
 */
BERTH_API berth_error_t* berth_channel_wait_writable(berth_thread_t* thread, berth_channel_t* channel,
                                                     int64_t timeout_ns, void** slot);
/**
 * Compute: hands the next ticket to the workers, with a copy of `args` (args_bytes bytes; NULL: the slot's
 * last). Waits until the slot's last ticket is done. `ticket` may be NULL. As above.
 */
BERTH_API berth_error_t* berth_channel_publish(berth_thread_t* thread, berth_channel_t* channel,
                                               const void* args, int64_t timeout_ns, uint64_t* ticket);
/**
 * Compute: waits until `ticket` is done; its slot may be read until it is published again. Errors: as above;
 * INVALID_ARGUMENT if the ticket is not one of the last `slots` published.
 */
BERTH_API berth_error_t* berth_channel_wait_readable(berth_thread_t* thread, berth_channel_t* channel,
                                                     uint64_t ticket, int64_t timeout_ns, void** slot);
/** Compute: waits until all published tickets are done. As wait_writable. */
BERTH_API berth_error_t* berth_channel_drain(berth_thread_t* thread, berth_channel_t* channel,
                                             int64_t timeout_ns);

/**
 * Worker: takes the next ticket, which it must finish. Each is given once, in order. `args` may be NULL.
 * Threads: owner of thread; any number. Blocks: may wait, for a publish. GC: any, kept; safe while waiting.
 * Owns: borrowed; *slot and *args until the finish. Errors: TIMED_OUT; the channel's first failure; CANCELLED
 * once closed.
 */
BERTH_API berth_error_t* berth_channel_take(berth_thread_t* thread, berth_channel_t* channel,
                                            int64_t timeout_ns, uint64_t* ticket, void** slot,
                                            const void** args);
/**
 * Worker, out: the slot has been read and may be overwritten. Optional.
 * Threads: any, holding the ticket. Blocks: short. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_channel_snap(berth_channel_t* channel, uint64_t ticket);
/**
 * Worker: ends a ticket, once. `error` NULL: done. Else the channel fails with it: the first stays, and every
 * wait ends with it.
 * Owns: channel borrowed; error consumed. Else as above.
 */
BERTH_API void berth_channel_finish(berth_channel_t* channel, uint64_t ticket, berth_error_t* error);

/**
 * Ends the channel, for good: untaken tickets are dropped (drain first to keep them), waits end, taken
 * tickets are still to be finished. Compute calls then give INVALID_ARGUMENT, take CANCELLED.
 * Threads: any. Blocks: short. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_channel_close(berth_channel_t* channel);
/**
 * A copy of the first error, NULL if none. Owns: channel borrowed; returned, release with berth_error_delete.
 * As above.
 */
BERTH_API berth_error_t* berth_channel_error(const berth_channel_t* channel);

BERTH_END

#endif
