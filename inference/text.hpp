// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text form: parse, print, verify. parse(print(p)) = p, and print(parse(t)) is canonical.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "inference/ir.hpp"
#include "support/result.hpp"

namespace berth::inference {

class Program;

struct TextError {
  uint32_t line = 0, column = 0;
  std::string text;
};

/// Everything a text defines, resolved against a program; not yet visible.
struct DefinitionSet {
  std::vector<std::unique_ptr<Method>> methods;
  std::vector<AbstractType const*> abstracts;
  std::vector<StructType*> structs;
  struct Variable {
    std::string name;
    const Type* type = nullptr;
    bool is_constant = false;
    Literal value;
    Position position;
  };
  std::vector<Variable> variables;
  size_t num_statements = 0;  // of all methods; a program may have 16 Mi
};

/// Threads: one at a time (the definition lock). Blocks: short.
/// Errors: PARSE_ERROR, the first error as text, up to 20 in the details.
Result<DefinitionSet> parse(Program& program, std::string_view text, std::string_view name);
/// A declared type, as the text form writes it. Threads: any. Blocks: short. Errors: PARSE_ERROR.
Result<const Type*> parse_type(Program& program, std::string_view text);

/// The first broken rule, as an error naming method, block and rule; and checks kernels against their subset.
Result<void> verify(Program& program, const Method& method);
Result<void> verify_body(Program& program, const Method& method, const Body& body);

std::string print(const Method& method);
/// With a type on every value; head: effects, worlds, edges, limited.
std::string print_typed(const TypedMethod& typed, uint64_t min_world, uint64_t max_world);
/// Types, constants, globals and methods that were defined, in order; canonical.
std::string print(Program& program, const DefinitionSet& set);

}  // namespace berth::inference
