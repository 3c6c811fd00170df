// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ByteWriter, ByteReader: numbers and texts as bytes for another process of this host. The reader trusts
// nothing: what does not fit makes it fail for good, and a failed reader gives zeros and empty texts.
//
// Threads: one at a time. Blocks: never. GC: any, kept. Errors: none; ask has_failed().
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace berth::jit {

class ByteWriter {
 public:
  void number(uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) noexcept : bytes_(bytes) {}

  uint64_t number() noexcept {
    uint64_t value = 0;
    const std::string_view bytes = cut(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  /// At most `most`, else the reader fails.
  uint64_t number(uint64_t most) noexcept {
    const uint64_t value = number();
    if (value <= most) return value;
    fail();
    return 0;
  }
  /// How many elements follow, each of at least 8 bytes: what cannot be there is not made room for.
  size_t count() noexcept { return static_cast<size_t>(number(bytes_.size() / sizeof(uint64_t))); }
  /// Borrowed as long as the bytes.
  std::string_view text() noexcept { return cut(number()); }

  void fail() noexcept {
    failed_ = true;
    bytes_ = {};
  }
  bool has_failed() const noexcept { return failed_; }
  /// All was read, and nothing is left.
  bool is_whole() const noexcept { return !failed_ && bytes_.empty(); }

 private:
  std::string_view cut(uint64_t size) noexcept {
    if (size > bytes_.size()) {
      fail();
      return {};
    }
    const std::string_view head = bytes_.substr(0, static_cast<size_t>(size));
    bytes_.remove_prefix(static_cast<size_t>(size));
    return head;
  }
  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace berth::jit
