// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Capture: what the calls of one program print, by the thread whose outermost call it was; spawned threads
// print into their caller's.
#pragma once
#include <map>
#include <mutex>
#include <string>

#include "berth/berth.h"

namespace berth::lang {

class Capture {
 public:
  /// For berth_program_set_print; context: the Capture. Threads: any.
  static void print(void* context, berth_thread_t* caller, const char* text, size_t size) {
    auto* self = static_cast<Capture*>(context);
    const std::lock_guard guard(self->mutex_);
    self->texts_[caller].append(text, size);
  }

  std::string take(berth_thread_t* caller) {
    const std::lock_guard guard(mutex_);
    std::string text = std::move(texts_[caller]);
    texts_.erase(caller);
    return text;
  }

 private:
  std::mutex mutex_;
  std::map<berth_thread_t*, std::string> texts_;
};

}  // namespace berth::lang
