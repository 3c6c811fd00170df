// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/isolated_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>

#include "jit/compile_error.hpp"
#include "jit/containment.hpp"

namespace berth::jit {
namespace {

/// The step of that name as a text that lives for ever; null: none.
const char* step_named(std::string_view name) {
  static constexpr std::array kSteps = {"read", "check", "generate"};
  const auto found = std::find(kSteps.begin(), kSteps.end(), name);
  return found == kSteps.end() ? nullptr : *found;
}

// Whether a unit is one that this request can have: its numbers are used as indices, and its symbols are
// written to.
bool fits(const ObjectUnit& unit, const CompileRequest& request) {
  if (unit.tier != tier_of(request.job) || unit.members.size() != 1) return false;
  const ObjectMember& member = unit.members.front();
  const size_t num_edges = request.job.source->edges.size();
  const bool edges_fit = std::all_of(member.slots.begin(), member.slots.end(),
                                     [&](const EdgeSlot& slot) { return slot.edge < num_edges; });
  const size_t entries = member.specialised_entry.empty() ? 1 : 2;
  const bool counter_fits =
      member.counter.better_symbols.size() == (member.counter.unit_symbol.empty() ? 0 : entries);
  const size_t num_addresses = request.lowered ? request.lowered->member.num_addresses : 0;
  return edges_fit && counter_fits && member.num_addresses == num_addresses &&
         member.addresses_symbol.empty() == (num_addresses == 0);
}

}  // namespace

IsolatedCompiler::IsolatedCompiler(ObjectCompiler& lowering, StepHook hook, Options options)
    : lowering_(lowering),
      hook_(std::move(hook)),
      options_(std::move(options)),
      kept_(options_.kept != 0 ? options_.kept : std::max(1u, std::thread::hardware_concurrency())) {}

IsolatedCompiler::~IsolatedCompiler() = default;

IsolatedCompiler::Stats IsolatedCompiler::stats() const {
  sync::Lock lock(mutex_);
  return {started_.load(std::memory_order_relaxed), ended_.load(std::memory_order_relaxed), idle_.size()};
}

Result<IsolatedCompiler::WorkerPtr> IsolatedCompiler::take() {
  for (;;) {
    WorkerPtr worker;
    {
      sync::Lock lock(mutex_);
      if (idle_.empty()) break;
      worker = std::move(idle_.back());
      idle_.pop_back();
    }
    if (worker->is_idle()) return worker;
    ended_.fetch_add(
        1, std::memory_order_relaxed);  // ended by somebody else, between compiles: no failure of this one
  }
  started_.fetch_add(1, std::memory_order_relaxed);
  return WorkerProcess::spawn(options_.worker);
}

void IsolatedCompiler::give_back(WorkerPtr worker) {
  worker->drop_output();
  sync::Lock lock(mutex_);
  if (idle_.size() < kept_) idle_.push_back(std::move(worker));
  // else: it ends here, after the lock
}

// Before the pool gives up the thread that waits for the worker.
std::chrono::nanoseconds IsolatedCompiler::limit_of(const CompileRequest& request) const noexcept {
  const auto limit =
      tier_of(request.job) == BERTH_TIER_OPTIMIZED ? options_.optimized_limit : options_.fast_limit;
  const std::chrono::nanoseconds budget(request.job.budget.time_ns);
  return budget.count() == 0 ? limit : std::min(limit, budget / 20 * 19);
}

Result<ObjectUnit> IsolatedCompiler::compile(const CompileRequest& asked) {
  CompileRequest request = asked;
  LoweredMethod lowered;
  if (is_typed(request.job) && !request.lowered) {
    BERTH_TRY(lowered, lowering_.lower(request));
    request.lowered = &lowered;
  }
  const auto limit = limit_of(request);
  const std::string order = write_order(request, lowering_.counts(request.job), limit.count());
  auto worker = take();
  if (worker.has_error())
    return compile_error(request.job, "start", worker.assume_error().code(), worker.assume_error().message(),
                         "");
  const Deadline deadline = Deadline::in(limit.count());
  if (auto sent = worker.assume_value()->send(MessageKind::Compile, order, deadline); sent.has_error()) {
    return lost(request, *worker.assume_value(), sent.assume_error(), "start");
  }
  BERTH_TRY(ObjectUnit unit, answer(request, std::move(worker).assume_value(), deadline));
  if (request.lowered) {  // what only this process knows
    unit.members.front().addresses = request.lowered->member.addresses;
    unit.members.front().record = request.lowered->member.record;
  }
  return unit;
}

Result<ObjectUnit> IsolatedCompiler::answer(const CompileRequest& request, WorkerPtr worker,
                                            const Deadline& deadline) {
  const char* step = "start";
  const auto nonsense = [&] {
    return lost(request, *worker, make_error(BERTH_CORRUPT, "", "it sent what is no answer", ""), step);
  };
  for (;;) {
    auto message = worker->receive(deadline);
    if (message.has_error()) return lost(request, *worker, message.assume_error(), step);
    ByteReader from(message.assume_value().bytes);
    switch (message.assume_value().kind) {
      case MessageKind::Step:
        step = step_named(message.assume_value().bytes);
        if (!step) return (step = "start", nonsense());
        if (is_typed(request.job) && std::string_view(step) == "read") break;  // it was read here
        if (auto entered = enter_step(hook_, request, step); entered.has_error()) {
          ended_.fetch_add(1, std::memory_order_relaxed);
          return std::move(entered).assume_error();
        }
        break;
      case MessageKind::Unit: {
        ObjectUnit unit;
        if (!read_unit(from, unit) || !from.is_whole() || !fits(unit, request)) return nonsense();
        give_back(std::move(worker));
        return unit;
      }
      case MessageKind::Failure: {
        const auto code = static_cast<berth_code_t>(from.number(BERTH_INTERNAL));
        const std::string text(from.text());
        if (!from.is_whole() || code == BERTH_OK) return nonsense();
        give_back(std::move(worker));
        return make_error(code, text.substr(0, kLongestErrorText), "", "");
      }
      case MessageKind::Fatal: {
        ended_.fetch_add(1, std::memory_order_relaxed);
        const std::string_view bytes = message.assume_value().bytes;
        if (bytes.empty()) return nonsense();
        const bool memory = bytes[0] == static_cast<char>(BERTH_OUT_OF_MEMORY);
        return compile_error(request.job, step, memory ? BERTH_OUT_OF_MEMORY : BERTH_COMPILE_FAILED,
                             bytes.substr(1),
                             memory ? "give a smaller source" : "change what the compiler cannot handle");
      }
      case MessageKind::Hello:
      case MessageKind::Compile: return nonsense();
    }
  }
}

// The worker is ended if it still lives.
Error IsolatedCompiler::lost(const CompileRequest& request, WorkerProcess& worker, const Error& why,
                             const char* step) {
  ended_.fetch_add(1, std::memory_order_relaxed);
  const std::string how = worker.end();
  if (why.code() == BERTH_TIMED_OUT) {
    const std::chrono::duration<double> limit = limit_of(request);
    return compile_error(request.job, step, BERTH_RESOURCE_EXHAUSTED,
                         fmt::format("it took longer than the {} s that are allowed", limit.count()),
                         "give a smaller source, or allow more time");
  }
  const std::string found = why.code() == BERTH_CORRUPT
                                ? fmt::format("the compile worker is damaged: {}", why.message())
                                : fmt::format("the compile worker {}", how);
  return worker_error(request.job, step, found);
}

}  // namespace berth::jit
