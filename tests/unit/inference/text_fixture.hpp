// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the text form share: a program to parse into, a text with every statement, and equality
// of bodies.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "engine/engine.hpp"
#include "inference/program.hpp"
#include "inference/text.hpp"

namespace berth::inference::test {

/// Suite `Inference`, as the contract page is called.
class Inference : public ::testing::Test {
 protected:
  Inference()
      : engine_(engine::Engine::make({}).value()), program_(std::make_shared<Program>(*engine_, "test")) {}

  Program& program() { return *program_; }
  Result<DefinitionSet> parse(std::string_view body) {
    return inference::parse(*program_, "berth-ir 1\n" + std::string(body), "t.bir");
  }
  /// Parses text that must be right.
  DefinitionSet parsed(std::string_view body) {
    auto result = parse(body);
    EXPECT_TRUE(result.has_value()) << result.error().message() << "\nin\n" << body;
    return result.has_value() ? std::move(result).value() : DefinitionSet();
  }
  std::string printed(std::string_view body) { return print(program(), parsed(body)); }
  /// The message of the error of a text that must be wrong.
  std::string message(std::string_view body) {
    const auto result = parse(body);
    return result.has_error() ? result.error().message() : "no error";
  }
  /// The message of the first method that the verifier refuses.
  std::string refusal(std::string_view body) {
    const auto set = parsed(body);
    for (const auto& method : set.methods) {
      const auto result = verify(program(), *method);
      if (result.has_error()) return result.error().message();
    }
    return "accepted";
  }

 private:
  std::unique_ptr<engine::Engine> engine_;
  std::shared_ptr<Program> program_;
};

/// Of random input: given by BERTH_SEED for a replay, else new; printed.
inline unsigned start_value() {
  const char* given = std::getenv("BERTH_SEED");
  const unsigned seed =
      given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
  std::cout << "BERTH_SEED=" << seed << "\n";
  return seed;
}

inline bool same_operand(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.value == b.value && a.literal == b.literal && a.name == b.name;
}

inline bool same_operands(const std::vector<Operand>& a, const std::vector<Operand>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!same_operand(a[i], b[i])) return false;
  }
  return true;
}

inline bool same_statement(const Statement& a, const Statement& b) {
  return a.op == b.op && a.number == b.number && a.to == b.to && a.checked == b.checked &&
         a.order == b.order && a.scope == b.scope && a.result == b.result &&
         same_operands(a.operands, b.operands) && a.type == b.type && a.name == b.name &&
         a.signature == b.signature;
}

/// Equal but for names of values and places, which are no part of the program.
inline bool same_body(const Body& a, const Body& b) {
  if (a.values.size() != b.values.size() || a.blocks.size() != b.blocks.size()) return false;
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (a.values[i].declared != b.values[i].declared) return false;
  }
  for (size_t i = 0; i < a.blocks.size(); ++i) {
    const Block &x = a.blocks[i], &y = b.blocks[i];
    if (x.parameters != y.parameters || x.handler != y.handler || x.statements.size() != y.statements.size())
      return false;
    for (size_t k = 0; k < x.statements.size(); ++k) {
      if (!same_statement(x.statements[k], y.statements[k])) return false;
    }
    const Terminator &s = x.terminator, &t = y.terminator;
    if (s.kind != t.kind || !same_operand(s.value, t.value) || s.cases != t.cases ||
        s.targets.size() != t.targets.size())
      return false;
    for (size_t k = 0; k < s.targets.size(); ++k) {
      if (s.targets[k].block != t.targets[k].block ||
          !same_operands(s.targets[k].arguments, t.targets[k].arguments))
        return false;
    }
  }
  return true;
}

inline bool same_method(const Method& a, const Method& b) {
  return a.function == b.function && a.name == b.name && a.signature == b.signature && a.result == b.result &&
         a.is_kernel == b.is_kernel && same_body(a.body, b.body);
}

/// Statements of methods in their canonical form; %0 to %3 are any.
inline constexpr const char* kStatements[] = {
    "add.i64 %0 %1",
    "add.i8.checked %0 %1",
    "sub.u16 %0 3:u16",
    "sub.i64.checked %0 %1",
    "mul.f64 %0 2.5",
    "mul.u64.checked %0 %1",
    "div.f32 %0 1e-20:f32",
    "rem.u8 %0 7:u8",
    "and.i32 %0 -1:i32",
    "or.u32 %0 %1",
    "xor.i16 %0 %1",
    "shl.i64 %0 3",
    "shr.u64 %0 %1",
    "lt.f64 %0 %1",
    "le.i64 %0 %1",
    "eq.u8 %0 %1",
    "neg.f32 %0",
    "sqrt.f64 %0",
    "abs.i64 %0",
    "min.f64 %0 %1",
    "max.i8 %0 %1",
    "fma.f64 %0 %1 %2",
    "convert.i64.f64 %0",
    "truncate.f64.u8 %0",
    "bits.f32.u32 %0",
    "not %0",
    "call f(%0, 1, \"a\\n\\x00\\\"\\\\\")",
    "call %0()",
    "call `+`(%0, %1)",
    "call.latest f(%0)",
    "invoke f(i64, any)(%0, %1)",
    "call.host sin(%0) f64",
    "call.host `a b`() nothing",
    "new Point(%0, %1)",
    "new Empty()",
    "field %0.x",
    "field %0.`odd name`",
    "set %0.value %1",
    "tuple()",
    "tuple(%0, nothing, true)",
    "item %0 1",
    "array.new f64 %0 0.0",
    "array.new array<Node | nothing> %0 nothing",
    "array.len %0",
    "array.get %0 %1",
    "array.set %0 %1 %2",
    "array.copy %0",
    "string.len %0",
    "string.byte %0 0",
    "string.slice %0 %1 %2",
    "string.concat %0 \"\"",
    "string.eq %0 %1",
    "string.of %0",
    "string.fixed %0 9",
    "print(%0, \" \", 1)",
    "print()",
    "same %0 %1",
    "spawn f(%0)",
    "spawn %0(%1)",
    "join %0",
    "is %0 Node | Point | nothing",
    "is %0 tuple<i64, any>",
    "is %0 tuple<>",
    "typeof %0",
    "assert %0 Shape | nothing",
    "assert %0 array",
    "global.get hits",
    "global.set hits %0",
    "field.atomic.acquire %0.value",
    "field.atomic.seq_cst %0.value",
    "set.atomic.release %0.value %1",
    "array.get.atomic.relaxed %0 %1",
    "array.set.atomic.seq_cst %0 %1 %2",
    "rmw.field.acq_rel %0.value %1",
    "rmw.item.seq_cst %0 %1 %2",
    "cas.field.seq_cst %0.value %1 %2",
    "cas.item.acquire %0 %1 %2 %3",
    "buffer.of %0",
    "buffer.array %0",
    "buffer.new f64 %0",
    "buffer.len %0",
    "buffer.get %0 %1",
    "buffer.set %0 %1 %2",
    "launch k(%0, 2.0) blocks 1 2 3 lanes 64 1 %1",
    "channel.new f64 %0 %1 \"out\"",
    "channel.wait_writable %0",
    "channel.publish(%0, %1, 5)",
    "channel.publish(%0)",
    "channel.wait_readable %0 %1",
    "channel.take %0",
    "channel.snap %0 %1",
    "channel.finish %0 %1",
    "channel.close %0",
    "same %0 type<f64 | nothing>",
    "same f k",
    "print(tau, 0x7ff8000000000001:f64, 0xff800000:f32, -0.0, 1e+300, 5e-324, 0.1:f32)",
    "print(-9223372036854775808, 18446744073709551615:u64, -128:i8, false)"};

/// Statements of kernels; %0 is a buffer<f64>, %1 an i64.
inline constexpr const char* kKernelStatements[] = {"lane 0",
                                                    "block 1",
                                                    "lanes 2",
                                                    "blocks 0",
                                                    "shared f32 256",
                                                    "barrier.block",
                                                    "barrier.grid",
                                                    "fault 7",
                                                    "fault %1",
                                                    "rmw.item.relaxed.device %0 %1 1.0",
                                                    "array.get.atomic.acquire.block %0 %1",
                                                    "array.set.atomic.release.device %0 %1 2.0",
                                                    "cas.item.seq_cst.block %0 %1 0.0 1.0",
                                                    "buffer.set %0 %1 2.0"};

inline constexpr const char* kDeclarations =
    "abstract Shape\n"
    "abstract Round <: Shape\n"
    "type Point <: Shape { x: f64, `odd name`: i64 | string }\n"
    "type Empty { }\n"
    "mutable type Node { next: Node | nothing, value: i64 }\n"
    "const tau: f64 = 6.283185307179586\n"
    "const origin: any = nothing\n"
    "const chosen = f\n"
    "global hits: i64 = 0\n"
    "global last: any = \"none\"\n"
    "method f(%0: i64, %1) {\n^0:\n  return %1\n}\n"
    "kernel k(%0: buffer<f64>, %1: f64) {\n^0:\n  return nothing\n}\n";

/// Every statement and terminator, canonical.
inline std::string whole_text() {
  std::string text = kDeclarations;
  text += "method all(%0, %1, %2, %3) -> string | nothing {\n^0 catch ^1:\n";
  for (const char* statement : kStatements) (text += "  ") += std::string(statement) + "\n";
  text +=
      "  br ^2(%0, 1)\n"
      "^1(%4: error):\n  %5 = field %4.text\n  return %5\n"
      "^2(%6: f64 | i64, %7):\n  %8: bool = lt.i64 %7 10\n  cond %8 ^3 ^4(%7)\n"
      "^3:\n  switch %6 [1: ^2(%6, %7), -7: ^4(5)] ^5\n"
      "^4(%9):\n  throw %9\n"
      "^5:\n  unreachable\n}\n"
      "kernel device(%0: buffer<f64>, %1: i64) {\n^0:\n";
  for (const char* statement : kKernelStatements) (text += "  ") += std::string(statement) + "\n";
  return text + "  return nothing\n}\n";
}

}  // namespace berth::inference::test
