// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _POSIX_C_SOURCE 200809L
#define GC_THREADS
#include "berth_bdwgc.h"

#include <gc/gc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef struct Dead {
  struct Dead* next;
  void* object;
} Dead;

static berth_engine_t* the_engine;
static pthread_t keeper;
static pthread_mutex_t wake_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int is_woken, is_running, is_stopping;  // wake_mutex
static berth_error_t* attach_error;            // wake_mutex

// Objects whose finalizers have run, pushed by whoever runs one (release), taken as a whole by a sweep
// (acquire). The cells are uncollectable memory, which bdwgc scans: they keep the objects.
static _Atomic(Dead*) dead;
static pthread_mutex_t sweeping = PTHREAD_MUTEX_INITIALIZER;  // one sweep at a time
static void** swept;  // sweeping: the objects of this sweep, by address
static size_t num_swept;
static atomic_ulong num_sweeps;

static _Thread_local int is_blocking;  // inside GC_do_blocking: it does not nest
static _Thread_local int inhibitions;  // of finalizers, on this thread
static _Thread_local int is_finalizing;

typedef struct Call {
  void (*function)(void*);
  void* argument;
} Call;
static void* run_call(void* argument) {
  const Call* call = argument;
  call->function(call->argument);
  return NULL;
}

void bdwgc_blocking(void (*function)(void*), void* argument) {
  if (is_blocking || !GC_thread_is_registered()) {  // a thread that bdwgc does not know is not stopped
    function(argument);
    return;
  }
  Call call = {function, argument};
  is_blocking = 1;
  GC_do_blocking(run_call, &call);
  is_blocking = 0;
}

void bdwgc_active(void (*function)(void*), void* argument) {
  if (!is_blocking) {
    function(argument);
    return;
  }
  Call call = {function, argument};
  is_blocking = 0;
  GC_call_with_gc_active(run_call, &call);
  is_blocking = 1;
}

static void call_safe(void* context, void (*function)(void*), void* argument) {
  (void)context;
  bdwgc_blocking(function, argument);
}

static int by_address(const void* left, const void* right) {
  const uintptr_t a = (uintptr_t)*(void* const*)left, b = (uintptr_t)*(void* const*)right;
  return (a > b) - (a < b);
}

static int is_live(void* context, const void* object) {
  (void)context;
  return !bsearch(&object, swept, num_swept, sizeof *swept, by_address);
}

// Who adds to `dead` while another thread sweeps leaves it to that one, which looks again after it has
// unlocked.
static void sweep_dead(void) {
  while (atomic_load_explicit(&dead, memory_order_acquire) && pthread_mutex_trylock(&sweeping) == 0) {
    Dead* taken = atomic_exchange_explicit(&dead, NULL, memory_order_acquire);
    num_swept = 0;
    for (const Dead* each = taken; each; each = each->next) ++num_swept;
    swept = GC_MALLOC_UNCOLLECTABLE(num_swept * sizeof *swept + 1);
    if (!swept) abort();
    size_t i = 0;
    for (Dead* each = taken; each;) {
      Dead* next = each->next;
      swept[i++] = each->object;
      GC_FREE(each);
      each = next;
    }
    qsort(swept, num_swept, sizeof *swept, by_address);
    berth_engine_sweep(the_engine);
    atomic_fetch_add_explicit(&num_sweeps, 1, memory_order_relaxed);
    GC_FREE(swept);
    swept = NULL;
    pthread_mutex_unlock(&sweeping);
  }
}

static void died(void* object, void* client_data) {
  (void)client_data;
  Dead* cell = GC_MALLOC_UNCOLLECTABLE(sizeof *cell);
  if (!cell) abort();
  cell->object = object;
  cell->next = atomic_load_explicit(&dead, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&dead, &cell->next, cell, memory_order_release,
                                                memory_order_relaxed)) {}
}

static void run_finalizers(void) {
  if (is_finalizing) return;
  is_finalizing = 1;
  GC_invoke_finalizers();
  sweep_dead();
  is_finalizing = 0;
}

static void safepoint(void* context) {
  (void)context;
  if (inhibitions == 0 && !is_blocking && GC_should_invoke_finalizers()) run_finalizers();
}

static void inhibit_finalizers(void* context, int delta) {
  (void)context;
  inhibitions += delta;
}

static void collect(void* argument) {
  (void)argument;
  GC_gcollect();  // its notifier wakes the keeper
}
static void request_collection(void* context) {
  (void)context;
  bdwgc_active(collect, NULL);
}

// Sliced, as a condition variable of glibc 2.36 can lose a wake-up. wake_mutex is held.
static void wait_a_slice(void) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += 100 * 1000 * 1000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&wake, &wake_mutex, &end);
}

static void notify_keeper(void) {
  pthread_mutex_lock(&wake_mutex);
  is_woken = 1;
  pthread_cond_broadcast(&wake);
  pthread_mutex_unlock(&wake_mutex);
}

static void wait_for_work(void* argument) {
  int* stop = argument;
  pthread_mutex_lock(&wake_mutex);
  while (!is_woken && !is_stopping) wait_a_slice();
  is_woken = 0;
  *stop = is_stopping;
  pthread_mutex_unlock(&wake_mutex);
}

static void* keep(void* argument) {
  (void)argument;
  berth_thread_t* thread = NULL;
  berth_error_t* error = berth_thread_attach(the_engine, &thread);
  pthread_mutex_lock(&wake_mutex);
  attach_error = error;
  is_running = 1;
  pthread_cond_broadcast(&wake);
  pthread_mutex_unlock(&wake_mutex);
  for (int stop = error != NULL; !stop;) {
    bdwgc_blocking(wait_for_work, &stop);
    run_finalizers();
  }
  berth_thread_detach(thread);
  return NULL;
}

static void wait_for_keeper(void* argument) {
  (void)argument;
  pthread_mutex_lock(&wake_mutex);
  while (!is_running) wait_a_slice();
  pthread_mutex_unlock(&wake_mutex);
}

static void join_keeper(void* argument) {
  (void)argument;
  pthread_join(keeper, NULL);
}

const berth_gc_hooks_t* bdwgc_hooks(void) {
  static const berth_gc_hooks_t hooks = {.struct_size = sizeof hooks,
                                         .safepoint = safepoint,
                                         .is_live = is_live,
                                         .inhibit_finalizers = inhibit_finalizers,
                                         .call_safe = call_safe,
                                         .request_collection = request_collection};
  return &hooks;
}
void bdwgc_configure(berth_config_t* config) { berth_config_set_gc_hooks(config, bdwgc_hooks(), NULL); }

berth_error_t* bdwgc_start(berth_engine_t* engine) {
  the_engine = engine;
  is_woken = is_running = is_stopping = 0;
  GC_set_finalize_on_demand(1);
  GC_set_finalizer_notifier(notify_keeper);
  if (pthread_create(&keeper, NULL, keep, NULL) != 0) abort();  // as an allocation that fails
  bdwgc_blocking(wait_for_keeper, NULL);
  if (attach_error) bdwgc_blocking(join_keeper, NULL);
  return attach_error;
}

void bdwgc_stop(void) {
  GC_set_finalizer_notifier(NULL);
  pthread_mutex_lock(&wake_mutex);
  is_stopping = 1;
  pthread_cond_broadcast(&wake);
  pthread_mutex_unlock(&wake_mutex);
  bdwgc_blocking(join_keeper, NULL);
}

void bdwgc_track(void* object) { GC_register_finalizer_no_order(object, died, NULL, NULL, NULL); }

unsigned long bdwgc_num_sweeps(void) { return atomic_load_explicit(&num_sweeps, memory_order_relaxed); }
