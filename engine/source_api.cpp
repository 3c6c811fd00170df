// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C functions of berth/source.h, but for LLVM sources (jit/), and of berth/compiler.h.
#include "berth/source.h"

#include "berth/compiler.h"
#include "engine/handles.hpp"
#include "engine/hook_compiler.hpp"
#include "support/api.hpp"

using namespace berth;
using namespace berth::engine;

namespace {

Result<void> hand_out(const char* function, std::unique_ptr<SourceBody> body, berth_source_t** out) {
  if (!out) return missing(function, "out");
  auto source = std::make_unique<berth_source>();
  source->body = std::move(body);
  *out = source.release();
  return success();
}

}  // namespace

extern "C" {

berth_error_t* berth_source_from_native(void* entry, berth_source_t** out) {
  return at_boundary("berth_source_from_native", [&]() -> Result<void> {
    if (!entry)
      return make_error(BERTH_INVALID_ARGUMENT, "berth_source_from_native", "the entry is NULL",
                        "pass a function");
    return hand_out("berth_source_from_native", std::make_unique<NativeBody>(entry), out);
  });
}
berth_error_t* berth_source_from_constant(const void* bytes, size_t size, berth_source_t** out) {
  return at_boundary("berth_source_from_constant", [&]() -> Result<void> {
    if (!bytes && size != 0) return missing("berth_source_from_constant", "the memory of the constant");
    return hand_out("berth_source_from_constant",
                    std::make_unique<ConstantBody>(std::string(static_cast<const char*>(bytes), size)), out);
  });
}
berth_error_t* berth_source_from_opaque(void* source, void (*drop)(void*), berth_source_t** out) {
  return at_boundary("berth_source_from_opaque", [&]() -> Result<void> {
    if (!out) return missing("berth_source_from_opaque", "out");
    // The body last: the source is consumed by success only.
    auto made = std::make_unique<berth_source>();
    made->body = std::make_unique<OpaqueBody>(source, drop);
    *out = made.release();
    return success();
  });
}
berth_error_t* berth_source_new(berth_source_t** out) {
  return at_boundary("berth_source_new", [&] { return hand_out("berth_source_new", nullptr, out); });
}
void berth_source_set_worlds(berth_source_t* source, uint64_t min_world, uint64_t max_world) {
  if (!source) return;
  source->has_worlds = true;
  source->min_world = min_world;
  source->max_world = max_world;
}
void berth_source_set_tier(berth_source_t* source, berth_tier_t tier) {
  if (source) source->tier = tier;
}
void berth_source_set_lazy(berth_source_t* source, int lazy) {
  if (source) source->lazy = lazy != 0;
}
void berth_source_set_priority(berth_source_t* source, berth_priority_t priority) {
  if (source) source->priority = priority;
}
void berth_source_set_isolated(berth_source_t* source, int isolated) {
  if (source) source->isolated = isolated != 0;
}
void berth_source_add_edge(berth_source_t* source, berth_instance_t* callee, const char* symbol) {
  if (!source || !callee) return;
  try {
    source->edges.push_back({CodeInstanceRef(to_instance(callee)), symbol ? symbol : ""});
  } catch (const std::bad_alloc&) { source->is_incomplete = true; }
}
void berth_source_set_payload(berth_source_t* source, void* payload, void (*drop)(void*)) {
  if (!source) return;
  if (source->payload && source->drop_payload) source->drop_payload(source->payload);
  source->payload = payload;
  source->drop_payload = drop;
}
void berth_source_delete(berth_source_t* source) { delete source; }

void* berth_instance_payload(const berth_instance_t* instance) {
  return instance ? instance_payload(*to_instance(instance)) : nullptr;
}
berth_error_t* berth_instance_constant(const berth_instance_t* handle, const void** bytes, size_t* size) {
  return at_boundary("berth_instance_constant", [&]() -> Result<void> {
    if (!handle || !bytes || !size)
      return missing("berth_instance_constant", handle ? "an out parameter" : "the instance");
    const SourceBody* body = instance_constant(*to_instance(handle));
    if (!body) {
      return make_error(BERTH_UNSUPPORTED, "berth_instance_constant", "the instance is no constant",
                        "call its entry, see berth_instance_wait_entry");
    }
    const std::string& constant = static_cast<const ConstantBody*>(body)->bytes;
    *bytes = constant.data();
    *size = constant.size();
    return success();
  });
}
berth_error_t* berth_engine_define_symbol(berth_engine_t* engine, const char* name, void* address) {
  return at_boundary("berth_engine_define_symbol", [&]() -> Result<void> {
    if (!engine) return missing("berth_engine_define_symbol", "the engine");
    if (!address) return missing("berth_engine_define_symbol", "the address");
    if (!name || !*name) {
      return make_error(BERTH_INVALID_ARGUMENT, "berth_engine_define_symbol", "the name is empty",
                        "pass the symbol's name");
    }
    Compiler* compiler = to_engine(engine)->compiler();
    if (!compiler) {
      return make_error(BERTH_UNSUPPORTED, "berth_engine_define_symbol", "this engine has no linker",
                        "link libberth");
    }
    return compiler->define_symbol(name, address);
  });
}

void* berth_job_source(const berth_job_t* job) {
  return job ? static_cast<OpaqueBody&>(*job->job.source->body).source : nullptr;
}
berth_instance_t* berth_job_instance(const berth_job_t* job) {
  return job ? to_handle(job->job.instance.get()) : nullptr;
}
void berth_job_begin(berth_job_t* job, berth_thread_t* thread) {
  if (!job || !thread) return;
  Engine* engine = engine_of(thread);
  engine->set_compiling_agent(*job->job.instance, static_cast<Agent*>(to_thread(thread)->agent));
}
void berth_job_publish(berth_job_t* job, void* entry, void* code) {
  if (job) job->compiler.publish(job, entry, code);
}
void berth_job_fail(berth_job_t* job, const char* message) {
  if (job) job->compiler.fail(job, message);
}

}  // extern "C"
