// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `berth devices`, and opening a device by its uri.
#include <cstdio>

#include <fmt/format.h>

#include "commands.hpp"
#include "device_handle.hpp"

namespace berth::lang {

void DeviceDeleter::operator()(berth_device_t* device) const noexcept { berth_device_delete(device); }

Device open_device(berth_engine_t* engine, const std::string& uri) {
  if (uri.empty()) return nullptr;
  berth_device_t* device = nullptr;
  check(berth_device_open(engine, uri.c_str(), &device));
  return Device(device);
}

int devices() {
  const Engine engine = new_engine();
  size_t count = 0;
  check(berth_device_count(engine.get(), &count));
  for (size_t i = 0; i < count; i++) {
    char* uri = nullptr;
    check(berth_device_uri(engine.get(), i, &uri));
    const Text owned(uri);
    std::printf("%s\n", owned.get());
  }
  return 0;
}

}  // namespace berth::lang
