// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/metrics.hpp"

#include <fmt/format.h>

#include <iterator>

namespace berth::metrics {
namespace {

void write_head(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

template <class Value>
void write_line(std::string& out, std::string_view name, Value value, std::string_view labels) {
  if (labels.empty()) {
    fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
  } else {
    fmt::format_to(std::back_inserter(out), "{}{{{}}} {}\n", name, labels, value);
  }
}

}  // namespace

unsigned cell_of_thread() noexcept {
  static std::atomic<unsigned> next{0};  // only distinct numbers matter: relaxed
  thread_local const unsigned cell = next.fetch_add(1, std::memory_order_relaxed) % kCells;
  return cell;
}

void write_counter(std::string& out, std::string_view name, std::string_view help, uint64_t value,
                   std::string_view labels) {
  write_head(out, name, help, "counter");
  write_line(out, name, value, labels);
}

void write_gauge(std::string& out, std::string_view name, std::string_view help, double value,
                 std::string_view labels) {
  write_head(out, name, help, "gauge");
  write_line(out, name, value, labels);
}

void write_sample(std::string& out, std::string_view name, uint64_t value, std::string_view labels) {
  write_line(out, name, value, labels);
}

void write_histogram(std::string& out, std::string_view name, std::string_view help,
                     const Histogram& histogram) {
  write_head(out, name, help, "histogram");
  uint64_t below = 0;
  for (unsigned i = 0; i < Histogram::kBuckets; ++i) {
    if (histogram.bucket(i) == 0) continue;
    below += histogram.bucket(i);
    const double bound = static_cast<double>(uint64_t{1} << i) / 1e9;
    fmt::format_to(std::back_inserter(out), "{}_bucket{{le=\"{}\"}} {}\n", name, bound, below);
  }
  fmt::format_to(std::back_inserter(out), "{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name,
                 below, static_cast<double>(histogram.sum()) / 1e9);
}

}  // namespace berth::metrics
