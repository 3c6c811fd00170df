// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VTune: its JIT profiling interface, through the agent library that the profiler names in the environment of
// what it runs. Debian's LLVM is built without Intel's events, so the agent is loaded here.
#include <dlfcn.h>

#include <cstdlib>

#include "jit/observers/observers.hpp"

namespace berth::jit {
namespace {

// Of the interface, as the agent reads them.
constexpr unsigned kMethodLoaded = 13;
struct MethodLoad {
  unsigned method_id;
  const char* method_name;
  void* method_address;
  unsigned method_size;
  unsigned line_count;
  void* lines;
  unsigned class_id;
  const char* class_file;
  const char* source_file;
  void* user_data;  // this and what follows: obsolete, but read by old agents
  unsigned user_data_bytes;
  unsigned environment;
};
using NotifyEvent = int (*)(unsigned event, void* data);
using Initialize = int (*)();

/// Of the process; null: no profiler, or none that samples.
NotifyEvent load_agent() {
  const char* const path = std::getenv("INTEL_JIT_PROFILER64");
  if (!path || !*path) return nullptr;
  void* const library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);  // stays: its threads may be in it
  if (!library) return nullptr;
  const auto initialize = reinterpret_cast<Initialize>(dlsym(library, "Initialize"));
  const auto notify = reinterpret_cast<NotifyEvent>(dlsym(library, "NotifyEvent"));
  return initialize && notify && initialize() != 0 ? notify : nullptr;
}

class VtuneObserver final : public Observer {
 public:
  explicit VtuneObserver(NotifyEvent notify) : notify_(notify) {}
  Result<void> linked(uint64_t, const LoadedUnit& unit) override {
    static sync::Mutex mutex{kRankProcessObservers};
    static unsigned next_id = 1000;  // smaller ones are reserved
    sync::Lock lock(mutex);
    for (const LoadedUnit::Function& function : unit.functions) {
      MethodLoad load{};
      load.method_id = next_id++;
      load.method_name = function.name.c_str();
      load.method_address = const_cast<char*>(function.address);
      load.method_size = static_cast<unsigned>(function.bytes);
      notify_(kMethodLoaded, &load);
    }
    return success();
  }

 private:
  const NotifyEvent notify_;
};

}  // namespace

Result<std::unique_ptr<Observer>> make_vtune_observer() {
  static sync::Mutex mutex{kRankProcessObservers};
  static NotifyEvent notify = nullptr;
  sync::Lock lock(mutex);
  if (!notify) notify = load_agent();
  if (!notify) return std::unique_ptr<Observer>();
  return std::unique_ptr<Observer>(std::make_unique<VtuneObserver>(notify));
}

}  // namespace berth::jit
