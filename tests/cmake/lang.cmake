# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The reference language: its front end by itself; then the command, as a user has it: programs, bad inputs, the prompt.
if(NOT TARGET berth_lang)
  return()
endif()
set(BERTH_LANG_TESTS ${PROJECT_SOURCE_DIR}/tests/lang)
berth_test(lang_test
  SOURCES ${BERTH_LANG_TESTS}/parser_test.cpp ${BERTH_LANG_TESTS}/lowering_test.cpp
  LIBRARIES berth_lang)

function(berth_lang_command name)
  cmake_parse_arguments(TEST "" "RC;ERROR;OUTPUT;INPUT;GARBAGE;HAS;TIMEOUT" "ARGUMENTS" ${ARGN})
  set(definitions -DRC=${TEST_RC})
  foreach(key ERROR OUTPUT INPUT GARBAGE HAS)
    if(DEFINED TEST_${key})
      list(APPEND definitions "-D${key}=${TEST_${key}}")
    endif()
  endforeach()
  list(JOIN TEST_ARGUMENTS "|" arguments)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} ${definitions} "-DCOMMAND=$<TARGET_FILE:berth>|${arguments}"
                                -P ${BERTH_LANG_TESTS}/expect.cmake)
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS lang)
endfunction()

# Row I63: each program at each tier, alone; then all of them in one engine on 8 threads, but the long ones interpreted.
set(programs ${PROJECT_SOURCE_DIR}/examples/lang/programs)
set(short_programs nbody spectral_norm fannkuch7 mandelbrot binary_trees k_nucleotide queens matrix richards even_odd hofstadter recursion
    primes hashes wave wave_kernel)
set(long_programs fannkuch10 queens12 richards10000 collatz)
set(short_files "")
foreach(program ${short_programs})
  list(APPEND short_files ${programs}/${program}.bth)
endforeach()
set(all_files ${short_files})
foreach(program ${long_programs})
  list(APPEND all_files ${programs}/${program}.bth)
endforeach()
foreach(tier interpret fast optimized adaptive)
  foreach(program ${short_programs} ${long_programs})
    berth_lang_command(Inference.I63_${program}_${tier} RC 0 OUTPUT ${programs}/${program}.out TIMEOUT 300
                       ARGUMENTS run ${programs}/${program}.bth --tier ${tier})
  endforeach()
endforeach()
foreach(tier interpret fast optimized adaptive)
  berth_lang_command(Inference.I63_features_${tier} RC 0 ARGUMENTS run ${BERTH_LANG_TESTS}/features.bth --tier ${tier} --threads 4)
endforeach()
berth_lang_command(Inference.I63_threads_8_interpret RC 0 TIMEOUT 600 ARGUMENTS run ${short_files} --tier interpret --threads 8)
foreach(tier fast optimized adaptive)
  berth_lang_command(Inference.I63_threads_8_${tier} RC 0 TIMEOUT 600 ARGUMENTS run ${all_files} --tier ${tier} --threads 8)
endforeach()

# Rows G40, G41: every object moves at every collection, every reference store is checked; at allocations, polls and leaves of safe regions.
if(BERTH_CHECKS)
  foreach(tier interpret fast optimized adaptive)
    foreach(program features ${short_programs})
      set(folder ${programs})
      if(program STREQUAL features)
        set(folder ${BERTH_LANG_TESTS})
      endif()
      set(test Gc.G40_G41_${program}_${tier})
      berth_lang_command(${test} RC 0 OUTPUT ${folder}/${program}.out TIMEOUT 600 ARGUMENTS run ${folder}/${program}.bth --tier ${tier})
      set_tests_properties(${test} PROPERTIES ENVIRONMENT "BERTH_GC_STRESS=move,verify,allocation:10007,poll:50021,transition:101")
    endforeach()
  endforeach()
endif()

# Bad input is one line and exit code 1, at each tier.
set(bad ${BERTH_LANG_TESTS}/bad)
set(bad_inputs
    "syntax.bth|syntax.bth:4:1: unexpected '}', expected" "syntax2.bth|syntax2.bth:3:9: unexpected a number, expected '='"
    "type_error.bth|type: expected i64, got string" "unknown_method.bth|no method f.i64." "undefined_function.bth|no method missing.i64, string."
    "unknown_name.bth|unknown_name.bth:2:19: unknown name missing, expected" "unknown_type.bth|unknown type Missing, expected"
    "second_assignment.bth|second assignment to x, expected" "division.bth|division.bth:2: division by zero" "recursion.bth|stack overflow"
    "index.bth|index 10 of 10" "thrown.bth|as wished" "no_main.bth|main" "broken.bir|broken.bir:" "wrong_output.bth|line 1 is 'two', expected 'one'"
    "not_llvm.ll|expected" "assembly.ll|inline asm" "no_main.ll|main" "missing.bth|cannot be read|No such file")
foreach(tier interpret fast optimized)
  foreach(input ${bad_inputs})
    string(REGEX MATCH "^[^|]*" file ${input})
    string(REGEX REPLACE "^[^|]*[|]" "" expected ${input})
    string(REPLACE "." "_" label ${file})
    berth_lang_command(Inference.I64_bad_${label}_${tier} RC 1 ERROR ${expected} ARGUMENTS run ${bad}/${file} --tier ${tier})
  endforeach()
endforeach()
berth_lang_command(Inference.I3_bad_garbage_bth RC 1 ERROR "garbage.bth:1:" GARBAGE ${CMAKE_CURRENT_BINARY_DIR}/garbage.bth
                   ARGUMENTS run ${CMAKE_CURRENT_BINARY_DIR}/garbage.bth TIMEOUT 30)
berth_lang_command(Inference.I3_bad_garbage_bir RC 1 ERROR "garbage.bir:1:" GARBAGE ${CMAKE_CURRENT_BINARY_DIR}/garbage.bir
                   ARGUMENTS run ${CMAKE_CURRENT_BINARY_DIR}/garbage.bir TIMEOUT 30)
berth_lang_command(Inference.I3_bad_garbage_ll RC 1 ERROR "." GARBAGE ${CMAKE_CURRENT_BINARY_DIR}/garbage.ll
                   ARGUMENTS run ${CMAKE_CURRENT_BINARY_DIR}/garbage.ll TIMEOUT 30)

# Row J75: each program, compiled and then loaded by another process, prints the same; the second compiles next to nothing.
foreach(tier optimized adaptive)
  add_test(NAME Jit.J75_programs_are_loaded_by_the_next_process_${tier}
           COMMAND bash ${BERTH_LANG_TESTS}/cached.sh $<TARGET_FILE:berth> ${tier} ${programs} ${short_programs})
  set_tests_properties(Jit.J75_programs_are_loaded_by_the_next_process_${tier} PROPERTIES TIMEOUT 300 LABELS lang)
endforeach()

# The other kinds of files, the prompt, what is shown.
berth_lang_command(Inference.I63_ir_file RC 0 HAS "^42\n$" ARGUMENTS run ${BERTH_LANG_TESTS}/answer.bir)
berth_lang_command(Inference.I63_llvm_file RC 0 HAS "^42\n$" ARGUMENTS run ${BERTH_LANG_TESTS}/answer.ll --threads 4)
berth_lang_command(Inference.I73_prompt_session RC 0 INPUT ${BERTH_LANG_TESTS}/session.txt OUTPUT ${BERTH_LANG_TESTS}/session.out ARGUMENTS repl)
berth_lang_command(Inference.I15_emit_ir RC 0 HAS "method even" ARGUMENTS emit ${programs}/even_odd.bth "even(i64)" --as ir)
berth_lang_command(Inference.I15_emit_typed_ir RC 0 HAS "bool" ARGUMENTS emit ${programs}/even_odd.bth "even(i64)" --as typed-ir)
berth_lang_command(Inference.I15_emit_llvm RC 0 HAS "define" ARGUMENTS emit ${programs}/even_odd.bth "even(i64)" --as llvm)
berth_lang_command(Inference.I15_emit_asm RC 0 HAS "ret" ARGUMENTS emit ${programs}/even_odd.bth "even(i64)" --as asm)
berth_lang_command(Device.D1_command_lists_devices RC 0 HAS "host" ARGUMENTS devices)

# Calls between methods of one recursion are bound on the way down, not when the first call returns: 10,000 frames fit into 4 MiB.
foreach(tier fast optimized)
  add_test(NAME Jit.J39_mutual_recursion_binds_its_calls_at_once_${tier}
           COMMAND bash -c "ulimit -s 4096 && exec $<TARGET_FILE:berth> run ${programs}/even_odd.bth --tier ${tier}")
  set_tests_properties(Jit.J39_mutual_recursion_binds_its_calls_at_once_${tier} PROPERTIES TIMEOUT 60)
endforeach()

add_test(NAME Jit.J73_berth_run_writes_a_trace_that_loads
         COMMAND ${CMAKE_COMMAND} -DBERTH=$<TARGET_FILE:berth> -DFILE=${programs}/queens.bth -DTRACE=${PROJECT_BINARY_DIR}/queens.trace.json
                                  -P ${BERTH_LANG_TESTS}/trace.cmake)
set_tests_properties(Jit.J73_berth_run_writes_a_trace_that_loads PROPERTIES TIMEOUT 120 LABELS lang)
