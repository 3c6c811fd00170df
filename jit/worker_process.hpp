// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WorkerProcess: one compile worker: a child process that reads, checks and generates, so that what ends it
// ends no other.
//
// Started by posix_spawn, in a process group of its own, with no descriptor of this process but its end of
// the socket; 0 is empty, and what it writes to 1 and 2 is kept (the first MiB). It ends itself when the
// socket closes. An embedder that reaps all children hides how it ended, no more.
#pragma once
#include <sys/types.h>
#include <memory>
#include <string>

#include "engine/compiler.hpp"
#include "jit/worker_message.hpp"
#include "support/result.hpp"

namespace berth::jit {

class WorkerProcess {
 public:
  struct Options {
    std::string executable;                 // empty: see compile_worker_path()
    size_t memory_bytes = size_t{4} << 30;  // its RLIMIT_AS; not in sanitizer builds, whose shadow is larger
    bool pre_check = true;                  // off only in tests of the containment
    engine::TargetChoice target;
  };
  /// Threads: any. Blocks: may wait, for the worker's first word. GC: must be safe. Owns: returned.
  /// Errors: UNSUPPORTED: no worker there, or of another LLVM; RESOURCE_EXHAUSTED: no process to be had.
  /// Unadorned.
  static Result<std::unique_ptr<WorkerProcess>> spawn(const Options& options);
  /// Ends it and waits for that. Threads: one at a time. Blocks: short.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  Result<void> send(MessageKind kind, std::string_view bytes, const Deadline& deadline) {
    return send_message(socket_, kind, bytes, deadline);
  }
  Result<Message> receive(const Deadline& deadline) { return receive_message(socket_, deadline); }
  /// Waits for its next order: lives, and says nothing unasked. Blocks: never.
  bool is_idle() const noexcept;
  /// Ends it, and says how it ended and what it wrote: "ended by signal 11 (Segmentation fault): text".
  /// Blocks: short.
  std::string end();
  /// What it wrote until now is of no interest. Blocks: never.
  void drop_output() noexcept;
  pid_t pid() const noexcept { return pid_; }

 private:
  WorkerProcess() = default;
  void kill() noexcept;
  std::string output() const;

  pid_t pid_ = -1;
  int process_ = -1;  // descriptor of the process; -1: ended, or a system without them
  int socket_ = -1;
  int output_ = -1;  // a file in memory; -1: none to be had, its output is lost
};

/// Where the worker is: `configured`, else $BERTH_COMPILE_WORKER, else beside this library or program,
/// installed or in a build tree. Threads: any. Blocks: short, with file access.
std::string compile_worker_path(const std::string& configured);

}  // namespace berth::jit
