// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heap: a runtime on Berth's own collector, without LLVM. Four threads build lists while they collect; a weak
// cache is cleared, and finalizers run. docs/gc.md explains it.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "berth/berth.h"

enum { kThreads = 4, kNodes = 20000, kRounds = 8 };

// The first word is the collector's; fields begin at byte 8.
typedef struct Node {
  uint64_t header;
  struct Node* next;
  int64_t value;
} Node;

static berth_engine_t* engine;
static berth_gc_type_t* node_type;
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int wrong, finalized;

static void check(berth_error_t* error) {
  if (!error) return;
  fprintf(stderr, "heap: %s\n", berth_error_message(error));
  exit(1);
}

static void count_finalized(void* object, void* context) {
  (void)object;
  atomic_fetch_add((atomic_int*)context, 1);
}

// Prepends to the list in *head, a handle: allocating may collect, and a raw pointer would not survive that.
static void prepend(berth_thread_t* thread, void** head, int64_t value) {
  void* node;
  check(berth_gc_allocate(thread, node_type, 0, &node));
  ((Node*)node)->value = value;
  berth_gc_write(thread, node, (void**)&((Node*)node)->next,
                 *head);  // every store of a reference is a barrier's
  *head = node;
}

static void* worker(void* argument) {
  (void)argument;
  berth_thread_t* thread;
  check(berth_thread_attach(engine, &thread));
  for (int round = 0; round < kRounds; ++round) {
    const size_t scope = berth_gc_scope_open(thread);
    void** head;
    check(berth_gc_scope_handle(thread, NULL, &head));
    for (int64_t i = 0; i < kNodes; ++i) prepend(thread, head, i);
    berth_gc_add_finalizer(thread, *head, count_finalized, &finalized);
    berth_gc_collect(thread);
    int64_t sum = 0;
    for (const Node* node = *head; node; node = node->next)
      sum += node->value;  // no poll in here, so raw pointers are fine
    if (sum != (int64_t)kNodes * (kNodes - 1) / 2) atomic_fetch_add(&wrong, 1);

    // What may block belongs in a safe region, or a collection would wait for it.
    const berth_gc_state_t previous = berth_thread_safe_enter(thread);
    pthread_mutex_lock(&log_mutex);
    pthread_mutex_unlock(&log_mutex);
    berth_thread_safe_leave(thread, previous);

    berth_gc_scope_close(thread, scope);  // the list is garbage from here on
    berth_thread_safepoint(thread);
  }
  berth_thread_detach(thread);
  return NULL;
}

int main(void) {
  check(berth_engine_new(NULL, &engine));
  const uint32_t references[] = {offsetof(Node, next)};
  const berth_gc_type_options_t options = {.struct_size = sizeof options,
                                           .name = "Node",
                                           .bytes = sizeof(Node),
                                           .reference_offsets = references,
                                           .reference_count = 1};
  check(berth_gc_type_new(engine, &options, &node_type));
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], NULL, worker, NULL) != 0) return 1;
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);

  berth_thread_t* thread;
  check(berth_thread_attach(engine, &thread));
  void* cached;
  check(berth_gc_allocate(thread, node_type, 0, &cached));
  berth_gc_root_t* root;
  berth_gc_weak_t* weak;
  check(berth_gc_root_new(thread, cached, &root));
  check(berth_gc_weak_new(thread, cached, &weak));
  berth_gc_collect(thread);
  const int kept = berth_gc_weak_get(thread, weak) != NULL;
  berth_gc_root_delete(root);
  berth_gc_collect(thread);
  const int cleared = berth_gc_weak_get(thread, weak) == NULL;
  berth_gc_weak_delete(weak);
  berth_thread_safepoint(thread);  // finalizers that are ready run here
  const int expected = kThreads * kRounds;
  printf("%d lists of %d nodes: %d wrong, %d of %d finalized; weak reference %s, then %s\n", expected, kNodes,
         atomic_load(&wrong), atomic_load(&finalized), expected, kept ? "kept" : "lost",
         cleared ? "cleared" : "kept");
  berth_thread_detach(thread);
  berth_engine_delete(engine);
  return atomic_load(&wrong) == 0 && atomic_load(&finalized) == expected && kept && cleared ? 0 : 1;
}
