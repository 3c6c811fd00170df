// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _POSIX_C_SOURCE 200809L
#include "berth_gil.h"

#include <time.h>

static _Thread_local int has_lock;

void gil_init(gil_t* gil) {
  *gil = (gil_t){.next_turn = 0};
  pthread_mutex_init(&gil->mutex, NULL);
  pthread_cond_init(&gil->changed, NULL);
}

// Sliced, as a condition variable of glibc 2.36 can lose a wake-up. The mutex is held.
static void wait_a_slice(gil_t* gil) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += 100 * 1000 * 1000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&gil->changed, &gil->mutex, &end);
}

static int is_shut_out(const gil_t* gil) {
  return gil->is_finalizing && !pthread_equal(gil->finalizer, pthread_self());
}

void gil_take(gil_t* gil) {
  if (has_lock) return;
  pthread_mutex_lock(&gil->mutex);
  const unsigned long mine = gil->next_turn++;
  while (is_shut_out(gil) || (gil->turn != mine && !gil->is_finalizing)) wait_a_slice(gil);
  pthread_mutex_unlock(&gil->mutex);
  has_lock = 1;
}

void gil_give(gil_t* gil) {
  has_lock = 0;
  pthread_mutex_lock(&gil->mutex);
  ++gil->turn;
  pthread_cond_broadcast(&gil->changed);
  pthread_mutex_unlock(&gil->mutex);
}

void gil_switch(gil_t* gil) {
  pthread_mutex_lock(&gil->mutex);
  const int is_wanted = gil->next_turn - gil->turn > 1 && !gil->is_finalizing;
  gil->switches += (unsigned long)is_wanted;
  pthread_mutex_unlock(&gil->mutex);
  if (!is_wanted) return;
  gil_give(gil);
  gil_take(gil);
}

void gil_finalize(gil_t* gil) {
  pthread_mutex_lock(&gil->mutex);
  gil->is_finalizing = 1;
  gil->finalizer = pthread_self();
  pthread_mutex_unlock(&gil->mutex);
}

// What enter returns and leave gets: whether the thread had the lock.
static int safe_enter(void* gil) {
  const int previous = has_lock;
  if (previous) gil_give(gil);
  return previous;
}
static void safe_leave(void* gil, int previous) {
  if (previous) gil_take(gil);
}
static void safepoint(void* gil) {
  if (has_lock) gil_switch(gil);
}

void gil_configure(gil_t* gil, berth_config_t* config) {
  // is_live stays NULL: a reference-counted runtime invalidates what it frees.
  const berth_gc_hooks_t hooks = {.struct_size = sizeof hooks,
                                  .safe_enter = safe_enter,
                                  .safe_leave = safe_leave,
                                  .safepoint = safepoint};
  berth_config_set_gc_hooks(config, &hooks, gil);
}
