// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FailingNew: makes the n-th allocation of this thread, or of all, fail, in a program that links
// failing_new.cpp, which replaces operator new.
#pragma once
#include <cstdint>

namespace berth::test {

class FailingNew {
 public:
  enum class Mode { Once, FromThenOn };
  /// Counts this thread's allocations while it lives; the n-th (from 1) throws std::bad_alloc, and the later
  /// ones too if so asked. Whose allocations count: of all, or of the code linked into the program itself,
  /// not of the shared libraries it uses; of this thread, or of all threads (Mode::Once only, one such object
  /// at a time).
  enum class Whose { All, Own, OwnOfAllThreads };
  explicit FailingNew(int64_t n, Mode mode = Mode::Once, Whose whose = Whose::All) noexcept;
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
  bool has_failed() const noexcept;

 private:
  const Whose whose_;
};

/// Allocations of this thread that happened while it held a shard's lock or the graph's; known with debug
/// checks.
int64_t num_allocations_under_lock() noexcept;

}  // namespace berth::test
