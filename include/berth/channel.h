// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels: the ticket protocol by which a compute thread hands slots of data to helper threads, and gets them back.
//
// Exactly one thread computes per channel (wait_writable, publish, wait_readable, drain); any number work (take, snap, finish). Calls that
// may wait take the attached thread and wait GC-safe. -1 for ever, 0 do not wait, else nanoseconds.
#ifndef BERTH_CHANNEL_H
#define BERTH_CHANNEL_H

#include "berth/device.h"

BERTH_BEGIN

typedef struct berth_channel berth_channel_t;
typedef struct berth_worker_pool berth_worker_pool_t;

typedef enum berth_direction { BERTH_DIRECTION_OUT, BERTH_DIRECTION_IN } berth_direction_t;
typedef enum berth_protocol { BERTH_PROTOCOL_TICKET, BERTH_PROTOCOL_COMPAT } berth_protocol_t;
typedef enum berth_scope { BERTH_SCOPE_HOST, BERTH_SCOPE_SYSTEM } berth_scope_t;
typedef enum berth_channel_wait { BERTH_CHANNEL_WAIT_PARK, BERTH_CHANNEL_WAIT_SPIN } berth_channel_wait_t;

typedef struct berth_stage {
  const char *name;
  berth_error_t *(*run)(void *context, berth_thread_t *thread, void *slot, const void *args, void **state);
  void *context;
  berth_kernel_t *kernel; /* instead of run */
  int last_reader;        /* out: the slot may be overwritten after this stage (none: after the last) */
} berth_stage_t;

typedef struct berth_channel_options {
  size_t struct_size;
  berth_direction_t direction;
  uint32_t slots, ahead;        /* slots 0: 2; ahead 0: slots */
  size_t slot_bytes, args_bytes; /* args at most 120 bytes */
  berth_protocol_t protocol;
  berth_scope_t scope;
  berth_channel_wait_t wait;
  berth_worker_pool_t *pool;    /* NULL: the embedder's own threads call take */
  const berth_stage_t *stages;  /* copied */
  size_t stage_count;
  const char *label;
} berth_channel_options_t;

/* Threads that run the stages of its channels; attached to the engine. Delete after its channels. Errors: RESOURCE_EXHAUSTED. */
BERTH_API berth_error_t *berth_worker_pool_new(berth_engine_t *engine, uint32_t threads, berth_worker_pool_t **out);
BERTH_API void berth_worker_pool_delete(berth_worker_pool_t *pool);
/* Errors: INVALID_ARGUMENT; UNSUPPORTED (compat protocol, kernel stages). Delete closes, and returns when no worker holds a ticket. */
BERTH_API berth_error_t *berth_channel_new(berth_engine_t *engine, const berth_channel_options_t *options, berth_channel_t **out);
BERTH_API void berth_channel_delete(berth_channel_t *channel);

/* Compute. Errors: TIMED_OUT; the channel's first failure; INVALID_ARGUMENT once closed; SHUT_DOWN. */
BERTH_API berth_error_t *berth_channel_wait_writable(berth_thread_t *thread, berth_channel_t *channel, int64_t timeout_ns, void **slot);
BERTH_API berth_error_t *berth_channel_publish(berth_thread_t *thread, berth_channel_t *channel, const void *args,
                                               int64_t timeout_ns, uint64_t *ticket);
BERTH_API berth_error_t *berth_channel_wait_readable(berth_thread_t *thread, berth_channel_t *channel, uint64_t ticket,
                                                     int64_t timeout_ns, void **slot);
BERTH_API berth_error_t *berth_channel_drain(berth_thread_t *thread, berth_channel_t *channel, int64_t timeout_ns);

/* Workers. take: CANCELLED once closed. snap: the slot has been read. finish: error consumed, NULL: done. */
BERTH_API berth_error_t *berth_channel_take(berth_thread_t *thread, berth_channel_t *channel, int64_t timeout_ns, uint64_t *ticket,
                                            void **slot, const void **args);
BERTH_API void berth_channel_snap(berth_channel_t *channel, uint64_t ticket);
BERTH_API void berth_channel_finish(berth_channel_t *channel, uint64_t ticket, berth_error_t *error);

/* Either. close never waits; untaken tickets are dropped. error: a copy of the first error, NULL if none. */
BERTH_API void berth_channel_close(berth_channel_t *channel);
BERTH_API berth_error_t *berth_channel_error(const berth_channel_t *channel);

BERTH_END

#endif
