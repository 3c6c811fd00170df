// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace berth {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Walks the state table.
TEST(Trace, states) {
  const std::string path = testing::TempDir() + "berth_trace_states." + std::to_string(::getpid()) + ".json";
  Trace trace;
  EXPECT_FALSE(trace.stop().has_error());  // Off, stop
  trace.instant("test", "ignored");        // Off, event
  ASSERT_FALSE(trace.start(path.c_str()).has_error());
  EXPECT_TRUE(trace.is_on());
  auto again = trace.start(path.c_str());  // On, start
  ASSERT_TRUE(again.has_error());
  EXPECT_EQ(again.assume_error().code(), BERTH_INVALID_ARGUMENT);
  trace.instant("test", "event \"quoted\"", R"("n":1)");
  { const Trace::Span span(trace, "test", "span"); }
  ASSERT_FALSE(trace.stop().has_error());
  const std::string text = read(path);
  EXPECT_EQ(text.find("ignored"), std::string::npos);
  EXPECT_NE(text.find(R"("name":"event \"quoted\"","cat":"test","ph":"i")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("args":{"n":1})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("name":"span","cat":"test","ph":"X")"), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 4), "\n]}\n");
}

TEST(Trace, times_are_exact_and_spans_may_overlap) {
  const std::string path = testing::TempDir() + "berth_trace_times." + std::to_string(::getpid()) + ".json";
  Trace trace;
  ASSERT_FALSE(trace.start(path.c_str()).has_error());
  const sync::TimePoint begin{std::chrono::nanoseconds(
      90'000'000'000'000'001)};  // years of uptime: a double has no nanoseconds there
  trace.complete("test", "exact", begin, begin + std::chrono::nanoseconds(1'002), "");
  trace.overlapping("test", "lease", 0xabc, sync::Clock::now(), R"("n":1)");
  ASSERT_FALSE(trace.stop().has_error());
  const std::string text = read(path);
  EXPECT_NE(text.find(R"("ts":90000000000000.001,"dur":1.002,)"), std::string::npos) << text;
  for (const char* phase : {"b", "e"}) {
    EXPECT_NE(text.find(R"({"name":"lease","cat":"test","ph":")" + std::string(phase) + '"'),
              std::string::npos)
        << text;
  }
  EXPECT_NE(text.find(R"("id":"0xabc","args":{"n":1}})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("id":"0xabc"})"), std::string::npos) << text;
}

TEST(Trace, a_path_that_cannot_be_written_is_an_error_with_the_path) {
  Trace trace;
  auto started = trace.start("/nonexistent-folder/trace.json");
  ASSERT_TRUE(started.has_error());
  EXPECT_NE(started.assume_error().message().find("/nonexistent-folder/trace.json"), std::string::npos);
  EXPECT_FALSE(trace.is_on());
}

}  // namespace
}  // namespace berth
