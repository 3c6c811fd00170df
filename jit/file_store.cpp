// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/file_store.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>

#include "support/mutant.hpp"

namespace berth::jit {
namespace {

constexpr uint64_t kLargestFile = uint64_t{1} << 30;
constexpr time_t kTouchAfter = 60;             // seconds: a file used more often is not written to for it
constexpr time_t kTemporaryIsStale = 60 * 60;  // its process died
constexpr int64_t kEvictionPlace = int64_t{1} << 62;  // in the lock file, beyond those of keys
constexpr const char* kTemporaryPrefix = "new.";
constexpr const char* kLockFile = "lock";

struct OpenFile {
  const int file;
  ~OpenFile() {
    if (file >= 0) ::close(file);
  }
};

int lock_range(const StoreSystem& system, int file, int64_t place) {
  struct flock range{};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = place;
  range.l_len = 1;
  return system.lock(file, &range);
}

std::string temporary_name() {
  // Processes may have the same id (containers): random.
  thread_local std::random_device random;
  return fmt::format("{}{:08x}{:08x}", kTemporaryPrefix, random(), random());
}

bool is_key_name(std::string_view name) {
  return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_older(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

}  // namespace

StoreSystem StoreSystem::real() noexcept {
  return {[](int directory, const char* name, int flags, mode_t mode) {
            return ::openat(directory, name, flags, mode);
          },
          ::read,
          ::write,
          ::fsync,
          [](int directory, const char* from, const char* to) {
            return ::linkat(directory, from, directory, to, 0);
          },
          [](int directory, const char* name) { return ::unlinkat(directory, name, 0); },
          [](int file, struct flock* range) { return ::fcntl(file, F_OFD_SETLK, range); }};
}

FileStore::Lease::~Lease() {
  if (file_ >= 0) ::close(file_);
}

// An open temporary file, which goes with it.
struct FileStore::Temporary {
  explicit Temporary(FileStore& store) : store(store) {}
  Temporary(Temporary&& other) noexcept
      : store(other.store), name(std::move(other.name)), file(std::exchange(other.file, -1)) {}
  Temporary(const Temporary&) = delete;
  ~Temporary() {
    if (file < 0) return;
    ::close(file);
    if (mutant::is_on("J77_no_rename")) return;
    store.system_.unlink(store.directory_, name.c_str());
  }
  FileStore& store;
  std::string name;
  int file = -1;
};

FileStore::FileStore(const std::string& directory, const Limits& limits, const StoreSystem& system)
    : path_(directory), limits_(limits), system_(system) {
  std::error_code ignored;  // the open tells
  if (const auto parent = std::filesystem::path(directory).parent_path(); !parent.empty())
    std::filesystem::create_directories(parent, ignored);
  ::mkdir(path_.c_str(), 0700);
  directory_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat status{};
  if (directory_ < 0 || ::fstat(directory_, &status) != 0) {
    turn_off(fmt::format("opening it: {}", std::strerror(errno)));
  } else if (status.st_uid != ::geteuid() || (status.st_mode & S_IWOTH)) {
    turn_off("it belongs to another user, or everybody may write to it");
  }
}

FileStore::~FileStore() {
  if (directory_ >= 0) ::close(directory_);
}

std::optional<std::string> FileStore::get(const CacheKey& key) {
  if (!is_on()) return {};
  const int file = system_.open(directory_, key.name().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
  const OpenFile open{file};
  if (file < 0) return {};
  struct stat status{};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<uint64_t>(status.st_size) > kLargestFile)
    return {};
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t n = system_.read(file, bytes.data() + filled, bytes.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    filled += static_cast<size_t>(n);
  }
  if (timespec now{};
      ::clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0 && now.tv_sec - status.st_mtim.tv_sec > kTouchAfter) {
    const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    ::futimens(file, times);  // best effort: a file that cannot be touched only goes earlier
  }
  return bytes;
}

// Three rounds, so that the syncs of the entries are one wait of the disk.
void FileStore::put(std::span<const Entry> entries) {
  std::vector<Temporary> files;
  for (const Entry& entry : entries) {
    if (!is_on() || !write(entry, files.emplace_back(*this))) return;
  }
  for (const Temporary& file : files) {
    if (system_.sync(file.file) != 0) return failed("syncing a file", errno);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!publish(entries[i], files[i])) return;
  }
}

bool FileStore::write(const Entry& entry, Temporary& to) {
  to.name = mutant::is_on("J77_no_rename") ? entry.keys.front().name() : temporary_name();
  to.file = system_.open(directory_, to.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (to.file < 0) {
    failed("making a file", errno);
    return false;
  }
  for (std::string_view left = entry.bytes; !left.empty();) {
    const ssize_t n = system_.write(to.file, left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      failed("writing a file", n < 0 ? errno : ENOSPC);
      return false;
    }
    left.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool FileStore::publish(const Entry& entry, const Temporary& from) {
  size_t linked = 0;
  for (const CacheKey& key : entry.keys) {
    const std::string name = key.name();
    if (system_.link(directory_, from.name.c_str(), name.c_str()) == 0) {
      ++linked;
    } else if (errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK) {
      // No hard links here: one key at least.
      if (::renameat(directory_, from.name.c_str(), directory_, name.c_str()) == 0)
        count(entry.bytes.size(), 1);
      return true;
    } else if (errno != EEXIST) {
      failed("linking a file", errno);
      return false;
    }
  }
  if (linked != 0) count(entry.bytes.size(), linked);
  return true;
}

FileStore::Lease FileStore::lease(const CacheKey& key) {
  if (!is_on()) return {};
  // A file of its own each time: locks are between open files, also of one process.
  const int file = system_.open(directory_, kLockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return {};
  Lease lease(Lease::State::Held, file);
  if (lock_range(system_, file, key.number()) == 0) return lease;
  return Lease(errno == EAGAIN || errno == EACCES ? Lease::State::Busy : Lease::State::None, -1);
}

void FileStore::drop(const CacheKey& key) noexcept {
  if (is_on()) system_.unlink(directory_, key.name().c_str());
}

// --- eviction

void FileStore::count(uint64_t bytes, size_t names) {
  const uint64_t total = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const uint64_t all = names_.fetch_add(names, std::memory_order_relaxed) + names;
  if (!counted_.exchange(true, std::memory_order_relaxed) || total > limits_.bytes || all > limits_.names)
    evict();
}

void FileStore::evict() {
  const OpenFile lock{system_.open(directory_, kLockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  if (lock.file >= 0 && lock_range(system_, lock.file, kEvictionPlace) != 0 &&
      (errno == EAGAIN || errno == EACCES))
    return;  // another does
  struct File {
    uint64_t bytes = 0;
    timespec used{};
    std::vector<std::string> names;
  };
  std::map<ino_t, File> files;
  const int listed = ::openat(directory_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const names = listed >= 0 ? ::fdopendir(listed) : nullptr;
  if (!names) {
    if (listed >= 0) ::close(listed);
    return;
  }
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  uint64_t total_bytes = 0, total_names = 0;
  while (const dirent* entry = ::readdir(names)) {
    struct stat status{};
    const std::string_view name = entry->d_name;
    const bool is_temporary = name.starts_with(kTemporaryPrefix);
    if (!is_temporary && !is_key_name(name)) continue;
    if (::fstatat(directory_, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (is_temporary) {
      if (now.tv_sec - status.st_mtim.tv_sec > kTemporaryIsStale) system_.unlink(directory_, entry->d_name);
      continue;
    }
    File& file = files[status.st_ino];
    if (file.names.empty()) total_bytes += static_cast<uint64_t>(status.st_size);
    ++total_names;
    file.bytes = static_cast<uint64_t>(status.st_size);
    file.used = status.st_mtim;
    file.names.emplace_back(name);
  }
  ::closedir(names);
  if (total_bytes > limits_.bytes || total_names > limits_.names) {
    std::vector<const File*> oldest;
    for (const auto& [inode, file] : files) oldest.push_back(&file);
    std::sort(oldest.begin(), oldest.end(),
              [](const File* a, const File* b) { return is_older(a->used, b->used); });
    for (const File* file : oldest) {
      if (total_bytes <= limits_.bytes / 10 * 7 && total_names <= limits_.names / 10 * 7) break;
      for (const std::string& name : file->names) system_.unlink(directory_, name.c_str());
      total_bytes -= file->bytes;
      total_names -= file->names.size();
      evicted_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  bytes_.store(total_bytes, std::memory_order_relaxed);
  names_.store(total_names, std::memory_order_relaxed);
}

// --- off

void FileStore::failed(const char* doing, int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EROFS:
    case EACCES:
    case EPERM:
    case ENOENT:  // the directory is gone
    case EIO: return turn_off(fmt::format("{}: {}", doing, std::strerror(error)));
    default: return;  // too many open files and the like: may pass
  }
}

void FileStore::turn_off(std::string reason) {
  const sync::Lock lock(mutex_);
  if (!on_.exchange(false, std::memory_order_relaxed)) return;
  off_reason_ = fmt::format("\"{}\" is not used: {}", path_, reason);
}

std::string FileStore::off_reason() const {
  const sync::Lock lock(mutex_);
  return off_reason_;
}

}  // namespace berth::jit
