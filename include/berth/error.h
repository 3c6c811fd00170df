// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors: what every fallible function returns; NULL is success.
#ifndef BERTH_ERROR_H
#define BERTH_ERROR_H

#include "berth/config.h"

BERTH_BEGIN

typedef enum berth_code {
  BERTH_OK, BERTH_INVALID_ARGUMENT, BERTH_PARSE_ERROR, BERTH_TYPE_ERROR, BERTH_COMPILE_FAILED,
  BERTH_LINK_FAILED, BERTH_RUNTIME_ERROR, BERTH_TIMED_OUT, BERTH_CANCELLED, BERTH_WOULD_DEADLOCK, BERTH_STALE_LEASE,
  BERTH_NOT_FOUND, BERTH_UNSUPPORTED, BERTH_OUT_OF_MEMORY, BERTH_RESOURCE_EXHAUSTED, BERTH_DEVICE_LOST, BERTH_CORRUPT,
  BERTH_SHUT_DOWN, BERTH_FORKED, BERTH_INTERNAL
} berth_code_t;

BERTH_API berth_code_t berth_error_code(const berth_error_t *error);
BERTH_API const char *berth_error_message(const berth_error_t *error);
BERTH_API const char *berth_error_details_json(const berth_error_t *error);
BERTH_API void berth_error_delete(berth_error_t *error);

BERTH_END

#endif
