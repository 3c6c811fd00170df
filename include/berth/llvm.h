// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @file
 * Sources from LLVM modules. Needs LLVM's own headers, so berth.h does not include it.
 */
#ifndef BERTH_LLVM_H
#define BERTH_LLVM_H

#include <llvm-c/Orc.h>

#include "berth/source.h"

BERTH_BEGIN

/**
 * A source with a copy of the module, taken now, under the module's context lock; later nothing of the
 * embedder's is touched. The module must be of the LLVM version that Berth was built with. In libberth only.
 * Threads: any. Blocks: may wait, for the context's lock. GC: any, kept; not made safe for the wait. Owns:
 * module and symbol borrowed; *out returned, consumed by a release or given to berth_source_delete.
 * Errors: INVALID_ARGUMENT without module, entry symbol or out.
 */
BERTH_API berth_error_t* berth_source_from_llvm_module(LLVMOrcThreadSafeModuleRef module,
                                                       const char* entry_symbol, berth_source_t** out);

BERTH_END

#endif
