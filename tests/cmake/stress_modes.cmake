# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Contract row G51: the programs of both contract pages under each mode of BERTH_GC_STRESS, and what interprets programs, also under the
# modes that show a reference which does not follow its object, or a store without barrier; see tests/stress_modes.sh.
set(programs gc_conformance_test gc_handshake_test gc_stress_test gc_engine_test gc_waits_test gc_retirement_test engine_conformance_test
    engine_handover_test engine_memory_test engine_tbb_test engine_fibre_test)
set(interpreting inference_interpreter_test inference_interpreter_forms_test inference_runtime_test inference_program_test)
# Ten times slower under a sanitizer, past the watchdogs of the tests.
if(BERTH_SANITIZE)
  return()
endif()
foreach(program ${programs} ${interpreting})
  set(modes allocation transition poll handover recruit lose-notify:3 delay:20 move verify)
  if(program IN_LIST interpreting)
    list(APPEND modes move,verify,poll:13)
  endif()
  if(TARGET ${program})
    foreach(mode ${modes})
      string(REGEX REPLACE ":[0-9]+" "" name ${mode})
      string(REPLACE "," "_" name ${name})
      add_test(NAME StressMode.G51_${name}_${program}
               COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/stress_modes.sh $<TARGET_FILE:${program}> ${mode})
      set_tests_properties(StressMode.G51_${name}_${program} PROPERTIES TIMEOUT 300)
    endforeach()
  endif()
endforeach()
