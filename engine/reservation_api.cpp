// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C functions of berth/reservation.h.
#include "berth/reservation.h"

#include <algorithm>
#include <cstring>

#include "engine/handles.hpp"
#include "engine/plain_pair.hpp"
#include "support/api.hpp"

using namespace berth;
using namespace berth::engine;

namespace {

Lease to_lease(berth_lease_t lease) noexcept { return {to_instance(lease.instance), lease.generation}; }
SourcePtr to_source(berth_source_t* source) noexcept { return SourcePtr(source); }

ReserveOptions to_options(const berth_reserve_options_t& given) noexcept {
  ReserveOptions options;
  berth_reserve_options_t known{};
  known.timeout_ns = -1;
  std::memcpy(&known, &given, std::min(given.struct_size, sizeof known));
  options.world = known.world;
  options.need = known.need == BERTH_NEED_ENTRY ? Need::Entry : Need::Result;
  options.deadline = Deadline::in(known.timeout_ns);
  options.cancel = to_cancel(known.cancel);
  options.label = known.label;
  options.guard = known.guard;
  return options;
}

const ReserveOptions kDefaults;

std::vector<SourcePtr> adopt(berth_source_t* const* sources, size_t n) {
  std::vector<SourcePtr> owned;
  try {
    owned.reserve(sources ? n : 0);
  } catch (const std::bad_alloc&) {
    for (size_t i = 0; i < n; ++i) to_source(sources[i]).reset();
    throw;
  }
  for (size_t i = 0; sources && i < n; ++i) owned.push_back(to_source(sources[i]));
  return owned;
}

// Out of line, as the next: what they need on the stack would cost the usual call.
[[gnu::noinline]] berth_error_t* reserve_in_full(berth_thread_t* thread, berth_key_t key,
                                                 const berth_reserve_options_t* options,
                                                 berth_reservation_t* out) noexcept {
  return at_boundary("berth_reserve", [&]() -> Result<void> {
    if (!thread || !out) return missing("berth_reserve", thread ? "out" : "the thread");
    if (!key.method) return missing("berth_reserve", "the key's method");
    Engine::Impl& impl = engine_of(thread)->impl();
    BERTH_TRY(Reservation reservation, options ? impl.reserve(*to_thread(thread), key, to_options(*options))
                                               : impl.reserve_by_steps(*to_thread(thread), key, kDefaults));
    out->outcome = static_cast<berth_outcome_t>(reservation.outcome);
    out->lease = {to_handle(reservation.lease.instance), reservation.lease.generation};
    out->published = to_handle(reservation.published.detach());
    out->depth = reservation.depth;
    return success();
  });
}

[[gnu::noinline]] berth_error_t* release_in_full(berth_thread_t* thread, berth_lease_t lease,
                                                 berth_source_t* source) noexcept {
  return at_boundary("berth_release", [&]() -> Result<void> {
    SourcePtr owned = to_source(source);
    if (!thread) return missing("berth_release", "the thread");
    return engine_of(thread)->release(*to_thread(thread), to_lease(lease), std::move(owned));
  });
}

}  // namespace

extern "C" {

berth_error_t* berth_reserve(berth_thread_t* thread, berth_key_t key, const berth_reserve_options_t* options,
                             berth_reservation_t* out) {
  using AtOnce = Engine::Impl::AtOnce;
  Lease got;
  const bool is_usual = !options && thread && out && key.method;
  switch (is_usual ? engine_of(thread)->impl().reserve_at_once(*to_thread(thread), key, kDefaults, got)
                   : AtOnce::No) {
    case AtOnce::Lease:
      *out = {BERTH_RESERVED, {to_handle(got.instance), got.generation}, nullptr, 0};
      return nullptr;
    case AtOnce::Hit: *out = {BERTH_PUBLISHED, {nullptr, 0}, to_handle(got.instance), 0}; return nullptr;
    default: return reserve_in_full(thread, key, options, out);
  }
}
berth_error_t* berth_release(berth_thread_t* thread, berth_lease_t lease, berth_source_t* source) {
  if (!source && thread && lease.instance &&
      engine_of(thread)->impl().give_back(*to_thread(thread), to_lease(lease))) [[likely]] {
    return nullptr;
  }
  return release_in_full(thread, lease, source);
}
berth_error_t* berth_release_error(berth_thread_t* thread, berth_lease_t lease, const char* message,
                                   int64_t retry_after_ns) {
  return at_boundary("berth_release_error", [&]() -> Result<void> {
    if (!thread) return missing("berth_release_error", "the thread");
    Error error;
    try {
      error = make_error(BERTH_COMPILE_FAILED, "", message ? message : "the holder failed", "");
    } catch (const std::bad_alloc&) {
      static_cast<void>(engine_of(thread)->release(*to_thread(thread), to_lease(lease), nullptr).has_error());
      throw;
    }
    return engine_of(thread)->release_error(*to_thread(thread), to_lease(lease), std::move(error),
                                            retry_after_ns);
  });
}
int berth_holds(berth_thread_t* thread, berth_key_t key) {
  return thread ? engine_of(thread)->holds(*to_thread(thread), key) : 0;
}

berth_error_t* berth_cancel_new(berth_engine_t* engine, berth_cancel_t** out) {
  return at_boundary("berth_cancel_new", [&]() -> Result<void> {
    if (!engine || !out) return missing("berth_cancel_new", engine ? "out" : "the engine");
    *out = to_handle(new Cancel(&to_engine(engine)->collector().hooks()));
    return success();
  });
}
void berth_cancel_fire(berth_cancel_t* cancel) {
  if (cancel) to_cancel(cancel)->fire();
}
void berth_cancel_delete(berth_cancel_t* cancel) { delete to_cancel(cancel); }

void* berth_lookup_entry(berth_engine_t* engine, berth_key_t key, uint64_t world) {
  return engine ? to_engine(engine)->lookup_entry(key, world) : nullptr;
}
berth_instance_t* berth_lookup(berth_engine_t* engine, berth_key_t key, uint64_t world) {
  return engine ? to_handle(to_engine(engine)->lookup(key, world).detach()) : nullptr;
}
void berth_instance_retain(berth_instance_t* instance) {
  if (instance) intrusive_ptr_add_ref(to_instance(instance));
}
void berth_instance_release(berth_instance_t* instance) {
  if (instance) Engine::release_reference(to_instance(instance));
}
void* berth_instance_entry(const berth_instance_t* instance) {
  const Code* code = instance ? announced_code(*to_instance(instance)) : nullptr;
  return code ? code->entry : nullptr;
}
berth_error_t* berth_instance_wait_entry(berth_thread_t* thread, berth_instance_t* instance,
                                         int64_t timeout_ns, void** entry) {
  return at_boundary("berth_instance_wait_entry", [&]() -> Result<void> {
    if (!thread || !instance)
      return missing("berth_instance_wait_entry", thread ? "the instance" : "the thread");
    BERTH_TRY(void* found, engine_of(thread)->wait_entry(*to_thread(thread), *to_instance(instance),
                                                         Deadline::in(timeout_ns)));
    if (entry) *entry = found;
    return success();
  });
}
berth_error_t* berth_instance_invalidate(berth_engine_t* engine, berth_instance_t* instance,
                                         uint64_t max_world) {
  return at_boundary("berth_instance_invalidate", [&]() -> Result<void> {
    if (!engine || !instance)
      return missing("berth_instance_invalidate", engine ? "the instance" : "the engine");
    return to_engine(engine)->invalidate(*to_instance(instance), max_world);
  });
}
berth_error_t* berth_publish(berth_thread_t* thread, const berth_lease_t* leases,
                             berth_source_t* const* sources, size_t n) {
  return at_boundary("berth_publish", [&]() -> Result<void> {
    std::vector<SourcePtr> owned = adopt(sources, n);  // first: consumed also on error
    if (!thread) return missing("berth_publish", "the thread");
    if (n != 0 && (!leases || !sources))
      return missing("berth_publish", leases ? "the list of sources" : "the list of leases");
    std::vector<Lease> known;
    for (size_t i = 0; i < n; ++i) known.push_back(to_lease(leases[i]));
    return engine_of(thread)->publish(*to_thread(thread), known, owned);
  });
}
berth_error_t* berth_instance_promote(berth_engine_t* engine, berth_instance_t* const* instances, size_t n,
                                      uint64_t validated, int* promoted) {
  return at_boundary("berth_instance_promote", [&]() -> Result<void> {
    if (!engine) return missing("berth_instance_promote", "the engine");
    if (n != 0 && !instances) return missing("berth_instance_promote", "the list of instances");
    std::vector<CodeInstance*> known;
    for (size_t i = 0; i < n; ++i) known.push_back(to_instance(instances[i]));
    BERTH_TRY(const bool done, to_engine(engine)->promote(known, validated));
    if (promoted) *promoted = done;
    return success();
  });
}

}  // extern "C"
