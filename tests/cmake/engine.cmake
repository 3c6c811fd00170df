# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
berth_test(engine_conformance_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
  FLOORS engine_checked gc_checked support_checked)
