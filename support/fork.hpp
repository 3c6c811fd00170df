// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HomeProcess: whether this is still the process that something was made in. Cost: one load; asking the
// system is a system call.
#pragma once
#include <atomic>
#include <cstdint>

namespace berth {

namespace fork_detail {
// Process-wide. Bumped in a forked child by its only thread, read by all: relaxed.
inline std::atomic<uint64_t> epoch{0};
void watch() noexcept;
}  // namespace fork_detail

class HomeProcess {
 public:
  HomeProcess() noexcept
      : epoch_((fork_detail::watch(), fork_detail::epoch.load(std::memory_order_relaxed))) {}

  /// Whether a fork lies between. Threads: any. Blocks: never. GC: any, kept. Errors: none.
  bool is_forked() const noexcept { return fork_detail::epoch.load(std::memory_order_relaxed) != epoch_; }

 private:
  uint64_t epoch_;
};

}  // namespace berth
