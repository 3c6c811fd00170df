// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notifications: counts those that are sent while it lives. Who was woken is not known so exactly: a waiter
// may find at the end of a slice, before it is notified, that it has been served.
#pragma once
#include <atomic>

#include "support/latch.hpp"

namespace berth::test {

class Notifications {
 public:
  int count() const { return count_; }

 private:
  std::atomic<int> count_{0};
  latch::Hook hook_{"notify", [this](const void*) { ++count_; }};
};

}  // namespace berth::test
