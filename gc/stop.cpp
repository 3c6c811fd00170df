// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stopping the world, as the collector and as a thread that it holds.
#include <fmt/format.h>

#include <algorithm>

#include "gc/collector_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::gc {

Collector::Impl::Stop::Stop(Impl& impl, Trace* trace, sync::TimePoint asked, StopRecord& record)
    : impl_(impl), trace_(trace), record_(record), asked_(asked) {
  std::vector<Thread*> pending;
  pending.reserve(impl.threads.size());  // nothing may fail while the stop is raised
  // Read after the raise: one miss for each parked thread otherwise.
  for (const Thread* thread : impl.threads) __builtin_prefetch(&thread->state);
  latch::reach("gc-raise");
  raise();
  latch::reach("gc-raised");
  const sync::TimePoint raised = sync::Clock::now();
  record.asked_to_raised = static_cast<uint64_t>(std::chrono::nanoseconds(raised - asked).count());
  for (Thread* thread : impl.threads) {
    if (thread->state.load(std::memory_order_seq_cst) != State::Unsafe) continue;
    thread->poll.fetch_or(kPollStop, std::memory_order_acq_rel);
    pending.push_back(thread);
  }
  wait_for(pending);
  stopped_ = sync::Clock::now();
  record.raised_to_stopped = static_cast<uint64_t>(std::chrono::nanoseconds(stopped_ - raised).count());
}

void Collector::Impl::Stop::raise() {
  sync::Lock lock(impl_.stop_mutex);
  // Each thread that the last stop held advances to its next safe point first.
  const auto none_held = [&] { return impl_.held.load(std::memory_order_acquire) == 0; };
  while (!none_held() && !mutant::is_on("G23_held_ignored")) impl_.wait_slice(impl_.arrived, lock, none_held);
  impl_.help_wanted = false;
  impl_.stop.store(1, std::memory_order_seq_cst);
}

void Collector::Impl::Stop::wait_for(std::vector<Thread*>& pending) {
  const sync::TimePoint begin = sync::Clock::now();
  sync::TimePoint name_at = asked_ + std::chrono::seconds(1);
  std::chrono::microseconds pause{10};
  const auto drop_stopped = [&] {
    std::erase_if(pending, [&](Thread* thread) {
      // Once seen stopped it is not looked at again: its failed attempts to leave do not matter.
      if (thread->state.load(std::memory_order_seq_cst) == State::Unsafe) return false;
      record_.last_thread = thread->id;
      return true;
    });
    return pending.empty();
  };
  while (!drop_stopped()) {
    const sync::TimePoint now = sync::Clock::now();
    if (now - begin < std::chrono::microseconds(10)) {
      sync::pause();
      continue;
    }
    if (now >= name_at) {
      name_late(pending);
      name_at += std::chrono::seconds(1);
    }
    // Timed, since safe_enter notifies nobody.
    sync::Lock lock(impl_.stop_mutex);
    impl_.arrived.wait_until(lock, now + pause);
    pause = std::min(pause * 2, std::chrono::microseconds(100));
  }
  const sync::Lock lock(impl_.history_mutex);
  impl_.late_threads.clear();
}

// Late since the request: a wait of the collector for its turn is a part of what the thread that asked waits
// for.
void Collector::Impl::Stop::name_late(const std::vector<Thread*>& pending) noexcept {
  impl_.late.add(pending.size());
  try {
    std::vector<LateThread> late;
    for (const Thread* thread : pending) {
      late.push_back({thread->id, thread->last_transition.load(std::memory_order_relaxed), since_ns(asked_)});
      if (!trace_) continue;
      trace_->instant("gc", "late thread",
                      fmt::format(R"("thread":{},"last_transition":"{}","late_ms":{})", late.back().id,
                                  late.back().last_transition, late.back().late_ns / 1000000));
    }
    const sync::Lock lock(impl_.history_mutex);
    impl_.late_threads.swap(late);
  } catch (...) {
    // Names are lost; the stop must go on.
  }
}

Collector::Impl::Stop::~Stop() BERTH_NO_ANALYSIS {  // the registry is the creator's
  for (Thread* thread : impl_.threads) thread->poll.fetch_and(~kPollStop, std::memory_order_acq_rel);
  record_.stopped_to_resumed = since_ns(stopped_);
  {
    const sync::Lock lock(impl_.stop_mutex);
    if (ticket_ != 0) {
      impl_.completed.store(ticket_, std::memory_order_release);
      impl_.collections.fetch_add(1, std::memory_order_acq_rel);
    }
    impl_.help_wanted = false;
    impl_.stop.store(0, std::memory_order_seq_cst);
    notify(impl_.resumed);
  }
  impl_.record(record_, trace_, asked_);
}

void Collector::hold(Thread& thread, State state) {
  // Counted while still unsafe: the stop that holds it cannot end before, and the next one is not raised
  // until this thread has gone on. Counted after the store, it could be preempted between the two and be held
  // by any number of stops.
  impl_->held.fetch_add(1, std::memory_order_acq_rel);
  thread.state.store(state, std::memory_order_seq_cst);
  check_all_safe("a stop");
  latch::reach("gc-hold", &thread);
  thread.waiting.since_ns.store(sync::Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  thread.waiting.kind.store("stop", std::memory_order_release);
  {
    sync::Lock lock(impl_->stop_mutex);
    Impl::notify(impl_->arrived);
    // Under the mutex that a raise takes: once this finds the stop lowered, the next raise sees the count.
    const auto lowered = [&] { return impl_->stop.load(std::memory_order_acquire) == 0; };
    while (!lowered()) {
      if (impl_->help_wanted && thread.state.load(std::memory_order_relaxed) == State::Waiting) {
        lock.unlock();
        const bool helped = impl_->mark.help();
        lock.lock();
        if (helped) continue;
      }
      impl_->wait_slice(impl_->resumed, lock, lowered);
    }
  }
  thread.waiting.kind.store(nullptr, std::memory_order_release);
  thread.last_transition.store("end of a stop", std::memory_order_relaxed);
  thread.state.store(State::Unsafe, std::memory_order_seq_cst);
  const sync::Lock lock(impl_->stop_mutex);
  if (impl_->held.fetch_sub(1, std::memory_order_acq_rel) == 1) Impl::notify(impl_->arrived);
}

}  // namespace berth::gc
