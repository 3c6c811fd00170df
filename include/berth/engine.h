// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine: configuration, life, worlds, and what can be asked of it.
#ifndef BERTH_ENGINE_H
#define BERTH_ENGINE_H

#include "berth/error.h"
#include "berth/gc.h"

BERTH_BEGIN

typedef struct berth_key_traits {
  size_t struct_size;
  void *context;
  uint64_t (*hash)(void *context, const void *owner);
  int (*equal)(void *context, const void *a, const void *b);
  size_t (*token)(void *context, const void *owner, void *bytes, size_t capacity);
} berth_key_traits_t;

BERTH_API berth_config_t *berth_config_new(void);
BERTH_API void berth_config_delete(berth_config_t *config);
BERTH_API void berth_config_set_compile_threads(berth_config_t *config, unsigned threads);
BERTH_API void berth_config_set_mark_threads(berth_config_t *config, unsigned threads);
BERTH_API void berth_config_set_gc_hooks(berth_config_t *config, const berth_gc_hooks_t *hooks, void *context);
BERTH_API void berth_config_set_key_traits(berth_config_t *config, const berth_key_traits_t *traits);
BERTH_API void berth_config_set_cycle_policy(berth_config_t *config, berth_cycle_policy_t policy);
BERTH_API void berth_config_set_reentry_limit(berth_config_t *config, uint32_t limit);
BERTH_API void berth_config_set_lease_timeout(berth_config_t *config, int64_t ns);
BERTH_API void berth_config_set_cache_directory(berth_config_t *config, const char *directory);
BERTH_API berth_error_t *berth_engine_new(const berth_config_t *config, berth_engine_t **out);
BERTH_API berth_error_t *berth_engine_shutdown(berth_engine_t *engine);
BERTH_API void berth_engine_delete(berth_engine_t *engine);
BERTH_API uint64_t berth_engine_world(const berth_engine_t *engine);
BERTH_API uint64_t berth_engine_advance_world(berth_engine_t *engine);
BERTH_API char *berth_engine_explain(berth_engine_t *engine);
BERTH_API char *berth_engine_metrics(berth_engine_t *engine);
BERTH_API berth_error_t *berth_engine_trace_start(berth_engine_t *engine, const char *path);
BERTH_API berth_error_t *berth_engine_trace_stop(berth_engine_t *engine);
BERTH_API void berth_string_delete(char *string);

/* The main counters as numbers, for summaries; the whole set is in berth_engine_metrics. */
typedef struct berth_engine_counts {
  size_t struct_size;
  uint64_t reserved, published, cycle, reentrant; /* reserve calls by outcome */
  uint64_t published_on_recheck;                  /* of published: found after waiting or after the take */
  uint64_t waits, duplicates, abandoned, recovered;
  uint64_t compiled_fast, compiled_optimized, compile_failures;
  uint64_t methods_inferred, limited, collections;
} berth_engine_counts_t;
BERTH_API void berth_engine_counts(berth_engine_t *engine, berth_engine_counts_t *out);

BERTH_END

#endif
