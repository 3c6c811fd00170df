// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * Sources: what a release hands over: LLVM IR, bitcode, a native entry, a constant, or a bare result.
 *
 * A source belongs to whoever made it until a release or publish consumes it, or berth_source_delete. Opaque
 * sources are in berth/compiler.h, LLVM modules in berth/llvm.h.
 */
#ifndef BERTH_SOURCE_H
#define BERTH_SOURCE_H

#include "berth/error.h"

BERTH_BEGIN

/**
 * LLVM IR as text; `entry_symbol` is what the entry calls. Read when it is compiled, not here: bad text is a
 * failure of the compile. Names are the source's own but for edges and defined symbols. In libberth only.
 * Threads: any. Blocks: never. GC: any, kept. Owns: text and symbol borrowed (copied), `length` in bytes;
 * *out returned, consumed by a release or given to berth_source_delete. Errors: INVALID_ARGUMENT without
 * text, entry symbol or out.
 */
BERTH_API berth_error_t* berth_source_from_ir(const char* llvm_ir, size_t length, const char* entry_symbol,
                                              berth_source_t** out);
/** LLVM bitcode. As above. */
BERTH_API berth_error_t* berth_source_from_bitcode(const void* bitcode, size_t length,
                                                   const char* entry_symbol, berth_source_t** out);
/**
 * Code that exists: callable at once.
 * Threads: any. Blocks: never. GC: any, kept. Owns: entry borrowed until the engine's delete; *out as above.
 * Errors: INVALID_ARGUMENT if entry is NULL.
 */
BERTH_API berth_error_t* berth_source_from_native(void* entry, berth_source_t** out);
/**
 * A result that is `size` bytes and no code: it has no entry, see berth_instance_constant.
 * Owns: bytes borrowed (copied). Errors: none of its own. Else as above.
 */
BERTH_API berth_error_t* berth_source_from_constant(const void* bytes, size_t size, berth_source_t** out);
/** A result only (payload, worlds, edges), no code. As above. */
BERTH_API berth_error_t* berth_source_new(berth_source_t** out);
/**
 * The worlds in which the result holds, both included. Default: the lease's world, UINT64_MAX = open. Open
 * holds only if the world has not moved since the lease's and all edges are open; else max is the least of
 * the lease's world and the edges' max.
 * Threads: one at a time. Blocks: never. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_source_set_worlds(berth_source_t* source, uint64_t min_world, uint64_t max_world);
/** How much work its code is worth; default BERTH_TIER_ADAPTIVE. As above. */
BERTH_API void berth_source_set_tier(berth_source_t* source, berth_tier_t tier);
/** Not 0: compiled when an entry is first demanded; 0 (default): at publication. As above. */
BERTH_API void berth_source_set_lazy(berth_source_t* source, int lazy);
/** How soon it is compiled; default BERTH_PRIORITY_NORMAL. As above. */
BERTH_API void berth_source_set_priority(berth_source_t* source, berth_priority_t priority);
/**
 * Not 0: read, checked and compiled in a worker process, alone. For what is not trusted: damaged bitcode can
 * end the process that reads it. A worker that crashes, runs out of memory or takes too long fails the
 * compile, and no other; default: see berth_config_set_containment. As above.
 */
BERTH_API void berth_source_set_isolated(berth_source_t* source, int isolated);
/**
 * The code calls `callee` under the name `symbol`, compiled or not yet; NULL or "": it only depends on it.
 * Invalidating the callee invalidates the result. A lease's instance may be a callee. Without memory for the
 * edge, the source's release is OUT_OF_MEMORY. Owns: source borrowed; callee retained by the source and its
 * result; symbol borrowed (copied). Else as above.
 */
BERTH_API void berth_source_add_edge(berth_source_t* source, berth_instance_t* callee, const char* symbol);
/**
 * The embedder's inferred result, readable from the instance (berth_instance_payload). `drop`, if not NULL,
 * is called once if the payload is not NULL, on any thread, no lock held: when the source is dropped, or with
 * the instance, or with the engine. A payload set before is dropped now.
 * Owns: source borrowed; payload consumed. Else as above.
 */
BERTH_API void berth_source_set_payload(berth_source_t* source, void* payload, void (*drop)(void* payload));
/**
 * Deletes a source that was not consumed; NULL is nothing.
 * Threads: one at a time. Blocks: short; drop functions run. GC: any, kept. Owns: consumed. Errors: none.
 */
BERTH_API void berth_source_delete(berth_source_t* source);
/**
 * The payload of a published instance; NULL if it has none.
 * Threads: any. Blocks: never. GC: any, kept. Owns: both borrowed, the result as long as the instance.
 * Errors: none.
 */
BERTH_API void* berth_instance_payload(const berth_instance_t* instance);
/**
 * The bytes of a constant. Owns: *bytes borrowed as long as the instance. Errors: UNSUPPORTED if it is no
 * constant. As above.
 */
BERTH_API berth_error_t* berth_instance_constant(const berth_instance_t* instance, const void** bytes,
                                                 size_t* size);
/**
 * Makes `name` known to the LLVM sources of this engine that are linked later; again with the same address is
 * allowed.
 * Threads: any. Blocks: short. GC: any, kept. Owns: name borrowed (copied); address borrowed until the
 * engine's delete.
 * Errors: INVALID_ARGUMENT without name or address, or if defined at another address; UNSUPPORTED if the
 * engine has no linker.
 */
BERTH_API berth_error_t* berth_engine_define_symbol(berth_engine_t* engine, const char* name, void* address);

BERTH_END

#endif
