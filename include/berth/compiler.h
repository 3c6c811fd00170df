// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiler hooks: an embedder's own code generator behind Berth's reservations, without LLVM.
#ifndef BERTH_COMPILER_H
#define BERTH_COMPILER_H

#include "berth/error.h"

BERTH_BEGIN

typedef struct berth_compiler_hooks {
  size_t struct_size;
  void (*submit)(void *context, berth_job_t *job);
  int (*help)(void *context, berth_instance_t *instance, int64_t timeout_ns);
  void (*lift)(void *context, berth_instance_t *instance, uint32_t priority);
  void (*cancel)(void *context, berth_instance_t *instance);
  void (*retire)(void *context, void *code);
  void (*stop)(void *context, int drain);
} berth_compiler_hooks_t;

BERTH_API void berth_config_set_compiler_hooks(berth_config_t *config, const berth_compiler_hooks_t *hooks, void *context);
BERTH_API berth_error_t *berth_source_from_opaque(void *source, void (*drop)(void *source), berth_source_t **out);
BERTH_API void *berth_job_source(const berth_job_t *job);
BERTH_API berth_instance_t *berth_job_instance(const berth_job_t *job);
/* The thread's agent runs this compile until the job is answered: if it waits for a key meanwhile, rings through the compile
   are found. Optional. */
BERTH_API void berth_job_begin(berth_job_t *job, berth_thread_t *thread);
BERTH_API void berth_job_publish(berth_job_t *job, void *entry, void *code);
BERTH_API void berth_job_fail(berth_job_t *job, const char *message);

BERTH_END

#endif
