// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// J86: counted loops whose checks are proven before a chunk: what they write, and where they raise, is what
// the interpreter does.
#include "tests/unit/jit/lowering_fixture.hpp"

namespace berth::test {
namespace {

// Each gives the digest of what it wrote and how it ended. `line`: an index that is any line in the counter.
const char* const kLoops = R"(
method digest(%b: array<i64>, %how: string) {
^0: %n = array.len %b br ^1(0, 7)
^1(%i, %h): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %x = array.get %b %i %g = mul.i64 %h 31 %k = add.i64 %g %x %j = add.i64 %i 1 br ^1(%j, %k)
^3: %t = string.of %h %u = string.concat %t " " %v = string.concat %u %how return %v
}
method line(%n: i64, %m: i64, %from: i64, %to: i64, %scale: i64, %start: i64) {
^0: %a = array.new i64 %n 3 %b = array.new i64 %m 5 br ^1(%from)
^1(%i): %c = lt.i64 %i %to cond %c ^2 ^5
^2 catch ^4:
  %x = array.get %a %i
  %p = mul.i64 %scale %i
  %q = add.i64 %p %start
  %y = add.i64 %x %i
  array.set %b %q %y
  %j = add.i64 %i 1
  br ^1(%j)
^4(%e): %text = field %e.text %d = call digest(%b, %text) return %d
^5: %f = call digest(%b, "done") return %f
}
method neighbours(%n: i64, %m: i64, %from: i64, %to: i64, %scale: i64, %start: i64) {
^0: %a = array.new i64 %n 3 %b = array.new i64 %m 5 br ^1(%from, 0)
^1(%i, %s): %c = lt.i64 %i %to cond %c ^2 ^5(%s)
^2 catch ^4:
  %p = sub.i64 %i 1
  %q = add.i64 %i 1
  %x = array.get %a %p
  %y = array.get %a %q
  %z = add.i64 %x %y
  %r = sub.i64 %start %i
  array.set %b %r %z
  array.set %a %i %z
  %t = add.i64 %s %z
  %large = lt.i64 90000 %t
  cond %large ^5(%t) ^3
^3: br ^1(%q, %t)
^4(%e): %text = field %e.text %d = call digest(%b, %text) return %d
^5(%k): %w = string.of %k %f = call digest(%b, %w) return %f
}
method narrow(%n: i64, %m: i64, %from: i64, %to: i64, %scale: i64, %start: i64) {
^0: %a = array.new u8 %n 3:u8 %b = array.new i64 %m 5 %f = truncate.i64.i32 %from %e0 = truncate.i64.i32 %to br ^1(%f)
^1(%i): %c = lt.i32 %i %e0 cond %c ^2 ^5
^2 catch ^4:
  %w = convert.i32.i64 %i
  %x = array.get %a %w
  %y = convert.u8.i64 %x
  %q = add.i64 %w %start
  %s = string.byte "a text of thirty-one characters" %w
  %v = convert.u8.i64 %s
  %z = add.i64 %v %y
  array.set %b %q %z
  %j = add.i32 %i 1:i32
  br ^1(%j)
^4(%e): %text = field %e.text %d = call digest(%b, %text) return %d
^5: %g = call digest(%b, "done") return %g
}
method towards(%n: i64, %m: i64, %from: i64, %to: i64, %scale: i64, %start: i64) {
^0: %b = array.new i64 %m 5 br ^1(%from, %to)
^1(%i, %k): %c = lt.i64 %i %k cond %c ^2 ^5
^2 catch ^4:
  %p = add.i64 %i %start
  %q = sub.i64 %k 1
  %x = array.get %b %p
  %y = array.get %b %q
  %z = add.i64 %x %i
  array.set %b %q %z
  array.set %b %p %y
  %j = add.i64 %i %scale
  br ^1(%j, %q)
^4(%e): %text = field %e.text %d = call digest(%b, %text) return %d
^5: %g = call digest(%b, "done") return %g
}
method down(%n: i64, %m: i64, %from: i64, %to: i64, %scale: i64, %start: i64) {
^0: %a = array.new i64 %n 3 %b = array.new i64 %m 5 br ^1(%to)
^1(%i): %c = le.i64 %from %i cond %c ^2 ^5
^2 catch ^4:
  %x = array.get %a %i
  %p = add.i64 %i %start
  %y = array.get %b %p
  %z = add.i64 %x %y
  array.set %b %p %z
  %j = add.i64 %i -1
  br ^1(%j)
^4(%e): %text = field %e.text %d = call digest(%b, %text) return %d
^5: %g = call digest(%b, "done") return %g
}
method table(%n: i64, %m: i64, %from: i64, %to: i64, %scale: i64, %start: i64) {
^0: %a = array.new u8 %n 77:u8 %b = array.new i64 %m 5 br ^1(%from)
^1(%i): %c = lt.i64 %i %to cond %c ^2 ^5
^2 catch ^4:
  %x = array.get %a %i
  %k = truncate.i64.u8 %i
  %s = xor.u8 %x %k
  %t = and.u8 %s 63:u8
  %p = convert.u8.i64 %t
  %y = array.get %b %p
  %z = add.i64 %y 1
  array.set %b %p %z
  %j = add.i64 %i 1
  br ^1(%j)
^4(%e): %text = field %e.text %d = call digest(%b, %text) return %d
^5: %g = call digest(%b, "done") return %g
}
)";

struct Arguments {
  std::vector<Value> values;
  std::string text;
};

Arguments to_arguments(std::initializer_list<int64_t> values) {
  Arguments made;
  for (const int64_t value : values) {
    made.values.push_back(Value::i64(value));
    made.text += " " + std::to_string(value);
  }
  return made;
}

Arguments random_arguments(std::mt19937_64& random) {
  const auto choose = [&](std::initializer_list<int64_t> from) {
    return *(from.begin() + random() % from.size());
  };
  const auto least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  const int64_t n = choose({0, 1, 2, 31, 64, 200, 6000}), m = choose({1, 2, 33, 64, 201, 12000});
  const int64_t from = random() % 16 == 0 ? choose({-1, -3, most - 2, least}) : choose({0, 0, 1, 2});
  int64_t to = choose({0, 1, n - 1, n, n, n + 1, m, m - 1});
  if (from > n) to = most;  // raises at once
  if (from < -100) to = from + 5;
  const int64_t scale =
      choose({0, 1, 1, 1, 2, 3, -1, -2, (int64_t{1} << 31) - 1, int64_t{1} << 31, -(int64_t{1} << 31) - 1,
              int64_t{1} << 32, int64_t{1} << 61, int64_t{1} << 62, least, most});
  const int64_t start = choose({0, 0, 1, -1, 2, m - 1, m, n, -n, least, most});
  return to_arguments({n, m, from, to, scale, start});
}

TEST(Jit, J86_chunked_loops_raise_at_the_right_element) {
  Watchdog watchdog{100s};
  LoweringWorld world;
  const uint64_t seed = start_value();
  RunningProgram oracle(world, kLoops, BERTH_TIER_INTERPRET), fast(world, kLoops, BERTH_TIER_FAST),
      optimized(world, kLoops, BERTH_TIER_OPTIMIZED);
  for (const char* method : {"line", "neighbours", "narrow", "towards", "down", "table"}) {
    std::mt19937_64 random(seed);
    size_t raised = 0, done = 0;
    for (int i = 0; i < 250; ++i) {
      const Arguments arguments = random_arguments(random);
      const std::string expected = oracle.call(method, arguments.values);
      (expected.find("index") == std::string::npos ? done : raised) += 1;
      ASSERT_EQ(fast.call(method, arguments.values), expected)
          << method << arguments.text << ", seed " << seed;
      ASSERT_EQ(optimized.call(method, arguments.values), expected)
          << method << arguments.text << ", seed " << seed;
    }
    EXPECT_GT(raised, 10u) << method << ", seed " << seed;
    EXPECT_GT(done, 10u) << method << ", seed " << seed;
  }
  EXPECT_EQ(fast.num_fallbacks() + optimized.num_fallbacks(), 0u);
}

// Counters that start at literals, with ends on both sides of them, and what is divided by them.
TEST(Jit, J86_loops_between_literals) {
  expect_same_at_every_tier(R"(
method upto(%n: i64) {
^0: br ^1(0, 0)
^1(%i, %s): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %q = div.i64 %i 7 %r = rem.i64 %i 10 %t = add.i64 %s %q %u = sub.i64 %t %r %j = add.i64 %i 1 br ^1(%j, %u)
^3: %v = add.i64 %s %i return %v
}
method none(%a: array<i64>) {
^0: br ^1(3)
^1(%i): %c = lt.i64 %i -4 cond %c ^2 ^3
^2: array.set %a %i 1 %j = add.i64 %i 1 br ^1(%j)
^3: return %i
}
method back(%a: array<i64>) {
^0: br ^1(5)
^1(%i): %c = lt.i64 %i 2 cond %c ^2 ^3
^2: array.set %a %i 1 %j = add.i64 %i 1 br ^1(%j)
^3: return %i
}
method table(%a: array<i64>) {
^0: br ^1(-3, 0)
^1(%k, %s): %d = lt.i64 %k 60000 cond %d ^2 ^4
^2: %r = rem.i64 %k 5 %f = lt.i64 %r 0 cond %f ^3(%s) ^5
^3(%t): %l = add.i64 %k 1 br ^1(%l, %t)
^5: %x = array.get %a %r %u = add.i64 %s %x br ^3(%u)
^4: br ^6(0, %s)
^6(%i, %v): %c = lt.i64 %i 3 cond %c ^7 ^8
^7 catch ^9: %m = add.i64 %i 4 %o = rem.i64 %m 6 %y = array.get %a %o %w = add.i64 %v %y %j = add.i64 %i 1 br ^6(%j, %w)
^8: return %v
^9(%e): %why = field %e.text print(%why) return %v
}
method main() {
^0:
  %a = call upto(-5) %b = call upto(0) %c = call upto(1) %d = call upto(9000) %e = call upto(123456)
  %z = array.new i64 5 3 %f = call none(%z) %g = call back(%z) %h = call table(%z)
  print(%a, " ", %b, " ", %c, " ", %d, " ", %e, " ", %f, " ", %g, " ", %h)
  return nothing
}
)");
}

// Counted loops in a counted one, which have a copy without polls: with two inner ones, of which one is left
// early; and rows that the outer loop exchanges.
const char* const kNests = R"(
method digest(%b: array<i64>, %how: string) {
^0: %n = array.len %b br ^1(0, 7)
^1(%i, %h): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %x = array.get %b %i %g = mul.i64 %h 31 %k = add.i64 %g %x %j = add.i64 %i 1 br ^1(%j, %k)
^3: %t = string.of %h %u = string.concat %t " " %v = string.concat %u %how return %v
}
method two(%n: i64, %m: i64, %size: i64, %scale: i64, %start: i64) {
^0: %a = array.new i64 %n 3 %b = array.new i64 %size 5 br ^1(0, 1)
^1(%i, %s): %c = lt.i64 %i %n cond %c ^2 ^10
^2 catch ^11: %x = array.get %a %i br ^3(0)
^3(%j): %d = lt.i64 %j %m cond %d ^4 ^5
^4 catch ^11:
  %p = mul.i64 %i %scale %q = add.i64 %p %j %r = add.i64 %q %start
  %y = array.get %b %r %z = add.i64 %y %x array.set %b %r %z
  %jj = add.i64 %j 1 br ^3(%jj)
^5: %length = array.len %a br ^6(1, %s)
^6(%k, %t): %e = lt.i64 %k %length cond %e ^7 ^9(%t)
^7 catch ^11: %w = array.get %a %k %v = add.i64 %w %t array.set %a %k %v %f = lt.i64 100000 %v cond %f ^9(%v) ^8
^8: %kk = add.i64 %k 1 br ^6(%kk, %v)
^9(%u): %ii = add.i64 %i 1 br ^1(%ii, %u)
^10: %text = string.of %s %done = call digest(%b, %text) %more = call digest(%a, %done) return %more
^11(%error): %why = field %error.text %left = call digest(%b, %why) %rest = call digest(%a, %left) return %rest
}
method rows(%n: i64, %m: i64, %size: i64, %scale: i64, %start: i64) {
^0: %a = array.new i64 %size 1 %b = array.new i64 %m 2 br ^1(%start, %a, %b)
^1(%i, %row, %other): %c = lt.i64 %i %n cond %c ^2 ^6
^2: br ^3(0)
^3(%j): %d = lt.i64 %j %m cond %d ^4 ^5
^4 catch ^7:
  %x = array.get %row %j %y = array.get %other %j %p = mul.i64 %x 3 %z = add.i64 %p %y %q = add.i64 %z %i array.set %row %j %q
  %jj = add.i64 %j 1 br ^3(%jj)
^5: %ii = add.i64 %i 1 br ^1(%ii, %other, %row)
^6: %done = call digest(%a, "done") %more = call digest(%b, %done) return %more
^7(%error): %why = field %error.text %left = call digest(%a, %why) %rest = call digest(%b, %left) return %rest
}
)";

Arguments random_nest(std::mt19937_64& random) {
  const auto choose = [&](std::initializer_list<int64_t> from) {
    return *(from.begin() + random() % from.size());
  };
  const int64_t n = choose({0, 1, 2, 5, 40}), m = choose({-1, 0, 1, 2, 63, 64, 200, 700, 5000});
  const int64_t scale =
      choose({0, 1, m, m, m + 1, -1, int64_t{1} << 32, std::numeric_limits<int64_t>::max()});
  const int64_t size = choose({0, 1, n * m + 1, n * m + 1, n * (m + 1), n * m - 1, n + m, m, m}),
                start = choose({0, 0, 0, 1, -1, 39});
  return to_arguments({n, m, std::max<int64_t>(size, 0), scale, start});
}

TEST(Jit, J86_nests_of_loops_do_what_the_interpreter_does) {
  Watchdog watchdog{100s};
  LoweringWorld world;
  const uint64_t seed = start_value();
  RunningProgram oracle(world, kNests, BERTH_TIER_INTERPRET), optimized(world, kNests, BERTH_TIER_OPTIMIZED);
  for (const char* method : {"two", "rows"}) {
    std::mt19937_64 random(seed);
    size_t raised = 0, done = 0;
    for (int i = 0; i < 150; ++i) {
      const Arguments arguments = random_nest(random);
      const std::string expected = oracle.call(method, arguments.values);
      (expected.find("index") == std::string::npos ? done : raised) += 1;
      ASSERT_EQ(optimized.call(method, arguments.values), expected)
          << method << arguments.text << ", seed " << seed;
    }
    EXPECT_GT(raised, 10u) << method << ", seed " << seed;
    EXPECT_GT(done, 10u) << method << ", seed " << seed;
  }
  EXPECT_EQ(optimized.num_fallbacks(), 0u);
}

}  // namespace
}  // namespace berth::test
