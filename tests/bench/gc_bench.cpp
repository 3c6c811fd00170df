// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench gc: what the collector costs those who run, and what it gains from those who wait.
//
// A call into a shared library is most of a poll from C; the seq_cst store of leave most of a safe region.
// Allocation includes its collections, with nothing live; the limit is a store that forwards to the next
// load. Marking is bound by cache misses: two markers have twice as many in flight. Times to safepoint and of
// marking are the collector's own, by the sums of its histograms.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <latch>
#include <mutex>
#include <random>
#include <string_view>
#include <thread>

#include "berth/berth.hpp"
#include "tests/bench/count.hpp"
#include "tests/bench/harness.hpp"

namespace berth::bench {
namespace {

constexpr int kOperations = 200000;
std::atomic<void*> sink;  // keeps what is measured: relaxed

EngineOwner engine_with(unsigned mark_threads) {
  const ConfigOwner config(berth_config_new());
  berth_config_set_compile_threads(config.get(), 0);
  berth_config_set_mark_threads(config.get(), mark_threads);
  return EngineOwner(config.get());
}

/// A sample of the engine's metrics, in seconds, as nanoseconds.
double metric_ns(const EngineOwner& engine, std::string_view name) {
  char* text = berth_engine_metrics(engine.get());
  const std::string_view all(text);
  const size_t at = all.find(fmt::format("\n{} ", name));
  if (at == std::string_view::npos)
    throw std::runtime_error(fmt::format("the engine has no metric {}", name));
  const double seconds = std::strtod(text + at + name.size() + 2, nullptr);
  berth_string_delete(text);
  return seconds * 1e9;
}

/// By how much a collection raises the metric.
double collection_ns(const EngineOwner& engine, const ThreadOwner& thread, std::string_view name) {
  const double before = metric_ns(engine, name);
  berth_gc_collect(thread.get());
  return metric_ns(engine, name) - before;
}

/// Threads parked in reservations of keys that `holder` holds.
class Waiters {
 public:
  Waiters(const EngineOwner& engine, ThreadOwner& holder, int n)
      : holder_(holder), keys_(static_cast<size_t>(n)) {
    berth_cancel_t* cancel = nullptr;
    check(berth_cancel_new(engine.get(), &cancel));
    cancel_.reset(cancel);
    std::latch known(n);
    ids_.resize(keys_.size());
    for (size_t i = 0; i < keys_.size(); ++i) {
      leases_.push_back(std::move(holder.reserve({&keys_[i], nullptr}).lease));
      threads_.emplace_back([this, &engine, &known, i] {
        ThreadOwner own(engine);
        ids_[i] = gettid();
        known.count_down();
        berth_reserve_options_t options{};
        options.struct_size = sizeof options;
        options.timeout_ns = -1;
        options.cancel = cancel_.get();
        berth_reservation_t reservation;
        berth_error_delete(berth_reserve(own.get(), {&keys_[i], nullptr}, &options, &reservation));
      });
    }
    const SafeScope safe(holder.get());
    known.wait();
    berth_engine_counts_t counts{};
    counts.struct_size = sizeof counts;
    for (; counts.waits < keys_.size(); std::this_thread::yield()) berth_engine_counts(engine.get(), &counts);
  }
  ~Waiters() {
    berth_cancel_fire(cancel_.get());
    const SafeScope safe(holder_.get());
    for (std::thread& thread : threads_) thread.join();
  }
  /// Times that they went to sleep; one more each time that one is woken.
  uint64_t sleeps() const {
    uint64_t sum = 0;
    for (const pid_t thread : ids_) {
      std::ifstream status(fmt::format("/proc/self/task/{}/status", thread));
      for (std::string word; status >> word;) {
        uint64_t count = 0;
        if (word == "voluntary_ctxt_switches:" && status >> count) sum += count;
      }
    }
    return sum;
  }

 private:
  ThreadOwner& holder_;
  std::vector<char> keys_;
  std::vector<LeaseOwner> leases_;
  CancelOwner cancel_;
  std::vector<pid_t> ids_;
  std::vector<std::thread> threads_;
};

/// A thread that sums doubles and polls after each 1,024 while it is on, and sleeps, safe, while it is off.
class Poller {
 public:
  explicit Poller(const EngineOwner& engine) : thread_([this, &engine] { run(engine); }) {}
  ~Poller() {
    done_ = true;
    turn_on();
    thread_.join();
  }
  void turn_on() {
    on_ = true;
    on_.notify_one();
  }
  void turn_off() { on_ = false; }
  /// Returns once it polls; the caller's thread is `self`.
  void until_polling(const ThreadOwner& self) const {
    const SafeScope safe(self.get());
    for (const uint64_t seen = polls_.load(); polls_.load() == seen;) std::this_thread::yield();
  }

 private:
  void run(const EngineOwner& engine) {
    const ThreadOwner self(engine);
    const std::vector<double> numbers(1024, 1.0);
    double sum = 0;
    while (!done_) {
      if (!on_) {
        const SafeScope safe(self.get());
        on_.wait(false);
      }
      for (const double number : numbers) sum += number;
      berth_thread_safepoint(self.get());
      polls_.fetch_add(1, std::memory_order_relaxed);
    }
    if (sum == 0.5) sink.store(&sum, std::memory_order_relaxed);  // the sum is used
  }
  std::atomic<bool> on_{false}, done_{false};
  std::atomic<uint64_t> polls_{0};
  std::thread thread_;
};

Figure poll() {
  const EngineOwner engine = engine_with(1);
  const ThreadOwner thread(engine);
  return compare(
      "gc/poll/from:c", "berth_gc_root_get(NULL)", 1 / 1.2, kOperations,
      [&] {
        return time_ns([&] {
          for (int i = 0; i < kOperations; ++i) berth_thread_safepoint(thread.get());
        });
      },
      [&] {
        return time_ns([&] {
          for (int i = 0; i < kOperations; ++i) berth_gc_root_get(nullptr);
        });
      });
}

Figure safe_region() {
  const EngineOwner engine = engine_with(1);
  const ThreadOwner thread(engine);
  std::mutex mutex;
  return compare(
      "gc/safe_enter_leave", "std::mutex lock + unlock", 1 / 1.2, kOperations,
      [&] {
        return time_ns([&] {
          for (int i = 0; i < kOperations; ++i)
            berth_thread_safe_leave(thread.get(), berth_thread_safe_enter(thread.get()));
        });
      },
      [&] {
        return time_ns([&] {
          for (int i = 0; i < kOperations; ++i) {
            mutex.lock();
            mutex.unlock();
          }
        });
      });
}

Figure safe_region_system_calls() {
  const int64_t calls = count_system_calls([](Region& region) {
    const EngineOwner engine = engine_with(1);
    const ThreadOwner thread(engine);
    region.begin();
    for (int i = 0; i < 1000; ++i)
      berth_thread_safe_leave(thread.get(), berth_thread_safe_enter(thread.get()));
    region.end();
  });
  return none("gc/safe_enter_leave/system_calls", static_cast<double>(calls), "calls");
}

// One thread runs and polls. Recruiting is off.
Figure time_to_safepoint() {
  struct World {
    explicit World(int parked) : waiters(engine, thread, parked), poller(engine) {}
    double stop_ns() {
      poller.turn_on();
      poller.until_polling(thread);
      const double ns = collection_ns(engine, thread, "berth_gc_time_to_safepoint_seconds_sum");
      poller.turn_off();
      return ns;
    }
    EngineOwner engine = engine_with(1);
    ThreadOwner thread{engine};
    Waiters waiters;
    Poller poller;
  };
  World many(64), one(1);
  return compare(
      "gc/time_to_safepoint/parked:64", "1 parked", 0.9, 1, [&] { return many.stop_ns(); },
      [&] { return one.stop_ns(); }, 101);
}

// The least of several rounds: a parked thread also wakes by itself, every 100 ms.
Figure stop_wake_ups() {
  const EngineOwner engine = engine_with(1);
  ThreadOwner thread(engine);
  const Waiters waiters(engine, thread, 64);
  uint64_t least = UINT64_MAX;
  for (int round = 0; round < 200 && least != 0; ++round) {
    const uint64_t before = waiters.sleeps();
    berth_gc_collect(thread.get());
    least = std::min(least, waiters.sleeps() - before);
  }
  return none("gc/stop_and_resume/parked:64/wake_ups", static_cast<double>(least), "wake-ups");
}

/// A waiter parks and is served. Returns how often it slept; `region`, if not null, is open meanwhile.
int64_t hand_over(bool foreign_collector, Region* region) {
  const ConfigOwner config(berth_config_new());
  berth_config_set_compile_threads(config.get(), 0);
  berth_gc_hooks_t hooks{};
  hooks.struct_size = sizeof hooks;
  if (foreign_collector) berth_config_set_gc_hooks(config.get(), &hooks, nullptr);
  const EngineOwner engine(config.get());
  ThreadOwner holder(engine);
  static char key;
  auto reservation = holder.reserve({&key, nullptr});
  std::atomic<bool> ready{false}, asked{false}, served{false}, ended{false};
  std::atomic<int64_t> sleeps{0};
  std::thread waiter([&] {
    ThreadOwner own(engine);
    const auto slept = [] {
      rusage usage{};
      getrusage(RUSAGE_THREAD, &usage);
      return usage.ru_nvcsw;
    };
    ready = true;
    while (!asked.load()) {}
    const int64_t before = slept();
    own.reserve({&key, nullptr});  // given back at once
    sleeps = slept() - before;
    served = true;
    while (!ended.load()) {}
  });
  while (!ready.load()) {}
  if (region) region->begin();
  asked = true;
  // Asleep by then, all but always; to ask the engine would take locks that the waiter takes, too.
  for (const auto asleep = Clock::now() + std::chrono::milliseconds(20); Clock::now() < asleep;) {}
  reservation.lease.release(SourceOwner());
  while (!served.load()) {}
  if (region) region->end();
  ended = true;
  const SafeScope safe(holder.get());
  waiter.join();
  return sleeps;
}

// With a foreign collector parked threads are not registered: what is left is the same wait without. Calls:
// medians. Wake-ups: the least of those that slept at all; a waiter that wakes while the one that serves it
// still has its parker locked sleeps twice more.
std::vector<Figure> park() {
  std::vector<double> calls[2], sleeps[2];
  for (int i = 0; i < 21; ++i) {
    for (const bool foreign : {false, true}) {
      calls[foreign].push_back(
          static_cast<double>(count_system_calls([&](Region& region) { hand_over(foreign, &region); })));
      sleeps[foreign].push_back(static_cast<double>(std::max<int64_t>(hand_over(foreign, nullptr), 1)));
    }
  }
  const auto figure = [](const char* name, const char* unit, double ours, double baseline) {
    return Figure{name, ours, baseline, "not registered for recruiting", baseline / ours, 1, unit};
  };
  return {figure("gc/park/system_calls", "calls", median(calls[0]), median(calls[1])),
          figure("gc/park/wake_ups", "wake-ups", std::ranges::min(sleeps[0]), std::ranges::min(sleeps[1]))};
}

Figure allocation() {
  const EngineOwner engine = engine_with(1);
  const ThreadOwner thread(engine);
  berth_gc_type_options_t options{};
  options.struct_size = sizeof options;
  options.name = "cell";
  options.bytes = 32;
  berth_gc_type_t* type = nullptr;
  check(berth_gc_type_new(engine.get(), &options, &type));
  return compare(
      "gc/allocate/bytes:32", "malloc + free", 2, kOperations,
      [&] {
        return time_ns([&] {
          for (int i = 0; i < kOperations; ++i) {
            void* object = nullptr;
            check(berth_gc_allocate(thread.get(), type, 0, &object));
          }
        });
      },
      [&] {
        return time_ns([&] {
          for (int i = 0; i < kOperations; ++i) {
            void* memory = std::malloc(32);
            sink.store(memory, std::memory_order_relaxed);  // else the compiler drops the pair
            std::free(memory);
          }
        });
      });
}

/// An engine whose heap holds 2 million nodes of two references, all reachable from one root.
class Graph {
 public:
  static constexpr size_t kNodes = 2'000'000;
  enum class Shape { Random, List };

  Graph(unsigned mark_threads, Shape shape) : engine(engine_with(mark_threads)), thread(engine) {
    constexpr uint32_t kOffsets[] = {8, 16};
    berth_gc_type_options_t options{};
    options.struct_size = sizeof options;
    options.name = "node";
    options.bytes = 32;
    options.reference_offsets = kOffsets;
    options.reference_count = 2;
    berth_gc_type_t* type = nullptr;
    check(berth_gc_type_new(engine.get(), &options, &type));
    std::vector<char*> nodes;
    std::mt19937 random(7);
    const auto slot = [&](size_t node, size_t side) {
      return reinterpret_cast<void**>(nodes[node] + kOffsets[side]);
    };
    for (size_t i = 0; i < kNodes; ++i) {
      void* node = nullptr;
      check(berth_gc_allocate(thread.get(), type, 0, &node));
      nodes.push_back(static_cast<char*>(node));
      if (i == 0) {
        check(berth_gc_root_new(thread.get(), node, &root_));
        continue;
      }
      // Below an earlier node that has a free slot, so that each is reachable from the first.
      size_t parent = shape == Shape::List ? i - 1 : random() % i, side = 0;
      while (*slot(parent, side) && (side = 1, *slot(parent, side))) parent = random() % i, side = 0;
      berth_gc_write(thread.get(), nodes[parent], slot(parent, side), node);
    }
    for (size_t i = 0; shape == Shape::Random && i < kNodes; ++i) {
      if (!*slot(i, 1)) berth_gc_write(thread.get(), nodes[i], slot(i, 1), nodes[random() % kNodes]);
    }
  }
  ~Graph() { berth_gc_root_delete(root_); }
  double mark_ns() { return collection_ns(engine, thread, "berth_gc_stopped_seconds_sum"); }

  EngineOwner engine;
  ThreadOwner thread;

 private:
  berth_gc_root_t* root_ = nullptr;
};

// The second marker is a thread that the stop holds at a poll, or one that waits for a key. The baseline is
// one marker beside another engine's: two processors that share a cache, a memory or a core are no faster for
// two independent engines either.
std::vector<Figure> parallel_mark() {
  constexpr int kRounds = 7;
  std::vector<Figure> figures;
  {
    Graph one(1, Graph::Shape::Random), beside(1, Graph::Shape::Random), two(2, Graph::Shape::Random);
    const auto baseline = [&] {
      const SafeScope safe(beside.thread.get());
      std::thread other([&] {
        const ThreadOwner own(beside.engine);
        berth_gc_collect(own.get());
      });
      const double ns = one.mark_ns();
      other.join();
      return ns;
    };
    const auto figure = [&](const char* name, const std::function<double()>& ours) {
      return void_without_two_cores(
          compare(name, "1 marker, beside another engine's", 1.6, 1, ours, baseline, kRounds));
    };
    {
      Poller poller(two.engine);
      figures.push_back(figure("gc/mark/graph/markers:2/held_at_a_poll", [&] {
        poller.turn_on();
        poller.until_polling(two.thread);
        const double ns = two.mark_ns();
        poller.turn_off();
        return ns;
      }));
    }
    const Waiters waiters(two.engine, two.thread, 1);
    figures.push_back(figure("gc/mark/graph/markers:2/recruited", [&] { return two.mark_ns(); }));
  }
  Graph one(1, Graph::Shape::List), two(2, Graph::Shape::List);
  const Waiters waiters(two.engine, two.thread, 1);
  figures.push_back(compare(
      "gc/mark/list/markers:2", "1 marker", 0.95, 1, [&] { return two.mark_ns(); },
      [&] { return one.mark_ns(); }, kRounds));
  return figures;
}

}  // namespace

std::vector<Figure> gc_figures() {
  std::vector<Figure> figures = {
      poll(), safe_region(), safe_region_system_calls(), time_to_safepoint(), stop_wake_ups(), allocation()};
  for (auto more : {park, parallel_mark}) {
    for (Figure& figure : more()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace berth::bench
