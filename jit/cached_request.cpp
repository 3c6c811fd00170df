// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/cached_request.hpp"

#include <algorithm>

#include "jit/llvm_body.hpp"

namespace berth::jit {
namespace {

// Typed IR belongs to programs, which have no options of their own: all that they differ in is in the module.
std::optional<std::string> owner_token(const engine::CompileJob& job, const berth_key_traits_t& traits) {
  const void* const owner = job.instance ? engine::instance_key(*job.instance).owner : nullptr;
  if (!owner || is_typed(job)) return std::string();
  if (!traits.token) return {};
  std::string token(256, '\0');
  size_t size = traits.token(traits.context, owner, token.data(), token.size());
  if (size > token.size()) {
    token.resize(size);
    size = std::min(size, traits.token(traits.context, owner, token.data(), token.size()));
  }
  token.resize(size);
  if (token.empty()) return {};
  return token;
}

}  // namespace

CachedRequest identify(const CompileRequest& request, ObjectCompiler& compiler, const ObjectCache& cache,
                       const berth_key_traits_t& traits) {
  CachedRequest cached;
  const engine::CompileJob& job = request.job;
  const std::optional<std::string> token = owner_token(job, traits);
  if (!token) return cached;
  CacheSource source;
  source.kind = job.source->body->kind();
  if (is_typed(job)) {
    auto lowered = compiler.lower(request);
    if (lowered.has_error()) return cached;
    cached.lowered = std::move(lowered).assume_value();
    source.bytes = cached.lowered->bitcode;
    source.entry = cached.lowered->member.entry;
  } else {
    source.bytes = static_cast<const LlvmBody&>(*job.source->body).bytes;
    source.entry = job.source->entry_symbol;
    for (const engine::Edge& edge : job.source->edges) source.edges.push_back(edge.symbol);
  }
  source.tier = tier_of(job);
  source.counted = compiler.counts(job);
  source.owner = *token;
  cached.key = cache.key(source);
  return cached;
}

bool fits(const ObjectMember& member, const CompileRequest& request, const CachedRequest& cached) noexcept {
  const size_t num_edges = request.job.source->edges.size();
  const size_t num_addresses = cached.lowered ? cached.lowered->member.addresses.size() : 0;
  return member.num_addresses == num_addresses && member.addresses_symbol.empty() == (num_addresses == 0) &&
         std::all_of(member.slots.begin(), member.slots.end(),
                     [&](const EdgeSlot& slot) { return slot.edge < num_edges; });
}

}  // namespace berth::jit
