// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants: faults that the tests must notice. Compiled in by the `mutants` and sanitizer builds only, where
// BERTH_MUTANT=NAME switches one of them on for a run; in all other builds is_on() is the constant false and
// nothing is left of them.
//
// A name begins with the contract row whose test kills it: "R12_broadcast". tests/mutants.tsv says which test
// that is, and
// ./dev mutants runs the pairs.
//
// Threads: any. Blocks: never. GC: any, kept. Errors: none.
#pragma once
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "support/thread_annotations.hpp"

namespace berth::mutant {

#if defined(BERTH_MUTANTS)
inline bool is_on(std::string_view name) noexcept {
  static const char* const chosen = std::getenv("BERTH_MUTANT");
  return chosen && name == chosen;
}
#else
constexpr bool is_on(std::string_view) noexcept { return false; }
#endif

/// The order of an atomic operation, or relaxed if the mutant is on.
inline std::memory_order order(std::string_view name, std::memory_order right) noexcept {
  return is_on(name) ? std::memory_order_relaxed : right;
}

/// If the mutant is on: unlocks and locks again between two steps that belong together.
template <class Lock>
void open_gap(std::string_view name, Lock& lock) BERTH_NO_ANALYSIS {
  if (!is_on(name)) return;
  lock.unlock();
  lock.lock();
}

}  // namespace berth::mutant
