// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/hook_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/handles.hpp"
#include "gc/parker.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

HookCompiler::HookCompiler(const berth_compiler_hooks_t& hooks, void* context, CompileSink& sink,
                           MakeCode make_code, std::unique_ptr<Compiler> next)
    : hooks_(hooks),
      context_(context),
      sink_(sink),
      make_code_(std::move(make_code)),
      next_(std::move(next)) {}

Result<void> HookCompiler::submit(CompileJob job) {
  if (job.source->body->kind() != BodyKind::Opaque) {
    if (next_) return next_->submit(std::move(job));
    return make_error(BERTH_UNSUPPORTED, "compile", "only opaque sources have a compiler here",
                      "link libberth for LLVM sources");
  }
  const uint64_t number = [&] {
    const sync::Lock lock(mutex_);
    return *unanswered_.insert(next_job_++).first;
  }();
  std::unique_ptr<berth_job> handle;
  try {
    handle.reset(new berth_job{std::move(job), *this, number});
  } catch (...) {
    answered(number);
    throw;
  }
  CodeInstance& instance = *handle->job.instance;
  if (!sink_.claim(instance)) {
    sink_.dropped(instance);
    sink_.release(std::move(handle->job.instance));
    answered(number);
    return success();
  }
  berth_job* const given = handle.release();
  try {
    hooks_.submit(context_, given);
  } catch (...) {
    // What a hook throws after it has answered changes nothing; the job is gone.
    if (is_unanswered(number) && !mutant::is_on("R58_job_dropped"))
      fail(given, "the compiler's submit hook threw an exception");
  }
  return success();
}

Result<void> HookCompiler::submit_together(std::span<CompileJob> jobs) {
  const auto is_opaque = [](const CompileJob& job) { return job.source->body->kind() == BodyKind::Opaque; };
  return next_ && std::none_of(jobs.begin(), jobs.end(), is_opaque) ? next_->submit_together(jobs)
                                                                    : no_units();
}

bool HookCompiler::is_unanswered(uint64_t number) {
  const sync::Lock lock(mutex_);
  return unanswered_.contains(number);
}

bool HookCompiler::help(CodeInstance& instance, const Deadline& deadline) {
  if (hooks_.help) {
    int64_t timeout_ns = -1;
    if (!deadline.is_never()) {
      timeout_ns =
          std::max<int64_t>(0, std::chrono::nanoseconds(deadline.time() - sync::Clock::now()).count());
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
    // The embedder's threads may be inside an answer, which uses the engine: it must not go before they
    // leave.
    sync::Lock lock(mutex_);
    while (!unanswered_.empty()) all_answered_.wait_until(lock, sync::Clock::now() + gc::kParkSlice);
  }
  if (next_) next_->stop(mode);
}

// The answer's last access to the engine comes after all others, under the lock that stop takes after it.
void HookCompiler::end(berth_job_t* job) {
  const uint64_t number = job->number;
  CodeInstanceRef instance = std::move(job->job.instance);
  delete job;
  sink_.release(std::move(instance));
  answered(number);
}

void HookCompiler::answered(uint64_t number) {
  const sync::Lock lock(mutex_);
  unanswered_.erase(number);
  if (unanswered_.empty()) all_answered_.notify_all();
}

Result<void> HookCompiler::define_symbol(const char* name, void* address) {
  if (next_) return next_->define_symbol(name, address);
  return make_error(BERTH_UNSUPPORTED, fmt::format("define symbol \"{}\"", name), "this engine has no linker",
                    "link libberth, or resolve symbols in your own code generator");
}

bool HookCompiler::has_threads() const noexcept { return !hooks_.help || (next_ && next_->has_threads()); }

void HookCompiler::publish(berth_job_t* job, void* entry, void* backend) noexcept {
  if (!entry) return fail(job, "the compiler published no entry; call berth_job_fail with the reason");
  Code* code = nullptr;
  try {
    code = make_code_(entry, backend);
  } catch (const std::bad_alloc&) {  // who needs the entry asks again
    if (hooks_.retire && backend) hooks_.retire(context_, backend);
  }
  if (!code) {
    sink_.dropped(*job->job.instance);
  } else {
    NewCode made{job->job.instance.get(), code};
    sink_.published({&made, 1});
    if (made.unused != code) compiled_.fetch_add(1, std::memory_order_relaxed);
    if (made.unused) retire(made.unused);
  }
  end(job);
}

void HookCompiler::fail(berth_job_t* job, const char* message) noexcept {
  try {
    sink_.failed(*job->job.instance,
                 make_error(BERTH_COMPILE_FAILED, fmt::format("compiling \"{}\"", job->job.label),
                            message && *message ? message : "the compiler gave no reason", ""),
                 false);
  } catch (const std::bad_alloc&) {
    sink_.dropped(*job->job.instance);  // who needs it asks again
  }
  end(job);
}

}  // namespace berth::engine
