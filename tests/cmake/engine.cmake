# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
berth_test(engine_conformance_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
  FLOORS engine_checked gc_checked support_checked)
set(BERTH_ENGINE_TESTS ${PROJECT_SOURCE_DIR}/tests/unit/engine)
berth_test(engine_test
  SOURCES ${BERTH_ENGINE_TESTS}/code_instance_test.cpp ${BERTH_ENGINE_TESTS}/owner_table_test.cpp
          ${BERTH_ENGINE_TESTS}/reservation_api_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
  FLOORS engine_checked gc_checked support_checked)
berth_test(engine_handover_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_handover_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp FLOORS engine_checked gc_checked support_checked)
berth_test(gc_engine_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gc_engine_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp FLOORS engine_checked gc_checked support_checked)
