// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Syntax tree of the reference language. The parser makes it, the binder resolves its names, the lowering
// writes IR from it.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"

namespace berth::lang {

/// A type as written, in the IR's spelling; `names` are the ones that must exist.
struct TypeName {
  Place at;
  std::string text;
  std::vector<std::pair<std::string, Place>> names;
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  enum class Kind : uint8_t {
    Integer,  // bits, negative, text: its type
    Float,    // value, text: its type
    String,   // text
    Bool,     // bits
    Nothing,
    Name,       // text; variable, if local
    Array,      // items
    Tuple,      // items
    Call,       // items[0](items[1..])
    Latest,     // the same in the newest world
    Spawn,      // the same on a new thread
    TypedCall,  // type(items): array<u8>(10, 0u8)
    Operator,   // text(items): one or two
    And,
    Or,  // items[0], items[1]
    Is,
    As,     // items[0], type
    Field,  // items[0].text
    Item,   // items[0].bits
    Index,  // items[0][items[1]]
    Raw,    // @text(items): one IR statement
  };
  Kind kind;
  Place at;
  std::string text;
  uint64_t bits = 0;
  double value = 0;
  bool negative = false;
  int variable = -1;
  uint32_t depth = 1;  // of the tree below: bounded by the parser, so that recursion over it is
  TypeName type;
  std::string static_type;  // by the typing; see catalog.hpp
  std::vector<ExpressionPtr> items;
};

struct Statement;
using Statements = std::vector<std::unique_ptr<Statement>>;

struct Statement {
  enum class Kind : uint8_t {
    Let,
    Var,     // name, type, value
    Assign,  // target = value
    Value,   // value
    If,      // value, body, otherwise
    While,   // value, body
    For,     // name in value [.. end], body
    Break,
    Continue,
    Return,  // value or none
    Throw,   // value
    Try,     // body, name, otherwise
    Launch,  // name(arguments) blocks sizes[0] lanes sizes[1]
    Shared,  // name: type[value]
    Scope,   // body
  };
  Kind kind;
  Place at;
  std::string name;
  TypeName type;
  ExpressionPtr target, value, end;
  std::vector<ExpressionPtr> arguments;
  Statements body, otherwise;
  int variable = -1;
  std::vector<int> assigned;  // by the binder: variables declared outside and assigned inside
  bool has_break = false;     // While, For: a break leaves it
};

/// A local of one function. Filled by the binder and the typing.
struct Variable {
  std::string name;
  std::string declared;  // type, if written
  bool is_assignable = false;
  bool has_cell = false;  // assigned in a try, so that its handler sees the newest value
  std::string type;       // static type, see catalog.hpp
};

struct Function {
  struct Parameter {
    std::string name;
    TypeName type;  // empty: any
  };
  Place at;
  std::string name;
  std::vector<Parameter> parameters;
  TypeName result;  // empty: any
  Statements body;
  bool is_kernel = false;
  bool is_prelude = false;
  std::vector<Variable> variables;  // parameters first
};

struct Abstract {
  Place at;
  std::string name, parent;
};

struct Struct {
  struct Field {
    std::string name;
    TypeName type;
  };
  Place at;
  std::string name, parent;
  bool is_mutable = false;
  std::vector<Field> fields;
};

struct Global {
  Place at;
  std::string name;
  TypeName type;
  bool is_constant = false;
  ExpressionPtr value;
};

/// One text, in the order written: declarations of one kind keep their order.
struct Unit {
  std::string name;
  std::vector<Abstract> abstracts;
  std::vector<Struct> structs;
  std::vector<Global> globals;
  std::vector<std::unique_ptr<Function>> functions;
  Statements statements;  // at the prompt only
};

}  // namespace berth::lang
