// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reservations: a whole embedding of libberth_engine, without LLVM and without a collector. Eight threads ask
// for the methods of a mutually recursive program; each method is inferred by one of them, the others wait or
// use what is there. docs/reservations.md explains it line by line.
//
// "Inference" here finds which effects a method may have: its own and those of its callees. Code is a native
// pointer.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "berth/berth.h"

enum { kThreads = 8, kMethods = 6, kCallees = 3, kUnknown = 0xff };

typedef int (*Code)(int);
typedef struct Method {
  const char* name;
  unsigned effects;           // its own
  int callees[kCallees + 1];  // indices, ended by -1
  Code code;
} Method;
typedef struct Result {
  unsigned effects;
} Result;

static int is_even(int n);
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int twice(int n) { return 2 * n; }
static int half(int n) { return n / 2; }
static int collatz(int n) { return n <= 1 ? 0 : 1 + collatz(is_even(n) ? half(n) : twice(n) + n + 1); }
static int report(int n) { return collatz(n) + is_odd(n); }

static const Method methods[kMethods] = {
    {"is_odd", 0, {1, -1}, is_odd}, {"is_even", 0, {0, -1}, is_even},       {"twice", 0, {-1}, twice},
    {"half", 0, {-1}, half},        {"collatz", 0, {1, 2, 3, -1}, collatz}, {"report", 1, {4, 0, -1}, report},
};

// ISO C has no conversion between code and data pointers.
typedef union Entry {
  Code code;
  void* address;
} Entry;

static berth_engine_t* engine;
static atomic_int inferred[kMethods];
static atomic_int wrong;
static pthread_barrier_t begin;

static void check(berth_error_t* error) {
  if (!error) return;
  // The message says what was asked, what was found and what to do; the details of a time-out are the chain
  // of waits.
  fprintf(stderr, "reservations: %s\n%s\n", berth_error_message(error), berth_error_details_json(error));
  exit(1);
}

// The effects of method `m`: found, waited for, or inferred here.
static unsigned infer(berth_thread_t* thread, int m) {
  const Method* const method = &methods[m];
  const berth_reserve_options_t options = {
      .struct_size = sizeof options, .timeout_ns = 10000000000, .label = method->name};
  berth_reservation_t got;
  check(berth_reserve(thread, (berth_key_t){method, NULL}, &options, &got));
  if (got.outcome == BERTH_PUBLISHED) {
    const unsigned effects = ((const Result*)berth_instance_payload(got.published))->effects;
    berth_instance_release(got.published);
    return effects;
  }
  if (got.outcome == BERTH_RESERVED_REENTRANT) {
    // We are inferring it already, further up: give the lease back, and assume the worst.
    check(berth_release(thread, got.lease, NULL));
    return kUnknown;
  }
  // RESERVED, or CYCLE: somebody who holds it waits for us. We work too; whoever publishes first wins.
  if (got.outcome == BERTH_RESERVED) atomic_fetch_add(&inferred[m], 1);
  unsigned effects = method->effects;
  for (const int* callee = method->callees; *callee >= 0; ++callee) effects |= infer(thread, *callee);

  Result* const result = malloc(sizeof *result);
  if (!result) exit(1);
  result->effects = effects;
  berth_source_t* source;
  check(berth_source_from_native((Entry){.code = method->code}.address, &source));
  berth_source_set_payload(source, result, free);
  check(berth_release(thread, got.lease, source));
  return effects;
}

static void* worker(void* argument) {
  const int number = *(const int*)argument;
  pthread_barrier_wait(&begin);
  berth_thread_t* thread;
  check(berth_thread_attach(engine, &thread));
  for (int i = 0; i < kMethods; ++i) {
    const int m = (number + i) % kMethods;  // each thread begins elsewhere, so that rings form
    infer(thread, m);
    // Published before released: from here on every look-up finds it, without a lock.
    const Entry entry = {.address = berth_lookup_entry(engine, (berth_key_t){&methods[m], NULL}, 0)};
    if (!entry.address || entry.code(9) != methods[m].code(9)) atomic_fetch_add(&wrong, 1);
  }
  berth_thread_detach(thread);
  return NULL;
}

int main(void) {
  check(berth_engine_new(NULL, &engine));
  if (pthread_barrier_init(&begin, NULL, kThreads) != 0) return 1;
  pthread_t threads[kThreads];
  int numbers[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, worker, &numbers[i]) != 0) return 1;
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);

  int once = 0;
  for (int m = 0; m < kMethods; ++m) once += atomic_load(&inferred[m]) == 1;
  berth_engine_counts_t counts = {.struct_size = sizeof counts};
  berth_engine_counts(engine, &counts);
  printf("%d methods for %d threads: %d inferred by one holder, %d wrong\n", kMethods, kThreads, once,
         atomic_load(&wrong));
  printf("reserved %llu, published %llu, cycles %llu, re-entrant %llu, duplicates %llu\n",
         (unsigned long long)counts.reserved, (unsigned long long)counts.published,
         (unsigned long long)counts.cycle, (unsigned long long)counts.reentrant,
         (unsigned long long)counts.duplicates);
  berth_engine_delete(engine);
  return once == kMethods && atomic_load(&wrong) == 0 ? 0 : 1;
}
