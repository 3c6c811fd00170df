// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Containment: a fatal error of LLVM fails one compile, not the process.
//
// One process-wide handler asks the thread what it is doing. A thread of a pool fails its job and parks for
// ever: LLVM must not be returned to, and its context and target machine are private to the thread. A thread
// of the embedder that compiles in place (no compile threads, back-pressure) leaves by FatalEscape, which
// unwinds LLVM's frames without running anything of them; what the compile owned is leaked on purpose. On
// threads that compile nothing the handler reports to stderr and LLVM ends the process, as it would without
// Berth.
#pragma once
#include <functional>
#include <string>

#include "berth/error.h"

namespace berth::jit {

struct FatalEscape {
  std::string text;
};

/// Installs the handlers, once per process. Threads: any. Blocks: short.
void install_containment();

/// While it lives, the process's exit does not wait for this thread, and ends before LLVM's own objects do.
/// And a fatal error of LLVM on this thread goes to `on_fatal`, which does not return normally.
class ContainmentScope {
 public:
  using Handler = std::function<void(const char* text)>;
  explicit ContainmentScope(Handler on_fatal);
  ~ContainmentScope();
  ContainmentScope(const ContainmentScope&) = delete;
  ContainmentScope& operator=(const ContainmentScope&) = delete;

 private:
  Handler on_fatal_;
  const Handler* previous_;
};

/// What this thread's last fatal error was: COMPILE_FAILED, or OUT_OF_MEMORY if LLVM had no memory.
berth_code_t fatal_code() noexcept;
/// In a scope that never ends: the thread does not run LLVM again, and the process's exit need not heed it.
/// Once. Threads: any. Blocks: never.
void stay_out_of_compiler() noexcept;

/// The step this thread's compile is in, for the error's text. Never null.
const char* compile_step() noexcept;
void set_compile_step(const char* step) noexcept;

}  // namespace berth::jit
