# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The corpus: C programs through the engine, against what they print compiled ahead of time. Modules from clang -O0 are in the repository and
# always run; with clang-22 the build makes text and bitcode of -O0 and -O2, and the binaries.
set(BERTH_CORPUS ${PROJECT_SOURCE_DIR}/tests/corpus)
set(BERTH_CORPUS_PROGRAMS digest floats hash_table machine matrix recursion sort strings structs symbols thread_locals variadic vectors wide)
berth_test(jit_corpus_test
  SOURCES ${BERTH_CORPUS}/corpus_test.cpp ${BERTH_CORPUS}/module_runner.cpp
  LIBRARIES berth::berth)
target_compile_definitions(jit_corpus_test PRIVATE BERTH_CORPUS="${BERTH_CORPUS}")
add_executable(berth-corpus ${BERTH_CORPUS}/run_modules.cpp ${BERTH_CORPUS}/module_runner.cpp)
target_include_directories(berth-corpus PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(berth-corpus PRIVATE berth::berth Threads::Threads)
berth_compile_options(berth-corpus)

find_program(BERTH_CLANG clang-22)
if(NOT BERTH_CLANG)
  message(STATUS "clang-22 is not installed: of the corpus only the modules in the repository are run, and no random programs")
  return()
endif()
set(built ${CMAKE_CURRENT_BINARY_DIR}/corpus)
file(MAKE_DIRECTORY ${built})
set(flags -std=gnu11 -w -fcommon -ffp-contract=off)
set(outputs "")
foreach(program ${BERTH_CORPUS_PROGRAMS})
  set(source ${BERTH_CORPUS}/c/${program}.c)
  set(stem ${built}/${program})
  # -O0 marks every function as not to be optimised, which is not what this form is for.
  set(O0 -O0 -Xclang -disable-O0-optnone)
  set(O2 -O2)
  foreach(level O0 O2)
    foreach(form ll bc)
      set(as_text "")
      if(form STREQUAL ll)
        set(as_text -S)
      endif()
      add_custom_command(OUTPUT ${stem}.${level}.${form} DEPENDS ${source} VERBATIM
                         COMMAND ${BERTH_CLANG} ${flags} ${${level}} -emit-llvm ${as_text} -c -o ${stem}.${level}.${form} ${source})
      list(APPEND outputs ${stem}.${level}.${form})
    endforeach()
  endforeach()
  add_custom_command(OUTPUT ${stem} DEPENDS ${source} VERBATIM COMMAND ${BERTH_CLANG} ${flags} -O1 -o ${stem} ${source} -lm)
  list(APPEND outputs ${stem})
endforeach()
add_custom_target(berth_corpus_modules DEPENDS ${outputs})
add_dependencies(jit_corpus_test berth_corpus_modules)
target_compile_definitions(jit_corpus_test PRIVATE BERTH_CORPUS_BUILT="${built}")

# Random programs of csmith: at each tier the checksum of the ahead-of-time binary.
find_program(BERTH_CSMITH csmith)
if(BERTH_CSMITH)
  add_test(NAME JitCorpus.random_programs_have_the_checksum_of_their_binaries
           COMMAND ${BERTH_CORPUS}/random_programs.sh $<TARGET_FILE:berth-corpus> ${built}/random)
  set_tests_properties(JitCorpus.random_programs_have_the_checksum_of_their_binaries PROPERTIES TIMEOUT 3600)
else()
  message(STATUS "csmith is not installed: no random programs")
endif()
