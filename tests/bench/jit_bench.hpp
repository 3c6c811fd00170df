// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the jit benches share: an engine with its thread and as many keys as are asked for.
#pragma once
#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "berth/berth.hpp"
#include "tests/bench/harness.hpp"

namespace berth::bench {

class JitEngine {
 public:
  explicit JitEngine(unsigned compile_threads, const char* cache_directory = nullptr)
      : engine_(configured(compile_threads, cache_directory).get()), thread_(engine_) {}

  berth_engine_t* get() const { return engine_.get(); }
  ThreadOwner& thread() { return thread_; }
  /// Releases a source for a key of its own.
  InstanceRef release(SourceOwner source, berth_tier_t tier) {
    auto reservation = thread_.reserve({reinterpret_cast<const void*>(++keys_ * 16), nullptr});
    InstanceRef instance = reservation.lease.instance();
    berth_source_set_tier(source.get(), tier);
    reservation.lease.release(std::move(source));
    return instance;
  }
  InstanceRef release(const std::string& text, const std::string& entry, berth_tier_t tier) {
    return release(SourceOwner::from_ir(text, entry.c_str()), tier);
  }
  void* wait(const InstanceRef& instance) { return thread_.wait_entry(instance); }
  /// Source i has entry `f<i>`. Until all are callable.
  void compile_all(std::span<const std::string> texts, berth_tier_t tier) {
    std::vector<InstanceRef> instances;
    for (size_t i = 0; i < texts.size(); ++i)
      instances.push_back(release(texts[i], fmt::format("f{}", i), tier));
    for (const InstanceRef& instance : instances) wait(instance);
  }

 private:
  static ConfigOwner configured(unsigned compile_threads, const char* cache_directory) {
    ConfigOwner config(berth_config_new());
    berth_config_set_cache_directory(config.get(), cache_directory);
    berth_config_set_compile_threads(config.get(), compile_threads);
    return config;
  }
  EngineOwner engine_;
  ThreadOwner thread_;
  size_t keys_ = 0;
};

std::vector<Figure> jit_calls_figures();
std::vector<Figure> jit_scale_figures();
void add_to(std::vector<Figure>& all, std::vector<Figure> more);

}  // namespace berth::bench
