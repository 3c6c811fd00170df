// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench reservation: the reservation table against the ancestor's design, one mutex, one map, one condition variable with notify_all.
//
// An uncontended pair is reserve and release without result; the limit is three read-modify-writes. With 64 waiters on other keys the
// ancestor wakes all of them at each release.
#include <condition_variable>
#include <latch>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>

#include "berth/berth.hpp"
#include "tests/bench/harness.hpp"

namespace berth::bench {
namespace {

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
  int num_waiting_ = 0;  // since the last notification
  bool stopping_ = false;
};

char keys[kKeys * 64];
berth_key_t key_of(int i) { return {&keys[i * 64], nullptr}; }

void pairs(berth_thread_t* thread, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < kKeys; ++i) {
      berth_reservation_t reservation;
      check(berth_reserve(thread, key_of(i), nullptr, &reservation));
      check(berth_release(thread, reservation.lease, nullptr));
    }
  }
}

void pairs(MutexTable& table, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < kKeys; ++i) {
      table.reserve(key_of(i).method);
      table.release(key_of(i).method);
    }
  }
}

Figure uncontended() {
  EngineOwner engine;
  ThreadOwner thread(engine);
  MutexTable table;
  return compare("reservation/uncontended/threads:1", "one mutex, one condition variable", 2, uint64_t{kKeys} * kRounds,
                 [&] { return time_ns([&] { pairs(thread.get(), kRounds); }); },
                 [&] { return time_ns([&] { pairs(table, kRounds); }); });
}

// Each pair finds all waiters asleep: while those that the last release woke still stand in line for the mutex, nobody is there to wake.
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
Figure foreign_waiters() {
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
  const Figure figure = compare("reservation/release_beside_waiters/waiters:64", "one mutex, one condition variable", 20,
                                uint64_t{kKeys} * kPairs, [&] { return time_ns([&] { pairs(thread.get(), kPairs); }); },
                                [&] { return pairs_beside(table, kWaiters, 100) * kKeys * kPairs; }, 5);
  berth_cancel_fire(cancel);
  table.stop();
  const SafeScope safe(thread.get());
  for (std::thread& waiter : waiters) waiter.join();
  return figure;
}

int published() { return 1; }

// 1,000 published keys in random order against a std::unordered_map under a mutex.
Figure lookup() {
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
  Figure figure = compare("reservation/lookup_entry/keys:1000", "unordered_map under a mutex", std::nullopt, 1000 * 100,
                          [&] {
                            return time_ns([&] {
                              for (int round = 0; round < 100; ++round) {
                                for (const int i : order) sum += reinterpret_cast<uintptr_t>(berth_lookup_entry(engine.get(), key_of(i), 0));
                              }
                            });
                          },
                          [&] {
                            return time_ns([&] {
                              for (int round = 0; round < 100; ++round) {
                                for (const int i : order) {
                                  const std::lock_guard lock(mutex);
                                  sum += reinterpret_cast<uintptr_t>(map.find(key_of(i).method)->second);
                                }
                              }
                            });
                          });
  if (sum == 1) figure.unit.clear();  // the sum is used
  return figure;
}

}  // namespace

std::vector<Figure> reservation_figures() { return {uncontended(), foreign_waiters(), lookup()}; }

}  // namespace berth::bench
