// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * Errors: what every fallible function returns; NULL is success. An error says what was asked, what was
 * found, and what to do. It is immutable, belongs to whoever got it, and outlives its engine.
 */
#ifndef BERTH_ERROR_H
#define BERTH_ERROR_H

#include "berth/config.h"

BERTH_BEGIN

/** The kind of an error. Numbers are part of the ABI; new ones come at the end. */
typedef enum berth_code {
  BERTH_OK,                 /**< no error: the code of NULL */
  BERTH_INVALID_ARGUMENT,   /**< the call is not allowed so, or not now; nothing was changed */
  BERTH_PARSE_ERROR,        /**< text of a program; details {"errors":[{"line","column","text"}]} */
  BERTH_TYPE_ERROR,         /**< IR that breaks a rule of types, or a kernel that uses what kernels cannot */
  BERTH_COMPILE_FAILED,     /**< the compiler's text, or what a holder gave to berth_release_error */
  BERTH_LINK_FAILED,        /**< an undefined symbol, or an object that the linker refuses */
  BERTH_RUNTIME_ERROR,      /**< raised by the code that ran: a program's error, a kernel's fault */
  BERTH_TIMED_OUT,          /**< the deadline passed; details name who holds what, or the points waited for */
  BERTH_CANCELLED,          /**< by berth_cancel_fire; or what would have answered is gone */
  BERTH_WOULD_DEADLOCK,     /**< waiting would close a ring; details {"chain":[...]} */
  BERTH_STALE_LEASE,        /**< the lease was given back already, or abandoned */
  BERTH_NOT_FOUND,          /**< no such name, method, entry or source */
  BERTH_UNSUPPORTED,        /**< not in this build, engine or target */
  BERTH_OUT_OF_MEMORY,      /**< of the process, or of Berth's heap after a collection */
  BERTH_RESOURCE_EXHAUSTED, /**< a limit: re-entry, blocks of a launch, threads */
  BERTH_DEVICE_LOST,        /**< kept for drivers that can lose a device; the host's cannot */
  BERTH_CORRUPT,            /**< kept for stored data that fails its check */
  BERTH_SHUT_DOWN,          /**< the engine takes no new work */
  BERTH_FORKED,             /**< the engine belongs to the parent process: make a new one in the child */
  BERTH_INTERNAL            /**< a defect of Berth */
} berth_code_t;

/**
 * The kind of `error`; BERTH_OK for NULL.
 * Threads: any. Blocks: never. GC: any, kept. Owns: error borrowed. Errors: none.
 */
BERTH_API berth_code_t berth_error_code(const berth_error_t* error);
/**
 * One readable text, "" for NULL. Owns: error borrowed; the result borrowed until the error's delete. Else as
 * above.
 */
BERTH_API const char* berth_error_message(const berth_error_t* error);
/** More as a JSON object, e.g. the chain of a wait; "{}" if there is no more, or for NULL. As above. */
BERTH_API const char* berth_error_details_json(const berth_error_t* error);
/**
 * Deletes; NULL is nothing. Threads: one at a time. Blocks: never. GC: any, kept. Owns: consumed. Errors:
 * none.
 */
BERTH_API void berth_error_delete(berth_error_t* error);

BERTH_END

#endif
