// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter: what each statement means at its boundary values, errors and their handlers, limits,
// kernels.
#include "inference/interpreter.hpp"

#include <bit>

#include "inference/kernel_launch.hpp"
#include "inference/method_table.hpp"
#include "inference/value_frame.hpp"
#include "tests/support/stressed.hpp"
#include "tests/unit/inference/runtime_fixture.hpp"

namespace berth::inference {
namespace {

using namespace std::chrono_literals;

struct Row {
  const char* statement;
  const char* expected;
};

class Statements : public testing::TestWithParam<bool> {};

std::string run_statement(TestProgram& test, const std::string& name, const Row& row) {
  // Line breaks between statements: "a; b" gives two, the last is the result.
  std::string body = row.statement;
  for (size_t at = 0; (at = body.find("; ", at)) != std::string::npos;) body.replace(at, 2, "\n");
  const size_t last = body.rfind('\n');
  body.insert(last == std::string::npos ? 0 : last + 1, "%result = ");
  test.define("method " + name + "() { ^0: " + body + " return %result }");
  return test.run(name);
}

void check_rows(bool raw, std::span<const Row> rows) {
  test::Watchdog watchdog{60s};
  TestProgram test(raw);
  test.define(R"(abstract Shape type Point <: Shape { x: f64, y: f64 } type Pair { a: any, b: any }
                 mutable type Cell { n: i64, v: any, next: Cell | nothing, small: u8 } type Empty { }
                 const five: i64 = 5 global count: i64 = 3 global thing = nothing
                 method id(%x) { ^0: return %x } method id2(%x: i64) -> i64 { ^0: return %x })");
  int i = 0;
  for (const Row& row : rows)
    EXPECT_EQ(run_statement(test, "m" + std::to_string(i++), row), row.expected) << row.statement;
}

const Row kIntegers[] = {
    {"add.i64 9223372036854775807 1", "-9223372036854775808"},
    {"add.i8 127:i8 1:i8", "-128"},
    {"add.u8 255:u8 1:u8", "0"},
    {"sub.u16 0:u16 1:u16", "65535"},
    {"mul.i32 2147483647:i32 2:i32", "-2"},
    {"mul.u64 18446744073709551615:u64 18446744073709551615:u64", "1"},
    {"mul.u16 65535:u16 65535:u16", "1"},
    {"add.i64.checked 9223372036854775807 1", "! overflow"},
    {"add.i64.checked 9223372036854775806 1", "9223372036854775807"},
    {"sub.u8.checked 0:u8 1:u8", "! overflow"},
    {"mul.i32.checked 65536:i32 32768:i32", "! overflow"},
    {"mul.i32.checked 65536:i32 32767:i32", "2147418112"},
    {"div.i64 -7 2", "-3"},
    {"rem.i64 -7 2", "-1"},
    {"div.i64 1 0", "! division by zero"},
    {"rem.u8 1:u8 0:u8", "! division by zero"},
    {"div.i64 -9223372036854775808 -1", "! overflow"},
    {"rem.i8 -128:i8 -1:i8", "! overflow"},
    {"div.u64 18446744073709551615:u64 2:u64", "9223372036854775807"},
    {"and.u8 0xf0:u8 0x3c:u8", "48"},
    {"or.i16 -32768:i16 1:i16", "-32767"},
    {"xor.i64 -1 0", "-1"},
    {"shl.i64 1 63", "-9223372036854775808"},
    {"shl.i64 1 64", "0"},
    {"shl.u8 1:u8 7:u8", "128"},
    {"shl.u8 1:u8 8:u8", "0"},
    {"shr.i64 -8 1", "-4"},
    {"shr.i64 -8 64", "-1"},
    {"shr.i64 8 -1", "0"},
    {"shr.u8 255:u8 7:u8", "1"},
    {"shr.u8 255:u8 8:u8", "0"},
    {"lt.i64 -1 0", "true"},
    {"lt.u64 18446744073709551615:u64 0:u64", "false"},
    {"le.i8 -128:i8 -128:i8", "true"},
    {"eq.u32 4294967295:u32 4294967295:u32", "true"},
    {"neg.i8 -128:i8", "-128"},
    {"neg.u8 1:u8", "255"},
    {"abs.i64 -9223372036854775808", "-9223372036854775808"},
    {"abs.i16 -5:i16", "5"},
    {"min.i64 -1 1", "-1"},
    {"max.u8 200:u8 100:u8", "200"},
    {"not true", "false"},
    {"%f = call id(1); not %f", "! type: expected bool, got i64"},
    {"%f = call id(\"x\"); add.i64 %f 1", "! type: expected i64, got string"},
    {"%f = call id(1:u8); add.i64 1 %f", "! type: expected i64, got u8"},
};

const Row kFloats[] = {
    {"add.f64 0.1 0.2", "0.30000000000000004"},
    {"sub.f64 1.0 1.0", "0.0"},
    {"mul.f64 1e308 10.0", "inf"},
    {"div.f64 1.0 0.0", "inf"},
    {"div.f64 -1.0 0.0", "-inf"},
    {"add.f32 16777216.0:f32 1.0:f32", "16777216.0"},
    {"sqrt.f64 2.0", "1.4142135623730951"},
    {"sqrt.f64 -1.0", "nan"},
    {"fma.f64 1e16 1e16 -1e32", "-5366162204393472.0"},
    {"neg.f64 0.0", "-0.0"},
    {"abs.f64 -0.0", "0.0"},
    {"min.f64 0.0 -0.0", "-0.0"},
    {"max.f64 -0.0 0.0", "0.0"},
    {"%q = min.f64 0x7ff8000000000001:f64 1.0; bits.f64.u64 %q", "9221120237041090561"},
    {"%q = max.f64 1.0 0x7ff8000000000001:f64; bits.f64.u64 %q", "9221120237041090561"},
    {"lt.f64 0x7ff8000000000000:f64 1.0", "false"},
    {"eq.f64 0.0 -0.0", "true"},
    {"eq.f64 0x7ff8000000000000:f64 0x7ff8000000000000:f64", "false"},
    {"convert.i64.f64 9007199254740992", "9007199254740992.0"},
    {"convert.i64.f64 9007199254740993", "! cannot convert 9007199254740993 to f64"},
    {"convert.f64.i64 1.5", "! cannot convert 1.5 to i64"},
    {"convert.f64.i64 -0.0", "0"},
    {"convert.i64.u8 255", "255"},
    {"convert.i64.u8 256", "! cannot convert 256 to u8"},
    {"convert.i64.u64 -1", "! cannot convert -1 to u64"},
    {"convert.u64.i64 9223372036854775808:u64", "! cannot convert 9223372036854775808 to i64"},
    {"convert.f64.f32 0.1", "! cannot convert 0.1 to f32"},
    {"convert.f64.f32 0.5", "0.5"},
    {"convert.f32.f64 0.5:f32", "0.5"},
    {"truncate.f64.i64 -1.9", "-1"},
    {"truncate.f64.i64 9223372036854775808.0", "! cannot convert 9.223372036854776e+18 to i64"},
    {"truncate.f64.i64 -9223372036854775808.0", "-9223372036854775808"},
    {"truncate.f64.u8 255.9", "255"},
    {"truncate.f64.u8 256.0", "! cannot convert 256.0 to u8"},
    {"truncate.f64.u8 -0.9", "0"},
    {"truncate.i64.i8 200", "-56"},
    {"truncate.i64.u8 -1", "255"},
    {"truncate.f64.f32 0.1", "0.1"},
    {"bits.f64.i64 -0.0", "-9223372036854775808"},
    {"bits.f32.u32 1.0:f32", "1065353216"},
    {"bits.i64.f64 4607182418800017408", "1.0"},
};

const Row kData[] = {
    {"new Point(1.0, 2.0)", "Point(1.0, 2.0)"},
    {"new Empty()", "Empty()"},
    {"%x = call id(1); new Point(%x, 2.0)", "! type: expected f64, got i64"},
    {"%p = new Point(1.0, 2.5); field %p.y", "2.5"},
    {"%p = new Point(1.0, 2.5); %q = call id(%p); field %q.y", "2.5"},
    {"%p = new Point(1.0, 2.5); %q = call id(%p); field %q.n", "! no field n in Point"},
    {"%q = call id(1); field %q.n", "! no field n in i64"},
    {"%c = new Cell(1, \"v\", nothing, 7:u8); set %c.n 5; field %c.n", "5"},
    {"%c = new Cell(1, \"v\", nothing, 7:u8); set %c.v 5; field %c.v", "5"},
    {"%c = new Cell(1, \"v\", nothing, 7:u8); set %c.next %c; %d = field %c.next; field %d.small", "7"},
    {"%c = new Cell(1, \"v\", nothing, 7:u8); %w = call id(\"s\"); set %c.n %w",
     "! type: expected i64, got string"},
    {"%p = new Point(1.0, 2.5); %q = call id(%p); set %q.x 1.0",
     "! type: expected a mutable struct, got Point"},
    {"tuple(1, \"two\", nothing, 2.5)", "(1, \"two\", nothing, 2.5)"},
    {"tuple(1)", "(1,)"},
    {"tuple()", "()"},
    {"%t = tuple(1, \"two\"); item %t 1", "two"},
    {"%t = tuple(1, \"two\"); %q = call id(%t); item %q 2", "! index 2 of 2"},
    {"%t = tuple(1, \"two\"); %q = call id(%t); item %q -1", "! index -1 of 2"},
    {"array.new i64 3 7", "[7, 7, 7]"},
    {"array.new u8 2 0xff:u8", "\xff\xff"},
    {"array.new i8 2 -1:i8", "[-1, -1]"},
    {"array.new bool 2 true", "[true, true]"},
    {"array.new any 2 1", "[1, 1]"},
    {"array.new i64 0 0", "[]"},
    {"array.new i64 -1 0", "! index -1 of 0"},
    {"%x = call id(1); array.new f64 1 %x", "! type: expected f64, got i64"},
    {"%a = array.new i64 3 7; array.len %a", "3"},
    {"%a = array.new i64 3 7; array.get %a 3", "! index 3 of 3"},
    {"%a = array.new i64 3 7; array.get %a -1", "! index -1 of 3"},
    {"%a = array.new i16 3 7:i16; array.set %a 2 -9:i16; array.get %a 2", "-9"},
    {"%a = array.new f32 1 7.0:f32; array.set %a 0 0.25:f32; %b = array.copy %a; array.get %b 0", "0.25"},
    {"%a = array.new any 2 nothing; array.set %a 0 \"s\"; %b = array.copy %a; array.set %a 0 1; array.get %b "
     "0",
     "s"},
    {"%a = array.new f64 1 0.0; %x = call id(1); array.set %a 0 %x", "! type: expected f64, got i64"},
    {"%a = call id(5); array.len %a", "! type: expected array, got i64"},
    {"string.len \"\\u{3b1}b\"", "3"},
    {"string.byte \"AB\" 1", "66"},
    {"string.byte \"AB\" 2", "! index 2 of 2"},
    {"string.slice \"hello\" 1 3", "el"},
    {"string.slice \"hello\" 5 5", ""},
    {"string.slice \"hello\" 3 2", "! index 2 of 5"},
    {"string.slice \"hello\" 0 6", "! index 6 of 5"},
    {"string.concat \"ab\" \"cd\"", "abcd"},
    {"string.eq \"ab\" \"ab\"", "true"},
    {"string.of 1e300", "1e+300"},
    {"string.of 3.0", "3.0"},
    {"string.of nothing", "nothing"},
    {"%a = array.new u8 2 65:u8; string.of %a", "AA"},
    {"string.fixed 2.5 0", "2"},
    {"string.fixed 1.2742199912 9", "1.274219991"},
    {"string.fixed -0.0 1", "-0.0"},
    {"same 0.0 -0.0", "false"},
    {"same 0x7ff8000000000001:f64 0x7ff8000000000001:f64", "true"},
    {"same 1 1:u8", "false"},
    {"%a = string.concat \"a\" \"b\"; same %a \"ab\"", "true"},
    {"%a = tuple(1, \"x\"); %b = tuple(1, \"x\"); same %a %b", "true"},
    {"%a = new Point(1.0, 2.0); %b = new Point(1.0, 2.0); same %a %b", "true"},
    {"%a = new Pair(1, \"x\"); %b = new Pair(1.0, \"x\"); same %a %b", "false"},
    {"%a = array.new i64 1 1; %b = array.new i64 1 1; same %a %b", "false"},
    {"%a = array.new i64 1 1; same %a %a", "true"},
    {"%p = new Point(1.0, 2.0); is %p Shape", "true"},
    {"%p = new Point(1.0, 2.0); %q = call id(%p); is %q Cell | nothing", "false"},
    {"%q = call id(nothing); is %q Cell | nothing", "true"},
    {"%q = call id(1:u8); is %q integer", "true"},
    {"%q = call id(1.0); is %q number", "true"},
    {"%q = tuple(1, \"s\"); is %q tuple<i64, string>", "true"},
    {"%q = tuple(1, \"s\"); is %q tuple<i64, i64>", "false"},
    {"%q = array.new i64 0 0; is %q array<i64>", "true"},
    {"%q = array.new i64 0 0; is %q array<f64>", "false"},
    {"%q = array.new i64 0 0; is %q array", "true"},
    {"typeof 1.5", "f64"},
    {"%t = tuple(1, \"s\"); typeof %t", "tuple<i64, string>"},
    {"%q = call id(5); assert %q i64", "5"},
    {"%q = call id(5); assert %q string", "! type: expected string, got i64"},
    {"global.get count", "3"},
    {"global.set count 4; global.get count", "4"},
    {"global.set thing \"s\"; global.get thing", "s"},
    {"%x = call id(1.0); global.set count %x", "! type: expected i64, got f64"},
    {"add.i64 five 1", "6"},
    {"%c = new Cell(1, 2, nothing, 7:u8); rmw.field.seq_cst %c.n 5; field.atomic.acquire %c.n", "6"},
    {"%c = new Cell(1, 2, nothing, 7:u8); %o = rmw.field.relaxed %c.n 5; add.i64 %o 0", "1"},
    {"%c = new Cell(1, 2, nothing, 255:u8); rmw.field.seq_cst %c.small 1:u8; field %c.small", "0"},
    {"%c = new Cell(1, 2, nothing, 7:u8); cas.field.seq_cst %c.n 1 9", "true"},
    {"%c = new Cell(1, 2, nothing, 7:u8); cas.field.seq_cst %c.n 2 9; field %c.n", "1"},
    {"%c = new Cell(1, 2, nothing, 7:u8); cas.field.seq_cst %c.v 2 9; field %c.v", "9"},
    {"%c = new Cell(1, 2, nothing, 7:u8); set.atomic.release %c.n 8; field %c.n", "8"},
    {"%a = array.new i32 2 1:i32; rmw.item.acq_rel %a 1 -3:i32; array.get.atomic.acquire %a 1", "-2"},
    {"%a = array.new i32 2 1:i32; cas.item.seq_cst %a 0 1:i32 7:i32", "true"},
    {"%a = array.new any 2 nothing; array.set.atomic.release %a 0 \"s\"; array.get %a 0", "s"},
    {"%a = array.new i32 2 1:i32; array.get.atomic.acquire %a 2", "! index 2 of 2"},
};

const Row kCalls[] = {
    {"call id(7)", "7"},
    {"%f = call id(id); call %f(8)", "8"},
    {"%f = call id(5); call %f(8)", "! type: expected function, got i64"},
    {"call id2(\"s\")", "! no method id2(string)"},
    {"call nowhere(1, \"s\")", "! no method nowhere(i64, string)"},
    {"%t = tuple(1, nothing); call id2(%t)", "! no method id2(tuple<i64, nothing>)"},
    {"invoke id2(i64)(4)", "4"},
    {"%q = call id(\"s\"); invoke id2(i64)(%q)", "! type: expected i64, got string"},
    {"call.latest id(7)", "7"},
    {"call.host fabs(-2.5) f64", "2.5"},
    {"call.host labs(-7) i64", "7"},
    {"call.host ldexp(1.5, 4) f64", "24.0"},
    {"call.host no_such_function_anywhere(1) i64", "! no symbol no_such_function_anywhere"},
    {"%t = spawn id(9); join %t", "9"},
    {"%t = spawn id2(\"s\"); join %t", "! no method id2(string)"},
    {"%q = call id(5); join %q", "! type: expected task, got i64"},
    {"%b = buffer.new f64 3; buffer.set %b 1 2.5; buffer.get %b 1", "2.5"},
    {"%b = buffer.new f64 3; buffer.get %b 3", "! index 3 of 3"},
    {"%a = array.new i32 2 -4:i32; %b = buffer.of %a; buffer.array %b", "[-4, -4]"},
    {"%b = buffer.new u8 3; buffer.len %b", "3"},
};

TEST_P(Statements, I62_integers) { check_rows(GetParam(), kIntegers); }
TEST_P(Statements, I62_floats) { check_rows(GetParam(), kFloats); }
TEST_P(Statements, I62_data) { check_rows(GetParam(), kData); }
TEST_P(Statements, I62_calls) { check_rows(GetParam(), kCalls); }
INSTANTIATE_TEST_SUITE_P(Inference, Statements, testing::Bool(),
                         [](const auto& info) { return info.param ? "raw" : "inferred"; });

TEST(Inference, I62_loop_switch_and_moves) {
  TestProgram test;
  test.define(
      R"(method fib(%n: i64) -> i64 { ^0: br ^1(0, 1, 0) ^1(%a, %b, %i): %c = lt.i64 %i %n cond %c ^2 ^3
                   ^2: %s = add.i64 %a %b %j = add.i64 %i 1 br ^1(%b, %s, %j) ^3: return %a }
                 method pick(%x: i64) { ^0: switch %x [1: ^1, 7: ^2(%x)] ^3
                   ^1: return "one" ^2(%y): return %y ^3: return nothing }
                 method swap(%n: i64) { ^0: br ^1(1, 2, 0) ^1(%a, %b, %i): %c = lt.i64 %i %n cond %c ^2 ^3
                   ^2: %j = add.i64 %i 1 br ^1(%b, %a, %j) ^3: %t = tuple(%a, %b) return %t })");
  EXPECT_EQ(test.run("fib", {Value::i64(50)}), "12586269025");
  EXPECT_EQ(test.run("pick", {Value::i64(1)}), "one");
  EXPECT_EQ(test.run("pick", {Value::i64(7)}), "7");
  EXPECT_EQ(test.run("pick", {Value::i64(8)}), "nothing");
  EXPECT_EQ(test.run("swap", {Value::i64(3)}), "(2, 1)");
}

TEST(Inference, I62_handlers_take_errors_of_their_block) {
  TestProgram test;
  test.define(R"(method f(%x) { ^0: throw %x }
                 method caught(%x) { ^0: br ^1 ^1 catch ^2: %r = call f(%x) return %r ^2(%e): %k = field %e.kind %t = field %e.text
                   %v = field %e.value %all = tuple(%k, %t, %v) return %all }
                 method again(%x) { ^0: br ^1 ^1 catch ^2: %r = call f(%x) return %r ^2(%e): throw %e }
                 method declared(%x) { ^0: br ^1 ^1 catch ^2: %r: i64 = call id(%x) return %r ^2(%e): %t = field %e.text return %t }
                 method id(%x) { ^0: return %x }
                 method result(%x) -> string { ^0: return %x }
                 method parameter(%x) { ^0: br ^1(%x) ^1(%y: f64): return %y })");
  EXPECT_EQ(test.run("caught", {Value::i64(5)}), "(\"thrown\", \"5\", 5)");
  EXPECT_EQ(test.run("again", {Value::i64(5)}), "! 5");
  EXPECT_EQ(test.run("f", {Value::nothing()}), "! nothing");
  EXPECT_EQ(test.run("declared", {Value::i64(5)}), "5");
  EXPECT_EQ(test.run("declared", {Value::f64(5)}), "type: expected i64, got f64");
  EXPECT_EQ(test.run("result", {Value::i64(5)}), "! type: expected string, got i64");
  EXPECT_EQ(test.run("parameter", {Value::i64(5)}), "! type: expected f64, got i64");
}

TEST(Inference, I64_stack_overflow_and_step_budget) {
  test::Watchdog watchdog{60s};
  TestProgram test;
  test.define(R"(method down(%n) { ^0: %m = add.i64 %n 1 %r = call down(%m) return %r }
                 method deep(%n) { ^0: %c = eq.i64 %n 0 cond %c ^1 ^2 ^1: return "bottom" ^2: %m = sub.i64 %n 1 %r = call deep(%m) return %r }
                 method caught() { ^0: br ^1 ^1 catch ^2: %r = call down(0) return %r ^2(%e): %t = field %e.text return %t }
                 method forever() { ^0: br ^1 ^1: br ^1 })");
  EXPECT_EQ(test.run("down", {Value::i64(0)}), "! stack overflow");
  EXPECT_EQ(test.run("caught"), "stack overflow");
  EXPECT_EQ(test.run("deep", {Value::i64(60'000)}), "bottom");
  EXPECT_EQ(test.run("down", {Value::i64(0)}), "! stack overflow");  // the stack is whole again
  test.steps = 10'000;
  EXPECT_EQ(test.run("forever"), "! step budget");
  EXPECT_EQ(test.run("down", {Value::i64(0)}), "! step budget");
}

TEST(Interpreter, evaluates_constants_within_its_budget) {
  TestProgram test;
  test.define(R"(method sum(%n: i64) { ^0: br ^1(0, 0) ^1(%i, %s): %c = lt.i64 %i %n cond %c ^2 ^3
                   ^2: %t = add.i64 %s %i %j = add.i64 %i 1 br ^1(%j, %t) ^3: return %s }
                 method bad() { ^0: %x = div.i64 1 0 return %x } method text() { ^0: %s = string.concat "a" "b" return %s }
                 method list() { ^0: %a = array.new i64 1 1 return %a })");
  const auto evaluate = [&](const char* name, std::vector<Literal> arguments) {
    const Method* method =
        test.program->methods().all(*test.program->function(name), test.engine->world()).front();
    return evaluate_constant(*test.thread, test.program->runtime(), *method, arguments, test.engine->world());
  };
  EXPECT_EQ(evaluate("sum", {{LeafKind::I64, 10}})->bits, 45u);
  EXPECT_FALSE(evaluate("sum", {{LeafKind::I64, 1'000'000}}).has_value());
  EXPECT_FALSE(evaluate("bad", {}).has_value());
  EXPECT_EQ(*evaluate("text", {})->string, "ab");
  EXPECT_FALSE(evaluate("list", {}).has_value());
  EXPECT_EQ(test.thread->pending_error, nullptr);
  EXPECT_EQ(test.thread->language, nullptr);
}

constexpr const char* kKernels = R"(
  kernel reverse(%x: buffer<i64>) { ^0: %s = shared i64 8 %l = lane 0 %v = buffer.get %x %l buffer.set %s %l %v barrier.block
    %n = lanes 0 %m = sub.i64 %n 1 %k = sub.i64 %m %l %w = buffer.get %s %k buffer.set %x %l %w return nothing }
  kernel waves(%x: buffer<i64>, %n: i64) { ^0: %b = block 0 %ls = lanes 0 %l = lane 0 %m = mul.i64 %b %ls %i = add.i64 %m %l br ^1(0)
    ^1(%t): %c = lt.i64 %t %n cond %c ^2 ^3
    ^2: %len = buffer.len %x %i1 = add.i64 %i 1 %j = rem.i64 %i1 %len %v = buffer.get %x %j barrier.grid
        buffer.set %x %i %v barrier.grid %u = add.i64 %t 1 br ^1(%u)
    ^3: return nothing }
  kernel count(%x: buffer<i64>) { ^0: %o = rmw.item.relaxed %x 0 1 return nothing }
  kernel outside(%x: buffer<i64>) { ^0: %v = buffer.get %x 99 buffer.set %x 0 %v return nothing }
  kernel gives_up(%x: buffer<i64>) { ^0: fault 7 return nothing }
  method start(%n: i64) { ^0: %a = array.new i64 %n 0 br ^1(0) ^1(%i): %c = lt.i64 %i %n cond %c ^2 ^3
    ^2: array.set %a %i %i %j = add.i64 %i 1 br ^1(%j) ^3: %b = buffer.of %a return %b }
  method run_reverse() { ^0: %b = call start(8) launch reverse(%b) blocks 1 1 1 lanes 8 1 1 %r = buffer.array %b return %r }
  method run_waves() { ^0: %b = call start(6) launch waves(%b, 2) blocks 3 1 1 lanes 2 1 1 %r = buffer.array %b return %r }
  method run_count() { ^0: %b = call start(1) launch count(%b) blocks 2 3 1 lanes 4 1 5 %r = buffer.array %b return %r }
  method run_outside() { ^0: %b = call start(1) launch outside(%b) blocks 1 1 1 lanes 1 1 1 return nothing }
  method run_gives_up() { ^0: %b = call start(1) launch gives_up(%b) blocks 1 1 1 lanes 2 1 1 return nothing })";

TEST(Inference, I66_kernels_run_between_barriers) {
  TestProgram test;
  test.define(kKernels);
  EXPECT_EQ(test.run("run_reverse"), "[7, 6, 5, 4, 3, 2, 1, 0]");
  EXPECT_EQ(test.run("run_waves"), "[2, 3, 4, 5, 0, 1]");
  EXPECT_EQ(test.run("run_count"), "[120]");
  EXPECT_EQ(test.run("run_outside"), "! kernel outside: index 99 of 1");
  EXPECT_EQ(test.run("run_gives_up"), "! kernel gives_up: fault 7");
}

// Lanes at a barrier hold references in registers of their own. In builds without debug checks nothing moves;
// there the kernels only run.
TEST(Inference, I66_buffers_move_while_lanes_are_suspended) {
  test::Watchdog watchdog{120s};
  const test::Stressed stressed("move,poll");
  TestProgram test;
  test.define(kKernels);
  EXPECT_EQ(test.run("run_reverse"), "[7, 6, 5, 4, 3, 2, 1, 0]");
  EXPECT_EQ(test.run("run_waves"), "[2, 3, 4, 5, 0, 1]");
  EXPECT_EQ(test.run("run_outside"), "! kernel outside: index 99 of 1");
  if constexpr (kDebugChecks) { EXPECT_GT(test.engine->collector().num_collections(), 10u); }
}

TEST(Inference, I66_three_lane_orders_agree) {
  TestProgram test;
  test.define(kKernels);
  Runtime& runtime = test.program->runtime();
  const Method& kernel =
      *test.program->methods().all(*test.program->function("waves"), test.engine->world()).front();
  for (const LaneOrder order : {LaneOrder::Ascending, LaneOrder::Descending, LaneOrder::Random}) {
    const OutermostCall outermost(*test.thread, test.engine->world(), nullptr);
    Value buffer;
    const Value six = Value::i64(6);
    ASSERT_TRUE(runtime.call(*test.thread, test.program->function("start"), {&six, 1}, 0, buffer));
    const Value arguments[] = {buffer, Value::i64(4)};
    const ValueFrame roots(*test.thread, arguments);
    const uint64_t blocks[] = {2, 1, 1}, lanes[] = {3, 1, 1};
    ASSERT_TRUE(
        interpret_kernel(*test.thread, runtime, kernel, blocks, lanes, roots.values(), order, 42, nullptr));
    Statement back;
    back.op = Op::BufferArray;
    Value array;
    ASSERT_TRUE(runtime.execute(*test.thread, back, roots.values().first(1), array));
    EXPECT_EQ(runtime.text_of_value(array), "[4, 5, 0, 1, 2, 3]");
  }
}

}  // namespace
}  // namespace berth::inference
