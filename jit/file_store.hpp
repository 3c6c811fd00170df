// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FileStore: bytes under keys in one directory that processes share: what an object cache keeps its units in.
//
//   state | get                     | put                | lease             | no space, read-only, gone
//   On    | the bytes, or none      | written and linked | Held, Busy, None  | Off for good, the reason kept
//   Off   | none                    | nothing            | None              | Off
//
// Bytes are written under a temporary name, synced, then linked to each of their keys: a key names all of the
// bytes or is not there, whenever a process dies. A key that is there already stays. What is in the bytes is
// not looked at. Above the limits the files not used for longest go, down to 70 %; who reads one meanwhile
// has it open. Rank: kRankFileStore, a leaf, around the reason only. Cost: get: open, stat, read, close; put:
// a sync, batched over its entries.
#pragma once
#include <fcntl.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jit/cache_key.hpp"
#include "support/sync.hpp"

namespace berth::jit {

inline constexpr Rank kRankFileStore{500, "object cache files"};

/// The system calls, so that a test can deny them, or die in them.
struct StoreSystem {
  int (*open)(int directory, const char* name, int flags, mode_t mode);
  ssize_t (*read)(int file, void* to, size_t bytes);
  ssize_t (*write)(int file, const void* from, size_t bytes);
  int (*sync)(int file);
  int (*link)(int directory, const char* from, const char* to);
  int (*unlink)(int directory, const char* name);
  int (*lock)(int file, struct flock* range);  // without waiting, of the open file
  static StoreSystem real() noexcept;
};

class FileStore {
 public:
  struct Limits {
    uint64_t bytes = uint64_t{2} << 30;
    uint64_t names = 100'000;
  };
  struct Entry {
    std::vector<CacheKey> keys;
    std::string bytes;
  };

  /// The right to make what a key names, against all processes; ends with the object, or the process. A hint:
  /// without one (locks are not supported, the store is off) the work may be done twice.
  class Lease {
   public:
    enum class State : uint8_t { Held, Busy, None };
    Lease() = default;
    Lease(State state, int file) noexcept : state_(state), file_(file) {}
    Lease(Lease&& other) noexcept : state_(other.state_), file_(std::exchange(other.file_, -1)) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(file_, other.file_);
      std::swap(state_, other.state_);
      return *this;
    }
    ~Lease();
    State state() const noexcept { return state_; }

   private:
    State state_ = State::None;
    int file_ = -1;
  };

  /// Makes the directory if it is not there. One that belongs to somebody else, or that everybody may write
  /// to, is not used: what is in it is run.
  explicit FileStore(const std::string& directory) : FileStore(directory, Limits{}, StoreSystem::real()) {}
  FileStore(const std::string& directory, const Limits& limits, const StoreSystem& system);
  ~FileStore();
  FileStore(const FileStore&) = delete;
  FileStore& operator=(const FileStore&) = delete;

  // Of all: Threads: any. Blocks: short (files). GC: must be safe. Errors: none: the store goes off at what
  // will not pass.
  std::optional<std::string> get(const CacheKey& key);
  void put(std::span<const Entry> entries);
  Lease lease(const CacheKey& key);
  /// What `get` gave is of no use.
  void drop(const CacheKey& key) noexcept;

  /// For good, for a reason of the caller's. Blocks: short.
  void turn_off(std::string reason);
  /// Threads: any. Blocks: never. GC: any, kept.
  bool is_on() const noexcept { return on_.load(std::memory_order_relaxed); }
  /// Why it is off; empty if it is on. Blocks: short.
  std::string off_reason() const;
  uint64_t num_evicted() const noexcept { return evicted_.load(std::memory_order_relaxed); }

 private:
  struct Temporary;
  bool write(const Entry& entry, Temporary& to);
  bool publish(const Entry& entry, const Temporary& from);
  void count(uint64_t bytes, size_t names);
  void evict();
  void failed(const char* doing, int error);

  const std::string path_;
  const Limits limits_;
  const StoreSystem system_;
  int directory_ = -1;
  sync::Atomic<bool> on_{true};  // true to false, once: relaxed, who sees it late fails again
  mutable sync::Mutex mutex_{kRankFileStore};
  std::string off_reason_ BERTH_GUARDED_BY(mutex_);
  // What is in the directory, as far as this process knows: only whether to look. Relaxed.
  sync::Atomic<uint64_t> bytes_{0}, names_{0};
  sync::Atomic<bool> counted_{false};  // the directory was looked at once: relaxed
  sync::Atomic<uint64_t> evicted_{0};  // a counter, orders nothing: relaxed
};

}  // namespace berth::jit
