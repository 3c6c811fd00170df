// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// embed_c: the smallest whole embedding in C: own LLVM IR, own "collector", eight threads that ask for the
// same methods.
//
// The collector is one read-write lock. A thread that may touch objects holds it for reading; a collection
// takes it for writing, so it runs when every thread is in a safe region. Berth enters and leaves safe
// regions through the hooks below.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/berth.h"

enum { kThreads = 8, kMethods = 16 };

typedef struct Collector {
  pthread_rwlock_t world;  // for reading: may touch objects
  atomic_long collections;
} Collector;

static _Thread_local int holds_world;

static int safe_enter(void* context) {
  Collector* collector = context;
  const int previous = holds_world;
  if (holds_world) pthread_rwlock_unlock(&collector->world);
  holds_world = 0;
  return previous;
}

static void safe_leave(void* context, int previous) {
  Collector* collector = context;
  if (previous) pthread_rwlock_rdlock(&collector->world);
  holds_world = previous;
}

static void safepoint(void* context) { safe_leave(context, safe_enter(context)); }

typedef struct Method {
  char name[32];
  int factor;
} Method;

typedef struct Runtime {
  berth_engine_t* engine;
  Collector collector;
  Method methods[kMethods];
  atomic_int inferred;
  atomic_int wrong;
  atomic_int stop;
} Runtime;

static void fail(berth_error_t* error) {
  fprintf(stderr, "embed_c: %s\n", berth_error_message(error));
  exit(1);
}
#define TRY(call)                   \
  do {                              \
    berth_error_t* error_ = (call); \
    if (error_) fail(error_);       \
  } while (0)

// What the runtime's front end would make of the method: here, x -> factor * x + 1.
static berth_source_t* compile_to_ir(Runtime* runtime, const Method* method) {
  char ir[256];
  const int length = snprintf(ir, sizeof ir,
                              "define i64 @%s(i64 %%x) {\n"
                              "  %%y = mul i64 %%x, %d\n"
                              "  %%z = add i64 %%y, 1\n"
                              "  ret i64 %%z\n"
                              "}\n",
                              method->name, method->factor);
  berth_source_t* source = NULL;
  TRY(berth_source_from_ir(ir, (size_t)length, method->name, &source));
  atomic_fetch_add(&runtime->inferred, 1);
  return source;
}

// The callable entry of a method: published by whoever was first, made here if nobody was.
static int64_t (*entry_of(Runtime* runtime, berth_thread_t* thread, const Method* method,
                          berth_instance_t** keep))(int64_t) {
  const berth_key_t key = {method, NULL};
  const berth_reserve_options_t options = {
      .struct_size = sizeof options, .need = BERTH_NEED_RESULT, .timeout_ns = -1, .label = method->name};
  berth_reservation_t reservation;
  TRY(berth_reserve(thread, key, &options, &reservation));
  if (reservation.outcome == BERTH_PUBLISHED) {
    *keep = reservation.published;
  } else {
    *keep = reservation.lease.instance;
    berth_instance_retain(*keep);
    TRY(berth_release(thread, reservation.lease, compile_to_ir(runtime, method)));
  }
  void* entry = NULL;
  TRY(berth_instance_wait_entry(thread, *keep, -1, &entry));
  return (int64_t (*)(int64_t))(uintptr_t)entry;
}

static void* mutate(void* argument) {
  Runtime* runtime = argument;
  berth_thread_t* thread = NULL;
  safe_leave(&runtime->collector, 1);  // attaches as a thread that touches objects
  TRY(berth_thread_attach(runtime->engine, &thread));
  for (int i = 0; i < kMethods; ++i) {
    const Method* method = &runtime->methods[i];
    berth_instance_t* instance = NULL;
    int64_t (*entry)(int64_t) = entry_of(runtime, thread, method, &instance);
    for (int64_t x = 0; x < 1000; ++x) {
      if (entry(x) != method->factor * x + 1) atomic_fetch_add(&runtime->wrong, 1);
      berth_thread_safepoint(thread);
    }
    berth_instance_release(instance);
  }
  berth_thread_detach(thread);
  safe_enter(&runtime->collector);
  return NULL;
}

static void* collect(void* argument) {
  Runtime* runtime = argument;
  while (!atomic_load(&runtime->stop)) {
    pthread_rwlock_wrlock(&runtime->collector.world);
    berth_engine_sweep(runtime->engine);  // the world is stopped: dead keys would be dropped here
    atomic_fetch_add(&runtime->collector.collections, 1);
    pthread_rwlock_unlock(&runtime->collector.world);
  }
  return NULL;
}

int main(void) {
  static Runtime runtime;
  pthread_rwlock_init(&runtime.collector.world, NULL);
  for (int i = 0; i < kMethods; ++i) {
    snprintf(runtime.methods[i].name, sizeof runtime.methods[i].name, "method_%d", i);
    runtime.methods[i].factor = 3 * i + 2;
  }
  const berth_gc_hooks_t hooks = {.struct_size = sizeof hooks,
                                  .safe_enter = safe_enter,
                                  .safe_leave = safe_leave,
                                  .safepoint = safepoint};
  berth_config_t* config = berth_config_new();
  berth_config_set_gc_hooks(config, &hooks, &runtime.collector);
  TRY(berth_engine_new(config, &runtime.engine));
  berth_config_delete(config);

  pthread_t collector, threads[kThreads];
  pthread_create(&collector, NULL, collect, &runtime);
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, mutate, &runtime);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  atomic_store(&runtime.stop, 1);
  pthread_join(collector, NULL);

  const int inferred = atomic_load(&runtime.inferred), wrong = atomic_load(&runtime.wrong);
  printf("%d threads, %d methods: inferred %d, wrong results %d, collections %ld\n", kThreads, kMethods,
         inferred, wrong, atomic_load(&runtime.collector.collections));
  berth_engine_delete(runtime.engine);
  pthread_rwlock_destroy(&runtime.collector.world);
  return inferred == kMethods && wrong == 0 ? 0 : 1;
}
