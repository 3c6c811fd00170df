set(INFERENCE_TYPES
  types.cpp type_lattice.cpp method_table.cpp back_edges.cpp
  control_flow.cpp prepare.cpp transfer.cpp call_resolution.cpp flow.cpp
  optimiser/body_effects.cpp optimiser/simplify.cpp optimiser/devirtualise.cpp optimiser/split_calls.cpp optimiser/inline_calls.cpp
  optimiser/forward_fields.cpp optimiser/dead_code.cpp optimiser/blocks.cpp optimiser/optimiser.cpp
  inference_stack.cpp inference.cpp)
