// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "JIT", section 7: what one engine compiled the next one loads, and nothing that happens to
// the files is seen but as time.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <random>
#include <set>

#include "berth/berth.hpp"
#include "jit/host_backend.hpp"
#include "jit/llvm_body.hpp"
#include "jit/target_tools.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/watchdog.hpp"

namespace berth {
namespace {

using namespace std::chrono_literals;
using test::TemporaryDirectory;
using test::Watchdog;
using Number = int64_t(int64_t);

std::string number_source(size_t n) {
  return "define i64 @f(i64 %x) {\n  %y = add i64 %x, " + std::to_string(n) + "\n  ret i64 %y\n}\n";
}

struct Owner {
  std::string token;
};
constexpr berth_key_traits_t kTraits{sizeof(berth_key_traits_t), nullptr, nullptr, nullptr,
                                     [](void*, const void* owner, void* bytes, size_t capacity) {
                                       const std::string& token = static_cast<const Owner*>(owner)->token;
                                       if (token.size() <= capacity)
                                         std::copy(token.begin(), token.end(), static_cast<char*>(bytes));
                                       return token.size();
                                     }};

/// An engine over the directory; each counts for itself.
class CachedEngine {
 public:
  explicit CachedEngine(const std::string& directory, unsigned threads = 1)
      : engine_(config(directory, threads).get()), thread_(engine_) {}

  InstanceRef release(std::string_view ir, berth_tier_t tier, const Owner* owner = nullptr,
                      const std::vector<std::pair<const InstanceRef*, const char*>>& edges = {},
                      const char* entry = "f") {
    auto reservation = thread_.reserve({&keys_.emplace_back(), owner});
    InstanceRef instance = reservation.lease.instance();
    SourceOwner source = SourceOwner::from_ir(ir, entry);
    berth_source_set_tier(source.get(), tier);
    for (const auto& [callee, symbol] : edges) berth_source_add_edge(source.get(), callee->get(), symbol);
    reservation.lease.release(std::move(source));
    return instance;
  }
  Number* entry(const InstanceRef& instance) {
    return reinterpret_cast<Number*>(thread_.wait_entry(instance));
  }
  int64_t call(std::string_view ir, int64_t argument, berth_tier_t tier = BERTH_TIER_FAST,
               const Owner* owner = nullptr) {
    return entry(release(ir, tier, owner))(argument);
  }

  uint64_t metric(const std::string& name) const {
    const std::string metrics = "\n" + engine_.metrics(), line = "\n" + name + " ";
    const size_t at = metrics.find(line);
    EXPECT_NE(at, std::string::npos) << name << metrics;
    return at == std::string::npos ? ~uint64_t{0} : std::stoull(metrics.substr(at + line.size()));
  }
  uint64_t hits() const { return metric("berth_cache_hits_total"); }
  uint64_t compiled() const {
    berth_engine_counts_t counts{};
    counts.struct_size = sizeof counts;
    berth_engine_counts(engine_.get(), &counts);
    return counts.compiled_fast + counts.compiled_optimized;
  }
  EngineOwner& engine() { return engine_; }
  ThreadOwner& thread() { return thread_; }

 private:
  static ConfigOwner config(const std::string& directory, unsigned threads) {
    ConfigOwner config(berth_config_new());
    berth_config_set_compile_threads(config.get(), threads);
    berth_config_set_cache_directory(config.get(), directory.c_str());
    berth_config_set_key_traits(config.get(), &kTraits);
    return config;
  }
  EngineOwner engine_;
  ThreadOwner thread_;
  std::deque<char> keys_;
};

// --- programs

// Objects, strings, boxed numbers, globals, closures of types, errors with their places, deep and mutual
// recursion.
constexpr const char* kProgram = R"(berth-ir 1
mutable type Node { next: Node | nothing, value: i64, extra: any }
type Point { x: f64, y: f64 }
global total: i64 = 0
method fib(%n: i64) -> i64 {
^0: %c = lt.i64 %n 2 cond %c ^1 ^2
^1: return %n
^2: %a = sub.i64 %n 1 %b = sub.i64 %n 2 %x = call fib(%a) %y = call fib(%b) %z = add.i64 %x %y return %z
}
method even(%n: i64) { ^0: %z = eq.i64 %n 0 cond %z ^1 ^2 ^1: return true ^2: %m = sub.i64 %n 1 %r = call odd(%m) return %r }
method odd(%n: i64) { ^0: %z = eq.i64 %n 0 cond %z ^1 ^2 ^1: return false ^2: %m = sub.i64 %n 1 %r = call even(%m) return %r }
method build(%n: i64) {
^0: br ^1(0, nothing)
^1(%i, %head): %c = lt.i64 %i %n cond %c ^2 ^3
^2: %e = mul.i64 %i 3 %node = new Node(%head, %i, %e) %j = add.i64 %i 1 br ^1(%j, %node)
^3: return %head
}
method sum(%list) {
^0: br ^1(%list, 0)
^1(%at, %s): %end = same %at nothing cond %end ^3 ^2
^2:
  %node = assert %at Node
  %v = field %node.value
  %e = field %node.extra
  %ei = assert %e i64
  %s1 = add.i64 %s %v
  %s2 = add.i64 %s1 %ei
  %next = field %node.next
  br ^1(%next, %s2)
^3: global.set total %s return %s
}
method risky(%k: i64) { ^0: %a = div.i64 100 %k return %a }
method main() {
^0:
  %f = call fib(15)
  %l = call build(500)
  %t = call sum(%l)
  %e = call even(100)
  %p = new Point(1.5, 2.5)
  %g = global.get total
  print(%f, " ", %t, " ", %e, " ", %p, " ", %g, "\n")
  %r = call risky(0)
  return %r
}
)";

std::string run_program(CachedEngine& engine, berth_tier_t tier) {
  std::string output;
  berth_program_t* program = nullptr;
  check(berth_program_parse(engine.engine().get(), kProgram, std::string_view(kProgram).size(), "cached.bir",
                            &program));
  berth_program_set_tier(program, tier);
  berth_program_set_print(
      program,
      [](void* context, berth_thread_t*, const char* text, size_t length) {
        static_cast<std::string*>(context)->append(text, length);
      },
      &output);
  for (int i = 0; i < 2; ++i) {
    berth_error_t* const error =
        berth_program_call(engine.thread().get(), program, "main", nullptr, 0, nullptr);
    EXPECT_NE(error, nullptr);
    output += error ? std::string(berth_error_message(error)) + berth_error_details_json(error) : "no error";
    berth_error_delete(error);
  }
  berth_program_delete(program);
  return output;
}

class JitCache : public testing::TestWithParam<unsigned> {
 protected:
  Watchdog watchdog{110s};
  TemporaryDirectory directory;
};
INSTANTIATE_TEST_SUITE_P(Threads, JitCache, testing::Values(0u, 2u));

// A library function, a constant, own data, a loop, own thread-locals.
constexpr const char* kRich = R"(
@table = internal constant [4 x i64] [i64 3, i64 5, i64 7, i64 11]
@count = internal global i64 100
@own = internal thread_local global i64 1000
declare double @sin(double)
define i64 @f(i64 %n) {
entry:
  %c0 = load i64, ptr @count
  %c1 = add i64 %c0, 1
  store i64 %c1, ptr @count
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = and i64 %i, 3
  %at = getelementptr [4 x i64], ptr @table, i64 0, i64 %k
  %v = load i64, ptr %at
  %next = add i64 %sum, %v
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %done
done:
  %d = uitofp i64 %next to double
  %s = call double @sin(double %d)
  %t = fmul double %s, 1.0e6
  %r = fptosi double %t to i64
  %o = load i64, ptr @own
  %x = add i64 %r, %o
  %y = add i64 %x, %c1
  ret i64 %y
}
)";

TEST_P(JitCache, J75_the_next_engine_hits_and_compiles_nothing) {
  std::vector<int64_t> results;
  for (int round = 0; round < 3; ++round) {
    CachedEngine engine(directory.path(), GetParam());
    std::vector<int64_t> found;
    for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED}) {
      found.push_back(engine.call(number_source(2), 40, tier));
      Number* const rich = engine.entry(engine.release(kRich, tier));
      for (int64_t n = 1; n < 10; ++n) found.push_back(rich(n));
    }
    EXPECT_EQ(engine.compiled(), round == 0 ? 4u : 0u);
    EXPECT_EQ(engine.hits(), round == 0 ? 0u : 4u);
    EXPECT_EQ(engine.metric("berth_cache_misses_total"), round == 0 ? 4u : 0u);
    EXPECT_EQ(found[0], 42);
    if (round == 0) results = found;
    EXPECT_EQ(found, results);
  }
}

TEST_P(JitCache, J75_each_part_of_a_source_misses) {
  const Owner first{"first"}, second{"second"};
  constexpr const char* kTwo =
      "define i64 @f(i64 %x) {\n  ret i64 1\n}\ndefine i64 @g(i64 %x) {\n  ret i64 2\n}\n";
  { CachedEngine(directory.path(), GetParam()).call(number_source(1), 0, BERTH_TIER_FAST, &first); }
  { CachedEngine(directory.path(), GetParam()).call(kTwo, 0); }
  const auto expect = [&](uint64_t hits, int64_t result, const auto& use) {
    CachedEngine engine(directory.path(), GetParam());
    EXPECT_EQ(use(engine), result);
    EXPECT_EQ(engine.hits(), hits);
    EXPECT_EQ(engine.compiled(), 1 - hits);
  };
  expect(1, 1,
         [&](CachedEngine& engine) { return engine.call(number_source(1), 0, BERTH_TIER_FAST, &first); });
  expect(0, 1,
         [&](CachedEngine& engine) { return engine.call(number_source(1), 0, BERTH_TIER_FAST, &second); });
  expect(0, 1, [&](CachedEngine& engine) {
    return engine.call(number_source(1), 0, BERTH_TIER_OPTIMIZED, &first);
  });
  expect(0, 1, [&](CachedEngine& engine) {
    return engine.call(number_source(1) + "\n", 0, BERTH_TIER_FAST, &first);
  });
  expect(1, 1, [&](CachedEngine& engine) { return engine.call(kTwo, 0); });
  expect(0, 2, [&](CachedEngine& engine) {
    return engine.entry(engine.release(kTwo, BERTH_TIER_FAST, nullptr, {}, "g"))(0);
  });
}

TEST_P(JitCache, J75_without_a_token_nothing_is_kept) {
  const Owner nameless{""};
  for (int round = 0; round < 2; ++round) {
    CachedEngine engine(directory.path(), GetParam());
    EXPECT_EQ(engine.call(number_source(1), 1, BERTH_TIER_FAST, &nameless), 2);
    EXPECT_EQ(engine.compiled(), 1u);
  }
  EXPECT_EQ(directory.num_files(), 0u);
}

TEST_P(JitCache, J75_a_long_token_counts_to_its_end) {
  const Owner first{std::string(1000, 'a')}, second{std::string(999, 'a') + 'b'};
  for (const uint64_t hits : {0u, 1u}) {
    CachedEngine engine(directory.path(), GetParam());
    EXPECT_EQ(engine.call(number_source(1), 1, BERTH_TIER_FAST, &first), 2);
    EXPECT_EQ(engine.hits(), hits);
  }
  CachedEngine engine(directory.path(), GetParam());
  EXPECT_EQ(engine.call(number_source(1), 1, BERTH_TIER_FAST, &second), 2);
  EXPECT_EQ(engine.hits(), 0u);
}

// Calls over edges of loaded code: to loaded code, to each other, to what is compiled anew.
TEST_P(JitCache, J75_edges_of_loaded_code) {
  const std::string caller =
      "declare i64 @g(i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 @g(i64 %x)\n  %z = mul i64 %y, 10\n  "
      "ret i64 %z\n}\n";
  for (const size_t change : {0u, 0u, 1u}) {
    CachedEngine engine(directory.path(), GetParam());
    const InstanceRef callee = engine.release(number_source(1 + change), BERTH_TIER_FAST);
    const InstanceRef instance = engine.release(caller, BERTH_TIER_FAST, nullptr, {{&callee, "g"}});
    EXPECT_EQ(engine.entry(instance)(3), change ? 50 : 40);
  }
  CachedEngine engine(directory.path(), GetParam());
  const InstanceRef callee = engine.release(number_source(1), BERTH_TIER_FAST);
  EXPECT_EQ(engine.entry(engine.release(caller, BERTH_TIER_FAST, nullptr, {{&callee, "g"}}))(3), 40);
  EXPECT_EQ(engine.compiled(), 0u);
}

// What an adaptive source's code counts with is bound anew. With compile threads: without, nobody runs a
// promotion.
TEST(JitCacheAdaptive, J75_loaded_code_is_promoted) {
  const Watchdog watchdog{110s};
  const TemporaryDirectory directory;
  for (int round = 0; round < 2; ++round) {
    CachedEngine engine(directory.path(), 2);
    const InstanceRef instance = engine.release(number_source(1), BERTH_TIER_ADAPTIVE);
    Number* const code = engine.entry(instance);
    for (int64_t i = 0; i < 2000; ++i) ASSERT_EQ(code(i), i + 1);
    while (berth_instance_entry(instance.get()) == reinterpret_cast<void*>(code))
      std::this_thread::yield();  // the watchdog's
    for (int64_t i = 0; i < 2000; ++i) ASSERT_EQ(code(i), i + 1);
    EXPECT_EQ(engine.compiled(), round == 0 ? 2u : 0u);
    EXPECT_EQ(engine.hits(), round == 0 ? 0u : 2u);
  }
}

// Unwind records of loaded code, and calls that leave it.
TEST_P(JitCache, J75_exceptions_pass_through_loaded_code) {
  constexpr const char* kCaller =
      "declare i64 @thrower(i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 @thrower(i64 %x)\n  %z = add i64 "
      "%y, 1\n  ret i64 %z\n}\n";
  Number* const thrower = [](int64_t x) {
    if (x < 0) throw x;
    return 2 * x;
  };
  for (int round = 0; round < 2; ++round) {
    CachedEngine engine(directory.path(), GetParam());
    check(berth_engine_define_symbol(engine.engine().get(), "thrower", reinterpret_cast<void*>(thrower)));
    for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED}) {
      Number* const code = engine.entry(engine.release(kCaller, tier));
      EXPECT_EQ(code(20), 41);
      int64_t caught = 0;
      try {
        code(-7);
      } catch (const int64_t thrown) { caught = thrown; }
      EXPECT_EQ(caught, -7);
    }
    EXPECT_EQ(engine.compiled(), round == 0 ? 2u : 0u);
  }
}

// Loading copies the image; without one it would link the object: right, but slow.
TEST_P(JitCache, J75_what_is_kept_has_its_image) {
  {
    CachedEngine engine(directory.path(), GetParam());
    for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED}) engine.call(kRich, 1, tier);
    run_program(engine, BERTH_TIER_OPTIMIZED);
  }
  auto host = jit::HostTarget::detect();
  ASSERT_TRUE(host.has_value());
  const jit::CacheKey environment = jit::CacheEnvironment::of(host.assume_value()).digest();
  int units = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    if (entry.path().filename().string().size() != 64) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    const auto stored = jit::decode_unit(bytes, environment);
    ASSERT_TRUE(stored.has_value()) << stored.assume_error().message();
    EXPECT_TRUE(stored.assume_value().image) << stored.assume_value().unit.members[0].entry;
    ++units;
  }
  EXPECT_GE(units, 3);
}

// Units of many members, asked for in another order, by jobs that are batched in another way.
TEST_P(JitCache, J75_members_of_units_are_found_in_any_order) {
  constexpr size_t kSources = 300;
  std::vector<size_t> order(kSources);
  for (size_t i = 0; i < kSources; ++i) order[i] = i;
  for (int round = 0; round < 3; ++round) {
    {
      CachedEngine engine(directory.path(), GetParam());
      std::vector<InstanceRef> instances;
      for (const size_t n : order) instances.push_back(engine.release(number_source(n), BERTH_TIER_FAST));
      for (size_t i = 0; i < kSources; ++i)
        ASSERT_EQ(engine.entry(instances[i])(1), static_cast<int64_t>(order[i]) + 1);
      EXPECT_EQ(engine.compiled(), round == 0 ? kSources : 0u);
      EXPECT_EQ(engine.hits(), round == 0 ? 0u : kSources);
    }
    std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(round)));
  }
  // Each key names a file; those of a unit the same one.
  std::set<ino_t> files;
  size_t names = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    if (entry.path().filename().string().size() != 64) continue;
    ++names;
    struct stat status{};
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    files.insert(status.st_ino);
  }
  EXPECT_EQ(names, kSources);
  EXPECT_LE(files.size(), GetParam() == 0 ? kSources : kSources - 1);  // with threads there were batches
}

TEST_P(JitCache, J75_equal_sources_have_their_own_data) {
  constexpr const char* kCounter =
      "@n = internal global i64 0\ndefine i64 @f(i64 %x) {\n  %a = load i64, ptr @n\n  %b = add i64 %a, %x\n "
      " store i64 %b, ptr @n\n  ret i64 %b\n}\n";
  for (int round = 0; round < 2; ++round) {
    CachedEngine engine(directory.path(), GetParam());
    std::vector<InstanceRef> instances;
    for (int i = 0; i < 4; ++i) instances.push_back(engine.release(kCounter, BERTH_TIER_FAST));
    for (int i = 0; i < 4; ++i) {
      Number* const code = engine.entry(instances[static_cast<size_t>(i)]);
      EXPECT_EQ(code(5), 5);
      EXPECT_EQ(code(2), 7);
    }
    EXPECT_LE(engine.compiled(), round == 0 ? 4u : 0u);
  }
}

TEST_P(JitCache, J75_programs_run_alike_when_loaded) {
  std::string expected;
  {
    CachedEngine engine(directory.path() + "/other", GetParam());
    expected = run_program(engine, BERTH_TIER_INTERPRET);
  }
  EXPECT_NE(expected.find("division by zero"), std::string::npos) << expected;
  for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED}) {
    for (int round = 0; round < 3; ++round) {
      CachedEngine engine(directory.path(), GetParam());
      EXPECT_EQ(run_program(engine, tier), expected) << round;
      // A caller may be lowered before its callee is inferred, and then assumes less: another module,
      // compiled once more. Optimised code takes in a method of a recursion, which is then not compiled by
      // itself.
      if (round == 0) {
        EXPECT_GT(engine.compiled(), 0u);
      } else if (round == 2) {
        EXPECT_EQ(engine.compiled(), 0u);
        EXPECT_GE(engine.hits(), 3u);
      }
    }
  }
}

// --- what may happen to files

TEST_P(JitCache, J76_damaged_files_are_refused_and_compiled) {
  { CachedEngine(directory.path(), GetParam()).call(kRich, 1); }
  std::string file, bytes;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    if (entry.path().filename().string().size() == 64) file = entry.path().string();
  }
  {
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  ASSERT_GT(bytes.size(), 500u);
  const auto use_damaged = [&](const std::string& damaged) {
    std::ofstream(file, std::ios::binary) << damaged;
    {
      CachedEngine engine(directory.path(), GetParam());
      ASSERT_EQ(engine.entry(engine.release(kRich, BERTH_TIER_FAST))(0),
                engine.entry(engine.release(kRich, BERTH_TIER_FAST))(0));
      ASSERT_EQ(engine.metric("berth_cache_refused_total"), 1u);
      ASSERT_EQ(engine.compiled(), 1u);
    }
    CachedEngine engine(directory.path(), GetParam());
    engine.call(kRich, 1);
    ASSERT_EQ(engine.compiled(), 0u) << "written anew";
  };
  std::mt19937 random(7);
  for (int i = 0; i < 8; ++i) {  // every byte: UnitFormat.J76_every_flipped_byte_is_refused
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= 0x10;
    use_damaged(damaged);
  }
  for (const size_t length : {size_t{0}, size_t{71}, size_t{104}, bytes.size() - 1})
    use_damaged(bytes.substr(0, length));
  use_damaged(std::string(bytes.size(), '\0'));
}

TEST_P(JitCache, J79_without_a_directory_all_works_and_says_so_once) {
  CachedEngine engine("/proc/nowhere", GetParam());
  EXPECT_EQ(engine.call(number_source(1), 1), 2);
  EXPECT_EQ(engine.call(number_source(1), 1, BERTH_TIER_OPTIMIZED), 2);
  EXPECT_EQ(engine.metric("berth_cache_on"), 0u);
  const std::string explained = engine.engine().explain();
  const size_t at = explained.find("/proc/nowhere");
  EXPECT_NE(at, std::string::npos) << explained;
  EXPECT_EQ(explained.find("/proc/nowhere", at + 1), std::string::npos) << explained;
}

TEST_P(JitCache, J79_the_directory_vanishes_while_it_is_used) {
  CachedEngine engine(directory.path(), GetParam());
  EXPECT_EQ(engine.call(number_source(1), 1), 2);
  std::filesystem::remove_all(directory.path());
  for (size_t n = 2; n < 20; ++n) EXPECT_EQ(engine.call(number_source(n), 1), static_cast<int64_t>(n) + 1);
}

// --- processes

/// Compiles the keys in an order of its own, checks each; how many were compiled and not loaded. In a child:
/// no gtest.
int compile_all(const std::string& directory, int keys, unsigned order, bool with_locks) {
  jit::HostBackend::Options options;
  options.cache.emplace();
  options.cache->directory = directory;
  options.cache->expected = {100s, 100s};  // nobody gives up: the test's watchdog
  if (!with_locks) options.cache->system.lock = [](int, struct flock*) { return 0; };
  jit::HostBackend backend(nullptr, std::move(options));
  const sync::Atomic<bool> cancelled{false};
  std::vector<int> numbers(static_cast<size_t>(keys));
  for (int i = 0; i < keys; ++i) numbers[static_cast<size_t>(i)] = i;
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(order));
  for (const int n : numbers) {
    engine::CompileJob job;
    job.source = std::make_shared<engine::Source>();
    job.source->body =
        std::make_unique<jit::LlvmBody>(engine::BodyKind::LlvmIr, number_source(static_cast<size_t>(n)));
    job.source->entry_symbol = "f";
    job.tier = BERTH_TIER_FAST;
    const jit::CompileRequest request{job, cancelled};
    auto answers = backend.generate({&request, 1});
    if (answers.has_error() || answers.assume_value().front().has_error()) return -1;
    if (reinterpret_cast<Number*>(answers.assume_value().front().assume_value()->entry)(1) != n + 1)
      return -2;
  }
  berth_engine_counts_t counts{};
  backend.add_counts(counts);
  return static_cast<int>(counts.compiled_fast);
}

int compile_in_processes(const std::string& directory, int processes, int keys, bool with_locks) {
  std::vector<pid_t> children;
  int pipe_ends[2];
  EXPECT_EQ(::pipe(pipe_ends), 0);
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(100);
      const int compiled = compile_all(directory, keys, static_cast<unsigned>(i), with_locks);
      ::_exit(::write(pipe_ends[1], &compiled, sizeof compiled) == sizeof compiled ? 0 : 1);
    }
    children.push_back(child);
  }
  ::close(pipe_ends[1]);
  int total = 0;
  for (int i = 0; i < processes; ++i) {
    int compiled = -3;
    EXPECT_EQ(::read(pipe_ends[0], &compiled, sizeof compiled), static_cast<ssize_t>(sizeof compiled))
        << "a child died";
    EXPECT_GE(compiled, 0);
    total += compiled;
  }
  ::close(pipe_ends[0]);
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  return total;
}

TEST(JitCacheBudget, what_skipped_passes_for_lack_of_time_is_not_kept) {
  const Watchdog watchdog{110s};
  const TemporaryDirectory directory;
  uint64_t compiled = 0;
  for (const bool hurried : {true, false, true}) {
    jit::HostBackend::Options options;
    options.cache.emplace();
    options.cache->directory = directory.path();
    jit::HostBackend backend(nullptr, std::move(options));
    const sync::Atomic<bool> cancelled{false};
    engine::CompileJob job;
    job.source = std::make_shared<engine::Source>();
    job.source->body = std::make_unique<jit::LlvmBody>(engine::BodyKind::LlvmIr, number_source(1));
    job.source->entry_symbol = "f";
    job.tier = BERTH_TIER_OPTIMIZED;
    jit::CompileRequest request{job, cancelled};
    if (hurried) request.half = sync::Clock::now();
    auto answers = backend.generate({&request, 1});
    ASSERT_TRUE(answers.has_value() && answers.assume_value().front().has_value());
    berth_engine_counts_t counts{};
    backend.add_counts(counts);
    compiled += counts.compiled_optimized;
  }
  EXPECT_EQ(compiled, 2u) << "the second is kept, and the third finds it";
}

TEST(JitCacheProcesses, J78_eight_processes_compile_each_key_once) {
  const TemporaryDirectory directory;
  EXPECT_EQ(compile_in_processes(directory.path(), 8, 50, true), 50);
  EXPECT_EQ(compile_in_processes(directory.path(), 1, 50, true), 0);
}

TEST(JitCacheProcesses, J78_with_locks_that_do_nothing_all_is_still_right) {
  const TemporaryDirectory directory;
  EXPECT_GE(compile_in_processes(directory.path(), 8, 50, false), 50);
  EXPECT_EQ(compile_in_processes(directory.path(), 1, 50, true), 0);
}

}  // namespace
}  // namespace berth
