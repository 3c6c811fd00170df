// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CachedRequest: a request as the object cache sees it: its key, and what was found under it.
//
// LLVM sources are not read for it: their bytes are the key's. Typed IR is lowered first, which costs little
// against generating code, and its module is; so whatever the lowering looked at is in the key, and the
// addresses that a found object needs are at hand.
#pragma once
#include <optional>

#include "berth/engine.h"
#include "jit/object_cache.hpp"
#include "jit/object_compiler.hpp"

namespace berth::jit {

struct CachedRequest {
  std::optional<CacheKey> key;           // none: not cached
  std::optional<LoweredMethod> lowered;  // of typed IR
  ObjectCache::Found found;
};

/// Without what is found. Not cached: an owner without token, and what cannot be lowered, as its compile will
/// say. Threads: any, no lock held; calls the embedder. Blocks: lowers. GC: must be safe. Errors: none.
CachedRequest identify(const CompileRequest& request, ObjectCompiler& compiler, const ObjectCache& cache,
                       const berth_key_traits_t& traits);

/// Whether the member can be this request's: that its edges and addresses are there. Threads: any. Blocks:
/// never.
bool fits(const ObjectMember& member, const CompileRequest& request, const CachedRequest& cached) noexcept;

}  // namespace berth::jit
