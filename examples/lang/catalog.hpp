// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Catalog: the names that the texts of one program have declared so far, and what their declarations say
// about types.
//
// A static type is the text of a leaf (`i64`, `Circle`, `array<f64>`, `tuple<i64, string>`), kUnknown, or
// empty where nothing was seen yet. It only ever chooses between a generic call and the statement that this
// call would end in, so it need not be complete. In an open catalog (the prompt) functions may get more
// methods later: nothing is concluded from the ones there are.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syntax.hpp"

namespace berth::lang {

inline constexpr std::string_view kUnknown = "?";
inline bool is_exact(std::string_view type) noexcept { return !type.empty() && type != kUnknown; }
bool is_number_type(std::string_view type) noexcept;
bool is_integer_type(std::string_view type) noexcept;
/// The members of a union; the items of `array<..>`, `tuple<..>`.
std::vector<std::string> members_of(std::string_view type);
std::vector<std::string> arguments_of(std::string_view type);

class Catalog {
 public:
  explicit Catalog(bool is_closed) : is_closed_(is_closed) {}

  /// Adds what a unit declares; throws Failure for a second type or an unknown type name. Keeps the unit's
  /// functions alive.
  void add(const std::shared_ptr<Unit>& unit);

  bool is_closed() const noexcept { return is_closed_; }
  const Struct* structure(std::string_view name) const;
  const Global* global(std::string_view name) const;
  bool has_function(std::string_view name) const;      // or kernel
  bool has_own_function(std::string_view name) const;  // not only the prelude's
  bool is_kernel(std::string_view name) const;
  bool is_type(std::string_view name) const;
  void check(const TypeName& type, std::string_view unit) const;

  // Types.
  bool is_leaf(std::string_view type) const;
  bool is_subtype(std::string_view type, std::string_view declared) const;
  std::string exact_or_unknown(std::string_view declared) const;
  /// The least declared type above all: the element type of an array literal.
  std::string join(std::span<const std::string> leaves) const;
  std::string field_type(std::string_view structure, std::string_view field) const;
  static std::string element_type(std::string_view type);  // of an array, a buffer, a string; empty: none

  // Calls.
  /// The one method that arguments of these static types select; null: not known here.
  const Function* resolve(std::string_view name, std::span<const std::string> arguments) const;
  std::string result_type(std::string_view name, std::span<const std::string> arguments) const;

 private:
  bool may_apply(const Function& method, std::span<const std::string> arguments) const;
  bool is_more_specific(const Function& a, const Function& b) const;
  std::string parent_of(std::string_view type) const;

  bool is_closed_;
  std::vector<std::shared_ptr<Unit>> units_;
  std::map<std::string, std::string, std::less<>> abstracts_;  // name to parent
  std::map<std::string, const Struct*, std::less<>> structs_;
  std::map<std::string, const Global*, std::less<>> globals_;
  std::map<std::string, std::vector<const Function*>, std::less<>> functions_;
};

}  // namespace berth::lang
