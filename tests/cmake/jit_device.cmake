# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if(TARGET berth_library)
  berth_test(device_conformance_test SOURCES conformance/device_test.cpp LIBRARIES berth::berth)
  berth_test(jit_device_code_test
    SOURCES ${PROJECT_SOURCE_DIR}/tests/unit/jit/device_code_test.cpp
    FLOORS jit inference engine gc support
    LIBRARIES LLVM TBB::tbb)
endif()
