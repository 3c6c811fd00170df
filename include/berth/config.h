// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * What all headers share: the export macro that every public function carries, the opaque handles, and two
 * enumerations. The functions that configure an engine are in berth/engine.h.
 */
#ifndef BERTH_CONFIG_H
#define BERTH_CONFIG_H

#include <stddef.h>
#include <stdint.h>

/** Marks an exported symbol. Define BERTH_STATIC where the library's objects are linked into one's own. */
#if defined(BERTH_STATIC)
#define BERTH_API
#else
#define BERTH_API __attribute__((visibility("default")))
#endif

/** BERTH_BEGIN and BERTH_END enclose declarations of C functions; in C they are empty. */
#ifdef __cplusplus
#define BERTH_BEGIN extern "C" {
#define BERTH_END }
#else
#define BERTH_BEGIN
#define BERTH_END
#endif

BERTH_BEGIN

/**
 * Handles, all opaque. Each is made and deleted by the functions of its header; none may be used after its
 * engine.
 */
typedef struct berth_agent berth_agent_t;       /**< logical thread that holds leases: berth/thread.h */
typedef struct berth_cancel berth_cancel_t;     /**< ends waits early: berth/reservation.h */
typedef struct berth_config berth_config_t;     /**< what an engine is made with: berth/engine.h */
typedef struct berth_engine berth_engine_t;     /**< keys, code, worlds, collector: berth/engine.h */
typedef struct berth_error berth_error_t;       /**< immutable; needs no engine: berth/error.h */
typedef struct berth_instance berth_instance_t; /**< token, then result: berth/reservation.h */
typedef struct berth_job berth_job_t;           /**< a compile that hooks took: berth/compiler.h */
typedef struct berth_program berth_program_t;   /**< types and methods of the IR text form: berth/program.h */
typedef struct berth_source berth_source_t;     /**< what a release hands over: berth/source.h */
typedef struct berth_thread berth_thread_t;     /**< an attached native thread: berth/thread.h */
typedef struct berth_device berth_device_t;     /**< runs kernels: berth/device.h */

/** How much work code is worth. */
typedef enum berth_tier {
  BERTH_TIER_INTERPRET, /**< no code: programs only (berth_program_set_tier); for a source, as FAST */
  BERTH_TIER_FAST,      /**< compiled quickly, and never again */
  BERTH_TIER_OPTIMIZED, /**< compiled once, with the optimizing pipeline */
  BERTH_TIER_ADAPTIVE   /**< FAST first, OPTIMIZED once it is hot; needs compile threads for the second */
} berth_tier_t;

/** How soon a source is compiled when nobody waits for it; who waits is served first in any case. */
typedef enum berth_priority {
  BERTH_PRIORITY_NORMAL,     /**< FAST before OPTIMIZED */
  BERTH_PRIORITY_ASKED,      /**< before others of its tier: it is known to be wanted */
  BERTH_PRIORITY_SPECULATIVE /**< after all others; given up when too much is queued, until it is asked for */
} berth_priority_t;

/** What berth_reserve does where waiting would close a ring. */
typedef enum berth_cycle_policy {
  BERTH_CYCLE_SHARE, /**< a lease of its own, BERTH_RESERVED_CYCLE: both work, the first to publish wins */
  BERTH_CYCLE_REFUSE /**< the error BERTH_WOULD_DEADLOCK, with the chain in its details */
} berth_cycle_policy_t;

/** What a compile runs in. */
typedef enum berth_containment {
  BERTH_CONTAINMENT_HANDLER, /**< this process; a fatal error of the compiler costs a thread. Default */
  BERTH_CONTAINMENT_PROCESS  /**< a worker process, which may crash, be killed or run out of memory */
} berth_containment_t;

BERTH_END

#endif
