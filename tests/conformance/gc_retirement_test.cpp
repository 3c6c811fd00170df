// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "threads and garbage collection": retired code (G50). The code is real: a page with one
// function, which calls its argument, so that a return address lies in it; it is unmapped when it is freed,
// and a frame that returns there would crash.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <boost/context/continuation.hpp>
#include <cstring>

#include "tests/support/gc_world.hpp"
#include "tests/support/retirement.hpp"

namespace berth {
namespace {

using namespace test;

/// `void call(void (*function)(void*), void* argument)`, made at run time.
class Code {
 public:
  static constexpr size_t kBytes = 4096;
  Code() {
    // After a page that stays: who is built with -fsanitize=function reads the word before what it calls.
    before_ = mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory_ = static_cast<char*>(before_) + kBytes;
#if defined(__x86_64__)
    // mov rax, rdi; mov rdi, rsi; sub rsp, 8; call rax; add rsp, 8; ret
    const unsigned char bytes[] = {0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x83, 0xec,
                                   0x08, 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3};
#elif defined(__aarch64__)
    // stp x29, x30, [sp, #-16]!; mov x29, sp; mov x9, x0; mov x0, x1; blr x9; ldp x29, x30, [sp], #16; ret
    const uint32_t bytes[] = {0xa9bf7bfd, 0x910003fd, 0xaa0003e9, 0xaa0103e0,
                              0xd63f0120, 0xa8c17bfd, 0xd65f03c0};
#else
#error "write the bytes of this function for the architecture"
#endif
    std::memcpy(memory_, bytes, sizeof bytes);
    __builtin___clear_cache(static_cast<char*>(memory_), static_cast<char*>(memory_) + sizeof bytes);
    mprotect(memory_, kBytes, PROT_READ | PROT_EXEC);
  }
  ~Code() {
    if (!freed_) munmap(memory_, kBytes);
    munmap(before_, kBytes);
  }
  template <class Body>
  void call(Body&& body) const {
    reinterpret_cast<void (*)(void (*)(void*), void*)>(memory_)(
        [](void* raw) { (*static_cast<std::remove_reference_t<Body>*>(raw))(); }, &body);
  }
  void retire(Retirement& retirement) {
    const auto low = reinterpret_cast<uintptr_t>(memory_);
    retirement.retire(low, low + kBytes, [this] {
      munmap(memory_, kBytes);
      freed_ = true;
    });
  }
  bool is_freed() const { return freed_; }

 private:
  void* before_ = nullptr;
  void* memory_ = nullptr;
  bool freed_ = false;
};

TEST(GcRetirement, G50_code_that_a_running_thread_loops_in_stays_and_goes_without_a_stop) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Retirement retirement(world.collector);
  Code code;
  std::atomic<bool> leave{false}, end{false};
  Gate inside, outside;
  std::thread runs([&] {
    AttachedThread self(world.collector);
    code.call([&] {
      inside.open();
      while (!leave.load()) self->safepoint();
    });
    outside.open();
    while (!end.load()) self->safepoint();
  });
  inside.wait();
  AttachedThread self(world.collector);
  code.retire(retirement);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(retirement.reclaim(*self), 0u);
  EXPECT_FALSE(code.is_freed());
  leave = true;
  outside.wait();
  EXPECT_EQ(retirement.reclaim(*self), 1u);
  EXPECT_TRUE(code.is_freed());
  EXPECT_EQ(retirement.num_limbo(), 0u);
  EXPECT_TRUE(world.collector.recent_stops().empty());  // no stop of its own
  end = true;
  const gc::SafeRegion region(*self);
  runs.join();
}

TEST(GcRetirement, G50_of_a_safe_thread_the_asker_reads_the_stack) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Retirement retirement(world.collector);
  Code inside_code, other_code;
  Gate blocked, leave, outside, end;
  std::thread waits([&] {
    AttachedThread self(world.collector);
    inside_code.call([&] {
      const gc::SafeRegion region(*self);
      blocked.open();
      leave.wait();
    });
    const gc::SafeRegion region(*self);
    outside.open();
    end.wait();
  });
  blocked.wait();
  AttachedThread self(world.collector);
  inside_code.retire(retirement);
  other_code.retire(retirement);
  EXPECT_EQ(retirement.reclaim(*self), 1u);  // the other one
  EXPECT_TRUE(other_code.is_freed());
  EXPECT_FALSE(inside_code.is_freed());
  leave.open();
  outside.wait();
  EXPECT_EQ(retirement.reclaim(*self), 1u);
  EXPECT_TRUE(inside_code.is_freed());
  end.open();
  const gc::SafeRegion region(*self);
  waits.join();
}

TEST(GcRetirement, G50_the_askers_own_frames_count) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Retirement retirement(world.collector);
  AttachedThread self(world.collector);
  Code code;
  code.call([&] {
    code.retire(retirement);
    EXPECT_EQ(retirement.reclaim(*self), 0u);
  });
  EXPECT_EQ(retirement.reclaim(*self), 1u);
}

/// A fibre of Boost.Context with an agent, on the calling thread.
class Fibre {
 public:
  static constexpr size_t kStackBytes = 256 * 1024;
  enum class Bounds { Known, Unknown };

  Fibre(AttachedThread& thread, Bounds bounds, std::function<void(Fibre&)> body)
      : collector_(*thread->collector), thread_(thread), stack_(new char[kStackBytes]) {
    if (bounds == Bounds::Known) {
      agent.stack_low = reinterpret_cast<uintptr_t>(stack_.get());
      agent.stack_high = agent.stack_low + kStackBytes;
    }
    boost::context::stack_context context;
    context.size = kStackBytes;
    context.sp = stack_.get() + kStackBytes;
    fibre_ = boost::context::callcc(std::allocator_arg,
                                    boost::context::preallocated(context.sp, context.size, context), Keep{},
                                    [this, body = std::move(body)](boost::context::continuation&& back) {
                                      back_ = back.resume();
                                      body(*this);
                                      return std::move(back_);
                                    });
  }
  /// Runs it until it suspends or ends.
  void resume() {
    EXPECT_FALSE(collector_.set_agent(*thread_, &agent).has_error());
    fibre_ = fibre_.resume();
    EXPECT_FALSE(collector_.set_agent(*thread_, nullptr).has_error());
  }
  void suspend() { back_ = back_.resume(); }

  gc::Agent agent{"fibre"};

 private:
  struct Keep {  // the stack is this object's
    boost::context::stack_context allocate() { return {}; }
    void deallocate(boost::context::stack_context&) {}
  };
  gc::Collector& collector_;
  AttachedThread& thread_;
  std::unique_ptr<char[]> stack_;
  boost::context::continuation fibre_, back_;
};

TEST(GcRetirement, G50_a_suspended_fibre_keeps_the_code_that_it_is_in) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Retirement retirement(world.collector);
  AttachedThread self(world.collector);
  Code code, other_code;
  Fibre fibre(self, Fibre::Bounds::Known, [&](Fibre& me) { code.call([&] { me.suspend(); }); });
  fibre.resume();
  code.retire(retirement);
  other_code.retire(retirement);
  EXPECT_EQ(retirement.reclaim(*self), 1u);
  EXPECT_TRUE(other_code.is_freed());
  EXPECT_FALSE(code.is_freed());
  fibre.resume();  // through the code, to its end
  std::memset(reinterpret_cast<void*>(fibre.agent.stack_low), 0,
              Fibre::kStackBytes);  // old words would keep it longer
  EXPECT_EQ(retirement.reclaim(*self), 1u);
}

TEST(GcRetirement, G50_a_thread_that_runs_a_fibre_keeps_what_its_own_stack_is_in) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Retirement retirement(world.collector);
  AttachedThread self(world.collector);
  Code code;
  Fibre fibre(self, Fibre::Bounds::Known, [&](Fibre&) {
    code.retire(retirement);
    EXPECT_EQ(retirement.reclaim(*self), 0u);  // the frame is beneath, on the thread's stack
  });
  code.call([&] { fibre.resume(); });
  std::memset(reinterpret_cast<void*>(fibre.agent.stack_low), 0,
              Fibre::kStackBytes);  // the search's own copies of what it found
  EXPECT_EQ(retirement.reclaim(*self), 1u);
}

TEST(GcRetirement, G50_while_a_fibre_of_unknown_bounds_is_suspended_nothing_is_freed) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Retirement retirement(world.collector);
  AttachedThread self(world.collector);
  Code code;
  code.retire(retirement);
  {
    Fibre fibre(self, Fibre::Bounds::Unknown, [](Fibre& me) { me.suspend(); });
    fibre.resume();
    EXPECT_EQ(retirement.reclaim(*self), 0u);
    fibre.resume();
    EXPECT_EQ(retirement.reclaim(*self), 0u);  // it has ended, but nobody has said so
  }
  EXPECT_EQ(retirement.reclaim(*self), 1u);
  gc::Agent never_ran{"fresh"};
  Code more;
  more.retire(retirement);
  EXPECT_EQ(retirement.reclaim(*self), 1u);
}

// The fibre is on no thread when its first one is asked, and runs when the suspended ones are looked at.
TEST(GcRetirement, G50_an_agent_that_changes_threads_during_the_pass_keeps_all) {
  const Watchdog watchdog{60s};
  GcWorld world;
  Retirement retirement(world.collector);
  AttachedThread self(world.collector);
  Code code;
  gc::Agent fibre{"migrates"};
  char stack[64];
  fibre.stack_low = reinterpret_cast<uintptr_t>(stack);
  fibre.stack_high = fibre.stack_low + sizeof stack;
  std::memset(stack, 0, sizeof stack);
  ASSERT_FALSE(world.collector.set_agent(*self, &fibre).has_error());
  ASSERT_FALSE(world.collector.set_agent(*self, nullptr).has_error());
  code.retire(retirement);
  {
    const latch::Hook hook("gc-stacks-asked", [&](const void*) {
      ASSERT_FALSE(world.collector.set_agent(*self, &fibre).has_error());
    });
    EXPECT_EQ(retirement.reclaim(*self), 0u);
  }
  ASSERT_FALSE(world.collector.set_agent(*self, nullptr).has_error());
  EXPECT_EQ(retirement.reclaim(*self), 1u);
}

TEST(GcRetirement, G50_a_foreign_collectors_threads_are_unknown) {
  const Watchdog watchdog{60s};
  gc::CollectorOptions options;
  options.hooks.foreign = true;
  GcWorld world(options);
  Retirement retirement(world.collector);
  AttachedThread self(world.collector);
  Code code;
  code.retire(retirement);
  EXPECT_EQ(retirement.reclaim(*self), 0u);
  EXPECT_EQ(retirement.num_limbo(), 1u);
}

}  // namespace
}  // namespace berth
