// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/device/buffer.hpp"

#include <fmt/format.h>

#include <cstring>

namespace berth::jit {

Result<BufferRef> Buffer::make(uint64_t device, size_t bytes) {
  const size_t rounded = bytes > SIZE_MAX - 64 ? SIZE_MAX : (bytes + 63) / 64 * 64 + (bytes == 0 ? 64 : 0);
  char* const memory = rounded == SIZE_MAX ? nullptr : static_cast<char*>(std::aligned_alloc(64, rounded));
  if (!memory) {
    return make_error(BERTH_OUT_OF_MEMORY, "berth_buffer_new", fmt::format("no memory for {} bytes", bytes),
                      "ask for less");
  }
  std::memset(memory, 0, rounded);
  return BufferRef(new Buffer(device, memory, bytes, true));
}

Result<void> Buffer::check_range(const char* call, size_t offset, size_t bytes) const {
  if (contains(offset, bytes)) return success();
  return make_error(BERTH_INVALID_ARGUMENT, call,
                    fmt::format("bytes {} to {} + {} of a buffer of {} bytes", offset, offset, bytes, bytes_),
                    "stay inside the buffer");
}

Result<void> Buffer::write(size_t offset, const void* data, size_t bytes) {
  BERTH_TRYV(check_range("berth_buffer_write", offset, bytes));
  if (is_busy()) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_buffer_write", "an undecided submission uses the buffer",
                      "wait for a point that it signals, or submit an update");
  }
  if (bytes != 0) std::memcpy(memory_ + offset, data, bytes);
  return success();
}

Result<void> Buffer::read(size_t offset, void* data, size_t bytes) const {
  BERTH_TRYV(check_range("berth_buffer_read", offset, bytes));
  if (is_busy()) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_buffer_read", "an undecided submission uses the buffer",
                      "wait for a point that it signals");
  }
  if (bytes != 0) std::memcpy(data, memory_ + offset, bytes);
  return success();
}

}  // namespace berth::jit
