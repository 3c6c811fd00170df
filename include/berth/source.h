// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: what a release hands over: LLVM IR, bitcode, a native entry, a constant, or a bare result.
#ifndef BERTH_SOURCE_H
#define BERTH_SOURCE_H

#include "berth/error.h"

BERTH_BEGIN

BERTH_API berth_error_t *berth_source_from_ir(const char *llvm_ir, size_t length, const char *entry_symbol, berth_source_t **out);
BERTH_API berth_error_t *berth_source_from_bitcode(const void *bitcode, size_t length, const char *entry_symbol,
                                                   berth_source_t **out);
BERTH_API berth_error_t *berth_source_from_native(void *entry, berth_source_t **out);
BERTH_API berth_error_t *berth_source_from_constant(const void *bytes, size_t size, berth_source_t **out);
BERTH_API berth_error_t *berth_source_new(berth_source_t **out);
BERTH_API void berth_source_set_worlds(berth_source_t *source, uint64_t min_world, uint64_t max_world);
BERTH_API void berth_source_set_tier(berth_source_t *source, berth_tier_t tier);
BERTH_API void berth_source_set_lazy(berth_source_t *source, int lazy);
BERTH_API void berth_source_add_edge(berth_source_t *source, berth_instance_t *callee, const char *symbol);
BERTH_API void berth_source_set_payload(berth_source_t *source, void *payload, void (*drop)(void *payload));
BERTH_API void berth_source_delete(berth_source_t *source);
BERTH_API void *berth_instance_payload(const berth_instance_t *instance);
BERTH_API berth_error_t *berth_instance_constant(const berth_instance_t *instance, const void **bytes, size_t *size);
BERTH_API berth_error_t *berth_engine_define_symbol(berth_engine_t *engine, const char *name, void *address);

BERTH_END

#endif
