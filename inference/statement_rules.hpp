// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statement rules: what a statement or terminator must satisfy whatever its place. Verifier and builder share
// them.
#pragma once
#include <span>
#include <string>

#include "inference/ir.hpp"
#include "inference/program.hpp"

namespace berth::inference {

/// A rule by its name ("operands", "number", ...) and what was found; no rule: all hold.
struct BrokenRule {
  const char* rule = nullptr;
  std::string text;
  explicit operator bool() const noexcept { return rule != nullptr; }
};

/// How strict: a method as defined, or a body that a pass has rewritten. In the latter types may contradict
/// on paths that are never taken, and `refine` appears.
enum class Strictness : uint8_t { Defined, Rewritten };

/// Operand values are in range. Threads: any. Blocks: short (interning). Errors: none.
BrokenRule check_statement(Program& program, const Method& method, const Body& body,
                           const Statement& statement, Strictness strictness);
/// Kind, number of targets and cases; not the targets themselves.
BrokenRule check_terminator(const Method& method, const Terminator& terminator, Strictness strictness);
/// Arguments of a branch for the parameters of its block.
BrokenRule check_arguments(Program& program, const Body& body, const Target& target, Strictness strictness);
/// Parameters of a kernel.
BrokenRule check_signature(const Method& method);

}  // namespace berth::inference
