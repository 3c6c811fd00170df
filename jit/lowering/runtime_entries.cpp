// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// berth_rt_*: what lowered code calls. Thin: each is one function of the runtime, in a form that code can
// call.
//
// Those that can raise return 1 with thread->pending_error set, else 0. References they are given are rooted
// by the caller.
#include <atomic>

#include "engine/engine.hpp"
#include "gc/heap.hpp"
#include "gc/thread.hpp"
#include "inference/execution.hpp"
#include "inference/program.hpp"
#include "inference/runtime.hpp"
#include "jit/lowering/lowering_record.hpp"
#include "jit/typed_lowering.hpp"

namespace berth::jit {

using inference::Position;
using inference::Runtime;
using inference::Statement;
using inference::Value;

namespace {

/// Fills the slot if the callee has code of the convention the call was compiled for. Only from an instance
/// that no definition has limited: a later one that does limits the caller with it, so the slot may keep what
/// it has. The callee's resolution keeps the instance and so its code until the program ends.
void bind(gc::Thread& thread, const CallSite& site, std::atomic<void*>& slot) {
  if (slot.load(std::memory_order_relaxed)) return;
  const auto& state = static_cast<const inference::SpecialisationState&>(*site.callee);
  const auto* resolution = state.resolution.load(std::memory_order_acquire);
  const engine::CodeInstance* instance = resolution ? resolution->instance.get() : nullptr;
  if (!instance || engine::instance_max_world(*instance) != UINT64_MAX) return;
  // Inferred again after this call's world: not what it may run.
  if (engine::instance_min_world(*instance) >
      static_cast<const inference::RuntimeThread*>(thread.language)->world)
    return;
  const engine::Code* code = engine::instance_code(*instance);
  if (!code || !code->specialised_entry || code->convention != site.convention) return;
  slot.store(code->specialised_entry,
             std::memory_order_release);  // read acquire by the code: sees what the linker wrote
}

}  // namespace

extern "C" {

static void berth_rt_poll(gc::Thread* thread) { thread->poll_slow(); }

static uint8_t berth_rt_box(gc::Thread* thread, Runtime* runtime, const Value* value, gc::Object** out) {
  return !runtime->box(*thread, *value, *out);
}

static void berth_rt_unbox(gc::Object* object, Value* out) { *out = Runtime::unbox(object); }

static uint8_t berth_rt_execute(gc::Thread* thread, Runtime* runtime, const Statement* statement,
                                const Value* operands, uint64_t n, Value* result) {
  return !runtime->execute(*thread, *statement, {operands, n}, *result);
}

static uint8_t berth_rt_call(gc::Thread* thread, Runtime* runtime, const inference::Function* function,
                             const Value* arguments, uint64_t n, Value* result) {
  return !runtime->call(*thread, function, {arguments, n}, 0, *result);
}

static uint8_t berth_rt_invoke(gc::Thread* thread, Runtime* runtime, const CallSite* site,
                               std::atomic<void*>* slot, const Value* arguments, Value* result) {
  // Before the call too: in a recursion through several methods this call returns last, and every level below
  // would come here again.
  bind(*thread, *site, *slot);
  const bool done =
      runtime->invoke(*thread, *site->callee, {arguments, site->callee->arguments.size()}, *result);
  if (done) bind(*thread, *site, *slot);
  return !done;
}

static gc::Object* berth_rt_allocate(gc::Thread* thread, Runtime* runtime, const gc::Type* type) {
  return runtime->heap().allocate(*thread, type);
}

static uint8_t berth_rt_array_new(gc::Thread* thread, Runtime* runtime, const inference::Leaf* array,
                                  int64_t length, const Value* fill, gc::Object** out) {
  return !runtime->array_new(*thread, array, length, *fill, *out);
}

static void berth_rt_write(gc::Object** slot, gc::Object* value) { gc::Heap::write(nullptr, slot, value); }

static uint8_t berth_rt_is(Runtime* runtime, const Value* value, const inference::Type* type) {
  return runtime->is(*value, type);
}

static uint8_t berth_rt_same(const Value* a, const Value* b) { return Runtime::same(*a, *b); }

static void berth_rt_wrong_type(gc::Thread* thread, Runtime* runtime, const Value* value,
                                const inference::Type* type, const Position* at) {
  runtime->raise_type(*thread, type->name, *value, at);
}

static void berth_rt_throw(gc::Thread* thread, Runtime* runtime, const Value* thrown, const Position* at) {
  runtime->raise_value(*thread, *thrown, at);
}

static void berth_rt_unreachable(gc::Thread* thread, Runtime* runtime, const Position* at) {
  runtime->raise(*thread, "unreachable", "unreachable", at);
}

/// Raised before the callee has a frame: at the place of the call.
static void berth_rt_stack_overflow(gc::Thread* thread, Runtime* runtime) {
  runtime->raise(*thread, "stack", "stack overflow");
}

/// Objects first, so that all of them are rooted before the first number is boxed.
static uint8_t berth_rt_root_arguments(gc::Thread* thread, Runtime* runtime, gc::Frame* frame,
                                       const Value* arguments, uint64_t n, gc::Object** slots) {
  for (uint64_t i = 0; i < n; ++i) slots[i] = arguments[i].is_object() ? arguments[i].object : nullptr;
  thread->frames = frame;
  for (uint64_t i = 0; i < n; ++i)
    if (!arguments[i].is_object() && !runtime->box(*thread, arguments[i], slots[i])) return 1;
  return 0;
}

}  // extern "C"

std::span<const RuntimeSymbol> runtime_symbols() {
  static const RuntimeSymbol symbols[] = {
      {"berth_rt_poll", reinterpret_cast<void*>(&berth_rt_poll)},
      {"berth_rt_box", reinterpret_cast<void*>(&berth_rt_box)},
      {"berth_rt_unbox", reinterpret_cast<void*>(&berth_rt_unbox)},
      {"berth_rt_execute", reinterpret_cast<void*>(&berth_rt_execute)},
      {"berth_rt_call", reinterpret_cast<void*>(&berth_rt_call)},
      {"berth_rt_invoke", reinterpret_cast<void*>(&berth_rt_invoke)},
      {"berth_rt_allocate", reinterpret_cast<void*>(&berth_rt_allocate)},
      {"berth_rt_array_new", reinterpret_cast<void*>(&berth_rt_array_new)},
      {"berth_rt_write", reinterpret_cast<void*>(&berth_rt_write)},
      {"berth_rt_is", reinterpret_cast<void*>(&berth_rt_is)},
      {"berth_rt_same", reinterpret_cast<void*>(&berth_rt_same)},
      {"berth_rt_wrong_type", reinterpret_cast<void*>(&berth_rt_wrong_type)},
      {"berth_rt_throw", reinterpret_cast<void*>(&berth_rt_throw)},
      {"berth_rt_unreachable", reinterpret_cast<void*>(&berth_rt_unreachable)},
      {"berth_rt_stack_overflow", reinterpret_cast<void*>(&berth_rt_stack_overflow)},
      {"berth_rt_root_arguments", reinterpret_cast<void*>(&berth_rt_root_arguments)},
  };
  return symbols;
}

}  // namespace berth::jit
