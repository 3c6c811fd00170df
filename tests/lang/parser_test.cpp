// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The front end's errors: each names file, line and column, and what was expected; hostile texts end fast
// with one.
#include <chrono>

#include <gtest/gtest.h>

#include "fixture.hpp"

namespace berth::lang {
namespace {

struct Broken {
  const char* name;
  const char* text;
  const char* error;
};

class BrokenText : public testing::TestWithParam<Broken> {};

TEST_P(BrokenText, I2_names_place_and_expectation) { EXPECT_EQ(error_of(GetParam().text), GetParam().error); }

const Broken kBroken[] = {
    {"statement_at_top", "x = 1",
     "t.bth:1:1: unexpected 'x', expected a declaration: fn, type, abstract, const, global or kernel"},
    {"no_expression", "fn f() {\n  let x =\n}", "t.bth:2:10: unexpected end of line, expected an expression"},
    {"no_equals", "fn f() { var x 1 }", "t.bth:1:16: unexpected a number, expected '=' and a value"},
    {"no_closing_brace", "fn f() {\n  f()\n",
     "t.bth:3:1: unexpected end of text, expected '}' after the statements"},
    {"no_closing_parenthesis", "fn f() { g(1 2) }",
     "t.bth:1:14: unexpected a number, expected ',' or ')' after an argument"},
    {"no_end_of_statement", "fn f() { f() f() }",
     "t.bth:1:14: unexpected 'f', expected end of line, ';' or an operator"},
    {"string_without_end", "fn f() { \"abc }",
     "t.bth:1:10: a string has no end, expected \" on the same line"},
    {"unknown_escape", "fn f() { \"a\\q\" }",
     "t.bth:1:12: unknown escape, expected one of \\n \\t \\r \\0 \\\" \\\\ \\x41 \\u{3b1}"},
    {"unknown_byte", "fn f() { $ }", "t.bth:1:10: unexpected '$', expected a name, a number or an operator"},
    {"number_too_large", "fn f() { 256u8 }",
     "t.bth:1:10: the number does not fit its type, expected one in the range of u8"},
    {"least_number_without_sign", "fn f() { 9223372036854775808 }",
     "t.bth:1:10: the number does not fit its type, expected one in the range of i64"},
    {"unknown_suffix", "fn f() { 1q7 }",
     "t.bth:1:10: unknown suffix 'q7' of a number, expected i8 to u64, f32 or f64"},
    {"unknown_name", "fn f() { return x }",
     "t.bth:1:17: unknown name x, expected a local, a constant, a global or a function"},
    {"name_out_of_scope", "fn f() {\n  if true { let x = 1 }\n  return x\n}",
     "t.bth:3:10: unknown name x, expected a local, a constant, a global or a function"},
    {"unknown_type", "fn f(x: Q) { }",
     "t.bth:1:9: unknown type Q, expected i64, f64, string or a declared one"},
    {"second_let", "fn f() {\n  let x = 1\n  let x = 2\n}",
     "t.bth:3:3: a second x in this block, expected another name"},
    {"assigned_let", "fn f() {\n  let x = 1\n  x = 2\n}",
     "t.bth:3:3: a second assignment to x, expected one declared with var"},
    {"assigned_parameter", "fn f(x) { x = 2 }",
     "t.bth:1:11: a second assignment to x, expected one declared with var"},
    {"assigned_constant", "const c = 1\nfn f() { c = 2 }",
     "t.bth:2:10: assignment to the constant c, expected a var or a global"},
    {"assigned_call", "fn f() { f() = 2 }",
     "t.bth:1:10: assignment to something else than a variable, a field or an element"},
    {"break_outside", "fn f() { break }", "t.bth:1:10: break or continue outside of a loop"},
    {"second_type", "type A { }\ntype A { x: i64 }", "t.bth:2:6: a second type A, expected another name"},
    {"abstract_ring", "abstract A <: B\nabstract B <: A\n",
     "t.bth:1:10: abstract A is above itself, expected a tree"},
    {"values_of_struct", "type A { x: i64 }\nfn f() { return A() }",
     "t.bth:2:17: 0 values for A, expected 1"},
    {"unknown_kernel", "fn f() { launch k() blocks 1 lanes 1 }",
     "t.bth:1:10: unknown kernel k, expected one declared with kernel"},
    {"spawn_of_value", "fn f() { spawn 1 }",
     "t.bth:1:16: spawn of something else than a call, expected f(x)"},
    {"computed_constant", "const c = f()\nfn f() { }",
     "t.bth:1:11: a value that is known only when the program runs, expected a literal or arithmetic of "
     "literals"},
};
INSTANTIATE_TEST_SUITE_P(Inference, BrokenText, testing::ValuesIn(kBroken),
                         [](const auto& info) { return std::string(info.param.name); });

std::string repeated(std::string_view part, size_t n) {
  std::string result;
  for (size_t i = 0; i < n; i++) result += part;
  return result;
}

TEST(Inference, I3_garbage_of_10_megabytes_is_one_error_fast) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* part : {"(", "[", "{", "- ", "f(", "x.", "\"", "`", "0x", "a ", "fn f() {", "if x {",
                           "array<", "1+", "\n", "else if "}) {
    const size_t n = 10'000'000 / std::string_view(part).size();
    EXPECT_NE(error_of("fn f() { " + repeated(part, n)), "accepted") << part;
    error_of(repeated(part, n));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(Inference, I4_nesting_has_a_limit) {
  const auto nested = [](size_t n) {
    return "fn f() { return " + repeated("(", n) + "1" + repeated(")", n) + " }";
  };
  EXPECT_EQ(error_of(nested(255)), "accepted");
  EXPECT_EQ(error_of(nested(256)), "t.bth:1:272: brackets nested deeper than 256, expected fewer");
  EXPECT_EQ(error_of("fn f() { return 1" + repeated(" + 1", 900) + " }"), "accepted");
  EXPECT_NE(error_of("fn f() { return 1" + repeated(" + 1", 1100) + " }"), "accepted");
}

TEST(Inference, I4_names_have_a_limit) {
  EXPECT_EQ(error_of("fn " + std::string(255, 'f') + "() { }"), "accepted");
  EXPECT_EQ(error_of("fn " + std::string(256, 'f') + "() { }"),
            "t.bth:1:4: the name is longer than 255 bytes, expected a shorter one");
}

TEST(Inference, I73_open_brackets_continue_the_input) {
  Translator translator(Translator::Use::Prompt);
  for (const char* text : {"fn f() {", "f(1,", "[1, 2", "if true {\n  f()\n"}) {
    try {
      translator.prompt("prompt", text);
      FAIL() << text;
    } catch (const Failure& failure) { EXPECT_TRUE(failure.is_incomplete()) << text; }
  }
  try {
    translator.prompt("prompt", "1 +");
    FAIL();
  } catch (const Failure& failure) { EXPECT_FALSE(failure.is_incomplete()); }
}

TEST(Inference, I73_a_name_assigned_at_the_prompt_is_a_global) {
  Translator translator(Translator::Use::Prompt);
  const auto first = translator.prompt("prompt", "x = 1");
  EXPECT_NE(first.ir.find("global x: any = nothing"), std::string::npos);
  EXPECT_FALSE(first.has_value);
  translator.commit();
  const auto second = translator.prompt("prompt", "x + 1");
  EXPECT_EQ(second.ir.find("global x"), second.ir.find("global x: any"));
  EXPECT_NE(second.ir.find("global.get x"), std::string::npos);
  EXPECT_TRUE(second.has_value);
}

TEST(Inference, I73_what_was_not_committed_is_forgotten) {
  Translator translator(Translator::Use::Prompt);
  translator.prompt("prompt", "x = 1");
  EXPECT_THROW(translator.prompt("prompt", "x + 1"), Failure);
}

}  // namespace
}  // namespace berth::lang
