# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Typed IR to LLVM IR: programs and statements at every tier against the interpreter.
berth_test(jit_lowering_test
  SOURCES unit/jit/lowering_numbers_test.cpp unit/jit/lowering_programs_test.cpp unit/jit/lowering_emit_test.cpp
          unit/jit/lowering_loops_test.cpp
  FLOORS jit inference engine gc support
  LIBRARIES LLVM TBB::tbb
  TIMEOUT 600)
target_include_directories(jit_lowering_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
# Nightly: 100,000 programs.
berth_test(jit_fuzz_test
  SOURCES unit/jit/lowering_fuzz_test.cpp unit/jit/lowering_osr_test.cpp
  FLOORS jit inference engine gc support
  LIBRARIES LLVM TBB::tbb
  TIMEOUT 36000)
target_include_directories(jit_fuzz_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_options(jit_fuzz_test PRIVATE -rdynamic)  # call.host finds functions of the test
berth_test(gc_generated_test
  SOURCES conformance/gc_generated_test.cpp
  FLOORS jit inference engine gc support
  LIBRARIES LLVM TBB::tbb)
target_include_directories(gc_generated_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_options(gc_generated_test PRIVATE -rdynamic)  # call.host finds functions of the test
