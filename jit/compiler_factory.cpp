// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler of libberth: a pool over the host back end.
#include <memory>

#include "jit/compile_pool.hpp"
#include "jit/host_backend.hpp"

namespace berth::engine {

std::unique_ptr<Compiler> make_compiler(Engine& engine, CompileSink& sink, const CompilerOptions& options) {
  return std::make_unique<jit::CompilePool>(sink, std::make_unique<jit::HostBackend>(&engine), options.threads);
}

}  // namespace berth::engine
