// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MethodTable: for each function its methods, as immutable versions by world; dispatch on all arguments.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "inference/ir.hpp"
#include "support/result.hpp"

namespace berth::inference {

class TypeLattice;

/// Outcome of dispatch on run-time or inferred types.
struct Dispatch {
  std::vector<const Method*> methods;  // most specific first; run-time dispatch: at most one
  bool covers = false;                 // some method applies to every value of the argument types
  const Method* ambiguous[2] = {nullptr, nullptr};
};

class MethodTable {
 public:
  explicit MethodTable(TypeLattice& lattice);
  ~MethodTable();

  /// Version with `added` (same signature replaces), not yet visible; `publish` makes it so for worlds >= `world`.
  /// Threads: one at a time (the program's definition lock). `publish` under the world lock: allocates nothing.
  struct Version;
  std::unique_ptr<Version> prepare(std::span<Method* const> added, uint64_t world);
  void publish(std::unique_ptr<Version> version, uint64_t world) noexcept;

  /// Methods that arguments of these types may select at `world`. Threads: any. Blocks: never (but interning).
  Dispatch find(const Function& function, std::span<const Type* const> arguments, uint64_t world) const;
  std::vector<const Method*> all(const Function& function, uint64_t world) const;

 private:
  TypeLattice& lattice_;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::inference
