// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TemporaryDirectory: an empty directory of this user's alone, gone with all that is in it.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace berth::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(testing::TempDir() + "berth.XXXXXX") {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr) << path_;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const noexcept { return path_; }
  size_t num_files() const {
    const std::filesystem::directory_iterator files(path_);
    return static_cast<size_t>(std::distance(begin(files), end(files)));
  }

 private:
  std::string path_;
};

}  // namespace berth::test
