// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CompilePool with a stub generator and a recording sink: who runs what, in which order, and that every job
// is answered once.
#include "jit/compile_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <llvm/Support/ErrorHandling.h>

#include "engine/code_instance.hpp"
#include "jit/containment.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::jit {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using engine::CodeInstance;
using test::Gate;
using test::Watchdog;

class Instances final : public engine::Recycler {
 public:
  CodeInstance& make() {
    const std::lock_guard lock(mutex_);
    CodeInstance& instance = all_.emplace_back();
    instance.references.store(1, std::memory_order_relaxed);
    instance.recycler = this;
    return instance;
  }
  void unreferenced(CodeInstance&) noexcept override {
    std::abort();
  }  // the test's own reference is never given back

 private:
  std::mutex mutex_;
  std::deque<CodeInstance> all_;
};

class RecordingSink final : public engine::CompileSink {
 public:
  struct Answers {
    int claimed = 0, published = 0, failed = 0, dropped = 0, released = 0, released_early = 0;
    std::string text;
    bool may_pass = false;
    int total() const { return published + failed + dropped; }
  };
  bool claim(CodeInstance& instance) noexcept override {
    if (on_claim) on_claim();
    const std::lock_guard lock(mutex_);
    ++answers_[&instance].claimed;
    return !refused.contains(&instance);
  }
  void published(std::span<engine::NewCode> unit) noexcept override {
    for (engine::NewCode& made : unit)
      made.unused = made.instance->code.exchange(made.code, std::memory_order_acq_rel);
    for (const engine::NewCode& made : unit) {
      if (on_published) on_published(*made.instance);
      answer(*made.instance, [](Answers& a) { ++a.published; });
    }
  }
  void failed(CodeInstance& instance, Error error, bool may_pass) noexcept override {
    answer(instance, [&](Answers& a) {
      ++a.failed;
      a.text = error.message();
      a.may_pass = may_pass;
    });
  }
  void dropped(CodeInstance& instance) noexcept override {
    answer(instance, [](Answers& a) { ++a.dropped; });
  }
  void release(engine::CodeInstanceRef instance) noexcept override {
    const std::lock_guard lock(mutex_);
    Answers& answers = answers_[instance.get()];
    ++(answers.total() == 0 ? answers.released_early : answers.released);
  }
  Answers of(const CodeInstance& instance) {
    const std::lock_guard lock(mutex_);
    return answers_[&instance];
  }
  void wait_for(int n) {
    std::unique_lock lock(mutex_);
    while (num_answers_ < n) changed_.wait_for(lock, 100ms);  // sliced: see Parker
  }
  int num_answers() {
    const std::lock_guard lock(mutex_);
    return num_answers_;
  }
  std::set<const CodeInstance*> refused;            // before any submit
  std::function<void(CodeInstance&)> on_published;  // as above
  std::function<void()> on_claim;                   // as above

 private:
  template <class Change>
  void answer(CodeInstance& instance, Change change) {
    const std::lock_guard lock(mutex_);
    change(answers_[&instance]);
    ++num_answers_;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const CodeInstance*, Answers> answers_;
  int num_answers_ = 0;
};

class StubGenerator final : public CodeGenerator {
 public:
  using Body = std::function<Result<engine::Code*>(const engine::CompileJob&, const sync::Atomic<bool>&)>;
  explicit StubGenerator(Body body = {}) : body_(std::move(body)) {}
  // A unit fails as a whole if one of its jobs is "guilty", which has a text of its own only when it is
  // alone.
  Result<Answers> generate(std::span<const CompileRequest> requests) override {
    {
      const std::lock_guard lock(mutex_);
      for (const CompileRequest& request : requests) order_.push_back(request.job.label);
      threads_.insert(std::this_thread::get_id());
      batches_.push_back(requests.size());
    }
    Answers answers;
    for (const CompileRequest& request : requests) {
      if (request.job.label.starts_with("guilty")) {
        return make_error(BERTH_COMPILE_FAILED, "stub", requests.size() > 1 ? "somebody" : request.job.label,
                          "none");
      }
      answers.push_back(body_ ? body_(request.job, request.cancelled) : code());
    }
    return answers;
  }
  engine::Code* code() {
    const std::lock_guard lock(mutex_);
    return &codes_.emplace_back();
  }
  engine::Code* find(const CompileRequest& request) override {
    return kept.contains(request.job.label) ? code() : nullptr;
  }
  bool may_find() const noexcept override { return !kept.empty(); }
  std::set<std::string> kept;  // labels; before any submit
  void bind(CodeInstance& instance) noexcept override {
    note("bound", instance.code.load(std::memory_order_acquire));
  }
  void not_promoted(CodeInstance&) noexcept override { given_up_.fetch_add(1, std::memory_order_relaxed); }
  void trim(std::chrono::nanoseconds) override { trimmed.open(); }
  int num_given_up() const { return given_up_.load(std::memory_order_relaxed); }
  Gate trimmed;
  void retire(engine::Code* code) noexcept override { note("retired", code); }
  Result<void> define_symbol(const char*, void*) override { return success(); }
  void close() noexcept override { closed_.store(true, std::memory_order_relaxed); }
  bool is_closed() const { return closed_.load(std::memory_order_relaxed); }
  std::vector<std::string> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }
  std::set<std::thread::id> threads() {
    const std::lock_guard lock(mutex_);
    return threads_;
  }
  /// What became of code, in order.
  std::vector<std::pair<std::string, const engine::Code*>> events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  std::vector<size_t> batches() {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

 private:
  void note(const char* event, const engine::Code* code) {
    const std::lock_guard lock(mutex_);
    events_.emplace_back(event, code);
  }
  const Body body_;
  std::mutex mutex_;
  std::vector<std::pair<std::string, const engine::Code*>> events_;
  std::deque<engine::Code> codes_;
  std::vector<std::string> order_;
  std::set<std::thread::id> threads_;
  std::vector<size_t> batches_;
  sync::Atomic<int> given_up_{0};     // a counter: relaxed
  sync::Atomic<bool> closed_{false};  // a flag of the tests, orders nothing: relaxed
};

class SizedBody final : public engine::SourceBody {
 public:
  explicit SizedBody(size_t size) : size_(size) {}
  engine::BodyKind kind() const noexcept override { return engine::BodyKind::LlvmIr; }
  size_t size() const noexcept override { return size_; }

 private:
  const size_t size_;
};

/// Of CI, or of the nightly run, which has the page's own counts.
int share(int nightly, int ci) { return std::getenv("BERTH_NIGHTLY") ? nightly : ci; }

CompilePool::Limits without_batches() {
  CompilePool::Limits limits;
  limits.batch_jobs = 1;
  return limits;
}

engine::CompileJob job_of(CodeInstance& instance, std::string label = "", berth_tier_t tier = BERTH_TIER_FAST,
                          engine::Priority priority = engine::Priority::Fast) {
  engine::CompileJob job;
  job.instance = &instance;
  job.source = std::make_shared<engine::Source>();
  job.tier = tier;
  job.priority = priority;
  job.label = std::move(label);
  return job;
}

struct Fixture {
  explicit Fixture(unsigned threads, StubGenerator::Body body = {}, const CompilePool::Limits& limits = {}) {
    install_containment();
    auto stub = std::make_unique<StubGenerator>(std::move(body));
    generator = stub.get();
    pool = std::make_unique<CompilePool>(sink, std::move(stub), threads, limits);
  }
  void submit(CodeInstance& instance, std::string label = "", berth_tier_t tier = BERTH_TIER_FAST,
              engine::Priority priority = engine::Priority::Fast) {
    ASSERT_FALSE(pool->submit(job_of(instance, std::move(label), tier, priority)).has_error());
  }
  Watchdog watchdog{60s};
  Instances instances;
  RecordingSink sink;
  StubGenerator* generator = nullptr;
  std::unique_ptr<CompilePool> pool;
};

// The one worker is held by a first job while the others are queued. No relief comes for these, however long
// the test stands still meanwhile: to the supervisor they are of a later time.
struct HeldFixture : Fixture {
  explicit HeldFixture(unsigned threads = 1, StubGenerator::Body body = {},
                       const CompilePool::Limits& limits = {})
      : Fixture(
            threads,
            [this, body = std::move(body)](const engine::CompileJob& job,
                                           const sync::Atomic<bool>& cancelled) -> Result<engine::Code*> {
              if (job.label == "held") {
                held.open();
                gate.wait();
              }
              if (body) return body(job, cancelled);
              return generator->code();
            },
            an_hour_later(limits)) {
    submit(instances.make(), "held", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
    held.wait();
  }
  Gate gate, held;

 private:
  static CompilePool::Limits an_hour_later(CompilePool::Limits limits) {
    limits.now = [now = std::move(limits.now)] { return now() + 1h; };
    return limits;
  }
};

class JitStop : public testing::TestWithParam<engine::StopMode> {};

TEST_P(JitStop, J1_every_job_is_answered_once) {
  constexpr int kJobs = 10'000;
  sync::Atomic<uint32_t> seed{12345};
  Fixture f(3, [&](const engine::CompileJob&, const sync::Atomic<bool>&) -> Result<engine::Code*> {
    const uint32_t random = seed.fetch_add(0x9e3779b9, std::memory_order_relaxed);
    if (random % 5 == 0) return make_error(BERTH_COMPILE_FAILED, "stub", "injected", "none");
    if (random % 7 == 0) return make_error(BERTH_OUT_OF_MEMORY, "stub", "injected", "none");
    return f.generator->code();
  });
  f.generator->kept.insert("kept");
  std::vector<CodeInstance*> all;
  for (int i = 0; i < kJobs; ++i) all.push_back(&f.instances.make());
  for (int i = 0; i < kJobs; i += 11) f.sink.refused.insert(all[static_cast<size_t>(i)]);
  const auto meddle = [&](unsigned start, auto act) {
    std::mt19937 random(start);
    for (int i = 0; i < kJobs / 2; ++i) act(*all[random() % kJobs]);
  };
  std::thread helper([&] { meddle(1, [&](CodeInstance& i) { f.pool->help(i, Deadline::never()); }); });
  std::thread canceller([&] { meddle(2, [&](CodeInstance& i) { f.pool->cancel(i); }); });
  std::thread lifter([&] { meddle(3, [&](CodeInstance& i) { f.pool->lift(i, engine::Priority::Lifted); }); });
  int accepted = 0;
  for (CodeInstance* instance : all)
    accepted += !f.pool->submit(job_of(*instance, accepted % 3 ? "" : "kept")).has_error();
  helper.join();
  canceller.join();
  lifter.join();
  f.pool->stop(GetParam());
  EXPECT_EQ(accepted, kJobs);
  EXPECT_EQ(f.sink.num_answers(), kJobs);
  for (CodeInstance* instance : all) {
    ASSERT_EQ(f.sink.of(*instance).total(), 1);
    ASSERT_EQ(f.sink.of(*instance).released, 1);
    ASSERT_EQ(f.sink.of(*instance).released_early, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Mode, JitStop, testing::Values(engine::StopMode::Drop, engine::StopMode::Drain));

// What is replaced goes when callers are led on from it: the binding knows the lower code by then only if it
// is still there.
TEST(Jit, J34_callers_are_led_on_before_the_replaced_code_goes) {
  Fixture f(0);
  CodeInstance& instance = f.instances.make();
  for (const berth_tier_t tier : {BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED}) {
    f.submit(instance, "", tier);
    EXPECT_TRUE(f.pool->help(instance, Deadline::never()));
  }
  const auto events = f.generator->events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1], std::pair("bound"s, events[1].second));
  EXPECT_NE(events[1].second, events[0].second);
  EXPECT_EQ(events[2], std::pair("retired"s, events[0].second));
}

// The sink of each job submits the next one and waits for it, as far as another thread can do it.
TEST(Jit, J2_a_sink_may_submit_and_wait) {
  constexpr size_t kJobs = 8;
  Fixture f(2, {}, without_batches());
  std::vector<CodeInstance*> all;
  for (size_t i = 0; i < kJobs; ++i) all.push_back(&f.instances.make());
  f.sink.on_published = [&](CodeInstance& instance) {
    const auto next = std::find(all.begin(), all.end(), &instance) + 1;
    if (next == all.end()) return;
    f.submit(**next);
    f.pool->help(**next, Deadline::never());
    while (!engine::instance_code(**next)) std::this_thread::yield();
  };
  f.submit(*all.front());
  f.sink.wait_for(kJobs);
  for (CodeInstance* instance : all) EXPECT_EQ(f.sink.of(*instance).published, 1);
}

TEST(Jit, J3_release_returns_while_all_workers_are_held) {
  Gate gate;
  Fixture f(2, [&](const engine::CompileJob&, const sync::Atomic<bool>&) -> Result<engine::Code*> {
    gate.wait();
    return f.generator->code();
  });
  for (int i = 0; i < 100; ++i) f.submit(f.instances.make());  // returns: the point of the test
  EXPECT_EQ(f.sink.num_answers(), 0);
  gate.open();
  f.sink.wait_for(100);
}

// Each job's hook needs the entry of the next one; with N workers a chain of N + 1 only ends if others take
// their places.
TEST(Jit, J12_jobs_that_need_other_entries_end) {
  constexpr size_t kJobs = 6;
  std::vector<CodeInstance*> all;
  Fixture f(
      2,
      [&](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
        const size_t number = std::stoul(job.label);
        if (number + 1 < kJobs) {
          CodeInstance& next = *all[number + 1];
          f.pool->help(next, Deadline::never());
          while (!engine::instance_code(next)) std::this_thread::yield();
        }
        return f.generator->code();
      },
      without_batches());
  for (size_t i = 0; i < kJobs; ++i) all.push_back(&f.instances.make());
  for (size_t i = 0; i < kJobs; ++i) f.submit(*all[i], std::to_string(i));
  f.sink.wait_for(kJobs);
  for (CodeInstance* instance : all) EXPECT_EQ(f.sink.of(*instance).published, 1);
}

TEST(Jit, J13_a_waiters_job_runs_while_workers_are_held_and_no_other) {
  Gate gate, held;
  Fixture f(1, [&](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
    if (job.label == "held") {
      held.open();
      gate.wait();
    }
    return f.generator->code();
  });
  CodeInstance &mine = f.instances.make(), &other = f.instances.make();
  f.submit(f.instances.make(), "held", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  held.wait();
  f.submit(other, "other", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  f.submit(mine, "mine", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  f.pool->help(mine, Deadline::never());
  f.sink.wait_for(1);
  EXPECT_EQ(f.sink.of(mine).published, 1);
  EXPECT_EQ(f.sink.of(other).total(), 0);
  gate.open();
  f.sink.wait_for(3);
}

TEST(Jit, J13_a_waiter_takes_kept_code_itself) {
  HeldFixture f;
  f.generator->kept.insert("kept");
  CodeInstance &kept = f.instances.make(), &absent = f.instances.make(), &refused = f.instances.make();
  f.sink.refused.insert(&refused);
  f.submit(kept, "kept", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  f.submit(refused, "kept", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  f.submit(absent, "absent", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  EXPECT_TRUE(f.pool->help(kept, Deadline::never()));
  EXPECT_EQ(f.sink.of(kept).published, 1);
  EXPECT_TRUE(f.pool->help(refused, Deadline::never()));
  EXPECT_EQ(f.sink.of(refused).dropped, 1);
  EXPECT_EQ(f.pool->stats().found, 1u);
  EXPECT_EQ(f.pool->stats().relief, 0u);
  // What is not kept goes to a thread of the pool, claimed once.
  EXPECT_FALSE(f.pool->help(absent, Deadline::never()));
  f.sink.wait_for(3);
  EXPECT_EQ(f.sink.of(absent).published, 1);
  EXPECT_EQ(f.sink.of(absent).claimed, 1);
  EXPECT_EQ(f.generator->order(), (std::vector<std::string>{"held", "absent"}));
  EXPECT_FALSE(f.generator->threads().contains(std::this_thread::get_id()));
  f.gate.open();
}

// Of jobs that are compiled alone.
TEST(Jit, J75_a_pool_thread_publishes_what_is_kept_together_and_compiles_the_rest) {
  HeldFixture f;
  f.generator->kept.insert("kept");
  std::vector<const CodeInstance*> published;
  f.sink.on_published = [&](CodeInstance& instance) { published.push_back(&instance); };
  std::vector<CodeInstance*> jobs;
  for (const char* label : {"first", "kept", "second", "kept"}) {
    jobs.push_back(&f.instances.make());
    f.submit(*jobs.back(), label, BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  }
  f.gate.open();
  f.sink.wait_for(5);
  for (const CodeInstance* instance : jobs) EXPECT_EQ(f.sink.of(*instance).claimed, 1);
  EXPECT_EQ(std::vector(published.begin() + 1, published.end()),
            (std::vector<const CodeInstance*>{jobs[1], jobs[3], jobs[0], jobs[2]}));
  EXPECT_EQ(f.generator->order(), (std::vector<std::string>{"held", "first", "second"}));
  EXPECT_EQ(f.generator->batches(), (std::vector<size_t>{1, 1, 1}));
  f.pool->stop(engine::StopMode::Drain);
  EXPECT_EQ(f.pool->stats().found, 2u);
  EXPECT_EQ(f.pool->stats().run, 5u);
}

class JitHeld : public testing::TestWithParam<engine::Priority> {};

TEST_P(JitHeld, J15_fast_jobs_finish_while_all_workers_are_held) {
  Gate gate;
  const berth_tier_t tier =
      GetParam() == engine::Priority::Optimized ? BERTH_TIER_OPTIMIZED : BERTH_TIER_FAST;
  Fixture f(2, [&](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
    if (job.label == "held") gate.wait();
    return f.generator->code();
  });
  for (int i = 0; i < 2; ++i) {
    f.submit(f.instances.make(), "held", tier, GetParam());
    while (f.generator->order().size() <= static_cast<size_t>(i)) std::this_thread::yield();
  }
  for (int i = 0; i < 1000; ++i) f.submit(f.instances.make(), "fast");
  f.sink.wait_for(1000);  // nobody awaits them, the two are held
  EXPECT_LE(f.pool->stats().relief, 2u);
  gate.open();
  f.sink.wait_for(1002);
}
INSTANTIATE_TEST_SUITE_P(Tier, JitHeld, testing::Values(engine::Priority::Optimized, engine::Priority::Fast));

TEST(Jit, J16_lifted_jobs_run_next) {
  Gate gate, held;
  Fixture f(1, [&](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
    if (job.label == "held") {
      held.open();
      gate.wait();
    }
    return f.generator->code();
  });
  std::vector<CodeInstance*> all;
  f.submit(f.instances.make(), "held", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  held.wait();
  CodeInstance& early = f.instances.make();
  f.pool->lift(early, engine::Priority::Optimized);  // before its job is there
  for (int i = 0; i < 4; ++i) {
    all.push_back(&f.instances.make());
    f.submit(*all.back(), std::to_string(i), BERTH_TIER_OPTIMIZED, engine::Priority::Speculative);
  }
  f.submit(early, "early", BERTH_TIER_OPTIMIZED, engine::Priority::Speculative);
  f.pool->lift(*all[2], engine::Priority::Lifted);
  gate.open();
  f.sink.wait_for(6);
  EXPECT_EQ(f.generator->order(), (std::vector<std::string>{"held", "2", "early", "0", "1", "3"}));
}

TEST(Jit, J18_back_pressure_compiles_on_the_submitting_thread) {
  Gate gate;
  CompilePool::Limits limits;
  limits.queued_jobs = 10;
  const auto submitter = std::this_thread::get_id();
  Fixture f(
      1,
      [&](const engine::CompileJob&, const sync::Atomic<bool>&) -> Result<engine::Code*> {
        if (std::this_thread::get_id() != submitter) gate.wait();
        return f.generator->code();
      },
      limits);
  for (int i = 0; i < 100; ++i) {
    f.submit(f.instances.make(), "", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
    EXPECT_LE(f.pool->stats().queued, 10u);
  }
  EXPECT_GE(f.pool->stats().in_place, 80u);
  gate.open();
  f.sink.wait_for(100);
}

TEST(Jit, J18_what_nobody_would_miss_is_given_up_first) {
  CompilePool::Limits limits;
  limits.queued_jobs = 10;
  HeldFixture f(1, {}, limits);
  std::vector<CodeInstance*> speculative, promoted, wanted;
  engine::Code fast;
  for (int i = 0; i < 5; ++i) {
    speculative.push_back(&f.instances.make());
    f.submit(*speculative.back(), "", BERTH_TIER_FAST, engine::Priority::Speculative);
    promoted.push_back(&f.instances.make());
    promoted.back()->code.store(&fast, std::memory_order_release);
    f.submit(*promoted.back(), "", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  }
  for (int i = 0; i < 10; ++i) {
    wanted.push_back(&f.instances.make());
    f.submit(*wanted.back());
  }
  for (CodeInstance* instance : speculative) EXPECT_EQ(f.sink.of(*instance).dropped, 1);
  for (CodeInstance* instance : promoted) EXPECT_EQ(f.sink.of(*instance).dropped, 1);
  EXPECT_EQ(f.generator->num_given_up(), 10);
  EXPECT_EQ(f.pool->stats().in_place, 0u);
  f.gate.open();
  f.sink.wait_for(21);
  for (CodeInstance* instance : wanted) EXPECT_EQ(f.sink.of(*instance).published, 1);
}

// Each FAST job submits the next one, and a hundredth of a second passes. Gives how many had run when the
// speculative job did.
int64_t fast_jobs_before_a_speculative_one() {
  constexpr int64_t kMost = 2000;
  sync::Atomic<int64_t> passed{0}, before{kMost};  // order nothing: relaxed
  const auto start = sync::Clock::now();
  CompilePool::Limits limits;
  limits.now = [&] { return start + std::chrono::milliseconds(10 * passed.load(std::memory_order_relaxed)); };
  Gate ended;
  HeldFixture f(
      1,
      [&](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
        if (job.label == "speculative")
          before.store(passed.load(std::memory_order_relaxed), std::memory_order_relaxed);
        const bool on = before.load(std::memory_order_relaxed) == kMost &&
                        passed.fetch_add(1, std::memory_order_relaxed) < kMost;
        if (job.label == "fast" && on) {
          f.submit(f.instances.make(), "fast");
        } else if (job.label == "fast") {
          ended.open();
        }
        return f.generator->code();
      },
      limits);
  f.submit(f.instances.make(), "speculative", BERTH_TIER_OPTIMIZED, engine::Priority::Speculative);
  f.submit(f.instances.make(), "fast");
  f.gate.open();
  ended.wait();
  return before.load(std::memory_order_relaxed);
}

TEST(Jit, J17_a_speculative_job_ends_under_endless_fast_load) {
  EXPECT_LT(fast_jobs_before_a_speculative_one(), 1000);
}

TEST(Jit, J30_an_idle_pool_frees_what_it_keeps) {
  CompilePool::Limits limits;
  limits.unused_time = 1ms;
  Fixture f(1, {}, limits);
  f.submit(f.instances.make());
  f.generator->trimmed.wait();
  f.submit(f.instances.make());
  f.sink.wait_for(2);
}

// What lost threads use: they may never come back.
struct Endless {
  Gate started, gate;
};

TEST(Jit, J57_waiters_of_an_endless_job_hear_in_time_and_the_worker_is_replaced) {
  static Endless* endless;  // of the last run of this test
  endless = new Endless;
  CompilePool::Limits limits;
  limits.budgets[0].time_ns = 200'000'000;  // the good ones need none of it, on a busy machine too
  {
    Fixture f(
        1,
        [f = &endless](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
          static engine::Code code;
          if (job.label == "endless") {
            (*f)->started.open();
            (*f)->gate.wait();
          }
          return &code;
        },
        limits);
    CodeInstance &bad = f.instances.make(), &good = f.instances.make();
    f.submit(bad, "endless");
    endless->started.wait();
    f.submit(good, "good");
    f.sink.wait_for(2);
    EXPECT_EQ(f.sink.of(bad).failed, 1);
    EXPECT_TRUE(f.sink.of(bad).may_pass);
    EXPECT_NE(f.sink.of(bad).text.find("was not finished within 200 ms"), std::string::npos)
        << f.sink.of(bad).text;
    EXPECT_EQ(f.sink.of(good).published, 1);
    EXPECT_EQ(f.pool->stats().lost, 1u);
    EXPECT_LE(f.pool->stats().threads, 1u);
    f.submit(f.instances.make(), "good", BERTH_TIER_OPTIMIZED,
             engine::Priority::Optimized);  // no relief for this one
    f.sink.wait_for(3);
    EXPECT_EQ(f.pool->stats().threads, 1u);
  }
  endless->gate.open();  // it comes back, to no pool
}

TEST(Jit, J57_time_that_ends_before_the_compile_begins_is_noticed) {
  const Watchdog watchdog{30s};
  static Endless* endless;
  endless = new Endless;
  CompilePool::Limits limits;
  limits.budgets[0].time_ns = 5'000'000;
  {
    Fixture f(
        1,
        [](const engine::CompileJob&, const sync::Atomic<bool>&) -> Result<engine::Code*> {
          static engine::Code code;
          endless->gate.wait();
          return &code;
        },
        limits);
    f.sink.on_claim = [] { std::this_thread::sleep_for(20ms); };  // the supervisor looks meanwhile
    CodeInstance& bad = f.instances.make();
    f.submit(bad, "endless");
    f.sink.wait_for(1);
    EXPECT_EQ(f.sink.of(bad).failed, 1);
    EXPECT_EQ(f.pool->stats().lost, 1u);
  }
  endless->gate.open();
}

TEST(Jit, J57_the_others_of_an_endless_batch_are_compiled) {
  static Endless* endless;
  endless = new Endless;
  CompilePool::Limits limits;
  limits.budgets[0].time_ns = 200'000'000;  // the good ones need none of it, on a busy machine too
  HeldFixture f(
      1,
      [f = &endless](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
        static engine::Code code;
        if (job.label == "endless") (*f)->gate.wait();
        return &code;
      },
      limits);
  std::vector<CodeInstance*> good;
  CodeInstance& bad = f.instances.make();
  for (int i = 0; i < 10; ++i) {
    good.push_back(&f.instances.make());
    f.submit(*good.back(), "good");
    if (i == 5) f.submit(bad, "endless");
  }
  f.gate.open();
  f.sink.wait_for(12);
  for (CodeInstance* instance : good) EXPECT_EQ(f.sink.of(*instance).published, 1);
  EXPECT_EQ(f.sink.of(bad).failed, 1);
  EXPECT_EQ(f.sink.of(bad).claimed, 1);
  EXPECT_EQ(f.pool->stats().lost, 2u);  // in the batch, and alone
}

TEST(Jit, J19_cancelled_jobs_are_dropped) {
  Gate gate, held;
  Fixture f(1, [&](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
    if (job.label == "held") {
      held.open();
      gate.wait();
    }
    return f.generator->code();
  });
  CodeInstance &running = f.instances.make(), &queued = f.instances.make();
  f.submit(running, "held", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  held.wait();
  f.submit(queued, "queued", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  f.pool->cancel(queued);
  EXPECT_EQ(f.sink.of(queued).dropped, 1);
  f.pool->cancel(running);
  gate.open();
  f.sink.wait_for(2);
  EXPECT_EQ(f.sink.of(running).dropped, 1);
  EXPECT_EQ(f.generator->order(), (std::vector<std::string>{"held"}));
}

// Nothing is compiled when the generator has been told of the end.
TEST(Jit, J21_stop_answers_all_that_is_queued) {
  const int rounds = share(1'000, 50);
  constexpr int kJobs = 1'000;
  Watchdog watchdog{600s};
  for (int round = 0; round < rounds; ++round) {
    Fixture f(2, [&](const engine::CompileJob&, const sync::Atomic<bool>&) -> Result<engine::Code*> {
      std::this_thread::yield();
      EXPECT_FALSE(f.generator->is_closed());
      return f.generator->code();
    });
    for (int i = 0; i < kJobs; ++i) f.submit(f.instances.make());
    f.pool->stop(engine::StopMode::Drop);
    ASSERT_EQ(f.sink.num_answers(), kJobs);
    EXPECT_EQ(f.pool->submit(job_of(f.instances.make())).assume_error().code(), BERTH_SHUT_DOWN);
  }
}

TEST(Jit, J21_drain_runs_all_that_is_queued) {
  Fixture f(2);
  for (int i = 0; i < 200; ++i) f.submit(f.instances.make());
  f.pool->stop(engine::StopMode::Drain);
  EXPECT_EQ(f.sink.num_answers(), 200);
  EXPECT_EQ(f.pool->stats().dropped, 0u);
}

TEST(Jit, J26_without_threads_the_asker_compiles) {
  Fixture f(0);
  CodeInstance &mine = f.instances.make(), &other = f.instances.make();
  f.submit(other);
  f.submit(mine);
  EXPECT_TRUE(f.pool->help(mine, Deadline::never()));
  EXPECT_FALSE(f.pool->help(mine, Deadline::never()));
  EXPECT_EQ(f.sink.of(mine).published, 1);
  EXPECT_EQ(f.sink.of(other).total(), 0);
  EXPECT_EQ(f.generator->threads(), (std::set<std::thread::id>{std::this_thread::get_id()}));
  EXPECT_EQ(f.pool->stats().threads, 0u);
}

TEST(Jit, J26_asked_for_before_it_is_submitted) {
  Fixture f(0);
  CodeInstance& instance = f.instances.make();
  EXPECT_FALSE(f.pool->help(instance, Deadline::never()));
  f.submit(instance);
  EXPECT_EQ(f.sink.of(instance).published, 1);
}

TEST(Jit, J14_a_small_stack_never_compiles) {
  Fixture f(0);
  CodeInstance& instance = f.instances.make();
  f.submit(instance);
  boost::thread::attributes attributes;
  attributes.set_stack_size(128 * 1024);
  std::thread::id small;
  boost::thread thread(attributes, [&] {
    small = std::this_thread::get_id();
    f.pool->help(instance, Deadline::never());
  });
  thread.join();
  EXPECT_EQ(f.sink.of(instance).published, 1);
  EXPECT_FALSE(f.generator->threads().contains(small));
}

TEST(Jit, J14_a_small_stack_takes_no_kept_code) {
  HeldFixture f;
  f.generator->kept.insert("kept");
  CodeInstance& instance = f.instances.make();
  f.submit(instance, "kept");
  boost::thread::attributes attributes;
  attributes.set_stack_size(96 * 1024);
  bool helped = true;
  boost::thread thread(attributes, [&] { helped = f.pool->help(instance, Deadline::never()); });
  thread.join();
  EXPECT_FALSE(helped);
  f.sink.wait_for(1);
  EXPECT_EQ(f.sink.of(instance).published, 1);
  EXPECT_EQ(f.pool->stats().found, 0u);
  f.gate.open();
}

TEST(Jit, J54_a_fatal_error_fails_its_job_and_others_go_on) {
  Fixture f(
      2,
      [&](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
        set_compile_step("generate");
        if (job.label == "bad") llvm::report_fatal_error("cannot select this");
        return f.generator->code();
      },
      without_batches());
  std::vector<CodeInstance*> bad;
  for (int i = 0; i < 8; ++i) {
    bad.push_back(&f.instances.make());
    f.submit(*bad.back(), "bad");
    f.submit(f.instances.make(), "good");
  }
  f.sink.wait_for(16);
  for (CodeInstance* instance : bad) {
    const auto answers = f.sink.of(*instance);
    EXPECT_EQ(answers.failed, 1);
    EXPECT_NE(answers.text.find("failed in generate: cannot select this"), std::string::npos) << answers.text;
  }
  CodeInstance& ninth = f.instances.make();
  while (f.pool->stats().parked < 8) std::this_thread::yield();
  f.submit(ninth, "good");
  f.sink.wait_for(17);
  EXPECT_EQ(f.sink.of(ninth).failed, 1);
  EXPECT_TRUE(f.sink.of(ninth).may_pass);
}

TEST(Jit, J54_a_fatal_error_in_place_returns_to_the_asker) {
  Fixture f(0, [&](const engine::CompileJob&, const sync::Atomic<bool>&) -> Result<engine::Code*> {
    llvm::report_fatal_error("cannot select this");
  });
  CodeInstance& instance = f.instances.make();
  f.submit(instance, "bad");
  EXPECT_TRUE(f.pool->help(instance, Deadline::never()));
  EXPECT_EQ(f.sink.of(instance).failed, 1);
}

/// Batches that one thread takes of so many FAST jobs.
std::vector<size_t> batches_of(size_t jobs, size_t source_bytes) {
  Instances instances;
  const CompileQueue::Limits limits;
  CompileQueue queue(limits, 1);
  for (size_t i = 0; i < jobs; ++i) {
    engine::CompileJob job = job_of(instances.make());
    job.source->body = std::make_unique<SizedBody>(source_bytes);
    const auto queued = std::make_shared<CompileQueue::Job>(std::move(job), sync::Clock::now());
    queue.add({&queued, 1});
  }
  std::vector<size_t> sizes;
  while (queue.num_queued() != 0) {
    std::vector<CompileQueue::JobPtr> batch;
    batch.reserve(limits.batch_jobs);
    queue.take_batch(false, batch);
    sizes.push_back(batch.size());
    queue.finish(batch);
  }
  return sizes;
}

TEST(Jit, J28_batches_take_what_is_queued_within_limits) {
  EXPECT_EQ(batches_of(200, 24), (std::vector<size_t>{64, 64, 64, 8}));
  EXPECT_EQ(batches_of(10, 24 * 1000),
            (std::vector<size_t>{4, 4, 2}));  // sources of about 1,000 instructions
}

TEST(Jit, J28_workers_share_what_is_queued) {
  HeldFixture f(4);
  for (int i = 0; i < 3; ++i)
    f.submit(f.instances.make(), "held", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  while (f.generator->order().size() < 4) std::this_thread::yield();
  for (int i = 0; i < 100; ++i)
    f.submit(f.instances.make(), "", BERTH_TIER_FAST, engine::Priority::FastAsked);
  f.gate.open();
  f.sink.wait_for(104);
  for (const size_t size : f.generator->batches()) EXPECT_LE(size, 25u);
}

TEST(Jit, J28_only_equals_are_mates) {
  HeldFixture f;
  const auto submit = [&](const char* label, engine::Priority priority, berth_tier_t tier, bool isolated) {
    engine::CompileJob job = job_of(f.instances.make(), label, tier, priority);
    job.source->isolated = isolated;
    ASSERT_FALSE(f.pool->submit(std::move(job)).has_error());
  };
  for (int i = 0; i < 2; ++i) {
    submit("fast", engine::Priority::Fast, BERTH_TIER_FAST, false);
    submit("isolated", engine::Priority::Fast, BERTH_TIER_FAST, true);
    submit("optimized", engine::Priority::Optimized, BERTH_TIER_OPTIMIZED, false);
    submit("lifted", engine::Priority::Lifted, BERTH_TIER_FAST, false);
  }
  f.gate.open();
  f.sink.wait_for(9);
  EXPECT_EQ(f.generator->order(),
            (std::vector<std::string>{"held", "lifted", "lifted", "fast", "fast", "isolated", "isolated",
                                      "optimized", "optimized"}));
  EXPECT_EQ(f.generator->batches(), (std::vector<size_t>{1, 2, 2, 1, 1, 1, 1}));
}

struct Group {
  explicit Group(Fixture& f, size_t size, const char* label = "member") {
    std::vector<engine::CompileJob> jobs;
    for (size_t i = 0; i < size; ++i) {
      members.push_back(&f.instances.make());
      jobs.push_back(job_of(*members.back(), label));
    }
    EXPECT_TRUE(f.pool->submit_together(jobs).has_value());
  }
  std::vector<CodeInstance*> members;
};

// Two workers would share three jobs.
TEST(Jit, J47_what_was_released_together_is_one_unit) {
  for (const unsigned threads : {0u, 1u, 2u}) {
    Fixture f(threads);
    const Group group(f, 3);
    f.pool->help(*group.members[1], Deadline::never());
    f.sink.wait_for(3);
    EXPECT_EQ(f.generator->batches(), (std::vector<size_t>{3})) << threads;
  }
}

TEST(Jit, J47_who_helps_one_of_a_group_gives_all_of_it_to_one_thread) {
  HeldFixture f;
  const Group group(f, 3);
  EXPECT_FALSE(f.pool->help(*group.members[2], Deadline::never()));
  f.sink.wait_for(3);
  EXPECT_EQ(f.generator->batches(), (std::vector<size_t>{1, 3}));
  for (const CodeInstance* member : group.members) EXPECT_EQ(f.sink.of(*member).published, 1);
  f.gate.open();
}

// A group joins a batch whole or not.
TEST(Jit, J47_groups_are_mates_as_a_whole) {
  CompilePool::Limits limits;
  limits.batch_jobs = 6;
  HeldFixture f(1, {}, limits);
  const Group first(f, 3, "first"), second(f, 4, "second"), third(f, 2, "third");
  f.gate.open();
  f.sink.wait_for(10);
  EXPECT_EQ(f.generator->batches(), (std::vector<size_t>{1, 5, 4}));
  EXPECT_EQ(f.generator->order()[4], "third");
}

TEST(Jit, J47_what_is_asked_for_before_its_group_comes_brings_all_of_it) {
  Fixture f(0);
  CodeInstance &one = f.instances.make(), &other = f.instances.make();
  f.pool->help(other, Deadline::never());
  engine::CompileJob jobs[] = {job_of(one), job_of(other)};
  EXPECT_TRUE(f.pool->submit_together(jobs).has_value());
  EXPECT_EQ(f.generator->batches(), (std::vector<size_t>{2}));
  EXPECT_EQ(f.sink.num_answers(), 2);
}

TEST(Jit, J28_an_idle_pool_does_not_wait_for_mates) {
  Fixture f(1);
  // The mean: a thread whose wait happens to end just then would answer at once too. Again, should the
  // machine be busy elsewhere.
  constexpr int kJobs = 20;
  std::chrono::nanoseconds mean = 1h;
  for (int round = 0, submitted = 0; round < 10 && mean >= 5ms; ++round) {
    const auto start = sync::Clock::now();
    for (int i = 0; i < kJobs; ++i) {
      f.submit(f.instances.make());
      f.sink.wait_for(++submitted);
    }
    mean = (sync::Clock::now() - start) / kJobs;
  }
  EXPECT_LT(mean, 5ms);
}

TEST(Jit, J29_only_the_guilty_of_a_batch_fail) {
  HeldFixture f;
  std::vector<CodeInstance*> all;
  for (int i = 0; i < 64; ++i) {
    all.push_back(&f.instances.make());
    f.submit(*all.back(), i % 20 == 7 ? "guilty " + std::to_string(i) : "good");
  }
  f.gate.open();
  f.sink.wait_for(65);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto answers = f.sink.of(*all[i]);
    ASSERT_EQ(answers.claimed, 1);
    ASSERT_EQ(answers.failed, i % 20 == 7) << answers.text;
    if (!answers.failed) continue;
    EXPECT_NE(answers.text.find("guilty " + std::to_string(i)), std::string::npos) << answers.text;
  }
}

TEST(Jit, J54_a_fatal_error_in_a_batch_fails_one_of_it) {
  HeldFixture f(1, [&f](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
    if (job.label == "bad") llvm::report_fatal_error("cannot select this");
    return f.generator->code();
  });
  std::vector<CodeInstance*> good;
  CodeInstance& bad = f.instances.make();
  for (int i = 0; i < 20; ++i) {
    good.push_back(&f.instances.make());
    f.submit(*good.back(), "good");
    if (i == 10) f.submit(bad, "bad");
  }
  f.gate.open();
  f.sink.wait_for(22);
  for (CodeInstance* instance : good) EXPECT_EQ(f.sink.of(*instance).published, 1);
  EXPECT_EQ(f.sink.of(bad).failed, 1);
  EXPECT_NE(f.sink.of(bad).text.find("cannot select this"), std::string::npos);
  EXPECT_EQ(f.sink.of(bad).claimed, 1);
  while (f.pool->stats().parked < 2) std::this_thread::yield();  // in the batch, and alone
}

TEST(Jit, J19_a_cancelled_member_is_dropped_and_the_others_go_on) {
  Gate in_batch, cancelled;
  HeldFixture f(1, [&](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
    if (job.label == "first") {
      in_batch.open();
      cancelled.wait();
    }
    return f.generator->code();
  });
  CodeInstance &first = f.instances.make(), &second = f.instances.make(), &third = f.instances.make();
  f.submit(first, "first");
  f.submit(second);
  f.submit(third);
  f.gate.open();
  in_batch.wait();
  f.pool->cancel(second);
  cancelled.open();
  f.sink.wait_for(4);
  EXPECT_EQ(f.sink.of(first).published, 1);
  EXPECT_EQ(f.sink.of(second).dropped, 1);
  EXPECT_EQ(f.sink.of(third).published, 1);
}

TEST(Jit, J33_a_failed_promotion_leaves_the_lower_tier) {
  Fixture f(1, [&](const engine::CompileJob& job, const sync::Atomic<bool>&) -> Result<engine::Code*> {
    if (job.tier == BERTH_TIER_OPTIMIZED) return make_error(BERTH_COMPILE_FAILED, "stub", "injected", "none");
    return f.generator->code();
  });
  CodeInstance& instance = f.instances.make();
  f.submit(instance);
  f.sink.wait_for(1);
  engine::Code* const fast = engine::instance_code(instance);
  f.submit(instance, "", BERTH_TIER_OPTIMIZED, engine::Priority::Optimized);
  f.sink.wait_for(2);
  EXPECT_EQ(engine::instance_code(instance), fast);
  EXPECT_EQ(f.sink.of(instance).failed, 0);
  EXPECT_EQ(f.sink.of(instance).claimed, 1);
  EXPECT_EQ(f.pool->stats().failed, 1u);
}

}  // namespace
}  // namespace berth::jit
