# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
berth_test(inference_text_test
  SOURCES unit/inference/text_print_test.cpp unit/inference/text_parse_test.cpp unit/inference/text_verify_test.cpp
          support/interpreter_only.cpp
  FLOORS inference engine gc support)

# What the front end of the reference language writes.
if(TARGET berth_lang)
  berth_test(inference_text_programs_test
    SOURCES unit/inference/text_programs_test.cpp support/interpreter_only.cpp
    FLOORS inference engine gc support
    LIBRARIES berth_lang)
  target_compile_definitions(inference_text_programs_test
    PRIVATE BERTH_PROGRAMS="${PROJECT_SOURCE_DIR}/examples/lang/programs")
endif()
