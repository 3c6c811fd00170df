// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/object_cache.hpp"

#include <algorithm>

namespace berth::jit {
namespace {

constexpr size_t kMostUnwrittenBytes = size_t{64} << 20;
constexpr std::chrono::microseconds kFirstPoll{200}, kLongestPoll{5000};

size_t index_of(berth_tier_t tier) noexcept { return tier == BERTH_TIER_OPTIMIZED ? 1 : 0; }

size_t member_of(const StoredUnit& unit, const CacheKey& key) {
  return static_cast<size_t>(std::find(unit.keys.begin(), unit.keys.end(), key) - unit.keys.begin());
}

}  // namespace

ObjectCache::ObjectCache(const CacheEnvironment& environment, Options options)
    : environment_(environment.digest()),
      has_thread_(options.has_thread),
      store_(options.directory, options.limits, options.system),
      expected_ns_{options.expected[0].count(), options.expected[1].count()} {
  if (environment.engine.empty())
    store_.turn_off("this build of Berth has no build id to tell it from others");
}

ObjectCache::~ObjectCache() { close(); }

ObjectCache::Found ObjectCache::try_find(const CacheKey& key) {
  Found found;
  found.unit = look(key);
  if (!found.unit) {
    found.lease = store_.lease(key);
    if (found.lease.state() == FileStore::Lease::State::Held)
      found.unit = look(key);  // made since the first look
  }
  found.since = sync::Clock::now();
  if (found.unit) {
    found.member = member_of(*found.unit, key);
    found.lease = {};
  }
  return found;
}

ObjectCache::Found ObjectCache::find(const CacheKey& key, berth_tier_t tier,
                                     const sync::Atomic<bool>& cancelled) {
  const auto begin = sync::Clock::now();
  Found found = try_find(key);
  if (found.lease.state() != FileStore::Lease::State::Busy) return found;
  waited_.fetch_add(1, std::memory_order_relaxed);
  const boost::this_thread::disable_interruption uninterrupted;
  for (auto pause = kFirstPoll; found.lease.state() == FileStore::Lease::State::Busy;
       pause = std::min(2 * pause, kLongestPoll)) {
    if (found.since - begin > 2 * expected(tier) || cancelled.load(std::memory_order_relaxed)) break;
    // Of another process: the kernel tells nobody when a range is free but who blocks without end. Orders
    // nothing.
    boost::this_thread::sleep_for(boost::chrono::microseconds(pause.count()));
    found = try_find(key);
  }
  return found;
}

std::shared_ptr<const StoredUnit> ObjectCache::look(const CacheKey& key) {
  {
    const sync::Lock lock(mutex_);
    if (const auto entry = unwritten_.find(key); entry != unwritten_.end()) return entry->second->unit;
  }
  const std::optional<std::string> bytes = store_.get(key);
  if (!bytes) return nullptr;
  auto unit = decode_unit(*bytes, environment_);
  if (unit.has_error() || member_of(unit.assume_value(), key) == unit.assume_value().keys.size()) {
    refuse(key);
    return nullptr;
  }
  return std::make_shared<const StoredUnit>(std::move(unit).assume_value());
}

void ObjectCache::refuse(const CacheKey& key) noexcept {
  refused_.fetch_add(1, std::memory_order_relaxed);
  store_.drop(key);
}

// --- keep

void ObjectCache::keep(std::shared_ptr<const StoredUnit> unit, std::vector<Found> found) {
  if (!store_.is_on()) return;
  auto made = std::make_shared<Write>(Write{std::move(unit), std::move(found)});
  if (!has_thread_) return write({std::move(made)});
  const sync::Lock lock(mutex_);
  if (closing_ || unwritten_bytes_ > kMostUnwrittenBytes) return;
  if (!thread_.joinable()) thread_ = boost::thread([this] { run(); });
  unwritten_bytes_ += made->unit->unit.object.size();
  for (const CacheKey& key : made->unit->keys) unwritten_[key] = made;
  queue_.push_back(std::move(made));
  wake_.notify_one();
}

void ObjectCache::run() {
  sync::Lock lock(mutex_);
  for (;;) {
    while (queue_.empty() && !closing_) wake_.wait(lock);
    if (queue_.empty()) return;
    std::vector<std::shared_ptr<Write>> writes;
    std::swap(writes, queue_);
    lock.unlock();
    write(writes);
    lock.lock();
    for (const std::shared_ptr<Write>& written : writes) {
      unwritten_bytes_ -= written->unit->unit.object.size();
      for (const CacheKey& key : written->unit->keys) {
        if (const auto entry = unwritten_.find(key); entry != unwritten_.end() && entry->second == written)
          unwritten_.erase(entry);
      }
    }
  }
}

// All that waits, together: the disk is waited for once.
void ObjectCache::write(const std::vector<std::shared_ptr<Write>>& writes) {
  std::vector<FileStore::Entry> entries;
  for (const auto& write : writes)
    entries.push_back({write->unit->keys, encode_unit(*write->unit, environment_)});
  store_.put(entries);
  const auto now = sync::Clock::now();
  for (const auto& write : writes) {
    for (const Found& found : write->found) took(write->unit->unit.tier, now - found.since);
    write->found.clear();  // the leases
  }
}

void ObjectCache::close() noexcept {
  boost::thread thread;
  if (home_.is_forked()) {  // a forked child: the thread, and perhaps the lock, are the parent's
    [&]() BERTH_NO_ANALYSIS { thread = std::move(thread_); }();
    if (thread.joinable()) thread.detach();
    return;
  }
  {
    const sync::Lock lock(mutex_);
    closing_ = true;
    thread = std::move(thread_);
    wake_.notify_one();
  }
  if (thread.joinable()) thread.join();
}

// --- counts

std::chrono::nanoseconds ObjectCache::expected(berth_tier_t tier) const noexcept {
  return std::chrono::nanoseconds(expected_ns_[index_of(tier)].load(std::memory_order_relaxed));
}

void ObjectCache::took(berth_tier_t tier, std::chrono::nanoseconds time) noexcept {
  auto& mean = expected_ns_[index_of(tier)];
  const int64_t old = mean.load(std::memory_order_relaxed);
  mean.store(old + (time.count() - old) / 8, std::memory_order_relaxed);
}

ObjectCache::Counts ObjectCache::counts() const noexcept {
  const auto read = [](const sync::Atomic<uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  return {read(hits_), read(misses_), read(refused_), store_.num_evicted(), read(waited_)};
}

}  // namespace berth::jit
