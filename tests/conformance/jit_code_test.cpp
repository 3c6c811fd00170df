// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "JIT", sections 2 (edges), 3 (retirement) and 5 through the public API: how long code lives,
// and that it goes.
#include <berth/berth.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/context/continuation.hpp>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <thread>
#include <vector>

#include "tests/stress/memory.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/jit_client.hpp"
#include "tests/support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using namespace berth::test;

/// Of CI, or of the nightly run, which has the page's own counts.
size_t share(size_t nightly, size_t ci) {
  const size_t count = std::getenv("BERTH_NIGHTLY") ? nightly : ci;
  std::printf("count: %zu of %zu\n", count, nightly);
  return count;
}

/// The sum of figures of the engine's metrics, all of one moment: bytes go from one to the other.
size_t metric(berth_engine_t* engine, std::initializer_list<const char*> names) {
  char* const text = berth_engine_metrics(engine);
  const std::string all = std::string("\n") + text;
  berth_string_delete(text);
  size_t sum = 0;
  for (const std::string name : names) {
    const size_t at = all.find("\n" + name + " ");
    EXPECT_NE(at, std::string::npos) << name;
    if (at != std::string::npos) sum += std::stoul(all.substr(at + name.size() + 2));
  }
  return sum;
}
size_t metric(berth_engine_t* engine, const char* name) { return metric(engine, {name}); }
size_t code_bytes(berth_engine_t* engine) {
  return metric(engine, {"berth_code_live_bytes", "berth_code_limbo_bytes"});
}
size_t passes(berth_engine_t* engine) { return metric(engine, "berth_code_passes_total"); }

/// Calls a method, in a frame of its own: an entry that stays on a stack keeps the code.
__attribute__((noinline)) int64_t call(berth_thread_t* thread, const Instance& instance, int64_t x) {
  return wait_entry<Number>(thread, instance)(x);
}

__attribute__((noinline)) Failure await(berth_thread_t* thread, const Instance& instance) {
  void* entry = nullptr;
  return take(berth_instance_wait_entry(thread, instance, -1, &entry));
}

/// Overwrites the stack below the caller: stacks are searched word by word, and what a call left there would
/// lie in the gaps of later frames.
__attribute__((noinline)) void scrub() {
  char bytes[32 * 1024];
  std::memset(bytes, 0, sizeof bytes);
  __asm__ volatile("" : : "r"(bytes) : "memory");
}
template <class Condition>
__attribute__((noinline)) void poll_until(berth_thread_t* thread, Condition&& condition) {
  while (!condition()) {
    berth_thread_safepoint(thread);
    std::this_thread::yield();
  }
}
/// Polls until it is so; the watchdog bounds it.
template <class Condition>
[[gnu::always_inline]] inline void until(berth_thread_t* thread, Condition&& condition) {
  scrub();
  poll_until(thread, condition);
}
/// So many passes began after the call: what could go by then has gone.
[[gnu::always_inline]] inline void after_passes(berth_engine_t* engine, berth_thread_t* thread,
                                                size_t count = 3) {
  const size_t before = passes(engine);
  until(thread, [&] { return passes(engine) >= before + count; });
}

void invalidate(berth_engine_t* engine, const Instance& instance) {
  EXPECT_EQ(take(berth_instance_invalidate(engine, instance, 0)).code, BERTH_OK);
}

/// Two methods that call each other: even and odd. Released one by one, or published together.
void install_ring(berth_thread_t* thread, size_t n, Instance& even, Instance& odd, bool together = false) {
  const auto body = [](const char* at_zero) {
    return std::string(
               "declare i64 @g(i64)\ndefine i64 @f(i64 %x) {\n  %z = icmp eq i64 %x, 0\n  br i1 %z, label "
               "%end, label %more\nend:\n  ret i64 ") +
           at_zero + "\nmore:\n  %n = sub i64 %x, 1\n  %r = call i64 @g(i64 %n)\n  ret i64 %r\n}\n";
  };
  berth_reservation_t first{}, second{};
  EXPECT_EQ(take(berth_reserve(thread, key(2 * n), nullptr, &first)).code, BERTH_OK);
  EXPECT_EQ(take(berth_reserve(thread, key(2 * n + 1), nullptr, &second)).code, BERTH_OK);
  berth_source_t *first_source = source(body("1")), *second_source = source(body("0"));
  berth_source_add_edge(first_source, second.lease.instance, "g");
  berth_source_add_edge(second_source, first.lease.instance, "g");
  berth_instance_retain(first.lease.instance);
  berth_instance_retain(second.lease.instance);
  even = Instance(first.lease.instance);
  odd = Instance(second.lease.instance);
  if (together) {
    const berth_lease_t leases[] = {first.lease, second.lease};
    berth_source_t* const sources[] = {std::exchange(first_source, nullptr),
                                       std::exchange(second_source, nullptr)};
    EXPECT_EQ(take(berth_publish(thread, leases, sources, 2)).code, BERTH_OK);
  }
  EXPECT_EQ(take(berth_release(thread, first.lease, first_source)).code, BERTH_OK);
  EXPECT_EQ(take(berth_release(thread, second.lease, second_source)).code, BERTH_OK);
}

// Two workers, and nobody waits: each could compile one member.
TEST(JitCode, J47_a_published_ring_has_its_entries_at_once) {
  const size_t rings = share(2'000, 100);
  Watchdog watchdog{120s};
  Engine engine(2);
  Attached thread(engine);
  std::atomic<size_t> current{0};
  int torn = 0;
  std::thread third([&] {
    for (size_t n; (n = current.load()) < rings;) {
      for (const size_t first : {0u, 1u}) {
        if (berth_lookup_entry(engine, key(2 * n + first), 0) &&
            !berth_lookup_entry(engine, key(2 * n + 1 - first), 0))
          ++torn;
      }
    }
  });
  std::vector<Instance> kept(2 * rings);
  for (size_t n = 0; n < rings; ++n) {
    install_ring(thread, n, kept[2 * n], kept[2 * n + 1], true);
    until(thread, [&] { return berth_instance_entry(kept[2 * n]) && berth_instance_entry(kept[2 * n + 1]); });
    current.store(n + 1);
  }
  third.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(call(thread, kept[0], 10), 1);
}

TEST(JitCode, J41_rings_of_calls_go) {
  const size_t pairs = share(10'000, 200);
  Watchdog watchdog{600s};
  Engine engine(2);
  Attached thread(engine);
  int wrong = 0;
  std::thread([&] {  // whose frames are gone then
    Attached self(engine);
    for (size_t n = 0; n < pairs; ++n) {
      Instance even, odd;
      install_ring(self, n, even, odd, n % 2 == 1);
      wrong += call(self, even, 10) != 1;
      invalidate(engine, even);
    }
  })
      .join();
  EXPECT_EQ(wrong, 0);
  until(thread, [&] { return code_bytes(engine) == 0; });
  EXPECT_EQ(metric(engine, "berth_code_free_bytes"), metric(engine, "berth_code_reserved_bytes"));
}

// What touches the code runs on threads of its own, whose frames are gone then: a word that one of this
// thread's still holds would keep the code.
class JitRing : public testing::TestWithParam<bool> {};  // published together

TEST_P(JitRing, J41_that_is_referenced_stays_whole) {
  Watchdog watchdog{60s};
  Engine engine(1);
  Attached thread(engine);
  const auto elsewhere = [&](auto&& body) {
    const berth_gc_state_t state = berth_thread_safe_enter(thread);
    std::thread([&] {
      Attached self(engine);
      body(self);
    }).join();
    berth_thread_safe_leave(thread, state);
  };
  Instance even, odd;
  elsewhere([&](berth_thread_t* self) {
    install_ring(self, 1, even, odd, GetParam());
    EXPECT_EQ(call(self, even, 10), 1);
    invalidate(engine, even);
    odd = Instance();
  });
  const size_t bytes = code_bytes(engine);
  after_passes(engine, thread);
  EXPECT_EQ(code_bytes(engine), bytes);
  elsewhere([&](berth_thread_t*) {
    // Through the one that nobody refers to.
    EXPECT_EQ(reinterpret_cast<Number*>(berth_instance_entry(even))(11), 0);
    even = Instance();
  });
  until(thread, [&] { return code_bytes(engine) == 0; });
}

INSTANTIATE_TEST_SUITE_P(JitCode, JitRing, testing::Bool());

// Nothing was called: no pass can find code, and none waits for it.
TEST(JitCode, J46_what_is_invalid_before_its_compile_ends_is_never_callable) {
  Watchdog watchdog{60s};
  Engine engine(1);
  Attached thread(engine);
  for (size_t n = 0; n < 100; ++n) {
    const Instance instance = install(engine, thread, key(n), source(number_source(n)));
    invalidate(engine, instance);
    EXPECT_EQ(berth_lookup_entry(engine, key(n), 0), nullptr);
  }
  until(thread, [&] { return code_bytes(engine) == 0; });
}

// Who has looked an entry up may call it until its next poll, whatever goes and comes meanwhile.
TEST(JitCode, J49_a_borrowed_entry_is_good_until_the_next_poll) {
  const size_t rounds = share(1'000, 20);
  Watchdog watchdog{300s};
  Engine engine(2);
  Attached thread(engine);
  std::atomic<size_t> installed{0}, borrowed{0}, replaced{0};
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    Attached self(engine);
    for (size_t round = 1; round <= rounds; ++round) {
      while (installed.load() < round) berth_thread_safepoint(self);
      auto* const function = reinterpret_cast<Number*>(berth_lookup_entry(engine, key(round), 0));
      borrowed = round;
      while (replaced.load() < round) std::this_thread::yield();  // no poll
      if (!function || function(1) != static_cast<int64_t>(round) + 1) ++wrong;
      scrub();
      berth_thread_safepoint(self);
    }
  });
  size_t next = rounds + 1;
  for (size_t round = 1; round <= rounds; ++round) {
    size_t before = 0;
    {
      const Instance instance = install(engine, thread, key(round), source(number_source(round)));
      wait_entry<Number>(thread, instance);
      installed = round;
      until(thread, [&] { return borrowed.load() == round; });
      before = passes(engine);
      invalidate(engine, instance);
    }
    // A pass that frees at once would have; one that began before waits for the reader, so this is not waited
    // for without end.
    for (int looks = 0; looks < 500 && passes(engine) == before; ++looks) berth_thread_safepoint(thread);
    // What would take its place.
    for (int i = 0; i < 3; ++i, ++next)
      wait_entry<Number>(thread, install(engine, thread, key(next), source(number_source(1'000'000 + next))));
    replaced = round;
  }
  const berth_gc_state_t state = berth_thread_safe_enter(thread);
  reader.join();
  berth_thread_safe_leave(thread, state);
  EXPECT_EQ(wrong.load(), 0);
}

// --- J50: each alone keeps the code

/// A method that calls `hold`, the host's, and what it does there.
struct Held {
  static inline std::function<void()> inside;
  static void hold() { inside(); }
  Engine engine{1};
  Attached thread{engine};
  Instance instance;
  static inline void (*function)() = nullptr;  // on no stack
  explicit Held(const std::string& ir =
                    "declare void @hold()\ndefine void @f() {\n  call void @hold()\n  call void asm "
                    "sideeffect \"\", \"\"()\n  ret void\n}\n") {
    EXPECT_EQ(take(berth_engine_define_symbol(engine, "hold", reinterpret_cast<void*>(&hold))).code,
              BERTH_OK);
    instance = install(engine, thread, key(1), source(ir));
    function = wait_entry<void()>(thread, instance);
  }
  void let_go() {
    invalidate(engine, instance);
    instance = Instance();
  }
  void expect_kept() {
    after_passes(engine, thread);
    EXPECT_GT(code_bytes(engine), 0u);
  }
  void expect_gone() {
    until(thread, [&] { return code_bytes(engine) == 0; });
  }
};

TEST(JitCode, J50_a_frame_keeps_the_code) {
  Watchdog watchdog{60s};
  Held held;
  std::atomic<bool> is_inside{false}, leave{false}, end{false};
  std::thread runs([&] {
    Attached self(held.engine);
    Held::inside = [&] {
      is_inside = true;
      while (!leave.load()) berth_thread_safepoint(self);
    };
    held.function();
    scrub();
    while (!end.load()) berth_thread_safepoint(self);
  });
  until(held.thread, [&] { return is_inside.load(); });
  held.let_go();
  held.expect_kept();
  leave = true;
  held.expect_gone();
  end = true;
  const berth_gc_state_t state = berth_thread_safe_enter(held.thread);
  runs.join();
  berth_thread_safe_leave(held.thread, state);
}

// Its stack is read by whoever makes the pass.
TEST(JitCode, J50_a_frame_of_a_safe_thread_keeps_the_code) {
  Watchdog watchdog{60s};
  Held held;
  std::atomic<bool> is_inside{false};
  berth::test::Gate leave, end;
  std::atomic<bool> left{false};
  std::thread runs([&] {
    Attached self(held.engine);
    Held::inside = [&] {
      const berth_gc_state_t state = berth_thread_safe_enter(self);
      is_inside = true;
      leave.wait();
      berth_thread_safe_leave(self, state);
    };
    held.function();
    scrub();
    const berth_gc_state_t state = berth_thread_safe_enter(self);
    left = true;
    end.wait();
    berth_thread_safe_leave(self, state);
  });
  until(held.thread, [&] { return is_inside.load(); });
  held.let_go();
  held.expect_kept();
  leave.open();
  held.expect_gone();
  EXPECT_TRUE(left.load());
  end.open();
  const berth_gc_state_t state = berth_thread_safe_enter(held.thread);
  runs.join();
  berth_thread_safe_leave(held.thread, state);
}

TEST(JitCode, J50_a_suspended_fibre_keeps_the_code) {
  Watchdog watchdog{60s};
  Held held;
  constexpr size_t kStackBytes = 256 * 1024;
  const std::unique_ptr<char[]> stack(new char[kStackBytes]());
  berth_agent_t* agent = nullptr;
  ASSERT_OK(berth_agent_new(held.engine, "fibre", &agent));
  berth_agent_set_stack(agent, stack.get(), stack.get() + kStackBytes);
  boost::context::stack_context context;
  context.size = kStackBytes;
  context.sp = stack.get() + kStackBytes;
  struct Keep {
    boost::context::stack_context allocate() { return {}; }
    void deallocate(boost::context::stack_context&) {}
  };
  boost::context::continuation back;
  Held::inside = [&] { back = back.resume(); };
  ASSERT_OK(berth_thread_set_agent(held.thread, agent, nullptr));
  boost::context::continuation fibre = boost::context::callcc(
      std::allocator_arg, boost::context::preallocated(context.sp, context.size, context), Keep{},
      [&](boost::context::continuation&& from) {
        back = std::move(from);
        held.function();
        return std::move(back);
      });
  ASSERT_OK(berth_thread_set_agent(held.thread, nullptr, nullptr));
  held.let_go();
  held.expect_kept();
  ASSERT_OK(berth_thread_set_agent(held.thread, agent, nullptr));
  fibre = fibre.resume();  // through the code, to its end
  ASSERT_OK(berth_thread_set_agent(held.thread, nullptr, nullptr));
  berth_agent_delete(agent);  // its stack is looked at no more
  held.expect_gone();
}

std::atomic<int> destroyed{0};
void count_destroyed() { ++destroyed; }

// Its destructor is the code's: destroyed after the code is invalid and left, it must be there.
TEST(JitCode, J50_an_exception_object_keeps_the_code) {
  Watchdog watchdog{60s};
  Engine engine(1);
  Attached thread(engine);
  ASSERT_OK(berth_engine_define_symbol(engine, "count_destroyed", reinterpret_cast<void*>(&count_destroyed)));
  ASSERT_OK(
      berth_engine_define_symbol(engine, "_ZTIi", const_cast<void*>(static_cast<const void*>(&typeid(int)))));
  const char* const ir =
      "@_ZTIi = external constant ptr\ndeclare ptr @__cxa_allocate_exception(i64)\ndeclare void "
      "@__cxa_throw(ptr, ptr, ptr)\n"
      "declare void @count_destroyed()\ndefine void @gone(ptr %object) {\n  call void @count_destroyed()\n  "
      "ret void\n}\n"
      "define void @f() {\n  %object = call ptr @__cxa_allocate_exception(i64 4)\n  store i32 42, ptr "
      "%object\n"
      "  call void @__cxa_throw(ptr %object, ptr @_ZTIi, ptr @gone)\n  unreachable\n}\n";
  destroyed = 0;
  std::exception_ptr thrown;
  {
    const Instance instance = install(engine, thread, key(1), source(ir));
    Held::function = wait_entry<void()>(thread, instance);
    try {
      Held::function();
      ADD_FAILURE() << "returned";
    } catch (const int& number) {
      EXPECT_EQ(number, 42);
      thrown = std::current_exception();
    }
    invalidate(engine, instance);
  }
  after_passes(engine, thread);
  EXPECT_GT(code_bytes(engine), 0u);
  EXPECT_EQ(destroyed.load(), 0);
  thrown = nullptr;
  EXPECT_EQ(destroyed.load(), 1);
  until(thread, [&] { return code_bytes(engine) == 0; });
}

TEST(JitCode, J50_a_reference_keeps_the_code) {
  Watchdog watchdog{60s};
  Held held;
  Held::inside = [] {};
  invalidate(held.engine, held.instance);
  held.expect_kept();
  std::thread unattached(held.function);  // not attached, but it holds a reference
  unattached.join();
  held.instance = Instance();
  held.expect_gone();
}

// Code that was replaced too: a thread that is not attached may be inside of what it was given first.
TEST(JitCode, J50_a_reference_keeps_replaced_code_of_callees_too) {
  Watchdog watchdog{120s};
  Engine engine(2);
  Attached thread(engine);
  const Instance callee = install(engine, thread, key(1), source(number_source(10), BERTH_TIER_ADAPTIVE));
  wait_entry<Number>(thread, callee);
  berth_source_t* const caller_source =
      source("declare i64 @g(i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 @g(i64 %x)\n  ret i64 %y\n}\n");
  berth_source_add_edge(caller_source, callee, "g");
  Instance caller = install(engine, thread, key(2), caller_source);
  auto* const function = wait_entry<Number>(thread, caller);
  void* const first = berth_instance_entry(callee);
  until(thread, [&] {
    EXPECT_EQ(function(1), 11);
    return berth_instance_entry(callee) != first;
  });
  const size_t units = metric(engine, "berth_code_units");
  EXPECT_EQ(units, 3u);
  after_passes(engine, thread);
  EXPECT_EQ(metric(engine, "berth_code_units"), units);
  EXPECT_EQ(reinterpret_cast<Number*>(first)(1), 11);
}

TEST(JitCode, J32_replaced_code_goes_when_nobody_refers_to_it) {
  Watchdog watchdog{120s};
  Engine engine(2);
  Attached thread(engine);
  static void* first = nullptr;  // on no stack
  {
    const Instance instance = install(engine, thread, key(1), source(number_source(10), BERTH_TIER_ADAPTIVE));
    first = reinterpret_cast<void*>(wait_entry<Number>(thread, instance));
  }
  const auto entry = [&] { return reinterpret_cast<Number*>(berth_lookup_entry(engine, key(1), 0)); };
  until(thread, [&] {
    EXPECT_EQ(entry()(1), 11);
    return reinterpret_cast<void*>(entry()) != first;
  });
  until(thread, [&] { return metric(engine, "berth_code_units") == 1; });
  EXPECT_EQ(entry()(1), 11);
}

// --- edges

// Each link is compiled when it is first called; the callee of a tail call begins where its caller began.
TEST(JitCode, J42_the_stack_for_a_chain_of_first_calls_does_not_grow) {
  Watchdog watchdog{120s};
  static uintptr_t end_of_chain;
  const auto depth = [](size_t length, int threads) {
    Engine engine(threads);
    Attached thread(engine);
    EXPECT_EQ(take(berth_engine_define_symbol(engine, "end", reinterpret_cast<void*>(+[]() -> int64_t {
                                                end_of_chain =
                                                    reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
                                                return 7;
                                              })))
                  .code,
              BERTH_OK);
    Instance next =
        install(engine, thread, key(0),
                source("declare i64 @end()\ndefine i64 @f() {\n  %x = call i64 @end()\n  ret i64 %x\n}\n",
                       BERTH_TIER_FAST, true));
    for (size_t n = 1; n <= length; ++n) {
      berth_source_t* const link =
          source("declare i64 @g()\ndefine i64 @f() {\n  %x = musttail call i64 @g()\n  ret i64 %x\n}\n",
                 BERTH_TIER_FAST, true);
      berth_source_add_edge(link, next, "g");
      next = install(engine, thread, key(n), link);
    }
    auto* const function = wait_entry<int64_t()>(thread, next);
    EXPECT_EQ(engine.counts().compiled_fast, 1u);  // no callee with it
    EXPECT_EQ(function(), 7);
    EXPECT_EQ(engine.counts().compiled_fast, length + 1);
    return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - end_of_chain;
  };
  for (const int threads : {0, 1}) EXPECT_EQ(depth(10, threads), depth(1'000, threads));
}

// A ring, and edges to a token that lost against another result of its key.
TEST(JitCode, J39_an_edge_to_a_token_that_lost_ends_its_slow_path) {
  Watchdog watchdog{60s};
  Engine engine(1);
  Attached thread(engine);
  const Instance winner = install(engine, thread, key(1), source(number_source(1)));
  wait_entry<Number>(thread, winner);
  berth_source_t* const caller_source =
      source("declare i64 @g(i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 @g(i64 %x)\n  ret i64 %y\n}\n");
  berth_source_add_edge(caller_source, winner, "g");
  const Instance caller = install(engine, thread, key(2), caller_source);
  auto* const function = wait_entry<Number>(thread, caller);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(function(1), 2);
  EXPECT_LE(metric(engine, "berth_edge_slow_calls_total"), 1u);
}

// --- memory

TEST(JitCode, J66_create_compile_delete_leaves_memory_flat) {
  const size_t rounds = share(5'000, 600);
  Watchdog watchdog{300s};
  Engine engine(1);
  Attached thread(engine);
  berth::stress::Memory start;
  for (size_t n = 0; n < rounds; ++n) {
    const Instance instance = install(engine, thread, key(n), source(number_source(n)));
    ASSERT_EQ(call(thread, instance, 1), static_cast<int64_t>(n) + 1);
    invalidate(engine, instance);
    if (n == rounds / 3) start = berth::stress::Memory::now();
  }
  until(thread, [&] { return code_bytes(engine) == 0; });
  const auto end = berth::stress::Memory::now();
  if (end.is_counted()) { EXPECT_LE(end.resident_bytes, start.resident_bytes + (uint64_t{4} << 20)); }
  EXPECT_LE(end.heap_bytes, start.heap_bytes + (uint64_t{2} << 20));
  EXPECT_EQ(metric(engine, "berth_code_free_bytes"), metric(engine, "berth_code_reserved_bytes"));
}

// Engines, too.
TEST(JitCode, J66_engines_come_and_go) {
  Watchdog watchdog{120s};
  for (int round = 0; round < 30; ++round) {
    Engine engine(round % 3);
    Attached thread(engine);
    Instance even, odd;
    install_ring(thread, 1, even, odd);
    EXPECT_EQ(call(thread, even, 4), 1);
    if (round % 2) invalidate(engine, even);
  }
}

// The most units there were at one time, of 300 that were made and left.
size_t most_units_without_threads() {
  Engine engine(0);
  Attached thread(engine);
  size_t most = 0;
  for (size_t n = 0; n < 300; ++n) {
    const Instance instance = install(engine, thread, key(n), source(number_source(n)));
    EXPECT_EQ(call(thread, instance, 1), static_cast<int64_t>(n) + 1);
    invalidate(engine, instance);
    most = std::max(most, metric(engine, "berth_code_units"));
  }
  return most;
}

// The best of several: a pass that is interrupted for long is followed by a long pause.
TEST(JitCode, J66_without_compile_threads_code_goes_while_other_code_is_made) {
  Watchdog watchdog{120s};
  size_t least = SIZE_MAX;
  for (int round = 0; round < 5 && least >= 100; ++round)
    least = std::min(least, most_units_without_threads());
  EXPECT_LT(least, 100u);
}

TEST(JitCode, J70_unique_names_leave_memory_flat) {
  const size_t rounds = share(100'000, 600);
  Watchdog watchdog{900s};
  Engine engine(2);
  Attached thread(engine);
  berth::stress::Memory start;
  for (size_t n = 0; n < rounds; ++n) {
    const std::string name = "unique_" + std::to_string(n) + std::string(1000, 'x');
    const std::string ir = "@data_" + name + " = global i64 1\ndefine i64 @" + name +
                           "(i64 %x) {\n  %y = load i64, ptr @data_" + name +
                           "\n  %z = add i64 %x, %y\n  ret i64 %z\n}\n";
    berth_source_t* made = nullptr;
    ASSERT_OK(berth_source_from_ir(ir.data(), ir.size(), name.c_str(), &made));
    berth_source_set_tier(made, BERTH_TIER_FAST);
    const Instance instance = install(engine, thread, key(n), made, name.c_str());
    ASSERT_EQ(call(thread, instance, 1), 2);
    invalidate(engine, instance);
    if (n == rounds / 3) start = berth::stress::Memory::now();
  }
  until(thread, [&] { return code_bytes(engine) == 0; });
  const auto end = berth::stress::Memory::now();
  if (end.is_counted()) { EXPECT_LE(end.resident_bytes, start.resident_bytes + (uint64_t{4} << 20)); }
  EXPECT_LE(end.heap_bytes, start.heap_bytes + (uint64_t{1} << 20));
}

TEST(JitCode, a_limit_of_code_makes_room_or_refuses) {
  Watchdog watchdog{120s};
  constexpr size_t kLimit = 64 * 1024;
  Engine engine(1, [](berth_config_t* config) { berth_config_set_code_limit(config, kLimit); });
  Attached thread(engine);
  std::vector<Instance> all;
  Failure failure;
  for (size_t n = 0; failure.code == BERTH_OK; ++n) {
    all.push_back(install(engine, thread, key(n), source(number_source(n))));
    failure = await(thread, all.back());
    ASSERT_LE(code_bytes(engine), kLimit);
  }
  EXPECT_EQ(failure.code, BERTH_RESOURCE_EXHAUSTED) << failure.message;
  EXPECT_NE(failure.message.find("berth_config_set_code_limit"), std::string::npos) << failure.message;
  ASSERT_GT(all.size(), 10u);
  const size_t count = all.size();
  const Instance refused = std::move(all.back());
  all.pop_back();
  for (const Instance& instance : all) invalidate(engine, instance);
  all.clear();
  // The thread is safe while it waits: what nobody refers to goes, and the next request finds room.
  EXPECT_EQ(call(thread, refused, 1), static_cast<int64_t>(count));
}

}  // namespace
