# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each public header alone in C and in C++, and the installed package.
foreach(header berth.h channel.h compiler.h config.h device.h engine.h error.h gc.h program.h reservation.h source.h thread.h)
  foreach(language c cpp)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.${language})
    file(CONFIGURE OUTPUT ${file} CONTENT "#include \"berth/@header@\"\n#include \"berth/@header@\"\n" @ONLY)
    list(APPEND header_sources ${file})
  endforeach()
endforeach()
add_library(berth_header_check OBJECT ${header_sources})
target_include_directories(berth_header_check PRIVATE ${PROJECT_SOURCE_DIR}/include)
berth_compile_options(berth_header_check)

if(TARGET berth_library AND NOT BERTH_SANITIZE)
  add_test(NAME Package.installs_and_serves_clients
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/package/run.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  set_tests_properties(Package.installs_and_serves_clients PROPERTIES TIMEOUT 300)
endif()
