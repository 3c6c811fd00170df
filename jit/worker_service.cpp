// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/worker_service.hpp"

#include <llvm/Config/llvm-config.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <boost/thread/thread.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "jit/compile_error.hpp"
#include "jit/containment.hpp"
#include "jit/worker_message.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BERTH_HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BERTH_HAS_SHADOW 1
#endif
#endif

namespace berth::jit {
namespace {

constexpr size_t kStackBytes = size_t{16} << 20;
constexpr rlim_t kOutputBytes = rlim_t{1} << 20;
constexpr int kEndedByFatal = 70;

void set_limit(int resource, rlim_t value) {
  const rlimit limit{value, value};
  setrlimit(resource, &limit);
}

void limit_process(size_t memory_bytes) {
#if defined(BERTH_HAS_SHADOW)
  static_cast<void>(memory_bytes);
#else
  set_limit(RLIMIT_AS, memory_bytes);
#endif
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, kOutputBytes);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond fails
}

// Without allocation: there may be no memory.
[[noreturn]] void tell_and_end(berth_code_t code, const char* text) {
  static char bytes[kLongestErrorText];
  bytes[0] = static_cast<char>(code);
  const size_t length = std::min(std::strlen(text), sizeof bytes - 1);
  std::memcpy(bytes + 1, text, length);
  static_cast<void>(
      send_message(kWorkerSocket, MessageKind::Fatal, {bytes, 1 + length}, Deadline::never()).has_error());
  _exit(kEndedByFatal);
}

/// While it lives, the process ends by itself if it takes longer: nobody else would end it, were the parent
/// gone.
class Alarm {
 public:
  explicit Alarm(int64_t limit_ns) {
    set(limit_ns / 1'000'000'000 + 2);
  }  // later than the parent, who says why
  ~Alarm() { set(0); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  static void set(int64_t seconds) {
    itimerval when{};
    when.it_value.tv_sec = static_cast<time_t>(seconds);
    setitimer(ITIMER_REAL, &when, nullptr);
  }
};

Result<void> answer(ObjectCompiler& compiler, std::string_view bytes) {
  WorkerOrder order;
  if (!read_order(bytes, order)) return make_error(BERTH_CORRUPT, "", "this is no order", "");
  static const sync::Atomic<bool> never{false};  // who no longer wants the code ends the process
  const Alarm alarm(order.limit_ns);
  const CompileRequest request{order.job, never, is_typed(order.job) ? &order.lowered : nullptr};
  auto batch = compiler.compile({&request, 1});
  const Error* const error = batch.has_error()                     ? &batch.assume_error()
                             : batch.assume_value().errors.front() ? &*batch.assume_value().errors.front()
                                                                   : nullptr;
  ByteWriter to;
  if (error) {
    to.number(error->code());
    to.text(error->message());
    return send_message(kWorkerSocket, MessageKind::Failure, to.take(), Deadline::never());
  }
  write_unit(to, batch.assume_value().unit);
  return send_message(kWorkerSocket, MessageKind::Unit, to.take(), Deadline::never());
}

void serve(bool pre_check, const engine::TargetChoice& target, const StepHook& hook) {
  ObjectCompiler compiler(
      {[&](const char* step, const engine::CompileJob& job) {
         static_cast<void>(
             send_message(kWorkerSocket, MessageKind::Step, step, Deadline::never()).has_error());
         if (hook) hook(step, job);
       },
       pre_check, true, target});
  const ContainmentScope scope([](const char* text) { tell_and_end(fatal_code(), text); });
  if (send_message(kWorkerSocket, MessageKind::Hello, LLVM_VERSION_STRING, Deadline::never()).has_error())
    return;
  for (;;) {
    auto order = receive_message(kWorkerSocket, Deadline::never());
    if (order.has_error() || order.assume_value().kind != MessageKind::Compile) return;
    if (answer(compiler, order.assume_value().bytes).has_error()) return;
  }
}

}  // namespace

int serve_compiles(int argc, char** argv, StepHook hook) {
  const char* const memory = argc == 6 ? argv[1] : "";
  char* end = nullptr;
  const unsigned long long memory_bytes = std::strtoull(memory, &end, 10);
  if (!*memory || *end || memory_bytes == 0) {
    constexpr std::string_view kUsage = "berth-compile-worker: started by the Berth library only\n";
    static_cast<void>(!write(STDERR_FILENO, kUsage.data(), kUsage.size()));
    return 2;
  }
  limit_process(memory_bytes);
  // Instead of std::bad_alloc, which LLVM's functions are not made to be left by.
  std::set_new_handler([] { tell_and_end(BERTH_OUT_OF_MEMORY, "memory allocation failed"); });
  boost::thread::attributes attributes;
  attributes.set_stack_size(kStackBytes);
  const engine::TargetChoice target{argv[3], argv[4], argv[5]};
  boost::thread(attributes, [&] { serve(std::string_view(argv[2]) != "no-check", target, hook); }).join();
  _exit(0);  // nothing here is worth tidying up
}

}  // namespace berth::jit

int berth_compile_worker(int argc, char** argv) { return berth::jit::serve_compiles(argc, argv, {}); }
