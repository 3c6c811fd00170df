// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MethodTable: for each function its methods, as immutable versions by world; dispatch on all arguments.
//
// A method applies if the argument types are under its signature; it is more specific if its signature is
// strictly under. Find is monotone: more values in the arguments, more methods in the answer. Cost: quadratic
// in the methods that may apply.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "inference/ir.hpp"
#include "support/result.hpp"

namespace berth::inference {

class BackEdges;
class TypeLattice;

/// Outcome of dispatch on run-time or inferred types.
struct Dispatch {
  std::vector<const Method*> methods;  // most specific first; run-time dispatch: at most one
  bool covers = false;                 // some method applies to every value of the argument types
  const Method* ambiguous[2] = {nullptr, nullptr};  // a pair that may be reached; then `covers` is false
  uint64_t since = 0;  // world of the function's newest definition that the answer saw
};

/// What inference has done for a program. Counters: relaxed.
struct InferenceTotals {
  std::atomic<uint64_t> methods{0}, limited{0}, statements_evaluated{0};
};

class MethodTable {
 public:
  explicit MethodTable(TypeLattice& lattice);
  ~MethodTable();

  /// Version with `added` (same signature replaces), not yet visible; `publish` makes it so for worlds >=
  /// `world`. Threads: one at a time (the program's definition lock). `publish` under the world lock:
  /// allocates nothing.
  struct Version;
  struct DeleteVersion {
    void operator()(Version* version) const noexcept;
  };
  using VersionPtr = std::unique_ptr<Version, DeleteVersion>;
  VersionPtr prepare(std::span<Method* const> added, uint64_t world);
  void publish(VersionPtr version, uint64_t world) noexcept;

  /// Methods that arguments of these types may select at `world`. Threads: any. Blocks: never (but
  /// interning).
  Dispatch find(const Function& function, std::span<const Type* const> arguments, uint64_t world) const;
  std::vector<const Method*> all(const Function& function, uint64_t world) const;
  /// World of the newest definition of a function that `world` sees; 0: none.
  uint64_t changed(const Function& function, uint64_t world) const;
  /// Signature edges of the program's instances.
  BackEdges& back_edges() noexcept;
  InferenceTotals& totals() noexcept { return totals_; }

 private:
  TypeLattice& lattice_;
  InferenceTotals totals_;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::inference
