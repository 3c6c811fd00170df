// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/fork.hpp"

#include <pthread.h>

namespace berth::fork_detail {

void watch() noexcept {
  static const int once = pthread_atfork(nullptr, nullptr, [] {
    epoch.store(epoch.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  });
  static_cast<void>(once);
}

}  // namespace berth::fork_detail
