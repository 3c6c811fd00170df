// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worker service: what a compile worker does: takes orders from its socket, compiles, answers. Runs in a
// process that does nothing else.
//
// A fatal error of LLVM, or memory that is not to be had, is told and ends the process; so do the end of the
// socket and, should the parent be gone in the middle of a compile, the time allowed for that.
#pragma once
#include "jit/object_compiler.hpp"

namespace berth::jit {

/// Limits this process, then serves until the socket closes, on a thread with a compile thread's stack.
/// `hook` (may be empty) is called before each step, after its message: for tests. Threads: the only one.
/// Blocks: may wait, for orders. Errors: none; the result is the process' exit status.
int serve_compiles(int argc, char** argv, StepHook hook);

}  // namespace berth::jit

/// main() of the worker that is installed: arguments are the memory limit in bytes, and whether sources are
/// pre-checked.
extern "C" BERTH_API int berth_compile_worker(int argc, char** argv);
