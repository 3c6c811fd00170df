// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TestEngine: an engine, this thread attached, and threads that a test starts; explains itself when the
// watchdog bites. Ledger checks: at rest nothing is held and nobody waits.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "engine/engine_impl.hpp"
#include "gc/stress.hpp"
#include "gc/thread.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::test {

using engine::Engine;
using engine::EngineOptions;
using engine::Key;
using engine::Lease;
using engine::Need;
using engine::Outcome;
using engine::Reservation;
using engine::ReserveOptions;
using engine::SourcePtr;

inline engine::Agent& agent_of(gc::Thread& thread) { return static_cast<engine::Agent&>(*thread.agent); }

inline SourcePtr native(void* entry) {
  auto source = std::make_unique<engine::Source>();
  source->body = std::make_unique<engine::NativeBody>(entry);
  return source;
}
inline SourcePtr result_only(void* payload = nullptr, void (*drop)(void*) = nullptr) {
  auto source = std::make_unique<engine::Source>();
  source->payload = payload;
  source->drop_payload = drop;
  return source;
}
inline SourcePtr with_worlds(SourcePtr source, uint64_t low, uint64_t high) {
  source->has_worlds = true;
  source->min_world = low;
  source->max_world = high;
  return source;
}
inline SourcePtr with_edge(SourcePtr source, engine::CodeInstance* callee) {
  source->edges.push_back({engine::CodeInstanceRef(callee), ""});
  return source;
}
inline void* entry_of(int n) {
  static char entries[4096];
  return &entries[n];
}

/// For suites that run on a foreign collector: the hooks of engines that name none, and what makes a thread
/// known to it.
struct ForeignCollector {
  gc::Hooks hooks;
  void (*enter_thread)();
  void (*leave_thread)();
};
inline const ForeignCollector* foreign_collector = nullptr;

class TestEngine {
 public:
  explicit TestEngine(EngineOptions options = {}, std::chrono::milliseconds limit = std::chrono::seconds(20))
      : engine_(Engine::make(on_collector(options)).assume_value()),
        watchdog_(limit, [this] { return engine_->explain(); }),
        thread_(engine_->attach().assume_value()) {}
  ~TestEngine() {
    if (thread_) engine_->detach(*thread_);
  }

  Engine& operator*() { return *engine_; }
  Engine* operator->() { return engine_.get(); }
  engine::Engine::Impl& impl() { return engine_->impl(); }
  gc::Thread& thread() { return *thread_; }

  Result<Reservation> reserve(Key key, ReserveOptions options = {}) {
    return engine_->reserve(*thread_, key, options);
  }
  Lease take(Key key, ReserveOptions options = {}) { return take(*thread_, key, options); }
  Lease take(gc::Thread& thread, Key key, ReserveOptions options = {}) {
    auto got = engine_->reserve(thread, key, options);
    EXPECT_TRUE(got.has_value()) << (got.has_error() ? got.assume_error().message() : "");
    if (got.has_error()) return {};
    EXPECT_NE(got.assume_value().outcome, Outcome::Published);
    return got.assume_value().lease;
  }
  void release(Lease lease, SourcePtr source = nullptr) { release(*thread_, lease, std::move(source)); }
  void release(gc::Thread& thread, Lease lease, SourcePtr source = nullptr) {
    const auto released = engine_->release(thread, lease, std::move(source));
    EXPECT_TRUE(released.has_value()) << (released.has_error() ? released.assume_error().message() : "");
  }

  /// A thread of its own, attached; it may be asked whether it waits.
  class Worker {
   public:
    Worker(Engine& engine, std::function<void(gc::Thread&)> body)
        : engine_(engine), thread_([this, body = std::move(body)] {
            if (foreign_collector) foreign_collector->enter_thread();
            gc::Thread* attached = engine_.attach().assume_value();
            agent_.set_value(&agent_of(*attached));
            body(*attached);
            done_ = true;
            engine_.detach(*attached);
            if (foreign_collector) foreign_collector->leave_thread();
          }) {}
    ~Worker() { join(); }
    void join() {
      if (!thread_.joinable()) return;
      const Safe safe(engine_);
      thread_.join();
    }
    engine::Agent& agent() {
      if (!known_) known_ = agent_.get_future().get();
      return *known_;
    }
    bool is_done() const { return done_; }
    /// Returns when the agent has its wait edge. Asks the graph.
    void until_waiting() {
      const Safe safe(engine_);
      engine::Agent& mine = agent();
      for (;;) {
        {
          const sync::Lock lock(engine_.impl().graph.mutex());
          if (mine.waiting) return;
        }
        std::this_thread::yield();
      }
    }

   private:
    /// The test's own waits are Safe: under stress modes others collect meanwhile.
    class Safe {
     public:
      explicit Safe(Engine& engine) {
        gc::Thread* self = gc::current_thread(&engine.collector());
        if (self && !self->foreign) region_.emplace(*self);
      }

     private:
      std::optional<gc::SafeRegion> region_;
    };
    Engine& engine_;
    std::promise<engine::Agent*> agent_;
    engine::Agent* known_ = nullptr;
    std::atomic<bool> done_{false};
    std::thread thread_;
  };
  std::unique_ptr<Worker> spawn(std::function<void(gc::Thread&)> body) {
    return std::make_unique<Worker>(*engine_, std::move(body));
  }

  berth_engine_counts_t counts() {
    berth_engine_counts_t counts{};
    counts.struct_size = sizeof counts;
    engine_->counts(counts);
    return counts;
  }
  /// Nothing lost: every lease was released or abandoned, nobody waits, no notification had to be recovered.
  void expect_at_rest() {
    auto& impl = engine_->impl();
    const auto totals = impl.agents.totals();
    const auto counts = this->counts();
    EXPECT_EQ(totals.leases, 0);
    EXPECT_EQ(impl.num_waiting.load(), 0);
    EXPECT_EQ(counts.reserved + counts.cycle + counts.reentrant, totals.released + counts.abandoned);
    EXPECT_TRUE(counts.recovered == 0 || gc::stress::is_on(gc::stress::Mode::LoseNotify)) << counts.recovered;
  }

 private:
  static EngineOptions on_collector(EngineOptions options) {
    if (foreign_collector && !options.collector.hooks.foreign)
      options.collector.hooks = foreign_collector->hooks;
    return options;
  }

  std::unique_ptr<Engine> engine_;
  Watchdog watchdog_;
  gc::Thread* thread_;
};

}  // namespace berth::test
