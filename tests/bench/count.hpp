// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what cannot be noisy: instructions, atomic read-modify-writes and system calls of a marked region.
//
// The body runs in a forked child, which this process traces; engines that it uses are made in it, since
// those of the parent are useless after a fork. It marks the regions to count; what the marks cost is
// measured and taken off, but for a move or two. Symbols are bound on first use: run the work once before the
// region.
//
//   count_instructions(body): single-steps the thread that marks; about 40 us per instruction, so a few
//   thousand at most. count_system_calls(body): of all threads of the child while the region is open; at
//   nearly full speed.
//
// Both throw std::runtime_error if the body threw, or where tracing is forbidden.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>

namespace berth::bench {

/// Marks a region of the child, once or more often, one at a time. Threads: the one that runs the body.
class Region {
 public:
  Region() noexcept;
  void begin() noexcept;
  void end() noexcept;

 private:
  pid_t process_, thread_;
};

struct Cost {
  int64_t instructions = 0;
  int64_t read_modify_writes =
      0;  // instructions with a lock prefix, and exchanges with memory, which need none (x86-64 only)
  int64_t system_calls = 0;
};

Cost count_instructions(const std::function<void(Region&)>& body);
int64_t count_system_calls(const std::function<void(Region&)>& body);

}  // namespace berth::bench
