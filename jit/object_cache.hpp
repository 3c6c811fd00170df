// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ObjectCache: units by key in a store that processes share: looked for before a compile, kept after it.
//
//   find    | meanwhile                              | gives
//   stored  |                                        | the unit
//   damaged | dropped, counted as refused            | as absent
//   absent  | nobody makes it                        | a lease: make it, then keep it
//   absent  | somebody does, for as long as expected | the unit, once it is there
//   absent  | somebody does, for twice as long       | nothing: make it too
//
// Units are written by a thread of the cache, as a disk's sync takes longer than many compiles; until they
// are, they are found here. Without that thread (an engine that may start none) `keep` writes. What is not
// written when too much waits is only missed later. Rank: kRankObjectCache, a leaf: no file is touched under
// it.
#pragma once
#include <array>
#include <boost/thread/thread.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jit/file_store.hpp"
#include "jit/unit_format.hpp"
#include "support/fork.hpp"
#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankObjectCache{490, "object cache"};

class ObjectCache {
 public:
  struct Options {
    std::string directory;
    FileStore::Limits limits;
    StoreSystem system = StoreSystem::real();
    bool has_thread = true;
    // How long making and keeping one takes at first, FAST and OPTIMIZED; then it is measured.
    std::array<std::chrono::nanoseconds, 2> expected = {std::chrono::milliseconds(20),
                                                        std::chrono::milliseconds(200)};
  };
  struct Counts {
    uint64_t hits, misses, refused, evicted, waited;  // hits, misses: of jobs
  };
  struct Found {
    std::shared_ptr<const StoredUnit> unit;  // or null
    size_t member = 0;                       // of the key
    FileStore::Lease lease;
    std::chrono::steady_clock::time_point since;  // of the lease
  };

  /// `environment` is part of every key. Off if it has no build id.
  ObjectCache(const CacheEnvironment& environment, Options options);
  ~ObjectCache();

  /// Of a source, in this cache's environment. Threads: any. Blocks: never. GC: any, kept.
  CacheKey key(const CacheSource& source) const { return source.key(environment_); }
  /// Threads: any, no lock held. Blocks: reads a file; may wait, for another process's compile, until
  /// `cancelled`. GC: must be safe. Errors: none.
  Found find(const CacheKey& key, berth_tier_t tier, const sync::Atomic<bool>& cancelled);
  /// Without waiting; for who holds leases: two would wait for each other. The lease is Busy where `find`
  /// would wait.
  Found try_find(const CacheKey& key);
  /// Keeps what was made after `find` gave nothing, `found` for each key. As above. Owns: consumed; the unit
  /// is shared.
  void keep(std::shared_ptr<const StoredUnit> unit, std::vector<Found> found);
  /// What is stored, or null: for who would not make it. Threads: any, no lock held. Blocks: reads a file.
  /// GC: must be safe. Errors: none.
  std::shared_ptr<const StoredUnit> look(const CacheKey& key);
  /// A unit that cannot be used after all. Threads: any. Blocks: short (files). GC: must be safe.
  void refuse(const CacheKey& key) noexcept;
  /// For the counts. Threads: any. Blocks: never.
  void add_hit() noexcept { hits_.fetch_add(1, std::memory_order_relaxed); }
  void add_misses(size_t n) noexcept { misses_.fetch_add(n, std::memory_order_relaxed); }
  /// Writes what waits, ends the thread. Idempotent. Threads: one at a time. Blocks: may wait, for the disk.
  /// GC: must be safe.
  void close() noexcept;

  Counts counts() const noexcept;
  std::string off_reason() const { return store_.off_reason(); }

 private:
  struct Write {
    std::shared_ptr<const StoredUnit> unit;
    std::vector<Found> found;
  };
  void write(const std::vector<std::shared_ptr<Write>>& writes);
  void run();
  std::chrono::nanoseconds expected(berth_tier_t tier) const noexcept;
  void took(berth_tier_t tier, std::chrono::nanoseconds time) noexcept;

  const CacheKey environment_;
  const bool has_thread_;
  const HomeProcess home_;  // a forked child has no thread to wait for
  FileStore store_;
  std::array<sync::Atomic<int64_t>, 2> expected_ns_;  // a running mean, lost updates are allowed: relaxed
  // Counters, order nothing: relaxed.
  sync::Atomic<uint64_t> hits_{0}, misses_{0}, refused_{0}, waited_{0};

  sync::Mutex mutex_{kRankObjectCache};
  sync::Condition wake_;
  std::vector<std::shared_ptr<Write>> queue_ BERTH_GUARDED_BY(mutex_);
  std::map<CacheKey, std::shared_ptr<Write>> unwritten_ BERTH_GUARDED_BY(mutex_);
  size_t unwritten_bytes_ BERTH_GUARDED_BY(mutex_) = 0;
  bool closing_ BERTH_GUARDED_BY(mutex_) = false;
  boost::thread thread_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::jit
