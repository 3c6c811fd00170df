// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer: memory of one device; on the host plain memory, 64-byte aligned, zeroed. Retained by every
// submission that uses it.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "support/result.hpp"
#include "support/sync.hpp"

namespace berth::jit {

class Buffer {
 public:
  /// Errors: OUT_OF_MEMORY.
  static Result<std::shared_ptr<Buffer>> make(uint64_t device, size_t bytes);
  /// Somebody else's memory, which outlives the buffer.
  static std::shared_ptr<Buffer> borrow(uint64_t device, char* memory, size_t bytes) {
    return std::shared_ptr<Buffer>(new Buffer(device, memory, bytes, false));
  }
  ~Buffer() {
    if (owned_) std::free(memory_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  char* memory() const noexcept { return memory_; }
  size_t size() const noexcept { return bytes_; }
  uint64_t device() const noexcept { return device_; }
  bool contains(size_t offset, size_t bytes) const noexcept {
    return offset <= bytes_ && bytes <= bytes_ - offset;
  }
  /// Synchronous transfers guess no order: refused while an undecided submission uses the buffer.
  Result<void> write(size_t offset, const void* data, size_t bytes);
  Result<void> read(size_t offset, void* data, size_t bytes) const;
  /// INVALID_ARGUMENT naming `call` if the range is not inside.
  Result<void> check_range(const char* call, size_t offset, size_t bytes) const;

  void begin_use() noexcept { uses_.fetch_add(1, std::memory_order_relaxed); }
  void end_use() noexcept { uses_.fetch_sub(1, std::memory_order_release); }
  bool is_busy() const noexcept { return uses_.load(std::memory_order_acquire) != 0; }

 private:
  Buffer(uint64_t device, char* memory, size_t bytes, bool owned) noexcept
      : device_(device), memory_(memory), bytes_(bytes), owned_(owned) {}
  const uint64_t device_;
  char* const memory_;
  const size_t bytes_;
  const bool owned_;
  // Undecided submissions that use it. Up: relaxed, before the submission is visible; down: release, read
  // acquire: a synchronous read that finds 0 sees what they wrote.
  sync::Atomic<uint32_t> uses_{0};
};
using BufferRef = std::shared_ptr<Buffer>;

}  // namespace berth::jit
