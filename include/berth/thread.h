// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads and agents: attaching, safepoints, safe regions, and fibres that carry leases.
#ifndef BERTH_THREAD_H
#define BERTH_THREAD_H

#include "berth/error.h"

BERTH_BEGIN

typedef enum berth_gc_state { BERTH_GC_UNSAFE, BERTH_GC_WAITING, BERTH_GC_SAFE } berth_gc_state_t;

typedef struct berth_park_hooks {
  size_t struct_size;
  berth_thread_t *(*park)(void *context, berth_thread_t *thread, int64_t timeout_ns);
  void (*unpark)(void *context);
} berth_park_hooks_t;

BERTH_API berth_error_t *berth_thread_attach(berth_engine_t *engine, berth_thread_t **out);
BERTH_API void berth_thread_detach(berth_thread_t *thread);
BERTH_API void berth_thread_safepoint(berth_thread_t *thread);
BERTH_API berth_gc_state_t berth_thread_safe_enter(berth_thread_t *thread);
BERTH_API void berth_thread_safe_leave(berth_thread_t *thread, berth_gc_state_t previous);
BERTH_API berth_error_t *berth_agent_new(berth_engine_t *engine, const char *name, berth_agent_t **out);
BERTH_API void berth_agent_delete(berth_agent_t *agent);
BERTH_API berth_error_t *berth_thread_set_agent(berth_thread_t *thread, berth_agent_t *agent, berth_agent_t **previous);
BERTH_API void berth_agent_set_stack(berth_agent_t *agent, const void *low, const void *high);
BERTH_API void berth_agent_set_park_hooks(berth_agent_t *agent, const berth_park_hooks_t *hooks, void *context);

BERTH_END

#endif
