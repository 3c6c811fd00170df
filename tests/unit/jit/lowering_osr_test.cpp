// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// J34: one call with a long loop ends in OPTIMIZED code, with the same result. The loops ask a function of
// the host whether the code that is running is that, and go on until it is.
#include <pthread.h>

#include "jit/tier_counter.hpp"
#include "tests/unit/jit/lowering_fixture.hpp"

namespace berth::test {
namespace {

// The methods that are asked about: `main` may have taken `walk` in. Set before the call, on the thread that
// calls.
std::vector<const engine::CodeInstance*> watched;

/// Behind the last word of this thread's stack.
const uintptr_t* stack_end() {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<const uintptr_t*>(static_cast<const char*>(low) + bytes);
}

/// Whether a return address into OPTIMIZED code of a watched instance lies on this thread's stack.
bool runs_optimized() {
  static thread_local const uintptr_t* const end = stack_end();
  for (const engine::CodeInstance* instance : watched) {
    const engine::Code* code = engine::instance_code(*instance);
    if (!code || code->tier != BERTH_TIER_OPTIMIZED) continue;
    const auto low = reinterpret_cast<uintptr_t>(code->low), high = reinterpret_cast<uintptr_t>(code->high);
    for (const auto* word = static_cast<const uintptr_t*>(__builtin_frame_address(0)); word < end; ++word)
      if (*word - low < high - low) return true;
  }
  return false;
}

/// Calls `main` once, adaptive.
std::string run_watched(LoweringWorld& world, const std::string& text) {
  RunningProgram running(world, text, BERTH_TIER_ADAPTIVE);
  auto& program = running.program();
  inference::OutermostCall outermost(world.thread(), world.engine().world(), nullptr);
  std::vector<engine::CodeInstanceRef> instances;
  for (const char* name : {"walk", "main"}) {
    const auto methods = program.methods().all(*program.function(name), world.engine().world());
    const auto* specialisation = program.specialise(*methods.at(0), methods.at(0)->signature);
    auto instance = inference::infer(world.thread(), program, *specialisation, world.engine().world(), true);
    if (instance.has_error()) return instance.assume_error().message();
    instances.push_back(std::move(instance).assume_value());
    watched.push_back(instances.back().get());
  }
  jit::first_tier_count = 1'000;  // looks every 10,000 rounds
  const std::string found = running.run();
  jit::first_tier_count = jit::kTierCount;
  watched.clear();
  EXPECT_EQ(running.num_fallbacks(), 0u);
  return found;
}

// Every kind of value is live in the loop; what is made before it, in it, and around it.
TEST(Jit, J34_one_call_ends_in_optimized_code) {
  Watchdog watchdog{100s};
  LoweringWorld world;
  EXPECT_EQ(run_watched(world, R"(
mutable type Cell { value: i64 }
method walk(%n: i64, %x: f64, %text: string, %flag: bool, %a: array<i64>) {
^0: %cell = new Cell(7) %m = mul.i64 %n 3 br ^1(0, %x, %a, nothing)
^1(%i, %y, %b, %last):
  %in = call.host berth_test_runs_optimized() i64
  %v = array.get %b 0
  %w = add.i64 %v 1
  array.set %b 0 %w
  %z = mul.f64 %y 0.5
  %k = add.f64 %z %x
  %j = add.i64 %i 1
  %new = new Cell(%j)
  %c = eq.i64 %in 1
  cond %c ^2 ^1(%j, %k, %b, %new)
^2:
  %count = array.get %a 0
  %same = eq.i64 %count %j
  %f = field %cell.value
  %g = field %new.value
  %h = sub.i64 %g %j
  print(%same, " ", %f, " ", %h, " ", %m, " ", %text, " ", %flag, "\n")
  return %m
}
method main() { ^0: %a = array.new i64 2 0 %r = call walk(5, 1.0, "text", true, %a) return %r }
)"),
            "true 7 0 15 text true\n= i64 15");
}

// From the inner loop into better code, and from there on through the outer loop, whose values are made
// again.
TEST(Jit, J34_an_inner_loop_is_left_and_the_outer_one_goes_on) {
  Watchdog watchdog{100s};
  LoweringWorld world;
  EXPECT_EQ(run_watched(world, R"(
method walk(%a: array<i64>) {
^0: %n = array.len %a br ^1(0, 0, 0)
^1(%i, %sum, %more):
  %enough = le.i64 3 %more
  cond %enough ^9 ^2
^2:
  %scaled = mul.i64 %i 2
  %s = string.of %i
  br ^3(0, 0)
^3(%k, %t): %c = lt.i64 %k %n cond %c ^4 ^5
^4: %v = array.get %a %k %u = add.i64 %t %v %l = add.i64 %k 1 br ^3(%l, %u)
^5:
  %in = call.host berth_test_runs_optimized() i64
  %later = add.i64 %more %in
  %half = sub.i64 %scaled %i
  %same = eq.i64 %half %i
  cond %same ^6 ^8
^6:
  %len = string.len %s
  %has = lt.i64 0 %len
  cond %has ^7 ^8
^7: %j = add.i64 %i 1 %next = add.i64 %sum %t br ^1(%j, %next, %later)
^8: return "wrong"
^9: %p = mul.i64 %i %n %q = sub.i64 %sum %p return %q
}
method main() { ^0: %a = array.new i64 3000 1 %r = call walk(%a) return %r }
)"),
            "= i64 0");
}

// Two loops one behind the other, the second with a handler around what it does.
TEST(Jit, J34_a_later_loop_and_a_handler) {
  Watchdog watchdog{100s};
  LoweringWorld world;
  EXPECT_EQ(run_watched(world, R"(
method walk(%n: i64) {
^0: br ^1(0, 0)
^1(%i, %s): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %x = xor.i64 %i 5 %t = add.i64 %s %x %j = add.i64 %i 1 br ^1(%j, %t)
^3: br ^4(0, 0)
^4(%k, %raised):
  %in = call.host berth_test_runs_optimized() i64
  br ^5
^5 catch ^7:
  %even = and.i64 %k 1
  %q = div.i64 %n %even
  br ^6(%raised)
^6(%r): %l = add.i64 %k 1 %on = eq.i64 %in 0 cond %on ^4(%l, %r) ^8(%l, %r)
^7(%e): %text = field %e.text %len = string.len %text %m = add.i64 %raised 1 br ^6(%m)
^8(%rounds, %errors):
  %more = add.i64 %rounds 1
  %expected = div.i64 %more 2
  %d = sub.i64 %errors %expected
  print(%d, " ", %s, "\n")
  return nothing
}
method main() { ^0: %r = call walk(30000) return %r }
)"),
            "0 449985000\n= nothing 0");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int64_t berth_test_runs_optimized() {
  return runs_optimized() ? 1 : 0;
}

}  // namespace berth::test
