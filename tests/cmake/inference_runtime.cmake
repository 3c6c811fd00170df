if(BERTH_JIT)
  foreach(test interpreter interpreter_forms runtime program)
    berth_test(inference_${test}_test
      SOURCES unit/inference/${test}_test.cpp support/interpreter_only.cpp
      FLOORS inference engine gc support
      LABELS inference)
    target_link_libraries(inference_${test}_test PRIVATE ${CMAKE_DL_LIBS})
    target_link_options(inference_${test}_test PRIVATE -rdynamic)  # call.host finds functions of the test
  endforeach()
endif()
