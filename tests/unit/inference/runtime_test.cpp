// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime: dispatch and its errors, places and stack traces, tasks, printing, roots under collections.
#include "inference/runtime.hpp"

#include <atomic>
#include <thread>

#include "tests/unit/inference/runtime_fixture.hpp"

namespace berth::inference {
namespace {

using namespace std::chrono_literals;

TestProgram* defines_now = nullptr;  // of I54

TEST(Runtime, prints_a_literal) {
  TestProgram test;
  test.define(R"(method main() { ^0: print("hi") return nothing })");
  EXPECT_EQ(test.run("main"), "nothing");
  EXPECT_EQ(test.output(), "hi");
  EXPECT_EQ(test.printed_by(), reinterpret_cast<berth_thread_t*>(test.thread));
}

TEST(Inference, I23_ambiguous_call_names_both) {
  TestProgram test;
  test.define("\n\nmethod f(%a: i64, %b) { ^0: return 1 }\nmethod f(%a, %b: i64) { ^0: return 2 }", "a.bth");
  EXPECT_EQ(test.run("f", {Value::i64(1), Value::f64(1)}), "1");
  EXPECT_EQ(test.run("f", {Value::i64(1), Value::i64(1)}),
            "! ambiguous: f(i64, any) at a.bth:3, f(any, i64) at a.bth:4");
  test.define("method f(%a: i64, %b: i64) { ^0: return 3 }");
  EXPECT_EQ(test.run("f", {Value::i64(1), Value::i64(1)}), "3");
}

TEST(Inference, I24_most_specific_method_is_called) {
  TestProgram test;
  test.define(R"(abstract Shape abstract Round <: Shape type Circle <: Round { r: f64 }
                 method f(%s) { ^0: return "any" } method f(%s: Shape) { ^0: return "shape" } method f(%s: Round) { ^0: return "round" }
                 method f(%s: integer) { ^0: return "integer" } method f(%s: tuple<i64, any>) { ^0: return "pair" }
                 method g() { ^0: %c = new Circle(1.0) %r = call f(%c) return %r }
                 method h() { ^0: %c = tuple(1, 2.0) %r = call f(%c) return %r }
                 method i() { ^0: %c = tuple(1.0, 2.0) %r = call f(%c) return %r })");
  EXPECT_EQ(test.run("g"), "round");
  EXPECT_EQ(test.run("h"), "pair");
  EXPECT_EQ(test.run("i"), "any");
  EXPECT_EQ(test.run("f", {Value::of_bits(LeafKind::U8, 1)}), "integer");
}

TEST(Inference, I54_running_call_keeps_its_world) {
  TestProgram test;
  test.define(R"(method value() { ^0: return 1 }
                 method both(%task) { ^0: %x = join %task %a = call value() %b = call.latest value() %t = tuple(%a, %b) return %t })");
  // The definition happens while `both` runs: its task, spawned by the test, defines before it ends.
  test.define(R"(method wait() { ^0: %x = call.host berth_test_define_now() i64 return %x } )");
  test.define(R"(method main() { ^0: %t = spawn wait() %r = call both(%t) return %r })");
  defines_now = &test;
  EXPECT_EQ(test.run("main"), "(1, 2)");
  EXPECT_EQ(test.run("value"), "2");
}

// Raw, and through inlining.
class Traces : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Inference, Traces, testing::Bool(),
                         [](const auto& info) { return info.param ? "raw" : "inferred"; });

TEST_P(Traces, I72_errors_carry_place_and_stack) {
  TestProgram test(GetParam());
  test.define(R"(method bad(%x) {
    ^0: %y = div.i64 1 %x
    return %y }
  method middle(%x) {
    ^0: %r = call bad(%x)
    return %r }
  method main() { ^0: %r = call middle(0) return %r }
  method caught() { ^0: br ^1 ^1 catch ^2: %r = call middle(0) return %r
   ^2(%e): %a = field %e.at %s = field %e.stack %t = tuple(%a, %s) return %t })",
              "name.bth");
  EXPECT_EQ(test.run("main"), "! division by zero");
  EXPECT_EQ(test.last_message.rfind("name.bth:2: division by zero. Remedy: ", 0), 0u) << test.last_message;
  EXPECT_NE(test.last_details.find(
                R"("at":"name.bth:2","stack":"bad at name.bth:2\nmiddle at name.bth:5\nmain at name.bth:7")"),
            std::string::npos)
      << test.last_details;
  EXPECT_EQ(test.run("caught"),
            R"(("name.bth:2", "bad at name.bth:2\nmiddle at name.bth:5\ncaught at name.bth:8"))");
}

TEST_P(Traces, I72_library_frames_are_left_out) {
  TestProgram test(GetParam());
  test.define("method plus(%a, %b) {\n ^0: %r = div.i64 %a %b\n return %r }", "<prelude>");
  test.define("method main() {\n\n ^0: %r = call plus(1, 0) return %r }", "user.bth");
  EXPECT_EQ(test.run("main"), "! division by zero");
  EXPECT_NE(test.last_details.find(R"("at":"user.bth:3","stack":"main at user.bth:3")"), std::string::npos)
      << test.last_details;
}

TEST(Runtime, error_thrown_again_is_the_same) {
  TestProgram test;
  test.define(R"(method f() { ^0: throw "x" }
                 method g() { ^0: br ^1 ^1 catch ^2: %r = call f() return %r ^2(%e): throw %e }
                 method h() { ^0: br ^1 ^1 catch ^2: %r = call g() return %r ^2(%e): %s = field %e.stack return %s })",
              "a.bth");
  EXPECT_EQ(test.run("h"), "f at a.bth:1\ng at a.bth:2\nh at a.bth:3");
}

TEST(Runtime, spawned_calls_print_for_their_outermost_caller) {
  test::Watchdog watchdog{30s};
  TestProgram test;
  test.define(R"(method leaf(%n) { ^0: print("<", %n, ">") %m = mul.i64 %n %n return %m }
                 method inner(%n) { ^0: %t = spawn leaf(%n) %r = join %t return %r }
                 method main() { ^0: %a = spawn inner(3) %r = join %a %q = join %a %s = add.i64 %r %q return %s })");
  EXPECT_EQ(test.run("main"), "18");
  EXPECT_EQ(test.output(), "<3>");
  EXPECT_EQ(test.printed_by(), reinterpret_cast<berth_thread_t*>(test.thread));
}

TEST(Runtime, join_raises_the_error_of_its_task) {
  test::Watchdog watchdog{30s};
  TestProgram test;
  test.define(R"(method fail(%x) { ^0: throw %x }
                 method main() { ^0: %a = spawn fail("lost") %r = join %a return %r })");
  EXPECT_EQ(test.run("main"), "! lost");
}

TEST(Runtime, program_end_waits_for_spawned_calls) {
  test::Watchdog watchdog{30s};
  TestProgram test;
  test.define(
      R"(method work() { ^0: br ^1(0) ^1(%i): %c = lt.i64 %i 100000 cond %c ^2 ^3 ^2: %j = add.i64 %i 1 br ^1(%j)
                   ^3: print("done") return nothing }
                 method main() { ^0: %a = spawn work() return nothing })");
  EXPECT_EQ(test.run("main"), "nothing");
  test.program->close();
  EXPECT_EQ(test.output(), "done");
}

TEST(Runtime, global_is_shared_by_all_threads) {
  test::Watchdog watchdog{30s};
  TestProgram test;
  test.define(R"(mutable type Counter { n: i64 } global counter: Counter | nothing = nothing
                 method work(%c: Counter) { ^0: br ^1(0) ^1(%i): %t = lt.i64 %i 1000 cond %t ^2 ^3
                   ^2: rmw.field.relaxed %c.n 1 %j = add.i64 %i 1 br ^1(%j) ^3: return nothing }
                 method main() { ^0: %c = new Counter(0) global.set counter %c %a = spawn work(%c) %b = spawn work(%c) %x = join %a %y = join %b
                   %g = global.get counter %n = field %g.n return %n })");
  EXPECT_EQ(test.run("main"), "2000");
}

// No compiler in this build: FAST interprets, counts it, and says why.
TEST(Runtime, what_cannot_be_compiled_is_interpreted_and_counted) {
  test::Watchdog watchdog{30s};
  TestProgram test(false);
  test.program->set_tier(BERTH_TIER_FAST);
  test.define("method main() { ^0: %r = string.concat \"a\" \"b\" return %r }");
  EXPECT_EQ(test.run("main"), "ab");
  EXPECT_EQ(test.run("main"), "ab");
  EXPECT_EQ(test.program->runtime().counters().fallbacks, 1u);
  EXPECT_NE(test.engine->explain().find("interpreted_instead"), std::string::npos);
}

// A thread collects all the time while others make lists, strings, tuples and errors: what is reachable
// stays, bit for bit.
TEST(Runtime, roots_hold_under_collections) {
  test::Watchdog watchdog{60s};
  for (const bool raw : {true, false}) {
    TestProgram test(raw);
    test.define(R"(mutable type Node { next: Node | nothing, text: string, more: any }
      method build(%n: i64) { ^0: br ^1(0, nothing) ^1(%i, %list): %c = lt.i64 %i %n cond %c ^2 ^5
        ^2: %s = string.of %i %t = tuple(%i, %s, 1.5) %node = new Node(%list, %s, %t) br ^3 ^3 catch ^4: %x = call boom(%s) br ^6 ^6: br ^7
        ^4(%e): %v = field %e.value set %node.more %v br ^7 ^7: %j = add.i64 %i 1 br ^1(%j, %node) ^5: return %list }
      method boom(%s) { ^0: throw %s }
      method text(%list) { ^0: br ^1(%list, "") ^1(%l, %s): %c = is %l nothing cond %c ^3 ^2
        ^2: %m = field %l.more %t = string.concat %s %m %k = field %l.next br ^1(%k, %t) ^3: return %s }
      method main() { ^0: br ^1(0, "") ^1(%i, %last): %c = lt.i64 %i 3 cond %c ^2 ^3
        ^2: %l = call build(12) %t = call text(%l) %j = add.i64 %i 1 br ^1(%j, %t) ^3: return %last })");
    std::atomic<bool> stop{false};
    std::thread collects([&] {
      gc::Thread* thread = test.engine->attach().value();
      while (!stop.load(std::memory_order_acquire)) test.engine->collector().collect(*thread);
      test.engine->detach(*thread);
    });
    std::string expected;
    for (int i = 11; i >= 0; --i) expected += std::to_string(i);
    std::vector<std::thread> workers;
    std::atomic<int> right{0};
    for (int i = 0; i < 2; ++i) {
      workers.emplace_back([&] {
        gc::Thread* thread = test.engine->attach().value();
        bool all = true;
        do {
          all &= test.run("main", {}, thread) == expected;
        } while (test.engine->collector().num_collections() < 5);
        if (all) ++right;
        test.engine->detach(*thread);
      });
    }
    {
      const gc::SafeRegion safe(*test.thread);
      for (std::thread& worker : workers) worker.join();
      stop.store(true, std::memory_order_release);
      collects.join();
    }
    EXPECT_EQ(right.load(), 2);
  }
}

}  // namespace

/// Called by a spawned task of I54: redefines while the call that joins it runs.
extern "C" __attribute__((visibility("default"))) int64_t berth_test_define_now() {
  TestProgram& test = *defines_now;
  // The task's thread is in a safe region here; definitions need no attached thread of their own.
  auto defined = test.program->define(nullptr, "berth-ir 1 method value() { ^0: return 2 }", "later.bir");
  return defined.has_error() ? 1 : 0;
}

}  // namespace berth::inference
