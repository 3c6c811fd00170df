// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ObjectCompiler: what an earlier compile leaves in the pooled machine and its pipeline is in no later
// object.
#include "jit/object_compiler.hpp"

#include <gtest/gtest.h>

#include "tests/unit/jit/host_fixture.hpp"

namespace berth::jit {
namespace {

class ObjectCompilerTier : public testing::TestWithParam<berth_tier_t> {};
INSTANTIATE_TEST_SUITE_P(Tier, ObjectCompilerTier, testing::ValuesIn(kTiers));

constexpr const char* kJumpTable = R"(
define i64 @f(i64 %x) {
  switch i64 %x, label %other [ i64 0, label %a  i64 1, label %b  i64 2, label %c  i64 3, label %d  i64 4, label %a  i64 5, label %c ]
a:
  ret i64 10
b:
  ret i64 20
c:
  ret i64 30
d:
  ret i64 40
other:
  ret i64 0
})";
constexpr const char* kConstantPool = R"(
define double @f(double %x) {
  %a = fmul double %x, 3.25
  %b = fadd double %a, 0x400921FB54442D18
  %c = fcmp olt double %b, 7.5
  %d = select i1 %c, double %b, double 1.0e-3
  ret double %d
})";
constexpr const char* kException = R"(
declare void @callee()
declare i32 @__gxx_personality_v0(...)
define i64 @f() personality ptr @__gxx_personality_v0 {
  invoke void @callee() to label %fine unwind label %pad
fine:
  ret i64 1
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
})";
constexpr const char* kThreadLocal = R"(
@t = internal thread_local global i32 7
declare ptr @llvm.threadlocal.address.p0(ptr)
define i32 @f() {
  %a = call ptr @llvm.threadlocal.address.p0(ptr @t)
  %v = load i32, ptr %a
  ret i32 %v
})";
constexpr const char* kData = R"(
@table = internal constant [4 x i64] [i64 1, i64 2, i64 3, i64 5]
@text = private unnamed_addr constant [6 x i8] c"hello\00"
@zero = internal global [64 x i8] zeroinitializer
@entry = internal global ptr @f
define i64 @f(i64 %i) {
  %m = and i64 %i, 3
  %p = getelementptr [4 x i64], ptr @table, i64 0, i64 %m
  %v = load i64, ptr %p
  %c = load i8, ptr @text
  store i8 %c, ptr @zero
  ret i64 %v
})";
constexpr const char* kBlockAddress = R"(
@targets = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
define i64 @f(i64 %x) {
  %m = and i64 %x, 1
  %p = getelementptr [2 x ptr], ptr @targets, i64 0, i64 %m
  %t = load ptr, ptr %p
  indirectbr ptr %t, [label %a, label %b]
a:
  ret i64 1
b:
  ret i64 2
})";
constexpr const char* kAssembly = R"(
define i64 @f(i64 %x) {
  %y = call i64 asm "leaq 3($1), $0", "=r,r"(i64 %x)
  ret i64 %y
})";
constexpr const char* kLines = R"(
define i64 @f(i64 %x) !dbg !4 {
  %y = add i64 %x, 5, !dbg !7
  ret i64 %y, !dbg !8
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, isOptimized: false, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, column: 3, scope: !4)
!8 = !DILocation(line: 3, column: 3, scope: !4)
)";
constexpr const char* kLoop = R"(
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i64 @f(i64 %n) {
entry:
  %p = alloca [64 x i64]
  %q = alloca [64 x i64]
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %m = and i64 %i, 63
  %a = getelementptr [64 x i64], ptr %p, i64 0, i64 %m
  %v = mul i64 %i, %n
  store i64 %v, ptr %a
  %j = add i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 512, i1 false)
  %r = load i64, ptr %q
  ret i64 %r
})";
constexpr const char* kBadAssembly =
    "define void @f() {\n  call void asm sideeffect \"bogus\", \"\"()\n  ret void\n}\n";

// J27, J30: a machine is used again and its pipeline run again, with sources of every kind in between, and
// after one that failed.
TEST_P(ObjectCompilerTier, J27_a_used_pipeline_gives_the_bytes_of_a_new_one) {
  Fixture f;
  const std::vector<std::string> texts = {kJumpTable, kConstantPool,   kException, kThreadLocal,
                                          kData,      kBlockAddress,   kAssembly,  kLines,
                                          kLoop,      number_source(3)};
  const auto object = [&](ObjectCompiler& compiler, const std::string& text) {
    const engine::CompileJob job = f.job(text, GetParam());
    const CompileRequest request{job, f.cancelled};
    auto batch = compiler.compile({&request, 1});
    EXPECT_FALSE(batch.has_error());
    CompiledBatch made = std::move(batch).assume_value();
    return made.errors.front() ? std::string() : made.unit.object;
  };
  std::vector<std::string> fresh;
  for (const std::string& text : texts) {
    ObjectCompiler compiler({});
    fresh.push_back(object(compiler, text));
    ASSERT_FALSE(fresh.back().empty()) << text;
  }
  ObjectCompiler used({});
  for (size_t after = 0; after < texts.size(); ++after) {
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(object(used, texts[after]), fresh[after]) << texts[after];
      EXPECT_TRUE(object(used, texts[i]) == fresh[i])
          << "after:" << texts[after] << "\ncompiling:" << texts[i];
    }
    EXPECT_EQ(object(used, kBadAssembly), "");
  }
  EXPECT_EQ(used.num_machines(), 1u);
}

}  // namespace
}  // namespace berth::jit
