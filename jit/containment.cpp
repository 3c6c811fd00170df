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
thread_local berth_code_t current_code = BERTH_COMPILE_FAILED;

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
  });
}

ContainmentScope::ContainmentScope(Handler on_fatal) : on_fatal_(std::move(on_fatal)), previous_(current_handler) {
  current_handler = &on_fatal_;
}

ContainmentScope::~ContainmentScope() { current_handler = previous_; }

berth_code_t fatal_code() noexcept { return current_code; }
const char* compile_step() noexcept { return current_step; }
void set_compile_step(const char* step) noexcept { current_step = step; }

}  // namespace berth::jit
