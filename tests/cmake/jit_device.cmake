# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if(TARGET berth_library)
  berth_test(device_conformance_test SOURCES conformance/device_test.cpp LIBRARIES berth::berth)
endif()
