// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bdwgc: a runtime on the Boehm-Demers-Weiser collector, with Berth's engine and no LLVM. Eight threads ask
// for the same methods, round after round; each round's methods are dropped, die in a collection, and take
// their results in the engine with them.
//
// A method is an expression of x on the collected heap. Inferring it folds its constants; the result is the
// folded expression, which the instance keeps as payload, with a native evaluator as entry.
#define _POSIX_C_SOURCE 200809L
#define GC_THREADS
#include <gc/gc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "berth/berth.h"
#include "berth_bdwgc.h"

enum { kThreads = 8, kMethods = 64, kRounds = 40 };

typedef enum Kind { kNumber, kVariable, kAdd, kMultiply } Kind;
typedef struct Expression {
  Kind kind;
  int64_t number;
  const struct Expression *left, *right;
} Expression;

typedef struct Method {
  const Expression* body;
  int64_t factor, summand;  // what it should compute: factor * x + summand
} Method;

typedef struct Runtime {
  berth_engine_t* engine;
  Method** methods;  // of this round; on the collected heap
  pthread_barrier_t round_begins, round_ends;
  atomic_int inferred, dropped, wrong;
} Runtime;

static Runtime runtime;  // static data is a root of bdwgc

static void fail(berth_error_t* error) {
  fprintf(stderr, "bdwgc: %s\n", berth_error_message(error));
  exit(1);
}
#define TRY(call)                   \
  do {                              \
    berth_error_t* error_ = (call); \
    if (error_) fail(error_);       \
  } while (0)

static const Expression* make(Kind kind, int64_t number, const Expression* left, const Expression* right) {
  Expression* expression = GC_MALLOC(sizeof *expression);
  if (!expression) abort();
  *expression = (Expression){kind, number, left, right};
  return expression;
}

// factor * (1 * x) + (summand + 0), so that there is something to fold.
static Method* make_method(int64_t factor, int64_t summand) {
  Method* method = GC_MALLOC(sizeof *method);
  if (!method) abort();
  const Expression* x = make(kMultiply, 0, make(kNumber, 1, NULL, NULL), make(kVariable, 0, NULL, NULL));
  const Expression* product = make(kMultiply, 0, make(kNumber, factor, NULL, NULL), x);
  const Expression* sum = make(kAdd, 0, make(kNumber, summand, NULL, NULL), make(kNumber, 0, NULL, NULL));
  *method = (Method){make(kAdd, 0, product, sum), factor, summand};
  bdwgc_track(method);
  return method;
}

static const Expression* fold(const Expression* expression) {
  if (expression->kind == kNumber || expression->kind == kVariable) return expression;
  const Expression *left = fold(expression->left), *right = fold(expression->right);
  if (left->kind == kNumber && right->kind == kNumber) {
    const int64_t number =
        expression->kind == kAdd ? left->number + right->number : left->number * right->number;
    return make(kNumber, number, NULL, NULL);
  }
  if (expression->kind == kMultiply && left->kind == kNumber && left->number == 1) return right;
  return make(expression->kind, 0, left, right);
}

static int64_t evaluate(const Expression* expression, int64_t x) {
  switch (expression->kind) {
    case kNumber: return expression->number;
    case kVariable: return x;
    case kAdd: return evaluate(expression->left, x) + evaluate(expression->right, x);
    default: return evaluate(expression->left, x) * evaluate(expression->right, x);
  }
}

// The payload: a cell that bdwgc scans but does not collect. It does not name the method, which would keep it
// alive for ever.
typedef struct Result {
  const Expression* folded;
} Result;
static int64_t call_result(const Result* result, int64_t x) { return evaluate(result->folded, x); }
static void drop_result(void* result) {
  GC_FREE(result);
  atomic_fetch_add(&runtime.dropped, 1);
}

static berth_source_t* infer(const Method* method) {
  Result* result = GC_MALLOC_UNCOLLECTABLE(sizeof *result);
  if (!result) abort();
  result->folded = fold(method->body);
  berth_source_t* source = NULL;
  TRY(berth_source_from_native((void*)(uintptr_t)call_result, &source));
  berth_source_set_payload(source, result, drop_result);
  atomic_fetch_add(&runtime.inferred, 1);
  return source;
}

static void ask(berth_thread_t* thread, const Method* method) {
  berth_reservation_t reservation;
  TRY(berth_reserve(thread, (berth_key_t){method, NULL}, NULL, &reservation));
  berth_instance_t* instance = reservation.published;
  if (reservation.outcome != BERTH_PUBLISHED) {
    instance = reservation.lease.instance;
    berth_instance_retain(instance);
    TRY(berth_release(thread, reservation.lease, infer(method)));
  }
  int64_t (*entry)(const Result*, int64_t) =
      (int64_t (*)(const Result*, int64_t))(uintptr_t)berth_instance_entry(instance);
  const Result* result = berth_instance_payload(instance);
  for (int64_t x = 0; x < 100; ++x) {
    if (entry(result, x) != method->factor * x + method->summand) atomic_fetch_add(&runtime.wrong, 1);
  }
  berth_instance_release(instance);
}

static void wait_at(void* barrier) { pthread_barrier_wait(barrier); }

static void* mutate(void* argument) {
  const int first = *(const int*)argument;
  berth_thread_t* thread = NULL;
  TRY(berth_thread_attach(runtime.engine, &thread));
  for (int round = 0; round < kRounds; ++round) {
    bdwgc_blocking(wait_at, &runtime.round_begins);
    // Each thread begins with another method, so that they meet in the middle.
    for (int i = 0; i < kMethods; ++i) {
      ask(thread, runtime.methods[(first + i) % kMethods]);
      berth_thread_safepoint(thread);
    }
    bdwgc_blocking(wait_at, &runtime.round_ends);
  }
  berth_thread_detach(thread);
  return NULL;
}

static void join(void* thread) { pthread_join(*(pthread_t*)thread, NULL); }

int main(void) {
  GC_INIT();
  berth_config_t* config = berth_config_new();
  bdwgc_configure(config);
  TRY(berth_engine_new(config, &runtime.engine));
  berth_config_delete(config);
  TRY(bdwgc_start(runtime.engine));

  pthread_barrier_init(&runtime.round_begins, NULL, kThreads + 1);
  pthread_barrier_init(&runtime.round_ends, NULL, kThreads + 1);
  pthread_t threads[kThreads];
  int first[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    first[i] = i * kMethods / kThreads;
    pthread_create(&threads[i], NULL, mutate, &first[i]);
  }
  for (int round = 0; round < kRounds; ++round) {
    runtime.methods = GC_MALLOC(kMethods * sizeof *runtime.methods);
    if (!runtime.methods) abort();
    for (int i = 0; i < kMethods; ++i) runtime.methods[i] = make_method(round + i, 3 * i);
    bdwgc_blocking(wait_at, &runtime.round_begins);
    GC_gcollect();  // in the midst of the others' work; the last round's methods are dead
    bdwgc_blocking(wait_at, &runtime.round_ends);
  }
  for (int i = 0; i < kThreads; ++i) bdwgc_blocking(join, &threads[i]);
  bdwgc_stop();

  const int inferred = atomic_load(&runtime.inferred), dropped = atomic_load(&runtime.dropped),
            wrong = atomic_load(&runtime.wrong);
  printf(
      "%d threads, %d methods: inferred %d, wrong results %d, dropped with their methods %d, in %lu sweeps\n",
      kThreads, kRounds * kMethods, inferred, wrong, dropped, bdwgc_num_sweeps());
  berth_engine_delete(runtime.engine);
  // The collector is conservative: a few methods may outlive the last round. Most must have died.
  return inferred == kRounds * kMethods && wrong == 0 && dropped > inferred / 2 ? 0 : 1;
}
