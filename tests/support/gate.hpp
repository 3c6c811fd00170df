// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gate: a door that one thread opens and others wait at. Tally: a number that threads raise and others wait
// for. Pause: holds the first thread that reaches a latch point.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "support/latch.hpp"

namespace berth::test {

class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }
  bool is_open() {
    const std::lock_guard lock(mutex_);
    return open_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

class Tally {
 public:
  void add() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void until(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

#if defined(BERTH_LATCHES)
/// until_reached() returns when a thread is at the point; that thread goes on after release() (or the end of
/// the scope).
class Pause {
 public:
  explicit Pause(std::string name, std::function<bool(const void* subject)> matches = {})
      : matches_(std::move(matches)),
        hook_(std::move(name), [this](const void* subject) { reach(subject); }) {}
  ~Pause() { release(); }
  void until_reached() { reached_.wait(); }
  bool is_reached() { return reached_.is_open(); }
  void release() { released_.open(); }

 private:
  void reach(const void* subject) {
    {
      const std::lock_guard lock(mutex_);
      if (taken_ || (matches_ && !matches_(subject))) return;
      taken_ = true;
    }
    reached_.open();
    released_.wait();
  }

  std::mutex mutex_;
  bool taken_ = false;
  std::function<bool(const void*)> matches_;
  Gate reached_, released_;
  latch::Hook hook_;  // last: waits for the callback before the rest ends
};
#endif

}  // namespace berth::test
