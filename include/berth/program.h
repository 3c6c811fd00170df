// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs: Berth's own inference over the IR text form, and calls into what it made.
#ifndef BERTH_PROGRAM_H
#define BERTH_PROGRAM_H

#include "berth/error.h"

BERTH_BEGIN

typedef enum berth_value_kind {
  BERTH_VALUE_NOTHING, BERTH_VALUE_I64, BERTH_VALUE_F64, BERTH_VALUE_BOOL, BERTH_VALUE_OBJECT
} berth_value_kind_t;
typedef struct berth_value {
  berth_value_kind_t kind;
  union { int64_t i; double f; int b; void *object; };
} berth_value_t;

BERTH_API berth_error_t *berth_program_parse(berth_engine_t *engine, const char *text, size_t length, const char *name,
                                             berth_program_t **out);
BERTH_API berth_error_t *berth_program_define(berth_thread_t *thread, berth_program_t *program, const char *text,
                                              size_t length, const char *name);
BERTH_API void berth_program_set_tier(berth_program_t *program, berth_tier_t tier);
BERTH_API void berth_program_set_device(berth_program_t *program, berth_device_t *device);
BERTH_API void berth_program_set_print(berth_program_t *program,
                                       void (*print)(void *context, berth_thread_t *caller, const char *text, size_t length),
                                       void *context);
BERTH_API berth_error_t *berth_program_call(berth_thread_t *thread, berth_program_t *program, const char *method,
                                            const berth_value_t *args, size_t n, berth_value_t *result);
BERTH_API berth_error_t *berth_program_infer(berth_thread_t *thread, berth_program_t *program, const char *method,
                                             const char *const *types, size_t n, char **typed_ir);
BERTH_API void berth_program_delete(berth_program_t *program);

/* Code of one method or kernel as text or bytes. form: "ir", "typed-ir", "llvm", "asm", "ptx", "amdgcn", "spirv". */
BERTH_API berth_error_t *berth_program_emit(berth_thread_t *thread, berth_program_t *program, const char *method,
                                            const char *const *types, size_t n, const char *form, const char *target_cpu,
                                            char **text, size_t *length);
/* Text of a value as print writes it. */
BERTH_API berth_error_t *berth_program_format(berth_thread_t *thread, berth_program_t *program, const berth_value_t *value,
                                              char **text);

BERTH_END

#endif
