// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reservations: who infers a key, who waits, and what a finished one leaves behind.
#ifndef BERTH_RESERVATION_H
#define BERTH_RESERVATION_H

#include "berth/error.h"

BERTH_BEGIN

typedef struct berth_key { const void *method; const void *owner; } berth_key_t;
typedef struct berth_lease { berth_instance_t *instance; uint64_t generation; } berth_lease_t;
typedef enum berth_outcome { BERTH_PUBLISHED, BERTH_RESERVED, BERTH_RESERVED_CYCLE, BERTH_RESERVED_REENTRANT } berth_outcome_t;
typedef enum berth_need { BERTH_NEED_RESULT, BERTH_NEED_ENTRY } berth_need_t;

typedef struct berth_reserve_options {
  size_t struct_size;
  uint64_t world;
  berth_need_t need;
  int64_t timeout_ns;
  berth_cancel_t *cancel;
  const char *label;
  const void *guard;
} berth_reserve_options_t;

typedef struct berth_reservation {
  berth_outcome_t outcome;
  berth_lease_t lease;
  berth_instance_t *published;
  uint32_t depth;
} berth_reservation_t;

BERTH_API berth_error_t *berth_reserve(berth_thread_t *thread, berth_key_t key, const berth_reserve_options_t *options,
                                       berth_reservation_t *out);
BERTH_API berth_error_t *berth_release(berth_thread_t *thread, berth_lease_t lease, berth_source_t *source);
BERTH_API berth_error_t *berth_release_error(berth_thread_t *thread, berth_lease_t lease, const char *message,
                                             int64_t retry_after_ns);
BERTH_API int berth_holds(berth_thread_t *thread, berth_key_t key);
BERTH_API berth_error_t *berth_cancel_new(berth_engine_t *engine, berth_cancel_t **out);
BERTH_API void berth_cancel_fire(berth_cancel_t *cancel);
BERTH_API void berth_cancel_delete(berth_cancel_t *cancel);
BERTH_API void *berth_lookup_entry(berth_engine_t *engine, berth_key_t key, uint64_t world);
BERTH_API berth_instance_t *berth_lookup(berth_engine_t *engine, berth_key_t key, uint64_t world);
BERTH_API void berth_instance_retain(berth_instance_t *instance);
BERTH_API void berth_instance_release(berth_instance_t *instance);
BERTH_API void *berth_instance_entry(const berth_instance_t *instance);
BERTH_API berth_error_t *berth_instance_wait_entry(berth_thread_t *thread, berth_instance_t *instance, int64_t timeout_ns,
                                                   void **entry);
BERTH_API berth_error_t *berth_instance_invalidate(berth_engine_t *engine, berth_instance_t *instance, uint64_t max_world);
BERTH_API berth_error_t *berth_publish(berth_thread_t *thread, const berth_lease_t *leases, berth_source_t *const *sources,
                                       size_t n);
BERTH_API berth_error_t *berth_instance_promote(berth_engine_t *engine, berth_instance_t *const *instances, size_t n,
                                                uint64_t validated, int *promoted);

BERTH_END

#endif
