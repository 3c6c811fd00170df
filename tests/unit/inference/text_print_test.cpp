// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cctype>
#include <random>
#include <set>

#include "inference/printer.hpp"
#include "tests/unit/inference/text_fixture.hpp"

namespace berth::inference::test {
namespace {

TEST_F(Inference, I1_canonical_text_prints_as_it_is) {
  EXPECT_EQ(printed(whole_text()), "berth-ir 1\n" + whole_text());
}

TEST_F(Inference, I1_corpus_covers_every_operation) {
  const auto set = parsed(whole_text());
  std::set<Op> seen;
  for (const auto& method : set.methods) {
    for (const Block& block : method->body.blocks) {
      for (const Statement& statement : block.statements) seen.insert(statement.op);
    }
  }
  for (size_t op = 0; op <= static_cast<size_t>(Op::ChannelClose); ++op) {
    if (static_cast<Op>(op) == Op::Refine) continue;  // made by inference only
    EXPECT_TRUE(seen.contains(static_cast<Op>(op))) << text_of(static_cast<Op>(op));
  }
}

TEST_F(Inference, I1_parse_of_print_is_equal) {
  const auto first = parsed(whole_text());
  const std::string text = print(program(), first);
  const auto second = inference::parse(program(), text, "again.bir");
  ASSERT_TRUE(second.has_value()) << second.error().message();
  // Types of one text are its own until they are defined, so bodies are compared by methods that name none of
  // them.
  ASSERT_EQ(second.value().methods.size(), first.methods.size());
  EXPECT_TRUE(same_method(*first.methods[0], *second.value().methods[0]));
  EXPECT_TRUE(same_method(*first.methods[1], *second.value().methods[1]));
  EXPECT_TRUE(same_method(*first.methods[3], *second.value().methods[3]));
  EXPECT_EQ(print(program(), second.value()), text);
}

TEST_F(Inference, I1_parse_of_print_is_equal_with_known_types) {
  ASSERT_FALSE(
      program().define(nullptr, "berth-ir 1\n" + std::string(kDeclarations), "declared.bir").has_error());
  const auto first = parsed(whole_text());
  const auto second = inference::parse(program(), print(program(), first), "again.bir");
  EXPECT_TRUE(first.structs.empty());  // equal definitions are the program's own
  ASSERT_TRUE(second.has_value()) << second.error().message();
  for (size_t i = 0; i < first.methods.size(); ++i) {
    const std::string text = print(*first.methods[i]);
    const auto again = parse(text);
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_TRUE(same_method(*first.methods[i], *again.value().methods[0])) << text;
  }
}

/// A method of random blocks and statements, with values named at random and used anywhere: parsing knows no
/// dominance.
class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  std::string method() {
    num_values_ = 0;
    const unsigned num_blocks = 1 + below(6);
    std::vector<unsigned> num_parameters(num_blocks, 0);
    for (unsigned b = 1; b < num_blocks; ++b) num_parameters[b] = below(3);
    std::string text = "method m(" + definition(true) + ", " + definition(true) + ") {\n";
    // Every value is defined: what statements mention is drawn from those of the whole method.
    const unsigned total = 2 + 40;
    for (unsigned b = 0; b < num_blocks; ++b) {
      text += "^" + std::to_string(b * 3);
      for (unsigned p = 0; p < num_parameters[b]; ++p) text += (p == 0 ? "(" : ", ") + definition(true);
      if (num_parameters[b] > 0) text += ")";
      if (b > 0 && below(3) == 0) text += " catch ^" + std::to_string(below(num_blocks) * 3);
      text += ":\n";
      const bool is_last = b + 1 == num_blocks;
      for (unsigned n = is_last ? total - num_values_ : below(5); n-- > 0 && num_values_ < total;)
        text += "  " + statement(total);
      text += terminator(num_parameters, total);
    }
    return text + "}\n";
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::string definition(bool may_have_type) {
    static const char* const types[] = {
        "", "", ": any", ": i64", ": Node | nothing", ": array<f64>", ": tuple<i64, any>", ": Shape"};
    return "%v" + std::to_string(num_values_++) + (may_have_type ? types[below(std::size(types))] : "");
  }
  std::string value(unsigned total) {
    return below(4) == 0 ? std::to_string(below(100)) : "%v" + std::to_string(below(total));
  }
  std::string statement(unsigned total) {
    std::string text = definition(true) + " = ";
    const std::string pattern = kStatements[below(std::size(kStatements))];
    for (size_t i = 0; i < pattern.size(); ++i) {
      const bool is_value = pattern[i] == '%' && i + 1 < pattern.size() &&
                            std::isdigit(static_cast<unsigned char>(pattern[i + 1]));
      text += is_value ? "%v" + std::to_string(below(total)) : pattern.substr(i, 1);
      if (is_value) ++i;
    }
    return text + "\n";
  }
  std::string target(const std::vector<unsigned>& num_parameters, unsigned total) {
    const auto block = below(static_cast<unsigned>(num_parameters.size()));
    std::string text = " ^" + std::to_string(block * 3);
    for (unsigned p = 0; p < num_parameters[block]; ++p) text += (p == 0 ? "(" : ", ") + value(total);
    return num_parameters[block] > 0 ? text + ")" : text;
  }
  std::string terminator(const std::vector<unsigned>& num_parameters, unsigned total) {
    switch (below(6)) {
      case 0: return "  br" + target(num_parameters, total) + "\n";
      case 1:
        return "  cond " + value(total) + target(num_parameters, total) + target(num_parameters, total) +
               "\n";
      case 2:
        return "  switch " + value(total) + " [-1:" + target(num_parameters, total) + "]" +
               target(num_parameters, total) + "\n";
      case 3: return "  throw " + value(total) + "\n";
      case 4: return "  unreachable\n";
      default: return "  return " + value(total) + "\n";
    }
  }

  std::mt19937 random_;
  unsigned num_values_ = 0;
};

TEST_F(Inference, I1_random_methods_print_and_parse_equal) {
  ASSERT_FALSE(
      program().define(nullptr, "berth-ir 1\n" + std::string(kDeclarations), "declared.bir").has_error());
  const unsigned seed = start_value();
  RandomText random(seed);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random.method();
    const auto first = parse(text);
    ASSERT_TRUE(first.has_value()) << first.error().message() << "\n" << text;
    const std::string printed = print(*first.value().methods[0]);
    const auto second = parse(printed);
    ASSERT_TRUE(second.has_value()) << second.error().message() << "\n" << printed;
    ASSERT_TRUE(same_method(*first.value().methods[0], *second.value().methods[0])) << text << "\n"
                                                                                    << printed;
    ASSERT_EQ(print(*second.value().methods[0]), printed);
  }
}

TEST_F(Inference, I1_values_and_blocks_are_renumbered_in_order) {
  EXPECT_EQ(printed("method f(%a: any, %b) -> any { ^7: %unused = not %a %z = not %b cond %z ^30 ^2(%a)\n"
                    "^30: br ^2(%z) ^2(%p): return %p }"),
            "berth-ir 1\nmethod f(%0, %1) {\n^0:\n  not %0\n  %2 = not %1\n  cond %2 ^1 ^2(%0)\n^1:\n  br "
            "^2(%2)\n^2(%3):\n"
            "  return %3\n}\n");
}

TEST_F(Inference, I1_text_has_no_layout) {
  EXPECT_EQ(printed("method f(%a){^0:%b=add.i64 %a 1 print(%b)return %b}# last"),
            printed("method f ( %a )\n{ # first\n^0 :\n %b\n=\nadd.i64 %a\n1\nprint ( %b ) return\n%b }"));
}

struct Spelling {
  const char *written, *printed;
};

class Literals : public Inference, public ::testing::WithParamInterface<Spelling> {};

TEST_P(Literals, I1_literal_prints_shortest_and_exact) {
  EXPECT_EQ(printed(std::string("const c = ") + GetParam().written),
            std::string("berth-ir 1\nconst c: ") + GetParam().printed + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Inference, Literals,
    ::testing::Values(Spelling{"1", "i64 = 1"}, Spelling{"-0", "i64 = 0"}, Spelling{"0xff", "i64 = 255"},
                      Spelling{"0xff:i8", "i8 = -1:i8"}, Spelling{"0xffffffffffffffff", "i64 = -1"},
                      Spelling{"255:u8", "u8 = 255:u8"}, Spelling{"-128:i8", "i8 = -128:i8"},
                      Spelling{"1:f64", "f64 = 1.0"}, Spelling{"1:f32", "f32 = 1.0:f32"},
                      Spelling{"0.1000", "f64 = 0.1"}, Spelling{"-0.0", "f64 = -0.0"},
                      Spelling{"1e21", "f64 = 1e+21"},
                      Spelling{"123456789012345678", "i64 = 123456789012345678"},
                      Spelling{"0.30000000000000004", "f64 = 0.30000000000000004"},
                      Spelling{"0x7ff0000000000000:f64", "f64 = 0x7ff0000000000000:f64"},
                      Spelling{"0x3ff0000000000000:f64", "f64 = 1.0"},
                      Spelling{"0xfff8000000000123:f64", "f64 = 0xfff8000000000123:f64"},
                      Spelling{"0x7fc00001:f32", "f32 = 0x7fc00001:f32"},
                      Spelling{"true:bool", "bool = true"}, Spelling{"nothing", "nothing = nothing"},
                      Spelling{"\"\\u{3b1}\\x41\\t\"", "string = \"\\xce\\xb1A\\t\""},
                      Spelling{"type<i64 | nothing>", "type = type<i64 | nothing>"},
                      Spelling{"5e-324", "f64 = 5e-324"},
                      Spelling{"1.7976931348623157e308", "f64 = 1.7976931348623157e+308"}));

TEST_F(Inference, I1_odd_names_keep_their_backquotes) {
  const char* text =
      "berth-ir 1\ntype `1 x` { `a.b`: i64 }\nconst `true`: i64 = 1\nmethod `+`(%0: `1 x`) {\n^0:\n  %1 = "
      "field %0.`a.b`\n"
      "  %2 = call `nothing`(`true`)\n  return `+`\n}\n";
  const auto set = inference::parse(program(), text, "odd.bir");
  ASSERT_TRUE(set.has_value()) << set.error().message();
  std::string expected = text;  // results that nothing uses print without a name
  for (const char* unused : {"%1 = ", "%2 = "}) expected.erase(expected.find(unused), 5);
  EXPECT_EQ(print(program(), set.value()), expected);
}

TEST_F(Inference, I1_constants_fold_and_keep_their_name) {
  const auto set = parsed("const n = 7 method f() { ^0: return n }");
  const Operand& value = set.methods[0]->body.blocks[0].terminator.value;
  EXPECT_EQ(value.kind, Operand::Kind::Literal);
  EXPECT_EQ(value.literal.bits, 7u);
  ASSERT_NE(value.name, nullptr);
  EXPECT_EQ(*value.name, "n");
}

TEST_F(Inference, I1_names_may_be_used_before_their_definition) {
  const auto set = parsed(
      "method f(%c: Circle) { ^0: %a = call g(%c) return last } method g(%x) { ^0: %y = new Circle(n) return "
      "%y }\n"
      "type Circle <: Shape { r: i64, next: array<Circle> } const n = 3 const last = n abstract Shape");
  EXPECT_EQ(set.structs[0]->parent->name, "Shape");
  EXPECT_EQ(set.methods[0]->signature[0], program().types().whole(set.structs[0]->leaf));
}

TEST_F(Inference, I72_places_come_from_the_front_end) {
  const auto set = parsed(
      "method own() {\n^0:\n  print()\n  return nothing }\nfile \"p.bth\"\n"
      "method f() -> i64 @3:1 { ^0: print() @4:5 print()\n return 1 @6:2 }");
  const Method &own = *set.methods[0], &f = *set.methods[1];
  EXPECT_EQ(*own.position.file, "t.bir");
  EXPECT_EQ(own.body.blocks[0].statements[0].position.line, 4u);
  EXPECT_EQ(own.body.blocks[0].statements[0].position.column, 3u);
  EXPECT_EQ(*f.position.file, "p.bth");
  EXPECT_EQ(f.position.line, 3u);
  EXPECT_EQ(f.body.blocks[0].statements[0].position.line, 4u);
  EXPECT_EQ(f.body.blocks[0].statements[1].position.column, 5u);  // none of its own: the one before
  EXPECT_EQ(f.body.blocks[0].terminator.position.line, 6u);
  EXPECT_EQ(*f.body.blocks[0].terminator.position.file, "p.bth");
}

TEST_F(Inference, I15_typed_form_shows_types_effects_worlds_edges) {
  const auto set = parsed("method f(%a: i64) { ^0: %b = add.i64 %a 1 print(%b) return %b }");
  Specialisation specialisation{set.methods[0].get(), {program().types().kind(LeafKind::I64)}, "f(i64)"};
  TypedMethod typed;
  typed.specialisation = &specialisation;
  typed.body = set.methods[0]->body;
  typed.result = program().types().kind(LeafKind::I64);
  typed.effects = kTerminates | kNoRaise;
  typed.limited = true;
  typed.callees.push_back({&specialisation});
  typed.constants.push_back({"tau"});
  for (auto& value : typed.body.values) value.inferred = program().types().kind(LeafKind::I64);
  typed.body.values[2].inferred = program().types().nothing();
  EXPECT_EQ(print_typed(typed, 5, UINT64_MAX),
            "# effects: no_raise terminates\n# worlds: 5..\n# limited\n# callees: f(i64)\n# constants: tau\n"
            "method f(%0: i64) -> i64 {\n^0:\n  %1: i64 = add.i64 %0 1\n  %2: nothing = print(%1)\n  return "
            "%1\n}\n");
}

TEST_F(Inference, parse_type_reads_what_the_text_form_writes) {
  for (const char* text :
       {"i64", "any", "nothing", "array<f64>", "array<array<i64 | nothing>>", "tuple<i64, string>", "tuple<>",
        "number", "buffer<f32>", "i64 | string | nothing", "error", "type"}) {
    const auto type = parse_type(program(), text);
    ASSERT_TRUE(type.has_value()) << type.error().message();
    std::string out;
    Printer(out, Printer::Form::Canonical).type(type.value());
    EXPECT_EQ(out, text);
  }
  EXPECT_EQ(parse_type(program(), "array<f64").error().message(),
            "type:1:10: the end of the text, expected \">\" or \"|\"");
  EXPECT_EQ(parse_type(program(), "i64 i64").error().message(),
            "type:1:5: \"i64\", expected the end of the type");
}

}  // namespace
}  // namespace berth::inference::test
