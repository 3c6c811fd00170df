// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// J86: every statement on numbers, at boundary values: the interpreter's result, error and text at each tier.
#include <limits>
#include <tuple>

#include "inference/operations.hpp"
#include "tests/unit/jit/lowering_fixture.hpp"

namespace berth::test {
namespace {

using inference::Op;

constexpr LeafKind kNumbers[] = {LeafKind::Bool, LeafKind::I8,  LeafKind::I16, LeafKind::I32,
                                 LeafKind::I64,  LeafKind::U8,  LeafKind::U16, LeafKind::U32,
                                 LeafKind::U64,  LeafKind::F32, LeafKind::F64};

unsigned width_of(LeafKind kind) { return kind == LeafKind::Bool ? 1 : inference::bytes_of(kind) * 8; }

std::vector<double> boundary_floats() {
  std::vector<double> values{0.0,
                             -0.0,
                             0.5,
                             -0.5,
                             1.0,
                             -1.0,
                             1.5,
                             -1.5,
                             1e300,
                             -1e300,
                             1e-310,
                             3.14159,
                             std::nan(""),
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()};
  for (const int exponent : {7, 8, 15, 16, 24, 31, 32, 53, 63, 64}) {
    const double power = std::ldexp(1.0, exponent);
    for (const double value : {power, power - 1, power + 1, std::nextafter(power, 0.0)}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  return values;
}

std::vector<Value> boundary_values(LeafKind kind) {
  std::vector<Value> values;
  if (kind == LeafKind::F64) {
    for (const double value : boundary_floats()) values.push_back(Value::f64(value));
  } else if (kind == LeafKind::F32) {
    for (const double value : boundary_floats())
      values.push_back(Value::of_bits(kind, std::bit_cast<uint32_t>(static_cast<float>(value))));
  } else if (kind == LeafKind::Bool) {
    return {Value::boolean(false), Value::boolean(true)};
  } else {
    const unsigned width = width_of(kind);
    const uint64_t top = uint64_t{1} << (width - 1);
    for (const uint64_t bits :
         {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{7}, uint64_t{width - 1}, uint64_t{width}, top - 1,
          top, top + 1, ~uint64_t{0}, ~uint64_t{1}, uint64_t{0x5555'5555'5555'5555}}) {
      const unsigned shift = 64 - width;
      const uint64_t extended = inference::is_signed(kind)
                                    ? static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift)
                                    : (bits << shift) >> shift;
      values.push_back(Value::of_bits(kind, extended));
    }
  }
  return values;
}

struct Case {
  std::string name, text;
  std::vector<std::vector<Value>> arguments;
};

Case case_of(const std::string& operation, LeafKind kind, unsigned operands) {
  Case result;
  result.name = operation;
  for (char& letter : result.name)
    if (letter == '.') letter = '_';
  result.name = "f_" + result.name;
  const std::string type = inference::name_of(kind);
  std::string parameters, uses;
  for (unsigned i = 0; i < operands; ++i) {
    const std::string value = std::string("%") + static_cast<char>('a' + i);
    parameters += (i ? ", " : "") + value + ": " + type;
    uses += " " + value;
  }
  result.text = "method " + result.name + "(" + parameters + ") {\n^0:\n  %r = " + operation + uses +
                "\n  return %r\n}\n";
  const auto values = boundary_values(kind);
  for (size_t i = 0; i < values.size(); ++i) {
    if (operands == 1) result.arguments.push_back({values[i]});
    for (size_t j = 0; operands > 1 && j < values.size(); ++j) {
      if (operands == 2) result.arguments.push_back({values[i], values[j]});
      if (operands == 3) result.arguments.push_back({values[i], values[j], values[(i + j) % values.size()]});
    }
  }
  return result;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const LeafKind kind : kNumbers) {
    const std::string suffix = std::string(".") + inference::name_of(kind);
    for (Op op = Op::Add; op < Op::Convert; op = static_cast<Op>(static_cast<int>(op) + 1)) {
      if (!inference::is_legal_number(op, kind)) continue;
      const auto operands = static_cast<unsigned>(inference::row_of(op).operands);
      cases.push_back(case_of(inference::text_of(op) + suffix, kind, operands));
      if (inference::can_be_checked(op, kind))
        cases.push_back(case_of(inference::text_of(op) + suffix + ".checked", kind, operands));
    }
    for (const Op op : {Op::Convert, Op::Truncate, Op::Bits})
      for (const LeafKind to : kNumbers)
        if (inference::is_legal_conversion(op, kind, to))
          cases.push_back(case_of(inference::text_of(op) + suffix + "." + inference::name_of(to), kind, 1));
  }
  cases.push_back(case_of("not", LeafKind::Bool, 1));
  return cases;
}

TEST(Jit, J86_numbers_at_boundary_values) {
  Watchdog watchdog{100s};
  LoweringWorld world;
  const auto cases = all_cases();
  ASSERT_GT(cases.size(), 200u);
  std::string text;
  for (const Case& item : cases) text += item.text;
  RunningProgram oracle(world, text, BERTH_TIER_INTERPRET);
  for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED}) {
    RunningProgram compiled(world, text, tier);
    size_t differing = 0;
    for (const Case& item : cases) {
      for (const auto& arguments : item.arguments) {
        const std::string expected = oracle.call(item.name, arguments),
                          found = compiled.call(item.name, arguments);
        if (expected == found) continue;
        std::string shown;
        for (const Value& value : arguments) shown += " " + std::to_string(value.bits);
        ADD_FAILURE() << name_of(tier) << " " << item.name << shown << ": " << found << ", interpreted "
                      << expected;
        if (++differing > 20) return;
      }
    }
    EXPECT_EQ(compiled.num_fallbacks(), 0u);
  }
}

}  // namespace
}  // namespace berth::test
