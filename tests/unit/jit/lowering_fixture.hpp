// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LoweringWorld: an engine with this thread attached; programs that run at a tier, their value, output and
// error compared as text.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "gc/thread.hpp"
#include "inference/inference.hpp"
#include "inference/method_table.hpp"
#include "inference/program.hpp"
#include "inference/runtime.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::test {

using namespace std::chrono_literals;
using inference::LeafKind;
using inference::Value;

inline constexpr berth_tier_t kTiers[] = {BERTH_TIER_INTERPRET, BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED};
inline const char* name_of(berth_tier_t tier) {
  constexpr const char* kNames[] = {"interpret", "fast", "optimized", "adaptive"};
  return kNames[tier];
}

/// Of random input: BERTH_SEED, or another one each time; printed.
inline uint64_t start_value() {
  const char* given = std::getenv("BERTH_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("BERTH_SEED=%llu replays this\n", static_cast<unsigned long long>(seed));
  return seed;
}

class LoweringWorld {
 public:
  explicit LoweringWorld(unsigned compile_threads = 1, const std::string& cache_directory = {}) {
    engine::EngineOptions options;
    options.cache_directory = cache_directory;
    options.compile_threads = compile_threads;
    options.compile_threads_set = true;
    auto made = engine::Engine::make(options);
    if (made.has_error()) throw std::runtime_error(made.assume_error().message());
    engine_ = std::move(made).assume_value();
    auto attached = engine_->attach();
    if (attached.has_error()) throw std::runtime_error(attached.assume_error().message());
    thread_ = attached.assume_value();
  }
  ~LoweringWorld() { engine_->detach(*thread_); }

  engine::Engine& engine() { return *engine_; }
  gc::Thread& thread() { return *thread_; }

 private:
  std::unique_ptr<engine::Engine> engine_;
  gc::Thread* thread_ = nullptr;
};

class RunningProgram {
 public:
  RunningProgram(LoweringWorld& world, const std::string& text, berth_tier_t tier)
      : world_(world), program_(std::make_shared<inference::Program>(world.engine(), "test")) {
    program_->set_tier(tier);
    program_->runtime().set_print(&RunningProgram::print, this);
    auto defined = program_->define(&world.thread(), "berth-ir 1\n" + text, "test.bir");
    if (defined.has_error()) ADD_FAILURE() << defined.assume_error().message() << "\n" << text;
  }
  ~RunningProgram() { program_->close(); }

  inference::Program& program() { return *program_; }

  /// The value as text; numbers with their bits, NaNs as one. An error: "! kind: text".
  std::string call(const std::string& name, const std::vector<Value>& arguments) {
    return call_on(world_.thread(), name, arguments);
  }
  std::string call_on(gc::Thread& thread, const std::string& name, const std::vector<Value>& arguments) {
    inference::OutermostCall outermost(thread, world_.engine().world(), nullptr);
    auto& runtime = program_->runtime();
    Value result;
    if (!runtime.call(thread, program_->function(name), arguments, 0, result))
      return "! " + error_text(runtime.take_error(thread));
    return text_of(result);
  }
  /// Output, then the value of `main`.
  std::string run() {
    const std::string value = call("main", {});
    return output_ + "= " + value;
  }
  uint64_t num_fallbacks() { return program_->runtime().counters().fallbacks; }

 private:
  static void print(void* context, berth_thread_t*, const char* text, size_t length) {
    static_cast<RunningProgram*>(context)->output_.append(text, length);
  }
  static std::string error_text(const Error& error) { return error.message() + " " + error.details(); }
  std::string text_of(const Value& value) {
    const auto bits = std::to_string(value.bits);
    switch (value.kind) {
      case LeafKind::F64: return std::isnan(std::bit_cast<double>(value.bits)) ? "f64 nan" : "f64 " + bits;
      case LeafKind::F32:
        return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(value.bits))) ? "f32 nan"
                                                                                   : "f32 " + bits;
      default: break;
    }
    if (!value.is_object()) return std::string(inference::name_of(value.kind)) + " " + bits;
    return program_->runtime().text_of_value(value);
  }

  LoweringWorld& world_;
  std::shared_ptr<inference::Program> program_;
  std::string output_;
};

/// Runs `main` of the text at each tier; all must agree with `expected` (empty: with the interpreter) and
/// nothing may have been left to the interpreter that was meant to be compiled.
inline void expect_same_at_every_tier(const std::string& text, const std::string& expected = {}) {
  Watchdog watchdog{60s};
  LoweringWorld world;
  std::string first = expected;
  for (const berth_tier_t tier : kTiers) {
    RunningProgram program(world, text, tier);
    const std::string found = program.run();
    if (first.empty()) first = found;
    EXPECT_EQ(found, first) << name_of(tier);
    EXPECT_EQ(program.num_fallbacks(), 0u) << name_of(tier);
  }
}

}  // namespace berth::test
