// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C functions of berth/engine.h, and the engine's of berth/gc.h.
#include "berth/engine.h"

#include <algorithm>
#include <cstring>

#include "engine/handles.hpp"
#include "gc/gc_api.hpp"
#include "support/api.hpp"

struct berth_config {
  berth::engine::EngineOptions options;
  bool has_failed = false;  // memory was missing for a setting: no engine is made without it
};

namespace berth::gc {
Collector& collector_of(berth_engine_t* engine) { return berth::engine::to_engine(engine)->collector(); }
}  // namespace berth::gc

namespace {

using namespace berth;
using namespace berth::engine;

/// Structs grow at their end: what an older caller does not know stays zero.
template <class T>
void copy_struct(T& to, const T* from) noexcept {
  to = T{};
  if (from) std::memcpy(static_cast<void*>(&to), from, std::min(from->struct_size, sizeof(T)));
}

void set_text(berth_config_t& config, std::string& to, const char* from) noexcept try {
  to = from ? from : "";
} catch (const std::bad_alloc&) { config.has_failed = true; }

char* new_string(const std::string& text) noexcept {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace

extern "C" {

berth_config_t* berth_config_new(void) { return new (std::nothrow) berth_config; }
void berth_config_delete(berth_config_t* config) { delete config; }

void berth_config_set_compile_threads(berth_config_t* config, unsigned threads) {
  if (!config) return;
  config->options.compile_threads = threads;
  config->options.compile_threads_set = true;
}
void berth_config_set_mark_threads(berth_config_t* config, unsigned threads) {
  if (config) config->options.collector.mark_threads = threads;
}
void berth_config_set_gc_hooks(berth_config_t* config, const berth_gc_hooks_t* hooks, void* context) {
  if (!config) return;
  copy_struct(config->options.collector.hooks.table, hooks);
  config->options.collector.hooks.context = context;
  config->options.collector.hooks.foreign = hooks != nullptr;
}
void berth_config_set_key_traits(berth_config_t* config, const berth_key_traits_t* traits) {
  if (config) copy_struct(config->options.traits, traits);
}
void berth_config_set_cycle_policy(berth_config_t* config, berth_cycle_policy_t policy) {
  if (config) config->options.cycle_policy = policy;
}
void berth_config_set_reentry_limit(berth_config_t* config, uint32_t limit) {
  if (config) config->options.reentry_limit = limit;
}
void berth_config_set_lease_timeout(berth_config_t* config, int64_t ns) {
  if (config) config->options.lease_timeout_ns = ns;
}
void berth_config_set_code_limit(berth_config_t* config, size_t bytes) {
  if (config) config->options.code_limit_bytes = bytes;
}
void berth_config_set_cache_directory(berth_config_t* config, const char* directory) {
  if (config) set_text(*config, config->options.cache_directory, directory);
}
void berth_config_set_containment(berth_config_t* config, berth_containment_t containment) {
  if (config) config->options.containment = containment;
}
void berth_config_set_compile_worker(berth_config_t* config, const char* path) {
  if (config) set_text(*config, config->options.compile_worker, path);
}
void berth_config_set_compile_budget(berth_config_t* config, berth_tier_t tier, int64_t ns,
                                     uint64_t instructions, uint64_t object_bytes) {
  if (config) config->options.budgets[budget_index(tier)] = {ns < 0 ? 0 : ns, instructions, object_bytes};
}
void berth_config_set_target(berth_config_t* config, const char* triple, const char* cpu,
                             const char* features) {
  if (!config) return;
  const auto text = [](const char* given) { return given ? given : ""; };
  try {
    config->options.target = {text(triple), text(cpu), text(features)};
  } catch (const std::bad_alloc&) { config->has_failed = true; }
}
void berth_config_set_call_error(berth_config_t* config, berth_call_error_t function, void* context) {
  if (!config) return;
  config->options.call_error = function;
  config->options.call_error_context = context;
}
void berth_config_set_compiler_hooks(berth_config_t* config, const berth_compiler_hooks_t* hooks,
                                     void* context) {
  if (!config) return;
  copy_struct(config->options.compiler_hooks, hooks);
  config->options.compiler_context = context;
  config->options.has_compiler_hooks = hooks && hooks->submit;
}

berth_error_t* berth_engine_new(const berth_config_t* config, berth_engine_t** out) {
  return at_boundary("berth_engine_new", [&]() -> Result<void> {
    if (!out) return missing("berth_engine_new", "out");
    if (config && config->has_failed) throw std::bad_alloc();
    BERTH_TRY(auto engine, Engine::make(config ? config->options : EngineOptions{}));
    *out = to_handle(engine.release());
    return success();
  });
}
berth_error_t* berth_engine_shutdown(berth_engine_t* engine) {
  return at_boundary("berth_engine_shutdown", [&]() -> Result<void> {
    if (!engine) return missing("berth_engine_shutdown", "the engine");
    return to_engine(engine)->shutdown();
  });
}
void berth_engine_delete(berth_engine_t* handle) {
  if (!handle) return;
  // In a forked child nothing may be joined or unlocked: the engine is left as it is.
  if (to_engine(handle)->is_forked()) return;
  delete to_engine(handle);
}
uint64_t berth_engine_world(const berth_engine_t* engine) { return engine ? to_engine(engine)->world() : 0; }
uint64_t berth_engine_advance_world(berth_engine_t* engine) {
  return engine ? to_engine(engine)->advance_world() : 0;
}

char* berth_engine_explain(berth_engine_t* engine) {
  if (!engine) return nullptr;
  try {
    return new_string(to_engine(engine)->explain());
  } catch (...) { return nullptr; }
}
char* berth_engine_metrics(berth_engine_t* engine) {
  if (!engine) return nullptr;
  try {
    return new_string(to_engine(engine)->metrics());
  } catch (...) { return nullptr; }
}
void berth_engine_counts(berth_engine_t* engine, berth_engine_counts_t* out) {
  if (!engine || !out) return;
  berth_engine_counts_t counts{};
  counts.struct_size = out->struct_size;
  to_engine(engine)->counts(counts);
  std::memcpy(out, &counts, std::min(out->struct_size, sizeof counts));
}
berth_error_t* berth_engine_trace_start(berth_engine_t* engine, const char* path) {
  return at_boundary("berth_engine_trace_start", [&]() -> Result<void> {
    if (!engine) return missing("berth_engine_trace_start", "the engine");
    return to_engine(engine)->trace_start(path);
  });
}
berth_error_t* berth_engine_trace_stop(berth_engine_t* engine) {
  return at_boundary("berth_engine_trace_stop", [&]() -> Result<void> {
    if (!engine) return missing("berth_engine_trace_stop", "the engine");
    return to_engine(engine)->trace_stop();
  });
}
berth_error_t* berth_engine_set_observers(berth_engine_t* engine, uint32_t flags) {
  return at_boundary("berth_engine_set_observers", [&]() -> Result<void> {
    if (!engine) return missing("berth_engine_set_observers", "the engine");
    return to_engine(engine)->set_observers(flags);
  });
}
char* berth_instance_times_json(const berth_instance_t* instance) {
  if (!instance) return nullptr;
  try {
    return new_string(Engine::times_json(*to_instance(instance)));
  } catch (...) { return nullptr; }
}
void berth_string_delete(char* string) { std::free(string); }

void berth_engine_sweep(berth_engine_t* handle) {
  if (!handle) return;
  Engine* engine = to_engine(handle);
  const gc::Hooks& hooks = engine->collector().hooks();
  if (!hooks.foreign || !hooks.table.is_live) return;
  engine->sweep([&](const void* object) { return hooks.table.is_live(hooks.context, object) != 0; });
}
void berth_engine_recruit(berth_engine_t* engine, size_t n) {
  if (engine) to_engine(engine)->collector().recruit(n);
}

}  // extern "C"
