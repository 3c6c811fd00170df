// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench jit, single compiles and calls: OPTIMIZED compiles, the time from release to callable on an idle
// engine and beside OPTIMIZED jobs, and a call over a slot against a direct one.
#include <thread>

#include "tests/bench/jit_bench.hpp"
#include "tests/bench/raw_compiler.hpp"

namespace berth::bench {
namespace {

constexpr int kOptimized = 30;  // of 66 ms each on one thread
constexpr int kOptimizedRounds = 5;

std::vector<std::string> sources(int n, std::string (*make)(int)) {
  std::vector<std::string> texts;
  for (int i = 0; i < n; ++i) texts.push_back(make(i));
  return texts;
}

double optimized(const std::vector<std::string>& texts, unsigned threads) {
  JitEngine engine(threads);
  engine.wait(engine.release(texts[0], "f0", BERTH_TIER_OPTIMIZED));  // its first machine
  return time_ns([&] { engine.compile_all(texts, BERTH_TIER_OPTIMIZED); });
}

double two_engines(const std::vector<std::string>& texts) {
  JitEngine first(1), second(1);
  for (JitEngine* engine : {&first, &second})
    engine->wait(engine->release(texts[0], "f0", BERTH_TIER_OPTIMIZED));
  return time_ns([&] {
    std::vector<std::pair<JitEngine*, InstanceRef>> all;
    for (size_t i = 0; i < texts.size(); ++i) {
      JitEngine& engine = i % 2 ? second : first;
      all.emplace_back(&engine, engine.release(texts[i], fmt::format("f{}", i), BERTH_TIER_OPTIMIZED));
    }
    for (const auto& [engine, instance] : all) engine->wait(instance);
  });
}

double raw_optimized(const std::vector<std::string>& texts) {
  RawCompiler raw(RawCompiler::Tier::Optimized);
  raw.compile({&texts[0], 1}, "f0");
  return time_ns([&] {
    for (size_t i = 0; i < texts.size(); ++i) raw.compile({&texts[i], 1}, fmt::format("f{}", i));
  });
}

// One after the other, each until it is callable.
double one_by_one(JitEngine& engine, int n) {
  return time_ns([&] {
    for (int i = 0; i < n; ++i) engine.wait(engine.release(trivial_source(i), "f", BERTH_TIER_FAST));
  });
}
double raw_one_by_one(RawCompiler& raw, int n) {
  return time_ns([&] {
    for (int i = 0; i < n; ++i) {
      const std::string text = trivial_source(i);
      raw.compile({&text, 1}, "f");
    }
  });
}

double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
}

double awaited(JitEngine& engine, int n) {
  return time_ns([&] { engine.wait(engine.release(trivial_source(n), "f", BERTH_TIER_FAST)); });
}
double not_awaited(JitEngine& engine, int n) {
  return time_ns([&] {
    const InstanceRef instance = engine.release(trivial_source(n), "f", BERTH_TIER_FAST);
    while (!instance.entry()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  });
}

// FAST compiles while OPTIMIZED jobs hold all threads of the pool.
std::vector<Figure> beside_optimized() {
  constexpr int kSamples = 60;
  JitEngine engine(2);
  std::vector<double> idle, waited, left;
  for (int i = 0; i < kSamples; ++i) idle.push_back(awaited(engine, i));
  int heavy = 0;
  std::vector<InstanceRef> queued;
  // Of the last five none is done, so more wait than there are threads.
  const auto is_saturated = [&] { return queued.size() >= 8 && !queued[queued.size() - 5].entry(); };
  const auto saturate = [&] {
    for (; !is_saturated(); ++heavy) {
      queued.push_back(engine.release(heavy_source(heavy), fmt::format("f{}", heavy), BERTH_TIER_OPTIMIZED));
    }
  };
  for (int i = 0; i < kSamples; ++i) {
    saturate();
    waited.push_back(awaited(engine, i));
    saturate();
    left.push_back(not_awaited(engine, i));
  }
  for (const InstanceRef& instance : queued) engine.wait(instance);
  const double p50 = percentile(idle, 0.5);
  const auto figure = [&](const char* name, const std::vector<double>& values, double goal) {
    const double p90 = percentile(values, 0.9);
    return Figure{name, p90 / 1000, p50 / 1000, "idle p50", p50 / p90, goal, "us"};
  };
  return {figure("jit/beside_optimized/awaited_p90", waited, 0.5),
          figure("jit/beside_optimized/not_awaited_p90", left, 0.05)};
}

// A loop of calls of a function of one addition.
std::vector<Figure> slot_calls() {
  constexpr int64_t kCalls = 20'000'000;
  constexpr const char* kCallee = "(i64 %x) noinline {\n  %y = add i64 %x, 3\n  ret i64 %y\n}\n";
  constexpr const char* kLoop =
      "define i64 @f(i64 %n) {\nentry:\n  br label %loop\nloop:\n  %i = phi i64 [ 0, %entry ], [ %j, %loop "
      "]\n  %s = phi i64 [ 0, %entry ], [ %t, %loop ]\n"
      "  %t = call i64 @g(i64 %s)\n  %j = add i64 %i, 1\n  %c = icmp slt i64 %j, %n\n  br i1 %c, label "
      "%loop, label %end\nend:\n  ret i64 %t\n}\n";
  using Function = int64_t(int64_t);
  JitEngine engine(1);
  const InstanceRef direct =
      engine.release(std::string("define internal i64 @g") + kCallee + kLoop, "f", BERTH_TIER_OPTIMIZED);
  const InstanceRef callee =
      engine.release(std::string("define i64 @g") + kCallee, "g", BERTH_TIER_OPTIMIZED);
  SourceOwner caller = SourceOwner::from_ir(std::string("declare i64 @g(i64)\n") + kLoop, "f");
  berth_source_add_edge(caller.get(), callee.get(), "g");
  const InstanceRef over_slot = engine.release(std::move(caller), BERTH_TIER_OPTIMIZED);
  engine.wait(callee);
  const auto run = [&](const InstanceRef& instance) {
    auto* const function = reinterpret_cast<Function*>(engine.wait(instance));
    return time_ns([&] {
      if (function(kCalls) != 3 * kCalls) std::abort();
    });
  };
  return {compare(
      "jit/call/slot", "direct call", 0.9, static_cast<uint64_t>(kCalls), [&] { return run(over_slot); },
      [&] { return run(direct); }, 9)};
}

}  // namespace

std::vector<Figure> jit_calls_figures() {
  const std::vector<std::string> heavy = sources(kOptimized, heavy_source);
  std::vector<Figure> figures;
  if (is_wanted("jit/optimized/threads:2")) {
    figures.push_back(void_without_two_cores(compare(
        "jit/optimized/threads:2", "two engines of one thread", 0.95, kOptimized,
        [&] { return optimized(heavy, 2); }, [&] { return two_engines(heavy); }, kOptimizedRounds)));
  }
  if (is_wanted("jit/optimized/threads:1")) {
    figures.push_back(compare(
        "jit/optimized/threads:1", "RawCompiler", 0.97, kOptimized, [&] { return optimized(heavy, 1); },
        [&] { return raw_optimized(heavy); }, kOptimizedRounds));
  }
  if (is_wanted("jit/idle/release_to_callable")) {
    JitEngine idle(1);
    RawCompiler raw(RawCompiler::Tier::Fast);
    figures.push_back(compare(
        "jit/idle/release_to_callable", "RawCompiler", 0.85, 50, [&] { return one_by_one(idle, 50); },
        [&] { return raw_one_by_one(raw, 50); }, 9));
  }
  if (is_wanted("jit/beside_optimized/awaited_p90") || is_wanted("jit/beside_optimized/not_awaited_p90"))
    add_to(figures, beside_optimized());
  if (is_wanted("jit/call/slot")) add_to(figures, slot_calls());
  return figures;
}

}  // namespace berth::bench
