// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// J86, J87: programs of objects, calls and errors run alike at every tier; J85: also with collections all the
// time.
#include "tests/support/stressed.hpp"
#include "tests/unit/jit/lowering_fixture.hpp"

namespace berth::test {
namespace {

const char* const kFibonacci = R"(
method fib(%n: i64) -> i64 {
^0:
  %c = lt.i64 %n 2
  cond %c ^1 ^2
^1:
  return %n
^2:
  %a = sub.i64 %n 1
  %b = sub.i64 %n 2
  %x = call fib(%a)
  %y = call fib(%b)
  %z = add.i64 %x %y
  return %z
}
method main() { ^0: %r = call fib(20) return %r }
)";

const char* const kMutualRecursion = R"(
method even(%n: i64) { ^0: %z = eq.i64 %n 0 cond %z ^1 ^2 ^1: return true ^2: %m = sub.i64 %n 1 %r = call odd(%m) return %r }
method odd(%n: i64) { ^0: %z = eq.i64 %n 0 cond %z ^1 ^2 ^1: return false ^2: %m = sub.i64 %n 1 %r = call even(%m) return %r }
method main() {
^0:
  %a = call even(1000)
  %b = call odd(999)
  %c = call even(7)
  print(%a, " ", %b, " ", %c, "\n")
  return nothing
}
)";

// A list of objects, built and summed; its fields a union with nothing, and boxed numbers among them.
const char* const kList = R"(
mutable type Node { next: Node | nothing, value: i64, extra: any }
method build(%n: i64) {
^0: br ^1(0, nothing)
^1(%i, %head):
  %c = lt.i64 %i %n
  cond %c ^2 ^3
^2:
  %e = mul.i64 %i 3
  %node = new Node(%head, %i, %e)
  %j = add.i64 %i 1
  br ^1(%j, %node)
^3: return %head
}
method total(%list) {
^0: br ^1(%list, 0)
^1(%at, %sum):
  %end = same %at nothing
  cond %end ^3 ^2
^2:
  %node = assert %at Node
  %v = field %node.value
  %e = field %node.extra
  %ei = assert %e i64
  %s1 = add.i64 %sum %v
  %s2 = add.i64 %s1 %ei
  %next = field %node.next
  br ^1(%next, %s2)
^3: return %sum
}
method main() {
^0:
  %l = call build(5000)
  %t = call total(%l)
  %n = assert %l Node
  set %n.value 7
  set %n.extra "text"
  %x = field %n.extra
  print(%t, " ", %x, "\n")
  set %n.next nothing
  %y = field %n.next
  print(%y, "\n")
  return %t
}
)";

const char* const kErrors = R"(
method risky(%k: i64) {
^0: switch %k [0: ^1, 1: ^2, 2: ^3, 3: ^4, 4: ^5, 5: ^6, 6: ^8] ^7
^1: %a = div.i64 1 %k return %a
^2: %b = array.new i64 3 0 %c = array.get %b 3 return %c
^3: throw "own"
^4: %d = call missing(%k) return %d
^5: %e = assert "text" i64 return %e
^6: %f = convert.f64.i64 1.5 return %f
^7: return %k
^8: %g = add.i64.checked 9223372036854775807 %k return %g
}
method guarded(%k: i64) {
^0: br ^1
^1 catch ^3:
  %r = call risky(%k)
  br ^2(%r)
^2(%v): return %v
^3(%e):
  %kind = field %e.kind
  %text = field %e.text
  print(%kind, "|", %text, "\n")
  return -1
}
method main() {
^0: br ^1(0, 0)
^1(%i, %s):
  %c = lt.i64 %i 9
  cond %c ^2 ^3
^2:
  %r = call guarded(%i)
  %ri = assert %r i64
  %t = add.i64 %s %ri
  %j = add.i64 %i 1
  br ^1(%j, %t)
^3: return %s
}
)";

// A handler in a loop, with values that were there before; the error leaves several frames.
const char* const kNestedHandlers = R"(
method deep(%n: i64) {
^0: %z = eq.i64 %n 0 cond %z ^1 ^2
^1: throw "bottom"
^2: %m = sub.i64 %n 1 %r = call deep(%m) %q = string.of %r return %q
}
method attempt(%n: i64, %text: string) {
^0: br ^1
^1 catch ^2: %r = call deep(%n) return %r
^2(%e):
  %t = field %e.text
  %u = string.concat %text %t
  return %u
}
method main() {
^0: br ^1(0, "")
^1(%i, %all: string):
  %c = lt.i64 %i 5
  cond %c ^2 ^3
^2:
  %si = string.of %i
  %r = call attempt(%i, %si)
  %rs = assert %r string
  %next = string.concat %all %rs
  %j = add.i64 %i 1
  br ^1(%j, %next)
^3: return %all
}
)";

const char* const kArrays = R"(
method fill(%n: i64) {
^0: %a = array.new f64 %n 0.0 br ^1(0)
^1(%i):
  %c = lt.i64 %i %n
  cond %c ^2 ^3
^2:
  %x = convert.i64.f64 %i
  %y = mul.f64 %x 0.5
  array.set %a %i %y
  %j = add.i64 %i 1
  br ^1(%j)
^3: return %a
}
method sum(%a: array<f64>) {
^0: %n = array.len %a br ^1(0, 0.0)
^1(%i, %s):
  %c = lt.i64 %i %n
  cond %c ^2 ^3
^2:
  %x = array.get %a %i
  %t = add.f64 %s %x
  %j = add.i64 %i 1
  br ^1(%j, %t)
^3: return %s
}
method each_kind() {
^0:
  %b = array.new bool 4 false
  array.set %b 2 true
  %b1 = array.get %b 1
  %b2 = array.get %b 2
  %u = array.new u8 4 200:u8
  %u3 = array.get %u 3
  %f = array.new f32 2 1.5:f32
  %f0 = array.get %f 0
  %s = array.new string 2 "s"
  array.set %s 1 "t"
  %s1 = array.get %s 1
  %m = array.new any 3 nothing
  array.set %m 0 1
  array.set %m 1 2.5
  array.set %m 2 "x"
  %m0 = array.get %m 0
  %m1 = array.get %m 1
  %m2 = array.get %m 2
  %k = array.copy %m
  array.set %k 0 9
  %k0 = array.get %k 0
  %len = array.len %k
  print(%b1, %b2, " ", %u3, " ", %f0, " ", %s1, " ", %m0, " ", %m1, " ", %m2, " ", %k0, " ", %len, "\n")
  return nothing
}
method main() {
^0:
  %a = call fill(2000)
  %s = call sum(%a)
  %e = call each_kind()
  return %s
}
)";

const char* const kMixed = R"(
abstract Shape
type Circle <: Shape { r: f64 }
type Square <: Shape { side: f64, name: string }
global hits: i64 = 0
global last: any = nothing
method area(%c: Circle) -> f64 { ^0: %r = field %c.r %s = mul.f64 %r %r return %s }
method area(%s: Square) -> f64 { ^0: %a = field %s.side %b = mul.f64 %a %a return %b }
method name(%x) { ^0: %s = is %x Square cond %s ^1 ^2 ^1: %n = field %x.name return %n ^2: %c = is %x Circle cond %c ^3 ^4 ^3: return "circle" ^4: return nothing }
method work(%x) {
^0:
  %h = global.get hits
  %h1 = add.i64 %h 1
  global.set hits %h1
  global.set last %x
  %a = call area(%x)
  %n = call name(%x)
  print(%n, " ", %a, "\n")
  return %a
}
method tuples(%a, %b) {
^0:
  %t = tuple(%a, %b, 3)
  %x = item %t 0
  %y = item %t 1
  %z = item %t 2
  %q = same %x %a
  %w = same %t %t
  print(%x, %y, %z, %q, %w, "\n")
  return %t
}
method apply(%f, %x) { ^0: %r = call %f(%x) return %r }
method main() {
^0:
  %c = new Circle(2.0)
  %s = new Square(3.0, "square")
  %a = call work(%c)
  %b = call work(%s)
  %ab = add.f64 %a %b
  %h = global.get hits
  %l = global.get last
  %n = call name(%l)
  %t = call tuples(1, "two")
  %u = call tuples(%c, nothing)
  %p = call apply(area, %s)
  %ty = typeof %c
  %len = string.len "hello"
  %byte = string.byte "hello" 1
  %sl = string.slice "hello" 1 3
  %eq = string.eq %sl "el"
  %fx = string.fixed 3.14159 2
  print(%h, " ", %n, " ", %p, " ", %ty, " ", %len, " ", %byte, " ", %sl, " ", %eq, " ", %fx, " ", %t, "\n")
  return %ab
}
)";

const char* const kIdentity = R"(
type P { x: f64, y: any }
mutable type M { x: i64 }
method show(%a, %b) { ^0: %s = same %a %b print(%s, " ") return nothing }
method main() {
^0:
  %p = new P(1.0, 2)
  %q = new P(1.0, 2)
  %m = new M(1)
  %n = new M(1)
  call show(1, 1)
  call show(1, 1.0)
  call show(0.0, -0.0)
  call show(0x7ff8000000000001:f64, 0x7ff8000000000001:f64)
  call show("ab", "ab")
  call show(%p, %q)
  call show(%m, %n)
  call show(%m, %m)
  call show(nothing, nothing)
  call show(nothing, %m)
  call show(true, true)
  call show(1:u8, 1:i8)
  return nothing
}
)";

const char* const kOverflow = R"(
method down(%n: i64) { ^0: %m = add.i64 %n 1 %r = call down(%m) %q = add.i64 %r 1 return %q }
method main() {
^0: br ^1
^1 catch ^2: %r = call down(0) return %r
^2(%e): %k = field %e.kind %t = field %e.text print(%k, "|", %t, "\n") return "caught"
}
)";

// Long block parameters that change representation at a join: number, object, nothing.
const char* const kJoins = R"(
method pick(%k: i64) {
^0: switch %k [0: ^1(1), 1: ^1(2.5), 2: ^1("s"), 3: ^1(nothing), 4: ^1(true)] ^2
^1(%v): return %v
^2: %q = mul.i64 %k 2 br ^1(%q)
}
method rotate(%n: i64) {
^0: br ^1(0, "a", 2, 3.5)
^1(%i, %x, %y, %z):
  %c = lt.i64 %i %n
  cond %c ^2 ^3
^2: %j = add.i64 %i 1 br ^1(%j, %y, %z, %x)
^3: print(%x, %y, %z, "\n") return nothing
}
method main() {
^0: br ^1(0)
^1(%i):
  %c = lt.i64 %i 7
  cond %c ^2 ^3
^2:
  %v = call pick(%i)
  print(%v, " ")
  call rotate(%i)
  %j = add.i64 %i 1
  br ^1(%j)
^3: return nothing
}
)";

// Fields of what may be nothing, read, written and raising; objects of a few types, told apart by the call.
const char* const kNothing = R"(
abstract Shape
type Square <: Shape { side: i64 }
type Bar <: Shape { length: f64 }
type Point <: Shape { name: string }
mutable type Node { next: Node | nothing, shape: Shape, area: i64 }
method area(%s: Square) { ^0: %x = field %s.side %r = mul.i64 %x %x return %r }
method area(%b: Bar) { ^0: %x = field %b.length %r = truncate.f64.i64 %x return %r }
method build(%n: i64) {
^0: br ^1(0, nothing)
^1(%i, %head):
  %c = lt.i64 %i %n
  cond %c ^2 ^6
^2:
  %k = rem.i64 %i 3
  %is_bar = eq.i64 %k 0
  cond %is_bar ^3 ^4
^3: %l = convert.i64.f64 %i %b = new Bar(%l) %bar = new Node(%head, %b, 0) br ^5(%bar)
^4: %s = new Square(%i) %square = new Node(%head, %s, 0) br ^5(%square)
^5(%node): %j = add.i64 %i 1 br ^1(%j, %node)
^6: return %head
}
method fill(%at: Node | nothing, %n: i64) {
^0: br ^1(%at, 0, 0)
^1(%node, %i, %sum):
  %c = lt.i64 %i %n
  cond %c ^2 ^3
^2:
  %shape = field %node.shape
  %area = call area(%shape)
  %done = set %node.area %area
  %again = field %node.area
  %s = add.i64 %sum %again
  %next = field %node.next
  %j = add.i64 %i 1
  br ^1(%next, %j, %s)
^3: return %sum
}
method tried(%list, %n: i64) {
^0: br ^1
^1 catch ^2: %r = call fill(%list, %n) return %r
^2(%e): %t = field %e.text return %t
}
method main() {
^0:
  %list = call build(100)
  %a = call tried(%list, 100)
  %b = call tried(%list, 101)
  %name = string.concat "a" "b"
  %p = new Point(%name)
  %last = new Node(nothing, %p, 0)
  %c = call tried(%last, 1)
  print(%a, "|", %b, "|", %c, "\n")
  return nothing
}
)";

// Arrays of each width, filled; of objects; of a length below 0.
const char* const kFilled = R"(
type P { x: i64 }
method last(%a) { ^0: %n = array.len %a %i = sub.i64 %n 1 %x = array.get %a %i return %x }
method filled(%n: i64) {
^0: br ^1
^1 catch ^2:
  %a = array.new i8 %n -3:i8
  %b = array.new u16 %n 65535:u16
  %c = array.new f32 %n 1.5:f32
  %d = array.new i64 %n -7
  %e = array.new f64 %n 0.0
  %f = array.new bool %n true
  %p = new P(5)
  %g = array.new P %n %p
  %h = array.new i64 | nothing %n nothing
  %ra = call last(%a) %rb = call last(%b) %rc = call last(%c) %rd = call last(%d) %re = call last(%e) %rf = call last(%f)
  %rg = call last(%g) %x = field %rg.x %rh = call last(%h)
  print(%ra, " ", %rb, " ", %rc, " ", %rd, " ", %re, " ", %rf, " ", %x, " ", %rh, "\n")
  return %n
^2(%error): %t = field %error.text print(%t, "\n") return nothing
}
method main() { ^0: %a = call filled(1) %b = call filled(1000) %c = call filled(-1) %d = call filled(0) return %b }
)";

const char* const kPrograms[] = {kFilled,         kNothing, kFibonacci, kMutualRecursion, kList,     kErrors,
                                 kNestedHandlers, kArrays,  kMixed,     kIdentity,        kOverflow, kJoins};

// Optimised code has taken in some levels of these: each has its line, and a handler in the middle sees those
// around it.
const char* const kDeepErrors = R"(
method down(%n: i64, %d: i64) -> i64 {
^0:
  %c = eq.i64 %n 0
  cond %c ^1 ^2
^1:
  %x = div.i64 7 %d
  return %x
^2:
  %m = sub.i64 %n 1
  %odd = rem.i64 %n 2
  %o = eq.i64 %odd 1
  cond %o ^3 ^4
^3:
  %r = call down(%m, %d)
  return %r
^4:
  %s = call aside(%m, %d)
  %t = add.i64 %s 1
  return %t
}
method aside(%n: i64, %d: i64) -> i64 {
^0:
  %r = call down(%n, %d)
  %s = add.i64 %r 1
  return %s
}
method guarded(%n: i64, %text: string) -> string {
^0:
  %c = eq.i64 %n 0
  cond %c ^1 ^2
^1:
  throw %text
^2:
  br ^3
^3 catch ^4:
  %m = sub.i64 %n 1
  %r = call guarded(%m, %text)
  return %r
^4(%e):
  %stack = field %e.stack
  %more = string.concat %text %stack
  throw %more
}
method main() {
^0:
  %a = call down(61, 7)
  print(%a)
  br ^1
^1 catch ^2:
  %b = call guarded(4, "deep")
  return %b
^2(%e):
  %stack = field %e.stack
  print(%stack)
  %n = string.len %stack
  br ^3
^3 catch ^4:
  %x = call down(5, 0)
  return %x
^4(%f):
  %trace = field %f.stack
  print(%trace)
  br ^5
^5 catch ^6:
  %y = call down(90, 0)
  return %y
^6(%g):
  %long = field %g.stack
  return %long
}
)";

// The frame begins behind the test for the base case: what raises before and behind it, what is referred to
// across its beginning.
const char* const kLateFrames = R"(
type Node { next: Node | nothing, value: i64 }
method walk(%a: array<i64>, %i: i64, %node: Node | nothing) -> i64 {
^0:
  %x = array.get %a %i
  %next = field %node.next
  %c = eq.i64 %x 0
  cond %c ^4(%i) ^1
^1:
  %made = new Node(%node, %x)
  %j = add.i64 %i %x
  %t = call walk(%a, %j, %made)
  %d = eq.i64 %x 2
  cond %d ^2 ^3
^2:
  %v = field %node.value
  %r = add.i64 %t %v
  br ^4(%r)
^3:
  %w = field %next.value
  %s = sub.i64 %t %w
  br ^4(%s)
^4(%q):
  %y = rem.i64 100 %q
  return %y
}
method tried(%a: array<i64>, %i: i64, %node: Node | nothing) {
^0:
  br ^1
^1 catch ^2:
  %r = call walk(%a, %i, %node)
  print(%r, " ")
  return nothing
^2(%e):
  %text = field %e.text
  %stack = field %e.stack
  print(%text, " ", %stack, " ")
  return nothing
}
method main() {
^0:
  %a = array.new i64 12 1
  array.set %a 3 2
  array.set %a 7 2
  array.set %a 11 0
  %x = new Node(nothing, 5)
  %y = new Node(%x, 11)
  %b = call tried(%a, 2, %y)
  %c = call tried(%a, 11, %y)
  %d = call tried(%a, 12, %y)
  %e = call tried(%a, 2, nothing)
  %f = call tried(%a, 2, %x)
  %z = array.new i64 3 0
  %g = call tried(%z, 0, %y)
  array.set %a 11 6
  %h = call tried(%a, 0, %y)
  return nothing
}
)";

TEST(Jit, J86_frames_that_begin_late) { expect_same_at_every_tier(kLateFrames); }
TEST(Jit, J86_recursion) { expect_same_at_every_tier(kFibonacci, "= i64 6765"); }
TEST(Jit, J86_mutual_recursion) {
  expect_same_at_every_tier(kMutualRecursion, "true true false\n= nothing 0");
}
TEST(Jit, J86_lists) { expect_same_at_every_tier(kList, "49990000 text\nnothing\n= i64 49990000"); }
TEST(Jit, J86_errors) {
  expect_same_at_every_tier(
      kErrors,
      "arithmetic|division by zero\nindex|index 3 of 3\nthrown|own\nmethod|no method missing(i64)\n"
      "type|type: expected i64, got string\nconversion|cannot convert 1.5 to i64\narithmetic|overflow\n= i64 "
      "8");
}
TEST(Jit, J86_nested_handlers) {
  expect_same_at_every_tier(kNestedHandlers, "= 0bottom1bottom2bottom3bottom4bottom");
}
TEST(Jit, J86_arrays) { expect_same_at_every_tier(kArrays); }
TEST(Jit, J86_objects_globals_functions) { expect_same_at_every_tier(kMixed); }
TEST(Jit, J86_fields_of_nothing_and_calls_of_a_few_methods) { expect_same_at_every_tier(kNothing); }
TEST(Jit, J86_arrays_are_filled) {
  expect_same_at_every_tier(kFilled,
                            "-3 65535 1.5 -7 0.0 true 5 nothing\n-3 65535 1.5 -7 0.0 true 5 nothing\nindex "
                            "-1 of 0\nindex -1 of 0\n= i64 1000");
}
TEST(Jit, J86_identity) {
  expect_same_at_every_tier(kIdentity,
                            "true false false true true true false true true false true false = nothing 0");
}
TEST(Jit, J86_stack_overflow) { expect_same_at_every_tier(kOverflow, "stack|stack overflow\n= caught"); }
TEST(Jit, J86_joins_change_representation) { expect_same_at_every_tier(kJoins); }

// Another thread collects without pause: every poll and allocation may stop, so an object that is not rooted
// dies.
TEST(Jit, J85_programs_under_collections) {
  Watchdog watchdog{100s};
  LoweringWorld world;
  std::atomic<bool> done{false};
  std::thread collector([&] {
    auto attached = world.engine().attach();
    ASSERT_TRUE(attached.has_value());
    while (!done.load()) world.engine().collector().collect(*attached.value());
    world.engine().detach(*attached.value());
  });
  for (const char* text : kPrograms) {
    if (text == kOverflow) continue;
    std::string expected = RunningProgram(world, text, BERTH_TIER_INTERPRET).run();
    for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED}) {
      RunningProgram program(world, text, tier);
      EXPECT_EQ(program.run(), expected) << name_of(tier);
    }
  }
  done = true;
  {
    gc::SafeRegion safe(world.thread());
    collector.join();
  }
  EXPECT_GT(world.engine().collector().num_collections(), 100u);
}

// Every allocation and poll collects, and a collection moves every object and poisons the old one: a
// reference that is not read again behind a safepoint is a wrong one. In builds without debug checks nothing
// moves; there the programs only run.
TEST(Jit, J85_objects_move_at_every_safepoint) {
  Watchdog watchdog{500s};
  uint64_t num_collections = 0;  // some of the programs have hardly a safepoint
  for (const char* text : {kList, kErrors, kNestedHandlers, kMixed, kIdentity, kJoins, kMutualRecursion,
                           kDeepErrors, kLateFrames}) {
    const std::string expected = [text] {
      LoweringWorld world;
      return RunningProgram(world, text, BERTH_TIER_INTERPRET).run();
    }();
    // Before the thread attaches: a poll collects only on threads that were told to at that time.
    const Stressed stressed("move,allocation:3,poll:61");
    LoweringWorld world;
    for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED}) {
      RunningProgram program(world, text, tier);
      EXPECT_EQ(program.run(), expected) << name_of(tier);
      EXPECT_EQ(program.num_fallbacks(), 0u);
    }
    num_collections += world.engine().collector().num_collections();
  }
  if constexpr (kDebugChecks) { EXPECT_GT(num_collections, 100u); }
}

// Loops of several chunks each, of every kind: counted, counted around counted, by another test, with a call.
// References are given from round to round, come from outside, and are read behind the loop.
const char* const kMovingLoops = R"(
mutable type Node { next: Node | nothing, value: i64 }
method ring(%n: i64) {
^0: %first = new Node(nothing, 0) br ^1(1, %first)
^1(%i, %head): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %node = new Node(%head, %i) %j = add.i64 %i 1 br ^1(%j, %node)
^3: set %first.next %head return %head
}
method counted(%from: Node, %a: array<i64>, %rounds: i64) {
^0: br ^1(%from, 0, 0)
^1(%at, %i, %s): %c = lt.i64 %i %rounds cond %c ^2 ^3
^2: %v = field %at.value %x = array.get %a %v %t = add.i64 %s %x %next = field %at.next %node = assert %next Node
  array.set %a %v %t %j = add.i64 %i 1 br ^1(%node, %j, %t)
^3: %w = field %at.value %y = array.get %a %w %r = add.i64 %s %y return %r
}
method other(%from: Node, %a: array<i64>, %rounds: i64) {
^0: br ^1(%from, %rounds, 0)
^1(%at, %i, %s): %end = eq.i64 %i 0 cond %end ^3 ^2
^2: %v = field %at.value %x = array.get %a %v %t = xor.i64 %s %x %next = field %at.next %node = assert %next Node
  set %node.value %v set %at.value %v %j = sub.i64 %i 1 br ^1(%node, %j, %t)
^3: %w = field %at.value %y = array.get %a %w %r = add.i64 %s %y return %r
}
method nested(%rows: array<array<i64>>, %n: i64, %m: i64) {
^0: br ^1(0, 0)
^1(%i, %s): %c = lt.i64 %i %n cond %c ^2 ^5
^2: %k = rem.i64 %i 7 %row = array.get %rows %k br ^3(0, %s)
^3(%j, %t): %d = lt.i64 %j %m cond %d ^4 ^6
^4: %x = array.get %row %j %u = add.i64 %t %x %q = add.i64 %j 1 br ^3(%q, %u)
^6: array.set %row 0 %i %p = add.i64 %i 1 br ^1(%p, %t)
^5: %last = array.get %rows 6 %z = array.get %last 0 %r = add.i64 %s %z return %r
}
method step(%node: Node, %i: i64) { ^0: %v = field %node.value %w = xor.i64 %v %i set %node.value %w %n = field %node.next return %n }
method calls(%from: Node, %rounds: i64) {
^0: br ^1(%from, 0)
^1(%at, %i): %c = lt.i64 %i %rounds cond %c ^2 ^3
^2: %next = call step(%at, %i) %node = assert %next Node %j = add.i64 %i 1 br ^1(%node, %j)
^3: %w = field %at.value return %w
}
method row(%m: i64, %k: i64) { ^0: %r = array.new i64 %m %k return %r }
method main() {
^0: %list = call ring(20) %node = assert %list Node %a = array.new i64 20 3
  %x = call counted(%node, %a, 3000) print(%x, " ")
  %y = call other(%node, %a, 1500) print(%y, " ")
  %r = call row(50, 1) %rows = array.new array<i64> 7 %r
  %r2 = call row(50, 2) array.set %rows 3 %r2 %r3 = call row(50, 3) array.set %rows 6 %r3
  %z = call nested(%rows, 400, 50) print(%z, " ")
  %list2 = call ring(20) %node2 = assert %list2 Node
  %w = call calls(%node2, 300) print(%w, " ")
  return nothing
}
)";

TEST(Jit, J85_references_in_loops_follow_their_objects) {
  Watchdog watchdog{300s};
  const std::string expected = [] {
    LoweringWorld world;
    return RunningProgram(world, kMovingLoops, BERTH_TIER_INTERPRET).run();
  }();
  for (const char* modes : {"move,poll", "move,verify,poll:3"}) {
    const Stressed stressed(modes);
    LoweringWorld world;
    for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED, BERTH_TIER_ADAPTIVE}) {
      RunningProgram program(world, kMovingLoops, tier);
      EXPECT_EQ(program.run(), expected) << name_of(tier);
      EXPECT_EQ(program.num_fallbacks(), 0u);
    }
    if constexpr (kDebugChecks) { EXPECT_GT(world.engine().collector().num_collections(), 500u); }
  }
}

// Stack traces name each frame, at every tier.
TEST(Jit, J86_stack_traces) {
  expect_same_at_every_tier(R"(
method inner(%a: array<i64>, %i: i64) {
^0:
  %x = array.get %a %i
  return %x
}
method outer(%n: i64) {
^0:
  %a = array.new i64 2 0
  %x = call inner(%a, %n)
  %y = add.i64 %x 1
  return %y
}
method main() {
^0:
  %r = call outer(5)
  return %r
}
)");
}

TEST(Jit, J86_stack_traces_of_unrolled_recursion) { expect_same_at_every_tier(kDeepErrors); }

TEST(Jit, J86_a_method_taken_in_is_defined_again) {
  Watchdog watchdog{60s};
  LoweringWorld world;
  RunningProgram running(world, R"(
method ping(%n: i64) -> i64 { ^0: %c = eq.i64 %n 0 cond %c ^1 ^2 ^1: return 0 ^2: %m = sub.i64 %n 1 %r = call pong(%m) %s = add.i64 %r 1 return %s }
method pong(%n: i64) -> i64 { ^0: %c = eq.i64 %n 0 cond %c ^1 ^2 ^1: return 0 ^2: %m = sub.i64 %n 1 %r = call ping(%m) %s = add.i64 %r 1 return %s }
)",
                         BERTH_TIER_OPTIMIZED);
  EXPECT_EQ(running.call("ping", {Value::i64(100)}), "i64 100");
  const std::string again = "berth-ir 1 method pong(%n: i64) -> i64 { ^0: return 1000 }";
  ASSERT_FALSE(running.program().define(&world.thread(), again, "again.bir").has_error());
  EXPECT_EQ(running.call("ping", {Value::i64(100)}), "i64 1001");
  EXPECT_EQ(running.num_fallbacks(), 0u);
}

TEST(Jit, J44_eight_threads_share_compiled_code) {
  Watchdog watchdog{60s};
  LoweringWorld world;
  RunningProgram program(world, kFibonacci, BERTH_TIER_OPTIMIZED);
  std::vector<std::thread> threads;
  std::vector<std::string> results(8);
  for (size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      auto attached = world.engine().attach();
      ASSERT_TRUE(attached.has_value());
      results[i] = program.call_on(*attached.value(), "main", {});
      world.engine().detach(*attached.value());
    });
  {
    gc::SafeRegion safe(world.thread());
    for (std::thread& thread : threads) thread.join();
  }
  for (const std::string& result : results) EXPECT_EQ(result, "i64 6765");
}

}  // namespace
}  // namespace berth::test
