// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench poll: the sum of 1,024 doubles in generated code that polls and keeps its array in a shadow frame,
// against LLVM code of the same loop, bounds check included, that does neither. Instructions, so the figure
// is exact; that of an empty loop is taken off both, and with it the call. The limit is 1: chunks make the
// loop itself free of the poll.
#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "berth/berth.hpp"
#include "tests/bench/count.hpp"
#include "tests/bench/harness.hpp"

namespace berth::bench {
namespace {

constexpr int64_t kNumbers = 1024;

constexpr std::string_view kProgram = R"(berth-ir 1
global numbers: array<f64> | nothing = nothing
method prepare() { ^0: %a = array.new f64 1024 1.0 global.set numbers %a return nothing }
method sum(%n: i64) -> f64 {
^0: %g = global.get numbers %a = assert %g array<f64> br ^1(0, 0.0)
^1(%i, %s): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %x = array.get %a %i %t = add.f64 %s %x %j = add.i64 %i 1 br ^1(%j, %t)
^3: return %s
}
)";

constexpr std::string_view kPlain = R"(
define double @f(ptr %a, i64 %n) {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %j, %body ]
  %s = phi double [ 0.0, %entry ], [ %t, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %check, label %done
check:
  %at = getelementptr i8, ptr %a, i64 8
  %length = load atomic i64, ptr %at unordered, align 8
  %outside = icmp uge i64 %i, %length
  br i1 %outside, label %bad, label %body
body:
  %items = getelementptr i8, ptr %a, i64 16
  %item = getelementptr double, ptr %items, i64 %i
  %x = load double, ptr %item, align 8
  %t = fadd double %s, %x
  %j = add i64 %i, 1
  br label %header
done:
  ret double %s
bad:
  ret double -1.0
}
)";

int64_t generated(berth_tier_t tier, int64_t numbers) {
  return count_instructions([&](Region& region) {
           EngineOwner engine;
           ThreadOwner thread(engine);
           berth_program_t* program = nullptr;
           check(berth_program_parse(engine.get(), kProgram.data(), kProgram.size(), "sum", &program));
           berth_program_set_tier(program, tier);
           check(berth_program_call(thread.get(), program, "prepare", nullptr, 0, nullptr));
           berth_value_t argument{BERTH_VALUE_I64, {numbers}}, result{};
           for (int i = 0; i < 3; ++i)
             check(berth_program_call(thread.get(), program, "sum", &argument, 1, &result));
           region.begin();
           check(berth_program_call(thread.get(), program, "sum", &argument, 1, &result));
           region.end();
           if (result.f != static_cast<double>(numbers)) throw std::runtime_error("another sum");
           berth_program_delete(program);
         })
      .instructions;
}

int64_t plain(berth_tier_t tier, int64_t numbers) {
  return count_instructions([&](Region& region) {
           EngineOwner engine;
           ThreadOwner thread(engine);
           static char method;
           auto reservation = thread.reserve({&method, nullptr});
           const InstanceRef instance = reservation.lease.instance();
           SourceOwner source = SourceOwner::from_ir(kPlain, "f");
           berth_source_set_tier(source.get(), tier);
           reservation.lease.release(std::move(source));
           auto* const sum = reinterpret_cast<double (*)(const void*, int64_t)>(thread.wait_entry(instance));
           struct {
             int64_t header, length;
             double items[kNumbers];
           } array{0, kNumbers, {}};
           std::fill(std::begin(array.items), std::end(array.items), 1.0);
           double result = sum(&array, numbers);
           region.begin();
           result = sum(&array, numbers);
           region.end();
           if (result != static_cast<double>(numbers)) throw std::runtime_error("another sum");
         })
      .instructions;
}

Figure figure(berth_tier_t tier, const char* name) {
  const auto ours = static_cast<double>(generated(tier, kNumbers) - generated(tier, 0));
  const auto baseline = static_cast<double>(plain(tier, kNumbers) - plain(tier, 0));
  return {name, ours, baseline, "LLVM code without polls", baseline / ours, 1 / 1.01, "instructions"};
}

}  // namespace

std::vector<Figure> poll_figures() {
  return {figure(BERTH_TIER_FAST, "gc/poll/tier:fast"),
          figure(BERTH_TIER_OPTIMIZED, "gc/poll/tier:optimized")};
}

}  // namespace berth::bench
