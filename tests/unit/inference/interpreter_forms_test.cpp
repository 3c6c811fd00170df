// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter's quick forms: whatever is proven of a statement's operands, it gives what its general
// meaning gives.
#include <fmt/format.h>

#include "inference/arithmetic.hpp"
#include "inference/operations.hpp"
#include "tests/unit/inference/runtime_fixture.hpp"

namespace berth::inference {
namespace {

using namespace std::chrono_literals;

// Quick forms, branches on them, and the general rule are one meaning: boundary values of each kind, kinds
// proven and not.
std::string element_text(LeafKind kind, uint64_t bits) {
  return fmt::format("{:#x}:{}", bits, name_of(kind));
}

std::vector<uint64_t> boundary_bits(LeafKind kind) {
  if (kind == LeafKind::F64)
    return {0,
            1ull << 63,
            0x3ff0'0000'0000'0000,
            0xbff8'0000'0000'0000,
            0x7ff0'0000'0000'0000,
            0x7ff8'0000'0000'0001};
  if (kind == LeafKind::F32) return {0, 0x8000'0000, 0x3f80'0000, 0xbfc0'0000, 0x7f80'0000, 0x7fc0'0001};
  const uint64_t all = bytes_of(kind) == 8 ? UINT64_MAX : (1ull << 8 * bytes_of(kind)) - 1;
  return {0, 1, 7, all / 2, all / 2 + 1, all};
}

Value value_of(LeafKind kind, uint64_t bits) {
  Value value = Value::of_bits(kind, bits);
  if (is_integer(kind) && kind != LeafKind::U64)
    number_conversion(Op::Truncate, LeafKind::U64, kind, Value::of_bits(LeafKind::U64, bits), value);
  return value;
}

class Numbers : public testing::TestWithParam<LeafKind> {};

TEST_P(Numbers, I62_each_form_gives_what_the_rule_gives) {
  const LeafKind kind = GetParam();
  test::Watchdog watchdog{60s};
  TestProgram test;
  std::string text;
  std::vector<Op> operations;
  for (auto op = Op::Add; op < Op::Fma; op = static_cast<Op>(static_cast<int>(op) + 1)) {
    if (!is_legal_number(op, kind)) continue;
    operations.push_back(op);
    const std::string statement =
        fmt::format("%r = {}.{} %a {}", text_of(op), name_of(kind), number_operands(op) == 2 ? "%b" : "");
    for (const std::string& type : {std::string(), std::string(": ") + name_of(kind)}) {
      const std::string head =
          fmt::format("method {}{}(%a{}, %b{})", text_of(op), type.empty() ? "_any" : "", type, type);
      text += fmt::format("{} {{ ^0: {} return %r }}\n", head, statement);
    }
    if (op != Op::Lt && op != Op::Le && op != Op::Eq) continue;
    text += fmt::format(
        "method {0}_branch(%a: {1}, %b: {1}) {{ ^0: {2} cond %r ^1 ^2 ^1: return true ^2: return false }}\n",
        text_of(op), name_of(kind), statement);
    text += fmt::format(
        "method {0}_not(%a: {1}, %b: {1}) {{ ^0: {2} %n = not %r cond %n ^1 ^2 ^1: return false ^2: return "
        "true }}\n",
        text_of(op), name_of(kind), statement);
  }
  test.define(text);
  for (const Op op : operations) {
    for (const uint64_t first : boundary_bits(kind)) {
      for (const uint64_t second : boundary_bits(kind)) {
        const Value operands[] = {value_of(kind, first), value_of(kind, second)};
        Value expected;
        const NumberFault fault = number_operation(op, kind, false, operands, expected);
        const std::string wanted = fault == NumberFault::None
                                       ? test.program->runtime().text_of_value(expected)
                                       : "! " + fault_text(fault, kind, kind, operands);
        const bool is_compare = op == Op::Lt || op == Op::Le || op == Op::Eq;
        for (const std::string form : {"", "_any", "_branch", "_not"}) {
          if (form.size() > 0 && form != "_any" && !is_compare) continue;
          EXPECT_EQ(test.run(text_of(op) + form, {operands[0], operands[1]}), wanted)
              << text_of(op) << form << ' ' << element_text(kind, first) << ' ' << element_text(kind, second);
        }
      }
    }
    EXPECT_EQ(test.run(text_of(op) + std::string("_any"), {Value::nothing(), Value::nothing()}),
              fmt::format("! type: expected {}, got nothing", name_of(kind)));
  }
}
INSTANTIATE_TEST_SUITE_P(Inference, Numbers,
                         testing::Values(LeafKind::I8, LeafKind::I16, LeafKind::I32, LeafKind::I64,
                                         LeafKind::U8, LeafKind::U16, LeafKind::U32, LeafKind::U64,
                                         LeafKind::F32, LeafKind::F64),
                         [](const auto& info) { return name_of(info.param); });

// Elements and fields of each kind through types that inference proves, and through `any`.
TEST_P(Numbers, I62_elements_and_fields_keep_their_bits) {
  const LeafKind kind = GetParam();
  for (const bool raw : {true, false}) {
    TestProgram test(raw);
    test.define(fmt::format(R"(mutable type Cell {{ before: {0}, value: {0}, after: {0} }}
      method item(%a, %i, %v) {{ ^0: array.set %a %i %v %x = array.get %a %i return %x }}
      method neighbours(%v: {0}) {{ ^0: %a = array.new {0} 3 {1} %x = call item(%a, 1, %v) %p = array.get %a 0 %n = array.get %a 2
        %t = tuple(%p, %x, %n) return %t }}
      method put(%c, %v) {{ ^0: set %c.value %v %x = field %c.value return %x }}
      method fields(%v: {0}) {{ ^0: %c = new Cell({1}, {1}, {1}) %x = call put(%c, %v) %p = field %c.before %n = field %c.after
        %t = tuple(%p, %x, %n) return %t }}
      method outside(%i: i64) {{ ^0: %a = array.new {0} 3 {1} %x = call item(%a, %i, {1}) return %x }}
      method wrong(%v) {{ ^0: %a = array.new {0} 3 {1} %x = call item(%a, 1, %v) return %x }})",
                            name_of(kind), element_text(kind, boundary_bits(kind)[2])));
    Runtime& runtime = test.program->runtime();
    const std::string beside = runtime.text_of_value(value_of(kind, boundary_bits(kind)[2]));
    for (const uint64_t bits : boundary_bits(kind)) {
      const Value value = value_of(kind, bits);
      const std::string expected = fmt::format("({}, {}, {})", beside, runtime.text_of_value(value), beside);
      EXPECT_EQ(test.run("neighbours", {value}), expected) << raw;
      EXPECT_EQ(test.run("fields", {value}), expected) << raw;
    }
    EXPECT_EQ(test.run("outside", {Value::i64(3)}), "! index 3 of 3") << raw;
    EXPECT_EQ(test.run("outside", {Value::i64(-1)}), "! index -1 of 3") << raw;
    EXPECT_EQ(test.run("wrong", {Value::boolean(true)}),
              fmt::format("! type: expected {}, got bool", name_of(kind)))
        << raw;
  }
}

TEST(Inference, I62_references_in_elements_and_fields) {
  for (const bool raw : {true, false}) {
    TestProgram test(raw);
    test.define(
        R"(mutable type Node { next: Node | nothing, text: string | nothing, either: string | i64, thing: any }
      method chain(%n: i64) { ^0: br ^1(0, nothing) ^1(%i, %list): %c = lt.i64 %i %n cond %c ^2 ^3
        ^2: %s = string.of %i %new = new Node(nothing, %s, %i, %s) set %new.next %list %j = add.i64 %i 1 br ^1(%j, %new)
        ^3: br ^4(%list, "") ^4(%at, %all): %e = is %at nothing cond %e ^5 ^6 ^5: return %all
        ^6: %node = assert %at Node %t = field %node.text %u = assert %t string %next = field %node.next %more = string.concat %all %u
            br ^4(%next, %more) }
      method cleared() { ^0: %n = new Node(nothing, "t", 1, 2) set %n.next %n set %n.next nothing set %n.text nothing set %n.either "e"
        %a = field %n.next %b = field %n.text %c = field %n.either %d = field %n.thing %t = tuple(%a, %b, %c, %d) return %t }
      type Other { n: i64 } mutable type Mixed { of: Node | string | nothing }
      method other() { ^0: %n = new Node(nothing, "t", 1, 2) %o = new Other(1) set %n.next %o return %n }
      method other_element() { ^0: %a = array.new string | nothing 3 nothing %o = new Other(1)
        array.set %a 1 %o return %a }
      method mixed() { ^0: %m = new Mixed("s") %a = field %m.of set %m.of nothing %b = field %m.of
        %n = new Node(nothing, "t", 1, 2) set %m.of %n %c = field %m.of %d = is %c Node %e = is %a string
        %t = tuple(%a, %b, %d, %e) return %t }
      method elements() { ^0: %a = array.new string | nothing 3 nothing array.set %a 1 "x" array.set %a 2 "y" array.set %a 2 nothing
        %p = array.get %a 0 %q = array.get %a 1 %r = array.get %a 2 %t = tuple(%p, %q, %r) return %t })");
    EXPECT_EQ(test.run("chain", {Value::i64(4)}), "3210") << raw;
    EXPECT_EQ(test.run("cleared"), "(nothing, nothing, \"e\", 2)") << raw;
    EXPECT_EQ(test.run("other"), "! type: expected Node | nothing, got Other") << raw;
    EXPECT_EQ(test.run("other_element"), "! type: expected string | nothing, got Other") << raw;
    EXPECT_EQ(test.run("mixed"), "(\"s\", nothing, true, true)") << raw;
    EXPECT_EQ(test.run("elements"), "(nothing, \"x\", nothing)") << raw;
  }
}

// What a condition takes in must still be there for who else reads it; a check on an edge belongs to the
// block that is left.
TEST(Inference, I62_conditions_and_edges) {
  for (const bool raw : {true, false}) {
    TestProgram test(raw);
    test.define(
        R"(method kept(%n: i64) { ^0: %c = lt.i64 %n 5 cond %c ^1 ^2 ^1: return %c ^2: %d = not %c return %d }
      method not_kept(%n: i64) { ^0: %c = lt.i64 %n 5 %d = not %c cond %d ^1(%d) ^2 ^1(%x): return %x ^2: %t = tuple(%c, %d) return %t }
      method bad(%n) { ^0: cond %n ^1 ^2 ^1: return 1 ^2: return 2 }
      method bad_not(%n) { ^0: %d = not %n cond %d ^1 ^2 ^1: return 1 ^2: return 2 }
      method edge(%n: i64, %x) { ^0: br ^1 ^1 catch ^4: %c = lt.i64 %n 5 cond %c ^2(%x) ^3(%x) ^2(%s: string): return %s
        ^3(%i: i64): return %i ^4(%e): %t = field %e.text return %t }
      method cases(%n: i64, %x) { ^0: br ^1 ^1 catch ^4: switch %n [1: ^2(%x), 2: ^2("two")] ^3 ^2(%s: string): return %s
        ^3: return "none" ^4(%e): %t = field %e.text return %t }
      method turn(%n: i64) { ^0: br ^1(%n, 1, 2, 3) ^1(%i, %a, %b, %c): %t = eq.i64 %i 0 %j = sub.i64 %i 1
        cond %t ^2(%a, %b, %c) ^1(%j, %b, %c, %a) ^2(%x, %y, %z): %r = tuple(%x, %y, %z) return %r })");
    EXPECT_EQ(test.run("kept", {Value::i64(4)}), "true") << raw;
    EXPECT_EQ(test.run("kept", {Value::i64(5)}), "true") << raw;
    EXPECT_EQ(test.run("not_kept", {Value::i64(5)}), "true") << raw;
    EXPECT_EQ(test.run("not_kept", {Value::i64(4)}), "(true, false)") << raw;
    EXPECT_EQ(test.run("bad", {Value::i64(1)}), "! type: expected bool, got i64") << raw;
    EXPECT_EQ(test.run("bad_not", {Value::i64(1)}), "! type: expected bool, got i64") << raw;
    EXPECT_EQ(test.run("edge", {Value::i64(4), Value::i64(9)}), "type: expected string, got i64") << raw;
    EXPECT_EQ(test.run("edge", {Value::i64(5), Value::i64(9)}), "9") << raw;
    EXPECT_EQ(test.run("edge", {Value::i64(5), Value::nothing()}), "type: expected i64, got nothing") << raw;
    EXPECT_EQ(test.run("cases", {Value::i64(1), Value::i64(9)}), "type: expected string, got i64") << raw;
    EXPECT_EQ(test.run("cases", {Value::i64(2), Value::i64(9)}), "two") << raw;
    EXPECT_EQ(test.run("cases", {Value::i64(3), Value::i64(9)}), "none") << raw;
    EXPECT_EQ(test.run("turn", {Value::i64(4)}), "(2, 3, 1)") << raw;
  }
}

}  // namespace
}  // namespace berth::inference
