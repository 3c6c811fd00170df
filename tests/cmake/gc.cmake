# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(BERTH_GC_TESTS ${PROJECT_SOURCE_DIR}/tests/unit/gc)
set(BERTH_GC_ENGINE ${PROJECT_SOURCE_DIR}/tests/support/gc_engine.cpp)
berth_test(gc_test
  SOURCES ${BERTH_GC_TESTS}/block_test.cpp ${BERTH_GC_TESTS}/handle_test.cpp ${BERTH_GC_TESTS}/heap_test.cpp
          ${BERTH_GC_TESTS}/mark_test.cpp ${BERTH_GC_TESTS}/mark_deque_test.cpp ${BERTH_GC_TESTS}/parker_test.cpp ${BERTH_GC_TESTS}/safe_mutex_test.cpp
          ${BERTH_GC_TESTS}/gc_api_test.cpp ${BERTH_GC_TESTS}/foreign_test.cpp ${BERTH_GC_ENGINE}
  FLOORS gc_checked support_checked)
berth_test(gc_conformance_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gc_test.cpp ${BERTH_GC_ENGINE}
  FLOORS gc_checked support_checked)
berth_test(gc_handshake_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gc_handshake_test.cpp ${BERTH_GC_ENGINE} FLOORS gc_checked support_checked)
berth_test(gc_mark_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gc_mark_test.cpp ${BERTH_GC_ENGINE} FLOORS gc_checked support_checked)
# Replaces operator new, as the sanitizers' runtimes do.
if(NOT BERTH_SANITIZE)
  berth_test(gc_failure_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gc_failure_test.cpp ${BERTH_GC_ENGINE} FLOORS gc_checked support_checked)
endif()
berth_test(gc_stress_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gc_stress_test.cpp ${BERTH_GC_ENGINE} FLOORS gc_checked support_checked)
# ThreadSanitizer takes a switch of stacks for one thread's wild jump.
if(NOT BERTH_SANITIZE STREQUAL "thread")
  find_package(Boost 1.74 REQUIRED COMPONENTS context)
  berth_test(gc_retirement_test SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/gc_retirement_test.cpp ${BERTH_GC_ENGINE} FLOORS gc_checked support_checked
             LIBRARIES Boost::context)
endif()
# The same contracts without debug checks: timing and code paths of a release build.
if(NOT BERTH_CHECKS)
  berth_test(gc_release_test
    SOURCES ${BERTH_GC_TESTS}/release_test.cpp ${BERTH_GC_ENGINE}
    FLOORS gc support)
endif()
foreach(mix 0 1 2 3 4 5 6 7)
  add_test(NAME Gc.G17_mutex_kinds_mix_${mix}
           COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -DMIX=${mix} -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include
                   ${PROJECT_SOURCE_DIR}/tests/compile_fail/mutex_kinds.cpp)
  if(mix)
    set_tests_properties(Gc.G17_mutex_kinds_mix_${mix} PROPERTIES WILL_FAIL ON)
  endif()
endforeach()
