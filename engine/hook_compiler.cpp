// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/hook_compiler.hpp"

#include <fmt/format.h>

#include "engine/handles.hpp"
#include "gc/parker.hpp"

namespace berth::engine {

HookCompiler::HookCompiler(const berth_compiler_hooks_t& hooks, void* context, CompileSink& sink, MakeCode make_code,
                           std::unique_ptr<Compiler> next)
    : hooks_(hooks), context_(context), sink_(sink), make_code_(std::move(make_code)), next_(std::move(next)) {}

Result<void> HookCompiler::submit(CompileJob job) {
  if (job.source->body->kind() != BodyKind::Opaque) {
    if (next_) return next_->submit(std::move(job));
    return make_error(BERTH_UNSUPPORTED, "compile", "only opaque sources have a compiler here", "link libberth for LLVM sources");
  }
  if (!sink_.claim(*job.instance)) {
    sink_.dropped(*job.instance);
    return success();
  }
  auto* handle = new berth_job{std::move(job), *this};
  {
    const sync::Lock lock(mutex_);
    ++unanswered_;
  }
  try {
    hooks_.submit(context_, handle);
  } catch (...) {
    // A hook in C++ that throws has not answered the job.
    fail(handle, "the compiler's submit hook threw an exception");
  }
  return success();
}

bool HookCompiler::help(CodeInstance& instance, const Deadline& deadline) {
  if (hooks_.help) {
    int64_t timeout_ns = -1;
    if (!deadline.is_never()) {
      timeout_ns = std::max<int64_t>(0, std::chrono::nanoseconds(deadline.time() - sync::Clock::now()).count());
    }
    if (hooks_.help(context_, to_handle(&instance), timeout_ns)) return true;
  }
  return next_ && next_->help(instance, deadline);
}

void HookCompiler::lift(CodeInstance& instance, Priority priority) {
  if (hooks_.lift) hooks_.lift(context_, to_handle(&instance), static_cast<uint32_t>(priority));
  if (next_) next_->lift(instance, priority);
}

void HookCompiler::cancel(CodeInstance& instance) {
  if (hooks_.cancel) hooks_.cancel(context_, to_handle(&instance));
  if (next_) next_->cancel(instance);
}

void HookCompiler::retire(Code* code) {
  if (code->convention != kConvention) {
    if (next_) next_->retire(code);
    return;
  }
  // The record stays until the engine ends: an unlocked reader may be on it.
  if (hooks_.retire && code->backend) hooks_.retire(context_, code->backend);
}

void HookCompiler::stop(StopMode mode) {
  if (hooks_.stop) hooks_.stop(context_, mode == StopMode::Drain);
  {
    // The embedder's threads may be inside an answer, which uses the engine: it must not go before they leave.
    sync::Lock lock(mutex_);
    while (unanswered_ != 0) all_answered_.wait_until(lock, sync::Clock::now() + gc::kParkSlice);
  }
  if (next_) next_->stop(mode);
}

// The last access of an answer to the engine: under the lock, which stop takes after it.
void HookCompiler::answered() {
  const sync::Lock lock(mutex_);
  if (--unanswered_ == 0) all_answered_.notify_all();
}

Result<void> HookCompiler::define_symbol(const char* name, void* address) {
  if (next_) return next_->define_symbol(name, address);
  return make_error(BERTH_UNSUPPORTED, fmt::format("define symbol \"{}\"", name), "this engine has no linker",
                    "link libberth, or resolve symbols in your own code generator");
}

bool HookCompiler::has_threads() const noexcept { return !hooks_.help || (next_ && next_->has_threads()); }

void HookCompiler::publish(berth_job_t* job, void* entry, void* backend) noexcept {
  if (!entry) return fail(job, "the compiler published no entry; call berth_job_fail with the reason");
  std::unique_ptr<berth_job> owned(job);
  Code* code = make_code_(entry, backend);
  if (sink_.published(*job->job.instance, code)) compiled_.fetch_add(1, std::memory_order_relaxed);
  owned.reset();
  answered();
}

void HookCompiler::fail(berth_job_t* job, const char* message) noexcept {
  std::unique_ptr<berth_job> owned(job);
  sink_.failed(*job->job.instance,
               make_error(BERTH_COMPILE_FAILED, fmt::format("compiling \"{}\"", job->job.label),
                          message && *message ? message : "the compiler gave no reason", ""), false);
  owned.reset();
  answered();
}

}  // namespace berth::engine
