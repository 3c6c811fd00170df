// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: buffers, kernels, queues and timeline semaphores.
//
// Only semaphores order work: submission order promises nothing. All objects may be used by several threads at once. Blocking calls
// find the attached thread themselves and wait GC-safe; a thread that is not attached may call everything here.
#ifndef BERTH_DEVICE_H
#define BERTH_DEVICE_H

#include "berth/error.h"

BERTH_BEGIN

typedef struct berth_buffer berth_buffer_t;
typedef struct berth_kernel berth_kernel_t;
typedef struct berth_queue berth_queue_t;
typedef struct berth_semaphore berth_semaphore_t;

typedef struct berth_point { berth_semaphore_t *semaphore; uint64_t value; } berth_point_t;
typedef struct berth_points { size_t count; const berth_point_t *items; } berth_points_t; /* NULL = empty */

typedef struct berth_grid {
  size_t struct_size;
  uint32_t blocks[3], lanes[3], shared_bytes;
  int cooperative;            /* required by kernels with a grid barrier */
  berth_buffer_t *indirect;   /* 3 x u32 block counts; NULL: blocks */
  size_t indirect_offset;
} berth_grid_t;

typedef enum berth_arg_kind { BERTH_ARG_BUFFER, BERTH_ARG_I32, BERTH_ARG_I64, BERTH_ARG_F32, BERTH_ARG_F64 } berth_arg_kind_t;
typedef struct berth_arg {
  berth_arg_kind_t kind;
  berth_buffer_t *buffer;
  size_t offset, length;      /* bytes of the buffer that the kernel sees; length 0: to its end */
  union { int32_t i32; int64_t i64; float f32; double f64; };
} berth_arg_t;
typedef struct berth_args { size_t count; const berth_arg_t *items; } berth_args_t;

/* Devices that berth_device_open knows, and their names. Threads: any. Blocks: short. Errors: INVALID_ARGUMENT. */
BERTH_API berth_error_t *berth_device_count(berth_engine_t *engine, size_t *count);
BERTH_API berth_error_t *berth_device_uri(berth_engine_t *engine, size_t index, char **uri);
/* `uri`: "host", or "host:" with options threads=N,order=ascending|descending|random,seed=S,context_limit=BYTES.
   Owns: returned; delete before the engine. Errors: INVALID_ARGUMENT, UNSUPPORTED. */
BERTH_API berth_error_t *berth_device_open(berth_engine_t *engine, const char *uri, berth_device_t **out);
BERTH_API void berth_device_delete(berth_device_t *device);
/* JSON: uri, target, threads. Free with berth_string_delete. */
BERTH_API char *berth_device_info_json(berth_device_t *device);
/* Blocks of `lanes` lanes that a cooperative launch may have; the host has no limit (UINT32_MAX). kernel may be NULL. */
BERTH_API berth_error_t *berth_device_cooperative_limit(berth_device_t *device, berth_kernel_t *kernel, uint32_t lanes,
                                                        uint32_t shared_bytes, uint32_t *blocks);

/* Zeroed memory. A deleted buffer lives on until the submissions that use it are done.
   Errors: OUT_OF_MEMORY. read, write: synchronous; INVALID_ARGUMENT out of range, or while an undecided submission uses the buffer. */
BERTH_API berth_error_t *berth_buffer_new(berth_device_t *device, size_t bytes, berth_buffer_t **out);
BERTH_API void berth_buffer_delete(berth_buffer_t *buffer);
BERTH_API berth_error_t *berth_buffer_write(berth_buffer_t *buffer, size_t offset, const void *data, size_t bytes);
BERTH_API berth_error_t *berth_buffer_read(berth_buffer_t *buffer, size_t offset, void *data, size_t bytes);

/* `source`: LLVM IR text or bitcode of neutral kernel IR, borrowed; `entry` NULL: the source's own. Compiled once per content and target,
   loaded once per device. Blocks: may wait, for the compile. Errors: COMPILE_FAILED, INVALID_ARGUMENT, UNSUPPORTED. */
BERTH_API berth_error_t *berth_kernel_new(berth_device_t *device, berth_source_t *source, const char *entry, berth_kernel_t **out);
BERTH_API void berth_kernel_delete(berth_kernel_t *kernel);
/* JSON: entry, arguments, block_barriers, grid_barriers, shared_bytes, lane_bytes (live across barriers, per lane). */
BERTH_API char *berth_kernel_info_json(berth_kernel_t *kernel);

/* Delete fails what has not begun with CANCELLED, waits for what has. */
BERTH_API berth_error_t *berth_queue_new(berth_device_t *device, berth_queue_t **out);
BERTH_API void berth_queue_delete(berth_queue_t *queue);
/* Waits until all accepted submissions are done. -1 for ever, 0 poll, else nanoseconds. Errors: TIMED_OUT. */
BERTH_API berth_error_t *berth_queue_drain(berth_queue_t *queue, int64_t timeout_ns);
/* Submissions: captured in the call; begin once all waits are reached; then signals are reached in list order, or failed.
   Threads: any. Blocks: short. Errors: INVALID_ARGUMENT (a semaphore twice among the signals, a signal not above the current value, a
   wait at or above one's own signal, a range), UNSUPPORTED, SHUT_DOWN. */
BERTH_API berth_error_t *berth_queue_launch(berth_queue_t *queue, berth_kernel_t *kernel, const berth_grid_t *grid,
                                            const berth_args_t *args, const berth_points_t *waits, const berth_points_t *signals);
BERTH_API berth_error_t *berth_queue_barrier(berth_queue_t *queue, const berth_points_t *waits, const berth_points_t *signals);
BERTH_API berth_error_t *berth_queue_copy(berth_queue_t *queue, berth_buffer_t *from, size_t from_offset, berth_buffer_t *to,
                                          size_t to_offset, size_t bytes, const berth_points_t *waits,
                                          const berth_points_t *signals);
BERTH_API berth_error_t *berth_queue_fill(berth_queue_t *queue, berth_buffer_t *to, size_t offset, size_t bytes, uint64_t pattern,
                                          size_t pattern_bytes, const berth_points_t *waits, const berth_points_t *signals);
BERTH_API berth_error_t *berth_queue_update(berth_queue_t *queue, const void *data, berth_buffer_t *to, size_t offset, size_t bytes,
                                            const berth_points_t *waits, const berth_points_t *signals);

/* Values 0 .. 2^63-1, never decreasing. A point is decided once: reached or failed, for ever. */
BERTH_API berth_error_t *berth_semaphore_new(berth_engine_t *engine, uint64_t initial, berth_semaphore_t **out);
/* When the last who could signal goes, pending points fail with CANCELLED. */
BERTH_API void berth_semaphore_delete(berth_semaphore_t *semaphore);
/* The value; or the failure, with the last value in its details. Never polls. */
BERTH_API berth_error_t *berth_semaphore_query(berth_semaphore_t *semaphore, uint64_t *value);
/* `value` must be above the current one. Never polls. Errors: INVALID_ARGUMENT; the failure of a failed semaphore. */
BERTH_API berth_error_t *berth_semaphore_signal(berth_semaphore_t *semaphore, uint64_t value);
/* The first failure stays. `error` is consumed. Never polls. */
BERTH_API void berth_semaphore_fail(berth_semaphore_t *semaphore, berth_error_t *error);
/* -1 for ever, 0 poll, else nanoseconds. Errors: the point's failure; TIMED_OUT with the points in the details. */
BERTH_API berth_error_t *berth_semaphore_wait(berth_semaphore_t *semaphore, uint64_t value, int64_t timeout_ns);
BERTH_API berth_error_t *berth_semaphore_wait_all(const berth_points_t *points, int64_t timeout_ns);
/* The lowest reached index; SIZE_MAX for an empty list. A failure ends the wait only if nothing is reached. */
BERTH_API berth_error_t *berth_semaphore_wait_any(const berth_points_t *points, int64_t timeout_ns, size_t *index);

BERTH_END

#endif
