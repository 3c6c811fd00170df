// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/metrics.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace berth::metrics {
namespace {

TEST(Counter, sums_over_threads) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10000; ++n) counter.add();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counter.value(), 40000u);
}

TEST(Histogram, counts_every_value_and_its_sum) {
  Histogram histogram;
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{1000}, UINT64_MAX / 4})
    histogram.record(value);
  EXPECT_EQ(histogram.count(), 4u);
  EXPECT_EQ(histogram.sum(), 1001 + UINT64_MAX / 4);
  EXPECT_EQ(histogram.bucket(0), 1u);
  EXPECT_EQ(histogram.bucket(Histogram::kBuckets - 1), 1u);
}

TEST(Prometheus, text_has_help_type_and_cumulative_buckets) {
  std::string out;
  write_counter(out, "berth_x_total", "What x is", 7, R"(kind="a")");
  EXPECT_EQ(out,
            "# HELP berth_x_total What x is\n# TYPE berth_x_total counter\nberth_x_total{kind=\"a\"} 7\n");
  Histogram histogram;
  histogram.record(3);
  histogram.record(5);
  out.clear();
  write_histogram(out, "berth_y_seconds", "y", histogram);
  EXPECT_NE(out.find("berth_y_seconds_bucket{le=\"4e-09\"} 1\n"), std::string::npos) << out;
  EXPECT_NE(out.find("berth_y_seconds_bucket{le=\"8e-09\"} 2\n"), std::string::npos) << out;
  EXPECT_NE(out.find("berth_y_seconds_bucket{le=\"+Inf\"} 2\n"), std::string::npos) << out;
  EXPECT_NE(out.find("berth_y_seconds_count 2\n"), std::string::npos) << out;
}

}  // namespace
}  // namespace berth::metrics
