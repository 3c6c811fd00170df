# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
berth_test(engine_conformance_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
          ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_collection_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_wait_test.cpp
  FLOORS engine_checked gc_checked support_checked)
set(BERTH_ENGINE_TESTS ${PROJECT_SOURCE_DIR}/tests/unit/engine)
berth_test(engine_test
  SOURCES ${BERTH_ENGINE_TESTS}/code_instance_test.cpp ${BERTH_ENGINE_TESTS}/owner_table_test.cpp
          ${BERTH_ENGINE_TESTS}/reservation_api_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
          ${BERTH_ENGINE_TESTS}/null_arguments_test.cpp
  FLOORS engine_checked gc_checked support_checked)
berth_test(engine_handover_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_handover_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp FLOORS engine_checked gc_checked support_checked)
berth_test(gc_engine_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gc_engine_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp FLOORS engine_checked gc_checked support_checked)
berth_test(gc_waits_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gc_waits_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp FLOORS engine_checked gc_checked support_checked)
berth_test(gc_interruption_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gc_interruption_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp FLOORS engine_checked gc_checked support_checked)
# Broken contracts without debug checks.
if(NOT BERTH_CHECKS)
  berth_test(engine_release_test
    SOURCES ${BERTH_ENGINE_TESTS}/release_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
    FLOORS engine gc support)
endif()
# Replaces operator new, as the sanitizers' runtimes do.
if(NOT BERTH_SANITIZE)
  berth_test(engine_memory_test
    SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_memory_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/failing_new.cpp
            ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
    FLOORS engine_checked gc_checked support_checked)
endif()
# Task suspension of oneTBB 2021.8 and Boost.Fiber's switches crash or confuse ThreadSanitizer.
if(NOT BERTH_SANITIZE STREQUAL "thread")
  find_package(TBB 2021.8 REQUIRED)
  berth_test(engine_tbb_test
    SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_tbb_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
    FLOORS engine_checked gc_checked support_checked
    LIBRARIES TBB::tbb)
  find_package(Boost 1.74 REQUIRED COMPONENTS fiber context)
  berth_test(engine_fibre_test
    ADDRESS_OPTIONS detect_stack_use_after_return=0  # it does not know switches of stacks
    SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_fibre_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
    FLOORS engine_checked gc_checked support_checked
    LIBRARIES Boost::fiber)
endif()
berth_test(engine_mutants_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/reservation_mutants_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp FLOORS engine_checked gc_checked support_checked)
