// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels: on the program's device, or interpreted lane by lane between barriers.
//
// Interpreted, all lanes run on the calling thread: those of a block up to their barrier, in the order asked
// for, then on; a block's barrier opens when all its lanes are at it or done, the grid's when all are.
// Buffers must be visible to the host.
#pragma once
#include <span>
#include <string>

#include "inference/runtime.hpp"

namespace berth::inference {

enum class LaneOrder : uint8_t { Ascending, Descending, Random };

/// As the launch statement: interpreted at tier INTERPRET where the buffers allow it, else by RuntimeCalls.
/// `arguments` are rooted. Threads: attached. Blocks: may wait, for the launch. GC: unsafe; safe while
/// waiting. False: raised.
bool launch_kernel(gc::Thread& thread, Runtime& runtime, const std::string& kernel, const uint64_t blocks[3],
                   const uint64_t lanes[3], std::span<const Value> arguments, const Position* at);
/// As above, always interpreted. `seed`: of Random.
bool interpret_kernel(gc::Thread& thread, Runtime& runtime, const Method& kernel, const uint64_t blocks[3],
                      const uint64_t lanes[3], std::span<const Value> arguments, LaneOrder order,
                      uint64_t seed, const Position* at);

}  // namespace berth::inference
