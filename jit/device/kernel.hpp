// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel: one entry of a source, compiled for one device. Two reservations: the code under (content, target),
// which is compiled once whoever asks; the loaded module under (content, device). A failure reaches every
// waiter with its text and no other key.
#pragma once
#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "jit/device/kernel_split.hpp"
#include "jit/device/launch.hpp"

namespace berth::jit {

class Device;

class Kernel {
 public:
  /// Threads: any. Blocks: may wait, for the compile. GC: any; safe while compiling. Owns: source borrowed.
  /// Errors: those of check_kernel; COMPILE_FAILED.
  static Result<std::shared_ptr<const Kernel>> make(Device& device, const engine::Source& source,
                                                    const std::string& entry);

  /// Perhaps the last references: what hung on them goes now. Threads: any, no lock held.
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  const KernelDescription& description() const noexcept { return *description_; }
  KernelEntry entry() const noexcept { return entry_; }
  uint64_t device() const noexcept { return device_; }
  /// The compiled code's. As long as the kernel.
  engine::CodeInstance& code() const noexcept { return *code_; }

 private:
  Kernel() = default;
  engine::CodeInstanceRef code_;  // keeps code and description
  engine::CodeInstanceRef loaded_;
  const KernelDescription* description_ = nullptr;
  KernelEntry entry_ = nullptr;
  uint64_t device_ = 0;
};
using KernelRef = std::shared_ptr<const Kernel>;

}  // namespace berth::jit
