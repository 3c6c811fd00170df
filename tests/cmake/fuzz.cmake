# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sequences of C API calls against a sequential model. berth-fuzz-driver runs the corpus and pseudo-random sequences in every preset;
# berth-fuzz is libFuzzer's program, in the preset `fuzz` (./dev fuzz).
add_executable(berth-fuzz-driver ${PROJECT_SOURCE_DIR}/tests/fuzz/driver.cpp ${PROJECT_SOURCE_DIR}/tests/fuzz/interpreter.cpp)
set(fuzz_programs berth-fuzz-driver)
if(BERTH_SANITIZE MATCHES "fuzzer")
  add_executable(berth-fuzz ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_target.cpp ${PROJECT_SOURCE_DIR}/tests/fuzz/interpreter.cpp)
  target_link_options(berth-fuzz PRIVATE -fsanitize=fuzzer)
  list(APPEND fuzz_programs berth-fuzz)
endif()
foreach(program ${fuzz_programs})
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${program} PRIVATE berth::engine Threads::Threads)
  berth_compile_options(${program})
endforeach()
add_test(NAME Fuzz.calls_agree_with_the_sequential_model
         COMMAND bash -c "exec $<TARGET_FILE:berth-fuzz-driver> ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus \$((BERTH_NIGHTLY ? 200000 : 4000))")
set_tests_properties(Fuzz.calls_agree_with_the_sequential_model PROPERTIES TIMEOUT 600 LABELS fuzz)
