# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The schedule explorer (include/berth/schedule.hpp), and the floors compiled a second time under it. One thread, no data races to
# find: not under ThreadSanitizer, which does not know fibres.
if(BERTH_SANITIZE STREQUAL "thread")
  return()
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS context)
foreach(floor support gc engine)
  get_target_property(sources berth_${floor} SOURCES)
  get_target_property(folder berth_${floor} SOURCE_DIR)
  # Boost's upgrade lock is not under `sync`; neither the collector nor the engine waits for one.
  list(REMOVE_ITEM sources safe_upgrade_mutex.cpp)
  list(TRANSFORM sources PREPEND ${folder}/)
  add_library(berth_${floor}_scheduled OBJECT ${sources})
  target_compile_definitions(berth_${floor}_scheduled PUBLIC BERTH_CONTROLLED_SYNC BERTH_DEBUG_CHECKS)
  target_include_directories(berth_${floor}_scheduled PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(berth_${floor}_scheduled PUBLIC Boost::headers Boost::context fmt::fmt)
  berth_compile_options(berth_${floor}_scheduled)
endforeach()
berth_test(schedule_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/schedule/reservation_schedule_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/schedule/gc_schedule_test.cpp ${PROJECT_SOURCE_DIR}/tests/schedule/publication_schedule_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/schedule/unit_compiler.cpp
  FLOORS engine_scheduled gc_scheduled support_scheduled
  TIMEOUT 1800
  LABELS schedule)
berth_test(schedule_explorer_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/schedule/explorer_test.cpp
  LIBRARIES Boost::context
  LABELS schedule)
