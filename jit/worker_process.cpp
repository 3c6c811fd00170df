// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/worker_process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "jit/compile_error.hpp"

namespace berth::jit {
namespace {

constexpr int64_t kFirstWord_ns = 30'000'000'000;

/// What posix_spawn is told; frees itself.
class SpawnPlan {
 public:
  SpawnPlan(int socket, int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (output >= 0) {
      posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
      posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    } else {
      posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
      posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions_, socket, kWorkerSocket);
    posix_spawn_file_actions_addclosefrom_np(&actions_, kWorkerSocket + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);  // an interrupt typed at the terminal is for the embedder
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  int spawn(pid_t& pid, const char* executable, char* const* arguments) const {
    return posix_spawn(&pid, executable, &actions_, &attributes_, arguments, environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// The folder of the library or program that this code is in.
std::string own_folder() {
  Dl_info own{};
  char path[PATH_MAX];
  const bool found = dladdr(reinterpret_cast<const void*>(&own_folder), &own) != 0 && own.dli_fname &&
                     std::strchr(own.dli_fname, '/');
  // A program is known by the first word of its command line, which may be no path, or of another working
  // directory.
  if (!found || !realpath(own.dli_fname, path)) {
    if (!realpath("/proc/self/exe", path)) return ".";
  }
  const std::string_view file(path);
  return std::string(file.substr(0, file.rfind('/')));
}

// Moves a descriptor out of the way of those that the worker gets: closed, or copied onto itself, it would be
// lost.
int above_worker_descriptors(int descriptor) {
  if (descriptor < 0 || descriptor > kWorkerSocket) return descriptor;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, kWorkerSocket + 1);
  close(descriptor);
  return moved;
}

}  // namespace

std::string compile_worker_path(const std::string& configured) {
  if (!configured.empty()) return configured;
  if (const char* const named = secure_getenv("BERTH_COMPILE_WORKER"); named && *named) return named;
  const std::string folder = own_folder();
  const std::string installed = folder + "/" BERTH_WORKER_FROM_LIBRARY;
  for (const std::string& candidate :
       {installed, folder + "/../bin/berth-compile-worker", folder + "/berth-compile-worker"}) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return installed;
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::spawn(const Options& options) {
  const std::string executable = compile_worker_path(options.executable);
  const auto exhausted = [](const char* what, int error) {
    return make_error(BERTH_RESOURCE_EXHAUSTED, "",
                      fmt::format("no {} for a compile worker: {}", what, strerrordesc_np(error)),
                      "allow more processes and open files");
  };
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess);
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return exhausted("socket", errno);
  worker->socket_ = above_worker_descriptors(sockets[0]);
  const int its_socket = above_worker_descriptors(sockets[1]);
  worker->output_ = above_worker_descriptors(memfd_create("berth-compile-worker", MFD_CLOEXEC));
  std::string memory = std::to_string(options.memory_bytes),
              checks = options.pre_check ? "check" : "no-check", name = "berth-compile-worker";
  engine::TargetChoice target = options.target;
  char* const arguments[] = {name.data(),       memory.data(),          checks.data(), target.triple.data(),
                             target.cpu.data(), target.features.data(), nullptr};
  const int failed =
      SpawnPlan(its_socket, worker->output_).spawn(worker->pid_, executable.c_str(), arguments);
  close(its_socket);
  if (failed) {
    worker->pid_ = -1;
    if (failed == EAGAIN || failed == ENOMEM || failed == EMFILE || failed == ENFILE)
      return exhausted("process", failed);
    return make_error(
        BERTH_UNSUPPORTED, "",
        fmt::format("the compile worker '{}' cannot be started: {}", executable, strerrordesc_np(failed)),
        "install it with the library, or name it by berth_config_set_compile_worker");
  }
  worker->process_ = static_cast<int>(syscall(SYS_pidfd_open, worker->pid_, 0));
  auto hello = worker->receive(Deadline::in(kFirstWord_ns));
  if (hello.has_value() && hello.assume_value().kind == MessageKind::Hello &&
      hello.assume_value().bytes == LLVM_VERSION_STRING)
    return worker;
  const std::string said = hello.has_value() ? fmt::format("it has LLVM {}, not " LLVM_VERSION_STRING,
                                                           one_line(hello.assume_value().bytes.substr(0, 64)))
                                             : hello.assume_error().message();
  return make_error(
      BERTH_UNSUPPORTED, "",
      fmt::format("'{}' is no compile worker of this library: {}; it {}", executable, said, worker->end()),
      "install it with the library");
}

WorkerProcess::~WorkerProcess() {
  if (pid_ >= 0) static_cast<void>(end());
  if (socket_ >= 0) close(socket_);
  if (output_ >= 0) close(output_);
}

bool WorkerProcess::is_idle() const noexcept {
  pollfd waited{socket_, POLLIN, 0};
  return poll(&waited, 1, 0) == 0;
}

void WorkerProcess::kill() noexcept {
  // By its descriptor: should another part of this process have reaped it, its number may be another's by
  // now.
  if (process_ >= 0) {
    syscall(SYS_pidfd_send_signal, process_, SIGKILL, nullptr, 0);
  } else {
    ::kill(pid_, SIGKILL);
  }
}

std::string WorkerProcess::end() {
  if (pid_ < 0) return "ended before";
  kill();  // a process that is dying already keeps the status that it dies with
  siginfo_t how{};
  int waited;
  do {
    waited = process_ >= 0 ? waitid(P_PIDFD, static_cast<id_t>(process_), &how, WEXITED)
                           : waitid(P_PID, static_cast<id_t>(pid_), &how, WEXITED);
  } while (waited != 0 && errno == EINTR);
  if (process_ >= 0) close(process_);
  process_ = pid_ = -1;
  std::string text;
  if (waited != 0) {
    text = "ended; how is not known, as another part of the process reaped it";
  } else if (how.si_code == CLD_EXITED) {
    text = fmt::format("ended with exit status {}", how.si_status);
  } else {
    const char* const name = sigdescr_np(how.si_status);
    text = fmt::format("was ended by signal {} ({})", how.si_status, name ? name : "unknown");
  }
  if (const std::string written = output(); !written.empty()) text += ": " + written;
  return text;
}

std::string WorkerProcess::output() const {
  if (output_ < 0) return "";
  std::string text(kLongestErrorText, '\0');
  const ssize_t size = pread(output_, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return one_line(text);
}

void WorkerProcess::drop_output() noexcept {
  if (output_ < 0) return;
  // Its descriptors share the position.
  if (lseek(output_, 0, SEEK_CUR) == 0 || ftruncate(output_, 0) != 0) return;
  lseek(output_, 0, SEEK_SET);
}

}  // namespace berth::jit
