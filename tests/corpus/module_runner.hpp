// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ModuleRunner: runs the main of an LLVM module in an engine and collects what it prints. The C library that
// such a program expects is defined to the engine by name: the print functions write into the calling
// thread's text, the others are the host's.
#pragma once
#include <berth/berth.h>

#include <atomic>
#include <string>

namespace berth::test {

struct Module {
  std::string bytes;
  bool is_text = false;  // .ll, else bitcode
};
/// Throws std::runtime_error if the file cannot be read.
Module read_module(const std::string& path);
std::string read_text(const std::string& path);

class ModuleRunner {
 public:
  /// Without an engine it gives up: throws std::runtime_error with the engine's text.
  explicit ModuleRunner(unsigned compile_threads, const char* cache_directory = nullptr);
  ~ModuleRunner();
  ModuleRunner(const ModuleRunner&) = delete;
  ModuleRunner& operator=(const ModuleRunner&) = delete;

  /// Compiles the module under a key of its own, so with data of its own, and calls main `calls` times: the
  /// output of each call, and its result in a last line. Attaches the calling thread. Threads: any. Throws
  /// std::runtime_error with the engine's text.
  std::string run(const Module& module, berth_tier_t tier, unsigned calls = 1);
  berth_engine_counts_t counts() const;
  berth_engine_t* engine() const noexcept { return engine_; }

 private:
  berth_engine_t* engine_ = nullptr;
  std::atomic<uint64_t> keys_{1};  // a counter, orders nothing: relaxed
};

}  // namespace berth::test
