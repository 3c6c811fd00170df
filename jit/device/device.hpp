// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device: one per berth_device_open; makes buffers, kernels and queues, which other devices refuse. Today the
// host.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "jit/device/kernel.hpp"
#include "jit/device/queue.hpp"

namespace berth::jit {

struct DeviceOptions {
  std::string uri;
  unsigned threads = 0;
  LaneOrder order = LaneOrder::Ascending;
  uint64_t seed = 0;
  uint64_t context_limit = uint64_t{1} << 30;
};
/// Errors: INVALID_ARGUMENT naming the part of the uri; UNSUPPORTED for a device this build cannot drive.
Result<DeviceOptions> parse_device_uri(std::string_view uri);

/// A kernel argument as captured by a launch.
struct LaunchArgumentValue {
  KernelArgument kind;
  uint64_t word = 0;  // scalar bits
  BufferRef buffer;
  size_t offset = 0;
};
struct Grid {
  uint32_t blocks[3], lanes[3], shared_bytes;
  bool cooperative;
  BufferRef indirect;
  size_t indirect_offset;
};

class Device final : public engine::Subsystem {
 public:
  Device(engine::Engine& engine, DeviceOptions options);
  ~Device() override;

  engine::Engine& engine() noexcept { return engine_; }
  uint64_t id() const noexcept { return id_; }
  const DeviceOptions& options() const noexcept { return options_; }
  /// The launch as an operation for a queue; everything is captured. Errors: INVALID_ARGUMENT, UNSUPPORTED.
  Result<Submission> launch(const KernelRef& kernel, const Grid& grid,
                            std::vector<LaunchArgumentValue> arguments);

  void add_queue(Queue* queue);
  void remove_queue(Queue* queue);
  void explain(engine::Explanation& explanation) override;
  void shutdown() override;

 private:
  engine::Engine& engine_;
  const DeviceOptions options_;
  const uint64_t id_;
  sync::Mutex mutex_{Rank{110, "device"}};
  std::vector<Queue*> queues_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::jit
