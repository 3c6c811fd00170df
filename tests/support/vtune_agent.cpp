// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profiler's agent for J72: appends the name and size of each method that it is told of to
// $BERTH_TEST_AGENT_LOG.
#include <cstdio>
#include <cstdlib>

namespace {

struct MethodLoad {  // of the JIT profiling interface
  unsigned method_id;
  const char* method_name;
  void* method_address;
  unsigned method_size;
};

}  // namespace

extern "C" {
__attribute__((visibility("default"))) int Initialize() { return 1; }
__attribute__((visibility("default"))) int NotifyEvent(unsigned event, void* data) {
  constexpr unsigned kMethodLoaded = 13;
  std::FILE* const log = std::fopen(std::getenv("BERTH_TEST_AGENT_LOG"), "a");
  if (!log) return 0;
  const auto* const load = static_cast<const MethodLoad*>(data);
  if (event == kMethodLoaded) std::fprintf(log, "%s %u\n", load->method_name, load->method_size);
  std::fclose(log);
  return 1;
}
}
