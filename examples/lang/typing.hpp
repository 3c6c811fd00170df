// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Typing: the static type of each local and expression of one bound function, by iteration until nothing
// rises any more.
//
// A local has one type for its whole life: the one all its assignments share, else kUnknown. Each rises at
// most twice, so passes are at most twice the locals; beyond kMaxPasses the ones that still rise become
// unknown.
#pragma once
#include <string>

#include "catalog.hpp"

namespace berth::lang {

class Typing {
 public:
  static constexpr int kMaxPasses = 40;

  /// trusts_methods: the methods seen so far are all there will be (a closed catalog; kernels).
  Typing(const Catalog& catalog, Function& function, bool trusts_methods);
  void run();

 private:
  void statements(Statements& list);
  void statement(Statement& statement);
  void assign(int variable, const std::string& type);
  std::string iterated(const Statement& statement);
  std::string type_of(Expression& expression);
  std::string call_type(const Expression& expression);
  std::string builtin_call_type(const Expression& expression, const std::string& name);
  std::string raw_type(const Expression& expression) const;
  std::string group_type(const Expression& expression) const;
  std::string apply(std::string_view name, const Expression& expression, size_t first) const;

  const Catalog& catalog_;
  Function& function_;
  bool trusts_methods_;
  bool rose_ = false;
  bool gives_up_ = false;
};

}  // namespace berth::lang
