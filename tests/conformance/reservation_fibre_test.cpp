// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract rows R32 and R38 with real fibres (Boost.Fiber): a fibre that waits does not block its thread, and
// may go on on another one.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/fiber/all.hpp>
#include <deque>
#include <optional>

#include "berth/thread.h"
#include "engine/handles.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/test_engine.hpp"

namespace berth::test {
namespace {

using namespace std::chrono_literals;
namespace fibers = boost::fibers;

const int kMethods[64] = {};
Key key(int i) { return {&kMethods[i], nullptr}; }

gc::Thread& here(TestEngine& engine) { return *gc::current_thread(&engine->collector()); }

/// Ready fibres of all threads in one queue; a thread without ready fibres sleeps safe. The state outlives
/// the threads.
class SharedQueue : public fibers::algo::algorithm {
 public:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<fibers::context*> ready;
    /// Fibres that are not to run on this thread, so that a test decides where one goes on.
    std::thread::id barred;
  };
  SharedQueue(State& state, TestEngine& engine) : state_(state), engine_(engine) {}

  void awakened(fibers::context* fibre) noexcept override {
    if (fibre->is_context(fibers::type::pinned_context)) return own_.push_back(fibre);
    fibre->detach();
    const std::lock_guard lock(state_.mutex);
    state_.ready.push_back(fibre);
    state_.changed.notify_all();
  }
  fibers::context* pick_next() noexcept override {
    const std::lock_guard lock(state_.mutex);
    if (may_take()) {
      fibers::context* fibre = state_.ready.front();
      state_.ready.pop_front();
      fibers::context::active()->attach(fibre);
      return fibre;
    }
    if (own_.empty()) return nullptr;
    fibers::context* fibre = own_.front();
    own_.pop_front();
    return fibre;
  }
  bool has_ready_fibers() const noexcept override {
    const std::lock_guard lock(state_.mutex);
    return may_take() || !own_.empty();
  }
  void suspend_until(const std::chrono::steady_clock::time_point& time) noexcept override {
    std::optional<gc::SafeRegion> safe;
    if (gc::Thread* thread = gc::current_thread(&engine_->collector()))
      safe.emplace(*thread);  // null: the thread ends
    std::unique_lock lock(state_.mutex);
    const auto slice = std::chrono::steady_clock::now() + 5ms;
    if (!notified_ && !may_take()) state_.changed.wait_until(lock, std::min(time, slice));
    notified_ = false;
  }
  void notify() noexcept override {
    const std::lock_guard lock(state_.mutex);
    notified_ = true;
    state_.changed.notify_all();
  }

 private:
  bool may_take() const noexcept {
    return !state_.ready.empty() && state_.barred != std::this_thread::get_id();
  }

  State& state_;
  TestEngine& engine_;
  std::deque<fibers::context*> own_;
  bool notified_ = false;
};

/// A fibre with an agent of its own, and how it parks: on a fibre condition.
class Fibre {
 public:
  Fibre(TestEngine& engine, const char* name, std::function<void(Fibre&)> body)
      : engine_(engine), agent_(engine->new_agent(name).assume_value()) {
    const berth_park_hooks_t hooks{
        sizeof hooks,
        [](void* self, berth_thread_t* thread, int64_t timeout_ns) {
          return engine::to_handle(static_cast<Fibre*>(self)->park(*engine::to_thread(thread), timeout_ns));
        },
        [](void* self) { static_cast<Fibre*>(self)->unpark(); }};
    berth_agent_set_park_hooks(engine::to_handle(agent_), &hooks, this);
    fiber_ = fibers::fiber([this, body = std::move(body)] {
      engine_->set_agent(thread(), agent_).assume_value();
      body(*this);
      engine_->set_agent(thread(), nullptr).assume_value();
    });
  }
  ~Fibre() {
    join();
    EXPECT_TRUE(engine_->delete_agent(agent_).has_value());
  }
  void join() {
    if (fiber_.joinable()) fiber_.join();
  }
  gc::Thread& thread() { return here(engine_); }
  int num_parks() const { return parks_; }
  /// Threads that it parked on and resumed on.
  const std::vector<std::pair<gc::Thread*, gc::Thread*>>& moves() const { return moves_; }
  /// Lets others run, who make agents of their own current.
  template <class Wait>
  gc::Thread& away(Wait&& wait) {
    engine_->set_agent(thread(), nullptr).assume_value();
    wait();
    engine_->set_agent(thread(), agent_).assume_value();
    return thread();
  }
  void yield_until(const std::function<bool()>& condition) {
    while (!condition()) away([] { boost::this_fiber::yield(); });
  }

 private:
  gc::Thread* park(gc::Thread& thread, int64_t timeout_ns) {
    ++parks_;
    gc::Thread& now = away([&] {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), [&] { return unparked_; });
      unparked_ = false;
    });
    moves_.emplace_back(&thread, &now);
    return &now;
  }
  void unpark() {
    const std::lock_guard lock(mutex_);
    unparked_ = true;
    changed_.notify_all();
  }

  TestEngine& engine_;
  engine::Agent* agent_;
  std::mutex mutex_;  // not a fibre's: unpark must not switch
  fibers::condition_variable_any changed_;
  bool unparked_ = false;
  std::atomic<int> parks_{0};
  std::vector<std::pair<gc::Thread*, gc::Thread*>> moves_;
  fibers::fiber fiber_;  // last: started when the rest is ready
};

/// Runs `body` on a thread of its own, as Boost.Fiber keeps a thread's scheduler until the thread ends.
void on_own_thread(TestEngine& engine, const std::function<void(gc::Thread&)>& body) {
  const gc::SafeRegion safe(engine.thread());
  std::thread([&] {
    gc::Thread* thread = engine->attach().assume_value();
    body(*thread);
    engine->detach(*thread);
  }).join();
}

TEST(ReservationFibre, R32_two_fibres_of_one_thread_exclude_each_other) {
  TestEngine engine;
  SharedQueue::State state;
  on_own_thread(engine, [&](gc::Thread&) {
    fibers::use_scheduling_algorithm<SharedQueue>(state, engine);
    std::string order;
    std::function<bool()> second_parked;
    {
      Fibre first(engine, "first", [&](Fibre& self) {
        const Lease lease = engine.take(self.thread(), key(0));
        order += 'a';
        self.yield_until([&] { return order.size() == 2 && second_parked(); });
        EXPECT_EQ(engine->holds(self.thread(), key(0)), 1);
        order += 'c';
        engine.release(self.thread(), lease);
      });
      const Fibre* waiter = nullptr;
      second_parked = [&] { return waiter && waiter->num_parks() != 0; };
      Fibre second(engine, "second", [&](Fibre& self) {
        self.yield_until([&] { return !order.empty(); });
        EXPECT_EQ(engine->holds(self.thread(), key(0)), 0);
        order += 'b';
        const Lease lease = engine.take(self.thread(), key(0));  // no re-entry: it waits
        order += 'd';
        engine.release(self.thread(), lease);
      });
      waiter = &second;
      first.join();
      second.join();
      EXPECT_GE(second.num_parks(), 1);
    }
    EXPECT_EQ(order, "abcd");
  });
  EXPECT_EQ(engine.counts().reentrant, 0u);
  engine.expect_at_rest();
}

TEST(ReservationFibre, R38_a_fibre_waits_without_blocking_its_thread) {
  TestEngine engine;
  SharedQueue::State state;
  on_own_thread(engine, [&](gc::Thread&) {
    fibers::use_scheduling_algorithm<SharedQueue>(state, engine);
    constexpr int kFibres = 32;
    int published = 0;
    std::vector<std::unique_ptr<Fibre>> waiting;
    Fibre holder(engine, "holder", [&](Fibre& self) {
      const Lease lease = engine.take(self.thread(), key(1));
      for (int i = 0; i < kFibres; ++i) {
        waiting.push_back(std::make_unique<Fibre>(engine, "waiter", [&](Fibre& fibre) {
          published +=
              engine->reserve(fibre.thread(), key(1), {}).assume_value().outcome == Outcome::Published;
        }));
      }
      for (auto& fibre : waiting) self.yield_until([&] { return fibre->num_parks() != 0; });
      engine.release(self.thread(), lease, native(entry_of(1)));
    });
    holder.join();
    waiting.clear();
    EXPECT_EQ(published, kFibres);
  });
  EXPECT_EQ(engine.counts().waits, 32u);
  engine.expect_at_rest();
}

TEST(ReservationFibre, R38_a_fibre_resumes_on_another_thread) {
  TestEngine engine;
  const Lease held = engine.take(key(2));
  SharedQueue::State state;
  Gate parked, done;
  std::atomic<bool> was_unsafe{false}, own_stays{false};
  auto second = engine.spawn([&](gc::Thread& thread) {
    {
      const gc::SafeRegion safe(thread);
      parked.wait();
    }
    fibers::use_scheduling_algorithm<SharedQueue>(state, engine);
    // Idles as a worker does, until the fibre that it takes over is done.
    while (!done.is_open()) boost::this_fiber::sleep_for(1ms);
  });
  on_own_thread(engine, [&](gc::Thread& first) {
    fibers::use_scheduling_algorithm<SharedQueue>(state, engine);
    Fibre fibre(engine, "moving", [&](Fibre& self) {
      EXPECT_EQ(&self.thread(), &first);
      auto got = engine->reserve(self.thread(), key(2), {});
      ASSERT_TRUE(got.has_value());
      EXPECT_EQ(got.assume_value().outcome, Outcome::Reserved);
      // On the thread that it resumed on: unsafe as before, its own agent current, the lease its own.
      was_unsafe = self.thread().state.load() == gc::State::Unsafe && &self.thread() != &first;
      EXPECT_EQ(engine->holds(self.thread(), key(2)), 1);
      engine.release(self.thread(), got.assume_value().lease, native(entry_of(2)));
    });
    while (fibre.num_parks() == 0) boost::this_fiber::yield();
    {
      const std::lock_guard lock(state.mutex);
      state.barred = std::this_thread::get_id();
    }
    parked.open();
    engine.release(first, held);
    fibre.join();
    own_stays = first.agent == first.own_agent;
    // It may have parked once more on the thread that it came to: a park is at most a slice.
    EXPECT_TRUE(
        std::ranges::any_of(fibre.moves(), [](const auto& move) { return move.first != move.second; }));
    done.open();
  });
  {
    const gc::SafeRegion safe(engine.thread());
    second->join();
  }
  EXPECT_TRUE(was_unsafe);
  EXPECT_TRUE(own_stays);
  engine.expect_at_rest();
}

// Fibres of two threads, each with keys in an order of its own, while collections run: nobody is lost, each
// result is worked out once.
TEST(ReservationFibre, R38_fibres_of_two_threads_share_their_results) {
  constexpr int kFibres = 48, kKeys = 8;
  TestEngine engine;
  SharedQueue::State state;
  std::atomic<int> worked{0}, left{kFibres};
  const auto run = [&](int from) {
    return engine.spawn([&, from](gc::Thread&) {
      fibers::use_scheduling_algorithm<SharedQueue>(state, engine);
      std::vector<std::unique_ptr<Fibre>> all;
      for (int f = from; f < kFibres; f += 2) {
        all.push_back(std::make_unique<Fibre>(engine, "fibre", [&, f](Fibre& self) {
          for (int i = 0; i < kKeys; ++i) {
            auto got = engine->reserve(self.thread(), key(8 + (f + i) % kKeys), {});
            ASSERT_TRUE(got.has_value());
            self.away([] { boost::this_fiber::yield(); });
            if (got.assume_value().outcome == Outcome::Published) continue;
            ++worked;
            engine.release(self.thread(), got.assume_value().lease, native(entry_of(i)));
          }
          --left;
        }));
      }
      // Both threads serve until all are done: a fibre of the other may be here.
      while (left != 0) boost::this_fiber::sleep_for(1ms);
      all.clear();
    });
  };
  auto a = run(0), b = run(1);
  while (left != 0) engine->collector().collect(engine.thread());
  {
    const gc::SafeRegion safe(engine.thread());
    a->join();
    b->join();
  }
  EXPECT_EQ(worked, kKeys);
  engine.expect_at_rest();
}

}  // namespace
}  // namespace berth::test
