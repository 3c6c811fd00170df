# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The schedule explorer (include/berth/schedule.hpp). Not under ThreadSanitizer, which does not know fibres.
if(BERTH_SANITIZE STREQUAL "thread")
  return()
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS context)
berth_test(schedule_explorer_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/schedule/explorer_test.cpp
  LIBRARIES Boost::context
  LABELS schedule)
