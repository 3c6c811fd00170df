// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Call resolution: the specialisations that a call may reach. Monotone: larger arguments reach more methods
// with larger arguments.
#pragma once
#include <span>
#include <vector>

#include "inference/ir.hpp"

namespace berth::inference {

class Program;

inline constexpr size_t kMaxCandidates = 4;  // more: any, all effects
inline constexpr size_t kMaxSplits = 16;     // product of the union arguments' members

struct ResolvedCall {
  const Function* function = nullptr;  // null: not known
  std::vector<const Type*> arguments;
  std::vector<const Specialisation*> candidates;  // most specific first; empty and !is_open: no method
  bool is_open = false;  // function not known or too many candidates: anything may happen
  bool covers = false;   // every value of the arguments finds a method
  uint64_t since = 0;    // world of the function's newest definition seen
};

/// Arguments in a specialisation of `method`: met with its signature, constants and partials dropped.
std::vector<const Type*> specialised_arguments(Program& program, const Method& method,
                                               std::span<const Type* const> arguments);

/// Threads: any. Blocks: short. GC: any, kept. Errors: none.
ResolvedCall resolve_call(Program& program, const Type* function, std::span<const Type* const> arguments,
                          uint64_t world);

}  // namespace berth::inference
