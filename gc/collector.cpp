// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/collector.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <climits>
#include <exception>
#include <thread>

#include "gc/attachment.hpp"
#include "gc/collector_impl.hpp"
#include "gc/handle.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::gc {
namespace {

/// Lowest address down to which generated code may go: a reserve is left for the runtime.
uintptr_t stack_limit_of(uintptr_t low, uintptr_t high) noexcept {
  return low + std::min<uintptr_t>((high - low) / 4, 256 * 1024);
}

/// Of the calling thread, into its record; 0, 0 if unknown.
void find_native_stack(Thread& thread) noexcept {
  thread.native_low = thread.native_high = 0;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    thread.native_low = reinterpret_cast<uintptr_t>(low);
    thread.native_high = thread.native_low + bytes;
  }
  pthread_attr_destroy(&attributes);
}

uintptr_t stack_limit_of(const Thread& thread) noexcept {
  const Agent& agent = *thread.agent;
  return agent.stack_low != 0 ? stack_limit_of(agent.stack_low, agent.stack_high)
                              : stack_limit_of(thread.native_low, thread.native_high);
}

unsigned marker_count(unsigned asked) {
  return asked ? asked : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

Collector::Impl::Impl(const CollectorOptions& options)
    : mark(marker_count(options.mark_threads), options.mark_stack_limit) {}

Collector::Collector(const CollectorOptions& options) : options_(options) {
  heap_ = std::make_unique<Heap>(*this, options.heap_limit_bytes);
  impl_ = std::make_unique<Impl>(options);
}

Collector::~Collector() {
  const sync::Lock lock(impl_->registry);
  for (Thread* thread : impl_->threads) {
    thread->attachment->thread.store(nullptr, std::memory_order_release);
    thread->allocation = {};
  }
  const sync::Lock agents_lock(impl_->agents_mutex);
  for (Agent* agent : impl_->agents) agent->collector = nullptr;
}

Result<void> Collector::attach(Thread& thread, Agent& agent) {
  if (current_thread(this)) {
    return make_error(BERTH_INVALID_ARGUMENT, "attach a thread", "it is attached already",
                      "attach each thread once");
  }
  if (!options_.hooks.foreign) check_all_safe("an attach");
  Thread* none = nullptr;
  if (!agent.current.compare_exchange_strong(none, &thread, std::memory_order_acq_rel)) {
    return make_error(BERTH_INVALID_ARGUMENT, "attach a thread", "its agent runs on another thread",
                      "give each thread an agent");
  }
  thread.collector = this;
  thread.stop_word = &impl_->stop;
  thread.ready_finalizers = &heap_->impl().num_ready;
  thread.foreign = options_.hooks.foreign ? &options_.hooks : nullptr;
  thread.agent = thread.own_agent = &agent;
  thread.frames = std::exchange(agent.frames, nullptr);
  find_native_stack(thread);
  thread.anchor.store(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)), std::memory_order_relaxed);
  thread.stack_limit = stack_limit_of(thread);
  const bool always =
      (thread.foreign && thread.foreign->table.safepoint) || stress::is_on(stress::Mode::Poll);
  thread.poll.store(always ? uint32_t{kPollAlways} : 0, std::memory_order_relaxed);
  thread.state.store(mutant::is_on("G1_linked_unsafe") ? State::Unsafe : State::Safe,
                     std::memory_order_relaxed);
  try {
    thread.attachment = std::make_shared<Attachment>();
    thread.attachment->collector = this;
    thread.attachment->thread.store(&thread, std::memory_order_release);
    add_attachment(thread.attachment);
    impl_->register_agent(*this, agent);
    const sync::Lock lock(impl_->registry);
    thread.id = impl_->next_id++;
    impl_->threads.push_back(&thread);  // last: what may fail comes before a stop knows the thread
  } catch (const std::bad_alloc&) {
    if (thread.attachment) thread.attachment->thread.store(nullptr, std::memory_order_release);
    thread.attachment.reset();
    thread.agent = thread.own_agent = nullptr;
    thread.collector = nullptr;
    agent.current.store(nullptr, std::memory_order_release);
    throw;
  }
  latch::reach("gc-attached", &thread);
  if (thread.foreign) {
    thread.state.store(State::Unsafe, std::memory_order_relaxed);
    thread.apply_inhibitions();
  } else {
    thread.ask_for_finalizers();
    thread.safe_leave(State::Unsafe);
  }
  return success();
}

void Collector::detach(Thread& thread) {
  if (thread.collector != this || !thread.attachment) {
    if constexpr (kDebugChecks) die("a thread is detached that is not attached");
    count_misuse();
    return;
  }
  rank::check_none_held(200, 399, "a detach");
  if (!thread.foreign && thread.state.load(std::memory_order_relaxed) == State::Unsafe) {
    thread.state.store(State::Safe, std::memory_order_release);
  }
  if (!thread.foreign) check_all_safe("a detach");
  {
    const sync::Lock lock(impl_->registry);  // no stop from here on
    if (!mutant::is_on("G2_stays_linked")) std::erase(impl_->threads, &thread);
    heap_->impl().flush(thread.allocation);
    HandleBlock::close(*thread.own_agent, 0);
    thread.agent->frames = thread.agent == thread.own_agent ? nullptr : thread.frames;
    {
      const sync::Lock agents_lock(impl_->agents_mutex);
      suspend(thread, *thread.agent);
      thread.own_agent->suspended = {};  // its frames are gone with the thread's
      thread.agent->current.store(nullptr, std::memory_order_release);
    }
    thread.attachment->thread.store(nullptr, std::memory_order_release);
    const sync::Lock handshake_lock(impl_->handshake_mutex);
    Handshake::end_all(thread, Handshake::State::Gone);
    Impl::notify(impl_->handshaken);
  }
  thread.attachment.reset();
  thread.agent = thread.own_agent = nullptr;
  thread.frames = nullptr;
  thread.pending_error = nullptr;
  thread.stop_word = nullptr;
  thread.in_finalizer = false;
  thread.collector = nullptr;
}

Result<Agent*> Collector::set_agent(Thread& thread, Agent* agent) {
  if (!agent) agent = thread.own_agent;
  Agent* previous = thread.agent;
  if (agent == previous) return previous;
  Thread* none = nullptr;
  if (!agent->current.compare_exchange_strong(none, &thread, std::memory_order_acq_rel)) {
    if constexpr (kDebugChecks) die("an agent is used by two threads");
    return make_error(BERTH_INVALID_ARGUMENT, fmt::format("make agent '{}' current", agent->name),
                      "it runs on another thread", "switch that thread to another agent first");
  }
  impl_->register_agent(*this, *agent);
  previous->frames = std::exchange(thread.frames, std::exchange(agent->frames, nullptr));
  {
    const sync::Lock lock(impl_->agents_mutex);  // a pass over the stacks sees the switch whole
    suspend(thread, *previous);
    thread.agent = agent;
    previous->current.store(nullptr, std::memory_order_release);
  }
  thread.stack_limit = stack_limit_of(thread);
  thread.apply_inhibitions();
  thread.ask_for_finalizers();
  return previous;
}

void Collector::add_client(CollectionClient* client) {
  const sync::Lock lock(impl_->registry);
  impl_->clients.push_back(client);
}

void Collector::remove_client(CollectionClient* client) {
  const sync::Lock lock(impl_->registry);
  std::erase(impl_->clients, client);
}

void Collector::poll_slow(Thread& thread, uint32_t bits) {
  if (thread.foreign) {
    thread.apply_inhibitions();
    if (thread.foreign->table.safepoint) thread.foreign->table.safepoint(thread.foreign->context);
    return;
  }
  if (impl_->stop.load(std::memory_order_acquire) != 0) { hold(thread, State::Waiting); }
  if (bits & kPollHandshake) serve_handshakes(thread);
  if ((bits & kPollAlways) && stress::is_due(stress::Mode::Poll)) collect_for_stress(thread);
  if (mutant::is_on("G46_owner_thread_only") && thread.id != 1) return;
  if ((bits & kPollFinalizers) || thread.ready_finalizers->load(std::memory_order_relaxed) != 0) {
    heap_->impl().run_finalizers(thread);
  }
}

/// Runs `body` once or more as the collector, all others stopped, until `done`. GC: unsafe; Waiting
/// meanwhile.
template <class Done, class Body>
void Collector::stop_until(Thread& thread, Done done, Body body) {
  if constexpr (kDebugChecks) {
    if (current_thread(this) != &thread)
      die("a collection is asked for by another thread than the attached one");
    if (thread.state.load(std::memory_order_relaxed) != State::Unsafe)
      die("a collection is asked for by a thread that is not unsafe");
    rank::check_none_held(200, 399, "a collection");
  }
  const sync::TimePoint asked = sync::Clock::now();
  // Back to Unsafe on every way out. Who waits for an own ticket is not counted as held, unless another stop
  // holds it now.
  struct Leave {
    Collector& collector;
    Thread& thread;
    ~Leave() {
      thread.last_transition.store("a collection", std::memory_order_relaxed);
      thread.state.store(State::Unsafe, std::memory_order_seq_cst);
      latch::reach("gc-leave", &thread);
      if (collector.impl_->stop.load(std::memory_order_seq_cst) == 0 ||
          mutant::is_on("G5_own_ticket_without_recheck"))
        return;
      collector.hold(thread, State::Waiting);
    }
  };
  thread.state.store(State::Waiting, std::memory_order_seq_cst);
  const Leave leave{*this, thread};
  if (mutant::is_on("G23_askers_counted")) impl_->held.fetch_add(1);
  check_all_safe("a collection");
  while (!done()) {
    if (impl_->try_own(thread)) {
      const Impl::Ownership ownership(*impl_);
      if (done()) break;  // the last owner's collection began after our ticket
      latch::reach("gc-own", &thread);
      heap_->impl().finish_sweep();
      StopRecord record;
      const sync::Lock registry(impl_->registry);
      Impl::Stop stop(*impl_, options_.trace, asked, record);
      latch::reach("gc-stopped", &thread);
      body(stop, record);
      continue;
    }
    sync::Lock lock(impl_->stop_mutex);
    if (impl_->help_wanted) {
      lock.unlock();
      if (impl_->mark.help()) continue;
      lock.lock();
    }
    // Checked under the mutex that the owner takes to notify: what happens later wakes us.
    const auto may_go_on = [&] { return done() || !impl_->owner.load(std::memory_order_acquire); };
    if (!may_go_on()) impl_->wait_slice(impl_->resumed, lock, may_go_on);
  }
}

template <class Done>
void Collector::collect_until(Thread& thread, Done done) {
  if (thread.foreign) {
    if (thread.foreign->table.request_collection)
      thread.foreign->table.request_collection(thread.foreign->context);
    return;
  }
  bool collected = false;
  stop_until(thread, done, [&](Impl::Stop& stop, StopRecord& record) BERTH_NO_ANALYSIS {
    const uint64_t ticket = impl_->requested.load(std::memory_order_acquire);
    impl_->collect_stopped(*this, record);
    stop.complete(ticket);
    collected = true;
  });
  if (collected) after_resume(thread);
  if (!thread.in_finalizer) thread.safepoint();
}

void Collector::collect(Thread& thread) {
  const uint64_t ticket = impl_->requested.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (mutant::is_on("G21_request_dropped") && impl_->owner.load()) return;
  collect_until(thread, [&] { return impl_->completed.load(std::memory_order_acquire) >= ticket; });
}

void Collector::collect_for_stress(Thread& thread) {
  if (thread.in_stress || thread.in_finalizer) return;
  thread.in_stress = true;
  static_cast<void>(try_collect(thread));
  thread.in_stress = false;
}

void Collector::collect_at_handover() {
  if (!stress::is_due(stress::Mode::Handover)) return;
  Thread* thread = current_thread(this);
  if (!thread || thread->foreign || thread->in_finalizer ||
      thread->state.load(std::memory_order_relaxed) != State::Unsafe)
    return;
  thread->in_finalizer = true;  // none runs in a release
  static_cast<void>(try_collect(*thread));
  thread->in_finalizer = false;
}

bool Collector::try_collect(Thread& thread) noexcept try {
  collect(thread);
  return true;
} catch (...) { return false; }

void Collector::collect_after(Thread& thread, uint64_t seen) noexcept try {
  impl_->requested.fetch_add(1, std::memory_order_acq_rel);
  collect_until(thread, [&] { return impl_->collections.load(std::memory_order_acquire) != seen; });
} catch (...) {
  // Counted; who allocates finds out whether there is memory.
}

void Collector::for_each_thread_stopped(Thread& thread, const std::function<void(Thread&)>& function) {
  bool done = false;
  stop_until(
      thread, [&] { return done; },
      [&](Impl::Stop&, StopRecord&) BERTH_NO_ANALYSIS {
        done = true;
        for (Thread* each : impl_->threads) function(*each);
      });
}

void Collector::after_resume(Thread& thread) {
  const SafeRegion region(thread);
  for (size_t i = 0;; ++i) {
    CollectionClient* client = nullptr;
    {
      const sync::Lock lock(impl_->registry);
      if (i >= impl_->clients.size()) break;
      client = impl_->clients[i];
    }
    client->after_resume();
  }
  heap_->impl().run_native();
}

void Collector::Impl::collect_stopped(Collector& collector, StopRecord& record) {
  Heap::Impl& heap = collector.heap_->impl();
  for (Thread* thread : threads) heap.flush(thread->allocation);
  heap.finish_sweep();
  pinned.clear();
  const auto visit_all = [&](SlotVisitor& visitor) BERTH_NO_ANALYSIS { visit_roots(visitor); };
  if (Verifier::is_on()) heap.verify_roots(visit_all);
  try {
    mark_and_process(collector, record);
    if (Verifier::is_on()) heap.verify_marked();
    if (stress::is_on(stress::Mode::Move)) heap.move_marked(pinned, visit_all);
    if (Verifier::is_on()) heap.remember_marked();
  } catch (...) {
    heap.clear_marks();  // a trace function threw: as if this collection had not begun
    failed.add();
    throw;
  }
  const sync::TimePoint begin = sync::Clock::now();
  record.live_bytes = mark.live_bytes();
  latch::reach("gc-heap-sweep");
  heap.begin_sweep(record.live_bytes);
  if (mutant::is_on("G39_heap_before_engine")) sweep_clients(heap);
  record.sweep = since_ns(begin);
  if (heap.num_ready.load(std::memory_order_seq_cst) == 0) return;
  for (Thread* thread : threads) thread->poll.fetch_or(kPollFinalizers, std::memory_order_acq_rel);
}

void Collector::Impl::mark_and_process(Collector& collector, StopRecord& record) {
  Heap::Impl& heap = collector.heap_->impl();
  struct Phase {
    MarkPhase& mark;
    ~Phase() {
      if (!mutant::is_on("G22_word_left") || std::uncaught_exceptions() == 0) mark.close();
    }
  };
  const sync::TimePoint begin = sync::Clock::now();
  mark.open([&](unsigned n) { ask_for_help(collector, n); });
  const Phase phase{mark};
  if (stress::is_on(stress::Mode::Recruit)) ask_for_help(collector, UINT_MAX);
  Marker marker(mark);
  visit_roots(marker);
  heap.visit_roots(marker);
  latch::reach("gc-mark");
  drain(heap, marker);
  visit_ephemerons(heap, marker);
  record.mark = since_ns(begin);

  const sync::TimePoint weak_begin = sync::Clock::now();
  latch::reach("gc-weak");
  if (!mutant::is_on("G37_finalizer_before_weak")) heap.clear_weak();
  heap.ready_finalizers(marker);
  drain(heap, marker);
  if (mutant::is_on("G37_finalizer_before_weak")) heap.clear_weak();
  visit_ephemerons(heap, marker);
  heap.ready_native(marker);
  latch::reach("gc-sweep");
  if (!mutant::is_on("G39_heap_before_engine")) sweep_clients(heap);
  record.weak = since_ns(weak_begin);
}

void Collector::Impl::visit_ephemerons(Heap::Impl& heap, Marker& marker) {
  const auto is_marked = [&](const void* pointer) { return asked_live(heap, pointer); };
  struct Pin final : SlotVisitor {
    Impl& impl;
    Marker& marker;
    Pin(Impl& impl, Marker& marker) : impl(impl), marker(marker) {}
    void visit(Object** slot) override {
      impl.pinned.insert(*slot);
      marker.visit(slot);
    }
  } pin(*this, marker);
  SlotVisitor& visitor = stress::is_on(stress::Mode::Move) ? static_cast<SlotVisitor&>(pin) : marker;
  for (bool found = true; found;) {
    found = false;
    for (CollectionClient* client : clients) found = client->visit_ephemerons(is_marked, visitor) || found;
    if (found) drain(heap, marker);
  }
}

void Collector::Impl::sweep_clients(const Heap::Impl& heap) {
  for (CollectionClient* client : clients)
    client->sweep([&](const void* pointer) { return asked_live(heap, pointer); });
}

// Who asks about an object by its address holds it by that: a collection that moves leaves it in its place.
bool Collector::Impl::asked_live(const Heap::Impl& heap, const void* pointer) {
  if (stress::is_on(stress::Mode::Move)) pinned.insert(pointer);
  return heap.is_live(pointer);
}

void Collector::Impl::visit_roots(SlotVisitor& visitor) {
  const auto scan = [&](Frame* frames) {
    for (Frame* frame = frames; frame; frame = frame->previous) frame->kind->scan(*frame, visitor);
  };
  for (Thread* thread : threads) {
    scan(thread->frames);
    if (!mutant::is_on("G34_pending_error_skipped")) visitor.visit(&thread->pending_error);
  }
  {
    const sync::Lock lock(agents_mutex);
    for (const Agent* agent : agents) {
      if (!agent->current.load(std::memory_order_acquire) && !mutant::is_on("G34_suspended_agent_skipped"))
        scan(agent->frames);
      if (!mutant::is_on("G34_handles_skipped")) HandleBlock::visit(*agent, visitor);
    }
  }
  for (CollectionClient* client : clients) client->visit_roots(visitor);
}

void Collector::Impl::ask_for_help(Collector& collector, unsigned n) {
  {
    const sync::Lock lock(stop_mutex);
    help_wanted = true;
    notify(resumed);
  }
  collector.recruit(n);
  latch::reach("gc-asked");
}

void Collector::help_mark(Thread& thread) {
  latch::reach("gc-recruited", &thread);
  if (thread.state.load(std::memory_order_relaxed) != State::Safe) return;
  // Never through Unsafe: the stop goes on. Back to Safe without waiting for the resume.
  thread.state.store(State::Waiting, std::memory_order_release);
  impl_->mark.help();
  thread.state.store(State::Safe, std::memory_order_release);
}

size_t Collector::recruit(size_t n) {
  std::vector<ParkerRef> chosen;
  {
    const sync::Lock lock(impl_->parkers_mutex);
    for (Parker* parker = impl_->parkers; parker && chosen.size() < n; parker = parker->list_next)
      chosen.emplace_back(parker);
  }
  for (const ParkerRef& parker : chosen) parker->notify(Parker::kRecruit);
  impl_->recruited.add(chosen.size());
  return chosen.size();
}

void Collector::link_parker(Parker& parker) {
  const sync::Lock lock(impl_->parkers_mutex);
  parker.list_previous = nullptr;
  parker.list_next = impl_->parkers;
  if (impl_->parkers) impl_->parkers->list_previous = &parker;
  impl_->parkers = &parker;
}

void Collector::unlink_parker(Parker& parker) {
  const sync::Lock lock(impl_->parkers_mutex);
  (parker.list_previous ? parker.list_previous->list_next : impl_->parkers) = parker.list_next;
  if (parker.list_next) parker.list_next->list_previous = parker.list_previous;
  parker.list_previous = parker.list_next = nullptr;
}

void Collector::Impl::record(const StopRecord& stop, Trace* trace, sync::TimePoint asked) {
  asked_to_raised.record(stop.asked_to_raised);
  time_to_safepoint.record((mutant::is_on("G24_clock_from_raise") ? 0 : stop.asked_to_raised) +
                           stop.raised_to_stopped);
  stopped_to_resumed.record(stop.stopped_to_resumed);
  {
    const sync::Lock lock(history_mutex);
    history[num_stops++ % kHistory] = stop;
  }
  if (!trace || !trace->is_on()) return;
  trace->complete(
      "gc", "stop", asked,
      fmt::format(
          R"("raised_to_stopped_ns":{},"stopped_to_resumed_ns":{},"mark_ns":{},"live_bytes":{},"last_thread":{})",
          stop.raised_to_stopped, stop.stopped_to_resumed, stop.mark, stop.live_bytes, stop.last_thread));
}

std::vector<StopRecord> Collector::recent_stops() const {
  const sync::Lock lock(impl_->history_mutex);
  std::vector<StopRecord> stops;
  const uint64_t n = impl_->num_stops;
  for (uint64_t i = n > kHistory ? n - kHistory : 0; i < n; ++i)
    stops.push_back(impl_->history[i % kHistory]);
  return stops;
}

uint64_t Collector::num_collections() const noexcept {
  return impl_->collections.load(std::memory_order_acquire);
}

size_t Collector::num_threads() const {
  const sync::Lock lock(impl_->registry);
  return impl_->threads.size();
}

uint64_t Collector::num_misuses() const noexcept { return impl_->misuses.value(); }
void Collector::count_misuse() noexcept { impl_->misuses.add(); }

bool Collector::is_idle() const {
  const sync::Lock lock(impl_->registry);
  const bool polls_clear = std::ranges::none_of(impl_->threads, [](const Thread* thread) {
    return (thread->poll.load(std::memory_order_relaxed) & kPollStop) != 0;
  });
  const sync::Lock handshake_lock(impl_->handshake_mutex);
  const bool none_asked =
      std::ranges::all_of(impl_->threads, [](const Thread* thread) { return thread->handshakes == nullptr; });
  return polls_clear && none_asked && impl_->stop.load() == 0 && !impl_->owner.load() &&
         impl_->held.load() == 0 && impl_->mark.is_idle();
}

void Collector::metrics(std::string& out) const {
  using namespace berth::metrics;
  write_counter(out, "berth_gc_collections_total", "Complete collections", num_collections());
  write_gauge(out, "berth_gc_live_bytes",
              "Bytes of live objects and of what was allocated since the last collection",
              static_cast<double>(heap_->live_bytes()));
  write_histogram(out, "berth_gc_asked_to_raised_seconds", "From the request to the raised stop",
                  impl_->asked_to_raised);
  write_histogram(out, "berth_gc_time_to_safepoint_seconds", "From the request until all threads are stopped",
                  impl_->time_to_safepoint);
  write_histogram(out, "berth_gc_stopped_seconds", "From all stopped to the resume",
                  impl_->stopped_to_resumed);
  write_counter(out, "berth_gc_late_threads_total", "Threads late by a second, once per second",
                impl_->late.value());
  {
    const sync::Lock lock(impl_->history_mutex);
    write_gauge(out, "berth_gc_late_threads", "Threads that a stop waits for since more than a second",
                static_cast<double>(impl_->late_threads.size()));
    for (const LateThread& late : impl_->late_threads) {
      write_sample(out, "berth_gc_late_thread_ms", late.late_ns / 1000000,
                   fmt::format(R"(thread="{}",last_transition="{}")", late.id, late.last_transition));
    }
  }
  write_counter(out, "berth_gc_recovered_total",
                "Waits for a stop, its end or a turn whose notification was lost",
                impl_->recovered.value() + impl_->mark.num_recovered());
  write_counter(out, "berth_gc_failed_collections_total",
                "Collections that ran out of memory or whose trace function threw", impl_->failed.value());
  write_counter(out, "berth_gc_recruited_total", "Parked waiters asked to help marking",
                impl_->recruited.value());
  write_counter(out, "berth_gc_helped_total", "Threads that joined a mark phase", impl_->mark.num_helped());
  write_counter(out, "berth_gc_misuses_total", "Broken contracts that were ignored", num_misuses());
  write_gauge(out, "berth_gc_ready_finalizers", "Finalizers that wait for a safe point",
              static_cast<double>(heap_->num_ready_finalizers()));
  write_counter(out, "berth_gc_failed_finalizers_total", "Finalizers that failed",
                heap_->num_failed_finalizers());
}

}  // namespace berth::gc
