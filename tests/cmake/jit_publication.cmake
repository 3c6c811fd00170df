# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What publication promises to readers, without LLVM: so it also runs under ThreadSanitizer.
berth_test(jit_publication_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/unit/jit/publication_test.cpp ${PROJECT_SOURCE_DIR}/jit/call_slot.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
  FLOORS engine_checked gc_checked support_checked)
