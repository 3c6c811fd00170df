# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(BERTH_SUPPORT_TESTS ${PROJECT_SOURCE_DIR}/tests/unit/support)
berth_test(support_test
  SOURCES ${BERTH_SUPPORT_TESTS}/latch_test.cpp ${BERTH_SUPPORT_TESTS}/metrics_test.cpp ${BERTH_SUPPORT_TESTS}/rank_test.cpp
          ${BERTH_SUPPORT_TESTS}/sync_test.cpp ${BERTH_SUPPORT_TESTS}/trace_test.cpp ${BERTH_SUPPORT_TESTS}/error_test.cpp
  FLOORS support_checked)
