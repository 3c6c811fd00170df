# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if(BERTH_SANITIZE)
  return()
endif()
berth_test(bench_count_test SOURCES bench/count_test.cpp bench/count.cpp)
# Without LLVM: the benches of the reservation engine and of the collector, against libberth_engine.
find_package(CLI11 REQUIRED)
add_executable(berth-bench bench/main.cpp bench/count.cpp bench/reservation_bench.cpp bench/gc_bench.cpp)
target_include_directories(berth-bench PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(berth-bench PRIVATE CLI11::CLI11 fmt::fmt Threads::Threads)
berth_compile_options(berth-bench)
if(TARGET berth_library)
  target_sources(berth-bench PRIVATE bench/isolation_bench.cpp bench/jit_bench.cpp bench/jit_calls_bench.cpp bench/jit_scale_bench.cpp
    bench/cache_bench.cpp bench/raw_compiler.cpp bench/orc_lookup.cpp bench/poll_bench.cpp)
  target_compile_definitions(berth-bench PRIVATE BERTH_BENCH_JIT)
  target_include_directories(berth-bench SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_link_libraries(berth-bench PRIVATE berth::berth LLVM)
  add_dependencies(berth-bench berth_compile_worker)
else()
  target_link_libraries(berth-bench PRIVATE berth::engine)
endif()
# bench run: the reference language against the same in C and C++ by clang-22, whatever compiler builds the rest.
if(TARGET berth_library AND TARGET berth_lang)
  set(BERTH_BENCH ${CMAKE_CURRENT_SOURCE_DIR}/bench)
  target_sources(berth-bench PRIVATE bench/run_bench.cpp bench/kernel_bench.cpp bench/program_bench.cpp bench/start_bench.cpp)
  target_compile_definitions(berth-bench PRIVATE BERTH_BENCH_RUN "BERTH_BENCH_FOLDER=\"${BERTH_BENCH}\""
    "BERTH_BENCH_PROGRAMS=\"${PROJECT_SOURCE_DIR}/examples/lang/programs\"")
  add_executable(berth-bench-bare bench/start/bare_llvm.cpp)
  target_include_directories(berth-bench-bare SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_link_libraries(berth-bench-bare PRIVATE LLVM)
  berth_compile_options(berth-bench-bare)
  add_dependencies(berth-bench berth berth-bench-bare)
  target_compile_definitions(berth-bench PRIVATE "BERTH_BENCH_COMMAND=\"$<TARGET_FILE:berth>\""
    "BERTH_BENCH_BARE=\"$<TARGET_FILE:berth-bench-bare>\"")
  target_link_libraries(berth-bench PRIVATE berth_lang)
  find_program(BERTH_CLANG clang-22 DOC "clang whose code bench run compares with")
  # berth_twins(FOLDER LANGUAGE HEADER NAME..): FOLDER/NAME.LANGUAGE becomes part of the bench.
  function(berth_twins folder language header)
    set(options -O2 -march=native -ffp-contract=off -Wall -Wextra -Werror -fPIE -I${PROJECT_SOURCE_DIR})
    if(language STREQUAL cpp)
      list(APPEND options -std=c++20)
    endif()
    foreach(name ${ARGN})
      set(source ${BERTH_BENCH}/${folder}/${name}.${language})
      set(object ${CMAKE_CURRENT_BINARY_DIR}/${folder}/${name}.o)
      add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${folder}
        COMMAND ${BERTH_CLANG} ${options} -c ${source} -o ${object}
        DEPENDS ${source} ${BERTH_BENCH}/${folder}/${header})
      target_sources(berth-bench PRIVATE ${object})
    endforeach()
  endfunction()
  if(BERTH_CLANG)
    berth_twins(kernels c kernels.h saxpy dot sum stencil matmul mandelbrot nbody sieve histogram fannkuch collatz crc)
    berth_twins(programs cpp programs.hpp binary_trees collatz dispatch fannkuch10 hashes k_nucleotide mandelbrot matrix nbody primes
      recursive richards10000 spectral_norm wave)
    target_compile_definitions(berth-bench PRIVATE BERTH_BENCH_TWINS)
  endif()
endif()
