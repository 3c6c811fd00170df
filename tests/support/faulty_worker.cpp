// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compile worker that fails as its job's label says: "FAULT@STEP" (kFaults below), at the beginning of that
// step. Else it is a right one.
#include <fcntl.h>
#include <llvm/Support/ErrorHandling.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "jit/worker_message.hpp"
#include "jit/worker_service.hpp"

namespace {

using namespace berth::jit;

void say(int descriptor, std::string_view text) {
  if (write(descriptor, text.data(), text.size()) < 0) std::abort();
}

void tell(MessageKind kind, std::string_view bytes) {
  if (send_message(kWorkerSocket, kind, bytes, berth::Deadline::never()).has_error()) std::abort();
}

void take_all_memory() {
  for (std::deque<std::unique_ptr<char[]>> taken;;)
    taken.push_back(std::make_unique_for_overwrite<char[]>(size_t{16} << 20));
}

void wait_at_gate() {
  const char* const gate = std::getenv("BERTH_TEST_GATE");
  if (!gate || open(gate, O_RDONLY) < 0) std::abort();
}

void send_unit_of_no_edge() {
  ObjectUnit unit;
  unit.members.resize(1);
  unit.members[0].entry = "f";
  unit.members[0].slots = {{"slot", 7, {}}};
  ByteWriter to;
  write_unit(to, unit);
  tell(MessageKind::Unit, to.take());
}

struct Fault {
  const char* name;
  void (*happen)();
};
constexpr std::array kFaults = {
    Fault{"killed", [] { raise(SIGKILL); }},
    Fault{"late",
          [] {
            wait_at_gate();
          }},  // no fault, but when somebody opens $BERTH_TEST_GATE, a named pipe, for writing
    Fault{"held", [] { wait_at_gate(), raise(SIGSEGV); }},  // and a fault then
    Fault{"crash", [] { raise(SIGSEGV); }},
    Fault{"abort", [] { say(STDERR_FILENO, "something is wrong\n"), std::abort(); }},
    Fault{"exit", [] { _exit(3); }},
    Fault{"endless",
          [] {
            for (const std::atomic<bool> more{true}; more.load(std::memory_order_relaxed);) continue;
          }},
    Fault{"stopped", [] { raise(SIGSTOP); }},
    Fault{"memory", [] { take_all_memory(); }},
    Fault{"malloc", [] { llvm::report_bad_alloc_error("Allocation failed"); }},
    Fault{"fatal", [] { llvm::report_fatal_error("cannot select this"); }},
    Fault{"print", [] { say(STDOUT_FILENO, "words on 1\n"), say(STDERR_FILENO, "words on 2\n"); }},
    Fault{"flood",
          [] {
            for (int i = 0; i < 100'000; ++i)
              if (write(STDERR_FILENO, "0123456789012345678901234567890\n", 32) < 0) break;
          }},
    Fault{"noise",
          [] {
            if (send(kWorkerSocket, "no message, but long enough for one", 35, MSG_NOSIGNAL) < 0)
              std::abort();
            pause();
          }},
    Fault{"silence",
          [] {
            shutdown(kWorkerSocket, SHUT_RDWR);
            pause();
          }},
    Fault{"badstep",
          [] {
            tell(MessageKind::Step, "sleep");
            pause();
          }},
    Fault{"badunit",
          [] {
            tell(MessageKind::Unit, "no unit");
            pause();
          }},
    Fault{"badedge",
          [] {
            send_unit_of_no_edge();
            pause();
          }},
    Fault{"badfailure",
          [] {
            tell(MessageKind::Failure, "");
            pause();
          }},
};

}  // namespace

int main(int argc, char** argv) {
  return serve_compiles(argc, argv, [](const char* step, const berth::engine::CompileJob& job) {
    for (const Fault& fault : kFaults) {
      if (job.label == std::string(fault.name) + "@" + step) fault.happen();
    }
  });
}
