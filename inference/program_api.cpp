// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C functions of berth/program.h.
//
// An object in a result is kept alive by a handle of the calling thread's agent: until its outermost handle
// scope closes, or until detach if none is open. An object in an argument is kept alive by the caller.
#include "berth/program.h"

#include <cstring>

#include "berth/gc.h"
#include "inference/inference.hpp"
#include "inference/method_table.hpp"
#include "inference/program.hpp"
#include "inference/runtime.hpp"
#include "inference/text.hpp"
#include "support/api.hpp"

struct berth_program {
  std::shared_ptr<berth::inference::Program> program;
};

namespace berth::inference {
namespace {

gc::Thread& thread_of(berth_thread_t* thread) noexcept { return *reinterpret_cast<gc::Thread*>(thread); }

Error null_argument(const char* function, const char* name) {
  return make_error(BERTH_INVALID_ARGUMENT, function, std::string(name) + " is NULL",
                    "pass an object of Berth");
}

char* copy_text(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy) throw std::bad_alloc();
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}

Result<Value> value_of(const berth_value_t& value, size_t index) {
  switch (value.kind) {
    case BERTH_VALUE_NOTHING: return Value::nothing();
    case BERTH_VALUE_I64: return Value::i64(value.i);
    case BERTH_VALUE_F64: return Value::f64(value.f);
    case BERTH_VALUE_BOOL: return Value::boolean(value.b != 0);
    case BERTH_VALUE_OBJECT: return Runtime::unbox(static_cast<gc::Object*>(value.object));
  }
  return make_error(BERTH_INVALID_ARGUMENT, "argument " + std::to_string(index), "unknown kind of value",
                    "use a BERTH_VALUE_ constant");
}

Result<void> put_value(gc::Thread& thread, Runtime& runtime, const Value& value, berth_value_t& out) {
  berth_value_t made{};
  switch (value.kind) {
    case LeafKind::Nothing: made.kind = BERTH_VALUE_NOTHING; break;
    case LeafKind::I64:
      made.kind = BERTH_VALUE_I64;
      made.i = static_cast<int64_t>(value.bits);
      break;
    case LeafKind::F64:
      made.kind = BERTH_VALUE_F64;
      made.f = __builtin_bit_cast(double, value.bits);
      break;
    case LeafKind::Bool:
      made.kind = BERTH_VALUE_BOOL;
      made.b = value.bits != 0;
      break;
    default: {
      gc::Object* object = nullptr;
      if (!runtime.box(thread, value, object)) return runtime.take_error(thread);
      void** handle = nullptr;
      if (berth_error_t* error =
              berth_gc_scope_handle(reinterpret_cast<berth_thread_t*>(&thread), object, &handle))
        return Error::adopt(error);
      made.kind = BERTH_VALUE_OBJECT;
      made.object = *handle;
    }
  }
  out = made;
  return success();
}

/// The thread of the outermost call, whatever calls back in between.
berth_thread_t* caller_of(gc::Thread& thread) noexcept {
  const auto* outer = static_cast<const RuntimeThread*>(thread.language);
  return outer && outer->caller ? outer->caller : reinterpret_cast<berth_thread_t*>(&thread);
}

Result<void> call(gc::Thread& thread, Program& program, const char* method, const berth_value_t* args,
                  size_t n, berth_value_t* result) {
  const Function* function = program.function(method);
  if (!function) {
    return make_error(BERTH_NOT_FOUND, std::string("call ") + method, "no function of that name",
                      "define it, or name another");
  }
  std::vector<Value> values;
  for (size_t i = 0; i < n; ++i) {
    BERTH_TRY(const Value value, value_of(args[i], i));
    values.push_back(value);
  }
  const OutermostCall outermost(thread, program.engine().world(), caller_of(thread));
  Value given;
  if (!program.runtime().call(thread, function, values, 0, given))
    return program.runtime().take_error(thread);
  return result ? put_value(thread, program.runtime(), given, *result) : success();
}

struct Found {
  const Method* method;
  std::vector<const Type*> types;
};

/// The method that arguments of these types select. One with no types named and one method: that, with its
/// declared types.
Result<Found> find(Program& program, const char* name, const char* const* types, size_t n) {
  const uint64_t world = program.engine().world();
  const Function* function = program.function(name);
  if (!function)
    return make_error(BERTH_NOT_FOUND, name, "no function of that name", "define it, or name another");
  Found found{nullptr, {}};
  for (size_t i = 0; i < n; ++i) {
    BERTH_TRY(const Type* type, parse_type(program, types[i]));
    found.types.push_back(type);
  }
  const std::vector<const Method*> all = program.methods().all(*function, world);
  if (n == 0 && all.size() == 1) {
    found.method = all.front();
    found.types = found.method->signature;
    return found;
  }
  const Dispatch dispatch = program.methods().find(*function, found.types, world);
  std::string asked = std::string(name) + "(";
  for (size_t i = 0; i < n; ++i) asked += (i ? ", " : "") + found.types[i]->name;
  asked += ")";
  if (dispatch.methods.empty())
    return make_error(BERTH_NOT_FOUND, asked, "no method for these types",
                      "name types that a method accepts");
  if (dispatch.methods.size() > 1 || dispatch.ambiguous[0]) {
    return make_error(BERTH_INVALID_ARGUMENT, asked, "several methods may be selected",
                      "name narrower types");
  }
  found.method = dispatch.methods.front();
  return found;
}

Result<std::string> typed_text(gc::Thread& thread, Program& program, const Found& found) {
  std::vector<const Type*> types;
  for (const Type* type : found.types) types.push_back(program.lattice().widen(type));
  const Specialisation* specialisation = program.specialise(*found.method, types);
  BERTH_TRY(const engine::CodeInstanceRef instance,
            infer(thread, program, *specialisation, program.engine().world(), false));
  return print_typed(typed_method(*instance), engine::instance_min_world(*instance),
                     engine::instance_max_world(*instance));
}

Result<std::string> emit(gc::Thread& thread, Program& program, const char* method, const char* const* types,
                         size_t n, const std::string& form, const char* target_cpu) {
  BERTH_TRY(const Found found, find(program, method, types, n));
  if (form == "ir") return print(*found.method);
  if (form == "typed-ir") return typed_text(thread, program, found);
  return emit_code(thread, program, *found.method, found.types, form, target_cpu ? target_cpu : "");
}

}  // namespace
}  // namespace berth::inference

using namespace berth;
using namespace berth::inference;

berth_error_t* berth_program_parse(berth_engine_t* engine, const char* text, size_t length, const char* name,
                                   berth_program_t** out) {
  return at_boundary("berth_program_parse", [&]() -> Result<void> {
    if (!engine || !out || (!text && length))
      return null_argument("berth_program_parse", engine ? out ? "text" : "out" : "engine");
    auto handle = std::make_unique<berth_program>();
    handle->program =
        std::make_shared<Program>(*reinterpret_cast<engine::Engine*>(engine), name ? name : "program");
    BERTH_TRYV(handle->program->define(nullptr, {text, length}, name ? name : "program"));
    *out = handle.release();
    return success();
  });
}

berth_error_t* berth_program_define(berth_thread_t* thread, berth_program_t* program, const char* text,
                                    size_t length, const char* name) {
  return at_boundary("berth_program_define", [&]() -> Result<void> {
    if (!program || (!text && length))
      return null_argument("berth_program_define", program ? "text" : "program");
    return program->program->define(reinterpret_cast<gc::Thread*>(thread), {text, length},
                                    name ? name : "program");
  });
}

void berth_program_set_tier(berth_program_t* program, berth_tier_t tier) {
  if (program) program->program->set_tier(tier);
}

void berth_program_set_device(berth_program_t* program, berth_device_t* device) {
  if (program) program->program->calls().set_device(device);
}

void berth_program_set_print(berth_program_t* program,
                             void (*print)(void*, berth_thread_t*, const char*, size_t), void* context) {
  if (program) program->program->runtime().set_print(print, context);
}

berth_error_t* berth_program_call(berth_thread_t* thread, berth_program_t* program, const char* method,
                                  const berth_value_t* args, size_t n, berth_value_t* result) {
  return at_boundary("berth_program_call", [&]() -> Result<void> {
    if (!thread || !program || !method || (!args && n)) {
      return null_argument("berth_program_call", !thread    ? "thread"
                                                 : !program ? "program"
                                                 : !method  ? "method"
                                                            : "args");
    }
    const gc::UnsafeRegion unsafe(thread_of(thread));
    return call(thread_of(thread), *program->program, method, args, n, result);
  });
}

berth_error_t* berth_program_infer(berth_thread_t* thread, berth_program_t* program, const char* method,
                                   const char* const* types, size_t n, char** typed_ir) {
  return at_boundary("berth_program_infer", [&]() -> Result<void> {
    if (!thread || !program || !method || !typed_ir)
      return null_argument("berth_program_infer", "an argument");
    const gc::UnsafeRegion unsafe(thread_of(thread));
    BERTH_TRY(const std::string text,
              emit(thread_of(thread), *program->program, method, types, n, "typed-ir", nullptr));
    *typed_ir = copy_text(text);
    return success();
  });
}

void berth_program_delete(berth_program_t* program) {
  if (!program) return;
  program->program->close();
  delete program;
}

berth_error_t* berth_program_emit(berth_thread_t* thread, berth_program_t* program, const char* method,
                                  const char* const* types, size_t n, const char* form,
                                  const char* target_cpu, char** text, size_t* length) {
  return at_boundary("berth_program_emit", [&]() -> Result<void> {
    if (!thread || !program || !method || !form || !text)
      return null_argument("berth_program_emit", "an argument");
    const gc::UnsafeRegion unsafe(thread_of(thread));
    BERTH_TRY(const std::string made,
              emit(thread_of(thread), *program->program, method, types, n, form, target_cpu));
    *text = copy_text(made);
    if (length) *length = made.size();
    return success();
  });
}

berth_error_t* berth_program_format(berth_thread_t* thread, berth_program_t* program,
                                    const berth_value_t* value, char** text) {
  return at_boundary("berth_program_format", [&]() -> Result<void> {
    if (!thread || !program || !value || !text) return null_argument("berth_program_format", "an argument");
    const gc::UnsafeRegion unsafe(thread_of(thread));
    BERTH_TRY(const Value given, value_of(*value, 0));
    *text = copy_text(program->program->runtime().text_of_value(given));
    return success();
  });
}
