// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C functions of berth/thread.h.
#include "berth/thread.h"

#include "engine/handles.hpp"
#include "support/api.hpp"

using namespace berth;
using namespace berth::engine;

extern "C" {

berth_error_t* berth_thread_attach(berth_engine_t* engine, berth_thread_t** out) {
  return at_boundary("berth_thread_attach", [&]() -> Result<void> {
    if (!engine || !out) return missing("berth_thread_attach", engine ? "out" : "the engine");
    BERTH_TRY(gc::Thread * thread, to_engine(engine)->attach());
    *out = to_handle(thread);
    return success();
  });
}
void berth_thread_detach(berth_thread_t* thread) {
  if (thread) engine_of(thread)->detach(*to_thread(thread));
}
berth_thread_t* berth_thread_current(berth_engine_t* engine) {
  return engine ? to_handle(gc::current_thread(&to_engine(engine)->collector())) : nullptr;
}
void berth_thread_safepoint(berth_thread_t* thread) {
  if (thread) to_thread(thread)->safepoint();
}
berth_gc_state_t berth_thread_safe_enter(berth_thread_t* thread) {
  return thread ? static_cast<berth_gc_state_t>(to_thread(thread)->safe_enter()) : BERTH_GC_SAFE;
}
void berth_thread_safe_leave(berth_thread_t* thread, berth_gc_state_t previous) {
  if (thread) to_thread(thread)->safe_leave(static_cast<gc::State>(previous));
}

berth_error_t* berth_agent_new(berth_engine_t* engine, const char* name, berth_agent_t** out) {
  return at_boundary("berth_agent_new", [&]() -> Result<void> {
    if (!engine || !out) return missing("berth_agent_new", engine ? "out" : "the engine");
    BERTH_TRY(Agent * agent, to_engine(engine)->new_agent(name));
    *out = to_handle(agent);
    return success();
  });
}
void berth_agent_delete(berth_agent_t* handle) {
  if (!handle) return;
  Engine& engine = to_agent(handle)->engine;
  if (engine.delete_agent(to_agent(handle)).has_error()) engine.collector().count_misuse();
}
berth_error_t* berth_thread_set_agent(berth_thread_t* thread, berth_agent_t* agent,
                                      berth_agent_t** previous) {
  return at_boundary("berth_thread_set_agent", [&]() -> Result<void> {
    if (!thread) return missing("berth_thread_set_agent", "the thread");
    BERTH_TRY(Agent * before, engine_of(thread)->set_agent(*to_thread(thread), to_agent(agent)));
    if (previous) *previous = to_handle(before);
    return success();
  });
}
void berth_agent_set_stack(berth_agent_t* agent, const void* low, const void* high) {
  if (!agent) return;
  to_agent(agent)->stack_low = reinterpret_cast<uintptr_t>(low);
  to_agent(agent)->stack_high = reinterpret_cast<uintptr_t>(high);
}
void berth_agent_set_park_hooks(berth_agent_t* agent, const berth_park_hooks_t* hooks, void* context) {
  if (!agent) return;
  if (!hooks || !hooks->park || !hooks->unpark)
    return to_agent(agent)->set_park_hooks(nullptr, nullptr, nullptr);
  // The two thread types are one object under two names; the wait calls it by C's, with which it was made.
  const auto park = reinterpret_cast<gc::Thread* (*)(void*, gc::Thread*, int64_t)>(hooks->park);
  to_agent(agent)->set_park_hooks(park, hooks->unpark, context);
}

}  // extern "C"
