// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/count.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace berth::bench {
namespace {

TEST(Count, an_empty_region_costs_nothing) {
  const Cost cost = count_instructions([](Region& region) {
    region.begin();
    region.end();
  });
  EXPECT_LE(cost.instructions, 2);  // an argument's move
  EXPECT_EQ(cost.read_modify_writes, 0);
  EXPECT_EQ(cost.system_calls, 0);
}

#if defined(__x86_64__)
TEST(Count, instructions_and_read_modify_writes_are_exact) {
  const Cost cost = count_instructions([](Region& region) {
    uint64_t word = 0, other = 0;
    region.begin();
    asm volatile("mov $100, %%ecx\n1: dec %%ecx\njnz 1b" ::: "ecx", "cc");
    asm volatile("lock incq %0\nxchgq %1, %0\nxchgq %%rcx, %1\nxchgq %%rcx, %%rcx"
                 : "+m"(word), "+r"(other)::"rcx", "cc");
    region.end();
  });
  EXPECT_NEAR(static_cast<double>(cost.instructions), 201 + 4, 6);  // and the compiler's own moves
  EXPECT_EQ(cost.read_modify_writes, 2);
  EXPECT_EQ(cost.system_calls, 0);
}
#endif

TEST(Count, system_calls_of_all_threads_and_all_regions) {
  const auto call = [](int n) {
    for (int i = 0; i < n; ++i) syscall(SYS_getppid);
  };
  const int64_t calls = count_system_calls([&](Region& region) {
    std::atomic<int> step{0};
    std::thread other([&] {
      step = -1;  // what starts a thread is done
      while (step.load() != 1) {}
      call(7);
      step = 2;
      while (step.load() != 3) {}
    });
    while (step.load() != -1) {}
    region.begin();
    step = 1;
    call(3);
    while (step.load() != 2) {}
    region.end();
    call(100);
    region.begin();
    call(1);
    region.end();
    step = 3;
    other.join();
  });
  EXPECT_EQ(calls, 7 + 3 + 1);
}

TEST(Count, a_system_call_is_seen_while_stepping) {
  const Cost cost = count_instructions([](Region& region) {
    region.begin();
    syscall(SYS_getppid);
    region.end();
  });
  EXPECT_EQ(cost.system_calls, 1);
}

TEST(Count, work_that_throws_is_an_error) {
  EXPECT_THROW(count_system_calls([](Region&) { throw std::runtime_error("as wished"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace berth::bench
