// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parser: a text, declaration by declaration, into a DefinitionSet.
//
// Two passes over the text, both linear: the first finds where declarations begin, so that names may be used
// before they are defined and one malformed declaration does not swallow the next; the second reads types,
// then variables, then methods.
#pragma once
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inference/body_parser.hpp"
#include "inference/token_reader.hpp"

namespace berth::inference {

class Parser {
 public:
  static constexpr size_t kMaxText = size_t{64} << 20;
  static constexpr size_t kMaxFields = 1024;
  static constexpr uint32_t kMaxTreeDepth = 16;

  Parser(Program& program, std::string_view text, std::string_view name);
  /// Once. Threads: one at a time (the program's definition lock). Blocks: short. Errors: PARSE_ERROR.
  Result<DefinitionSet> parse();

 private:
  enum class Kind : uint8_t { Abstract, Type, MutableType, Const, Global, Method, Kernel };
  struct Declaration {
    Kind kind;
    uint32_t line;
    Lexer::Place place;       // of its first word
    const std::string* file;  // given by `file`; else the text's name
    size_t end;               // offset of the next one
  };
  struct Nominal {
    const Declaration* declaration;
    Token name, parent;   // parent: kind End if there is none
    bool is_new = false;  // first in this text and unknown to the program
    StructType* structure = nullptr;
  };

  bool read_header();
  void find_declarations();
  void add_declaration(Kind kind, const Token& token, Lexer::Place place);
  void read_file(Token& token, Lexer& lexer);
  void check_between();
  void read_nominals();
  bool read_nominal(const Declaration& declaration);
  bool is_free_name(const Nominal& nominal);
  void make_abstracts();
  void make_abstract(size_t index, std::vector<size_t>& chain);
  const AbstractType* parent_of(const Nominal& nominal);
  void make_structs();
  void read_fields(Nominal& nominal);
  bool read_fields(std::vector<Field>& fields);
  void read_variable(const Declaration& declaration);
  bool read_variable(const Declaration& declaration, DefinitionSet::Variable& variable, Token& name);
  void add_variable(DefinitionSet::Variable variable, const Token& name);
  void read_method(const Declaration& declaration);
  void check_pending();
  bool is_method(const PendingName& pending) const;
  bool is_kernel(const Function* function) const;
  void start(const Declaration& declaration);
  bool is_at_end(const Declaration& declaration);
  Error parse_error();

  Program& program_;
  const std::string_view text_;
  const std::string* name_;
  const std::string* file_;
  DefinitionSet set_;
  TextScope scope_;
  TokenReader reader_;
  std::vector<Declaration> declarations_;
  std::vector<Nominal> nominals_;
  std::unordered_map<std::string_view, size_t> abstract_index_;
  std::vector<PendingName> pending_;
  std::unordered_map<const Function*, std::vector<const Method*>> own_methods_;
};

}  // namespace berth::inference
