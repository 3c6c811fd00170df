// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// berth-bench [NAME..] [--json FILE] [--list]: ratios measured side by side in one run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <thread>

#include "tests/bench/harness.hpp"

namespace {

using berth::bench::Figure;

struct Bench {
  const char* name;
  std::vector<Figure> (*run)();
};
constexpr Bench kBenches[] = {{"reservation", berth::bench::reservation_figures},
#if defined(BERTH_BENCH_JIT)
                              {"jit", berth::bench::jit_figures},
                              {"cache", berth::bench::cache_figures},
                              {"poll", berth::bench::poll_figures},
                              {"isolation", berth::bench::isolation_figures},
#endif
#if defined(BERTH_BENCH_RUN)
                              {"run", berth::bench::run_figures},
#endif
                              {"gc", berth::bench::gc_figures}};

std::string to_json(const std::vector<Figure>& figures) {
  std::string json = "[";
  for (const Figure& f : figures) {
    json += fmt::format(
        "{}\n  "
        "{{\"name\":\"{}\",\"ours\":{:.3f},\"baseline\":{:.3f},\"baseline_name\":\"{}\",\"ratio\":{:.3f},"
        "\"goal\":{},\"unit\":\"{}\"}}",
        json.size() == 1 ? "" : ",", f.name, f.ours, f.baseline, f.baseline_name, f.ratio,
        f.goal ? fmt::format("{:.3f}", *f.goal) : "null", f.unit);
  }
  return json + "\n]\n";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Ratios of Berth against a baseline, measured in turn in one run; larger is better."};
  std::vector<std::string> names;
  std::string json;
  bool list = false;
  app.add_option("name", names, "benches to run; all if none");
  app.add_option("--json", json, "file to write the figures to");
  app.add_option("--filter", berth::bench::filter(), "part of the names of the figures to measure");
  app.add_flag("--list", list, "names of the benches");
  CLI11_PARSE(app, argc, argv);
  std::vector<Figure> figures;
  for (const std::string& name : names) {
    if (std::none_of(std::begin(kBenches), std::end(kBenches),
                     [&](const Bench& bench) { return name == bench.name; })) {
      fmt::print(stderr, "berth-bench: no bench \"{}\". Remedy: see berth-bench --list\n", name);
      return 1;
    }
  }
  // glibc's mutex leaves its atomic operations out in a process that never had a second thread. Nobody needs
  // any of this there.
  std::thread([] {}).join();
  for (const Bench& bench : kBenches) {
    if (list) fmt::print("{}\n", bench.name);
    if (list || (!names.empty() && std::find(names.begin(), names.end(), bench.name) == names.end()))
      continue;
    for (const Figure& f : bench.run()) {
      if (!berth::bench::is_wanted(f.name)) continue;
      if (f.baseline == 0 && f.ratio == 0 && f.goal)
        fmt::print("{}: {}\n", f.name, f.baseline_name);  // what is missing
      fmt::print("{:<46} {:>11.1f} {} against {:>11.1f}   ratio {:>7.2f}   goal {}\n", f.name, f.ours, f.unit,
                 f.baseline, f.ratio,
                 f.goal ? fmt::format("{:.2f}{}", *f.goal, f.ratio >= *f.goal ? "" : "  MISSED") : "-");
      std::fflush(stdout);
      figures.push_back(f);
    }
  }
  if (!json.empty()) {
    std::ofstream out(json);
    out << to_json(figures);
    if (!out) {
      fmt::print(stderr, "berth-bench: cannot write {}. Remedy: give a writable path\n", json);
      return 1;
    }
  }
  return 0;
}
