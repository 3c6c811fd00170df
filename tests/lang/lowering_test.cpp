// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The front end's IR, golden for a few texts: each shows one rule of the translation.
#include <gtest/gtest.h>

#include "fixture.hpp"

namespace berth::lang {
namespace {

TEST(Inference, I15_operators_of_known_types_are_statements) {
  EXPECT_EQ(ir_of("fn f(a: i64, b: i64) -> bool { return a * 2 + b < 10 }"),
            "method f(%0: i64, %1: i64) -> bool {\n^0:\n  %2 = mul.i64 %0 2\n  %3 = add.i64 %2 %1\n  %4 = "
            "lt.i64 %3 10\n  return %4\n}\n");
}

TEST(Inference, I15_operators_of_unknown_types_are_generic_calls) {
  EXPECT_EQ(ir_of("fn f(a, b) { return a + b }"),
            "method f(%0, %1) {\n^0:\n  %2 = call `+`(%0, %1)\n  return %2\n}\n");
}

TEST(Inference, I15_an_own_method_of_an_operator_is_called) {
  const std::string ir = ir_of("fn `+`(a: i64, b: i64) -> i64 { return 7 }\nfn f(a: i64) { return a + 1 }");
  EXPECT_NE(ir.find("call `+`(%0, 1)"), std::string::npos);
}

TEST(Inference, I15_at_the_prompt_operators_stay_generic) {
  Translator translator(Translator::Use::Prompt);
  EXPECT_NE(translator.prompt("prompt", "1 + 2").ir.find("call `+`(1, 2)"), std::string::npos);
}

TEST(Inference, I15_loops_carry_what_they_assign) {
  EXPECT_EQ(
      ir_of("fn f(n: i64) -> i64 {\n  var s = 0\n  for i in 0..n { s = s + i }\n  return s\n}"),
      "method f(%0: i64) -> i64 {\n^0:\n  br ^1(0, 0)\n^1(%1, %2):\n  %3 = lt.i64 %1 %0\n  cond %3 ^2 ^4\n"
      "^2:\n  %4 = add.i64 %2 %1\n  %5 = add.i64 %1 1\n  br ^1(%5, %4)\n^4:\n  return %2\n}\n");
}

TEST(Inference, I15_branches_join_what_differs) {
  EXPECT_EQ(ir_of("fn f(c: bool) -> i64 {\n  var x = 1\n  var y = 2\n  if c { x = 3 }\n  return x + y\n}"),
            "method f(%0: bool) -> i64 {\n^0:\n  cond %0 ^1 ^2\n^1:\n  br ^3(3)\n^2:\n  br ^3(1)\n^3(%1):\n  "
            "%2 = add.i64 %1 2\n  return %2\n}\n");
}

TEST(Inference, I15_conditions_are_control_flow) {
  EXPECT_EQ(ir_of("fn f(a: bool, b: bool) -> i64 {\n  if a && b { return 1 }\n  return 2\n}"),
            "method f(%0: bool, %1: bool) -> i64 {\n^0:\n  cond %0 ^3 ^2\n^3:\n  cond %1 ^1 ^2\n^1:\n  "
            "return 1\n^2:\n  return 2\n}\n");
}

TEST(Inference, I7_a_local_assigned_in_try_lives_in_a_cell) {
  EXPECT_EQ(
      ir_of("fn f(g) -> i64 {\n  var x = 1\n  try {\n    x = 2\n    g()\n  } catch e { }\n  return x\n}"),
      "method f(%0) -> i64 {\n^0:\n  %1 = array.new i64 1 1\n  br ^2\n^2 catch ^1:\n  array.set %1 0 2\n  %2 "
      "= call %0()\n"
      "  br ^3\n^1(%3):\n  br ^3\n^3:\n  %4 = array.get %1 0\n  return %4\n}\n");
}

TEST(Inference, I15_array_literals_have_the_join_of_their_items) {
  const auto element = [](const std::string& items) {
    const std::string ir = ir_of("type A { }\ntype B { }\nfn f(x) { return [" + items + "] }");
    const size_t start = ir.find("array.new ");
    return ir.substr(
        start + 10,
        ir.find(' ', ir.find("| ") == std::string::npos ? start + 10 : ir.rfind("| ") + 2) - start - 10);
  };
  EXPECT_EQ(element("1, 2"), "i64");
  EXPECT_EQ(element("1, \"two\""), "i64 | string");
  EXPECT_EQ(element("A(), nothing"), "A | nothing");
  EXPECT_NE(ir_of("fn f(x, y) { return [x, y] }").find("call `array new`(%0, 2)"), std::string::npos);
}

TEST(Inference, I15_structs_fields_and_globals) {
  EXPECT_EQ(ir_of("mutable type Node { next: Node | nothing, value: i64 }\nglobal hits: i64 = 0\nfn f(n: "
                  "Node) {\n  n.value = n.value + 1\n"
                  "  hits = hits + 1\n  return Node(n, 0)\n}"),
            "mutable type Node { next: Node | nothing, value: i64 }\nglobal hits: i64 = 0\nmethod f(%0: "
            "Node) {\n^0:\n"
            "  %1 = field %0.value\n  %2 = add.i64 %1 1\n  set %0.value %2\n  %3 = global.get hits\n  %4 = "
            "add.i64 %3 1\n"
            "  global.set hits %4\n  %5 = new Node(%0, 0)\n  return %5\n}\n");
}

TEST(Inference, I66_kernels_use_statements_only) {
  EXPECT_EQ(
      ir_of("kernel k(x: buffer<f64>, f: f64) {\n  let i = block(0) * lanes(0) + lane(0)\n  if i < len(x) { "
            "x[i] = f * x[i] }\n}"),
      "kernel k(%0: buffer<f64>, %1: f64) {\n^0:\n  %2 = block 0\n  %3 = lanes 0\n  %4 = mul.i64 %2 %3\n  %5 "
      "= lane 0\n"
      "  %6 = add.i64 %4 %5\n  %7 = buffer.len %0\n  %8 = lt.i64 %6 %7\n  cond %8 ^1 ^2\n^1:\n  %9 = "
      "buffer.get %0 %6\n"
      "  %10 = mul.f64 %1 %9\n  buffer.set %0 %6 %10\n  br ^3\n^2:\n  br ^3\n^3:\n  return nothing\n}\n");
}

TEST(Inference, I15_numbers_and_strings_are_spelled_exactly) {
  EXPECT_EQ(ir_of("fn f() { return (-9223372036854775808, 0xffu8, 1e300, 0.1f32, \"a\\n\\\"\\u{3b1}\") }"),
            "method f() {\n^0:\n  %0 = tuple(-9223372036854775808, 255:u8, 1e+300, 0.1:f32, "
            "\"a\\n\\\"\xce\xb1\")\n  return %0\n}\n");
}

TEST(Inference, I15_constants_fold) {
  EXPECT_EQ(ir_of("const a = 2.0\nconst b = a * -3.0\nconst c = 1 - 2\n"),
            "const a = 2.0\nconst b = -6.0\nconst c = -1\n");
}

TEST(Inference, I72_statements_carry_their_place) {
  const std::string ir =
      Translator(Translator::Use::File)
          .file("t.bth", "fn f(a) {\n  return\n    }\nfn g(a: i64) -> i64 {\n  return a / 0\n}");
  EXPECT_NE(ir.find("file \"t.bth\""), std::string::npos);
  EXPECT_NE(ir.find("%1 = div.i64 %0 0 @5:12"), std::string::npos);
}

}  // namespace
}  // namespace berth::lang
