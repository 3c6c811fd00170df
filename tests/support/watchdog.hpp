// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watchdog: ends the process with a message if a scope of a test takes too long, so that a lost wake-up fails
// the test.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace berth::test {

class Watchdog {
 public:
  /// `explain` (may be empty) is called when the time is over; its text is printed before the process aborts.
  explicit Watchdog(std::chrono::milliseconds limit, std::function<std::string()> explain = {})
      : explain_(std::move(explain)), thread_([this, limit] { watch(limit); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(std::chrono::milliseconds limit) {
    // With a mutant on, the limit is often what notices it: tests take milliseconds.
    if (std::getenv("BERTH_MUTANT")) limit = std::min(limit, std::chrono::milliseconds(10'000));
    // Sliced: a notification that glibc 2.36 loses must not make the end of a test wait for the whole limit.
    const auto end = std::chrono::steady_clock::now() + limit;
    std::unique_lock lock(mutex_);
    while (!done_) {
      const auto now = std::chrono::steady_clock::now();
      if (now >= end) break;
      changed_.wait_for(lock, std::min<std::chrono::nanoseconds>(end - now, std::chrono::milliseconds(100)));
    }
    if (done_) return;
    std::fprintf(stderr, "watchdog: not done after %lld ms\n", static_cast<long long>(limit.count()));
    ::alarm(10);  // the explanation may need a lock that a hung thread holds
    if (explain_) std::fprintf(stderr, "%s\n", explain_().c_str());
    std::fflush(stderr);
    std::abort();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::function<std::string()> explain_;
  std::thread thread_;  // last: started when the rest is ready
};

}  // namespace berth::test
