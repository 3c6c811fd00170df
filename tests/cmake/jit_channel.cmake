# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if(TARGET berth_library)
  berth_test(handshake_conformance_test SOURCES conformance/handshake_test.cpp FLOORS jit inference engine gc support LIBRARIES LLVM TBB::tbb)
  target_include_directories(handshake_conformance_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
endif()
