// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LoadedUnit: what a debugger or profiler wants to know of code that was linked together: functions by name
// and place, unwind records, debug information with all relocations applied. Made only while somebody
// observes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace llvm::jitlink {
class LinkGraph;
struct PassConfiguration;
}  // namespace llvm::jitlink

namespace berth::jit {

struct LoadedUnit {
  struct Function {
    std::string name;  // the method's label; of others the symbol
    const char* address;
    size_t bytes;
  };
  struct Section {
    std::string name;  // .eh_frame or .debug_*
    uint64_t address;  // of debug information, which is not loaded: 0
    std::string bytes;
  };
  const char* text = nullptr;
  size_t text_bytes = 0;
  std::vector<Function> functions;  // one per address, sorted by it
  std::vector<Section> sections;

  /// Null if there is none. Threads: any. Blocks: never.
  const Section* section(const std::string& name) const noexcept;
};

/// Makes the link keep debug information and fill `unit`, which must outlive it.
void describe_link(llvm::jitlink::PassConfiguration& passes, LoadedUnit& unit);

}  // namespace berth::jit
