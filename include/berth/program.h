// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * Programs: Berth's own inference over the IR text form, and calls into what it made. Needs libberth and
 * Berth's own collector.
 *
 * Where types are named, they are texts of the IR's type syntax, such as "i64". Functions that take a thread
 * may be called safe or unsafe: they are unsafe while they work and leave the state as it was.
 */
#ifndef BERTH_PROGRAM_H
#define BERTH_PROGRAM_H

#include "berth/error.h"

BERTH_BEGIN

/** The kind of a value, which says the member of the union. */
typedef enum berth_value_kind {
  BERTH_VALUE_NOTHING, /**< no member */
  BERTH_VALUE_I64,     /**< `i` */
  BERTH_VALUE_F64,     /**< `f` */
  BERTH_VALUE_BOOL,    /**< `b`: 0 false, else true; results are 0 or 1 */
  BERTH_VALUE_OBJECT   /**< `object`: all else, boxed in Berth's heap */
} berth_value_kind_t;
/**
 * An argument or a result. An object in an argument is kept alive by the caller. An object in a result is
 * kept alive by a handle of the thread's agent: until its outermost handle scope closes, or until detach if
 * none is open.
 */
typedef struct berth_value {
  berth_value_kind_t kind;
  union {
    int64_t i;
    double f;
    int b;
    void* object;
  };
} berth_value_t;

/**
 * Makes a program of IR text (`length` bytes). `name` stands in messages; NULL: "program".
 * Threads: any, attached or not. Blocks: short, in proportion to the text. GC: any, kept; safe while it
 * reads.
 * Owns: text and name borrowed; *out returned, release with berth_program_delete before the engine.
 * Errors: PARSE_ERROR, its message the first line, details {"errors":[{"line","column","text"}]}; TYPE_ERROR;
 * INVALID_ARGUMENT if NULL.
 */
BERTH_API berth_error_t* berth_program_parse(berth_engine_t* engine, const char* text, size_t length,
                                             const char* name, berth_program_t** out);
/**
 * Adds and replaces, all in one new world; what was inferred of replaced methods, and its callers, hold no
 * longer there. Calls that run go on in their world. `thread`: NULL, or the calling thread. On error nothing
 * changed.
 * Threads: any; thread's owner. Blocks: may wait, for another definition. GC: any, kept; safe while it waits
 * and reads.
 * Owns: all borrowed. Errors: as above.
 */
BERTH_API berth_error_t* berth_program_define(berth_thread_t* thread, berth_program_t* program,
                                              const char* text, size_t length, const char* name);
/**
 * The tier of later calls; default BERTH_TIER_ADAPTIVE. BERTH_TIER_INTERPRET runs all in the interpreter.
 * Threads: any. Blocks: never. GC: any, kept. Owns: borrowed. Errors: none.
 */
BERTH_API void berth_program_set_tier(berth_program_t* program, berth_tier_t tier);
/**
 * The device of later launches; NULL, the default: a host device of the program's own.
 * Threads: any. Blocks: short. GC: any, kept. Owns: program borrowed; device borrowed (Berth keeps what is
 * behind the handle).
 * Errors: none.
 */
BERTH_API void berth_program_set_device(berth_program_t* program, berth_device_t* device);
/**
 * Where `print` writes; NULL, the default: stdout. `print` gets each text once (`length` bytes, no NUL), on
 * the thread that prints, which is safe; `caller` is the thread of the outermost call, also for what it
 * spawned. Several at once.
 * Threads: any. Blocks: short. GC: any, kept. Owns: program borrowed; context borrowed until the delete.
 * Errors: none.
 */
BERTH_API void berth_program_set_print(berth_program_t* program,
                                       void (*print)(void* context, berth_thread_t* caller, const char* text,
                                                     size_t length),
                                       void* context);
/**
 * Calls the function `method` with `n` arguments, in the engine's world of now; infers and compiles what is
 * missing. `result` may be NULL.
 * Threads: owner of thread; several threads may call at once. Blocks: may wait, for inference, compiles and
 * what the program waits for. GC: any, kept; unsafe while it runs, polls, safe while waiting. Owns: all
 * borrowed; an object in *result as berth_value_t says.
 * Errors: NOT_FOUND without such a function; RUNTIME_ERROR for what the program raised, with details
 * {"kind","text","at","stack"}; INVALID_ARGUMENT for NULL or an unknown kind; what reserving and compiling
 * give.
 */
BERTH_API berth_error_t* berth_program_call(berth_thread_t* thread, berth_program_t* program,
                                            const char* method, const berth_value_t* args, size_t n,
                                            berth_value_t* result);
/**
 * Infers the method that arguments of these `n` types select, and prints its typed IR. n = 0, and the
 * function has one method: that one, with its declared types.
 * Threads: owner of thread. Blocks: may wait, for inference. GC: any, kept; unsafe while it runs, safe while
 * waiting.
 * Owns: all borrowed; *typed_ir returned, release with berth_string_delete. Errors: NOT_FOUND;
 * INVALID_ARGUMENT if several methods may be selected, or NULL; PARSE_ERROR for what is no type; TYPE_ERROR;
 * what reserving gives.
 */
BERTH_API berth_error_t* berth_program_infer(berth_thread_t* thread, berth_program_t* program,
                                             const char* method, const char* const* types, size_t n,
                                             char** typed_ir);
/**
 * Waits for threads that the program spawned, retires what was inferred of it, and deletes. NULL is nothing.
 * Threads: one at a time, no call running. Blocks: may wait, for spawned threads. GC: any, kept; safe while
 * waiting.
 * Owns: consumed. Errors: none.
 */
BERTH_API void berth_program_delete(berth_program_t* program);

/**
 * Code of one method or kernel as text. `form`: "ir", "typed-ir", "llvm", "asm" for methods; "ir", "llvm",
 * "ptx" for kernels; "amdgcn" and "spirv" are not in this build. `target_cpu`: of PTX, such as "sm_90"; NULL
 * or "": the default, and needed so for methods. Types as in berth_program_infer. `length`, bytes without the
 * closing NUL, may be NULL.
 * Threads: owner of thread. Blocks: may wait, for inference. GC: any, kept; unsafe while it runs, safe while
 * waiting.
 * Owns: all borrowed; *text returned, release with berth_string_delete. Errors: UNSUPPORTED form or target
 * CPU; as berth_program_infer.
 */
BERTH_API berth_error_t* berth_program_emit(berth_thread_t* thread, berth_program_t* program,
                                            const char* method, const char* const* types, size_t n,
                                            const char* form, const char* target_cpu, char** text,
                                            size_t* length);
/**
 * Text of a value as print writes it.
 * Threads: owner of thread. Blocks: short. GC: any, kept; unsafe meanwhile. Owns: all borrowed; *text
 * returned, release with berth_string_delete. Errors: INVALID_ARGUMENT for NULL or an unknown kind.
 */
BERTH_API berth_error_t* berth_program_format(berth_thread_t* thread, berth_program_t* program,
                                              const berth_value_t* value, char** text);

BERTH_END

#endif
