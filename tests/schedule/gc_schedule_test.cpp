// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets of the schedule explorer over the collector: section 12 of the contract page "threads and garbage
// collection".
#include <chrono>

#include "gc/heap.hpp"
#include "gc/mark.hpp"
#include "tests/schedule/stage.hpp"

namespace berth::test {
namespace {

using namespace std::chrono_literals;
using schedule::Search;

const Key kKey = key_in(0);

// A collector looks again after 10 to 100 us whether threads have stopped: some of these waits may end
// whenever the strategy likes.
schedule::Options with_time() { return {.limits = {.horizon = 300us}}; }
schedule::Options in_full(unsigned preemptions) {
  return {.search = Search::Exhaustive, .preemptions = preemptions};
}

/// Managed code of some threads, and stops; each checks that the other does not go on.
struct Managed {
  unsigned running = 0;
  bool is_stopped = false;
  void run() {
    check(!is_stopped, "managed code runs in a stop");
    ++running;
    schedule::hook("managed");
    --running;
  }
  void stop(Stage& stage, gc::Thread& self) {
    stage.collector().for_each_thread_stopped(self, [&](gc::Thread&) {
      check(running == 0, "a stop begins while managed code runs");
      is_stopped = true;
      schedule::hook("stopped");
      is_stopped = false;
    });
  }
};

// Leave and raise

void leave_meets_raise() {
  Stage stage;
  Managed managed;
  stage.thread("mutator", [&](gc::Thread& self) {
    stage.go();
    for (int i = 0; i < 2; ++i) {
      managed.run();
      {
        const gc::SafeRegion region(self);
        schedule::hook("safe");
      }
      managed.run();
      self.safepoint();
    }
  });
  stage.thread("collector", [&](gc::Thread& self) {
    stage.go();
    managed.stop(stage, self);
  });
  stage.run();
}

TEST(Schedule, G5_leave_meets_raise) { explore_target(with_time(), leave_meets_raise); }
TEST(Schedule, G6_leave_meets_raise_in_full) { explore_target(in_full(3), leave_meets_raise); }

// Each waits for its own stop, and must not run on into the other's.
TEST(Schedule, G5_own_ticket_meets_the_next_stop) {
  explore_target(with_time(), [] {
    Stage stage;
    Managed managed;
    for (const char* name : {"first", "second", "third"}) {
      stage.thread(name, [&](gc::Thread& self) {
        stage.go();
        managed.stop(stage, self);
        managed.run();
      });
    }
    stage.run();
  });
}

TEST(Schedule, G21_requests_meet) {
  explore_target(with_time(), [] {
    Stage stage;
    for (const char* name : {"first", "second", "third"}) {
      stage.thread(name, [&](gc::Thread& self) {
        stage.go();
        const uint64_t before = stage.collector().num_collections();
        stage.collector().collect(self);
        check(stage.collector().num_collections() > before, "no collection since the request");
      });
    }
    stage.run();
    check(stage.collector().num_collections() <= 3, "more collections than requests");
  });
}

// Attach and detach

TEST(Schedule, G1_attach_meets_stop) {
  explore_target(with_time(), [] {
    Stage stage;
    Managed managed;
    stage.stranger("newcomer", [&] {
      stage.go();
      gc::Thread* const self = stage->attach().assume_value();
      managed.run();
      self->safepoint();
      managed.run();
      stage->detach(*self);
    });
    stage.thread("collector", [&](gc::Thread& self) {
      stage.go();
      managed.stop(stage, self);
      managed.stop(stage, self);
    });
    stage.run();
  });
}

TEST(Schedule, G2_detach_meets_stop) {
  explore_target(with_time(), [] {
    Stage stage;
    Managed managed;
    stage.stranger("leaver", [&] {
      gc::Thread* const self = stage->attach().assume_value();
      stage.go();
      managed.run();
      stage->detach(*self);
    });
    stage.thread("collector", [&](gc::Thread& self) {
      stage.go();
      managed.stop(stage, self);
    });
    stage.run();
    check(stage.collector().num_threads() == 0, "a detached thread is still linked");
  });
}

// Recruits

// Whoever queues first gets the key first, though both are woken for marking at any time.
TEST(Schedule, G28_recruit_meets_hand_over) {
  explore_target({}, [] {
    Stage stage;
    engine::Agent* first_agent = nullptr;
    bool first_has_it = false;
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease lease = stage.take(self, kKey);
      stage.go();
      schedule::hook("work");
      stage.give(self, lease);
    });
    stage.thread("first", [&](gc::Thread& self) {
      first_agent = &stage.impl().agent_of(self);
      stage.go();
      const Lease lease = stage.take(self, kKey);
      first_has_it = true;
      stage.give(self, lease);
    });
    stage.thread("second", [&](gc::Thread& self) {
      stage.go();
      while (!first_agent->waiting && !first_has_it) schedule::pause();
      const Lease lease = stage.take(self, kKey);
      check(first_has_it, "a recruit has lost its place in the queue");
      stage.give(self, lease);
    });
    stage.stranger("recruiter", [&] {
      stage.go();
      stage.collector().recruit(2);
      stage.collector().recruit(2);
    });
    stage.run();
  });
}

TEST(Schedule, G30_recruit_meets_service_and_time_out) {
  schedule::Options options;
  options.limits.horizon = 60ms;
  explore_target(options, [] {
    Stage stage;
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease lease = stage.take(self, kKey);
      stage.go();
      stage.give(self, lease, native(entry_of(1)));
    });
    stage.thread("impatient", [&](gc::Thread& self) {
      ReserveOptions reserve;
      reserve.deadline = Deadline::in(std::chrono::nanoseconds(50ms).count());
      stage.go();
      const auto got = stage.try_take(self, kKey, reserve);
      check(got.has_value() ? got.assume_value().outcome == Outcome::Published
                            : got.assume_error().code() == BERTH_TIMED_OUT,
            "neither the result nor TIMED_OUT");
    });
    stage.stranger("recruiter", [&] {
      stage.go();
      stage.collector().recruit(1);
    });
    stage.thread("collector", [&](gc::Thread& self) {
      stage.go();
      stage.collector().collect(self);
    });
    stage.run();
  });
}

TEST(Schedule, G30_join_meets_close) {
  explore_target(in_full(2), [] {
    Stage stage;
    gc::MarkPhase phase(3, 0);
    stage.stranger("collector", [&] {
      stage.go();
      for (int i = 0; i < 2; ++i) {
        phase.open({});
        {
          gc::Marker marker(phase);
          phase.drain(marker, [](const auto&) {});
        }
        phase.close();
        check(phase.is_idle(), "someone is inside a closed phase");
      }
    });
    stage.stranger("recruit", [&] {
      stage.go();
      (void)phase.help();
      (void)phase.help();
    });
    stage.run();
    check(phase.is_idle(), "the phase is not idle");
  });
}

// The engine's sweep

TEST(Schedule, G38_sweep_meets_waiters_and_ends_of_leases) {
  explore_target(with_time(), [] {
    Stage stage;
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease lease = stage.take(self, kKey);
      const gc::SafeRegion region(self);
      stage.go();
      stage.give(self, lease);
    });
    stage.thread("waiter", [&](gc::Thread& self) {
      stage.go();
      stage.give(self, stage.take(self, kKey));
    });
    stage.thread("collector", [&](gc::Thread& self) {
      stage.go();
      stage.collector().collect(self);
    });
    stage.run();
  });
}

// Weak references and finalizers

const gc::Type* add_number_type(Stage& stage) {
  gc::Type type;
  type.name = "number";
  type.bytes = 16;
  return stage.collector().heap().add_type(type);
}

TEST(Schedule, G42_weak_read_meets_clear) {
  explore_target(with_time(), [] {
    Stage stage;
    gc::Heap& heap = stage.collector().heap();
    gc::WeakReference* weak = nullptr;
    stage.thread("reader", [&](gc::Thread& self) {
      gc::Object* const made = heap.allocate(self, add_number_type(stage));
      made->word(8) = 42;
      weak = heap.new_weak(made);
      stage.go();
      {
        gc::Rooted<1> kept(self);
        kept[0] = heap.weak_get(weak);
        const bool found = kept[0] != nullptr;
        self.safepoint();
        check(!found || kept[0]->word(8) == 42, "a weak read gave an object that was swept");
        check(!found || heap.weak_get(weak) == kept[0], "a weak reference to a live object was cleared");
      }
      self.safepoint();
    });
    stage.thread("collector", [&](gc::Thread& self) {
      stage.go();
      stage.collector().collect(self);
    });
    stage.run();
    heap.delete_weak(weak);
  });
}

// A finalizer is ready, and held up by a lease of one of two agents. Another thread ends the lease while the
// agents are switched: the thread's next poll afterwards runs it.
TEST(Schedule, G44_end_of_a_lease_meets_switch_of_agents) {
  explore_target({}, [] {
    Stage stage;
    static unsigned num_run;
    num_run = 0;
    static const gc::Thread* runner;
    Lease lease;
    bool ended = false;
    stage.thread("releaser", [&](gc::Thread& self) {
      self.agent->inhibit_finalizers(self, 1);  // else this thread would run it
      const gc::SafeRegion region(self);
      stage.go();
      stage.give(self, lease);
      ended = true;
    });
    stage.thread("runner", [&](gc::Thread& self) {
      runner = &self;
      gc::Heap& heap = stage.collector().heap();
      engine::Agent* const other = stage->new_agent("other").assume_value();
      lease = stage.take(self, kKey);
      stage.forget(lease);
      heap.add_finalizer(
          heap.allocate(self, add_number_type(stage)),
          [](void*, void*) {
            ++num_run;
            check(runner->agent->finalizer_inhibitions() == 0,
                  "a finalizer runs though its agent holds a lease");
          },
          nullptr);
      stage.collector().collect(self);
      (void)stage->set_agent(self, other).assume_value();
      (void)stage->set_agent(self, nullptr).assume_value();
      self.poll.fetch_and(~uint32_t{gc::kPollFinalizers});  // as if all polls so far had found it inhibited
      stage.go();
      (void)stage->set_agent(self, other).assume_value();
      (void)stage->set_agent(self, nullptr).assume_value();
      self.safepoint();  // if it finds the lease, the end of the lease must ask again
      while (!ended) schedule::pause();
      self.safepoint();
      check(num_run == 1, "a ready finalizer does not run at the next safe point");
      check(stage->delete_agent(other).has_value(), "the agent cannot be deleted");
    });
    stage.run();
  });
}

// Handshakes

TEST(Schedule, G25_handshake_meets_all_that_a_thread_does) {
  explore_target(with_time(), [] {
    Stage stage;
    uint64_t id = 0;
    unsigned ran = 0;
    stage.stranger("asked", [&] {
      gc::Thread* const self = stage->attach().assume_value();
      id = self->id;
      stage.go();
      {
        const gc::SafeRegion region(*self);
        schedule::hook("safe");
      }
      self->safepoint();
      stage->detach(*self);
    });
    stage.thread("asker", [&](gc::Thread& self) {
      stage.go();
      const bool found = stage.collector().handshake(self, id, [&](gc::Thread& thread) {
        check(thread.id == id, "another thread");
        ++ran;
      });
      check(ran == (found ? 1u : 0u), "a handshake runs once, or the thread has gone");
    });
    stage.thread("collector", [&](gc::Thread& self) {
      stage.go();
      stage.collector().for_each_thread_stopped(self, [](gc::Thread&) {});
    });
    stage.run();
  });
}

}  // namespace
}  // namespace berth::test
