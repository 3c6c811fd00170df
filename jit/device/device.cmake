# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The host device, and what programs reach of it.
set(JIT_DEVICE
  device/buffer.cpp
  device/device.cpp
  device/device_api.cpp
  device/host_arena.cpp
  device/kernel.cpp
  device/kernel_split.cpp
  device/launch.cpp
  device/queue.cpp
  device/semaphore.cpp
  runtime_calls.cpp)
