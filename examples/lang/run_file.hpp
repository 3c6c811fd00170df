// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RunFile: one file of `berth run`: loaded once, its main called by every thread, its outcome what all of
// them agree on.
#pragma once
#include <mutex>
#include <optional>
#include <string>

#include "capture.hpp"
#include "commands.hpp"
#include "session.hpp"

namespace berth::lang {

class RunFile {
 public:
  explicit RunFile(std::string path) : path_(std::move(path)) {}

  /// Reads, translates, defines. A failure is this file's outcome.
  void load(berth_engine_t* engine, berth_thread_t* thread, const RunOptions& options,
            berth_device_t* device);
  /// Calls main on an attached thread. first: its output is the one to be printed.
  void call(berth_thread_t* thread, bool first);
  void unload() noexcept { program_.reset(); }

  const std::string& path() const noexcept { return path_; }
  bool is_loaded() const noexcept { return is_loaded_; }
  bool is_ok() const noexcept { return error_.empty(); }
  const std::string& error() const noexcept { return error_; }
  const std::string& output() const noexcept { return output_; }
  double seconds() const noexcept { return seconds_; }

 private:
  bool is_module() const { return has_extension(path_, ".ll") || has_extension(path_, ".bc"); }
  std::string call_program(berth_thread_t* thread);
  std::string call_module(berth_thread_t* thread);
  Instance compile_module(berth_thread_t* thread);
  void compare(const std::string& output) const;
  void finish(std::string output, const std::string& error, double seconds, bool first);

  std::string path_;
  Program program_;
  std::string module_;  // text or bitcode
  berth_tier_t tier_ = BERTH_TIER_ADAPTIVE;
  std::optional<std::string> expected_;
  Capture capture_;
  std::mutex mutex_;  // of the outcome; main reads it after all threads ended
  std::string error_, output_;
  double seconds_ = 0;
  bool is_loaded_ = false;
};

}  // namespace berth::lang
