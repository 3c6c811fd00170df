// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/observers/step_clock.hpp"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/Threading.h>
#include <llvm/Support/TimeProfiler.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <exception>

#include "jit/compile_error.hpp"
#include "support/error.hpp"
#include "support/trace.hpp"

namespace berth::jit {
namespace {

using engine::CompilePhase;

constexpr unsigned kShortestPassUs = 20;
thread_local StepClock* current = nullptr;

std::string arguments_of(const engine::CompileJob* job) {
  if (!job) return {};
  return fmt::format("\"label\":{},\"tier\":\"{}\"", json_quote(job->label), to_string(job->tier));
}

// LLVM's events of this thread, into the span [begin, end]. They are in whole microseconds since the
// profiler's start, which came after `begin`: kept inside the span, so that all stay nested.
void copy_passes(Trace& trace, llvm::StringRef json, sync::TimePoint begin, sync::TimePoint end) {
  auto parsed = llvm::json::parse(json);
  if (!parsed) return llvm::consumeError(parsed.takeError());
  const auto* const root = parsed->getAsObject();
  const auto* const events = root ? root->getArray("traceEvents") : nullptr;
  if (!events) return;
  const auto self =
      static_cast<int64_t>(llvm::get_threadid());  // other threads' and the totals have other numbers
  for (const llvm::json::Value& value : *events) {
    const auto* const event = value.getAsObject();
    if (!event || event->getString("ph") != "X" || event->getInteger("tid") != self) continue;
    const auto name = event->getString("name");
    const auto start = event->getInteger("ts"), duration = event->getInteger("dur");
    if (!name || !start || !duration) continue;
    const auto inside = [&](int64_t us) {
      return std::clamp(begin + std::chrono::microseconds(us), begin, end);
    };
    const auto* const details = event->getObject("args");
    const auto detail = details ? details->getString("detail") : std::nullopt;
    trace.complete("llvm", name->str(), inside(*start), inside(*start + *duration),
                   detail ? "\"detail\":" + json_quote(detail->str()) : std::string());
  }
}

}  // namespace

StepClock::StepClock(Trace* trace, bool timed) : trace_(trace), timed_(timed), outer_(current) {
  current = this;
  if (timed_ || (trace_ && trace_->is_on())) since_ = sync::Clock::now();
}

StepClock::~StepClock() {
  current = outer_;
  if (std::uncaught_exceptions() == 0) {
    change(CompilePhase::Wait);
  } else if (profiles_) {
    llvm::timeTraceProfilerCleanup();  // a fatal error left its events open
  }
}

void StepClock::enter(CompilePhase phase) noexcept {
  if (current) current->change(phase);
}

void StepClock::enter(CompilePhase phase, const engine::CompileJob& job) noexcept {
  if (!current || current->phase_ == phase)
    return;  // the same for all members of a batch: named after the first
  current->change(phase);
  current->job_ = &job;
}

void StepClock::change(CompilePhase phase) noexcept {
  const bool traced = trace_ && trace_->is_on();
  if (!timed_ && !traced && !profiles_) {
    since_ = {};
    phase_ = phase;
    return;
  }
  auto now = sync::Clock::now();
  const bool measured = since_ != sync::TimePoint{};  // not if the trace began meanwhile
  if (measured) times_[phase_] += std::chrono::nanoseconds(now - since_).count();
  try {
    if (profiles_) end_passes(now);
    if (measured && traced && phase_ != CompilePhase::Wait) {
      trace_->complete("compile", engine::kCompilePhaseNames[static_cast<size_t>(phase_)], since_, now,
                       arguments_of(job_));
    }
  } catch (const std::exception&) {  // no memory for the event
  }
  if (traced) {  // writing took time, which is no step's
    const auto written = sync::Clock::now();
    times_[CompilePhase::Wait] += std::chrono::nanoseconds(written - now).count();
    now = written;
  }
  phase_ = phase;
  since_ = now;
  if (traced && phase != CompilePhase::Wait) begin_passes();
}

void StepClock::begin_passes() noexcept {
  if (llvm::timeTraceProfilerEnabled()) return;  // the embedder's own
  llvm::timeTraceProfilerInitialize(kShortestPassUs, "berth");
  profiles_ = true;
}

void StepClock::end_passes(sync::TimePoint end) noexcept {
  profiles_ = false;
  try {
    llvm::SmallString<0> json;
    llvm::raw_svector_ostream stream(json);
    llvm::timeTraceProfilerWrite(stream);
    if (since_ != sync::TimePoint{}) copy_passes(*trace_, json, since_, end);
  } catch (const std::exception&) {  // no memory for the events
  }
  llvm::timeTraceProfilerCleanup();
}

engine::CompileTimes StepClock::stop(size_t members) noexcept {
  change(CompilePhase::Wait);
  for (int64_t& ns : times_.ns) ns /= static_cast<int64_t>(members);
  return times_;
}

CompilePhase phase_of(std::string_view step) noexcept {
  if (step == "load") return CompilePhase::Load;
  if (step == "read") return CompilePhase::Read;
  if (step == "check") return CompilePhase::Check;
  if (step == "generate") return CompilePhase::Optimise;  // first; then StepClock::enter(Generate)
  if (step == "link") return CompilePhase::Link;
  return CompilePhase::Wait;
}

}  // namespace berth::jit
