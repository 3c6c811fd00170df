// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/count.hpp"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace berth::bench {
namespace {

// Never delivered: the tracer takes them.
constexpr int kBegin = SIGUSR1, kEnd = SIGUSR2;
constexpr int kSystemCallStop = SIGTRAP | 0x80;  // with PTRACE_O_TRACESYSGOOD

[[noreturn]] void fail(const char* what, const char* remedy) {
  throw std::runtime_error(std::string("cannot count: ") + what + " (" + std::strerror(errno) +
                           "). Remedy: " + remedy);
}

/// Of the instruction that the thread stopped before.
void classify(pid_t thread, Cost& cost) {
#if defined(__x86_64__)
  user_regs_struct registers{};
  if (ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0) return;
  uint8_t code[16];  // an instruction has 15 bytes at most
  for (size_t i = 0; i < sizeof code; i += 8) {
    const long word = ptrace(PTRACE_PEEKTEXT, thread, registers.rip + i, nullptr);
    std::memcpy(code + i, &word, 8);
  }
  size_t at = 0;
  bool locked = false;
  const auto is_prefix = [](uint8_t byte) {
    return byte == 0xf0 || byte == 0xf2 || byte == 0xf3 || byte == 0x66 || byte == 0x67 ||
           (byte & 0xe7) == 0x26 || (byte & 0xfe) == 0x64 || (byte & 0xf0) == 0x40;
  };
  for (; at < 13 && is_prefix(code[at]); ++at) locked |= code[at] == 0xf0;
  const bool exchanges = (code[at] & 0xfe) == 0x86 && code[at + 1] < 0xc0;
  if (locked || exchanges) ++cost.read_modify_writes;
  if (code[at] == 0x0f && code[at + 1] == 0x05) ++cost.system_calls;
#else
  static_cast<void>(thread);
  static_cast<void>(cost);
#endif
}

enum class Kind { Instructions, SystemCalls };

/// The tracer: resumes the child's threads and counts while a region is open. First of all the child marks an
/// empty one.
class Tracer {
 public:
  Tracer(pid_t child, Kind kind) : child_(child), kind_(kind) {}

  Cost run() {
    for (;;) {
      int status = 0;
      const pid_t thread = waitpid(-1, &status, __WALL);
      if (thread < 0) {
        if (errno == EINTR) continue;
        fail("the child is lost", "run the bench alone");
      }
      if (WIFSTOPPED(status)) {
        resume(thread, stopped(thread, status));
      } else if (thread == child_) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
          throw std::runtime_error("the counted work failed; its message stands above");
        return total_;
      }
    }
  }

 private:
  /// Returns the signal to deliver.
  int stopped(pid_t thread, int status) {
    const int signal = WSTOPSIG(status);
    if (status >> 16 != 0) return 0;  // an event: a thread was made
    if (signal == kBegin || signal == kEnd) {
      mark(thread, signal == kBegin);
      return 0;
    }
    if (signal == kSystemCallStop) {
      const bool entering = !in_system_call_[thread];
      in_system_call_[thread] = entering;
      if (open_ && entering) ++cost_.system_calls;
      return 0;
    }
    if (signal == SIGTRAP && open_ && thread == marked_) {
      ++cost_.instructions;
      return 0;
    }
    return signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;  // new threads begin with a stop
  }
  void mark(pid_t thread, bool begin) {
    open_ = begin;
    marked_ = thread;
    if (begin) {
      cost_ = {};
      return;
    }
    if (calibrated_) {
      total_.instructions += cost_.instructions - empty_.instructions;
      total_.read_modify_writes += cost_.read_modify_writes - empty_.read_modify_writes;
      total_.system_calls += cost_.system_calls - empty_.system_calls;
    } else {
      empty_ = cost_;
      calibrated_ = true;
    }
  }
  void resume(pid_t thread, int signal) {
    const bool step = kind_ == Kind::Instructions && open_ && thread == marked_;
    if (step) classify(thread, cost_);
    const auto request = step ? PTRACE_SINGLESTEP : kind_ == Kind::SystemCalls ? PTRACE_SYSCALL : PTRACE_CONT;
    if (ptrace(request, thread, nullptr, signal) != 0 && errno != ESRCH)
      fail("a thread cannot be resumed", "allow ptrace in this container");
  }

  const pid_t child_;
  const Kind kind_;
  pid_t marked_ = 0;
  bool open_ = false, calibrated_ = false;
  Cost cost_, empty_, total_;
  std::unordered_map<pid_t, bool> in_system_call_;
};

[[noreturn]] void run_child(const std::function<void(Region&)>& body) {
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(2);
  raise(SIGSTOP);
  int code = 0;
  try {
    Region region;
    region.begin();
    region.end();
    body(region);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    code = 1;
  } catch (...) { code = 1; }
  _exit(code);
}

Cost count(Kind kind, const std::function<void(Region&)>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) fail("fork failed", "free memory");
  if (child == 0) run_child(body);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
    fail("the child may not be traced", "allow ptrace in this container");
  if (ptrace(PTRACE_SETOPTIONS, child, nullptr,
             PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD) != 0 ||
      ptrace(kind == Kind::SystemCalls ? PTRACE_SYSCALL : PTRACE_CONT, child, nullptr, 0) != 0) {
    fail("the child cannot be traced", "allow ptrace in this container");
  }
  return Tracer(child, kind).run();
}

}  // namespace

Region::Region() noexcept : process_(getpid()), thread_(static_cast<pid_t>(syscall(SYS_gettid))) {}
void Region::begin() noexcept { syscall(SYS_tgkill, process_, thread_, kBegin); }
void Region::end() noexcept { syscall(SYS_tgkill, process_, thread_, kEnd); }

Cost count_instructions(const std::function<void(Region&)>& body) { return count(Kind::Instructions, body); }
int64_t count_system_calls(const std::function<void(Region&)>& body) {
  return count(Kind::SystemCalls, body).system_calls;
}

}  // namespace berth::bench
