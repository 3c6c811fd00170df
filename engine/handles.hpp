// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C API's opaque handles are the engine's own objects.
#pragma once
#include "engine/agent.hpp"
#include "engine/cancel.hpp"
#include "engine/code_instance.hpp"
#include "engine/engine.hpp"
#include "gc/thread.hpp"

namespace berth::engine {

inline Engine* to_engine(berth_engine_t* handle) noexcept { return reinterpret_cast<Engine*>(handle); }
inline Engine* to_engine(const berth_engine_t* handle) noexcept {
  return to_engine(const_cast<berth_engine_t*>(handle));
}
inline gc::Thread* to_thread(berth_thread_t* handle) noexcept {
  return reinterpret_cast<gc::Thread*>(handle);
}
inline Engine* engine_of(berth_thread_t* handle) noexcept {
  return static_cast<Engine*>(to_thread(handle)->engine);
}
inline Agent* to_agent(berth_agent_t* handle) noexcept { return reinterpret_cast<Agent*>(handle); }
inline CodeInstance* to_instance(berth_instance_t* handle) noexcept {
  return reinterpret_cast<CodeInstance*>(handle);
}
inline const CodeInstance* to_instance(const berth_instance_t* handle) noexcept {
  return reinterpret_cast<const CodeInstance*>(handle);
}
inline Cancel* to_cancel(berth_cancel_t* handle) noexcept { return reinterpret_cast<Cancel*>(handle); }

inline berth_engine_t* to_handle(Engine* engine) noexcept {
  return reinterpret_cast<berth_engine_t*>(engine);
}
inline berth_thread_t* to_handle(gc::Thread* thread) noexcept {
  return reinterpret_cast<berth_thread_t*>(thread);
}
inline berth_agent_t* to_handle(Agent* agent) noexcept { return reinterpret_cast<berth_agent_t*>(agent); }
inline berth_instance_t* to_handle(CodeInstance* instance) noexcept {
  return reinterpret_cast<berth_instance_t*>(instance);
}
inline berth_cancel_t* to_handle(Cancel* cancel) noexcept {
  return reinterpret_cast<berth_cancel_t*>(cancel);
}

}  // namespace berth::engine
