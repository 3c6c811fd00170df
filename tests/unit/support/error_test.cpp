// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/error.hpp"

#include <gtest/gtest.h>

#include "support/api.hpp"

namespace berth {
namespace {

TEST(Error, text_names_what_was_asked_found_and_the_remedy) {
  const Error error = make_error(BERTH_NOT_FOUND, "open 'x'", "no such file", "give a file");
  EXPECT_EQ(error.message(), "open 'x': no such file. Remedy: give a file");
  EXPECT_EQ(error.details(), "{}");
}

TEST(Error, json_quote_escapes) { EXPECT_EQ(json_quote("a\"\\\n\x01"), "\"a\\\"\\\\\\n\\u0001\""); }

TEST(Boundary, exceptions_become_errors) {
  const std::unique_ptr<berth_error> memory(
      at_boundary("f", []() -> Result<void> { throw std::bad_alloc(); }));
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->code, BERTH_OUT_OF_MEMORY);
  const std::unique_ptr<berth_error> other(
      at_boundary("f", []() -> Result<void> { throw std::runtime_error("boom"); }));
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->code, BERTH_INTERNAL);
  EXPECT_NE(other->message.find("boom"), std::string::npos);
  EXPECT_EQ(at_boundary("f", []() -> Result<void> { return success(); }), nullptr);
}

Result<int> half(int n) {
  if (n % 2) return make_error(BERTH_INVALID_ARGUMENT, "halve", "odd", "give an even number");
  return n / 2;
}
Result<int> quarter(int n) {
  BERTH_TRY(auto once, half(n));
  BERTH_TRY(const auto twice, half(once));
  return twice;
}

TEST(Result, try_passes_values_and_errors) {
  EXPECT_EQ(quarter(8).assume_value(), 2);
  EXPECT_TRUE(quarter(6).has_error());
}

}  // namespace
}  // namespace berth
