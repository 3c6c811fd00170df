// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimiser: golden typed IR, effects, and differential runs of optimised against defined bodies.
#include <gtest/gtest.h>

#include "inference/runtime.hpp"
#include "tests/unit/inference/inference_fixture.hpp"

namespace berth::inference {
namespace {

using test::count;
using test::InferenceWorld;
using test::kPrelude;

/// The method alone, without the head.
std::string body_text(const std::string& printed) { return printed.substr(printed.find("method ")); }

struct Golden {
  const char* name;
  const char* text;
  std::vector<std::string> arguments;
  const char* expected;
};

const Golden kGolden[] = {
    {"sum",
     R"(method sum(%n: i64) -> i64 {
^0: br ^1(0, 0)
^1(%i, %s): %c = call `<`(%i, %n) cond %c ^2 ^3
^2: %t = call `+`(%s, %i) %j = call `+`(%i, 1) br ^1(%j, %t)
^3: return %s })",
     {"i64"},
     R"(method sum(%0: i64) -> i64 {
^0:
  br ^1(0, 0)
^1(%1: i64, %2: i64):
  %3: bool = lt.i64 %1 %0
  cond %3 ^2 ^3
^2:
  %4: i64 = add.i64 %2 %1
  %5: i64 = add.i64 %1 1
  br ^1(%5, %4)
^3:
  return %2
}
)"},
    {"fib",
     R"(method fib(%n) {
^0: %c = call `<`(%n, 2) cond %c ^1 ^2
^1: return %n
^2: %a = call `-`(%n, 1) %x = call fib(%a) %b = call `-`(%n, 2) %y = call fib(%b) %r = call `+`(%x, %y) return %r })",
     {"i64"},
     R"(method fib(%0: i64) -> i64 {
^0:
  %1: bool = lt.i64 %0 2
  cond %1 ^1 ^2
^1:
  return %0
^2:
  %2: i64 = sub.i64 %0 1
  %3: i64 = invoke fib(i64)(%2)
  %4: i64 = sub.i64 %0 2
  %5: i64 = invoke fib(i64)(%4)
  %6: i64 = add.i64 %3 %5
  return %6
}
)"},
    {"length",
     R"(mutable type Node { next: Node | nothing, value: i64 }
method length(%l: Node | nothing) { ^0: br ^1(%l, 0)
^1(%n, %k): %c = call `==`(%n, nothing) cond %c ^2 ^3
^2: return %k
^3: %m = field %n.next %j = call `+`(%k, 1) br ^1(%m, %j) })",
     {"Node | nothing"},
     R"(method length(%0: Node | nothing) -> i64 {
^0:
  br ^1(%0, 0)
^1(%1: Node | nothing, %2: i64):
  %3: bool = same %1 nothing
  cond %3 ^2 ^3
^2:
  return %2
^3:
  %4: Node = refine %1 Node
  %5: Node | nothing = field %4.next
  %6: i64 = add.i64 %2 1
  br ^1(%5, %6)
}
)"},
    {"higher",
     R"(method square(%x) { ^0: %r = call `*`(%x, %x) return %r }
method twice(%f, %x) { ^0: %a = call %f(%x) %b = call %f(%a) return %b }
method higher(%x: f64) { ^0: %r = call twice(square, %x) return %r })",
     {"f64"},
     R"(method higher(%0: f64) -> f64 {
^0:
  %1: f64 = mul.f64 %0 %0
  %2: f64 = mul.f64 %1 %1
  return %2
}
)"},
    {"folded",
     R"(method k() { ^0: %r = call `*`(6, 7) return %r }
method folded(%x: i64) { ^0: %k = call k() %c = call `==`(%k, 42) cond %c ^1 ^2
^1: return %x
^2: %y = call missing(%x) return %y })",
     {"i64"},
     R"(method folded(%0: i64) -> i64 {
^0:
  return %0
}
)"},
    {"pair",
     R"(method pair(%x: i64, %y: f64) { ^0: %t = tuple(%x, %y) return %t }
method pairs(%x: i64, %y: f64) { ^0: %t = call pair(%x, %y) %a = item %t 0 %b = item %t 1 %c = call `+`(%a, 1) return %c })",
     {"i64", "f64"},
     nullptr},
    {"struct_field",
     R"(type P { x: f64, y: f64 }
method `+`(%a: P, %b: P) { ^0: %ax = field %a.x %bx = field %b.x %x = call `+`(%ax, %bx) %p = new P(%x, %x) return %p }
method struct_field(%a: P, %b: P) { ^0: %s = call `+`(%a, %b) %x = field %s.x return %x })",
     {"P", "P"},
     R"(method struct_field(%0: P, %1: P) -> f64 {
^0:
  %2: f64 = field %0.x
  %3: f64 = field %1.x
  %4: f64 = add.f64 %2 %3
  return %4
}
)"},
    {"checked",
     R"(method checked(%x) { ^0: %y: i64 = call id(%x) return %y }
method id(%x) { ^0: return %x })",
     {"any"},
     R"(method checked(%0: any) -> i64 {
^0:
  %1: i64 = assert %0 i64
  return %1
}
)"},
    {"caught",
     R"(method caught(%a: i64, %b: i64) {
^0: br ^1
^1 catch ^2: %q = call `/`(%a, %b) return %q
^2(%e): return 0 })",
     {"i64", "i64"},
     nullptr},
    {"elements",
     R"(method elements(%a: array<f64>) { ^0: %x = array.get %a 0 %y = call `*`(%x, 2.0) %s = array.set %a 1 %y return %y })",
     {"array<f64>"},
     R"(method elements(%0: array<f64>) -> f64 {
^0:
  %1: f64 = array.get %0 0
  %2: f64 = mul.f64 %1 2.0
  %3: nothing = array.set %0 1 %2
  return %2
}
)"},
};

TEST(Inference, I15_golden_typed_ir) {
  for (const Golden& golden : kGolden) {
    InferenceWorld world(kPrelude);
    world.define(golden.text);
    const std::string printed = body_text(world.printed(golden.name, golden.arguments));
    if (golden.expected) { EXPECT_EQ(printed, golden.expected) << golden.name; }
  }
}

TEST(Inference, I15_tuples_do_not_outlive_inlining) {
  InferenceWorld world(kPrelude);
  world.define(kGolden[5].text);
  const TypedMethod& method = world.typed("pairs", {"i64", "f64"});
  EXPECT_EQ(count(method, Op::Tuple) + count(method, Op::Item), 0u);
  EXPECT_EQ(count(method, Op::Add), 1u);
}

TEST(Inference, I20_effects) {
  InferenceWorld world(kPrelude);
  world.define(R"(
mutable type M { v: i64 }
type P { v: i64 }
method pure(%x: i64) { ^0: %r = call `+`(%x, 1) return %r }
method divide(%x: i64, %y: i64) { ^0: %r = div.i64 %x %y return %r }
method by_two(%x: i64) { ^0: %r = div.i64 %x 2 return %r }
method load(%m: M) { ^0: %r = field %m.v return %r }
method load_fixed(%m: P) { ^0: %r = field %m.v return %r }
method store(%m: M) { ^0: %r = set %m.v 1 return nothing }
method out() { ^0: print("x") return nothing }
method make() { ^0: %m = new M(1) return %m }
method throws() { ^0: throw "x" }
method loops(%n: i64) { ^0: br ^1(0) ^1(%i): %c = lt.i64 %i %n cond %c ^2 ^3 ^2: %j = add.i64 %i 1 br ^1(%j) ^3: return %i }
method caught(%x: i64, %y: i64) { ^0: br ^1 ^1 catch ^2: %r = div.i64 %x %y return %r ^2(%e): return 0 }
)");
  const auto effects = [&](const char* name, const std::vector<std::string>& types) {
    return +world.typed(name, types).effects;
  };
  EXPECT_EQ(effects("pure", {"i64"}), kPure);
  EXPECT_EQ(effects("divide", {"i64", "i64"}), kPure & ~kNoRaise);
  EXPECT_EQ(effects("by_two", {"i64"}), kPure);
  EXPECT_EQ(effects("load", {"M"}), kPure & ~kSameResult);
  EXPECT_EQ(effects("load_fixed", {"P"}), kPure);
  EXPECT_EQ(effects("store", {"M"}), kPure & ~(kSameResult | kNoWrite));
  EXPECT_EQ(effects("out", {}) & (kNoWrite | kNoRaise), 0);
  EXPECT_EQ(effects("make", {}) & (kSameResult | kNoSafepoint), 0);
  EXPECT_EQ(effects("throws", {}) & kNoRaise, 0);
  EXPECT_EQ(effects("loops", {"i64"}) & (kTerminates | kNoSafepoint), 0);
  EXPECT_TRUE(effects("caught", {"i64", "i64"}) & kNoRaise);
}

TEST(Inference, I21_raising_calls_are_not_folded) {
  InferenceWorld world(kPrelude);
  world.define(
      "method zero() { ^0: %r = call `/`(1, 0) return 5 } method unused() { ^0: %r = call zero() return 7 }");
  // `/` is inferred for all i64: its caller learns only from the inlined statement that it raises, and keeps
  // it.
  EXPECT_EQ(world.result("zero"), "const 5:i64");
  EXPECT_EQ(count(world.typed("zero"), Op::Div), 1u);
  EXPECT_EQ(world.typed("zero").body.blocks.back().terminator.kind, Terminator::Kind::Unreachable);
  const TypedMethod& unused = world.typed("unused");
  EXPECT_EQ(count(unused, Op::Div) + count(unused, Op::Invoke), 1u);
}

/// Runs a method as defined (raw) or by inferred IR; the text of its value or error.
std::string run(InferenceWorld& world, const char* function, std::vector<Value> arguments, bool raw) {
  OutermostCall call(world.thread(), world.engine().world(), nullptr);
  call.state.raw = raw;
  Runtime& runtime = world.program().runtime();
  Value result;
  if (runtime.call(world.thread(), world.program().function(function), arguments, 0, result))
    return runtime.text_of_value(result);
  return "error: " + runtime.take_error(world.thread()).message();
}

TEST(Inference, I26_optimised_equals_defined) {
  InferenceWorld world;
  world.program().set_tier(BERTH_TIER_INTERPRET);
  world.define(kPrelude, "<prelude>");
  world.define(R"(
type P { x: i64, y: any }
mutable type Node { next: Node | nothing, value: i64 }
method divide(%a, %b) { ^0: %r = call `/`(%a, %b) return %r }
method checked(%x) { ^0: %y: i64 = call id(%x) return %y }
method id(%x) { ^0: return %x }
method try(%a, %b) { ^0: br ^1
^1 catch ^2: %q = call divide(%a, %b) %t = call `+`(%q, 1) return %t
^2(%e): %s = field %e.text return %s }
method list(%n, %unused) { ^0: br ^1(nothing, 0)
^1(%l, %i): %c = call `<`(%i, %n) cond %c ^2 ^3(%l, 0)
^2: %m = new Node(%l, %i) %j = call `+`(%i, 1) br ^1(%m, %j)
^3(%k, %s): %d = call `==`(%k, nothing) cond %d ^4 ^5
^4: return %s
^5: %v = field %k.value %t = call `+`(%s, %v) %o = field %k.next br ^3(%o, %t) }
method pick(%a, %b) { ^0: %p = new P(%a, %b) %x = field %p.x %y = field %p.y %t = tuple(%x, %y) %r = item %t 1 %s = call `==`(%r, %b) cond %s ^1 ^2
^1: return %x
^2: return %y }
method depth(%n, %b) { ^0: %c = call `<`(%n, 1) cond %c ^1 ^2
^1: %q = call `/`(10, %b) return %q
^2: %m = call `-`(%n, 1) %r = call depth(%m, %b) %s = call `+`(%r, %n) return %s }
)",
               "t.bir");
  std::vector<Value> values{Value::i64(0),   Value::i64(1),        Value::i64(-7),  Value::i64(12),
                            Value::f64(2.5), Value::boolean(true), Value::nothing()};
  for (const char* function : {"divide", "try", "list", "pick", "depth"}) {
    for (const Value& a : values) {
      for (const Value& b : values)
        EXPECT_EQ(run(world, function, {a, b}, false), run(world, function, {a, b}, true)) << function;
    }
  }
  for (const Value& a : values)
    EXPECT_EQ(run(world, "checked", {a}, false), run(world, "checked", {a}, true));
  EXPECT_GT(world.num_inferred(), 20u);
}

// S and its kind; methods that no value is of both, one below another, and two that meet in (A, A) with none
// for that.
const char* const kShapes = R"(
abstract S
type A <: S { v: i64 }
type B <: S { v: i64 }
type C <: S { v: i64 }
mutable type Held { s: S }
method f(%x: A) { ^0: %r = field %x.v return %r }
method f(%x: B) { ^0: return "B" }
method g(%x: A) { ^0: return "A" }
method g(%x: S) { ^0: return "S" }
method h(%x: A, %y: S) { ^0: return "AS" }
method h(%x: S, %y: A) { ^0: return "SA" }
method k(%x: i64) { ^0: return "i64" }
method k(%x: f64) { ^0: return "f64" }
method k(%x: i64 | nothing) { ^0: return "i64 or nothing" }
method make(%n) { ^0: %c = same %n 0 cond %c ^1 ^2
^1: %a = new A(7) %h = new Held(%a) %s = field %h.s return %s
^2: %d = same %n 1 cond %d ^3 ^4
^3: %b = new B(8) %i = new Held(%b) %t = field %i.s return %t
^4: %e = new C(9) %j = new Held(%e) %u = field %j.s return %u }
method number(%n) { ^0: %c = same %n 0 cond %c ^1 ^2
^1: return 5
^2: %d = same %n 1 cond %d ^3 ^4
^3: return 2.5
^4: return nothing }
method of_f(%n, %m) { ^0: %s = call make(%n) br ^1 ^1 catch ^2: %r = call f(%s) %t = tuple(%r, %n) return %t
^2(%e): %t2 = field %e.text return %t2 }
method of_g(%n, %m) { ^0: %s = call make(%n) %r = call g(%s) return %r }
method of_h(%n, %m) { ^0: %s = call make(%n) %t = call make(%m) %r = call h(%s, %t) return %r }
method of_k(%n, %m) { ^0: %s = call number(%n) %r = call k(%s) return %r }
method by_type(%s: S) { ^0: %r = call f(%s) return %r }
)";

TEST(Inference, I25_calls_of_a_few_methods_test_which_it_is) {
  InferenceWorld world(kPrelude);
  world.define(kShapes);
  const TypedMethod& method = world.typed("by_type", {"S"});
  EXPECT_EQ(count(method, Op::Is), 2u) << print_typed(method, 1, UINT64_MAX);
  EXPECT_EQ(count(method, Op::Field), 1u);  // f(A), inlined
  EXPECT_EQ(count(method, Op::Call), 1u);   // for a C, or what will be defined below S
  EXPECT_EQ(count(world.typed("of_h", {"i64", "i64"}), Op::Call), 1u);
}

TEST(Inference, I25_tests_find_what_dispatch_finds) {
  InferenceWorld world;
  world.program().set_tier(BERTH_TIER_INTERPRET);
  world.define(kPrelude, "<prelude>");
  world.define(kShapes, "t.bir");
  for (const char* function : {"of_f", "of_g", "of_h", "of_k"}) {
    for (int64_t n = 0; n < 3; ++n) {
      for (int64_t m = 0; m < 3; ++m) {
        const std::vector<Value> arguments{Value::i64(n), Value::i64(m)};
        EXPECT_EQ(run(world, function, arguments, false), run(world, function, arguments, true))
            << function << " " << n << " " << m;
      }
    }
  }
}

}  // namespace
}  // namespace berth::inference
