// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KernelLane: what an interpreted kernel's lane knows of its place in the launch.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "inference/value.hpp"

namespace berth::inference {

struct Statement;

/// Shared by the lanes of a launch; one thread runs them all.
struct KernelLaunch {
  uint64_t blocks[3] = {1, 1, 1}, lanes[3] = {1, 1, 1};
  bool has_fault = false;
  std::string fault;  // the first
};

struct KernelLane {
  KernelLaunch* launch = nullptr;
  uint64_t block[3] = {0, 0, 0}, lane[3] = {0, 0, 0};
  std::map<const Statement*, Value>* shared = nullptr;  // of the block: buffers by their statement

  void record(std::string_view text) const {
    if (!launch->has_fault) launch->fault = text;
    launch->has_fault = true;
  }
};

}  // namespace berth::inference
