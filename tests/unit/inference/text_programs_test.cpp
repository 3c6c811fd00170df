// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text form on what a front end writes: the prelude and all programs of the reference language.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/inference/text_fixture.hpp"
#include "translator.hpp"

namespace berth::inference::test {
namespace {

class Programs : public Inference, public ::testing::WithParamInterface<std::string> {
 protected:
  /// Parses, verifies, prints and parses again.
  void round_trip(const std::string& ir, const std::string& name) {
    const auto set = inference::parse(program(), ir, name);
    ASSERT_TRUE(set.has_value()) << set.error().message();
    for (const auto& method : set.value().methods) {
      const auto verified = verify(program(), *method);
      EXPECT_FALSE(verified.has_error()) << verified.error().message();
    }
    const std::string printed = print(program(), set.value());
    const auto again = inference::parse(program(), printed, "again.bir");
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_EQ(print(program(), again.value()), printed);
  }
};

TEST_P(Programs, I1_print_of_a_program_parses_equal) {
  std::ifstream file(std::string(BERTH_PROGRAMS) + "/" + GetParam());
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_FALSE(text.str().empty());
  lang::Translator translator(lang::Translator::Use::File);
  round_trip(translator.prelude(), "prelude.bth");
  const auto defined = program().define(nullptr, translator.prelude(), "prelude.bth");
  ASSERT_FALSE(defined.has_error()) << defined.error().message();
  round_trip(translator.file(GetParam(), text.str()), GetParam());
}

std::vector<std::string> names_of_programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(BERTH_PROGRAMS)) {
    if (entry.path().extension() == ".bth") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Inference, Programs, ::testing::ValuesIn(names_of_programs()),
                         [](const auto& parameter) {
                           return parameter.param.substr(0, parameter.param.find('.'));
                         });

}  // namespace
}  // namespace berth::inference::test
