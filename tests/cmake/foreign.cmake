# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The engine on foreign collectors, with the adapters of examples/ where those are built.
berth_test(engine_foreign_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_foreign_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
  FLOORS engine_checked gc_checked support_checked)
# The reservation contract on bdwgc; see bdwgc_test.cpp.
if(TARGET berth_bdwgc)
  berth_test(engine_bdwgc_test PREFIX G48_bdwgc.
    SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/bdwgc_test.cpp ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_test.cpp
            ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
    FLOORS engine_checked gc_checked support_checked LIBRARIES berth_bdwgc)
endif()
if(TARGET berth_gil)
  berth_test(engine_gil_test
    SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gil_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
    FLOORS engine_checked gc_checked support_checked LIBRARIES berth_gil)
endif()
