set(INFERENCE_TYPES types.cpp type_lattice.cpp method_table.cpp back_edges.cpp)
