// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// perf: a jitdump where $JITDUMPDIR says, else a map of names that perf reads without a further step.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "jit/observers/jit_dump.hpp"

namespace berth::jit {
namespace {

class DumpObserver final : public Observer {
 public:
  explicit DumpObserver(JitDump& dump) : dump_(dump) {}
  Result<void> linked(uint64_t, const LoadedUnit& unit) override { return dump_.write(unit); }

 private:
  JitDump& dump_;
};

// Each engine appends whole units with one call, so that lines of two do not mix.
class MapObserver final : public Observer {
 public:
  explicit MapObserver(int file) : file_(file) {}
  ~MapObserver() override { close(file_); }
  Result<void> linked(uint64_t, const LoadedUnit& unit) override {
    std::string lines;
    for (const LoadedUnit::Function& function : unit.functions) {
      lines += fmt::format("{:x} {:x} {}\n", reinterpret_cast<uintptr_t>(function.address), function.bytes,
                           function.name);
    }
    if (write(file_, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size())) return success();
    return make_error(BERTH_RESOURCE_EXHAUSTED, "writing perf's map", std::strerror(errno),
                      "free disk space and turn the observer on again");
  }

 private:
  const int file_;
};

}  // namespace

Result<std::unique_ptr<Observer>> make_perf_observer() {
  if (const char* const directory = std::getenv("JITDUMPDIR"); directory && *directory) {
    BERTH_TRY(JitDump* const dump, JitDump::of_process(directory));
    return std::unique_ptr<Observer>(std::make_unique<DumpObserver>(*dump));
  }
  const std::string path = fmt::format("/tmp/perf-{}.map", getpid());  // where perf looks
  const int file = open(path.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) {
    return make_error(BERTH_INVALID_ARGUMENT, fmt::format("writing '{}' for perf", path),
                      std::strerror(errno), "see to /tmp");
  }
  return std::unique_ptr<Observer>(std::make_unique<MapObserver>(file));
}

}  // namespace berth::jit
