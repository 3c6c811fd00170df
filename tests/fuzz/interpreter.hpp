// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interpreter: reads bytes as calls of the C API on one engine, makes each on the model too, and compares
// what they say. A difference prints the calls so far and aborts.
//
// One native thread. An agent that waits has park hooks: its park reads on, as another agent, and returns
// when the agent was served, was cancelled, or for no reason; so agents wait inside each other, and rings
// close. Bytes that are over read as 0.
#pragma once
#include <cstddef>
#include <cstdint>

namespace berth::fuzz {

/// Threads: one at a time. Returns how many calls were made.
size_t interpret(const uint8_t* bytes, size_t size);

}  // namespace berth::fuzz
