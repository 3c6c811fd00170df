// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binder: resolves the names in one function: each local gets a number, each branch and loop the list of
// locals assigned inside.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog.hpp"

namespace berth::lang {

class Binder {
 public:
  Binder(const Catalog& catalog, Function& function, std::string_view unit);
  /// Fills the function's variables. Throws Failure: unknown names, wrong assignments, `break` outside of
  /// loops.
  void bind();

 private:
  void statements(Statements& list);
  void statement(Statement& statement);
  void assign(Statement& statement);
  void scope(Statements& list);
  void expression(Expression& expression);
  void name(Expression& expression, bool is_callee);
  void enter() { scope_.emplace_back(); }
  void leave();
  int declare(const std::string& name, Place at, const std::string& type, bool is_assignable);
  [[noreturn]] void fail(Place at, const std::string& text) const;

  const Catalog& catalog_;
  Function& function_;
  std::string unit_;
  std::unordered_map<std::string, std::vector<int>> visible_;  // innermost last
  std::vector<std::vector<std::string>> scope_;
  std::vector<Statement*> loops_;
  std::vector<int> tries_;                  // first variable declared in each open try
  std::vector<std::vector<int>> assigned_;  // of each open branch or loop
};

}  // namespace berth::lang
