// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * Compiler hooks: an embedder's own code generator behind Berth's reservations, without LLVM.
 *
 * A release with a source of berth_source_from_opaque makes a job. Every accepted job is answered exactly
 * once, by berth_job_publish or berth_job_fail: from inside `submit`, or later from any thread. Whoever waits
 * for the entry waits until then, and so does the engine's shutdown.
 */
#ifndef BERTH_COMPILER_H
#define BERTH_COMPILER_H

#include "berth/error.h"

BERTH_BEGIN

/**
 * The code generator. All but `submit` may be NULL. Hooks are called by any thread, several at once, no
 * engine lock held; the calling thread may be unsafe, safe, or not attached. Instances are borrowed for the
 * call. No hook may wait for a key, an entry, or an answer; none may throw.
 */
typedef struct berth_compiler_hooks {
  size_t struct_size; /**< sizeof this struct */
  /**
   * Takes the job, which must be answered; must not wait. Called by the thread that releases, publishes or
   * demands the entry.
   */
  void (*submit)(void* context, berth_job_t* job);
  /**
   * Called by a thread that waits for the entry of `instance`, which is safe meanwhile: may run the compile
   * here, within `timeout_ns` (-1: no limit, 0: none left). Not 0: something was run, the waiter looks again.
   * 0: nothing to run here, it sleeps.
   */
  int (*help)(void* context, berth_instance_t* instance, int64_t timeout_ns);
  /**
   * Somebody waits for the compile of `instance`: prefer it. `priority`: 0 speculative, 1 optimizing, 2
   * normal, 3 asked for, 4 waited for. A hint; also called for instances of other compilers and for those
   * that are compiled already.
   */
  void (*lift)(void* context, berth_instance_t* instance, uint32_t priority);
  /** Nobody needs the compile of `instance`: a hint, as above. Its job is to be answered all the same. */
  void (*cancel)(void* context, berth_instance_t* instance);
  /**
   * `code` of a publish (never NULL) is unreachable: refused, because the instance ended meanwhile, or its
   * last reference is gone. Berth does not know whether a frame is still inside. Code that is published when
   * the engine ends is not retired.
   */
  void (*retire)(void* context, void* code);
  /**
   * The engine shuts down; called once, by the thread that shuts down (safe, if attached), after new work is
   * refused and waiters were woken. `drain` is 0: unbegun jobs may be failed; not 0 would ask to finish them.
   * Every accepted job must then be answered, by berth_job_publish or berth_job_fail, during the call or
   * after it: shutdown waits for the answers.
   */
  void (*stop)(void* context, int drain);
} berth_compiler_hooks_t;

/**
 * Sets the code generator of opaque sources for engines made with `config` later; other sources go to the
 * library's own compiler, if it has one. NULL, or hooks without `submit`: none, and a release with an opaque
 * source is UNSUPPORTED.
 * Threads: one at a time. Blocks: never. GC: any, kept. Owns: config borrowed; hooks borrowed (copied);
 * context borrowed until the engine's delete. Errors: none.
 */
BERTH_API void berth_config_set_compiler_hooks(berth_config_t* config, const berth_compiler_hooks_t* hooks,
                                               void* context);
/**
 * A source that only the embedder understands. `drop`, if not NULL, is called once, on any thread, no lock
 * held: when the source is deleted, refused, failed, or needed no more (of tier BERTH_TIER_FAST: once
 * published; else with the instance).
 * Threads: any. Blocks: never. GC: any, kept. Owns: source consumed on success; *out returned, consumed by a
 * release or given to berth_source_delete. Errors: none of its own.
 */
BERTH_API berth_error_t* berth_source_from_opaque(void* source, void (*drop)(void* source),
                                                  berth_source_t** out);
/**
 * What berth_source_from_opaque was given.
 * Threads: any. Blocks: never. GC: any, kept. Owns: job borrowed; the result borrowed until the answer.
 * Errors: none.
 */
BERTH_API void* berth_job_source(const berth_job_t* job);
/** The instance that waits for the entry; retain it to keep it after the answer. As above. */
BERTH_API berth_instance_t* berth_job_instance(const berth_job_t* job);
/**
 * The current agent of `thread` runs this compile until the job is answered: if it waits for a key meanwhile,
 * rings through the compile are found. Optional.
 * Threads: owner of thread. Blocks: short. GC: any, kept. Owns: both borrowed; the agent until the answer.
 * Errors: none.
 */
BERTH_API void berth_job_begin(berth_job_t* job, berth_thread_t* thread);
/**
 * Answers: `entry` becomes callable and waiters are woken. `code` is handed to the `retire` hook when the
 * entry is unreachable, perhaps before this returns; NULL: nothing to retire. `entry` NULL fails the job.
 * Threads: any, attached or not. Blocks: short; runs drop functions and `retire`. GC: any, kept.
 * Owns: job consumed; entry borrowed until retired; code consumed. Errors: none.
 */
BERTH_API void berth_job_publish(berth_job_t* job, void* entry, void* code);
/**
 * Answers: whoever waits for the entry, now or later, gets COMPILE_FAILED with `message`; the result stays a
 * hit for BERTH_NEED_RESULT. NULL or "": a text that no reason was given. Owns: job consumed; message
 * borrowed. Else as above.
 */
BERTH_API void berth_job_fail(berth_job_t* job, const char* message);

BERTH_END

#endif
