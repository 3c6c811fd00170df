// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gil: a runtime with a global lock, and Berth's engine without LLVM. Eight threads run one interpreted
// program, a step at a time under the lock; each method's first caller prepares it while the others wait for
// the key without the lock. Then the main thread finalizes the runtime while all others are under way, some
// with leases: they never get the lock again, their leases time out, and the main thread prepares the rest
// itself.
#define _POSIX_C_SOURCE 200809L
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "berth/berth.h"
#include "berth_gil.h"

enum { kThreads = 8, kMethods = 200, kHeldBack = 8, kSteps = 20 };

typedef struct Method {
  int64_t factor;
  int is_prepared;  // the lock
} Method;

static gil_t gil;
static berth_engine_t* engine;
static Method methods[kMethods];
static int64_t prepared, called, wrong;  // the lock: plain data, no atomics
static atomic_int holders;               // threads that took a lease and keep it

static void fail(berth_error_t* error) {
  fprintf(stderr, "gil: %s\n", berth_error_message(error));
  exit(1);
}
#define TRY(call)                   \
  do {                              \
    berth_error_t* error_ = (call); \
    if (error_) fail(error_);       \
  } while (0)

// Interprets factor * x by additions, a step at a time; others may run between two steps.
static int64_t interpret(berth_thread_t* thread, const Method* method, int64_t x) {
  int64_t sum = 0;
  for (int64_t i = 0; i < x; ++i) {
    sum += method->factor;
    berth_thread_safepoint(thread);
  }
  return sum;
}

static void call(berth_thread_t* thread, Method* method) {
  berth_reservation_t reservation;
  TRY(berth_reserve(thread, (berth_key_t){method, NULL}, NULL, &reservation));
  if (reservation.outcome == BERTH_PUBLISHED) {
    berth_instance_release(reservation.published);
  } else {
    if (interpret(thread, method, 3) != 3 * method->factor) ++wrong;  // "prepares": lets others run meanwhile
    method->is_prepared = 1;
    ++prepared;
    berth_source_t* source = NULL;
    TRY(berth_source_from_constant(&method->factor, sizeof method->factor, &source));
    TRY(berth_release(thread, reservation.lease, source));
  }
  if (!method->is_prepared) ++wrong;
  if (interpret(thread, method, kSteps) != kSteps * method->factor) ++wrong;
  ++called;
}

static void* run(void* argument) {
  const int first = *(const int*)argument;
  gil_take(&gil);
  berth_thread_t* thread = NULL;
  TRY(berth_thread_attach(engine, &thread));
  for (int i = 0; i < kMethods - kHeldBack; ++i) call(thread, &methods[(first + i) % (kMethods - kHeldBack)]);
  // Takes one of the methods held back, and loses the lock for ever at some safepoint while it works on it.
  berth_reservation_t reservation;
  TRY(berth_reserve(thread,
                    (berth_key_t){&methods[kMethods - kHeldBack + first / (kMethods / kThreads)], NULL}, NULL,
                    &reservation));
  atomic_fetch_add(&holders, 1);
  for (;;) berth_thread_safepoint(thread);
  return NULL;
}

int main(void) {
  for (int i = 0; i < kMethods; ++i) methods[i].factor = i + 1;
  gil_init(&gil);
  berth_config_t* config = berth_config_new();
  gil_configure(&gil, config);
  berth_config_set_lease_timeout(config, 2000000000);
  TRY(berth_engine_new(config, &engine));
  berth_config_delete(config);

  gil_take(&gil);
  berth_thread_t* thread = NULL;
  TRY(berth_thread_attach(engine, &thread));
  int first[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    first[i] = i * (kMethods / kThreads);
    pthread_t native;
    pthread_create(&native, NULL, run, &first[i]);
    pthread_detach(native);  // it never ends
  }
  while (atomic_load(&holders) < kThreads) berth_thread_safepoint(thread);
  gil_finalize(&gil);
  for (int i = kMethods - kHeldBack; i < kMethods; ++i)
    call(thread, &methods[i]);  // each after its holder's lease timed out

  berth_engine_counts_t counts = {.struct_size = sizeof counts};
  berth_engine_counts(engine, &counts);
  printf(
      "%d threads, %d methods: prepared %lld, called %lld, wrong results %lld, leases timed out %llu, "
      "switches %s\n",
      kThreads, kMethods, (long long)prepared, (long long)called, (long long)wrong,
      (unsigned long long)counts.abandoned, gil.switches > 0 ? "some" : "none");
  const int is_right = prepared == kMethods && called == kThreads * (kMethods - kHeldBack) + kHeldBack &&
                       wrong == 0 && counts.abandoned == kHeldBack && gil.switches > 0;
  fflush(stdout);
  // The threads that never return still have their records in the engine: a finalized runtime leaves it to
  // the process's end.
  _Exit(is_right ? 0 : 1);
}
