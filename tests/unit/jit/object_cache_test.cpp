// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ObjectCache: looked for, made once, kept; across threads and processes.
#include "jit/object_cache.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <latch>
#include <thread>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::jit {
namespace {

using namespace std::chrono_literals;
using test::TemporaryDirectory;
using test::Watchdog;

const CacheEnvironment kEnvironment{"1",     "build", "22.1",  "x86_64", "cpu",   "+sse",
                                    "e-m:e", "O2",    "small", "strict", "polls", "checked"};

StoredUnit unit_of(int n, const CacheKey& key) {
  StoredUnit unit;
  unit.keys = {key};
  unit.unit.members.resize(1);
  unit.unit.members[0].entry = "f" + std::to_string(n);
  unit.unit.object = std::string(2000, static_cast<char>(n));
  return unit;
}
CacheKey key_of(const ObjectCache& cache, int n) {
  const std::string bytes = "source " + std::to_string(n);
  CacheSource source;
  source.bytes = bytes;
  source.entry = "f";
  return cache.key(source);
}

class ObjectCacheTest : public testing::TestWithParam<bool> {
 protected:
  ObjectCache::Options options(bool has_thread) const {
    ObjectCache::Options options;
    options.directory = directory.path();
    options.has_thread = has_thread;
    options.expected = {60s, 60s};  // never given up
    return options;
  }
  /// Found, or made and kept; true: made.
  static bool look_or_make(ObjectCache& cache, int n) {
    const sync::Atomic<bool> cancelled{false};
    const CacheKey key = key_of(cache, n);
    ObjectCache::Found found = cache.find(key, BERTH_TIER_FAST, cancelled);
    if (found.unit) {
      const StoredUnit expected = unit_of(n, key);
      EXPECT_EQ(found.unit->unit.object, expected.unit.object);
      EXPECT_EQ(found.unit->unit.members[found.member].entry, expected.unit.members[0].entry);
      return false;
    }
    std::vector<ObjectCache::Found> makers;
    makers.push_back(std::move(found));
    cache.keep(std::make_shared<StoredUnit>(unit_of(n, key)), std::move(makers));
    return true;
  }
  std::string file_of(const ObjectCache& cache, int n) const {
    return directory.path() + "/" + key_of(cache, n).name();
  }

  Watchdog watchdog{100s};
  TemporaryDirectory directory;
};
INSTANTIATE_TEST_SUITE_P(, ObjectCacheTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "thread" : "no_thread"; });

TEST_P(ObjectCacheTest, J75_what_was_kept_is_found_at_once_and_by_the_next_process) {
  {
    ObjectCache cache(kEnvironment, options(GetParam()));
    EXPECT_TRUE(look_or_make(cache, 1));
    EXPECT_FALSE(look_or_make(cache, 1));
  }
  ObjectCache cache(kEnvironment, options(GetParam()));
  EXPECT_FALSE(look_or_make(cache, 1));
  EXPECT_TRUE(look_or_make(cache, 2));
}

TEST_P(ObjectCacheTest, J76_a_damaged_file_is_refused_and_made_again) {
  std::string file;
  {
    ObjectCache cache(kEnvironment, options(GetParam()));
    EXPECT_TRUE(look_or_make(cache, 1));
    file = file_of(cache, 1);
  }
  {
    std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekp(500);
    damaged.put('x');
    ASSERT_TRUE(damaged.good());
  }
  {
    ObjectCache cache(kEnvironment, options(GetParam()));
    EXPECT_TRUE(look_or_make(cache, 1));
    EXPECT_EQ(cache.counts().refused, 1u);
  }
  ObjectCache cache(kEnvironment, options(GetParam()));
  EXPECT_FALSE(look_or_make(cache, 1));
}

TEST_P(ObjectCacheTest, J76_a_file_under_a_foreign_key_is_refused) {
  ObjectCache cache(kEnvironment, options(GetParam()));
  const StoredUnit other = unit_of(1, key_of(cache, 1));
  std::ofstream(file_of(cache, 2), std::ios::binary) << encode_unit(other, kEnvironment.digest());
  EXPECT_TRUE(look_or_make(cache, 2));
  EXPECT_EQ(cache.counts().refused, 1u);
}

// Threads of one process, each with a cache of its own: as processes do, they meet in the directory alone.
TEST_P(ObjectCacheTest, J78_eight_caches_make_each_once) {
  constexpr int kCaches = 8, kKeys = 50;
  std::atomic<int> made{0};
  std::latch start(kCaches);
  std::vector<std::thread> threads;
  for (int t = 0; t < kCaches; ++t) {
    threads.emplace_back([&] {
      ObjectCache cache(kEnvironment, options(GetParam()));
      start.arrive_and_wait();
      for (int n = 0; n < kKeys; ++n) made += look_or_make(cache, n);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, kKeys);
}

int no_lock(int, struct flock*) { return 0; }

TEST_P(ObjectCacheTest, J78_with_locks_that_do_nothing_all_is_still_right) {
  std::atomic<int> made{0};
  std::latch start(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      ObjectCache::Options options = this->options(GetParam());
      options.system.lock = no_lock;
      ObjectCache cache(kEnvironment, std::move(options));
      start.arrive_and_wait();
      for (int n = 0; n < 50; ++n) made += look_or_make(cache, n);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(made, 50);
}

TEST_P(ObjectCacheTest, a_lease_that_never_ends_is_waited_for_twice_as_long_as_expected) {
  ObjectCache::Options options = this->options(GetParam());
  options.expected = {5ms, 60s};
  ObjectCache cache(kEnvironment, options), other(kEnvironment, options);
  const sync::Atomic<bool> cancelled{false}, is_cancelled{true};
  const auto held = other.find(key_of(other, 1), BERTH_TIER_FAST, cancelled);
  EXPECT_EQ(held.lease.state(), FileStore::Lease::State::Held);
  const auto start = sync::Clock::now();
  const auto found = cache.find(key_of(cache, 1), BERTH_TIER_FAST, cancelled);
  EXPECT_GE(sync::Clock::now() - start, 10ms);
  EXPECT_FALSE(found.unit);
  EXPECT_EQ(cache.counts().waited, 1u);
  // Who is not wanted any more does not wait for a minute.
  EXPECT_FALSE(cache.find(key_of(cache, 1), BERTH_TIER_OPTIMIZED, is_cancelled).unit);
}

TEST_P(ObjectCacheTest, J79_off_is_said_and_harms_nothing) {
  ObjectCache::Options options = this->options(GetParam());
  options.directory = "/proc/nowhere";
  ObjectCache cache(kEnvironment, options);
  EXPECT_TRUE(look_or_make(cache, 1));
  EXPECT_TRUE(look_or_make(cache, 1));
  EXPECT_NE(cache.off_reason().find("/proc/nowhere"), std::string::npos);
}

TEST_P(ObjectCacheTest, without_a_build_id_it_is_off) {
  CacheEnvironment environment = kEnvironment;
  environment.engine.clear();
  ObjectCache cache(environment, options(GetParam()));
  EXPECT_TRUE(look_or_make(cache, 1));
  EXPECT_TRUE(look_or_make(cache, 1));
  EXPECT_NE(cache.off_reason(), "");
}

TEST(ObjectCache, a_forked_child_does_not_wait_for_the_parents_thread) {
  const Watchdog watchdog{60s};
  const TemporaryDirectory directory;
  ObjectCache::Options options;
  options.directory = directory.path();
  auto cache = std::make_unique<ObjectCache>(kEnvironment, options);
  std::vector<ObjectCache::Found> none(1);
  cache->keep(std::make_shared<StoredUnit>(unit_of(1, key_of(*cache, 1))), std::move(none));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);
    cache.reset();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace berth::jit
