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

set(BERTH_COMPONENTS engine)
berth_shared_library(berth_engine_library berth_engine engine
                     FLOORS engine gc support SOURCES ${PROJECT_SOURCE_DIR}/engine/no_compiler.cpp)
if(BERTH_JIT)
  list(APPEND BERTH_COMPONENTS berth)
  berth_shared_library(berth_library berth berth FLOORS jit inference engine gc support)
endif()

# The worker of isolated compiles: a program around the library, which the library starts.
if(BERTH_JIT)
  add_executable(berth_compile_worker ${PROJECT_SOURCE_DIR}/jit/worker_main.cpp)
  file(RELATIVE_PATH library_from_worker ${CMAKE_INSTALL_FULL_LIBEXECDIR}/berth ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(berth_compile_worker PROPERTIES OUTPUT_NAME berth-compile-worker INSTALL_RPATH "$ORIGIN/${library_from_worker}")
  target_link_libraries(berth_compile_worker PRIVATE berth_library)
  berth_compile_options(berth_compile_worker)
  install(TARGETS berth_compile_worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/berth)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/berth)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/berth DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(component ${BERTH_COMPONENTS})
  if(component STREQUAL berth)
    set(library berth_library)
  else()
    set(library berth_engine_library)
  endif()
  install(TARGETS ${library} EXPORT berth-${component} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT berth-${component} NAMESPACE berth:: FILE berth-${component}-targets.cmake DESTINATION ${package_folder})
endforeach()

# pkg-config files name the prefix, which is known at install time only.
function(berth_pkg_config name library description)
  install(CODE "
    set(BERTH_PC_NAME ${name})
    set(BERTH_PC_LIBRARY ${library})
    set(BERTH_PC_DESCRIPTION \"${description}\")
    set(PROJECT_VERSION ${PROJECT_VERSION})
    set(CMAKE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
    set(CMAKE_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
    get_filename_component(CMAKE_INSTALL_PREFIX \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/berth.pc.in
                   \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/${name}.pc\" @ONLY)")
endfunction()
berth_pkg_config(berth-engine berth_engine "Reservation engine and collector for language runtimes")
if(BERTH_JIT)
  berth_pkg_config(berth berth "JIT compilation engine with reservation locks")
endif()

include(CMakePackageConfigHelpers)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/berthConfig.cmake.in ${PROJECT_BINARY_DIR}/berthConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/berthConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/berthConfig.cmake ${PROJECT_BINARY_DIR}/berthConfigVersion.cmake DESTINATION ${package_folder})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/berth)
