// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What host code is made for and where it lies: features left out, slabs far from and near to what they call.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <sys/mman.h>

#include <cmath>
#include <stdexcept>

#include "jit/target_tools.hpp"
#include "tests/unit/jit/host_fixture.hpp"

namespace berth::jit {
namespace {

// --- features

class Disassembler {
 public:
  Disassembler() {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeDisassembler();
    const std::string triple = HostTarget::detect().assume_value().triple.str();
    disassembler_ = LLVMCreateDisasm(triple.c_str(), nullptr, 0, nullptr, nullptr);
  }
  ~Disassembler() { LLVMDisasmDispose(disassembler_); }
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  std::vector<std::string> instructions(const engine::Code& code) {
    std::vector<std::string> all;
    auto* at = static_cast<uint8_t*>(code.entry);
    auto* const end = static_cast<uint8_t*>(const_cast<void*>(code.high));
    while (at < end) {
      char text[200];
      const size_t n = LLVMDisasmInstruction(disassembler_, at, static_cast<uint64_t>(end - at),
                                             reinterpret_cast<uint64_t>(at), text, sizeof text);
      if (n == 0) break;
      const std::string line = text;
      all.push_back(line.substr(line.find_first_not_of(" \t")));
      at += n;
    }
    return all;
  }

 private:
  LLVMDisasmContextRef disassembler_;
};

// One function each, so that nothing but code follows the entry.
constexpr const char* kFloats[] = {
    "define float @f(float %x, float %y) {\n  %z = fmul float %x, %y\n  ret float %z\n}\n",
    "define float @f(float %x, float %y) \"target-cpu\"=\"skylake-avx512\" {\n  %z = fmul float %x, %y\n  "
    "ret float %z\n}\n",
    "define float @f(float %x, float %y) \"target-features\"=\"+sse2\" {\n  %z = fmul float %x, %y\n  ret "
    "float %z\n}\n",
    "define float @f(float %x, float %y) \"target-cpu\"=\"x86-64-v4\" \"target-features\"=\"+sse4.2\" {\n  "
    "%z = fmul float %x, %y\n  ret float %z\n}\n",
    "define void @f(ptr %a, ptr %b, i64 %n) {\nentry:\n  br label %loop\nloop:\n  %i = phi i64 [ 0, %entry "
    "], [ %k, %loop ]\n  %p = getelementptr float, ptr %a, i64 %i\n"
    "  %q = getelementptr float, ptr %b, i64 %i\n  %x = load float, ptr %p\n  %y = load float, ptr %q\n  %z "
    "= fmul float %x, %y\n  store float %z, ptr %p\n  %k = add i64 %i, 1\n"
    "  %m = icmp slt i64 %k, %n\n  br i1 %m, label %loop, label %end\nend:\n  ret void\n}\n",
    "define void @f(ptr %p) {\n  %x = load <16 x float>, ptr %p\n  %y = fadd <16 x float> %x, %x\n  store "
    "<16 x float> %y, ptr %p\n  ret void\n}\n",
    "define void @f(ptr %p, ptr %q) {\n  %x = load [64 x i8], ptr %p\n  store [64 x i8] %x, ptr %q\n  ret "
    "void\n}\n"};

// VEX and EVEX encodings are the only ones whose mnemonics begin with v, but for these of the base.
size_t count_avx(const std::vector<std::string>& instructions) {
  size_t n = 0;
  for (const std::string& instruction : instructions) {
    n += instruction.starts_with("v") && !instruction.starts_with("verr") && !instruction.starts_with("verw");
    n += instruction.find("%ymm") != std::string::npos || instruction.find("%zmm") != std::string::npos;
  }
  return n;
}

TEST(Jit, J80_a_feature_left_out_is_in_no_code) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx")) GTEST_SKIP() << "needs a host with AVX, to leave it out";
  Disassembler disassembler;
  for (const bool left_out : {false, true}) {
    HostBackend::Options options;
    if (left_out) options.target.features = "-avx";
    Fixture f(std::move(options));
    size_t found = 0;
    for (const char* source : kFloats) {
      for (const berth_tier_t tier : kTiers) {
        const auto code = f.compile(source, tier);
        ASSERT_FALSE(code.has_error()) << code.assume_error().message();
        const auto instructions = disassembler.instructions(*code.assume_value());
        ASSERT_GT(instructions.size(), 2u);
        const size_t n = count_avx(instructions);
        found += n;
        if (left_out) { EXPECT_EQ(n, 0u) << source; }
      }
    }
    if (!left_out) { EXPECT_GE(found, std::size(kFloats)); }
  }
#endif
}

TEST(Jit, J80_a_source_may_not_ask_for_a_feature_left_out) {
#if defined(__x86_64__)
  HostBackend::Options options;
  options.target.features = "-popcnt,-avx";
  Fixture f(std::move(options));
  const auto code = f.compile("define void @f() \"target-features\"=\"+avx2\" {\n  ret void\n}\n");
  ASSERT_TRUE(code.has_error());
  EXPECT_EQ(code.assume_error().code(), BERTH_UNSUPPORTED);
  EXPECT_NE(code.assume_error().message().find("'+avx2' is not one of this host's CPU"), std::string::npos)
      << code.assume_error().message();
  const auto count = f.callable<int(int)>(
      "declare i32 @llvm.ctpop.i32(i32)\ndefine i32 @f(i32 %x) {\n  %y = call i32 @llvm.ctpop.i32(i32 %x)\n  "
      "ret i32 %y\n}\n");
  EXPECT_EQ(count(0xff0f), 12);
#endif
}

TEST(Jit, J80_what_needs_a_feature_goes_with_it) {
#if defined(__x86_64__)
  const HostTarget host = HostTarget::detect({"", "", "-avx"}).assume_value();
  for (const char* name : {"avx", "avx2", "avx512f", "avx512bw", "fma", "f16c", "vaes"}) {
    EXPECT_FALSE(host.feature_map.count(name)) << name;
    EXPECT_EQ(host.features.find(std::string("+") + name), std::string::npos) << name;
  }
  EXPECT_TRUE(host.feature_map.count("sse2"));
#endif
}

TEST(Jit, J80_the_host_is_found_out_once_and_a_choice_is_not_taken_for_it) {
  const auto detect = [](engine::TargetChoice choice) { return HostTarget::detect(choice).assume_value(); };
  const HostTarget host = detect({});
  EXPECT_EQ(host.subtarget, detect({}).subtarget);
  const HostTarget chosen = detect({host.triple.str(), "", ""});
  EXPECT_NE(host.subtarget, chosen.subtarget);
  EXPECT_EQ(host.features, chosen.features);
  EXPECT_EQ(host.cpu, chosen.cpu);
  EXPECT_EQ(host.layout, chosen.layout);
#if defined(__x86_64__)
  EXPECT_NE(host.features, detect({"", "", "-sse4.2"}).features);
  EXPECT_EQ(host.features, detect({}).features);
#endif
}

TEST(Jit, J80_targets_that_do_not_run_here_are_refused) {
  const auto refused = [](engine::TargetChoice choice) {
    const auto target = HostTarget::detect(choice);
    return target.has_error() ? std::pair(target.assume_error().code(), target.assume_error().message())
                              : std::pair(BERTH_OK, std::string());
  };
  EXPECT_EQ(refused({"riscv64-unknown-linux-gnu", "", ""}).first, BERTH_UNSUPPORTED);
  EXPECT_EQ(refused({"", "zork", ""}).first, BERTH_INVALID_ARGUMENT);
  EXPECT_NE(refused({"", "zork", ""}).second.find("unknown CPU 'zork'"), std::string::npos);
  EXPECT_EQ(refused({"", "", "+zork"}).first, BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(refused({"", "", "sse2"}).first, BERTH_INVALID_ARGUMENT);
#if defined(__x86_64__)
  EXPECT_EQ(refused({"x86_64-pc-linux-gnu", "x86-64", "+sse3"}).first, BERTH_OK);
  const auto lacks = refused({"", "", "+xop"});  // of one family of CPUs only
  if (!__builtin_cpu_supports("xop")) {
    EXPECT_EQ(lacks.first, BERTH_UNSUPPORTED);
    EXPECT_NE(lacks.second.find("which this host has not"), std::string::npos) << lacks.second;
  }
#endif
}

// --- places

uintptr_t wanted_place = 0;

void* mmap_at_place(void* address, size_t length, int protection, int flags, int fd, long offset) {
  if (address || wanted_place == 0 || protection != PROT_NONE)
    return mmap(address, length, protection, flags, fd, offset);
  return mmap(reinterpret_cast<void*>(wanted_place), length, protection, flags | MAP_FIXED_NOREPLACE, fd,
              offset);
}

int64_t host_data = 1000;
int64_t host_function(int64_t x) { return x + host_data; }
void host_raise(int64_t x) { throw std::runtime_error(std::to_string(x)); }

/// A free place of 4 MiB at least `distance` from `from`, upwards.
uintptr_t free_place(uintptr_t from, uintptr_t distance) {
  constexpr size_t kBytes = size_t{4} << 20;
  for (uintptr_t place = (from + distance) & ~(kBytes - 1); place < (uintptr_t{1} << 47); place += kBytes) {
    void* const found = mmap(reinterpret_cast<void*>(place), kBytes, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (found == MAP_FAILED) continue;
    munmap(found, kBytes);
    return place;
  }
  return 0;
}

class JitPlaces : public testing::TestWithParam<berth_tier_t> {};
INSTANTIATE_TEST_SUITE_P(Tier, JitPlaces, testing::ValuesIn(kTiers));

// Each unit fills a slab, each slab is placed by the test: near the host's code, 3 GiB from it, at both ends
// of the address space. One begins at a multiple of 4 GiB, where libgcc sees no function.
TEST_P(JitPlaces, J64_code_reaches_code_and_host_wherever_slabs_lie) {
  const auto host = reinterpret_cast<uintptr_t>(&host_function);
  const auto library = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "sin"));
  constexpr uintptr_t kMultiple = 0x180000000000;
  struct Wanted {
    uintptr_t from;
    size_t distance;
  };
  const Wanted places[] = {{host, size_t{16} << 20},
                           {host, size_t{3} << 30},
                           {uintptr_t{64} << 20, 0},
                           {kMultiple, 0},
                           {std::max(library, uintptr_t{256} << 20) - (uintptr_t{256} << 20), 0}};
  HostBackend::Options options;
  options.system.mmap = &mmap_at_place;
  options.slab_bytes = size_t{2} << 20;
  Fixture f(std::move(options));
  ASSERT_FALSE(f.backend.define_symbol("host_function", reinterpret_cast<void*>(&host_function)).has_error());
  ASSERT_FALSE(f.backend.define_symbol("host_data", &host_data).has_error());
  ASSERT_FALSE(f.backend.define_symbol("host_raise", reinterpret_cast<void*>(&host_raise)).has_error());
  CodeInstance* previous = nullptr;
  double (*last)(int64_t) = nullptr;
  size_t used = 0;
  bool had_multiple = false;
  double expected = 0;
  for (const Wanted& wanted : places) {
    const uintptr_t place = wanted.from ? free_place(wanted.from, wanted.distance) : 0;
    if (place == 0) continue;
    wanted_place = place;
    auto job = f.job(
        "@big = internal global [300000 x i8] zeroinitializer\n@t = thread_local global i64 7\n@host_data = "
        "external global i64\ndeclare i64 @host_function(i64)\ndeclare void @host_raise(i64)\n"
        "declare double @sin(double)\ndeclare double @previous(i64)\ndeclare ptr "
        "@llvm.threadlocal.address.p0(ptr)\n"
        "define double @f(i64 %x) {\nentry:\n  %c = icmp slt i64 %x, 0\n  br i1 %c, label %raise, label "
        "%go\nraise:\n  call void @host_raise(i64 %x)\n  unreachable\ngo:\n"
        "  %h = call i64 @host_function(i64 %x)\n  %d = load i64, ptr @host_data\n  %a = call ptr "
        "@llvm.threadlocal.address.p0(ptr @t)\n  %t = load i64, ptr %a\n  %q = getelementptr i8, ptr @big, "
        "i64 %x\n  store volatile i8 1, ptr %q\n"
        "  %s1 = add i64 %h, %d\n  %s2 = add i64 %s1, %t\n  %r = sitofp i64 %s2 to double\n  %s = call "
        "double @sin(double 0.5)\n  %v = fadd double %r, %s\n" +
            std::string(previous ? "  %w = call double @previous(i64 %x)\n"
                                 : "  %w = fadd double 0.0, 0.0\n") +
            "  %z = fadd double %v, %w\n  ret double %z\n}\n",
        GetParam());
    if (previous) job.source->edges.push_back({previous, "previous"});
    const auto code = f.compile(job);
    ASSERT_FALSE(code.has_error()) << std::hex << place << ": " << code.assume_error().message();
    const auto at = reinterpret_cast<uintptr_t>(code.assume_value()->entry);
    EXPECT_TRUE(at >= place && at < place + (size_t{4} << 20)) << std::hex << at << " is not at " << place;
    previous = job.instance.get();
    previous->code.store(code.assume_value(), std::memory_order_release);
    last = reinterpret_cast<double (*)(int64_t)>(code.assume_value()->entry);
    expected += 5 + 1000 + 1000 + 7 + std::sin(0.5);
    EXPECT_DOUBLE_EQ(last(5), expected);
    EXPECT_THROW(last(-1), std::runtime_error);
    had_multiple |= place == kMultiple;
    ++used;
  }
  wanted_place = 0;
  EXPECT_GE(used, 4u);
  EXPECT_TRUE(had_multiple);
}

}  // namespace
}  // namespace berth::jit
