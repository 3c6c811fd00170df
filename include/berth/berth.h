// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * @mainpage Berth: a JIT compilation engine with reservation locks
 *
 * This header includes all others but berth/llvm.h, which needs LLVM's headers. berth/berth.hpp is the C++
 * (RAII) twin.
 *
 * **Install.** `./dev install PREFIX`, or CMake's install step; or add_subdirectory.
 *
 * **Link.** `find_package(berth REQUIRED COMPONENTS berth)` and `berth::berth`; without LLVM COMPONENTS
 * engine and `berth::engine`. Or `pkg-config --cflags --libs berth` (`berth-engine`). A program links one of
 * the two; the engine alone has berth/config.h, error.h, engine.h, gc.h, thread.h, reservation.h, compiler.h,
 * and of source.h all but LLVM sources.
 *
 * **Threads.** A thread that reserves, allocates or calls programs attaches first (berth/thread.h). Attached
 * it is *unsafe*: it may touch managed objects and a collection waits for it; it polls, and wraps what blocks
 * in a safe region. Each function says in these words what it expects:
 *  - Threads: `any`; `owner`: the thread that the handle was attached on; `one at a time`: the caller
 *    excludes other calls.
 *  - Blocks: `never`; `short`: a lock, bounded work; `may wait`, and for what.
 *  - GC: the state of the calling thread. `any, kept`: unchanged, no poll; `unsafe; safe while waiting`: it
 *    polls and may collect; `must be safe`; `collector only`. A thread that is not attached counts as safe.
 *
 * **Ownership.** Handles are opaque. `_new` and `_delete` come in pairs, `_delete(NULL)` does nothing. Owns
 * says, per argument: `borrowed` (for the call, if no longer time is named), `consumed` (also on error),
 * `returned, release with`. Everything made of an engine is deleted before it. An argument is NULL only where
 * its comment allows it. Structs that begin with `struct_size` take sizeof the struct there, so that they can
 * grow.
 *
 * **Errors.** A fallible function returns NULL for success, else an error that the caller deletes with
 * berth_error_delete; out parameters come last and are untouched on error. Every fallible function can also
 * return BERTH_OUT_OF_MEMORY, and BERTH_INTERNAL for a defect of Berth. A broken contract (a wrong thread,
 * leaving twice) ends the process in builds with checks; else it is BERTH_INVALID_ARGUMENT, or ignored and
 * counted (`berth_gc_misuses_total`) where nothing is returned.
 *
 * **Times.** Timeouts are nanoseconds of the steady clock: -1 for ever, 0 do not wait.
 */
#ifndef BERTH_BERTH_H
#define BERTH_BERTH_H

#include "berth/channel.h"
#include "berth/compiler.h"
#include "berth/config.h"
#include "berth/device.h"
#include "berth/engine.h"
#include "berth/error.h"
#include "berth/gc.h"
#include "berth/program.h"
#include "berth/reservation.h"
#include "berth/source.h"
#include "berth/thread.h"

#endif
