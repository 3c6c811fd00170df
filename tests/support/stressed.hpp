// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stressed: modes of gc/stress.hpp for a scope. Without debug checks there are none.
#pragma once
#include <gtest/gtest.h>

#include "gc/stress.hpp"

namespace berth::test {

/// Sets the modes listed, the others off; afterwards what they were before. Make it before a thread attaches
/// that shall collect at its polls: only then it gets the bit for that.
class Stressed {
 public:
  explicit Stressed(const char* modes) {
    auto& settings = gc::stress::settings();
    for (size_t i = 0; i < gc::stress::kModes; ++i) before_[i] = settings[i].value.exchange(0);
    EXPECT_TRUE(gc::stress::parse(modes));
  }
  ~Stressed() {
    auto& settings = gc::stress::settings();
    for (size_t i = 0; i < gc::stress::kModes; ++i) settings[i].value = before_[i];
  }
  Stressed(const Stressed&) = delete;
  Stressed& operator=(const Stressed&) = delete;

 private:
  uint32_t before_[gc::stress::kModes] = {};
};

}  // namespace berth::test
