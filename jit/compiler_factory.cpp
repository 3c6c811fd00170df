// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler of libberth: a pool over the host back end.
#include <memory>

#include "jit/compile_pool.hpp"
#include "jit/host_backend.hpp"
#include "jit/target_tools.hpp"

namespace berth::engine {

Result<void> check_target(const TargetChoice& target) {
  auto found = jit::HostTarget::detect(target);
  return found.has_error() ? Result<void>(std::move(found).assume_error()) : success();
}

std::unique_ptr<Compiler> make_compiler(Engine& engine, CompileSink& sink, const CompilerOptions& options) {
  jit::HostBackend::Options backend;
  backend.target = options.target;
  backend.limit_bytes = options.code_limit_bytes;
  backend.reclaim_thread = options.threads != 0;
  backend.isolate_all = options.containment == BERTH_CONTAINMENT_PROCESS;
  backend.isolation.worker.executable = options.compile_worker;
  // Without compile threads nobody would run a promotion, as nobody waits for it.
  if (options.threads != 0) {
    backend.promote = [&engine](CodeInstance& instance) {
      static_cast<void>(engine.request_tier(instance, BERTH_TIER_OPTIMIZED).has_error());
    };
  }
  if (!options.cache_directory.empty()) {
    backend.cache.emplace();
    backend.cache->directory = options.cache_directory;
    backend.cache->has_thread = options.threads != 0;
    backend.traits = engine.options().traits;
  }
  jit::CompilePool::Limits limits;
  limits.budgets = options.budgets;
  return std::make_unique<jit::CompilePool>(
      sink, std::make_unique<jit::HostBackend>(&engine, std::move(backend)), options.threads, limits);
}

}  // namespace berth::engine
