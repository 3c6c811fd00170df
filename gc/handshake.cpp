// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collector::handshake: runs a function for one thread, which need not be stopped.
#include <algorithm>

#include "gc/collector_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::gc {

void Collector::serve_handshakes(Thread& thread) {
  const sync::Lock lock(impl_->handshake_mutex);
  Handshake::end_all(thread, Handshake::State::Done);
  Impl::notify(impl_->handshaken);
}

bool Collector::handshake(Thread& self, uint64_t id, const std::function<void(Thread&)>& function) {
  if (self.foreign) return false;
  if (self.id == id) {
    function(self);
    return true;
  }
  const SafeRegion region(self);  // it may be asked meanwhile: two threads ask each other
  check_all_safe("a handshake");
  Handshake request{function};
  Thread* target = nullptr;
  {
    const sync::Lock registry(impl_->registry);
    const auto found = std::ranges::find(impl_->threads, id, &Thread::id);
    if (found == impl_->threads.end()) return false;
    target = *found;
    const sync::Lock lock(impl_->handshake_mutex);
    request.next = std::exchange(target->handshakes, &request);
    // Before the state is read, both seq_cst: of this and a leave that stores Unsafe and then reads the word,
    // one sees the other.
    target->poll.fetch_or(kPollHandshake, std::memory_order_seq_cst);
  }
  latch::reach("gc-handshake", target);
  // A pending request proves the target attached, so its record may be read under the mutex.
  const auto is_safe = [&] { return target->state.load(std::memory_order_seq_cst) == State::Safe; };
  const auto done = [&] { return request.state != Handshake::State::Pending; };
  std::chrono::microseconds pause{10};
  for (unsigned looks = 0;;) {
    bool safe = false;
    {
      sync::Lock lock(impl_->handshake_mutex);
      if (done()) break;
      safe = (looks++ == 0 || !mutant::is_on("G25_state_read_once")) && is_safe();
      // Timed, since safe_enter notifies nobody.
      if (!safe) impl_->handshaken.wait_until(lock, sync::Clock::now() + pause);
    }
    pause = std::min(pause * 2, std::chrono::microseconds(100));
    latch::reach("gc-handshake-wait", target);
    if (!safe) continue;
    // No stop is raised meanwhile: the function may look at what a stop moves. A target that leaves now waits
    // for the mutex.
    const sync::Lock registry(impl_->registry);
    const sync::Lock lock(impl_->handshake_mutex);
    if (!done() && is_safe()) {
      latch::reach("gc-handshake-safe", target);
      Handshake::end_all(*target, Handshake::State::Done);
      Impl::notify(impl_->handshaken);
    }
  }
  return request.state == Handshake::State::Done;
}

}  // namespace berth::gc
