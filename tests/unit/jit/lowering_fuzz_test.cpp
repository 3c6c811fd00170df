// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// J87: random programs give the same values, output and errors interpreted, FAST, OPTIMIZED, promoted in
// mid-run, and reloaded from the object cache. J86: no flag in the emitted IR that nothing proves. J83: each
// convention, before and after its callee has code.
#include <unistd.h>

#include <array>
#include <filesystem>

#include "jit/tier_counter.hpp"
#include "tests/unit/jit/lowering_fixture.hpp"
#include "tests/unit/jit/random_program.hpp"

namespace berth::test {
namespace {

uint64_t num_programs() { return std::getenv("BERTH_NIGHTLY") ? 100'000 : 40; }

/// What `runs` runs of main gave, one after the other: globals keep their values.
std::vector<std::string> runs_of(LoweringWorld& world, const std::string& text, berth_tier_t tier,
                                 size_t runs) {
  RunningProgram program(world, text, tier);
  std::vector<std::string> found;
  for (size_t i = 0; i < runs; ++i) found.push_back(program.run());
  EXPECT_EQ(program.num_fallbacks(), 0u) << name_of(tier) << text;
  return found;
}

uint64_t metric(LoweringWorld& world, const std::string& name) {
  const std::string text = world.engine().metrics();
  const size_t at = text.find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + name.size() + 2, nullptr, 10);
}

/// A folder that goes with it.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("berth-fuzz-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }

 private:
  const std::filesystem::path path_;
};

TEST(Jit, J87_random_programs_give_the_same_five_ways) {
  Watchdog watchdog{std::getenv("BERTH_NIGHTLY") ? std::chrono::seconds(36'000) : 115s};
  constexpr size_t kRuns = 6;      // adaptive: so that counts are used up in some
  constexpr size_t kReloaded = 8;  // of so many programs one is reloaded
  jit::first_tier_count = 200;
  const uint64_t seed = start_value(), count = num_programs();
  std::printf("%llu programs\n", static_cast<unsigned long long>(count));
  LoweringWorld plain, adaptive;
  Folder folder;
  uint64_t hits = 0;
  for (uint64_t i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const std::string text = RandomProgram(seed + i).text();
    const std::string what = ", BERTH_SEED=" + std::to_string(seed + i) + "\n" + text;
    const auto expected = runs_of(plain, text, BERTH_TIER_INTERPRET, kRuns);
    for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED})
      EXPECT_EQ(runs_of(plain, text, tier, 1).front(), expected.front()) << name_of(tier) << what;
    EXPECT_EQ(runs_of(adaptive, text, BERTH_TIER_ADAPTIVE, kRuns), expected) << "adaptive" << what;
    if (i % kReloaded != 0) continue;
    for (const bool is_warm : {false, true}) {
      LoweringWorld cached(1, folder.path());
      EXPECT_EQ(runs_of(cached, text, BERTH_TIER_OPTIMIZED, 1).front(), expected.front())
          << (is_warm ? "reloaded" : "cold") << what;
      if (is_warm) hits += metric(cached, "berth_cache_hits_total");
    }
  }
  jit::first_tier_count = jit::kTierCount;
  EXPECT_GT(hits, 0u) << "nothing was reloaded";
  EXPECT_GT(metric(adaptive, "berth_compiled_total{tier=\"optimized\"}"), 0u)
      << "nothing was promoted, seed " << seed;
}

/// Words of instructions that say what somebody must have proven. The lowering proves none of them.
TEST(Jit, J86_no_flag_in_the_emitted_ir_is_unproven) {
  Watchdog watchdog{100s};
  const uint64_t seed = start_value();
  const std::array flags{"nsw",     "nuw",      "inbounds",       "nusw",     "poison", "undef",
                         "exact",   "disjoint", "nneg",           "samesign", "fast",   "nnan",
                         "ninf",    "nsz",      "arcp",           "contract", "afn",    "reassoc",
                         "noundef", "nonnull",  "dereferenceable"};
  size_t methods = 0, instructions = 0;
  for (uint64_t i = 0; i < 6; ++i) {
    LoweringWorld world;
    RunningProgram running(world, RandomProgram(seed + i).text(), BERTH_TIER_FAST);
    auto& program = running.program();
    inference::OutermostCall outermost(world.thread(), world.engine().world(), nullptr);
    for (const char* name : {"main", "f0", "f1", "f2", "f3", "f4"}) {
      const inference::Function* function = program.function(name);
      if (!function) continue;
      for (const auto& method : program.methods().all(*function, world.engine().world())) {
        const auto emitted =
            inference::emit_code(world.thread(), program, *method, method->signature, "llvm", "");
        ASSERT_TRUE(emitted.has_value());
        ++methods;
        std::istringstream lines(emitted.value());
        for (std::string line; std::getline(lines, line);) {
          if (!line.starts_with("  ")) continue;  // declarations and metadata
          ++instructions;
          std::istringstream words(line);
          for (std::string word; words >> word;)
            EXPECT_EQ(std::ranges::find(flags, word), flags.end())
                << line << "\nin " << name << ", BERTH_SEED=" << seed + i;
        }
      }
    }
  }
  EXPECT_GT(methods, 6u);
  EXPECT_GT(instructions, 500u);
}

// The callee is recursive, so that it is called and not taken in; its caller calls it before it has code, and
// then often.
TEST(Jit, J83_each_convention_before_and_after_the_callee_has_code) {
  Watchdog watchdog{100s};
  struct Value {
    const char *type, *text;
  };
  const Value values[] = {{"i64", "-7"},
                          {"u64", "18446744073709551615:u64"},
                          {"i32", "-5:i32"},
                          {"u32", "4294967295:u32"},
                          {"i16", "-3:i16"},
                          {"u16", "65535:u16"},
                          {"i8", "-128:i8"},
                          {"u8", "255:u8"},
                          {"f64", "1.5"},
                          {"f32", "2.5:f32"},
                          {"bool", "true"},
                          {"string", "\"s\""},
                          {"nothing", "nothing"},
                          {"any", "3"},
                          {"any", "nothing"},
                          {"i64 | nothing", "9"},
                          {"f64 | string", "0.25"},
                          {"array<i64>", "%array"},
                          {"S", "%object"},
                          {"S | nothing", "nothing"}};
  std::string text =
                  "mutable type S { x: i64 }\nmethod apply(%f, %x, %y, %n) { ^0: %r = call %f(%x, %y, %n) "
                  "return %r }\n",
              main;
  size_t number = 0;
  for (const Value& a : values) {
    for (const Value& b : values) {
      if ((number++ % 9) != 0 && a.type != b.type) continue;  // every ninth pair
      const std::string name = "f" + std::to_string(number);
      text += "method " + name + "(%x: " + a.type + ", %y: " + b.type + ", %n: i64) -> " + b.type +
              " {\n^0: %z = eq.i64 %n 0 cond %z ^1 ^2\n^1: return %y\n^2: %m = sub.i64 %n 1 %r = call " +
              name + "(%x, %y, %m) return %r\n}\n";
      text += "method test_" + name +
              "() {\n^0: %array = array.new i64 2 5 %object = new S(4) br ^1(0)\n^1(%i): %c = lt.i64 %i 4 "
              "cond %c ^2 ^3\n" +
              "^2: %r = call " + name + "(" + a.text + ", " + b.text +
              ", %i) print(%r, \" \") %j = add.i64 %i 1 br ^1(%j)\n" + "^3: %s = call apply(" + name + ", " +
              a.text + ", " + b.text + ", 3) print(%s, \"\\n\") return nothing\n}\n";
      main += "  call test_" + name + "()\n";
    }
  }
  text += "method main() {\n^0:\n" + main + "  return nothing\n}\n";
  expect_same_at_every_tier(text);
}

}  // namespace
}  // namespace berth::test
