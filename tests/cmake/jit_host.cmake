# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The pool alone, with a stub generator: links no other part of jit/, so it also runs under ThreadSanitizer.
set(BERTH_JIT_DIR ${PROJECT_SOURCE_DIR}/jit)
berth_test(jit_pool_test
  ADDRESS_OPTIONS detect_leaks=0  # threads that LLVM ended, and forked children, keep what they own
  SOURCES ${PROJECT_SOURCE_DIR}/tests/unit/jit/compile_pool_test.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp ${BERTH_JIT_DIR}/compile_error.cpp
          ${BERTH_JIT_DIR}/compile_pool.cpp ${BERTH_JIT_DIR}/compile_pool_supervision.cpp ${BERTH_JIT_DIR}/compile_pool_threads.cpp
          ${BERTH_JIT_DIR}/compile_queue.cpp ${BERTH_JIT_DIR}/containment.cpp
  FLOORS engine_checked gc_checked support_checked
  LIBRARIES LLVM)
target_include_directories(jit_pool_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
berth_test(jit_host_test
  ADDRESS_OPTIONS detect_leaks=0  # threads that LLVM ended, and forked children, keep what they own
  SOURCES ${PROJECT_SOURCE_DIR}/tests/unit/jit/host_backend_test.cpp ${PROJECT_SOURCE_DIR}/tests/unit/jit/object_unit_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/unit/jit/host_target_test.cpp ${PROJECT_SOURCE_DIR}/tests/unit/jit/host_fork_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/unit/jit/object_compiler_test.cpp
  FLOORS jit inference engine gc support
  LIBRARIES LLVM TBB::tbb)
target_include_directories(jit_host_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
# Isolated compiles, with the right worker and with one that fails as it is told.
add_executable(berth-faulty-worker ${PROJECT_SOURCE_DIR}/tests/support/faulty_worker.cpp)
target_include_directories(berth-faulty-worker PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_include_directories(berth-faulty-worker SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(berth-faulty-worker PRIVATE berth_jit berth_inference berth_engine berth_gc berth_support LLVM TBB::tbb Threads::Threads)
berth_compile_options(berth-faulty-worker)
berth_test(jit_isolation_test
  ADDRESS_OPTIONS detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigill=0  # as jit_host_test; workers end by signals
  SOURCES ${PROJECT_SOURCE_DIR}/tests/unit/jit/isolated_compiler_test.cpp
  FLOORS jit inference engine gc support
  LIBRARIES LLVM TBB::tbb
  TIMEOUT 600)
target_include_directories(jit_isolation_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(jit_isolation_test PRIVATE BERTH_FAULTY_WORKER="$<TARGET_FILE:berth-faulty-worker>")
add_dependencies(jit_isolation_test berth-faulty-worker berth_compile_worker)
berth_test(jit_conformance_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/jit_test.cpp
  LIBRARIES berth::berth LLVM
  TIMEOUT 900)
target_include_directories(jit_conformance_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
berth_test(jit_isolation_conformance_test
  ADDRESS_OPTIONS detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigill=0  # as above
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/jit_isolation_test.cpp
  LIBRARIES berth::berth)
target_compile_definitions(jit_isolation_conformance_test PRIVATE BERTH_FAULTY_WORKER="$<TARGET_FILE:berth-faulty-worker>")
add_dependencies(jit_isolation_conformance_test berth-faulty-worker berth_compile_worker)
# The object cache without compiler and linker.
berth_test(jit_store_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/unit/jit/file_store_test.cpp ${PROJECT_SOURCE_DIR}/tests/unit/jit/object_cache_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/unit/jit/unit_format_test.cpp ${BERTH_JIT_DIR}/cache_key.cpp ${BERTH_JIT_DIR}/file_store.cpp
          ${BERTH_JIT_DIR}/object_cache.cpp ${BERTH_JIT_DIR}/object_image.cpp ${BERTH_JIT_DIR}/object_unit.cpp ${BERTH_JIT_DIR}/unit_format.cpp ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp
  FLOORS engine_checked gc_checked support_checked
  LIBRARIES LLVM)
target_include_directories(jit_store_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
berth_test(jit_source_test
  ADDRESS_OPTIONS detect_leaks=0  # forked children keep what they own
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/jit_source_test.cpp
  LIBRARIES berth::berth)
berth_test(jit_cache_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/jit_cache_test.cpp
  FLOORS jit inference engine gc support
  LIBRARIES LLVM TBB::tbb)
target_include_directories(jit_cache_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
# Replaces operator new, as the sanitizers' runtimes do.
if(NOT BERTH_SANITIZE)
  berth_test(jit_memory_test
    SOURCES ${PROJECT_SOURCE_DIR}/tests/unit/jit/host_memory_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/failing_new.cpp
    FLOORS jit inference engine gc support
    LIBRARIES LLVM TBB::tbb)
  target_include_directories(jit_memory_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
endif()
berth_test(jit_code_memory_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/unit/jit/code_memory_test.cpp
  FLOORS jit inference engine gc support
  LIBRARIES LLVM TBB::tbb)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
berth_test(jit_code_test
  SOURCES ${PROJECT_SOURCE_DIR}/tests/conformance/jit_code_test.cpp
  LIBRARIES berth::berth Boost::context)
