// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench jit, what must not grow with the number of methods: the cost of one more, a throw of the host,
// mappings and memory at 100,000 methods; the cost of a function in large sources; and an idle engine's
// wake-ups.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/bench/jit_bench.hpp"
#include "tests/bench/raw_compiler.hpp"

namespace berth::bench {
namespace {

constexpr int kMethods = 100'000, kFirst = 10'000;

/// The number behind `name` in lines of text, summed.
double number_in(std::istream& text, std::string_view name) {
  double sum = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(name)) sum += std::stod(line.substr(name.size()));
  }
  return sum;
}

double pss_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  return 1024 * number_in(file, "Pss:");
}

double mappings() {
  std::ifstream maps("/proc/self/maps");
  double n = 0;
  for (std::string line; std::getline(maps, line);) ++n;
  return n;
}

double metric(JitEngine& engine, std::string_view name) {
  char* const text = berth_engine_metrics(engine.get());
  std::istringstream lines(text);
  berth_string_delete(text);
  return number_in(lines, name);
}

double host_throw_ns() {
  constexpr int kThrows = 2000;
  double best = 1e18;
  for (int round = 0; round < 9; ++round) {
    best = std::min(best, time_ns([] {
                      for (int i = 0; i < kThrows; ++i) {
                        try {
                          throw i;
                        } catch (const int&) {}
                      }
                    }));
  }
  return best / kThrows;
}

std::vector<Figure> many_methods() {
  const double throw_before = host_throw_ns();
  JitEngine engine(2);
  std::vector<InstanceRef> instances;
  instances.reserve(kMethods);
  const auto add = [&](int n) {
    const size_t first = instances.size();
    return time_ns([&] {
             for (int i = 0; i < n; ++i)
               instances.push_back(engine.release(trivial_source(i), "f", BERTH_TIER_FAST));
             for (size_t i = first; i < instances.size(); ++i) engine.wait(instances[i]);
           }) /
           n;
  };
  add(100);
  const double pss = pss_bytes(), maps = mappings(), code = metric(engine, "berth_code_live_bytes ");
  const double first = add(kFirst);
  add(kMethods - 2 * kFirst);
  const double last = add(kFirst);
  const double methods = static_cast<double>(instances.size() - 100);
  const double beyond = (pss_bytes() - pss - (metric(engine, "berth_code_live_bytes ") - code)) / methods;
  Figure cost{"jit/many/cost_at:100000", last, first, "cost at 10,000", first / last, 0.87, "ns"};
  const double throw_after = host_throw_ns();
  return {cost,
          {"jit/many/host_throw", throw_after, throw_before, "without an engine", throw_before / throw_after,
           0.75, "ns"},
          bounded("jit/many/mappings", mappings() - maps, 64, "mappings"),
          bounded("jit/many/memory_per_method", beyond, 2048, "bytes")};
}

// 3,200 functions in sources of n, each called by its source's entry: of a batch what nobody calls is left
// out.
double large_sources(int n) {
  JitEngine engine(1);
  engine.wait(engine.release(trivial_source(0), "f", BERTH_TIER_FAST));
  std::string text = "define i64 @f(i64 %x) {\n";
  for (int i = 1; i < n; ++i) text += fmt::format("  %c{} = call i64 @f{}(i64 %x)\n", i, i);
  text += "  ret i64 %x\n}\n";
  for (int i = 1; i < n; ++i)
    text += fmt::format(
        "define i64 @f{}(i64 %x) {{\n  %y = mul i64 %x, {}\n  %z = add i64 %y, 7\n  ret i64 %z\n}}\n", i, i);
  return processor_ns([&] {  // of one source only one thread can be busy
    std::vector<InstanceRef> instances;
    for (int i = 0; i < 3200 / n; ++i) instances.push_back(engine.release(text, "f", BERTH_TIER_FAST));
    for (const InstanceRef& instance : instances) engine.wait(instance);
  });
}

// Of all threads but this one.
double wake_ups() {
  double sum = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(getpid())) continue;
    std::ifstream status(task.path() / "status");
    sum += number_in(status, "voluntary_ctxt_switches:");
  }
  return sum;
}

Figure idle_engine() {
  JitEngine engine(2);
  for (int i = 0; i < 100; ++i) engine.wait(engine.release(trivial_source(i), "f", BERTH_TIER_FAST));
  const SafeScope safe(engine.thread().get());
  std::this_thread::sleep_for(
      std::chrono::seconds(11));  // the supervisor looks once more when a compile's time would be over
  const double before = wake_ups();
  std::this_thread::sleep_for(std::chrono::seconds(10));
  return none("jit/idle/wake_ups_in_10_s", wake_ups() - before, "wake-ups");
}

}  // namespace

std::vector<Figure> jit_scale_figures() {
  std::vector<Figure> figures;
  const char* const many[] = {"jit/many/cost_at:100000", "jit/many/host_throw", "jit/many/mappings",
                              "jit/many/memory_per_method"};
  if (std::any_of(std::begin(many), std::end(many), is_wanted)) figures = many_methods();
  // Ours: large sources; the baseline: those of 100 functions.
  if (is_wanted("jit/source/functions:3200")) {
    figures.push_back(compare(
        "jit/source/functions:3200", "32 sources of 100 functions", 0.87, 3200,
        [] { return large_sources(3200); }, [] { return large_sources(100); }, 5));
  }
  if (is_wanted("jit/idle/wake_ups_in_10_s")) figures.push_back(idle_engine());
  return figures;
}

}  // namespace berth::bench
