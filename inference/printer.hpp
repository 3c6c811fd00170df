// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printer: definitions as canonical text, bodies with values and blocks numbered in order. Typed: every value
// with its inferred type.
#pragma once
#include <string>
#include <vector>

#include "inference/text.hpp"

namespace berth::inference {

class Printer {
 public:
  enum class Form : uint8_t { Canonical, Typed };

  /// Appends to `out`. Threads: any. Blocks: never. GC: any, kept. Errors: none. The same for all below.
  Printer(std::string& out, Form form) noexcept : out_(out), form_(form) {}

  void type(const Type* type);
  void literal(const Literal& literal);
  void declaration(const AbstractType& abstract);
  void declaration(const StructType& structure);
  void declaration(const DefinitionSet::Variable& variable);
  /// `result`: the declared or inferred one; null: none.
  void method(const Method& method, const Body& body, const Type* result);
  void head(const TypedMethod& typed, uint64_t min_world, uint64_t max_world);

 private:
  void part(const Part& part);
  void number_values(const Body& body);
  void parameters(const Body& body, const std::vector<ValueId>& parameters);
  void block(const Body& body, BlockId id);
  void statement(const Body& body, const Statement& statement);
  void operation(const Statement& statement);
  void operands(const Statement& statement);
  void invoke(const Statement& statement);
  void launch(const Statement& statement);
  void terminator(const Terminator& terminator);
  void target(const Target& target);
  void operand(const Operand& operand);
  void plain(const std::vector<Operand>& operands, size_t from = 0);
  void list(const std::vector<Operand>& operands, size_t from = 0);
  void value_type(const ValueDefinition& value);
  void name(const std::string& name);

  std::string& out_;
  const Form form_;
  std::vector<uint32_t> numbers_;  // by value; kNone: not named
};

}  // namespace berth::inference
