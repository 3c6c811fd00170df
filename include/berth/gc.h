// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Garbage collection: hooks for a foreign collector, and Berth's own heap.
#ifndef BERTH_GC_H
#define BERTH_GC_H

#include "berth/config.h"

BERTH_BEGIN

typedef struct berth_gc_hooks {
  size_t struct_size;
  int (*safe_enter)(void *context);
  void (*safe_leave)(void *context, int previous);
  void (*safepoint)(void *context);
  int (*is_live)(void *context, const void *object);
  void (*inhibit_finalizers)(void *context, int delta);
  void (*call_safe)(void *context, void (*function)(void *argument), void *argument);
  void (*request_collection)(void *context);
} berth_gc_hooks_t;

BERTH_API void berth_engine_sweep(berth_engine_t *engine);
BERTH_API void berth_engine_recruit(berth_engine_t *engine, size_t n);
BERTH_API void berth_gc_collect(berth_thread_t *thread);
BERTH_API void berth_gc_add_finalizer(berth_thread_t *thread, void *object, void (*finalizer)(void *object, void *context),
                                      void *context);

/* The heap. A type describes its objects to the collector. An object pointer addresses the header word, which is the
   collector's; fields begin at byte 8. `bytes` and offsets count from the object pointer. Elements follow the fixed part. */
typedef struct berth_gc_type berth_gc_type_t;
typedef struct berth_gc_root berth_gc_root_t;
typedef struct berth_gc_weak berth_gc_weak_t;
typedef struct berth_gc_type_options {
  size_t struct_size;
  const char *name;
  size_t bytes;                       /* of the fixed part */
  const uint32_t *reference_offsets;  /* bytes from the object's start, each 8-aligned */
  size_t reference_count;
  size_t element_bytes;               /* 0: no elements; elements follow the fixed part */
  int elements_are_references;
} berth_gc_type_options_t;

BERTH_API berth_error_t *berth_gc_type_new(berth_engine_t *engine, const berth_gc_type_options_t *options,
                                           berth_gc_type_t **out);
BERTH_API berth_error_t *berth_gc_allocate(berth_thread_t *thread, const berth_gc_type_t *type, size_t elements, void **object);
BERTH_API void berth_gc_write(berth_thread_t *thread, void *object, void **slot, void *value);
BERTH_API berth_error_t *berth_gc_root_new(berth_thread_t *thread, void *object, berth_gc_root_t **out);
BERTH_API void *berth_gc_root_get(const berth_gc_root_t *root);
BERTH_API void berth_gc_root_set(berth_gc_root_t *root, void *object);
BERTH_API void berth_gc_root_delete(berth_gc_root_t *root);
/* Handle scopes: roots of the thread's agent, last in first out. */
BERTH_API size_t berth_gc_scope_open(berth_thread_t *thread);
BERTH_API berth_error_t *berth_gc_scope_handle(berth_thread_t *thread, void *object, void ***handle);
BERTH_API void berth_gc_scope_close(berth_thread_t *thread, size_t mark);
BERTH_API berth_error_t *berth_gc_weak_new(berth_thread_t *thread, void *object, berth_gc_weak_t **out);
BERTH_API void *berth_gc_weak_get(berth_thread_t *thread, const berth_gc_weak_t *weak);
BERTH_API void berth_gc_weak_delete(berth_gc_weak_t *weak);
BERTH_API void berth_gc_inhibit_finalizers(berth_thread_t *thread, int delta);

BERTH_END

#endif
