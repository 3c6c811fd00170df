# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Observers: the program that GDB runs and a profiler's agent lie beside the test.
add_executable(berth_gdb_target ${PROJECT_SOURCE_DIR}/tests/support/gdb_target.cpp)
set_target_properties(berth_gdb_target PROPERTIES OUTPUT_NAME berth-gdb-target ENABLE_EXPORTS ON)
target_link_libraries(berth_gdb_target PRIVATE berth::berth)
berth_compile_options(berth_gdb_target)
add_library(berth_vtune_agent MODULE ${PROJECT_SOURCE_DIR}/tests/support/vtune_agent.cpp)
set_target_properties(berth_vtune_agent PROPERTIES OUTPUT_NAME berth-vtune-agent PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
berth_compile_options(berth_vtune_agent)
berth_test(jit_observers_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/jit_observers_test.cpp
  LIBRARIES berth::berth LLVM TIMEOUT 300)
target_include_directories(jit_observers_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
add_dependencies(jit_observers_test berth_gdb_target berth_vtune_agent)
