// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host back end without an engine, and jobs for it: LLVM IR in, callable code or an error out.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/code_instance.hpp"
#include "jit/host_backend.hpp"
#include "jit/llvm_body.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::jit {

using namespace std::chrono_literals;
using engine::CodeInstance;
using test::Watchdog;

inline constexpr berth_tier_t kTiers[] = {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED};

class Instances final : public engine::Recycler {
 public:
  CodeInstance& make() {
    CodeInstance& instance = all_.emplace_back();
    instance.references.store(1, std::memory_order_relaxed);
    instance.recycler = this;
    return instance;
  }
  void unreferenced(CodeInstance&) noexcept override {
    std::abort();
  }  // the test's own reference is never given back

 private:
  std::deque<CodeInstance> all_;
};

struct Fixture {
  Fixture() = default;
  explicit Fixture(HostBackend::Options options) : backend(nullptr, std::move(options)) {}

  engine::CompileJob job(std::string ir, berth_tier_t tier = BERTH_TIER_FAST, std::string entry = "f") {
    engine::CompileJob job;
    job.instance = &instances.make();
    job.source = std::make_shared<engine::Source>();
    job.source->body = std::make_unique<LlvmBody>(engine::BodyKind::LlvmIr, std::move(ir));
    job.source->entry_symbol = std::move(entry);
    job.tier = tier;
    job.label = "label";
    return job;
  }
  Result<engine::Code*> compile(const engine::CompileJob& job) {
    const CompileRequest request{job, cancelled};
    auto answers = backend.generate({&request, 1});
    if (answers.has_error()) return std::move(answers).assume_error();
    return std::move(answers.assume_value().front());
  }
  Result<CodeGenerator::Answers> compile_batch(const std::vector<engine::CompileJob>& jobs) {
    std::vector<CompileRequest> requests;
    for (const engine::CompileJob& job : jobs) requests.push_back({job, cancelled});
    return backend.generate(requests);
  }
  Result<engine::Code*> compile(std::string ir, berth_tier_t tier = BERTH_TIER_FAST) {
    return compile(job(std::move(ir), tier));
  }
  template <class Function>
  Function* callable(const engine::CompileJob& job) {
    auto code = compile(job);
    if (code.has_error()) {
      ADD_FAILURE() << code.assume_error().message();
      return nullptr;
    }
    return reinterpret_cast<Function*>(code.assume_value()->entry);
  }
  template <class Function>
  Function* callable(std::string ir, berth_tier_t tier = BERTH_TIER_FAST) {
    return callable<Function>(job(std::move(ir), tier));
  }

  Watchdog watchdog{120s};
  Instances instances;
  HostBackend backend{nullptr};
  sync::Atomic<bool> cancelled{false};
};

/// Publishes, and keeps the texts of failures.
class Sink final : public engine::CompileSink {
 public:
  bool claim(CodeInstance&) noexcept override { return true; }
  void published(std::span<engine::NewCode> unit) noexcept override {
    for (engine::NewCode& made : unit)
      made.unused = made.instance->code.exchange(made.code, std::memory_order_acq_rel);
  }
  void failed(CodeInstance& instance, Error error, bool) noexcept override {
    const std::lock_guard lock(mutex_);
    errors_[&instance] = error.message();
  }
  void dropped(CodeInstance&) noexcept override { ADD_FAILURE() << "dropped"; }
  void release(engine::CodeInstanceRef) noexcept override {}
  std::map<const CodeInstance*, std::string> errors() {
    const std::lock_guard lock(mutex_);
    return errors_;
  }

 private:
  std::mutex mutex_;
  std::map<const CodeInstance*, std::string> errors_;
};

inline std::string number_source(int n) {
  return "define i64 @f(i64 %x) {\n  %y = add i64 %x, " + std::to_string(n) + "\n  ret i64 %y\n}\n";
}

}  // namespace berth::jit
