// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FileStore: bytes under keys, whatever the file system, other processes and the end of this one do
// meanwhile.
#include "jit/file_store.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <thread>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::jit {
namespace {

using namespace std::chrono_literals;
using test::TemporaryDirectory;
using test::Watchdog;

CacheKey key(int n) {
  CacheKey key;
  for (size_t i = 0; i < key.bytes.size(); ++i)
    key.bytes[i] = static_cast<uint8_t>(n * 37 + static_cast<int>(i));
  return key;
}
std::string content(int n, size_t size = 1000) { return std::string(size, static_cast<char>('a' + n % 26)); }
FileStore::Entry entry(int n, size_t size = 1000) { return {{key(n)}, content(n, size)}; }
void put(FileStore& store, const FileStore::Entry& entry) { store.put({&entry, 1}); }

/// The system calls with something that runs before or after each. One test at a time.
struct Tampered {
  static inline std::function<void(const char* call)> before, after;
  static inline std::function<int(const char* call)> error_of;  // not 0: what the call fails with
  static inline bool half_writes = false;

  template <class Call>
  static auto run(const char* name, Call&& call) -> decltype(call()) {
    if (before) before(name);
    if (const int error = error_of ? error_of(name) : 0) {
      errno = error;
      return -1;
    }
    const auto result = call();
    const int error = errno;
    if (after) after(name);
    errno = error;
    return result;
  }
  static StoreSystem system() {
    static const StoreSystem real = StoreSystem::real();
    return {
        [](int directory, const char* name, int flags, mode_t mode) {
          return run(flags & O_CREAT ? "create" : "open",
                     [&] { return real.open(directory, name, flags, mode); });
        },
        [](int file, void* to, size_t bytes) {
          return run("read", [&] { return real.read(file, to, bytes); });
        },
        [](int file, const void* from, size_t bytes) {
          return run("write", [&] { return real.write(file, from, half_writes ? (bytes + 1) / 2 : bytes); });
        },
        [](int file) { return run("sync", [&] { return real.sync(file); }); },
        [](int directory, const char* from, const char* to) {
          return run("link", [&] { return real.link(directory, from, to); });
        },
        [](int directory, const char* name) {
          return run("unlink", [&] { return real.unlink(directory, name); });
        },
        [](int file, struct flock* range) { return run("lock", [&] { return real.lock(file, range); }); }};
  }
};

class FileStoreTest : public testing::Test {
 protected:
  ~FileStoreTest() override {
    Tampered::before = Tampered::after = nullptr;
    Tampered::error_of = nullptr;
    Tampered::half_writes = false;
  }
  void used_at(int n, time_t seconds) {
    const timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (directory.path() + "/" + key(n).name()).c_str(), times, 0), 0);
  }

  Watchdog watchdog{60s};
  TemporaryDirectory directory;
};

TEST_F(FileStoreTest, keeps_bytes_under_all_of_their_keys) {
  FileStore store(directory.path());
  EXPECT_FALSE(store.get(key(1)));
  put(store, {{key(1), key(2)}, "bytes"});
  EXPECT_EQ(store.get(key(1)), "bytes");
  EXPECT_EQ(store.get(key(2)), "bytes");
  EXPECT_FALSE(store.get(key(3)));
  EXPECT_EQ(directory.num_files(), 3u);  // and the lock file: no temporary
  store.drop(key(1));
  EXPECT_FALSE(store.get(key(1)));
  EXPECT_EQ(store.get(key(2)), "bytes");
  EXPECT_TRUE(store.is_on());
}

TEST_F(FileStoreTest, a_key_that_is_there_stays) {
  FileStore store(directory.path());
  put(store, entry(1));
  put(store, {{key(1), key(2)}, "others"});
  EXPECT_EQ(store.get(key(1)), content(1));
  EXPECT_EQ(store.get(key(2)), "others");
}

TEST_F(FileStoreTest, makes_the_directory) {
  const std::string path = directory.path() + "/a/b";
  FileStore store(path);
  put(store, entry(1));
  EXPECT_EQ(store.get(key(1)), content(1));
}

TEST_F(FileStoreTest, a_directory_that_others_may_write_to_is_not_used) {
  ASSERT_EQ(::chmod(directory.path().c_str(), 0777), 0);
  const FileStore store(directory.path());
  EXPECT_FALSE(store.is_on());
  EXPECT_NE(store.off_reason(), "");
}

TEST_F(FileStoreTest, one_holds_the_lease_of_a_key) {
  FileStore store(directory.path()), other(directory.path());
  using State = FileStore::Lease::State;
  {
    const auto lease = store.lease(key(1));
    EXPECT_EQ(lease.state(), State::Held);
    EXPECT_EQ(store.lease(key(1)).state(), State::Busy);
    EXPECT_EQ(other.lease(key(1)).state(), State::Busy);
    EXPECT_EQ(other.lease(key(2)).state(), State::Held);
  }
  EXPECT_EQ(other.lease(key(1)).state(), State::Held);
}

TEST_F(FileStoreTest, J78_without_locks_there_is_no_lease) {
  FileStore store(directory.path(), {}, Tampered::system());
  Tampered::error_of = [](const char* call) { return std::string_view(call) == "lock" ? EOPNOTSUPP : 0; };
  EXPECT_EQ(store.lease(key(1)).state(), FileStore::Lease::State::None);
  put(store, entry(1));
  EXPECT_EQ(store.get(key(1)), content(1));
  EXPECT_TRUE(store.is_on());
}

// At each call of a write the process dies: before it, or after it, a write having written half.
TEST_F(FileStoreTest, J77_killed_at_each_step_of_a_write) {
  FileStore store(directory.path());
  int died = 0;
  for (int step = 0;; ++step) {
    ASSERT_LT(step, 100);
    const FileStore::Entry made{{key(2 * step), key(2 * step + 1)}, content(step, 100'000)};
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int left = step;
      const auto die = [&](const char*) {
        if (left-- == 0) ::kill(::getpid(), SIGKILL);
      };
      Tampered::before = Tampered::after = die;
      Tampered::half_writes = true;
      FileStore dying(directory.path(), {}, Tampered::system());
      put(dying, made);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    for (const CacheKey& key : made.keys) {
      const auto found = store.get(key);
      ASSERT_TRUE(!found || *found == made.bytes)
          << "after step " << step << ": " << found->size() << " bytes";
    }
    put(store, made);
    for (const CacheKey& key : made.keys) ASSERT_EQ(store.get(key), made.bytes) << step;
    if (WIFEXITED(status)) break;
    ++died;
  }
  EXPECT_GE(died, 10);  // create, writes, sync, two links, unlink; the first put also looks around
}

TEST_F(FileStoreTest, J77_what_a_dead_process_left_is_removed_later) {
  const std::string left = directory.path() + "/new.0123456789abcdef";
  ::close(::open(left.c_str(), O_CREAT | O_WRONLY, 0600));
  {
    FileStore store(directory.path());
    put(store, entry(1));
    EXPECT_EQ(::access(left.c_str(), F_OK), 0) << "it may be another's, who writes it now";
  }
  const timespec long_ago[2] = {{1'000'000, 0}, {1'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, left.c_str(), long_ago, 0), 0);
  FileStore store(directory.path());
  put(store, entry(2));
  EXPECT_NE(::access(left.c_str(), F_OK), 0);
}

struct Fault {
  const char* call;
  int error;
};
class FileStoreFault : public FileStoreTest, public testing::WithParamInterface<Fault> {};
INSTANTIATE_TEST_SUITE_P(, FileStoreFault,
                         testing::Values(Fault{"create", EROFS}, Fault{"create", ENOENT},
                                         Fault{"create", EACCES}, Fault{"write", ENOSPC},
                                         Fault{"write", EDQUOT}, Fault{"sync", EIO}, Fault{"link", ENOSPC}),
                         [](const auto& info) {
                           return std::string(info.param.call) + "_" + strerrorname_np(info.param.error);
                         });

TEST_P(FileStoreFault, J79_turns_the_store_off_and_leaves_nothing_behind) {
  FileStore store(directory.path(), {}, Tampered::system());
  put(store, entry(1));
  const size_t before = directory.num_files();
  Tampered::error_of = [](const char* call) {
    return std::string_view(call) == GetParam().call ? GetParam().error : 0;
  };
  put(store, entry(2));
  EXPECT_FALSE(store.is_on());
  const std::string reason = store.off_reason();
  EXPECT_NE(reason.find(std::strerror(GetParam().error)), std::string::npos) << reason;
  EXPECT_NE(reason.find(directory.path()), std::string::npos) << reason;
  EXPECT_EQ(directory.num_files(), before);
  put(store, entry(3));
  EXPECT_FALSE(store.get(key(1)));
  EXPECT_EQ(store.lease(key(1)).state(), FileStore::Lease::State::None);
  EXPECT_EQ(store.off_reason(), reason) << "the first reason stays";
}

TEST_F(FileStoreTest, J79_what_may_pass_leaves_it_on) {
  FileStore store(directory.path(), {}, Tampered::system());
  Tampered::error_of = [](const char* call) { return std::string_view(call) == "create" ? EMFILE : 0; };
  put(store, entry(1));
  EXPECT_TRUE(store.is_on());
  Tampered::error_of = nullptr;
  put(store, entry(1));
  EXPECT_EQ(store.get(key(1)), content(1));
}

TEST_F(FileStoreTest, J79_the_directory_vanishes) {
  FileStore store(directory.path());
  put(store, entry(1));
  std::filesystem::remove_all(directory.path());
  EXPECT_FALSE(store.get(key(1)));
  EXPECT_TRUE(store.is_on());
  put(store, entry(2));
  EXPECT_FALSE(store.is_on());
}

TEST_F(FileStoreTest, J79_evicts_what_was_not_used_for_longest) {
  FileStore store(directory.path(), {10'000, 1000}, StoreSystem::real());
  for (int n = 0; n < 10; ++n) {
    put(store, entry(n));
    used_at(n, n == 0 ? 2'000'000 : 1'000'000 + n);
  }
  EXPECT_EQ(store.num_evicted(), 0u);
  put(store, {{key(10), key(11)}, content(10)});  // above: down to 7,000 bytes
  EXPECT_EQ(store.num_evicted(), 4u);
  for (int n = 0; n < 12; ++n) EXPECT_EQ(store.get(key(n)).has_value(), n == 0 || n > 4) << n;
}

TEST_F(FileStoreTest, J79_evicts_by_count) {
  FileStore store(directory.path(), {1'000'000, 10}, StoreSystem::real());
  for (int n = 0; n < 10; ++n) {
    put(store, entry(n));
    used_at(n, 1'000'000 + n);
  }
  put(store, entry(10));
  for (int n = 0; n < 11; ++n) EXPECT_EQ(store.get(key(n)).has_value(), n >= 4) << n;
}

TEST_F(FileStoreTest, J79_a_use_is_noticed) {
  FileStore store(directory.path(), {1'000'000, 10}, StoreSystem::real());
  for (int n = 0; n < 10; ++n) {
    put(store, entry(n));
    used_at(n, 1'000'000 + n);
  }
  EXPECT_TRUE(store.get(key(0)));
  put(store, entry(10));
  EXPECT_TRUE(store.get(key(0)));
  EXPECT_FALSE(store.get(key(1)));
}

// In the middle of a read all files are evicted: the reader has its own open.
TEST_F(FileStoreTest, J79_eviction_leaves_readers_alone) {
  FileStore store(directory.path(), {}, Tampered::system());
  put(store, entry(1, 100'000));
  FileStore evicting(directory.path(), {10, 10}, StoreSystem::real());
  int reads = 0;
  Tampered::before = [&](const char* call) {
    if (std::string_view(call) == "read" && reads++ == 0) put(evicting, entry(2));
  };
  EXPECT_EQ(store.get(key(1)), content(1, 100'000));
  EXPECT_EQ(evicting.num_evicted(), 2u);
  EXPECT_FALSE(store.get(key(1)));
}

TEST_F(FileStoreTest, J79_readers_writers_and_eviction_at_once) {
  constexpr int kKeys = 40;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0}, found{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      FileStore store(directory.path(), {20'000, 1000}, StoreSystem::real());
      for (int i = 0; i < 400; ++i) {
        const int n = (i * 7 + t * 11) % kKeys;
        if (const auto bytes = store.get(key(n))) {
          wrong += *bytes != content(n);
          ++found;
        } else {
          put(store, entry(n));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace berth::jit
