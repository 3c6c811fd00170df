// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Observer: one debugger or profiler that is told about code. Called by Observers, under its lock: one at a
// time per engine.
#pragma once
#include <memory>

#include "jit/observers/loaded_unit.hpp"
#include "support/result.hpp"

namespace berth::jit {

class Observer {
 public:
  virtual ~Observer() = default;  // takes back what can be taken back
  /// Before the code is published. Threads: one at a time. Blocks: short, with file access. GC: any, kept.
  /// Errors: end the observer.
  virtual Result<void> linked(uint64_t number, const LoadedUnit& unit) = 0;
  /// The unit's memory goes. As above. Errors: none.
  virtual void retired(uint64_t number) noexcept { (void)number; }
};

/// Threads: any. Blocks: short. Null where there is nobody to tell. Errors: INVALID_ARGUMENT if a file cannot
/// be written.
Result<std::unique_ptr<Observer>> make_gdb_observer();
Result<std::unique_ptr<Observer>> make_perf_observer();
Result<std::unique_ptr<Observer>> make_vtune_observer();

}  // namespace berth::jit
