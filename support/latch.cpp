// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/latch.hpp"

#if defined(BERTH_LATCHES) && !defined(BERTH_CONTROLLED_SYNC)
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace berth::latch {

// Not sync::Mutex: latch points are reached under locks of every rank.
struct Hook::Entry {
  std::string name;
  Callback callback;
  int running = 0;
};

namespace {

struct Table {
  std::mutex mutex;
  std::condition_variable idle;
  std::vector<std::shared_ptr<void>> entries;
  // Written under the mutex; read relaxed only to skip the lock: a test installs its hooks before it starts
  // the threads.
  std::atomic<size_t> size{0};
};

Table& table() {
  static Table& instance = *new Table;  // never destroyed: threads may reach points while the process ends
  return instance;
}

std::atomic<uint32_t> max_delay_us{0};  // a number for itself: relaxed

void delay(uint32_t max_us) {
  static std::atomic<uint32_t> next_seed{1};  // only distinct numbers matter: relaxed
  thread_local std::minstd_rand random(next_seed.fetch_add(1, std::memory_order_relaxed));
  std::this_thread::sleep_for(std::chrono::microseconds(random() % (max_us + 1)));
}

}  // namespace

void delay_each(uint32_t max_us) noexcept { max_delay_us.store(max_us, std::memory_order_relaxed); }

void reach(const char* name, const void* subject) {
  if (const uint32_t max_us = max_delay_us.load(std::memory_order_relaxed)) delay(max_us);
  Table& hooks = table();
  if (hooks.size.load(std::memory_order_relaxed) == 0) return;
  std::vector<std::shared_ptr<Hook::Entry>> due;
  {
    const std::lock_guard lock(hooks.mutex);
    for (const auto& any : hooks.entries) {
      auto entry = std::static_pointer_cast<Hook::Entry>(any);
      if (entry->name != name) continue;
      ++entry->running;
      due.push_back(std::move(entry));
    }
  }
  // All of them are given back, even if a callback throws (a test's injected failure).
  struct Done {
    Table& hooks;
    std::vector<std::shared_ptr<Hook::Entry>>& due;
    ~Done() {
      const std::lock_guard lock(hooks.mutex);
      for (const auto& entry : due) --entry->running;
      hooks.idle.notify_all();
    }
  };
  if (due.empty()) return;
  const Done done{hooks, due};
  for (const auto& entry : due) entry->callback(subject);
}

Hook::Hook(std::string name, Callback callback)
    : entry_(std::make_shared<Entry>(Entry{std::move(name), std::move(callback)})) {
  Table& hooks = table();
  const std::lock_guard lock(hooks.mutex);
  hooks.entries.push_back(entry_);
  hooks.size.store(hooks.entries.size(), std::memory_order_relaxed);
}

Hook::~Hook() {
  Table& hooks = table();
  std::unique_lock lock(hooks.mutex);
  std::erase(hooks.entries, std::static_pointer_cast<void>(entry_));
  hooks.size.store(hooks.entries.size(), std::memory_order_relaxed);
  hooks.idle.wait(lock, [&] { return entry_->running == 0; });
}

}  // namespace berth::latch
#endif
