// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/support/failing_new.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "support/rank.hpp"

extern "C" const char __executable_start, etext;  // of the linker

namespace berth::test {
namespace {

thread_local int64_t left = -1;  // below 0: nothing fails
thread_local bool goes_on = false, failed = false, only_own = false;
thread_local int64_t under_lock = 0;
// Counts of the test, order nothing: relaxed.
std::atomic<int64_t> left_of_all = -1;
std::atomic<bool> failed_of_all = false;

bool is_own(const void* caller) noexcept { return caller >= &__executable_start && caller < &etext; }

void* allocate(std::size_t size, std::size_t alignment, const void* caller) {
  if (rank::is_held(310, 329)) ++under_lock;
  if (left > 0 && (!only_own || is_own(caller)) && --left == 0) {
    failed = true;
    left = goes_on ? 1 : -1;
    throw std::bad_alloc();
  }
  if (left_of_all.load(std::memory_order_relaxed) > 0 && is_own(caller) &&
      left_of_all.fetch_sub(1, std::memory_order_relaxed) == 1) {
    failed_of_all.store(true, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(size ? size : 1)
                                                        : std::aligned_alloc(alignment, rounded);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

FailingNew::FailingNew(int64_t n, Mode mode, Whose whose) noexcept : whose_(whose) {
  if (whose == Whose::OwnOfAllThreads) {
    failed_of_all.store(false, std::memory_order_relaxed);
    left_of_all.store(n, std::memory_order_relaxed);
    return;
  }
  failed = false;
  only_own = whose == Whose::Own;
  goes_on = mode == Mode::FromThenOn;
  left = n;
}
FailingNew::~FailingNew() {
  left = -1;
  if (whose_ == Whose::OwnOfAllThreads) left_of_all.store(-1, std::memory_order_relaxed);
}
bool FailingNew::has_failed() const noexcept {
  return whose_ == Whose::OwnOfAllThreads ? failed_of_all.load(std::memory_order_relaxed) : failed;
}

int64_t num_allocations_under_lock() noexcept { return under_lock; }

}  // namespace berth::test

void* operator new(std::size_t size) { return berth::test::allocate(size, 1, __builtin_return_address(0)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return berth::test::allocate(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
