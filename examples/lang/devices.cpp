// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `berth devices`, and opening a device by its uri. Compiled over the device functions where the library has them
// (BERTH_LANG_HAS_DEVICES, found at configuration).
#include <cstdio>

#include <fmt/format.h>

#include "commands.hpp"
#include "device_handle.hpp"

namespace berth::lang {

#ifdef BERTH_LANG_HAS_DEVICES

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

#else

void DeviceDeleter::operator()(berth_device_t*) const noexcept {}

Device open_device(berth_engine_t*, const std::string& uri) {
  if (uri.empty() || uri == "host") return nullptr;
  throw Failure(fmt::format("device {}: this build has only the host device of each program, expected --device host", uri));
}

int devices() {
  std::printf("host\n");
  return 0;
}

#endif

}  // namespace berth::lang
