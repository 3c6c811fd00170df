# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
berth_test(inference_types_test
  SOURCES unit/inference/types_test.cpp unit/inference/lattice_test.cpp unit/inference/method_table_test.cpp
          unit/inference/inference_test.cpp unit/inference/optimiser_test.cpp support/interpreter_only.cpp
  FLOORS inference engine gc support)
