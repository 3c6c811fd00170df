// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device: owner of a berth_device_t, and how the command opens one.
#pragma once
#include <memory>
#include <string>

#include "berth/device.h"
#include "session.hpp"

namespace berth::lang {

struct DeviceDeleter {
  void operator()(berth_device_t* device) const noexcept;
};
using Device = std::unique_ptr<berth_device_t, DeviceDeleter>;

/// Empty uri: none, programs use a host device of their own. Throws Failure.
Device open_device(berth_engine_t* engine, const std::string& uri);

}  // namespace berth::lang
