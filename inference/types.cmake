set(INFERENCE_TYPES types.cpp)
