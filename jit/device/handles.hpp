// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects behind the device handles of the C API: each holds one reference.
#pragma once
#include "berth/device.h"
#include "jit/device/device.hpp"

struct berth_device {
  std::shared_ptr<berth::jit::Device> ref;
};
struct berth_buffer {
  std::shared_ptr<berth::jit::Device> device;
  berth::jit::BufferRef ref;
};
struct berth_kernel {
  std::shared_ptr<berth::jit::Device> device;
  berth::jit::KernelRef ref;
};
struct berth_queue {
  std::shared_ptr<berth::jit::Queue> ref;
};
struct berth_semaphore {
  berth::jit::Signaller ref;
};
