// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/stack_search.hpp"

#include <algorithm>
#include <deque>

#include "gc/collector_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::gc {

/// What a search asks of the threads. Guarded by the handshake mutex.
struct StackSearch::Requests {
  std::function<void(Thread&)> show;
  std::deque<Handshake> pending;  // one for each thread that was attached
  uint64_t pass = 0;
};

StackSearch::StackSearch(Collector& collector, std::vector<Range> ranges)
    : collector_(collector), ranges_(std::move(ranges)) {
  std::ranges::sort(ranges_, {}, &Range::low);
}

StackSearch::~StackSearch() {
  if (!requests_) return;
  Collector::Impl& impl = *collector_.impl_;
  const sync::Lock registry(impl.registry);
  const sync::Lock lock(impl.handshake_mutex);
  for (Thread* thread : impl.threads) {
    for (Handshake** link = &thread->handshakes; *link;) {
      const bool is_ours = &(*link)->function == &requests_->show;
      if (is_ours) {
        *link = (*link)->next;
      } else {
        link = &(*link)->next;
      }
    }
  }
}

void StackSearch::ask() {
  Collector::Impl& impl = *collector_.impl_;
  auto requests = std::make_unique<Requests>();
  requests->show = [this](Thread& thread) { show(thread); };
  const sync::Lock registry(impl.registry);
  for (size_t i = 0; i < impl.threads.size(); ++i) requests->pending.push_back({requests->show});
  {
    const sync::Lock lock(impl.agents_mutex);
    requests->pass = ++impl.stack_pass;
  }
  requests_ = std::move(requests);
  const sync::Lock lock(impl.handshake_mutex);
  for (size_t i = 0; i < impl.threads.size(); ++i) {
    Thread& thread = *impl.threads[i];
    requests_->pending[i].next = std::exchange(thread.handshakes, &requests_->pending[i]);
    // Before the state is read, both seq_cst: of this and a leave that stores Unsafe and then reads the word,
    // one sees the other.
    thread.poll.fetch_or(kPollHandshake, std::memory_order_seq_cst);
  }
}

void StackSearch::show(Thread& thread) {
  Collector::Impl& impl = *collector_.impl_;
  const sync::Lock lock(impl.agents_mutex);
  Agent& agent = *thread.agent;
  const bool polls =
      thread.state.load(std::memory_order_relaxed) != gc::State::Safe;  // then it runs this itself
  const uintptr_t low = polls ? reinterpret_cast<uintptr_t>(__builtin_frame_address(0))
                              : thread.anchor.load(std::memory_order_relaxed);
  const uintptr_t bottom = agent.stack_low != 0 ? agent.stack_low : thread.native_low;
  const uintptr_t high = agent.stack_low != 0 ? agent.stack_high : thread.native_high;
  if (low < bottom || high <= low) return;  // on some other stack
  scan(low, high);
  agent.shown = requests_->pass;
}

StackSearch::State StackSearch::advance() {
  if (collector_.hooks().foreign) return State::Incomplete;  // its threads' states are unknown here
  check_all_safe("a search of the stacks");
  if (!requests_) ask();
  Collector::Impl& impl = *collector_.impl_;
  {
    // No stop is raised meanwhile. A target that leaves now waits for the mutex.
    const sync::Lock registry(impl.registry);
    const sync::Lock lock(impl.handshake_mutex);
    for (Thread* thread : impl.threads) {
      if (thread->handshakes && thread->state.load(std::memory_order_seq_cst) == gc::State::Safe)
        Handshake::end_all(*thread, Handshake::State::Done);
    }
    Collector::Impl::notify(impl.handshaken);
    const auto is_pending = [](const Handshake& request) {
      return request.state == Handshake::State::Pending;
    };
    if (std::ranges::any_of(requests_->pending, is_pending)) return State::Pending;
  }
  latch::reach("gc-stacks-asked", this);
  // Whose agent is on no thread, or went to one that was asked already. The list's lock keeps a deleter, and
  // with it the stack.
  bool all_seen = true;
  const sync::Lock lock(impl.agents_mutex);
  for (Agent* agent : impl.agents) {
    if (agent->shown == requests_->pass) continue;
    const bool is_known = !agent->current.load(std::memory_order_acquire) && agent->suspended.is_known;
    if (!is_known) all_seen = false;
    if (is_known && !mutant::is_on("G50_agents_not_scanned"))
      scan(agent->suspended.low, agent->suspended.high);
  }
  return all_seen ? State::Complete : State::Incomplete;
}

// Other code's frames: padding and, in sanitizer builds, words that are not ours to read; of a Safe thread
// words that it writes now, in frames that are not generated code's. An old or torn one of those says nothing
// about generated code.
__attribute__((no_sanitize("address", "thread"), noinline)) void StackSearch::scan(uintptr_t low,
                                                                                   uintptr_t high) noexcept {
  if (ranges_.empty()) return;
  constexpr uintptr_t kWord = sizeof(uintptr_t);
  Range* const ranges = ranges_.data();
  const uintptr_t lowest = ranges[0].low, highest = ranges[ranges_.size() - 1].high;
  for (uintptr_t at = (low + kWord - 1) & ~(kWord - 1); at + kWord <= high; at += kWord) {
    const uintptr_t word = *reinterpret_cast<const uintptr_t*>(at);
    if (word <= lowest || word >= highest) continue;
    size_t begin = 0, end = ranges_.size();  // the last range that starts below the word
    while (end - begin > 1) {
      const size_t middle = begin + (end - begin) / 2;
      (ranges[middle].low < word ? begin : end) = middle;
    }
    if (word < ranges[begin].high) ranges[begin].is_held = true;
  }
}

}  // namespace berth::gc
