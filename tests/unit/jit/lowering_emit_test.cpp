// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What methods and kernels become, as text: polls, frames, calls; neutral kernel IR; PTX.
#include <algorithm>

#include "tests/unit/jit/lowering_fixture.hpp"

namespace berth::test {
namespace {

size_t count(const std::string& text, const std::string& word) {
  size_t n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

class Emitted {
 public:
  explicit Emitted(const std::string& text) : program_(world_, text, BERTH_TIER_FAST) {}

  Result<std::string> emit(const std::string& name, const std::string& form, const std::string& cpu = "") {
    auto& program = program_.program();
    inference::OutermostCall outermost(world_.thread(), world_.engine().world(), nullptr);
    const auto methods = program.methods().all(*program.function(name), world_.engine().world());
    return inference::emit_code(world_.thread(), program, *methods.at(0), methods.at(0)->signature, form,
                                cpu);
  }
  std::string text(const std::string& name, const std::string& form, const std::string& cpu = "") {
    auto emitted = emit(name, form, cpu);
    if (emitted.has_error()) {
      ADD_FAILURE() << emitted.assume_error().message();
      return {};
    }
    return emitted.assume_value();
  }

 private:
  LoweringWorld world_;
  RunningProgram program_;
};

const char* const kMethods = R"(
method leaf(%a: i64, %b: i64) { ^0: %c = add.i64 %a %b %d = mul.i64 %c %c return %d }
method loop(%n: i64) {
^0: br ^1(0, 0)
^1(%i, %s):
  %c = lt.i64 %i %n
  cond %c ^2 ^3
^2: %t = add.i64 %s %i %j = add.i64 %i 1 br ^1(%j, %t)
^3: return %s
}
method recursive(%n: i64) { ^0: %c = lt.i64 %n 1 cond %c ^1 ^2 ^1: return 0 ^2: %m = sub.i64 %n 1 %r = call recursive(%m) return %r }
method first(%a: array<f64>) { ^0: %x = array.get %a 0 return %x }
)";

TEST(Jit, J86_leaf_methods_have_no_poll_no_frame_no_call) {
  Watchdog watchdog{60s};
  Emitted emitted(kMethods);
  const std::string text = emitted.text("leaf", "llvm");
  EXPECT_NE(text.find("define fastcc { i64, i8 } @\"leaf(i64, i64)\"(ptr %thread, i64 %0, i64 %1)"),
            std::string::npos)
      << text;
  EXPECT_EQ(count(text, "berth_rt_"), 0u) << text;
  EXPECT_EQ(count(text, "monotonic"), 0u) << text;
}

TEST(Jit, G12_loops_and_recursion_poll) {
  Watchdog watchdog{60s};
  Emitted emitted(kMethods);
  const std::string loop = emitted.text("loop", "llvm");
  EXPECT_EQ(count(loop, "load atomic i32"), 1u) << loop;
  EXPECT_EQ(count(loop, "call void @berth_rt_poll"), 1u) << loop;
  const std::string recursive = emitted.text("recursive", "llvm");
  EXPECT_EQ(count(recursive, "call void @berth_rt_poll"), 1u) << recursive;
  EXPECT_EQ(count(recursive, "call void @berth_rt_stack_overflow"), 1u) << recursive;
  EXPECT_GE(count(recursive, "call fastcc { i64, i8 } @\"recursive(i64)\""), 1u) << recursive;
}

TEST(Jit, J86_optimised_code_takes_in_levels_of_a_recursion) {
  Watchdog watchdog{60s};
  Emitted emitted(kMethods);
  const std::string recursive = emitted.text("recursive", "llvm");
  EXPECT_GE(count(recursive, "icmp slt i64"), 4u) << recursive;
  EXPECT_EQ(count(recursive, "call fastcc { i64, i8 } @\"recursive(i64)\""), 2u)
      << recursive;  // and from the boxed entry
}

// What returns before anything can collect or recur does so without a frame, and without a poll.
TEST(Jit, J86_frames_begin_behind_the_base_case) {
  Watchdog watchdog{60s};
  Emitted emitted(kMethods);
  const std::string text = emitted.text("recursive", "llvm");
  const size_t first = text.find("icmp slt i64"), poll = text.find("load atomic i32");
  EXPECT_LT(first, poll) << text;
#if defined(__x86_64__)
  const std::string assembly = emitted.text("recursive", "asm");
  EXPECT_LT(assembly.find("retq"), assembly.find("pushq")) << assembly;
#endif
}

// A counter that starts at 0 is compared as unsigned, so that LLVM knows its sign; between literals there is
// one chunk.
TEST(Jit, J86_counters_from_literals_are_never_negative) {
  Watchdog watchdog{60s};
  Emitted emitted(R"(
method some(%n: i64) {
^0: br ^1(0, 0)
^1(%i, %s): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %r = rem.i64 %i 10 %t = add.i64 %s %r %j = add.i64 %i 1 br ^1(%j, %t)
^3: return %s
}
method ten(%a: array<i64>) {
^0: br ^1(0, 0)
^1(%i, %s): %c = lt.i64 %i 100 cond %c ^2 ^3
^2: %k = add.i64 %i 7 %r = rem.i64 %k 10 %x = array.get %a %r %t = add.i64 %s %x %j = add.i64 %i 1 br ^1(%j, %t)
^3: return %s
}
)");
  const std::string some = emitted.text("some", "llvm");
  EXPECT_EQ(count(some, "icmp ult i64"), 1u) << some;
  const std::string ten = emitted.text("ten", "llvm");
  EXPECT_EQ(count(ten, "sadd.sat"), 0u) << ten;
  EXPECT_EQ(count(ten, "br i1 false, label %raise"), 1u) << ten;  // the index is at most 9
}

// The inner loop is most of a chunk: the outer one has no copy without polls, and polls behind its body.
TEST(Jit, G12_loops_without_calls_poll_on_the_edge_back) {
  Watchdog watchdog{60s};
  Emitted emitted(R"(
method outer(%n: i64, %a: array<i64>) {
^0: br ^1(0, 0)
^1(%i, %s): %c = lt.i64 %i %n cond %c ^2 ^7
^2: %r = rem.i64 %i 600 %z = eq.i64 %r 0 cond %z ^3 ^6
^3: br ^4(0)
^4(%j): %d = lt.i64 %j 3000 cond %d ^5 ^6
^5: array.set %a %j %i %k = add.i64 %j 1 br ^4(%k)
^6: %m = mul.i64 %i 77 %t = xor.i64 %s %m %l = add.i64 %i 1 br ^1(%l, %t)
^7: return %s
}
)");
  const std::string text = emitted.text("outer", "llvm");
  EXPECT_LT(text.find(", 77"), text.find("load atomic i32")) << text;
  EXPECT_EQ(count(text, "load atomic i32"), 2u)
      << text;  // and where the inner loop would go on with a second chunk
}

TEST(Jit, G12_chunked_loops_poll_between_chunks_and_are_vectorised) {
  Watchdog watchdog{60s};
  Emitted emitted(R"(
method scale(%a: array<f64>, %f: f64) {
^0: %n = array.len %a br ^1(0)
^1(%i): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %x = array.get %a %i %y = mul.f64 %x %f array.set %a %i %y %j = add.i64 %i 1 br ^1(%j)
^3: return nothing
}
)");
  const std::string text = emitted.text("scale", "llvm");
  EXPECT_EQ(count(text, "load atomic i32"), 1u) << text;
  EXPECT_EQ(count(text, "@llvm.sadd.sat.i64(i64"), 2u) << text;  // a call and the declaration
#if defined(__x86_64__)
  const std::string assembly = emitted.text("scale", "asm");
  EXPECT_NE(assembly.find("mulpd"), std::string::npos) << assembly;
#endif
}

// Neither length is known to reach the end: a test before each chunk stands for the checks of both.
TEST(Jit, J86_checks_proven_before_a_chunk_leave_the_loop_and_it_is_vectorised) {
  Watchdog watchdog{60s};
  Emitted emitted(R"(
method move(%a: array<f64>, %b: array<f64>, %n: i64, %f: f64, %at: i64) {
^0: br ^1(0)
^1(%i): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %x = array.get %a %i %y = mul.f64 %x %f %k = add.i64 %i %at array.set %b %k %y %j = add.i64 %i 1 br ^1(%j)
^3: return nothing
}
)");
  const std::string text = emitted.text("move", "llvm");
  EXPECT_EQ(count(text, "br i1 false, label %raise"), 2u) << text;
#if defined(__x86_64__)
  const std::string assembly = emitted.text("move", "asm");
  EXPECT_NE(assembly.find("mulpd"), std::string::npos) << assembly;
#endif
}

// A byte as an index, and two indices that a test keeps between their first values: no check is left in the
// copy.
TEST(Jit, J86_checks_of_bounded_and_enclosed_indices_leave_the_loop) {
  Watchdog watchdog{60s};
  Emitted emitted(R"(
method count(%a: array<u8>, %b: array<i64>) {
^0: %n = array.len %a br ^1(0)
^1(%i): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %x = array.get %a %i %k = convert.u8.i64 %x %y = array.get %b %k %z = add.i64 %y 1 array.set %b %k %z %j = add.i64 %i 1 br ^1(%j)
^3: return nothing
}
method reverse(%a: array<i64>, %low: i64, %high: i64) {
^0: br ^1(%low, %high)
^1(%i, %k): %c = lt.i64 %i %k cond %c ^2 ^3
^2: %x = array.get %a %i %y = array.get %a %k array.set %a %i %y array.set %a %k %x %j = add.i64 %i 1 %l = sub.i64 %k 1 br ^1(%j, %l)
^3: return nothing
}
)");
  const std::string bounded = emitted.text("count", "llvm");
  EXPECT_EQ(count(bounded, "br i1 false, label %raise"), 3u) << bounded;
  const std::string enclosed = emitted.text("reverse", "llvm");
  EXPECT_EQ(count(enclosed, "br i1 false, label %raise"), 4u) << enclosed;
  EXPECT_EQ(count(enclosed, "load atomic i32"), 1u) << enclosed;  // the poll, between chunks
}

// Neighbouring fields that hold f64 are one vector, as a compiler of C++ has it; those that hold i64 may be
// indices, and are not touched.
TEST(Jit, J86_fields_are_unordered_and_those_of_f64_are_packed) {
  Watchdog watchdog{60s};
  Emitted emitted(R"(
mutable type Point { x: f64, y: f64 }
mutable type Pair { x: i64, y: i64 }
method move(%p: Point, %f: f64) {
^0: %x = field %p .x %y = field %p .y %u = mul.f64 %x %f %v = mul.f64 %y %f set %p .x %u set %p .y %v return nothing
}
method both(%p: Pair, %f: i64) {
^0: %x = field %p .x %y = field %p .y %u = xor.i64 %x %f %v = xor.i64 %y %f set %p .x %u set %p .y %v return nothing
}
)");
  for (const char* name : {"move", "both"}) {
    const std::string text = emitted.text(name, "llvm");
    EXPECT_EQ(count(text, "load atomic i64") + count(text, "store atomic i64"), 4u) << text;
  }
#if defined(__x86_64__)
  EXPECT_NE(emitted.text("move", "asm").find("mulpd"), std::string::npos);
  const std::string assembly = emitted.text("both", "asm");
  EXPECT_EQ(assembly.find("xmm"), std::string::npos) << assembly;
#endif
}

TEST(Jit, J86_bounds_check_raises_in_the_cold) {
  Watchdog watchdog{60s};
  Emitted emitted(kMethods);
  const std::string text = emitted.text("first", "llvm");
  EXPECT_EQ(count(text, "call i8 @berth_rt_execute"), 1u) << text;
  EXPECT_EQ(count(text, "icmp uge i64 0"), 1u) << text;
}

TEST(Jit, J86_fields_of_what_may_be_nothing_are_read_in_line) {
  Watchdog watchdog{60s};
  Emitted emitted(R"(
mutable type Node { next: Node | nothing, value: i64 }
method second(%n: Node | nothing) { ^0: %m = field %n.next %v = field %m.value %w = add.i64 %v 1 %s = set %m.value %w return %v }
)");
  const std::string text = emitted.text("second", "llvm");
  EXPECT_EQ(count(text, "call i8 @berth_rt_execute"), 3u) << text;  // where it raises
  EXPECT_EQ(count(text, "icmp eq ptr"), 3u) << text;
  EXPECT_EQ(count(text, "atomic i64"), 2u) << text;
}

TEST(Jit, J86_assembly_of_a_method) {
  Watchdog watchdog{60s};
  Emitted emitted(kMethods);
  const std::string text = emitted.text("loop", "asm");
  EXPECT_NE(text.find("berth_rt_poll"), std::string::npos) << text;
  EXPECT_EQ(emitted.emit("loop", "ptx").assume_error().code(), BERTH_UNSUPPORTED);
  EXPECT_EQ(emitted.emit("loop", "asm", "nocona").assume_error().code(), BERTH_UNSUPPORTED);
}

const char* const kKernels = R"(
method twice(%x: f64) { ^0: %y = add.f64 %x %x return %y }
kernel scale(%x: buffer<f64>, %f: f64, %on: bool, %k: i32) {
^0:
  %b = block 0
  %n = lanes 0
  %l = lane 0
  %s = mul.i64 %b %n
  %i = add.i64 %s %l
  %len = buffer.len %x
  %c = lt.i64 %i %len
  cond %c ^1 ^2
^1:
  %v = buffer.get %x %i
  %w = mul.f64 %v %f
  %t = call twice(%w)
  buffer.set %x %i %t
  br ^2
^2: return nothing
}
kernel steps(%x: buffer<i64>, %n: i64) {
^0: %s = shared i64 64 %l = lane 0 br ^1(0)
^1(%i):
  %c = lt.i64 %i %n
  cond %c ^2 ^3
^2:
  %v = buffer.get %x %l
  buffer.set %s %l %v
  barrier.block
  %w = buffer.get %s 0
  %q = div.i64 %w %n
  %old = rmw.item.seq_cst %x %l %q
  %o2 = rmw.item.acq_rel.device %x %l 1
  barrier.grid
  %j = add.i64 %i 1
  br ^1(%j)
^3: return nothing
}
)";

TEST(Device, ABI_neutral_kernel_ir) {
  Watchdog watchdog{60s};
  Emitted emitted(kKernels);
  const std::string scale = emitted.text("scale", "llvm");
  EXPECT_NE(scale.find("define void @scale(ptr addrspace(1) %0, i64 %1, double %2, i32 %3, i32 %4)"),
            std::string::npos)
      << scale;
  EXPECT_EQ(count(scale, "call i32 @berth_lane_id(i32 0)"), 1u) << scale;
  EXPECT_GE(count(scale, "call void @berth_fault(i32 -1)"), 1u) << scale;
  EXPECT_EQ(scale.find("berth_rt_"), std::string::npos) << scale;
  const std::string steps = emitted.text("steps", "llvm");
  EXPECT_EQ(count(steps, "call void @berth_grid_barrier()"), 1u) << steps;
  EXPECT_EQ(count(steps, "call void @berth_block_barrier()"), 1u) << steps;
  EXPECT_NE(steps.find("internal addrspace(3) global [64 x i64]"), std::string::npos) << steps;
  EXPECT_NE(steps.find("syncscope(\"device\") acq_rel"), std::string::npos) << steps;
}

TEST(Device, GEN_1_ptx_text) {
  Watchdog watchdog{60s};
  Emitted emitted(kKernels);
  const std::string scale = emitted.text("scale", "ptx");
  EXPECT_NE(scale.find(".target sm_75"), std::string::npos) << scale;
  EXPECT_NE(scale.find(".entry scale("), std::string::npos) << scale;
  const std::string steps = emitted.text("steps", "ptx", "sm_90");
  EXPECT_NE(steps.find(".target sm_90"), std::string::npos) << steps;
  EXPECT_EQ(count(steps, "bar.sync") + count(steps, "barrier.sync"), 3u)
      << steps;  // two of the grid's, one of the block's
  EXPECT_GE(count(steps, "fence.acq_rel.gpu"), 2u) << steps;
  EXPECT_GE(count(steps, "ld.acquire.gpu"), 1u) << steps;
  EXPECT_EQ(count(steps, "st.release.gpu"), 1u) << steps;
  EXPECT_EQ(emitted.emit("scale", "ptx", "sm_1").assume_error().code(), BERTH_UNSUPPORTED);
  EXPECT_EQ(emitted.emit("scale", "amdgcn").assume_error().code(), BERTH_UNSUPPORTED);
}

TEST(Device, GEN_5_kernels_refuse_what_they_cannot_have) {
  Watchdog watchdog{60s};
  Emitted emitted(R"(
method f(%x) { ^0: return %x }
method f(%x: i64) { ^0: return nothing }
kernel unknown(%x: buffer<f64>) { ^0: %v = buffer.get %x 0 %w = call missing(%v) return nothing }
)");
  const auto refused = emitted.emit("unknown", "llvm");
  ASSERT_TRUE(refused.has_error());
  EXPECT_NE(refused.assume_error().message().find("missing"), std::string::npos)
      << refused.assume_error().message();
}

}  // namespace
}  // namespace berth::test
