// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/thread.hpp"

#include <cerrno>
#include <cfenv>
#include <cstdio>
#include <vector>

#include "gc/attachment.hpp"
#include "gc/collector.hpp"
#include "gc/stress.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::gc {
namespace {

/// What a native thread is attached to. Detached when the thread exits.
struct Attachments {
  std::vector<std::shared_ptr<Attachment>> list;
  ~Attachments() {
    // Each detach may wait for a stop of its collector: safe in all others first.
    for (const auto& link : list) {
      Thread* thread = link->thread.load(std::memory_order_acquire);
      if (thread && !thread->foreign) thread->state.store(State::Safe, std::memory_order_release);
    }
    while (!list.empty()) {
      const auto link = list.back();
      list.pop_back();
      Thread* thread = link->thread.load(std::memory_order_acquire);
      if (!thread || mutant::is_on("R43_exit_ignored")) continue;
      if (thread->detach_at_exit) {
        thread->detach_at_exit(*thread);
      } else {
        thread->collector->detach(*thread);
      }
    }
  }
};

}  // namespace

void add_attachment(std::shared_ptr<Attachment> link) {
  auto& list = sync::local<Attachments>().list;
  std::erase_if(list, [](const auto& old) { return old->thread.load(std::memory_order_acquire) == nullptr; });
  list.push_back(std::move(link));
}

Thread* current_thread(const Collector* collector) noexcept {
  for (const auto& link : sync::local<Attachments>().list) {
    if (link->collector != collector) continue;
    if (Thread* thread = link->thread.load(std::memory_order_acquire)) return thread;
  }
  return nullptr;
}

void check_all_safe(const char* during) {
  if constexpr (!kDebugChecks) return;
  latch::reach("gc-block", during);
  for (const auto& link : sync::local<Attachments>().list) {
    const Thread* thread = link->thread.load(std::memory_order_acquire);
    if (!thread || thread->foreign || thread->state.load(std::memory_order_relaxed) != State::Unsafe)
      continue;
    die("a thread blocks while it is unsafe in a collector. Remedy: enter a safe region of each engine it is "
        "attached to");
  }
}

void Thread::check_owner(const char* call) const {
  if constexpr (!kDebugChecks) return;
  if (current_thread(collector) != this) {
    std::fprintf(stderr, "berth: %s on thread record %llu by another native thread, or after detach\n", call,
                 static_cast<unsigned long long>(id));
    die("a thread record belongs to the native thread that it was attached on");
  }
}

void Thread::poll_slow() {
  const int saved_errno = errno;
  std::fenv_t saved_floats;  // finalizers and handshakes are other people's code
  std::fegetenv(&saved_floats);
  if constexpr (kDebugChecks) {
    check_owner("a poll");
    rank::check_none_held(200, 399, "a poll");
  }
  if (state.load(std::memory_order_relaxed) == State::Unsafe || foreign) {
    // Bits first, then what they stand for: an asker sets its word before the bit.
    const uint32_t bits = poll.fetch_and(kPollAlways | kPollCancel, std::memory_order_acq_rel);
    collector->poll_slow(*this, bits);
  }
  if (!mutant::is_on("G13_float_state_left")) std::fesetenv(&saved_floats);
  if (!mutant::is_on("G13_errno_changed")) errno = saved_errno;
}

State Thread::safe_enter() noexcept {
  if constexpr (kDebugChecks) {
    check_owner("safe_enter");
    rank::check_none_held(200, 399, "entering a safe region");
  }
  if (foreign) {
    if (!foreign->table.safe_enter) return State::Unsafe;
    return static_cast<State>(foreign->table.safe_enter(foreign->context));
  }
  const State previous = state.load(std::memory_order_relaxed);
  if (previous == State::Unsafe) {
    anchor.store(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)), std::memory_order_relaxed);
    state.store(State::Safe, std::memory_order_release);
  }
  return previous;
}

void Thread::safe_leave(State previous) {
  if constexpr (kDebugChecks) {
    check_owner("safe_leave");
    rank::check_none_held(200, 399, "leaving a safe region");
  }
  if (foreign) {
    if (foreign->table.safe_leave) foreign->table.safe_leave(foreign->context, static_cast<int>(previous));
    return;
  }
  if (state.load(std::memory_order_relaxed) != State::Safe || previous == State::Waiting) {
    if constexpr (kDebugChecks) die("a safe region is left that was not entered");
    if (collector) collector->count_misuse();
    return;
  }
  if (previous == State::Unsafe || mutant::is_on("G8_inner_leave")) leave_outermost();
}

void Thread::leave_outermost() {
  last_transition.store("safe_leave", std::memory_order_relaxed);
  // Store, then load, both seq_cst: of this and the collector's raise-then-load, one sees the other.
  state.store(State::Unsafe, std::memory_order_seq_cst);
  latch::reach("gc-leave", this);
  if (stop_word->load(std::memory_order_seq_cst) != 0 && !mutant::is_on("G5_leave_without_recheck"))
      [[unlikely]] {
    collector->hold(*this, State::Safe);
  }
  if (stress::is_due(stress::Mode::Transition)) collector->collect_for_stress(*this);
  // seq_cst, against an asker's bit and its load of the state: a handshake that it makes for this thread is
  // waited for here.
  if (poll.load(std::memory_order_seq_cst) != 0) [[unlikely]]
    poll_slow();
}

void Thread::apply_inhibitions() {
  if (!foreign || !foreign->table.inhibit_finalizers) return;
  const int64_t count = agent->finalizer_inhibitions();
  const auto delta = static_cast<int>(count - std::exchange(applied_inhibitions, count));
  if (delta != 0) foreign->table.inhibit_finalizers(foreign->context, delta);
}

bool is_call_shaped(const Thread& thread) noexcept {
  return thread.foreign && thread.foreign->table.call_safe;
}

void call_hook(const Hooks& hooks, void (*part)(void*), void* argument) {
  hooks.table.call_safe(hooks.context, part, argument);
}

uint32_t park(Thread& thread, Parker& parker, sync::TimePoint deadline) {
  thread.collector->link_parker(parker);
  latch::reach("gc-parked", &parker);
  const uint32_t flags = parker.park(deadline);
  thread.collector->unlink_parker(parker);
  uint32_t rest = flags & ~uint32_t{Parker::kRecruit};
  if (rest == Parker::kRecovered) rest = 0;  // what was lost was the recruiting
  if (thread.foreign) return rest | (flags & Parker::kRecruit);
  if (flags & Parker::kRecruit) thread.collector->help_mark(thread);
  return rest;
}

}  // namespace berth::gc
