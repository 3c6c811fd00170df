set(JIT_HOST host_backend.cpp)
