# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if(TARGET berth_library AND NOT BERTH_SANITIZE)
  find_package(CLI11 REQUIRED)
  add_executable(berth-bench bench/main.cpp bench/reservation_bench.cpp bench/gc_bench.cpp bench/jit_bench.cpp)
  target_include_directories(berth-bench PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(berth-bench SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_link_libraries(berth-bench PRIVATE berth::berth CLI11::CLI11 fmt::fmt LLVM Threads::Threads)
  berth_compile_options(berth-bench)
endif()
