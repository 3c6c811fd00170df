// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench reservation: the reservation table against the ancestor's design, one mutex, one map, one condition
// variable with notify_all.
//
// An uncontended pair is reserve and release without result; the limit is three read-modify-writes. With 64
// waiters on other keys the ancestor wakes all of them at each release. A hand-off is a release that ends
// another thread's wait, to the return of its reserve; the limit is a bare condition variable. In the crowd
// 64 threads ask for 10,000 keys, each in an order of its own, and each key is worked out once; without any
// exclusion all 64 would work on all of them. `looked_up_first` is the same, asked as a caller does: a
// look-up of the entry, and a reserve only where it finds none.
#include <condition_variable>
#include <fstream>
#include <latch>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "berth/berth.hpp"
#include "engine/slot.hpp"
#include "tests/bench/count.hpp"
#include "tests/bench/harness.hpp"

namespace berth::bench {

#if defined(BERTH_BENCH_JIT)
std::function<double(const std::vector<int>& order)> orc_lookups(int keys);
#endif

namespace {

constexpr const char* kAncestor = "one mutex, one condition variable";

constexpr int kKeys = 1024, kRounds = 200;

/// The ancestor's table.
class MutexTable {
 public:
  bool reserve(const void* key) {
    std::unique_lock lock(mutex_);
    while (!stopping_ && held_.contains(key)) {
      ++num_waiting_;
      changed_.wait(lock);
    }
    if (stopping_) return false;
    held_.emplace(key, std::this_thread::get_id());
    return true;
  }
  void release(const void* key) {
    const std::lock_guard lock(mutex_);
    held_.erase(key);
    num_waiting_ = 0;
    changed_.notify_all();
  }
  /// False: it has a result. Else ours, until publish.
  bool reserve_or_find(const void* key) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (results_.contains(key)) return false;
      if (!held_.contains(key)) break;
      changed_.wait(lock);
    }
    held_.emplace(key, std::this_thread::get_id());
    return true;
  }
  void publish(const void* key) {
    const std::lock_guard lock(mutex_);
    results_.insert(key);
    held_.erase(key);
    changed_.notify_all();
  }
  /// Until `n` threads sleep that nobody has notified yet.
  void until_waiting(int n) {
    for (;; std::this_thread::yield()) {
      const std::lock_guard lock(mutex_);
      if (num_waiting_ == n) return;
    }
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<const void*, std::thread::id> held_;
  std::unordered_set<const void*> results_;
  int num_waiting_ = 0;  // since the last notification
  bool stopping_ = false;
};

char keys[kKeys * 64];
berth_key_t key_of(int i) { return {&keys[i * 64], nullptr}; }

void pairs(berth_thread_t* thread, int rounds, int from = 0, int to = kKeys) {
  for (int round = 0; round < rounds; ++round) {
    for (int i = from; i < to; ++i) {
      berth_reservation_t reservation;
      check(berth_reserve(thread, key_of(i), nullptr, &reservation));
      check(berth_release(thread, reservation.lease, nullptr));
    }
  }
}

void pairs(MutexTable& table, int rounds, int from = 0, int to = kKeys) {
  for (int round = 0; round < rounds; ++round) {
    for (int i = from; i < to; ++i) {
      table.reserve(key_of(i).method);
      table.release(key_of(i).method);
    }
  }
}

Figure uncontended() {
  EngineOwner engine;
  ThreadOwner thread(engine);
  MutexTable table;
  constexpr int kFew = 20;  // well within a time slice of a shared machine
  return compare(
      "reservation/uncontended/threads:1", kAncestor, 2, uint64_t{kKeys} * kFew,
      [&] { return time_ns([&] { pairs(thread.get(), kFew); }); },
      [&] { return time_ns([&] { pairs(table, kFew); }); }, 151);
}

// Two threads, each with half of the keys.
Figure two_threads() {
  EngineOwner engine;
  MutexTable table;
  const auto run = [](auto&& with_half) {
    return time_threads_ns(2, [&](unsigned i) {
      with_half(static_cast<int>(i) * kKeys / 2, static_cast<int>(i + 1) * kKeys / 2);
    });
  };
  return void_without_two_cores(compare(
      "reservation/disjoint/threads:2", kAncestor, 5, uint64_t{kKeys} * kRounds,
      [&] {
        return run([&](int from, int to) {
          ThreadOwner thread(engine);
          pairs(thread.get(), kRounds, from, to);
        });
      },
      [&] { return run([&](int from, int to) { pairs(table, kRounds, from, to); }); }, 9));
}

// What cannot be noisy: of 20 pairs, after each key was used once.
std::vector<Figure> counts() {
  constexpr int kPairs = 20;
  const auto ours = [](Region& region) {
    EngineOwner engine;
    ThreadOwner thread(engine);
    pairs(thread.get(), 2, 0, kPairs);
    region.begin();
    pairs(thread.get(), 1, 0, kPairs);
    region.end();
  };
  const auto ancestor = [](Region& region) {
    MutexTable table;
    pairs(table, 2, 0, kPairs);
    region.begin();
    pairs(table, 1, 0, kPairs);
    region.end();
  };
  const Cost cost = count_instructions(ours), baseline = count_instructions(ancestor);
  const auto per_pair = [](int64_t n) { return static_cast<double>(n) / kPairs; };
  Figure instructions{"reservation/uncontended/instructions",
                      per_pair(cost.instructions),
                      per_pair(baseline.instructions),
                      kAncestor,
                      0,
                      std::nullopt,
                      "instructions"};
  instructions.ratio = instructions.baseline / instructions.ours;
  // A lock would be two more read-modify-writes.
  return {bounded("reservation/uncontended/read_modify_writes", per_pair(cost.read_modify_writes), 3,
                  "atomic operations"),
          none("reservation/uncontended/system_calls", static_cast<double>(count_system_calls(ours)),
               "system calls"),
          instructions};
}

// Each pair finds all waiters asleep: while those that the last release woke still stand in line for the
// mutex, nobody is there to wake.
double pairs_beside(MutexTable& table, int waiters, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    table.until_waiting(waiters);
    sum += time_ns([&] {
      table.reserve(key_of(i).method);
      table.release(key_of(i).method);
    });
  }
  return sum / n;
}

// 64 threads wait on keys that stay held; then pairs on other keys.
std::vector<Figure> foreign_waiters() {
  constexpr int kWaiters = 64, kPairs = 20;
  static char held[kWaiters * 64];
  EngineOwner engine;
  ThreadOwner thread(engine);
  MutexTable table;
  std::vector<LeaseOwner> leases;
  std::latch started(2 * kWaiters);
  std::vector<std::thread> waiters;
  berth_cancel_t* cancel = nullptr;
  check(berth_cancel_new(engine.get(), &cancel));
  const CancelOwner owner(cancel);
  for (int i = 0; i < kWaiters; ++i) {
    const berth_key_t key{&held[i * 64], nullptr};
    leases.push_back(std::move(thread.reserve(key).lease));
    table.reserve(key.method);
    waiters.emplace_back([&, key] {
      ThreadOwner own(engine);
      berth_reserve_options_t options{};
      options.struct_size = sizeof options;
      options.timeout_ns = -1;
      options.cancel = cancel;
      berth_reservation_t reservation;
      started.count_down();
      berth_error_delete(berth_reserve(own.get(), key, &options, &reservation));
    });
    waiters.emplace_back([&, key] {
      started.count_down();
      table.reserve(key.method);
    });
  }
  {
    const SafeScope safe(thread.get());
    started.wait();
    berth_engine_counts_t counts{};
    counts.struct_size = sizeof counts;
    for (; counts.waits < kWaiters; std::this_thread::yield()) berth_engine_counts(engine.get(), &counts);
  }
  EngineOwner quiet;
  ThreadOwner quiet_thread(quiet);
  const auto beside = [&](berth_thread_t* each) { return time_ns([&] { pairs(each, kPairs * 5); }); };
  std::vector<Figure> figures;
  figures.push_back(compare(
      "reservation/release_beside_waiters/waiters:64_against_0", "the same without waiters", 1 / 1.1,
      uint64_t{kKeys} * kPairs * 5, [&] { return beside(thread.get()); },
      [&] { return beside(quiet_thread.get()); }));
  figures.push_back(compare(
      "reservation/release_beside_waiters/waiters:64", kAncestor, 20, uint64_t{kKeys} * kPairs,
      [&] { return time_ns([&] { pairs(thread.get(), kPairs); }); },
      [&] { return pairs_beside(table, kWaiters, 100) * kKeys * kPairs; }, 5));
  berth_cancel_fire(cancel);
  table.stop();
  const SafeScope safe(thread.get());
  for (std::thread& waiter : waiters) waiter.join();
  return figures;
}

// A holds the even keys, B the odd ones; each gives its next key back and waits for the other's.
double hand_offs(int n) {
  static char methods[2000];
  EngineOwner engine;
  ThreadOwner thread(engine);
  const auto key = [](int i) { return berth_key_t{&methods[i], nullptr}; };
  std::vector<LeaseOwner> leases(static_cast<size_t>(n));
  const auto take = [&](ThreadOwner& owner, int from) {
    for (int i = from; i < n; i += 2) leases[static_cast<size_t>(i)] = std::move(owner.reserve(key(i)).lease);
  };
  std::latch taken(2);
  std::thread other([&] {
    ThreadOwner own(engine);
    take(own, 1);
    taken.arrive_and_wait();
    for (int i = 1; i < n; i += 2) {
      own.reserve(key(i - 1));  // its lease goes back at once
      leases[static_cast<size_t>(i)] = LeaseOwner();
    }
  });
  take(thread, 0);
  taken.arrive_and_wait();
  const double ns = time_ns([&] {
    for (int i = 0; i < n; i += 2) {
      leases[static_cast<size_t>(i)] = LeaseOwner();
      thread.reserve(key(i + 1));
    }
  });
  const SafeScope safe(thread.get());
  other.join();
  return ns;
}

double bare_hand_offs(int n) {
  std::mutex mutex;
  std::condition_variable changed[2];
  int turn = 0;
  const auto play = [&](int me) {
    for (int i = me; i < n; i += 2) {
      std::unique_lock lock(mutex);
      changed[me].wait(lock, [&] { return turn == i; });
      ++turn;
      changed[1 - me].notify_one();
    }
  };
  std::thread other(play, 1);
  const double ns = time_ns([&] {
    play(0);
    other.join();
  });
  return ns;
}

Figure latency() {
  return compare(
      "reservation/hand_off/waiters:1", "a bare condition variable", 1 / 1.5, 2000,
      [] { return hand_offs(2000); }, [] { return bare_hand_offs(2000); }, 11);
}

void work_2us() {
  for (const auto end = Clock::now() + std::chrono::microseconds(2); Clock::now() < end;) {}
}

// Each thread asks for all keys, in an order of its own.
std::vector<Figure> crowd(std::string name, std::optional<double> goal, bool looks_up_first) {
  constexpr int kThreads = 64, kMany = 10'000;
  static char methods[kMany];
  const auto run = [](auto&& one_thread) {
    std::latch ready(kThreads + 1);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::vector<int> order(kMany);
        for (int i = 0; i < kMany; ++i) order[static_cast<size_t>(i)] = i;
        std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(t)));
        one_thread(order, ready);
      });
    }
    ready.arrive_and_wait();
    return time_ns([&] {
      for (std::thread& thread : threads) thread.join();
    });
  };
  uint64_t waits = 0, wakes = 0;
  const auto ours = [&] {
    EngineOwner engine;
    const double ns = run([&](const std::vector<int>& order, std::latch& ready) {
      ThreadOwner thread(engine);
      {
        const SafeScope safe(thread.get());
        ready.arrive_and_wait();
      }
      for (const int i : order) {
        if (looks_up_first && berth_lookup_entry(engine.get(), {&methods[i], nullptr}, 0)) continue;
        berth_reservation_t got;
        check(berth_reserve(thread.get(), {&methods[i], nullptr}, nullptr, &got));
        if (got.outcome == BERTH_PUBLISHED) {
          berth_instance_release(got.published);
          continue;
        }
        work_2us();
        check(berth_release(thread.get(), got.lease, SourceOwner::from_native(&methods[i]).consume()));
      }
    });
    const std::string metrics = engine.metrics();
    const auto value = [&](const char* line) {
      return std::stoull(metrics.substr(metrics.find(line) + std::string(line).size()));
    };
    waits += value("\nberth_waits_total ");
    wakes += value("\nberth_wakeups_total{reason=\"served\"} ");
    return ns;
  };
  const auto ancestor = [&] {
    MutexTable table;
    return run([&](const std::vector<int>& order, std::latch& ready) {
      ready.arrive_and_wait();
      for (const int i : order) {
        if (!table.reserve_or_find(&methods[i])) continue;
        work_2us();
        table.publish(&methods[i]);
      }
    });
  };
  Figure time = compare(name + "/threads:64/keys:10000", kAncestor, goal, uint64_t{kThreads} * kMany, ours,
                        ancestor, 5);
  Figure counted{name + "/wakeups", static_cast<double>(wakes), static_cast<double>(waits), "waits", 0, 1,
                 "wake-ups"};
  counted.ratio = (counted.baseline + 1) / (counted.ours + 1);
  return {time, counted};
}

double resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6));
  }
  return 0;
}

// 10^6 distinct keys, each reserved and given back without result, after as many as fill the table.
std::vector<Figure> memory() {
  static const char many[1'100'000] = {};
  EngineOwner engine;
  ThreadOwner thread(engine);
  double before = 0;
  for (int i = 0; i < 1'100'000; ++i) {
    if (i == 100'000) before = resident_kib();
    berth_reservation_t got;
    check(berth_reserve(thread.get(), {&many[i], nullptr}, nullptr, &got));
    check(berth_release(thread.get(), got.lease, nullptr));
  }
  // Less than a byte per key: the noise of the allocator, not a slot of 64.
  return {
      bounded("reservation/memory/growth/keys:1000000", std::max(resident_kib() - before, 1.0), 512, "KiB"),
      bounded("reservation/memory/idle_slot", sizeof(engine::Slot), 64, "bytes"),
      bounded("reservation/memory/instance_header", sizeof(engine::CodeInstance), 128, "bytes")};
}

int published() { return 1; }

// 1,000 published keys in random order.
std::vector<Figure> lookup() {
  EngineOwner engine;
  ThreadOwner thread(engine);
  std::unordered_map<const void*, void*> map;
  std::mutex mutex;
  std::vector<int> order(1000);
  for (int i = 0; i < 1000; ++i) {
    order[static_cast<size_t>(i)] = i;
    auto reservation = thread.reserve(key_of(i));
    reservation.lease.release(SourceOwner::from_native(reinterpret_cast<void*>(&published)));
    map[key_of(i).method] = reinterpret_cast<void*>(&published);
  }
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  uintptr_t sum = 0;
  const auto ours = [&] {
    return time_ns([&] {
      for (int round = 0; round < 100; ++round) {
        for (const int i : order)
          sum += reinterpret_cast<uintptr_t>(berth_lookup_entry(engine.get(), key_of(i), 0));
      }
    });
  };
  std::vector<Figure> figures;
  figures.push_back(compare("reservation/lookup_entry/keys:1000", "unordered_map under a mutex", std::nullopt,
                            1000 * 100, ours, [&] {
                              return time_ns([&] {
                                for (int round = 0; round < 100; ++round) {
                                  for (const int i : order) {
                                    const std::lock_guard lock(mutex);
                                    sum += reinterpret_cast<uintptr_t>(map.find(key_of(i).method)->second);
                                  }
                                }
                              });
                            }));
  figures.push_back(bounded("reservation/lookup_entry/time", figures.front().ours, 10, "ns"));
#if defined(BERTH_BENCH_JIT)
  const auto orc = orc_lookups(1000);
  figures.push_back(compare("reservation/lookup_entry/against_orc", "ORC session look-up", 80, 1000 * 100,
                            ours, [&] { return orc(order) * 100; }));
#endif
  if (sum == 1) figures.clear();  // the sum is used
  return figures;
}

}  // namespace

std::vector<Figure> reservation_figures() {
  std::vector<Figure> figures;
  const auto add = [&](std::vector<Figure> more) { figures.insert(figures.end(), more.begin(), more.end()); };
  add(counts());  // first: its children are forked from a process without engine
  add({uncontended(), two_threads()});
  add(foreign_waiters());
  add({latency()});
  add(crowd("reservation/crowd", 1.8, false));
  add(crowd("reservation/crowd/looked_up_first", std::nullopt, true));
  add(lookup());
  add(memory());
  return figures;
}

}  // namespace berth::bench
