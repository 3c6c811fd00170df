# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Host back end: pool, containment, code generation, linking, call slots.
set(JIT_HOST
  awaited_call.cpp
  cache_key.cpp
  cached_request.cpp
  call_slot.cpp
  code_units.cpp
  compile_error.cpp
  compile_pool.cpp
  compile_pool_supervision.cpp
  compile_pool_threads.cpp
  compile_queue.cpp
  compiler_factory.cpp
  containment.cpp
  edge_lowering.cpp
  field_relaxation.cpp
  file_store.cpp
  host_backend.cpp
  isolated_compiler.cpp
  linker.cpp
  object_cache.cpp
  object_compiler.cpp
  object_image.cpp
  object_unit.cpp
  observers/debug_object.cpp
  observers/gdb_observer.cpp
  observers/jit_dump.cpp
  observers/loaded_unit.cpp
  observers/method_names.cpp
  observers/observers.cpp
  observers/perf_observer.cpp
  observers/step_clock.cpp
  observers/unwind_records.cpp
  observers/vtune_observer.cpp
  pre_check.cpp
  runtime_library.cpp
  slab_memory.cpp
  source_api.cpp
  target_tools.cpp
  thrown_exceptions.cpp
  tier_counter.cpp
  unit_format.cpp
  unwind_registry.cpp
  worker_message.cpp
  worker_process.cpp
  worker_service.cpp)
# Where an installed library finds its compile worker.
file(RELATIVE_PATH BERTH_WORKER_FROM_LIBRARY ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/berth/berth-compile-worker)
set_source_files_properties(worker_process.cpp PROPERTIES COMPILE_DEFINITIONS BERTH_WORKER_FROM_LIBRARY="${BERTH_WORKER_FROM_LIBRARY}")
