set(INFERENCE_RUNTIME
  arithmetic.cpp arrays.cpp code_choice.cpp errors.cpp execute.cpp execution.cpp interpreter.cpp interpreter_code.cpp
  interpreter_loop.cpp kernel_launch.cpp memory.cpp program.cpp program_api.cpp runtime.cpp strings.cpp task_group.cpp tasks.cpp)
