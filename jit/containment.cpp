// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/containment.hpp"

#include <unistd.h>

#include <cstring>
#include <llvm/Support/ErrorHandling.h>
#include <mutex>

namespace berth::jit {
namespace {

thread_local const ContainmentScope::Handler* current_handler = nullptr;
thread_local const char* current_step = "start";

void on_fatal_error(void*, const char* reason, bool) {
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
    llvm::install_fatal_error_handler(&on_fatal_error);
    llvm::install_bad_alloc_error_handler(&on_fatal_error);
  });
}

ContainmentScope::ContainmentScope(Handler on_fatal) : on_fatal_(std::move(on_fatal)), previous_(current_handler) {
  current_handler = &on_fatal_;
}

ContainmentScope::~ContainmentScope() { current_handler = previous_; }

const char* compile_step() noexcept { return current_step; }
void set_compile_step(const char* step) noexcept { current_step = step; }

}  // namespace berth::jit
