// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TypeReader: a declared type from tokens. Keeps its own stack, so that nesting costs no native stack;
// linear.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inference/lexer.hpp"
#include "inference/program.hpp"

namespace berth::inference {

/// The nominal types that a text can name: its own, then the program's.
struct TypeNames {
  explicit TypeNames(Program& owner) noexcept : program(owner) {}
  const StructType* structure(std::string_view name) const;
  const AbstractType* abstract(std::string_view name) const;

  Program& program;
  // Own ones not yet known to the program. Keys are views of the text.
  std::unordered_map<std::string_view, StructType*> structs;
  std::unordered_map<std::string_view, const AbstractType*> abstracts;
};

class TypeReader {
 public:
  static constexpr size_t kMaxNesting = 256, kMaxTupleItems = 32, kMaxUnionMembers = 4;

  TypeReader(const TypeNames& names, Lexer& lexer, Token& current) noexcept
      : names_(names), types_(names.program.types()), lexer_(lexer), current_(current) {}

  /// Reads a type from the current token on; the current token is then the one behind it.
  /// Null: `fault` and `fault_token` say what is wrong. Threads: owner. Blocks: short (interning).
  const Type* read();

  std::string fault;
  Token fault_token;

 private:
  enum class Compound : uint8_t { Top, Array, Buffer, Channel, Tuple };
  struct Union {
    Token start;
    Type type{};
    size_t num_members = 0;
    bool has_any = false;
    const Type* alone = nullptr;  // the only member, already interned
  };
  struct Open {
    Compound compound;
    Token start;
    Union members;
    std::vector<const Type*> items;
  };

  bool read_member();
  bool open(Compound compound);
  bool close();
  bool add(const Type* member, const Token& token);
  bool add_part(const Part& part, const Token& token);
  const Type* finish_union();
  const Type* find(const Token& name);
  const Type* build(Open& open);
  bool fail(const Token& token, std::string text);
  void advance() { current_ = lexer_.next(); }

  const TypeNames& names_;
  TypeInterner& types_;
  Lexer& lexer_;
  Token& current_;
  std::vector<Open> stack_;
  bool wants_member_ = true;
};

}  // namespace berth::inference
