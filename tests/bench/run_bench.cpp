// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench run: code of the reference language against C and C++ compiled by clang: kernels (kernel_bench.cpp),
// whole programs (program_bench.cpp), and the time of a new process until its first result (start_bench.cpp).
#include "tests/bench/run_bench.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "examples/lang/translator.hpp"

namespace berth::bench {

std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error(path + ": cannot be read");
  return text;
}

LangProgram::LangProgram(const std::string& path, berth_tier_t tier) {
  lang::Translator translator(lang::Translator::Use::File);
  const std::string text = translator.file(path, text_of_file(path));
  const std::string& prelude = translator.prelude();
  check(berth_program_parse(engine_.get(), prelude.data(), prelude.size(), "<prelude>", &program_));
  check(berth_program_define(thread_.get(), program_, text.data(), text.size(), path.c_str()));
  berth_program_set_tier(program_, tier);
  const auto print = [](void* context, berth_thread_t* /*caller*/, const char* part, size_t length) {
    static_cast<LangProgram*>(context)->printed_.append(part, length);
  };
  berth_program_set_print(program_, print, this);
}

double LangProgram::run(int64_t rounds) {
  const berth_value_t argument{BERTH_VALUE_I64, {rounds}};
  berth_value_t result{};
  check(berth_program_call(thread_.get(), program_, "run", &argument, 1, &result));
  return result.f;
}

const std::string& LangProgram::main() {
  printed_.clear();
  check(berth_program_call(thread_.get(), program_, "main", nullptr, 0, nullptr));
  return printed_;
}

uint64_t LangProgram::num_collections() {
  berth_engine_counts_t counts{};
  counts.struct_size = sizeof counts;
  berth_engine_counts(engine_.get(), &counts);
  return counts.collections;
}

bool is_needed(const std::string& name, const std::string& summary) {
  return is_wanted(name) || is_wanted(summary + ":geomean") || is_wanted(summary + ":worst");
}

void add_summary(std::vector<Figure>& figures, const std::string& name, const std::string& baseline_name,
                 double geomean_goal, double worst_goal) {
  double logarithms = 0, worst = 1e18;
  for (const Figure& figure : figures) {
    logarithms += std::log(figure.ratio);
    worst = std::min(worst, figure.ratio);
  }
  const double mean = std::exp(logarithms / static_cast<double>(figures.size()));
  figures.push_back({name + ":geomean", 1 / mean, 1, baseline_name, mean, geomean_goal, "times"});
  figures.push_back({name + ":worst", 1 / worst, 1, baseline_name, worst, worst_goal, "times"});
}

Figure not_measured(std::string name, const std::string& missing, double goal) {
  return {std::move(name), 0, 0, "not measured: " + missing, 0, goal, "times"};
}

std::vector<Figure> run_figures() {
  std::vector<Figure> figures;
  for (const auto part : {kernel_figures, program_figures, start_figures}) {
    const std::vector<Figure> more = part();
    figures.insert(figures.end(), more.begin(), more.end());
  }
  return figures;
}

}  // namespace berth::bench
