// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catalog.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace berth::lang {
namespace {

constexpr std::array<std::string_view, 10> kNumbers = {"i8",  "i16", "i32", "i64", "u8",
                                                       "u16", "u32", "u64", "f32", "f64"};
constexpr std::array<std::string_view, 6> kPlain = {"bool", "nothing", "string", "type", "error", "task"};
constexpr std::array<std::string_view, 8> kAbstract = {"any",   "number", "integer", "float",
                                                       "array", "buffer", "channel", "function"};
constexpr size_t kMaxLeaves = 4;  // more: their common ancestor

bool contains(const auto& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> result;
  if (text.empty()) return result;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '<') depth++;
    if (text[i] == '>') depth--;
    if (depth == 0 && text.substr(i).starts_with(separator)) {
      result.emplace_back(text.substr(start, i - start));
      i += separator.size() - 1;
      start = i + 1;
    }
  }
  result.emplace_back(text.substr(start));
  return result;
}

}  // namespace

bool is_number_type(std::string_view type) noexcept { return contains(kNumbers, type); }
bool is_integer_type(std::string_view type) noexcept { return is_number_type(type) && type[0] != 'f'; }
std::vector<std::string> members_of(std::string_view type) { return split(type, " | "); }

std::vector<std::string> arguments_of(std::string_view type) {
  const size_t open = type.find('<');
  if (open == std::string_view::npos) return {};
  return split(type.substr(open + 1, type.size() - open - 2), ", ");
}

void Catalog::add(const std::shared_ptr<Unit>& unit) {
  units_.push_back(unit);
  for (const Abstract& item : unit->abstracts) {
    if (is_type(item.name) && !abstracts_.contains(item.name)) {
      throw Failure(unit->name, item.at, fmt::format("a second type {}, expected another name", item.name));
    }
    abstracts_[item.name] = item.parent;
  }
  std::set<std::string_view> own;
  for (const Struct& item : unit->structs) {
    const bool taken = is_type(item.name) && (!structs_.contains(item.name) || is_closed_);
    if (taken || !own.insert(item.name).second) {
      throw Failure(unit->name, item.at, fmt::format("a second type {}, expected another name", item.name));
    }
    structs_[item.name] = &item;
  }
  for (const Global& item : unit->globals) {
    if (globals_.contains(item.name) && is_closed_) {
      throw Failure(unit->name, item.at,
                    fmt::format("a second constant or global {}, expected another name", item.name));
    }
    globals_[item.name] = &item;
  }
  for (const auto& item : unit->functions) functions_[item->name].push_back(item.get());

  for (const Abstract& item : unit->abstracts) {
    if (!item.parent.empty() && !contains(kAbstract, item.parent) && !abstracts_.contains(item.parent)) {
      throw Failure(
          unit->name, item.at,
          fmt::format("unknown abstract type {}, expected one declared with abstract", item.parent));
    }
    std::string above = item.parent;
    for (size_t steps = 0; !above.empty() && steps <= abstracts_.size(); steps++) above = parent_of(above);
    if (!above.empty())
      throw Failure(unit->name, item.at,
                    fmt::format("abstract {} is above itself, expected a tree", item.name));
  }
  for (const Struct& item : unit->structs) {
    if (!item.parent.empty() && !abstracts_.contains(item.parent)) {
      throw Failure(
          unit->name, item.at,
          fmt::format("unknown abstract type {}, expected one declared with abstract", item.parent));
    }
    for (const auto& field : item.fields) check(field.type, unit->name);
  }
  for (const Global& item : unit->globals) check(item.type, unit->name);
  for (const auto& item : unit->functions) {
    for (const auto& parameter : item->parameters) check(parameter.type, unit->name);
    check(item->result, unit->name);
  }
}

void Catalog::check(const TypeName& type, std::string_view unit) const {
  for (const auto& [name, place] : type.names) {
    if (!is_type(name))
      throw Failure(unit, place,
                    fmt::format("unknown type {}, expected i64, f64, string or a declared one", name));
  }
}

const Struct* Catalog::structure(std::string_view name) const {
  const auto found = structs_.find(name);
  return found == structs_.end() ? nullptr : found->second;
}

const Global* Catalog::global(std::string_view name) const {
  const auto found = globals_.find(name);
  return found == globals_.end() ? nullptr : found->second;
}

bool Catalog::has_function(std::string_view name) const { return functions_.contains(name); }

bool Catalog::has_own_function(std::string_view name) const {
  const auto found = functions_.find(name);
  return found != functions_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                  [](const Function* f) { return !f->is_prelude; });
}

bool Catalog::is_kernel(std::string_view name) const {
  const auto found = functions_.find(name);
  return found != functions_.end() && found->second.back()->is_kernel;
}

bool Catalog::is_type(std::string_view name) const {
  return is_number_type(name) || contains(kPlain, name) || contains(kAbstract, name) || name == "tuple" ||
         abstracts_.contains(name) || structs_.contains(name);
}

bool Catalog::is_leaf(std::string_view type) const {
  if (is_number_type(type) || contains(kPlain, type) || structs_.contains(type)) return true;
  if (type.starts_with("array<") || type.starts_with("buffer<") || type.starts_with("channel<"))
    return members_of(type).size() == 1;
  if (!type.starts_with("tuple<") || members_of(type).size() != 1) return false;
  const auto items = arguments_of(type);
  return std::all_of(items.begin(), items.end(), [&](const std::string& item) { return is_leaf(item); });
}

std::string Catalog::exact_or_unknown(std::string_view declared) const {
  return std::string(is_leaf(declared) ? declared : kUnknown);
}

std::string Catalog::parent_of(std::string_view type) const {
  if (type == "any") return {};
  if (is_number_type(type)) return type[0] == 'f' ? "float" : "integer";
  if (type == "integer" || type == "float") return "number";
  for (const std::string_view family : {"array", "buffer", "channel", "tuple"}) {
    if (type.starts_with(family) && type.size() > family.size() && type[family.size()] == '<')
      return std::string(family);
  }
  const Struct* found = structure(type);
  const auto parent = abstracts_.find(type);
  const std::string named = found != nullptr             ? found->parent
                            : parent != abstracts_.end() ? parent->second
                                                         : std::string();
  return named.empty() ? "any" : named;
}

bool Catalog::is_subtype(std::string_view type, std::string_view declared) const {
  const auto members = members_of(type);
  if (members.size() > 1) {
    return std::all_of(members.begin(), members.end(),
                       [&](const std::string& member) { return is_subtype(member, declared); });
  }
  for (const std::string& above : members_of(declared)) {
    std::string at(type);
    for (size_t steps = 0; !at.empty() && steps <= abstracts_.size() + 4; steps++) {
      if (at == above) return true;
      at = parent_of(at);
    }
    if (!type.starts_with("tuple<") || !above.starts_with("tuple<")) continue;
    const auto items = arguments_of(type);
    const auto declared_items = arguments_of(above);
    if (items.size() == declared_items.size() &&
        std::equal(items.begin(), items.end(), declared_items.begin(),
                   [&](const std::string& a, const std::string& b) { return is_subtype(a, b); })) {
      return true;
    }
  }
  return false;
}

std::string Catalog::join(std::span<const std::string> leaves) const {
  std::set<std::string> set(leaves.begin(), leaves.end());
  const bool has_nothing = set.erase("nothing") != 0;
  if (set.empty()) return has_nothing ? "nothing" : "any";
  std::string result;
  if (set.size() <= kMaxLeaves) {
    result = fmt::format("{}", fmt::join(set, " | "));
  } else {
    result = *set.begin();
    while (!std::all_of(set.begin(), set.end(),
                        [&](const std::string& leaf) { return is_subtype(leaf, result); })) {
      result = parent_of(result);
    }
  }
  return has_nothing && result != "any" ? result + " | nothing" : result;
}

std::string Catalog::field_type(std::string_view type, std::string_view field) const {
  if (type == "error") return std::string(field == "value" ? kUnknown : "string");
  const Struct* found = structure(type);
  if (found == nullptr) return std::string(kUnknown);
  for (const auto& item : found->fields) {
    if (item.name == field) return exact_or_unknown(item.type.text);
  }
  return std::string(kUnknown);
}

std::string Catalog::element_type(std::string_view type) {
  if (type == "string") return "u8";
  if (!type.starts_with("array<") && !type.starts_with("buffer<")) return {};
  return arguments_of(type).at(0);
}

bool Catalog::may_apply(const Function& method, std::span<const std::string> arguments) const {
  if (method.parameters.size() != arguments.size()) return false;
  for (size_t i = 0; i < arguments.size(); i++) {
    const std::string& declared = method.parameters[i].type.text;
    if (!declared.empty() && is_exact(arguments[i]) && !is_subtype(arguments[i], declared)) return false;
  }
  return true;
}

bool Catalog::is_more_specific(const Function& a, const Function& b) const {
  for (size_t i = 0; i < a.parameters.size(); i++) {
    const std::string& theirs = b.parameters[i].type.text;
    const std::string& ours = a.parameters[i].type.text;
    if (!theirs.empty() && (ours.empty() || !is_subtype(ours, theirs))) return false;
  }
  return true;
}

const Function* Catalog::resolve(std::string_view name, std::span<const std::string> arguments) const {
  const auto found = functions_.find(name);
  if (found == functions_.end()) return nullptr;
  const Function* best = nullptr;
  for (const Function* method : found->second) {
    if (!may_apply(*method, arguments)) continue;
    for (size_t i = 0; i < arguments.size(); i++) {
      if (!is_exact(arguments[i]) && !method->parameters[i].type.text.empty()) return nullptr;
    }
    if (best == nullptr || is_more_specific(*method, *best)) {
      best = method;
    } else if (!is_more_specific(*best, *method)) {
      return nullptr;
    }
  }
  return best;
}

std::string Catalog::result_type(std::string_view name, std::span<const std::string> arguments) const {
  if (contains(arguments, "")) return {};
  if (const Function* method = resolve(name, arguments)) return exact_or_unknown(method->result.text);
  const auto found = functions_.find(name);
  if (found == functions_.end()) return std::string(kUnknown);
  std::string result;
  for (const Function* method : found->second) {
    if (!may_apply(*method, arguments)) continue;
    const std::string type = exact_or_unknown(method->result.text);
    if (!result.empty() && result != type) return std::string(kUnknown);
    result = type;
  }
  return result.empty() ? std::string(kUnknown) : result;
}

}  // namespace berth::lang
