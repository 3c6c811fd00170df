// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/containment.hpp"

#include <pthread.h>
#include <unistd.h>

#include <llvm/Support/ErrorHandling.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace berth::jit {
namespace {

thread_local const ContainmentScope::Handler* current_handler = nullptr;
thread_local const char* current_step = "start";
thread_local berth_code_t current_code = BERTH_COMPILE_FAILED;

// The process's end against threads inside LLVM: each raises its flag, then looks at the other's.
// Sequentially consistent, so one of them sees the other.
std::atomic<unsigned> compiling{0};
std::atomic<bool> has_ended{false};
// Written by exit, read on the same thread.
int exit_status = 0;
bool is_exiting = false;

// Before LLVM's static objects go, which threads in the middle of a compile use: nobody could stop them, and
// they would crash. What is left of exit then is left out: those objects, and the standard streams' end,
// which is done here.
__attribute__((destructor)) void end_before_llvm() {
  if (!is_exiting) return;  // the library is unloaded
  has_ended.store(true);
  if (compiling.load() == 0) return;
  static_cast<void>(std::fflush(nullptr));
  _exit(exit_status);
}

void on_fatal_error(void* code, const char* reason, bool) {
  current_code = *static_cast<const berth_code_t*>(code);
  if (current_handler) (*current_handler)(reason);
  // Not ours: what LLVM prints without a handler. It then aborts or exits by itself.
  const char* const parts[] = {"LLVM ERROR: ", reason, "\n"};
  for (const char* part : parts) {
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) return;
  }
}

}  // namespace

void install_containment() {
  static std::once_flag once;
  std::call_once(once, [] {
    static berth_code_t failed = BERTH_COMPILE_FAILED, no_memory = BERTH_OUT_OF_MEMORY;
    llvm::install_fatal_error_handler(&on_fatal_error, &failed);
    llvm::install_bad_alloc_error_handler(&on_fatal_error, &no_memory);
    static_cast<void>(on_exit(
        [](int status, void*) {
          exit_status = status;
          is_exiting = true;
        },
        nullptr));
    static_cast<void>(
        pthread_atfork(nullptr, nullptr, [] { compiling.store(0); }));  // the child has no such thread
  });
}

ContainmentScope::ContainmentScope(Handler on_fatal)
    : on_fatal_(std::move(on_fatal)), previous_(current_handler) {
  current_handler = &on_fatal_;
  compiling.fetch_add(1);
  while (has_ended.load()) pause();
}

ContainmentScope::~ContainmentScope() {
  current_handler = previous_;
  compiling.fetch_sub(1);
}

void stay_out_of_compiler() noexcept { compiling.fetch_sub(1); }

berth_code_t fatal_code() noexcept { return current_code; }
const char* compile_step() noexcept { return current_step; }
void set_compile_step(const char* step) noexcept { current_step = step; }

}  // namespace berth::jit
