set(INFERENCE_TEXT ir.cpp)
