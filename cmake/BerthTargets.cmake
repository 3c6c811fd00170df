# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions that declare Berth's targets, so that each floor, test and bench is one call.

set(BERTH_WARNINGS -Wall -Wextra -Wpedantic)
option(BERTH_WERROR "Warnings are errors" OFF)

function(berth_compile_options target)
  target_compile_options(${target} PRIVATE ${BERTH_WARNINGS})
  if(BERTH_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wthread-safety -Werror=thread-safety>)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 22)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-c2y-extensions>)
    endif()
  endif()
  if(BERTH_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${BERTH_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${BERTH_SANITIZE})
  endif()
  if(BERTH_CHECKS)
    target_compile_definitions(${target} PRIVATE BERTH_DEBUG_CHECKS BERTH_LATCHES)
  endif()
  if(BERTH_MUTANTS)
    target_compile_definitions(${target} PRIVATE BERTH_MUTANTS)
  endif()
endfunction()

# One floor, as object library berth_NAME; CHECKED also makes berth_NAME_checked, compiled with debug checks and latch points, which the
# unit tests of that floor link in every preset.
function(berth_floor name)
  cmake_parse_arguments(FLOOR "CHECKED" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(variants berth_${name})
  if(FLOOR_CHECKED AND BERTH_TESTS)
    list(APPEND variants berth_${name}_checked)
  endif()
  foreach(target ${variants})
    add_library(${target} OBJECT ${FLOOR_SOURCES})
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
    set(public ${FLOOR_PUBLIC})
    if(target STREQUAL berth_${name}_checked)
      list(TRANSFORM public REPLACE "^berth_.*" "\\0_checked")  # a test of checked floors builds no others
    endif()
    target_link_libraries(${target} PUBLIC ${public} PRIVATE ${FLOOR_PRIVATE})
    berth_compile_options(${target})
  endforeach()
  if(TARGET berth_${name}_checked)
    target_compile_definitions(berth_${name}_checked PUBLIC BERTH_DEBUG_CHECKS BERTH_LATCHES)
  endif()
endfunction()

# A gtest program; its tests are found by ctest under their own names. FLOORS: floors linked (all must be named). LIBRARIES: others.
# PREFIX: of the names in ctest. FILTER: of --gtest_filter.
# ADDRESS_OPTIONS: of AddressSanitizer, instead of ./dev's, for a program that does on purpose what it takes for a fault.
function(berth_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT;PREFIX;FILTER;ADDRESS_OPTIONS" "SOURCES;FLOORS;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  foreach(floor ${TEST_FLOORS})
    target_link_libraries(${name} PRIVATE berth_${floor})
  endforeach()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE ${TEST_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main Threads::Threads)
  berth_compile_options(${name})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  if(TEST_ADDRESS_OPTIONS AND BERTH_SANITIZE MATCHES "address")
    set(TEST_ENVIRONMENT ENVIRONMENT "ASAN_OPTIONS=${TEST_ADDRESS_OPTIONS}")
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST TEST_PREFIX "${TEST_PREFIX}" TEST_FILTER "${TEST_FILTER}"
                       PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS "${TEST_LABELS}" ${TEST_ENVIRONMENT})
endfunction()
