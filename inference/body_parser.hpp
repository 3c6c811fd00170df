// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BodyParser: one method or kernel, from its parameters to its closing brace. Values and blocks may be used
// before they are defined; they are numbered in the order of their definitions when the method ends. Linear.
#pragma once
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inference/operations.hpp"
#include "inference/token_reader.hpp"

namespace berth::inference {

/// What can be checked only when all methods of the text are known.
struct PendingName {
  Token token;
  const Function* function = nullptr;
  bool is_launch = false;
  std::vector<const Type*> signature;  // invoke
};

class BodyParser {
 public:
  static constexpr size_t kMaxParameters = 255, kMaxStatements = size_t{1} << 20;

  /// `end`: where the next declaration begins.
  BodyParser(TokenReader& reader, Method& method, std::vector<PendingName>& pending, size_t end)
      : reader_(reader), method_(method), body_(method.body), pending_(pending), end_(end) {}

  /// From the opening parenthesis on. False: errors were recorded; the method is unusable. Threads: owner.
  /// Blocks: short.
  bool parse();
  size_t num_statements() const noexcept { return num_statements_; }

 private:
  // A value or block by its name in the text: where it was first mentioned, and its number once defined.
  struct Named {
    Token token;
    uint32_t number = kNone;
  };

  bool parse_head();
  bool parse_parameters(std::vector<ValueId>& parameters);
  void parse_blocks();
  bool parse_label();
  bool parse_line();
  bool parse_statement();
  bool parse_terminator(bool& is_terminator);
  bool parse_switch(Terminator& terminator);
  bool parse_target(Terminator& terminator);

  bool parse_operation(Statement& statement);
  bool parse_suffix(const Token& token, std::string_view rest, Statement& statement);
  bool parse_operands(Statement& statement);
  bool parse_call(Statement& statement);
  bool parse_invoke(Statement& statement);
  bool parse_host(Statement& statement);
  bool parse_member(Statement& statement);
  bool parse_global(Statement& statement);
  bool parse_launch(Statement& statement);
  bool read_operand(std::vector<Operand>& out);
  bool read_plain(size_t n);
  bool read_list(std::vector<Operand>& out);

  bool define_value(const Token& token, const Type* declared, ValueId& id);
  ValueId define_unnamed();
  uint32_t mention(std::unordered_map<std::string_view, uint32_t>& names, std::vector<Named>& list,
                   const Token& token);
  bool read_position(Position& position, const Token& start);
  bool resolve();
  bool resolve(std::vector<Operand>& operands);
  bool resolve(Operand& operand);
  bool resolve_block(BlockId& block);

  TokenReader& reader_;
  Method& method_;
  Body& body_;
  std::vector<PendingName>& pending_;
  const size_t end_;

  std::unordered_map<std::string_view, uint32_t> value_names_;
  std::unordered_map<uint32_t, uint32_t> block_labels_;
  std::vector<Named> values_, blocks_;
  std::vector<Operand> operands_;  // of the statement being read: the kept copy is then of exact size
  size_t num_statements_ = 0;
  bool has_block_ = false, is_terminated_ = true;
  bool has_place_ = false;  // an explicit place was given: it holds for those without
  Position place_;
};

}  // namespace berth::inference
