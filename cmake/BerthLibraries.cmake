# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The two shared libraries, their exports, and what is installed.

set(BERTH_VERSION_SCRIPT ${PROJECT_SOURCE_DIR}/cmake/berth.map)

function(berth_shared_library target output alias)
  cmake_parse_arguments(LIB "" "" "FLOORS;SOURCES;PRIVATE" ${ARGN})
  add_library(${target} SHARED ${LIB_SOURCES})
  add_library(berth::${alias} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} EXPORT_NAME ${alias}
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  foreach(floor ${LIB_FLOORS})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:berth_${floor}>)
  endforeach()
  target_link_libraries(${target} PRIVATE ${LIB_PRIVATE})
  target_link_options(${target} PRIVATE -Wl,--version-script=${BERTH_VERSION_SCRIPT})
  if(NOT BERTH_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${BERTH_VERSION_SCRIPT})
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  berth_compile_options(${target})
endfunction()

berth_shared_library(berth_engine_library berth_engine engine
                     FLOORS engine gc support SOURCES ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp)
install(TARGETS berth_engine_library EXPORT berth-engine COMPONENT engine LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(BERTH_JIT)
  berth_shared_library(berth_library berth berth FLOORS jit inference engine gc support)
  install(TARGETS berth_library EXPORT berth-berth COMPONENT berth LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
