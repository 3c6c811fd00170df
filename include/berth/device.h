// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * Devices: buffers, kernels, queues and timeline semaphores. In libberth only; this build drives the host.
 *
 * Only semaphores order work: submission order promises nothing. All objects may be used by several threads
 * at once. Blocking calls find the attached thread themselves and wait GC-safe; a thread that is not attached
 * may call everything here.
 */
#ifndef BERTH_DEVICE_H
#define BERTH_DEVICE_H

#include "berth/error.h"

BERTH_BEGIN

typedef struct berth_buffer berth_buffer_t;       /**< memory of one device */
typedef struct berth_kernel berth_kernel_t;       /**< code loaded on one device */
typedef struct berth_queue berth_queue_t;         /**< takes submissions for one device */
typedef struct berth_semaphore berth_semaphore_t; /**< a value that only grows, or has failed */

/**
 * A semaphore at a value: reached once the semaphore's value is at least that, or failed; decided once, for
 * ever.
 */
typedef struct berth_point {
  berth_semaphore_t* semaphore;
  uint64_t value;
} berth_point_t;
/** A list of points, borrowed for the call; NULL in its place is the empty list. */
typedef struct berth_points {
  size_t count;
  const berth_point_t* items;
} berth_points_t;

/** How many blocks and lanes a launch has. */
typedef struct berth_grid {
  size_t struct_size; /**< sizeof this struct */
  /** x, y, z; lanes per block, each at least 1; dynamic shared memory of a block */
  uint32_t blocks[3], lanes[3], shared_bytes;
  int cooperative;          /**< not 0: required by kernels with a grid barrier */
  berth_buffer_t* indirect; /**< 3 x u32 block counts, read when the launch runs; NULL: blocks */
  size_t indirect_offset;   /**< of the counts, in bytes */
} berth_grid_t;

/** The kind of a kernel argument, which must be the parameter's; says the member that is read. */
typedef enum berth_arg_kind {
  BERTH_ARG_BUFFER, /**< buffer, offset, length */
  BERTH_ARG_I32,    /**< i32 */
  BERTH_ARG_I64,    /**< i64 */
  BERTH_ARG_F32,    /**< f32 */
  BERTH_ARG_F64     /**< f64 */
} berth_arg_kind_t;
/** A kernel argument, captured in the call. */
typedef struct berth_arg {
  berth_arg_kind_t kind;
  berth_buffer_t* buffer; /**< of the queue's device; kept until the launch is done */
  /**
   * Bytes of the buffer that the kernel may use, checked to lie inside it; length 0: to its end. The kernel's
   * accesses are not.
   */
  size_t offset, length;
  union {
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
  };
} berth_arg_t;
/** One argument per parameter, in order; NULL in its place is the empty list. */
typedef struct berth_args {
  size_t count;
  const berth_arg_t* items;
} berth_args_t;

/**
 * How many devices there are to open by name: 1, the host.
 * Threads: any. Blocks: never. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API berth_error_t* berth_device_count(berth_engine_t* engine, size_t* count);
/**
 * The name of device `index`, for berth_device_open.
 * Owns: *uri returned, release with berth_string_delete. Errors: INVALID_ARGUMENT from the count on. Else as
 * above.
 */
BERTH_API berth_error_t* berth_device_uri(berth_engine_t* engine, size_t index, char** uri);
/**
 * Opens a device. `uri`: "host" (NULL too), or "host:" with options threads=N (1 to 1024; default: cores),
 * order=ascending|descending|random (of lanes), seed=S (of random), context_limit=BYTES (live across grid
 * barriers; default 2^30).
 * Threads: any. Blocks: short. GC: any, kept. Owns: borrowed, the engine until the delete; *out returned,
 * release with berth_device_delete, before the engine. Errors: INVALID_ARGUMENT; UNSUPPORTED for cuda, hip
 * and fake, which this build has not.
 */
BERTH_API berth_error_t* berth_device_open(berth_engine_t* engine, const char* uri, berth_device_t** out);
/**
 * Gives the handle back; the device ends with the last of its buffers, kernels and queues, all of which go
 * before the engine. NULL is nothing. Threads: one at a time. Blocks: short. GC: any, kept. Owns: consumed.
 * Errors: none.
 */
BERTH_API void berth_device_delete(berth_device_t* device);
/**
 * JSON: uri, target, threads, context_limit (bytes). NULL if memory is out.
 * Threads: any. Blocks: never. GC: any, kept. Owns: borrowed; returned, release with berth_string_delete.
 * Errors: none.
 */
BERTH_API char* berth_device_info_json(berth_device_t* device);
/**
 * Blocks of `lanes` lanes that a cooperative launch may have. The host's need not be resident: always 2^24 -
 * 1, the most of any launch. kernel may be NULL.
 * Threads: any. Blocks: never. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API berth_error_t* berth_device_cooperative_limit(berth_device_t* device, berth_kernel_t* kernel,
                                                        uint32_t lanes, uint32_t shared_bytes,
                                                        uint32_t* blocks);

/**
 * Zeroed memory of `bytes` bytes (0 allowed), aligned to 64.
 * Threads: any. Blocks: short. GC: any, kept. Owns: device borrowed; *out returned, release with
 * berth_buffer_delete.
 * Errors: OUT_OF_MEMORY; INVALID_ARGUMENT if device is NULL.
 */
BERTH_API berth_error_t* berth_buffer_new(berth_device_t* device, size_t bytes, berth_buffer_t** out);
/**
 * Gives the handle back; the memory lives on until the submissions that use it are done. NULL is nothing.
 * Threads: one at a time. Blocks: short. GC: any, kept. Owns: consumed. Errors: none.
 */
BERTH_API void berth_buffer_delete(berth_buffer_t* buffer);
/**
 * Copies `bytes` bytes to the buffer, done when it returns.
 * Threads: any. Blocks: short: the copy. GC: any, kept. Owns: borrowed. Errors: INVALID_ARGUMENT out of
 * range, or while an undecided submission uses the buffer: wait for a point that it signals, or submit an
 * update.
 */
BERTH_API berth_error_t* berth_buffer_write(berth_buffer_t* buffer, size_t offset, const void* data,
                                            size_t bytes);
/** Copies from the buffer. As above. */
BERTH_API berth_error_t* berth_buffer_read(berth_buffer_t* buffer, size_t offset, void* data, size_t bytes);

/**
 * `source`: LLVM IR text or bitcode of neutral kernel IR; `entry`: its kernel, NULL: the source's own entry
 * symbol. Compiled once per content and target, loaded once per device, whoever asks; a failure is kept.
 * Threads: any; one that is not attached is for the call. Blocks: may wait, for the compile. GC: any, kept;
 * safe while waiting.
 * Owns: device and entry borrowed; source borrowed, not consumed; *out returned, release with
 * berth_kernel_delete.
 * Errors: COMPILE_FAILED; INVALID_ARGUMENT for NULL or another kind of source; UNSUPPORTED; SHUT_DOWN;
 * FORKED.
 */
BERTH_API berth_error_t* berth_kernel_new(berth_device_t* device, berth_source_t* source, const char* entry,
                                          berth_kernel_t** out);
/**
 * Gives the handle back; launches that use it go on. NULL is nothing.
 * Threads: one at a time. Blocks: short. GC: any, kept. Owns: consumed. Errors: none.
 */
BERTH_API void berth_kernel_delete(berth_kernel_t* kernel);
/**
 * JSON: entry, arguments (a list of "buffer", "i32", "i64", "f32", "f64"), block_barriers, grid_barriers,
 * shared_bytes, lane_bytes (live across barriers, per lane). NULL if memory is out.
 * Threads: any. Blocks: never. GC: any, kept. Owns: borrowed; returned, release with berth_string_delete.
 * Errors: none.
 */
BERTH_API char* berth_kernel_info_json(berth_kernel_t* kernel);

/**
 * Makes a queue, with a thread that issues its submissions one after another.
 * Threads: any. Blocks: short. GC: any, kept. Owns: device borrowed; *out returned, release with
 * berth_queue_delete.
 * Errors: INVALID_ARGUMENT if device is NULL.
 */
BERTH_API berth_error_t* berth_queue_new(berth_device_t* device, berth_queue_t** out);
/**
 * Fails what has not begun with CANCELLED, waits for what has, deletes. NULL is nothing.
 * Threads: one at a time. Blocks: may wait, for what runs. GC: any, kept; safe while waiting. Owns: consumed.
 * Errors: none.
 */
BERTH_API void berth_queue_delete(berth_queue_t* queue);
/**
 * Waits until all accepted submissions are done. `timeout_ns`: -1 for ever, 0 poll, else nanoseconds.
 * Threads: any. Blocks: may wait, for submissions. GC: any, kept; safe while waiting. Owns: borrowed. Errors:
 * TIMED_OUT.
 */
BERTH_API berth_error_t* berth_queue_drain(berth_queue_t* queue, int64_t timeout_ns);
/**
 * Submissions: captured in the call; begin once all waits are reached; then signals are reached in list
 * order, or failed, if a wait or the work failed. This one runs the kernel once per lane of the grid.
 * Threads: any. Blocks: short. GC: any, kept. Owns: all borrowed; what the work uses is kept until it is
 * done.
 * Errors: INVALID_ARGUMENT (NULL kernel or grid; arguments, kinds or devices that do not fit; a grid barrier
 * without cooperative; a range; 0 lanes; a semaphore twice among the signals; a signal not above the current
 * value; a wait at or above one's own signal); SHUT_DOWN if the queue or engine is closed, and then the
 * signals fail too. The signals' failure, later: RUNTIME_ERROR for a kernel's fault, RESOURCE_EXHAUSTED for
 * too many blocks, OUT_OF_MEMORY.
 */
BERTH_API berth_error_t* berth_queue_launch(berth_queue_t* queue, berth_kernel_t* kernel,
                                            const berth_grid_t* grid, const berth_args_t* args,
                                            const berth_points_t* waits, const berth_points_t* signals);
/** No work: signals once all waits are reached. As above. */
BERTH_API berth_error_t* berth_queue_barrier(berth_queue_t* queue, const berth_points_t* waits,
                                             const berth_points_t* signals);
/** Copies bytes between buffers of the queue's device, or ranges of one that do not overlap. As above. */
BERTH_API berth_error_t* berth_queue_copy(berth_queue_t* queue, berth_buffer_t* from, size_t from_offset,
                                          berth_buffer_t* to, size_t to_offset, size_t bytes,
                                          const berth_points_t* waits, const berth_points_t* signals);
/**
 * Repeats the low `pattern_bytes` (1, 2, 4 or 8) of `pattern`; offset and bytes are multiples of it. As
 * above.
 */
BERTH_API berth_error_t* berth_queue_fill(berth_queue_t* queue, berth_buffer_t* to, size_t offset,
                                          size_t bytes, uint64_t pattern, size_t pattern_bytes,
                                          const berth_points_t* waits, const berth_points_t* signals);
/** Writes `data`, copied in the call. As above. */
BERTH_API berth_error_t* berth_queue_update(berth_queue_t* queue, const void* data, berth_buffer_t* to,
                                            size_t offset, size_t bytes, const berth_points_t* waits,
                                            const berth_points_t* signals);

/**
 * A semaphore at `initial`. Values 0 .. 2^63-1, never decreasing.
 * Threads: any. Blocks: never. GC: any, kept. Owns: engine borrowed; *out returned, release with
 * berth_semaphore_delete, before the engine. Errors: INVALID_ARGUMENT for a NULL engine, or an initial value
 * of 2^63 or more.
 */
BERTH_API berth_error_t* berth_semaphore_new(berth_engine_t* engine, uint64_t initial,
                                             berth_semaphore_t** out);
/**
 * Gives the handle back; submissions that signal it keep the semaphore. When the last who could signal goes,
 * pending points fail with CANCELLED. NULL is nothing. Threads: one at a time. Blocks: short. GC: any, kept.
 * Owns: consumed. Errors: none.
 */
BERTH_API void berth_semaphore_delete(berth_semaphore_t* semaphore);
/**
 * The value now. Never polls.
 * Threads: any. Blocks: never. GC: any, kept. Owns: borrowed. Errors: the failure of a failed semaphore, with
 * its last value in details {"value":N}.
 */
BERTH_API berth_error_t* berth_semaphore_query(berth_semaphore_t* semaphore, uint64_t* value);
/**
 * Raises the value, which must be above the current one; points up to it are reached, what waited for them
 * begins. Never polls.
 * Threads: any. Blocks: short. GC: any, kept. Owns: borrowed. Errors: INVALID_ARGUMENT; the failure of a
 * failed semaphore.
 */
BERTH_API berth_error_t* berth_semaphore_signal(berth_semaphore_t* semaphore, uint64_t value);
/**
 * Fails all points above the value, for ever. The first failure stays. `error` NULL: CANCELLED without a
 * reason. Never polls.
 * Threads: any. Blocks: short. GC: any, kept. Owns: semaphore borrowed; error consumed. Errors: none.
 */
BERTH_API void berth_semaphore_fail(berth_semaphore_t* semaphore, berth_error_t* error);
/**
 * Waits until the point is decided. `timeout_ns`: -1 for ever, 0 poll, else nanoseconds; a point decided at
 * the deadline wins.
 * Threads: any. Blocks: may wait, for a signal or failure. GC: any, kept; safe while waiting. Owns: borrowed.
 * Errors: the point's failure; TIMED_OUT with details {"points":[{"value","current"}]}.
 */
BERTH_API berth_error_t* berth_semaphore_wait(berth_semaphore_t* semaphore, uint64_t value,
                                              int64_t timeout_ns);
/** Waits until all points are reached, or one has failed. Nothing to wait for in an empty list. As above. */
BERTH_API berth_error_t* berth_semaphore_wait_all(const berth_points_t* points, int64_t timeout_ns);
/**
 * Waits until one is reached: *index is the lowest reached; SIZE_MAX for an empty list, at once. A failure
 * ends the wait, but only if nothing is reached. As above.
 */
BERTH_API berth_error_t* berth_semaphore_wait_any(const berth_points_t* points, int64_t timeout_ns,
                                                  size_t* index);

BERTH_END

#endif
