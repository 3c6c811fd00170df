// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "inference/builder.hpp"
#include "inference/dominators.hpp"
#include "tests/unit/inference/text_fixture.hpp"

namespace berth::inference::test {
namespace {

/// A text that breaks one rule, and the rule's name with the block.
struct Refused {
  const char *text, *says;
};

class RefusedTexts : public Inference, public ::testing::WithParamInterface<Refused> {};

TEST_P(RefusedTexts, I5_verifier_names_method_block_and_rule) {
  const std::string found = refusal(GetParam().text);
  EXPECT_NE(found.find(GetParam().says), std::string::npos) << found;
  EXPECT_EQ(found.find("t.bir:"), 0u) << found;
}

INSTANTIATE_TEST_SUITE_P(
    Inference, RefusedTexts,
    ::testing::Values(
        Refused{"method m(%c) { ^0: cond %c ^1 ^2 ^1: %x = not %c br ^2 ^2: return %x }",
                "t.bir:2:60: method m, block ^2: dominance: value %x of ^1"},
        Refused{"method m() { ^0: %x = not %y %y = not true return %x }",
                "block ^0: dominance: value %y of ^0"},
        Refused{"method m() { ^0: %x = not %x return %x }", "block ^0: dominance: value %x of ^0"},
        Refused{"method m(%c) { ^0: br ^1 ^1: cond %c ^2(%x) ^3 ^2(%x): br ^1 ^3: return nothing }",
                "block ^1: dominance: value %x of ^2"},
        Refused{"method m() { ^0: br ^1(%x) ^1(%x): return %x }", "block ^0: dominance: value %x of ^1"},
        Refused{"method m() { ^0: br ^0 }", "block ^0: blocks: a branch to the entry"},
        Refused{"method m() { ^0: br ^1 ^1 catch ^0: return nothing }",
                "block ^1: blocks: the entry as handler"},
        Refused{"method m() { ^0 catch ^1: return nothing ^1: return nothing }",
                "block ^0: handler: handler ^1 has 0 parameters"},
        Refused{"method m() { ^0 catch ^1: return nothing ^1(%a, %b): return nothing }",
                "block ^0: handler: handler ^1 has 2 parameters"},
        Refused{"method m() { ^0: br ^1(1) ^1: return nothing }",
                "block ^0: arity: 1 arguments for the 0 parameters of ^1"},
        Refused{"method m(%c) { ^0: cond %c ^1(1) ^1 ^1(%x): return nothing }",
                "block ^0: arity: 0 arguments for the 1 parameters of ^1"},
        Refused{"method m() { ^0: br ^1(\"a\") ^1(%x: i64): return nothing }",
                "block ^0: argument types: argument 1 is"},
        Refused{"method m(%s: string) { ^0: br ^1(%s) ^1(%x: i64 | f64): return nothing }",
                "argument types: argument 1 is string, expected f64 | i64"},
        Refused{"method n(%a: i64) { ^0: return %a } method m() { ^0: invoke n(i64)() return nothing }",
                "arity: 0 arguments, expected 1 as n takes"},
        Refused{"method n(%a: i64) { ^0: return %a } method m() { ^0: invoke n(i64)(1.5) return nothing }",
                "argument types: argument 1 is"},
        Refused{"method m(%x) { ^0: new i64(%x) return nothing }",
                "block ^0: type: new of what is no struct"},
        Refused{"type T { a: i64 } method m() { ^0: new T() return nothing }",
                "block ^0: fields: 0 values for the 1 fields of T"},
        Refused{"type T { a: i64 } method m(%t: T) { ^0: field %t.b return nothing }",
                "block ^0: fields: no field b in T"},
        Refused{"method m(%e: error) { ^0: field %e.b return nothing }",
                "block ^0: fields: no field b in error"},
        Refused{"type T { a: i64 } method m(%t: T) { ^0: set %t.a 1 return nothing }",
                "block ^0: mutability: T is immutable"},
        Refused{"method m(%x: i64) { ^0: field %x.a return nothing }", "block ^0: fields: no field a in i64"},
        Refused{"method m(%x) { ^0: buffer.new string %x return nothing }",
                "block ^0: type: elements of no number type"},
        Refused{"method m(%x) { ^0: call.host f(%x) string return nothing }",
                "block ^0: type: result of a C function"},
        Refused{"method m() { ^0: call.host f(\"a\") i64 return nothing }",
                "block ^0: type: argument of a C function"},
        Refused{"method m(%x) { ^0: switch %x [1: ^1, 1: ^1] ^1 ^1: return nothing }",
                "block ^0: cases: case 1 twice"},
        Refused{"method m() { ^0: lane 0 return nothing }", "block ^0: kernel only: lane in a method"},
        Refused{"method m() { ^0: barrier.grid return nothing }",
                "block ^0: kernel only: barrier.grid in a method"},
        Refused{"method m(%a) { ^0: rmw.item.relaxed.block %a 0 1 return nothing }",
                "block ^0: kernel only: a scope in a method"},
        Refused{"kernel k(%a) { ^0: return nothing }",
                "block ^0: kernel subset: parameter 1 of a kernel is any"},
        Refused{"kernel k(%a: array<f64>) { ^0: return nothing }",
                "kernel subset: parameter 1 of a kernel is array<f64>"},
        Refused{"kernel k(%a: buffer<string>) { ^0: return nothing }",
                "kernel subset: parameter 1 of a kernel is buffer<string>"},
        Refused{"kernel k() -> i64 { ^0: return 1 }", "kernel subset: a kernel with a result type"},
        Refused{"kernel k() { ^0: return 1 }", "block ^0: kernel subset: a kernel returns a value"},
        Refused{"kernel k() { ^0: print(1) return nothing }", "block ^0: kernel subset: print in a kernel"},
        Refused{"kernel k(%f: i64) { ^0: call %f() return nothing }",
                "block ^0: kernel subset: call of a value"},
        Refused{"kernel k() { ^0: same \"a\" 1 return nothing }",
                "block ^0: kernel subset: a string in a kernel"},
        Refused{"kernel k() { ^0: throw 1 }", "block ^0: kernel subset: throw in a kernel"},
        Refused{"kernel k() { ^0 catch ^1: return nothing ^1(%e): return nothing }",
                "block ^0: kernel subset: catch in a kernel"},
        Refused{"kernel k(%x: i64) { ^0: lane %x return nothing }", "block ^0: literal: dimension"},
        Refused{"kernel k() { ^0: lanes 3 return nothing }", "block ^0: literal: dimension"},
        Refused{"kernel k(%x: i64) { ^0: shared f64 %x return nothing }",
                "block ^0: literal: size of shared memory"},
        Refused{"kernel k() { ^0: shared string 4 return nothing }",
                "block ^0: type: elements of no number type"}));

// What no text can say: bodies broken by hand.
struct Mutation {
  const char* says;
  std::function<void(Method&)> apply;
};

class MutatedBodies : public Inference, public ::testing::WithParamInterface<Mutation> {};

Statement& first(Method& method) { return method.body.blocks[0].statements[0]; }

TEST_P(MutatedBodies, I5_verifier_refuses_a_body_broken_by_hand) {
  auto set = parsed(
      "method m(%a: i64, %b) { ^0: %x = add.i64 %a 1 cond %b ^1 ^2(%x) ^1: return %x ^2(%y): return %y }");
  Method& method = *set.methods[0];
  ASSERT_FALSE(verify(program(), method).has_error());
  GetParam().apply(method);
  const auto result = verify(program(), method);
  ASSERT_TRUE(result.has_error()) << GetParam().says;
  EXPECT_EQ(result.error().code(), BERTH_TYPE_ERROR);
  EXPECT_NE(result.error().message().find(GetParam().says), std::string::npos) << result.error().message();
}

INSTANTIATE_TEST_SUITE_P(
    Inference, MutatedBodies,
    ::testing::Values(
        Mutation{"blocks: none", [](Method& m) { m.body.blocks.clear(); }},
        Mutation{"blocks: a target does not exist",
                 [](Method& m) { m.body.blocks[0].terminator.targets[0].block = 9; }},
        Mutation{"blocks: its handler does not exist", [](Method& m) { m.body.blocks[0].handler = 9; }},
        Mutation{"values: a result that is no value", [](Method& m) { first(m).result = 99; }},
        Mutation{"values: value %a defined twice", [](Method& m) { first(m).result = 0; }},
        Mutation{"values: value number 99 is not defined",
                 [](Method& m) { first(m).operands[0].value = 99; }},
        Mutation{"values: value %y is not defined",
                 [](Method& m) {
                   m.body.blocks[2].parameters.clear();
                   m.body.blocks[0].terminator.targets[1].arguments.clear();
                 }},
        Mutation{"signature: 2 parameters for 1 types", [](Method& m) { m.signature.pop_back(); }},
        Mutation{"signature: parameter 2 has another type",
                 [](Method& m) { m.signature[1] = m.signature[0]; }},
        Mutation{"operands: 1 operands, expected 2", [](Method& m) { first(m).operands.pop_back(); }},
        Mutation{"operands: no operand",
                 [](Method& m) {
                   first(m).op = Op::Call;
                   first(m).operands.clear();
                 }},
        Mutation{"operands: 2 operands, expected six sizes", [](Method& m) { first(m).op = Op::Launch; }},
        Mutation{"names: an unresolved name",
                 [](Method& m) { first(m).operands[1].kind = Operand::Kind::Name; }},
        Mutation{"names: an unresolved name",
                 [](Method& m) { m.body.blocks[1].terminator.value.kind = Operand::Kind::Name; }},
        Mutation{"names: no name",
                 [](Method& m) {
                   first(m).op = Op::GlobalSet;
                   first(m).operands.pop_back();
                 }},
        Mutation{"names: no field", [](Method& m) { first(m).op = Op::Set; }},
        Mutation{"number: no operation add.string", [](Method& m) { first(m).number = LeafKind::String; }},
        Mutation{"number: no operation shl.f64",
                 [](Method& m) {
                   first(m).op = Op::Shl;
                   first(m).number = LeafKind::F64;
                 }},
        Mutation{"number: no conversion",
                 [](Method& m) {
                   first(m).op = Op::Convert;
                   first(m).operands.pop_back();
                 }},
        Mutation{"number: checked",
                 [](Method& m) {
                   first(m).op = Op::Div;
                   first(m).checked = true;
                 }},
        Mutation{"order: order \"acquire\"", [](Method& m) { first(m).order = Order::Acquire; }},
        Mutation{"order: a scope", [](Method& m) { first(m).scope = Scope::Block; }},
        Mutation{"type: no type", [](Method& m) { first(m).op = Op::ArrayNew; }},
        Mutation{"callee: a literal as function",
                 [](Method& m) {
                   first(m).op = Op::Call;
                   std::swap(first(m).operands[0], first(m).operands[1]);
                 }},
        Mutation{"refine: refine in a method",
                 [](Method& m) {
                   first(m).op = Op::Refine;
                   first(m).type = m.signature[1];
                   first(m).operands.pop_back();
                 }},
        Mutation{"terminator: 1 targets, expected 2",
                 [](Method& m) { m.body.blocks[0].terminator.targets.pop_back(); }},
        Mutation{"terminator: cases", [](Method& m) { m.body.blocks[0].terminator.cases = {1}; }}));

TEST_F(Inference, I5_good_bodies_are_accepted) {
  EXPECT_EQ(refusal(whole_text()), "accepted");
  EXPECT_EQ(refusal("method m(%c: bool) { ^0: br ^1(0) ^1(%i: i64): %j = add.i64 %i 1 cond %c ^1(%j) ^2 ^2: "
                    "return %j }"),
            "accepted");
  // Never reached: dominated by everything.
  EXPECT_EQ(refusal("method m() { ^0: return nothing ^1: return %x ^2: %x = not true return %x }"),
            "accepted");
}

TEST_F(Inference, I5_rewritten_bodies_may_refine_and_contradict) {
  auto set = parsed("method m(%a) { ^0: br ^1(\"a\") ^1(%x: i64): assert %a i64 return %x }");
  Body body = set.methods[0]->body;
  body.blocks[1].statements[0].op = Op::Refine;
  EXPECT_TRUE(verify(program(), *set.methods[0]).has_error());
  EXPECT_FALSE(verify_body(program(), *set.methods[0], body).has_error());
}

// --- handlers

TEST_F(Inference, I7_handler_sees_what_dominates_the_protected_entry) {
  EXPECT_EQ(refusal("method m(%a) { ^0: %x = not %a br ^1 ^1 catch ^2: %y = not %x return %y ^2(%e): "
                    "print(%a, %x, %e) return %x }"),
            "accepted");
}

TEST_F(Inference, I7_handler_does_not_see_results_of_the_protected_block) {
  EXPECT_NE(refusal("method m(%a) { ^0: br ^1 ^1 catch ^2: %y = not %a return %y ^2(%e): return %y }")
                .find("block ^2: dominance: value %y of ^1"),
            std::string::npos);
}

TEST_F(Inference, I7_handler_does_not_see_parameters_of_the_protected_block) {
  EXPECT_NE(refusal("method m(%a) { ^0: br ^1(1) ^1(%y) catch ^2: return %y ^2(%e): return %y }")
                .find("block ^2: dominance: value %y of ^1"),
            std::string::npos);
}

TEST_F(Inference, I7_handler_of_the_entry_does_not_see_its_parameters) {
  EXPECT_NE(refusal("method m(%a) { ^0 catch ^1: return %a ^1(%e): return %a }").find("block ^1: dominance"),
            std::string::npos);
}

TEST_F(Inference, I7_handler_of_two_blocks_sees_what_is_common) {
  const std::string text =
      "method m(%a) { ^0: %x = not %a cond %x ^1 ^2 ^1: %y = not %x br ^3 ^2: br ^4 ^3 catch ^5: return %y "
      "^4 catch ^5: return %x ^5(%e): return ";
  EXPECT_EQ(refusal(text + "%x }"), "accepted");
  EXPECT_NE(refusal(text + "%y }").find("block ^5: dominance: value %y of ^1"), std::string::npos);
}

TEST_F(Inference, I7_protected_blocks_share_values_among_themselves) {
  EXPECT_EQ(refusal("method m(%a) { ^0: br ^1 ^1 catch ^9: %x = not %a br ^2 ^2 catch ^9: return %x ^9(%e): "
                    "throw %e }"),
            "accepted");
}

// --- dominators, against the definition: A dominates B if B cannot be reached without A.

TEST_F(Inference, I5_dominators_equal_brute_force) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 400; ++round) {
    Body body;
    const auto n = static_cast<uint32_t>(1 + random() % 12);
    body.blocks.resize(n);
    for (Block& block : body.blocks) {
      for (unsigned edges = random() % 3; edges-- > 0 && n > 1;)
        block.terminator.targets.push_back({1 + static_cast<uint32_t>(random()) % (n - 1), {}});
      if (n > 1 && random() % 3 == 0) block.handler = 1 + static_cast<uint32_t>(random()) % (n - 1);
    }
    const Dominators dominators(body);
    // Entries that are reached with the inside of `without` closed.
    const auto reached = [&](uint32_t without) {
      std::vector<bool> seen(n, false);
      std::vector<uint32_t> stack{0};
      while (!stack.empty()) {
        const uint32_t block = stack.back();
        stack.pop_back();
        if (seen[block]) continue;
        seen[block] = true;
        if (body.blocks[block].handler != kNone) stack.push_back(body.blocks[block].handler);
        if (block == without) continue;
        for (const Target& target : body.blocks[block].terminator.targets) stack.push_back(target.block);
      }
      return seen;
    };
    const auto all = reached(kNone);
    for (uint32_t above = 0; above < n; ++above) {
      const auto seen = reached(above);
      for (uint32_t below = 0; below < n; ++below) {
        if (above == below) continue;
        EXPECT_EQ(dominators.dominates(above, below), !all[below] || !seen[below])
            << above << " over " << below << " in round " << round;
      }
    }
  }
}

TEST_F(Inference, I5_dominators_of_a_long_chain_use_no_native_stack) {
  Body body;
  body.blocks.resize(300'000);
  for (uint32_t i = 0; i + 1 < body.blocks.size(); ++i)
    body.blocks[i].terminator.targets.push_back({i + 1, {}});
  const Dominators dominators(body);
  EXPECT_TRUE(dominators.dominates(1, 299'999));
  EXPECT_FALSE(dominators.dominates(299'999, 1));
}

// --- builder

TEST_F(Inference, I5_builder_makes_what_the_text_says) {
  Builder builder(program(), "sum");
  const ValueId n = builder.parameter(program().types().kind(LeafKind::I64));
  const BlockId loop = builder.block(), body = builder.block(), done = builder.block();
  const ValueId i = builder.parameter(loop).value(), s = builder.parameter(loop).value(),
                r = builder.parameter(done).value();
  ASSERT_FALSE(builder.branch(loop, {Builder::i64(0), Builder::i64(0)}).has_error());
  ASSERT_FALSE(builder.enter(loop).has_error());
  const ValueId more = builder.add(Op::Lt, LeafKind::I64, {Builder::value(i), Builder::value(n)}).value();
  ASSERT_FALSE(builder.condition(Builder::value(more), {body, {}}, {done, {Builder::value(s)}}).has_error());
  ASSERT_FALSE(builder.enter(body).has_error());
  const ValueId t = builder.add(Op::Add, LeafKind::I64, {Builder::value(s), Builder::value(i)}).value();
  const ValueId j = builder.add(Op::Add, LeafKind::I64, {Builder::value(i), Builder::i64(1)}).value();
  ASSERT_FALSE(builder.call("note", {Builder::value(t), builder.string("x")}).has_error());
  ASSERT_FALSE(builder.branch(loop, {Builder::value(j), Builder::value(t)}).has_error());
  ASSERT_FALSE(builder.enter(done).has_error());
  ASSERT_FALSE(builder.give_back(Builder::value(r)).has_error());
  const auto method = builder.finish();
  ASSERT_TRUE(method.has_value()) << method.error().message();
  const std::string text = print(*method.value());
  EXPECT_EQ(text,
            "method sum(%0: i64) {\n^0:\n  br ^1(0, 0)\n^1(%1, %2):\n  %3 = lt.i64 %1 %0\n  cond %3 ^2 "
            "^3(%2)\n^2:\n  %4 = add.i64 %2 %1\n"
            "  %5 = add.i64 %1 1\n  call note(%4, \"x\")\n  br ^1(%5, %4)\n^3(%6):\n  return %6\n}\n");
  EXPECT_EQ(refusal(text), "accepted");
}

TEST_F(Inference, I5_builder_refuses_at_the_call) {
  Builder builder(program(), "m");
  const ValueId a = builder.parameter();
  const auto rule = [](const auto& result) {
    return result.has_error() ? result.error().message() : std::string("accepted");
  };
  EXPECT_NE(rule(builder.add(Op::Shl, LeafKind::F64, {Builder::value(a), Builder::i64(1)})).find("number: "),
            std::string::npos);
  EXPECT_NE(rule(builder.add(Op::Not, {})).find("operands: "), std::string::npos);
  EXPECT_NE(rule(builder.add(Op::Not, {Builder::value(7)})).find("values: "), std::string::npos);
  EXPECT_NE(rule(builder.add(Op::Lane, {Builder::i64(0)})).find("kernel only: "), std::string::npos);
  EXPECT_NE(rule(builder.add(Op::Call, {Builder::i64(0)})).find("callee: "), std::string::npos);
  EXPECT_NE(rule(builder.branch(0)).find("blocks: "), std::string::npos);
  EXPECT_NE(rule(builder.protect(0, 0)).find("blocks: "), std::string::npos);
  Statement typeless;
  typeless.op = Op::Is;
  typeless.operands = {Builder::value(a)};
  EXPECT_NE(rule(builder.add(typeless)).find("type: "), std::string::npos);
  EXPECT_EQ(rule(builder.finish()), "m: block ^0 has no terminator. Remedy: enter it and terminate");
  EXPECT_EQ(rule(builder.give_back(Builder::value(a))), "accepted");
  EXPECT_NE(rule(builder.add(Op::Not, {Builder::value(a)})).find("has its terminator"), std::string::npos);
  EXPECT_TRUE(builder.finish().has_value());
  EXPECT_NE(rule(builder.finish()).find("the method is finished"), std::string::npos);
  builder.parameter();
  EXPECT_NE(rule(builder.enter(builder.block())).find("the method is finished"), std::string::npos);
}

TEST_F(Inference, I5_builder_finish_verifies_the_whole) {
  Builder builder(program(), "m");
  const BlockId one = builder.block(), two = builder.block();
  ASSERT_FALSE(builder.condition(Builder::boolean(true), {one, {}}, {two, {}}).has_error());
  ASSERT_FALSE(builder.enter(one).has_error());
  const ValueId x = builder.add(Op::Not, {Builder::boolean(true)}).value();
  ASSERT_FALSE(builder.give_back(Builder::value(x)).has_error());
  ASSERT_FALSE(builder.enter(two).has_error());
  ASSERT_FALSE(builder.give_back(Builder::value(x)).has_error());
  const auto method = builder.finish();
  ASSERT_TRUE(method.has_error());
  EXPECT_NE(method.error().message().find("block ^2: dominance"), std::string::npos)
      << method.error().message();
}

}  // namespace
}  // namespace berth::inference::test
