// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * The engine: configuration, life, worlds, and what can be asked of it.
 */
#ifndef BERTH_ENGINE_H
#define BERTH_ENGINE_H

#include "berth/error.h"
#include "berth/gc.h"

BERTH_BEGIN

/**
 * When two owners are one. The first owner of an equal class stands for all and must stay alive while any is
 * used. The functions are called by any thread, several at once, no lock held; they may not call Berth, and
 * `hash` of equal owners is equal.
 */
typedef struct berth_key_traits {
  size_t struct_size; /**< sizeof this struct */
  void* context;      /**< borrowed until the engine's delete */
  /** owner not NULL; NULL, or no equal: identity */
  uint64_t (*hash)(void* context, const void* owner);
  /** not 0: the same; NULL: identity */
  int (*equal)(void* context, const void* a, const void* b);
  /**
   * A name of the owner that is stable between processes: written to `bytes` (at most `capacity`), its size
   * returned. NULL or 0: its code is not cached on disk. For the object cache, see
   * berth_config_set_cache_directory.
   */
  size_t (*token)(void* context, const void* owner, void* bytes, size_t capacity);
} berth_key_traits_t;

/**
 * A configuration with all defaults; NULL if memory is out. It is read by berth_engine_new and not needed
 * afterwards.
 * Threads: any. Blocks: never. GC: any, kept. Owns: returned, release with berth_config_delete. Errors: none.
 */
BERTH_API berth_config_t* berth_config_new(void);
/** Deletes; NULL is nothing. Threads: one at a time. Owns: consumed. Else as above. */
BERTH_API void berth_config_delete(berth_config_t* config);
/**
 * Threads of the compiler; 0: compile on the thread that asks for the entry; default: the machine's cores.
 * Threads: one at a time. Blocks: never. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_config_set_compile_threads(berth_config_t* config, unsigned threads);
/**
 * How many threads mark in a collection of Berth's own collector; 0, the default: the machine's cores. As
 * above.
 */
BERTH_API void berth_config_set_mark_threads(berth_config_t* config, unsigned threads);
/**
 * A foreign collector instead of Berth's: Berth's heap, handles and stop are then off. NULL: Berth's, the
 * default.
 * Owns: hooks borrowed (copied); context borrowed until the engine's delete. Else as above.
 */
BERTH_API void berth_config_set_gc_hooks(berth_config_t* config, const berth_gc_hooks_t* hooks,
                                         void* context);
/**
 * Hash and equality of owners; NULL: identity, the default. Owns: traits borrowed (copied). Else as above.
 */
BERTH_API void berth_config_set_key_traits(berth_config_t* config, const berth_key_traits_t* traits);
/** What a wait that would close a ring does; default BERTH_CYCLE_SHARE. As above. */
BERTH_API void berth_config_set_cycle_policy(berth_config_t* config, berth_cycle_policy_t policy);
/**
 * A reserve is refused if its agent holds more than `limit` leases on the key already; default 64. As above.
 */
BERTH_API void berth_config_set_reentry_limit(berth_config_t* config, uint32_t limit);
/**
 * Who wants a key that is held for `ns` nanoseconds abandons the lease and takes it; 0, the default: never.
 * As above.
 */
BERTH_API void berth_config_set_lease_timeout(berth_config_t* config, int64_t ns);
/**
 * Bytes of memory for compiled code; 0, the default: no limit. At the limit code that nobody can enter any
 * more goes first; then a compile gives its waiters RESOURCE_EXHAUSTED, and the next request for the entry
 * tries again. As above.
 */
BERTH_API void berth_config_set_code_limit(berth_config_t* config, size_t bytes);
/**
 * Directory of the persistent object cache, made if it is not there; NULL, the default: off. Engines and
 * processes share it. What is wrong with it is never an error: its place in berth_engine_explain says so.
 * Owns: directory borrowed (copied). Else as above.
 */
BERTH_API void berth_config_set_cache_directory(berth_config_t* config, const char* directory);
/**
 * What one compile at `tier` (FAST or OPTIMIZED) may use, each 0: no bound. After half of `ns` nanoseconds
 * optional passes are left out; after all of it, or soon after, its waiters hear RESOURCE_EXHAUSTED and
 * another thread takes the compile thread's place. A source of more instructions, or whose object has more
 * bytes, is UNSUPPORTED. Default: 10 s at FAST, 60 s at OPTIMIZED; 1,000,000 instructions, 256 MiB. Without
 * compile threads the time is looked at between the steps of a compile. Owns: borrowed. As above.
 */
BERTH_API void berth_config_set_compile_budget(berth_config_t* config, berth_tier_t tier, int64_t ns,
                                               uint64_t instructions, uint64_t object_bytes);
/**
 * What host code is made for; NULL or "": as this host is. `features` is a list as "-avx512f,-avx2". A
 * feature that is left out is in no code, whatever a source asks for; one that this host lacks cannot be
 * added. berth_engine_new gives INVALID_ARGUMENT for a CPU or feature that LLVM does not know, UNSUPPORTED
 * for a target that does not run here. Owns: all borrowed (copied). Else as above.
 */
BERTH_API void berth_config_set_target(berth_config_t* config, const char* triple, const char* cpu,
                                       const char* features);
/**
 * What a call over an edge goes to if its callee has no code and gets none: called by the thread that calls,
 * with no lock held, each time; its result is called instead, with the arguments of the call, so it has the
 * callee's signature. NULL: the error is thrown as berth::Error, as without this function. Owns: callee and
 * error borrowed for the call.
 */
typedef void* (*berth_call_error_t)(void* context, berth_instance_t* callee, const berth_error_t* error);
/** Sets it; NULL, the default: errors are thrown. Owns: context borrowed until the engine's delete. Else as
 * above. */
BERTH_API void berth_config_set_call_error(berth_config_t* config, berth_call_error_t function,
                                           void* context);
/**
 * Where sources are read, checked and compiled; default BERTH_CONTAINMENT_HANDLER, and a worker process for
 * those of berth_source_set_isolated. It guards against a compiler that fails on its input, not against the
 * code that then runs. Else as berth_config_set_compile_threads.
 */
BERTH_API void berth_config_set_containment(berth_config_t* config, berth_containment_t containment);
/**
 * The program that compiles in worker processes; NULL, the default: the environment's BERTH_COMPILE_WORKER,
 * else the one installed with the library. If there is none, isolated compiles are UNSUPPORTED.
 * Owns: path borrowed (copied). As above.
 */
BERTH_API void berth_config_set_compile_worker(berth_config_t* config, const char* path);
/**
 * Makes an engine in world 1. `config` NULL: all defaults.
 * Threads: any. Blocks: short. GC: any, kept. Owns: config borrowed; *out returned, release with
 * berth_engine_delete.
 * Errors: none of its own.
 */
BERTH_API berth_error_t* berth_engine_new(const berth_config_t* config, berth_engine_t** out);
/**
 * Refuses new work with SHUT_DOWN, wakes all waiters with it, closes queues, drops compiles that have not
 * begun, and returns when those that have begun are done and the jobs of compiler hooks are answered.
 * Look-ups work on, releases too, but a source is dropped then (SHUT_DOWN). Again, or in a forked child:
 * nothing, also while the first call still waits.
 * Threads: any, but none that such a compile, job or queue waits for. Blocks: may wait, for these. GC: any,
 * kept; safe while waiting.
 * Owns: borrowed. Errors: none.
 */
BERTH_API berth_error_t* berth_engine_shutdown(berth_engine_t* engine);
/**
 * Shuts down, then frees everything. Programs, devices, channels, pools and sources with edges go before it;
 * instances, agents, thread and GC handles are dead afterwards, threads still attached are forgotten. NULL is
 * nothing; in a forked child it leaks.
 * Threads: one at a time, no other call running. Blocks: may wait, as shutdown. GC: any, kept; safe while
 * waiting.
 * Owns: consumed. Errors: none.
 */
BERTH_API void berth_engine_delete(berth_engine_t* engine);
/** The current world, from 1. Threads: any. Blocks: never. GC: any, kept. Owns: borrowed. Errors: none. */
BERTH_API uint64_t berth_engine_world(const berth_engine_t* engine);
/** Begins a new world and returns it. Invalidates nothing. Blocks: short. Else as above. */
BERTH_API uint64_t berth_engine_advance_world(berth_engine_t* engine);
/**
 * Who holds, compiles and waits for what, as JSON; devices and programs add members. NULL if memory is out.
 * {"reservations":[{"key":{"method":"0x..","owner":"0x..","label":".."},"holder":"agent","held_ns":N,
 * "state":"reserved|compiling","waiters":[{"agent":"..","waiting_ns":N}]}],"cycles_broken":N,
 * "duplicates":N,"world":N}
 * Threads: any. Blocks: short, a shard at a time. GC: any, kept. Owns: borrowed; returned, release with
 * berth_string_delete.
 * Errors: none.
 */
BERTH_API char* berth_engine_explain(berth_engine_t* engine);
/**
 * All counters in Prometheus' text form. Blocks: may wait, for a collection. GC: any, kept; safe while
 * waiting. As above.
 */
BERTH_API char* berth_engine_metrics(berth_engine_t* engine);
/**
 * Begins to write spans and events to `path`, in Chrome's trace format; replaces the file.
 * Threads: any. Blocks: short, with file access. GC: any, kept. Owns: engine and path borrowed.
 * Errors: INVALID_ARGUMENT if a trace runs already or the file cannot be written.
 */
BERTH_API berth_error_t* berth_engine_trace_start(berth_engine_t* engine, const char* path);
/**
 * Ends the trace and closes its file; success if none runs. Errors: INTERNAL if it could not be written
 * whole. As above.
 */
BERTH_API berth_error_t* berth_engine_trace_stop(berth_engine_t* engine);
/** Who is told about compiled code, as bits. All off by default. */
typedef enum berth_observer {
  BERTH_OBSERVE_GDB = 1,   /**< GDB's JIT interface: names, unwinding, and lines where the source has them */
  BERTH_OBSERVE_PERF = 2,  /**< a jitdump in $JITDUMPDIR if that is set, else /tmp/perf-PID.map */
  BERTH_OBSERVE_VTUNE = 4, /**< the agent that $INTEL_JIT_PROFILER64 names; without one, nothing */
  BERTH_OBSERVE_TIMES = 8  /**< times of each compile, for berth_instance_times_json */
} berth_observer_t;
/**
 * Turns exactly the observers of `flags` on. They hear of code that is linked from now on. GDB forgets code
 * that is retired, and all when its observer is turned off. One that fails later, say on a full disk, is
 * turned off: berth_engine_explain says why under "warnings", no compile fails.
 * Threads: any. Blocks: short, with file access. GC: any, kept. Owns: borrowed.
 * Errors, after which nothing is changed: INVALID_ARGUMENT for other bits, or if a file cannot be written;
 * UNSUPPORTED if the engine's compiler is not LLVM's; SHUT_DOWN; FORKED.
 */
BERTH_API berth_error_t* berth_engine_set_observers(berth_engine_t* engine, uint32_t flags);
/**
 * Where the time of the last compile of each tier went, in nanoseconds, as JSON; "{}" if none ended while
 * BERTH_OBSERVE_TIMES was on. NULL if memory is out. Without queued_ns they add up to the compile's time on
 * its thread; methods compiled together have equal shares of it; wait_ns is between the steps.
 * {"fast":{"queued_ns":N,"load_ns":N,"read_ns":N,"check_ns":N,"optimise_ns":N,"generate_ns":N,"link_ns":N,
 * "wait_ns":N},"optimized":{..}}
 * Threads: any. Blocks: short. GC: any, kept. Owns: borrowed; returned, release with berth_string_delete.
 * Errors: none.
 */
BERTH_API char* berth_instance_times_json(const berth_instance_t* instance);
/**
 * Frees a string that Berth returned. NULL is nothing. Threads: any. Blocks: never. GC: any, kept. Owns:
 * consumed. Errors: none.
 */
BERTH_API void berth_string_delete(char* string);

/**
 * The main counters as numbers since the engine began, for summaries; the whole set is in
 * berth_engine_metrics.
 */
typedef struct berth_engine_counts {
  size_t struct_size;                             /**< in: sizeof this struct */
  uint64_t reserved, published, cycle, reentrant; /**< reserve calls by outcome */
  uint64_t published_on_recheck;                  /**< of published: found after waiting or after the take */
  /** calls that slept; needless results; leases; lost wake-ups found */
  uint64_t waits, duplicates, abandoned, recovered;
  /** by tier; those of compiler hooks are fast */
  uint64_t compiled_fast, compiled_optimized, compile_failures;
  uint64_t methods_inferred, limited, collections; /**< limited: inferences that a limit made less exact */
} berth_engine_counts_t;
/**
 * Fills `out`, up to its struct_size. Counters are read one after another, not at one moment.
 * Threads: any. Blocks: short. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_engine_counts(berth_engine_t* engine, berth_engine_counts_t* out);

BERTH_END

#endif
