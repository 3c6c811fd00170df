set(INFERENCE_RUNTIME runtime.cpp)
