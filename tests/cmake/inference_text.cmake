# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
berth_test(inference_text_test
  SOURCES unit/inference/text_print_test.cpp unit/inference/text_parse_test.cpp unit/inference/text_verify_test.cpp
          support/interpreter_only.cpp
  FLOORS inference engine gc support)
